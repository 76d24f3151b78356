"""What each instruction does, as a function of a hart made once for each instruction word.

`SEMANTICS` maps (unit, operation) of a row of `isa.INSTRUCTIONS` to a builder. A builder takes the
decoded `Fields` of a word and returns an `Action`: a function that executes the instruction on a
hart, pc included, or raises `TrapError` or `Pause` without having changed anything (but for a
pause that says that the instruction retired).
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass

from openipu.cosim.golden.hart import ADDRESS, MASK, NOWHERE, Hart, TrapError
from openipu.rtl.config import TileConfig
from openipu.rtl.isa import (
    AluOp,
    BranchOp,
    Cause,
    CsrOp,
    DivideOp,
    File,
    Immediate,
    Instruction,
    MemoryOp,
    MultiplyOp,
    Op,
    SystemOp,
    Unit,
    decode,
    immediate_of,
    pairs_legal,
)

assert sys.byteorder == "little", "the model's memory views need a little-endian host"

Action = Callable[[Hart], None]


@dataclass(frozen=True)
class Fields:
    """A decoded instruction word; `rd` is NOWHERE where the instruction writes x0."""

    row: Instruction
    word: int
    rd: int
    rs1: int
    rs2: int
    rs3: int
    imm: int
    rm: int


Builder = Callable[[Fields], Action]
SEMANTICS: dict[tuple[Unit, Op], Builder] = {}


def define(unit: Unit, *operations: Op) -> Callable[[Builder], Builder]:
    """Register a builder for some operations of a unit."""

    def register(builder: Builder) -> Builder:
        SEMANTICS.update({(unit, op): builder for op in operations})
        return builder

    return register


def fields_of(row: Instruction, word: int) -> Fields:
    """Decode the fields of a word whose row is known."""
    rd = word >> 7 & 31
    if row.rd is File.X and not rd:
        rd = NOWHERE
    return Fields(
        row, word, rd, word >> 15 & 31, word >> 20 & 31,
        word >> 27, immediate_of(row.immediate, word), word >> 12 & 7,
    )  # fmt: skip


class ActionCache(dict[int, Action]):
    """From instruction word to action on a tile of that size, filled on demand."""

    def __init__(self, config: TileConfig) -> None:
        super().__init__()
        self._config = config

    def __missing__(self, word: int) -> Action:
        row = decode(word)
        if row is None or not self._config.executes(row.unit) or not pairs_legal(row, word):
            action = _illegal(word)
        else:
            action = SEMANTICS[row.unit, row.op](fields_of(row, word))
        self[word] = action
        return action


def _illegal(word: int) -> Action:
    def run(hart: Hart) -> None:
        raise TrapError(Cause.ILLEGAL, word)

    return run


def signed(value: int) -> int:
    """Return a 32-bit pattern as a signed int."""
    return (value ^ 0x8000_0000) - 0x8000_0000


ALU: dict[Op, Callable[[int, int], int]] = {
    AluOp.ADD: lambda a, b: a + b,
    AluOp.SUB: lambda a, b: a - b,
    AluOp.SLL: lambda a, b: a << (b & 31),
    AluOp.SLT: lambda a, b: a ^ 0x8000_0000 < b ^ 0x8000_0000,
    AluOp.SLTU: lambda a, b: a < b,
    AluOp.XOR: lambda a, b: a ^ b,
    AluOp.SRL: lambda a, b: a >> (b & 31),
    AluOp.SRA: lambda a, b: signed(a) >> (b & 31),
    AluOp.OR: lambda a, b: a | b,
    AluOp.AND: lambda a, b: a & b,
}


@define(Unit.ALU, *ALU)
def _alu(i: Fields) -> Action:
    function, rd, rs1, rs2, imm = ALU[i.row.op], i.rd, i.rs1, i.rs2, i.imm & MASK

    def register(hart: Hart) -> None:
        x = hart.x
        x[rd] = function(x[rs1], x[rs2]) & MASK
        hart.pc += 4

    def immediate(hart: Hart) -> None:
        x = hart.x
        x[rd] = function(x[rs1], imm) & MASK
        hart.pc += 4

    return register if i.row.immediate is Immediate.NONE else immediate


@define(Unit.ALU, AluOp.LUI)
def _lui(i: Fields) -> Action:
    def run(hart: Hart) -> None:
        hart.x[i.rd] = value
        hart.pc += 4

    value = i.imm & MASK
    return run


@define(Unit.ALU, AluOp.AUIPC)
def _auipc(i: Fields) -> Action:
    def run(hart: Hart) -> None:
        hart.x[i.rd] = hart.pc + i.imm & MASK
        hart.pc += 4

    return run


def _jump(hart: Hart, target: int) -> None:
    """Go to `target` from outside a loop's body, which the caller has checked."""
    if target & 3:
        raise TrapError(Cause.FETCH_MISALIGNED, target)
    hart.pc = target


CONDITIONS: dict[Op, Callable[[int, int], bool]] = {
    BranchOp.EQ: lambda a, b: a == b,
    BranchOp.NE: lambda a, b: a != b,
    BranchOp.LT: lambda a, b: a ^ 0x8000_0000 < b ^ 0x8000_0000,
    BranchOp.GE: lambda a, b: a ^ 0x8000_0000 >= b ^ 0x8000_0000,
    BranchOp.LTU: lambda a, b: a < b,
    BranchOp.GEU: lambda a, b: a >= b,
}


@define(Unit.BRANCH, *CONDITIONS)
def _branch(i: Fields) -> Action:
    taken, rs1, rs2, imm = CONDITIONS[i.row.op], i.rs1, i.rs2, i.imm

    def run(hart: Hart) -> None:
        hart.check_no_loop(i.word)
        if taken(hart.x[rs1], hart.x[rs2]):
            _jump(hart, hart.pc + imm & MASK)
        else:
            hart.pc += 4

    return run


@define(Unit.BRANCH, BranchOp.JAL)
def _jal(i: Fields) -> Action:
    def run(hart: Hart) -> None:
        hart.check_no_loop(i.word)
        link = hart.pc + 4
        _jump(hart, hart.pc + i.imm & MASK)
        hart.x[i.rd] = link

    return run


@define(Unit.BRANCH, BranchOp.JALR)
def _jalr(i: Fields) -> Action:
    def run(hart: Hart) -> None:
        hart.check_no_loop(i.word)
        link = hart.pc + 4
        _jump(hart, hart.x[i.rs1] + i.imm & MASK - 1)
        hart.x[i.rd] = link

    return run


# Width in bytes (as a shift), and the extension of what was read.
LOADS: dict[Op, tuple[int, Callable[[int], int]]] = {
    MemoryOp.BYTE: (0, lambda value: (value ^ 0x80) - 0x80 & MASK),
    MemoryOp.HALF: (1, lambda value: (value ^ 0x8000) - 0x8000 & MASK),
    MemoryOp.WORD: (2, lambda value: value),
    MemoryOp.BYTE_UNSIGNED: (0, lambda value: value),
    MemoryOp.HALF_UNSIGNED: (1, lambda value: value),
    MemoryOp.HALF_BOXED: (1, lambda value: value | 0xFFFF_0000),
}


@define(Unit.LOAD, *LOADS)
def _load(i: Fields) -> Action:
    (shift, extend), rs1, rd, imm = LOADS[i.row.op], i.rs1, i.rd, i.imm
    misaligned = (1 << shift) - 1
    to_float = i.row.rd is File.F

    def run(hart: Hart) -> None:
        address = hart.x[rs1] + imm & MASK
        if address & misaligned:
            raise TrapError(Cause.LOAD_MISALIGNED, address)
        if address & ADDRESS >= hart.memory_bytes:
            raise TrapError(Cause.LOAD_OUTSIDE, address)
        value = extend(hart.views[shift][(address & ADDRESS) >> shift])
        if to_float:
            hart.f[rd] = value
        else:
            hart.x[rd] = value
        hart.pc += 4

    return run


STORES: dict[Op, int] = {MemoryOp.BYTE: 0, MemoryOp.HALF: 1, MemoryOp.WORD: 2}


@define(Unit.STORE, *STORES)
def _store(i: Fields) -> Action:
    shift, rs1, rs2, imm = STORES[i.row.op], i.rs1, i.rs2, i.imm
    misaligned, bits = (1 << shift) - 1, (1 << (8 << shift)) - 1
    from_float = i.row.rs2 is File.F

    def run(hart: Hart) -> None:
        address = hart.x[rs1] + imm & MASK
        if address & misaligned:
            raise TrapError(Cause.STORE_MISALIGNED, address)
        if address & ADDRESS >= hart.memory_bytes:
            raise TrapError(Cause.STORE_OUTSIDE, address)
        value = hart.f[rs2] if from_float else hart.x[rs2]
        hart.views[shift][(address & ADDRESS) >> shift] = value & bits
        hart.pc += 4

    return run


def _quotient(a: int, b: int) -> int:
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


PRODUCTS: dict[Op, Callable[[int, int], int]] = {
    MultiplyOp.MUL: lambda a, b: a * b,
    MultiplyOp.MULH: lambda a, b: signed(a) * signed(b) >> 32,
    MultiplyOp.MULHSU: lambda a, b: signed(a) * b >> 32,
    MultiplyOp.MULHU: lambda a, b: a * b >> 32,
}
QUOTIENTS: dict[Op, Callable[[int, int], int]] = {
    DivideOp.DIV: lambda a, b: _quotient(signed(a), signed(b)) if b else -1,
    DivideOp.DIVU: lambda a, b: a // b if b else -1,
    DivideOp.REM: lambda a, b: (
        signed(a) - signed(b) * _quotient(signed(a), signed(b)) if b else a
    ),
    DivideOp.REMU: lambda a, b: a % b if b else a,
}


def _two_operands(functions: dict[Op, Callable[[int, int], int]]) -> Builder:
    def build(i: Fields) -> Action:
        function, rd, rs1, rs2 = functions[i.row.op], i.rd, i.rs1, i.rs2

        def run(hart: Hart) -> None:
            hart.x[rd] = function(hart.x[rs1], hart.x[rs2]) & MASK
            hart.pc += 4

        return run

    return build


define(Unit.MULTIPLY, *PRODUCTS)(_two_operands(PRODUCTS))
define(Unit.DIVIDE, *QUOTIENTS)(_two_operands(QUOTIENTS))

_CSR_IMMEDIATE = (CsrOp.WRITE_IMM, CsrOp.SET_IMM, CsrOp.CLEAR_IMM)
UPDATES: dict[Op, Callable[[int, int], int]] = {
    CsrOp.WRITE: lambda old, operand: operand,
    CsrOp.SET: lambda old, operand: old | operand,
    CsrOp.CLEAR: lambda old, operand: old & ~operand,
    CsrOp.WRITE_IMM: lambda old, operand: operand,
    CsrOp.SET_IMM: lambda old, operand: old | operand,
    CsrOp.CLEAR_IMM: lambda old, operand: old & ~operand,
}


@define(Unit.CSR, *UPDATES)
def _csr(i: Fields) -> Action:
    update, number, op = UPDATES[i.row.op], i.imm & 0xFFF, i.row.op
    writes = op in (CsrOp.WRITE, CsrOp.WRITE_IMM) or i.rs1 != 0

    def run(hart: Hart) -> None:
        operand = i.rs1 if op in _CSR_IMMEDIATE else hart.x[i.rs1]
        try:
            old = hart.read_csr(number)
            if writes:
                hart.write_csr(number, update(old, operand))
        except KeyError:
            raise TrapError(Cause.ILLEGAL, i.word) from None
        hart.x[i.rd] = old
        hart.pc += 4

    return run


@define(Unit.SYSTEM, SystemOp.NOP)
def _nop(i: Fields) -> Action:
    def run(hart: Hart) -> None:
        hart.pc += 4

    return run


@define(Unit.SYSTEM, SystemOp.ECALL)
def _ecall(i: Fields) -> Action:
    def run(hart: Hart) -> None:
        raise TrapError(Cause.ECALL, 0)

    return run


@define(Unit.SYSTEM, SystemOp.EBREAK)
def _ebreak(i: Fields) -> Action:
    def run(hart: Hart) -> None:
        raise TrapError(Cause.BREAKPOINT, hart.pc)

    return run


@define(Unit.SYSTEM, SystemOp.MRET)
def _mret(i: Fields) -> Action:
    def run(hart: Hart) -> None:
        hart.check_no_loop(i.word)
        hart.leave()

    return run
