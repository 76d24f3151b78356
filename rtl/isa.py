"""The instruction set: one table of every instruction.

The RTL decoder, the instruction-level model, the C header, the assembler and the reference manual
are all derived from `INSTRUCTIONS`. No other module knows an encoding.

Sources: The RISC-V Instruction Set Manual, Volume I (RV32I, M, Zicsr, F, Zfhmin) and Volume II
(machine-mode CSRs). Xipu is openipu's own: threads, streams, loops and random numbers in custom-0,
SIMD in custom-1 and custom-2, the matrix unit (AMP) in custom-3.
"""

import enum as py_enum
from collections.abc import Iterator
from dataclasses import dataclass

from amaranth.lib import enum


class Unit(enum.Enum, shape=4):
    """The unit that executes an instruction; ILLEGAL is what decodes to nothing."""

    ILLEGAL = 0
    ALU = 1
    BRANCH = 2
    LOAD = 3
    STORE = 4
    MULTIPLY = 5
    DIVIDE = 6
    CSR = 7
    SYSTEM = 8
    FPU = 9
    THREAD = 10
    STREAM = 11
    SIMD = 12
    AMP = 13
    RANDOM = 14
    FDIVIDE = 15  #: floating-point divide and square root


OP_BITS = 6
"""Width of a unit's operation."""


class AluOp(enum.Enum, shape=OP_BITS):
    """Integer operations; `b` is rs2 or the immediate."""

    ADD = 0
    SUB = 1
    SLL = 2
    SLT = 3
    SLTU = 4
    XOR = 5
    SRL = 6
    SRA = 7
    OR = 8
    AND = 9
    LUI = 10  #: the immediate
    AUIPC = 11  #: pc + the immediate


class BranchOp(enum.Enum, shape=OP_BITS):
    """Conditions of branches, and the two jumps."""

    EQ = 0
    NE = 1
    LT = 2
    GE = 3
    LTU = 4
    GEU = 5
    JAL = 6
    JALR = 7


class MemoryOp(enum.Enum, shape=OP_BITS):
    """Width and extension of a load or store."""

    BYTE = 0
    HALF = 1
    WORD = 2
    HALF_BOXED = 3  #: for an f register: ones above
    BYTE_UNSIGNED = 4
    HALF_UNSIGNED = 5


class MultiplyOp(enum.Enum, shape=OP_BITS):
    """Which half of which product."""

    MUL = 0
    MULH = 1
    MULHSU = 2
    MULHU = 3


class DivideOp(enum.Enum, shape=OP_BITS):
    """Quotient or remainder, signed or not."""

    DIV = 0
    DIVU = 1
    REM = 2
    REMU = 3


class CsrOp(enum.Enum, shape=OP_BITS):
    """Write, set or clear; the operand is rs1, or its number as an immediate."""

    WRITE = 0
    SET = 1
    CLEAR = 2
    WRITE_IMM = 4
    SET_IMM = 5
    CLEAR_IMM = 6


class SystemOp(enum.Enum, shape=OP_BITS):
    """Fences and waits do nothing here: a thread's memory operations are already in order."""

    NOP = 0
    ECALL = 1
    EBREAK = 2
    MRET = 3


class FpuOp(enum.Enum, shape=OP_BITS):
    """Floating-point operations on f32, conversions and moves of f16."""

    ADD = 0
    SUB = 1
    MUL = 2
    MADD = 3  #: (a*b)+c
    MSUB = 4  #: (a*b)-c
    NMSUB = 5  #: -(a*b)+c
    NMADD = 6  #: -(a*b)-c
    SGNJ = 7
    SGNJN = 8
    SGNJX = 9
    MIN = 10
    MAX = 11
    EQ = 12
    LT = 13
    LE = 14
    CLASS = 15
    CVT_W_S = 16
    CVT_WU_S = 17
    CVT_S_W = 18
    CVT_S_WU = 19
    MV_X_W = 20
    MV_W_X = 21
    CVT_S_H = 22
    CVT_H_S = 23
    MV_X_H = 24
    MV_H_X = 25


class FdivideOp(enum.Enum, shape=OP_BITS):
    """Divide and square root on f32."""

    DIV = 0
    SQRT = 1


class ThreadOp(enum.Enum, shape=OP_BITS):
    """Threads, barrier and exchange. The immediate is the number in the rd field."""

    END = 0
    START = 1
    WAIT = 2
    SYNC = 3
    ARM = 4
    TRAP = 5
    MEET = 6


class StreamOp(enum.Enum, shape=OP_BITS):
    """Streams and the hardware loop."""

    OPEN = 0
    LEVELS = 1
    REPEAT = 2


class RandomOp(enum.Enum, shape=OP_BITS):
    """The thread's random numbers."""

    NEXT = 0
    SEED = 1


class SimdOp(enum.Enum, shape=OP_BITS):
    """Operations on 64 bits: four f16 (H4), two f32 (S2), or bits."""

    H4_ADD = 0
    H4_SUB = 1
    H4_MUL = 2
    H4_MADD = 3
    H4_MIN = 4
    H4_MAX = 5
    H4_EQ = 6  #: all ones in each lane where it holds
    H4_LT = 7
    H4_LE = 8
    S2_ADD = 9
    S2_SUB = 10
    S2_MUL = 11
    S2_MADD = 12
    S2_MIN = 13
    S2_MAX = 14
    S2_EQ = 15
    S2_LT = 16
    S2_LE = 17
    AND = 18
    OR = 19
    XOR = 20
    ANDN = 21  #: a & ~b
    SELECT = 22  #: b where a's bits are set, else c
    NARROW = 23  #: four f32 to f16, to nearest even
    NARROW_RANDOM = 24  #: the same, stochastically
    WIDEN_LOW = 25
    WIDEN_HIGH = 26
    H4_SPLAT = 27
    S2_SPLAT = 28
    H4_SUM = 29  #: f32: c + ((a0 + a1) + (a2 + a3))
    S2_SUM = 30  #: f32: c + (a0 + a1)
    H4_DOT = 31  #: f32: c + ((a0*b0 + a1*b1) + (a2*b2 + a3*b3))
    H4_GREATEST = 32
    S2_GREATEST = 33
    H4_EXP = 34
    H4_LOG = 35
    H4_TANH = 36
    H4_SIGMOID = 37
    H4_RECIP = 38
    H4_RSQRT = 39
    H4_SQRT = 40


class AmpOp(enum.Enum, shape=OP_BITS):
    """The matrix unit. H: f16 inputs and weights; S: f32."""

    SET = 0
    LOAD = 1
    IN = 2
    OUT = 3
    OUT_NARROW = 4
    H = 5
    H_PARTIAL = 6
    H_NARROW = 7
    H_PARTIAL_NARROW = 8
    S = 9
    S_PARTIAL = 10
    PAIR = 11
    TURN = 12


Op = (
    AluOp | BranchOp | MemoryOp | MultiplyOp | DivideOp | CsrOp | SystemOp | FpuOp | FdivideOp
    | ThreadOp | StreamOp | RandomOp | SimdOp | AmpOp
)  # fmt: skip


class File(enum.Enum, shape=2):
    """The register file an operand lives in."""

    NONE = 0
    X = 1
    F = 2
    PAIR = 3  #: 64 bits: an even f register and the next one, or, where the number is odd, a stream


STREAMS = {1: 0, 3: 1, 5: 2}
"""From an odd number in a PAIR operand to the stream: 0 and 1 are read, 2 is written."""


class Immediate(enum.Enum, shape=3):
    """How the immediate is spread over the instruction word."""

    NONE = 0
    I = 1  # noqa: E741 - the manual's name
    S = 2
    B = 3
    U = 4
    J = 5
    SHIFT = 6  #: bits 24:20, unsigned
    RD = 7  #: bits 11:7, unsigned


class Class(enum.Enum, shape=3):
    """What the per-tile instruction counters tell apart."""

    INTEGER = 0
    BRANCH = 1
    MEMORY = 2
    MULDIV = 3
    FLOAT = 4
    SYSTEM = 5
    VECTOR = 6
    MATRIX = 7


class Zone(enum.Enum, shape=2):
    """Who takes part in a barrier."""

    CHIP = 0
    POD = 1
    HOST = 2


class Cause(py_enum.IntEnum):
    """Trap causes: RISC-V's below 24, openipu's from 24 on."""

    FETCH_MISALIGNED = 0
    FETCH_OUTSIDE = 1
    ILLEGAL = 2
    BREAKPOINT = 3
    LOAD_MISALIGNED = 4
    LOAD_OUTSIDE = 5
    STORE_MISALIGNED = 6
    STORE_OUTSIDE = 7
    ECALL = 11
    EXPLICIT = 24  #: xtrap; the value is rs1, see `EXPLICIT_CODE_SHIFT`
    SILENT_BUS = 25  #: a receive entry listened to a bus that nobody drove; value = source tile
    TABLE_CLASH = 26  #: an exchange table lies in the bank being sent from; value = table address
    TABLE_LATE = 27  #: a table entry was not fetched in time for its cycle; value = table address
    EXCHANGE_OUTSIDE = 28  #: a table names memory outside the tile; value = byte address
    ZONE_MISMATCH = 29  #: the tiles wait at barriers of different zones
    STREAM_CLASH = 30  #: a pushed word and the exchange wrote one bank at once; value = address
    STREAM_FINISHED = 48  #: a finished stream was read or written; value = stream
    STREAM_MISALIGNED = 49  #: a stream's base is no multiple of 8; value = base
    LOOP_LENGTH = 50  #: a loop's body has no instruction or too many; value = their number
    LOOP_BRANCH = 51  #: a branch, jump or loop in a loop's body; value = the instruction word
    AMP_OVERRUN = 52  #: a row ends before the results of the one before were taken; value = word


CAUSE_TEXT: dict[Cause, str] = {
    Cause.FETCH_MISALIGNED: "instruction address misaligned",
    Cause.FETCH_OUTSIDE: "instruction fetch outside the memory",
    Cause.ILLEGAL: "illegal instruction",
    Cause.BREAKPOINT: "breakpoint",
    Cause.LOAD_MISALIGNED: "load address misaligned",
    Cause.LOAD_OUTSIDE: "load outside the memory",
    Cause.STORE_MISALIGNED: "store address misaligned",
    Cause.STORE_OUTSIDE: "store outside the memory",
    Cause.ECALL: "environment call",
    Cause.EXPLICIT: "explicit trap",
    Cause.SILENT_BUS: "receive from a bus that nobody drives",
    Cause.TABLE_CLASH: "exchange table in the bank being sent from",
    Cause.TABLE_LATE: "exchange table entry too late",
    Cause.EXCHANGE_OUTSIDE: "exchange outside the memory",
    Cause.ZONE_MISMATCH: "tiles wait at barriers of different zones",
    Cause.STREAM_CLASH: "write stream and exchange in one bank at once",
    Cause.STREAM_FINISHED: "stream is finished",
    Cause.STREAM_MISALIGNED: "stream base misaligned",
    Cause.LOOP_LENGTH: "loop body of no instruction or of too many",
    Cause.LOOP_BRANCH: "branch in a loop body",
    Cause.AMP_OVERRUN: "matrix unit's results were not taken in time",
}
"""A phrase for each cause, for reports."""

TO_HOST = range(24, 48)
"""Causes that always go to the host; the others go to the thread's handler if it has one."""

LOOP_BODY = 64
"""The most instructions in a loop's body."""

XTRAP_CODE_SHIFT = 8
"""An explicit trap's cause register holds `Cause.EXPLICIT | code << XTRAP_CODE_SHIFT`."""


@dataclass(frozen=True)
class Instruction:
    """One row of the table."""

    name: str  #: assembler mnemonic
    extension: str  #: I, M, Zicsr, F, Zfhmin or Xipu
    match: int  #: the fixed bits of the encoding
    mask: int  #: which bits are fixed
    unit: Unit
    op: Op
    rd: File
    rs1: File
    rs2: File
    rs3: File
    immediate: Immediate
    rounds: bool  #: whether bits 14:12 are a rounding mode
    syntax: str  #: operands as the assembler writes them
    text: str  #: what it does, for the manual
    timing: str  #: issue slots of its thread, for the manual's cycle table

    @property
    def counted_as(self) -> Class:
        """The counter that a retired instruction of this kind adds to."""
        return _CLASSES[self.unit]


_CLASSES = {
    Unit.ALU: Class.INTEGER,
    Unit.BRANCH: Class.BRANCH,
    Unit.LOAD: Class.MEMORY,
    Unit.STORE: Class.MEMORY,
    Unit.MULTIPLY: Class.MULDIV,
    Unit.DIVIDE: Class.MULDIV,
    Unit.CSR: Class.SYSTEM,
    Unit.SYSTEM: Class.SYSTEM,
    Unit.FPU: Class.FLOAT,
    Unit.THREAD: Class.SYSTEM,
    Unit.STREAM: Class.SYSTEM,
    Unit.SIMD: Class.VECTOR,
    Unit.AMP: Class.MATRIX,
    Unit.RANDOM: Class.SYSTEM,
    Unit.FDIVIDE: Class.FLOAT,
}

OPCODE = 0x7F
FUNCT3 = 0x7000
FUNCT7 = 0xFE00_0000
RS2 = 0x01F0_0000
RS1 = 0x000F_8000
RD = 0x0000_0F80
FMT = 0x0600_0000  # the format field of a fused multiply-add

N, X, F, P = File.NONE, File.X, File.F, File.PAIR
ONE = "1"


def _row(
    name: str, ext: str, match: int, mask: int, op: Op, files: str, imm: Immediate,
    syntax: str, text: str, *, unit: Unit, rounds: bool = False, timing: str = ONE,
) -> Instruction:  # fmt: skip
    """Build a row; `files` is rd, rs1, rs2, rs3 as letters, `-` for none."""
    rd, rs1, rs2, rs3 = ({"-": N, "x": X, "f": F, "p": P}[letter] for letter in files)
    return Instruction(
        name, ext, match, mask, unit, op, rd, rs1, rs2, rs3, imm, rounds, syntax, text, timing
    )


def _rows() -> Iterator[Instruction]:
    I = Immediate  # noqa: E741 - short, for the table
    op: Op
    a, three = AluOp, OPCODE | FUNCT3
    whole = OPCODE | FUNCT3 | FUNCT7
    yield _row("lui", "I", 0x37, OPCODE, a.LUI, "x---", I.U, "rd, imm",
               "rd = imm << 12", unit=Unit.ALU)
    yield _row("auipc", "I", 0x17, OPCODE, a.AUIPC, "x---", I.U, "rd, imm",
               "rd = pc + (imm << 12)", unit=Unit.ALU)
    yield _row("jal", "I", 0x6F, OPCODE, BranchOp.JAL, "x---", I.J, "rd, target",
               "rd = pc + 4; pc += imm", unit=Unit.BRANCH)
    yield _row("jalr", "I", 0x67, three, BranchOp.JALR, "xx--", I.I, "rd, imm(rs1)",
               "rd = pc + 4; pc = (rs1 + imm) & ~1", unit=Unit.BRANCH)
    for name, funct3, op, sign in (
        ("beq", 0, BranchOp.EQ, "=="), ("bne", 1, BranchOp.NE, "!="),
        ("blt", 4, BranchOp.LT, "< (signed)"), ("bge", 5, BranchOp.GE, ">= (signed)"),
        ("bltu", 6, BranchOp.LTU, "< (unsigned)"), ("bgeu", 7, BranchOp.GEU, ">= (unsigned)"),
    ):  # fmt: skip
        yield _row(name, "I", 0x63 | funct3 << 12, three, op, "-xx-", I.B, "rs1, rs2, target",
                   f"if rs1 {sign} rs2: pc += imm", unit=Unit.BRANCH)
    for name, funct3, width, what in (
        ("lb", 0, MemoryOp.BYTE, "sign-extended byte"),
        ("lh", 1, MemoryOp.HALF, "sign-extended 16 bits"),
        ("lw", 2, MemoryOp.WORD, "32 bits"),
        ("lbu", 4, MemoryOp.BYTE_UNSIGNED, "zero-extended byte"),
        ("lhu", 5, MemoryOp.HALF_UNSIGNED, "zero-extended 16 bits"),
    ):
        yield _row(name, "I", 0x03 | funct3 << 12, three, width, "xx--", I.I, "rd, imm(rs1)",
                   f"rd = {what} at rs1 + imm", unit=Unit.LOAD, timing="1 + bank conflicts")
    for name, funct3, width, what in (
        ("sb", 0, MemoryOp.BYTE, "8 bits"), ("sh", 1, MemoryOp.HALF, "16 bits"),
        ("sw", 2, MemoryOp.WORD, "32 bits"),
    ):  # fmt: skip
        yield _row(name, "I", 0x23 | funct3 << 12, three, width, "-xx-", I.S, "rs2, imm(rs1)",
                   f"store the low {what} of rs2 at rs1 + imm", unit=Unit.STORE,
                   timing="1 + bank conflicts")
    for name, funct3, op, expression in (
        ("addi", 0, a.ADD, "rs1 + imm"), ("slti", 2, a.SLT, "rs1 < imm (signed)"),
        ("sltiu", 3, a.SLTU, "rs1 < imm (unsigned)"), ("xori", 4, a.XOR, "rs1 ^ imm"),
        ("ori", 6, a.OR, "rs1 | imm"), ("andi", 7, a.AND, "rs1 & imm"),
    ):  # fmt: skip
        yield _row(name, "I", 0x13 | funct3 << 12, three, op, "xx--", I.I, "rd, rs1, imm",
                   f"rd = {expression}", unit=Unit.ALU)
    for name, funct3, funct7, op, expression in (
        ("slli", 1, 0x00, a.SLL, "rs1 << imm"), ("srli", 5, 0x00, a.SRL, "rs1 >> imm (logical)"),
        ("srai", 5, 0x20, a.SRA, "rs1 >> imm (arithmetic)"),
    ):  # fmt: skip
        yield _row(name, "I", 0x13 | funct3 << 12 | funct7 << 25, whole, op, "xx--", I.SHIFT,
                   "rd, rs1, imm", f"rd = {expression}", unit=Unit.ALU)
    for name, funct3, funct7, op, expression in (
        ("add", 0, 0x00, a.ADD, "rs1 + rs2"), ("sub", 0, 0x20, a.SUB, "rs1 - rs2"),
        ("sll", 1, 0x00, a.SLL, "rs1 << rs2[4:0]"),
        ("slt", 2, 0x00, a.SLT, "rs1 < rs2 (signed)"),
        ("sltu", 3, 0x00, a.SLTU, "rs1 < rs2 (unsigned)"), ("xor", 4, 0x00, a.XOR, "rs1 ^ rs2"),
        ("srl", 5, 0x00, a.SRL, "rs1 >> rs2[4:0] (logical)"),
        ("sra", 5, 0x20, a.SRA, "rs1 >> rs2[4:0] (arithmetic)"),
        ("or", 6, 0x00, a.OR, "rs1 | rs2"), ("and", 7, 0x00, a.AND, "rs1 & rs2"),
    ):  # fmt: skip
        yield _row(name, "I", 0x33 | funct3 << 12 | funct7 << 25, whole, op, "xxx-", I.NONE,
                   "rd, rs1, rs2", f"rd = {expression}", unit=Unit.ALU)
    for name, funct3, text in (
        ("fence", 0, "no effect: a thread's accesses are in order"),
        ("fence.i", 1, "no effect: fetches see earlier stores"),
    ):
        yield _row(name, "I", 0x0F | funct3 << 12, three, SystemOp.NOP, "----", I.NONE, "", text,
                   unit=Unit.SYSTEM)
    for name, word, op, text in (
        ("ecall", 0x0000_0073, SystemOp.ECALL, "trap: environment call"),
        ("ebreak", 0x0010_0073, SystemOp.EBREAK, "trap: breakpoint"),
        ("mret", 0x3020_0073, SystemOp.MRET, "pc = mepc"),
        ("wfi", 0x1050_0073, SystemOp.NOP, "no effect: there are no interrupts"),
    ):
        yield _row(name, "Zicsr" if name == "mret" else "I", word, 0xFFFF_FFFF, op, "----", I.NONE,
                   "", text, unit=Unit.SYSTEM)

    m = MultiplyOp
    for name, funct3, mul, text in (
        ("mul", 0, m.MUL, "low half of rs1 * rs2"),
        ("mulh", 1, m.MULH, "high half of signed rs1 * signed rs2"),
        ("mulhsu", 2, m.MULHSU, "high half of signed rs1 * unsigned rs2"),
        ("mulhu", 3, m.MULHU, "high half of unsigned rs1 * unsigned rs2"),
    ):
        yield _row(name, "M", 0x33 | funct3 << 12 | 1 << 25, whole, mul, "xxx-", I.NONE,
                   "rd, rs1, rs2", f"rd = {text}", unit=Unit.MULTIPLY)
    for name, funct3, div, text in (
        ("div", 4, DivideOp.DIV, "rs1 / rs2 (signed, towards zero; -1 for rs2 = 0)"),
        ("divu", 5, DivideOp.DIVU, "rs1 / rs2 (unsigned; 2**32-1 for rs2 = 0)"),
        ("rem", 6, DivideOp.REM, "rs1 - rs2 * (rs1 / rs2) (signed; rs1 for rs2 = 0)"),
        ("remu", 7, DivideOp.REMU, "rs1 - rs2 * (rs1 / rs2) (unsigned; rs1 for rs2 = 0)"),
    ):
        yield _row(name, "M", 0x33 | funct3 << 12 | 1 << 25, whole, div, "xxx-", I.NONE,
                   "rd, rs1, rs2", f"rd = {text}", unit=Unit.DIVIDE,
                   timing="replays until the tile's divider is done: 33 cycles")

    c = CsrOp
    for name, funct3, csr, files, syntax, text in (
        ("csrrw", 1, c.WRITE, "xx--", "rd, csr, rs1", "rd = csr; csr = rs1"),
        ("csrrs", 2, c.SET, "xx--", "rd, csr, rs1", "rd = csr; csr |= rs1 unless rs1 is x0"),
        ("csrrc", 3, c.CLEAR, "xx--", "rd, csr, rs1", "rd = csr; csr &= ~rs1 unless rs1 is x0"),
        ("csrrwi", 5, c.WRITE_IMM, "x---", "rd, csr, uimm", "rd = csr; csr = uimm"),
        ("csrrsi", 6, c.SET_IMM, "x---", "rd, csr, uimm", "rd = csr; csr |= uimm unless 0"),
        ("csrrci", 7, c.CLEAR_IMM, "x---", "rd, csr, uimm", "rd = csr; csr &= ~uimm unless 0"),
    ):
        yield _row(name, "Zicsr", 0x73 | funct3 << 12, three, csr, files, I.I, syntax, text,
                   unit=Unit.CSR)

    f = FpuOp
    yield _row("flw", "F", 0x2007, three, MemoryOp.WORD, "fx--", I.I, "fd, imm(rs1)",
               "fd = 32 bits at rs1 + imm", unit=Unit.LOAD, timing="1 + bank conflicts")
    yield _row("fsw", "F", 0x2027, three, MemoryOp.WORD, "-xf-", I.S, "fs2, imm(rs1)",
               "store fs2 at rs1 + imm", unit=Unit.STORE, timing="1 + bank conflicts")
    for name, opcode, op, expression in (
        ("fmadd.s", 0x43, f.MADD, "fs1 * fs2 + fs3"), ("fmsub.s", 0x47, f.MSUB, "fs1 * fs2 - fs3"),
        ("fnmsub.s", 0x4B, f.NMSUB, "-(fs1 * fs2) + fs3"),
        ("fnmadd.s", 0x4F, f.NMADD, "-(fs1 * fs2) - fs3"),
    ):  # fmt: skip
        yield _row(name, "F", opcode, OPCODE | FMT, op, "ffff", I.NONE, "fd, fs1, fs2, fs3",
                   f"fd = {expression}, rounded once", unit=Unit.FPU, rounds=True)
    for name, funct7, op, sign in (
        ("fadd.s", 0x00, f.ADD, "+"), ("fsub.s", 0x04, f.SUB, "-"), ("fmul.s", 0x08, f.MUL, "*"),
    ):  # fmt: skip
        yield _row(name, "F", 0x53 | funct7 << 25, OPCODE | FUNCT7, op, "fff-", I.NONE,
                   "fd, fs1, fs2", f"fd = fs1 {sign} fs2", unit=Unit.FPU, rounds=True)
    for name, funct7, funct3, op, files, text in (
        ("fsgnj.s", 0x10, 0, f.SGNJ, "fff-", "fd = fs1 with the sign of fs2"),
        ("fsgnjn.s", 0x10, 1, f.SGNJN, "fff-", "fd = fs1 with the opposite sign of fs2"),
        ("fsgnjx.s", 0x10, 2, f.SGNJX, "fff-", "fd = fs1 with the product of both signs"),
        ("fmin.s", 0x14, 0, f.MIN, "fff-", "fd = the lesser; a NaN loses, -0 < +0"),
        ("fmax.s", 0x14, 1, f.MAX, "fff-", "fd = the greater; a NaN loses, -0 < +0"),
        ("fle.s", 0x50, 0, f.LE, "xff-", "rd = fs1 <= fs2; any NaN is invalid"),
        ("flt.s", 0x50, 1, f.LT, "xff-", "rd = fs1 < fs2; any NaN is invalid"),
        ("feq.s", 0x50, 2, f.EQ, "xff-", "rd = fs1 == fs2; a signalling NaN is invalid"),
    ):
        yield _row(name, "F", 0x53 | funct3 << 12 | funct7 << 25, whole, op, files, I.NONE,
                   f"{'rd' if files[0] == 'x' else 'fd'}, fs1, fs2", text, unit=Unit.FPU)
    for name, funct7, rs2, op, files, syntax, text in (
        ("fcvt.w.s", 0x60, 0, f.CVT_W_S, "xf--", "rd, fs1", "rd = fs1 as a signed integer"),
        ("fcvt.wu.s", 0x60, 1, f.CVT_WU_S, "xf--", "rd, fs1", "rd = fs1 as an unsigned integer"),
        ("fcvt.s.w", 0x68, 0, f.CVT_S_W, "fx--", "fd, rs1", "fd = signed rs1 as f32"),
        ("fcvt.s.wu", 0x68, 1, f.CVT_S_WU, "fx--", "fd, rs1", "fd = unsigned rs1 as f32"),
    ):
        yield _row(name, "F", 0x53 | rs2 << 20 | funct7 << 25, OPCODE | FUNCT7 | RS2, op, files,
                   I.NONE, syntax, text, unit=Unit.FPU, rounds=True)
    for name, funct7, funct3, op, files, syntax, text in (
        ("fmv.x.w", 0x70, 0, f.MV_X_W, "xf--", "rd, fs1", "rd = the bits of fs1"),
        ("fclass.s", 0x70, 1, f.CLASS, "xf--", "rd, fs1", "rd = one bit of ten for fs1's class"),
        ("fmv.w.x", 0x78, 0, f.MV_W_X, "fx--", "fd, rs1", "fd = the bits of rs1"),
    ):
        yield _row(name, "F", 0x53 | funct3 << 12 | funct7 << 25, whole | RS2, op, files, I.NONE,
                   syntax, text, unit=Unit.FPU)

    for name, match, unused, op, files, syntax, text in (
        ("fdiv.s", 0x0C << 25, 0, FdivideOp.DIV, "fff-", "fd, fs1, fs2", "fd = fs1 / fs2"),
        ("fsqrt.s", 0x2C << 25, RS2, FdivideOp.SQRT, "ff--", "fd, fs1",
         "fd = the square root of fs1"),
    ):  # fmt: skip
        yield _row(name, "F", 0x53 | match, OPCODE | FUNCT7 | unused, op, files, I.NONE, syntax,
                   text, unit=Unit.FDIVIDE, rounds=True,
                   timing="replays until the tile's floating-point divider is done: 29 cycles")
    yield _row("flh", "Zfhmin", 0x1007, three, MemoryOp.HALF_BOXED, "fx--", I.I, "fd, imm(rs1)",
               "fd = 16 bits at rs1 + imm, ones above them", unit=Unit.LOAD,
               timing="1 + bank conflicts")
    yield _row("fsh", "Zfhmin", 0x1027, three, MemoryOp.HALF, "-xf-", I.S, "fs2, imm(rs1)",
               "store the low 16 bits of fs2 at rs1 + imm", unit=Unit.STORE,
               timing="1 + bank conflicts")
    for name, match, op, files, syntax, text in (
        ("fcvt.s.h", 0x20 << 25 | 2 << 20, f.CVT_S_H, "ff--", "fd, fs1",
         "fd = f16 fs1 as f32, never rounded; a NaN without ones above it"),
        ("fcvt.h.s", 0x22 << 25, f.CVT_H_S, "ff--", "fd, fs1", "fd = fs1 as f16, ones above it"),
        ("fmv.x.h", 0x72 << 25, f.MV_X_H, "xf--", "rd, fs1", "rd = sign-extended low half of fs1"),
        ("fmv.h.x", 0x7A << 25, f.MV_H_X, "fx--", "fd, rs1", "fd = low half of rs1, ones above it"),
    ):  # fmt: skip
        rounds = op in (f.CVT_S_H, f.CVT_H_S)
        yield _row(name, "Zfhmin", 0x53 | match, OPCODE | FUNCT7 | RS2 | (0 if rounds else FUNCT3),
                   op, files, I.NONE, syntax, text, unit=Unit.FPU, rounds=rounds)

    t = ThreadOp
    for name, funct7, thread, files, unused, syntax, text, timing in (
        ("xend", 0, t.END, "----", RS2 | RS1 | RD, "",
         "end this thread; on the supervisor: end the tile's program", ONE),
        ("xstart", 1, t.START, "-xx-", 0, "worker, rs1, rs2",
         "supervisor: start a worker at pc = rs1 with a0 = rs2", "replays while that worker runs"),
        ("xwait", 2, t.WAIT, "----", RS2 | RS1 | RD, "",
         "supervisor: wait until no worker runs", "replays while a worker runs"),
        ("xsync", 3, t.SYNC, "----", RS2 | RS1, "zone",
         "supervisor: meet the zone's barrier, then run the armed exchange to its end",
         "until the barrier and the exchange are over"),
        ("xarm", 4, t.ARM, "-xx-", RD, "rs1, rs2",
         "supervisor: the next barrier starts the exchange with the send table at rs1 and the "
         "receive table at rs2 (0: none)", ONE),
        ("xtrap", 5, t.TRAP, "-x--", RS2, "code, rs1",
         "trap to the host with a code and the value rs1", ONE),
        ("xmeet", 6, t.MEET, "----", RS2 | RS1 | RD, "",
         "worker: wait until all workers that run do so", "replays until the last one is there"),
    ):  # fmt: skip
        yield _row(name, "Xipu", 0x0B | funct7 << 25, whole | unused, thread, files, I.RD, syntax,
                   text, unit=Unit.THREAD, timing=timing)
    yield from _stream_rows()
    yield from _simd_rows()
    yield from _amp_rows()


REPLAY = "1 + bank conflicts"


def _stream_rows() -> Iterator[Instruction]:
    I = Immediate  # noqa: E741
    whole = OPCODE | FUNCT3 | FUNCT7
    yield _row("xstream", "Xipu", 0x100B, whole, StreamOp.OPEN, "-xx-", I.RD, "stream, rs1, rs2",
               "open a stream at address rs1 with level 0 = rs2 (words in bits 15:0, signed step "
               "in words of 8 bytes in bits 31:16) and no other levels", unit=Unit.STREAM)
    yield _row("xlevels", "Xipu", 0x100B | 1 << 25, whole, StreamOp.LEVELS, "-xx-", I.RD,
               "stream, rs1, rs2", "add levels 1 = rs1 and 2 = rs2 (a count of 0 is as 1) to the "
               "stream just opened", unit=Unit.STREAM)
    yield _row("xrpt", "Xipu", 0x200B, OPCODE | FUNCT3 | RD, StreamOp.REPEAT, "-x--", I.I,
               "rs1, imm", "run the next imm instructions rs1 times", unit=Unit.STREAM)
    yield _row("xrand", "Xipu", 0x300B, whole | RS1 | RS2, RandomOp.NEXT, "p---", I.NONE, "vd",
               "vd = the thread's next 64 random bits", unit=Unit.RANDOM)
    yield _row("xseed", "Xipu", 0x300B | 1 << 25, whole, RandomOp.SEED, "-xx-", I.RD,
               "half, rs1, rs2", "half 0 or 1 of the thread's random state = rs2, rs1",
               unit=Unit.RANDOM)


def _simd_rows() -> Iterator[Instruction]:
    none, s = Immediate.NONE, SimdOp
    whole = OPCODE | FUNCT3 | FUNCT7
    binary = (
        ("add", "+", s.H4_ADD, s.S2_ADD), ("sub", "-", s.H4_SUB, s.S2_SUB),
        ("mul", "*", s.H4_MUL, s.S2_MUL), ("min", "min", s.H4_MIN, s.S2_MIN),
        ("max", "max", s.H4_MAX, s.S2_MAX), ("eq", "==", s.H4_EQ, s.S2_EQ),
        ("lt", "<", s.H4_LT, s.S2_LT), ("le", "<=", s.H4_LE, s.S2_LE),
    )  # fmt: skip
    for lanes, funct3, what in (("h4", 0, "four f16"), ("s2", 1, "two f32")):
        for funct7, (name, sign, *ops) in enumerate(binary):
            mask = "; all ones where it holds" if sign in ("==", "<", "<=") else ""
            yield _row(lanes + name, "Xipu", 0x2B | funct3 << 12 | funct7 << 25, whole,
                       ops[funct3], "ppp-", none, "vd, vs1, vs2",
                       f"{what}: vd = vs1 {sign} vs2{mask}", unit=Unit.SIMD, timing=REPLAY)
    for funct7, (name, text, op) in enumerate((
        ("xvand", "vs1 & vs2", s.AND), ("xvor", "vs1 | vs2", s.OR), ("xvxor", "vs1 ^ vs2", s.XOR),
        ("xvandn", "vs1 & ~vs2", s.ANDN),
    )):  # fmt: skip
        yield _row(name, "Xipu", 0x202B | funct7 << 25, whole, op, "ppp-", none, "vd, vs1, vs2",
                   f"vd = {text}", unit=Unit.SIMD, timing=REPLAY)
    for funct7, (name, files, syntax, text, op) in enumerate((
        ("h4narrow", "ppp-", "vd, vs1, vs2", "vd = the four f32 of vs1, vs2 as f16", s.NARROW),
        ("h4narrowr", "ppp-", "vd, vs1, vs2", "as h4narrow, rounded at random: up as often as the "
         "bits cut are far; takes 64 random bits", s.NARROW_RANDOM),
        ("s2widenl", "pp--", "vd, vs1", "vd = the low two f16 of vs1 as f32", s.WIDEN_LOW),
        ("s2widenh", "pp--", "vd, vs1", "vd = the high two f16 of vs1 as f32", s.WIDEN_HIGH),
        ("h4splat", "pf--", "vd, fs1", "vd = four times the low half of fs1", s.H4_SPLAT),
        ("s2splat", "pf--", "vd, fs1", "vd = twice fs1", s.S2_SPLAT),
        ("h4greatest", "fp--", "fd, vs1", "fd = the greatest of four f16, ones above it",
         s.H4_GREATEST),
        ("s2greatest", "fp--", "fd, vs1", "fd = the greater of two f32", s.S2_GREATEST),
    )):  # fmt: skip
        unused = 0 if files[2] == "p" else RS2
        yield _row(name, "Xipu", 0x302B | funct7 << 25, whole | unused, op, files, none, syntax,
                   text, unit=Unit.SIMD, timing=REPLAY)
    for funct7, (name, op) in enumerate((
        ("exp", s.H4_EXP), ("log", s.H4_LOG), ("tanh", s.H4_TANH), ("sigmoid", s.H4_SIGMOID),
        ("recip", s.H4_RECIP), ("rsqrt", s.H4_RSQRT), ("sqrt", s.H4_SQRT),
    )):  # fmt: skip
        yield _row(f"h4{name}", "Xipu", 0x402B | funct7 << 25, whole | RS2, op, "pp--", none,
                   "vd, vs1", f"four f16: vd = {name}(vs1), correctly rounded", unit=Unit.SIMD,
                   timing=REPLAY)
    fused = OPCODE | FUNCT3 | FMT
    for funct3, (name, files, syntax, text, op) in enumerate((
        ("h4madd", "pppp", "vd, vs1, vs2, vs3", "four f16: vd = vs1 * vs2 + vs3, rounded once",
         s.H4_MADD),
        ("s2madd", "pppp", "vd, vs1, vs2, vs3", "two f32: vd = vs1 * vs2 + vs3, rounded once",
         s.S2_MADD),
        ("xvsel", "pppp", "vd, vs1, vs2, vs3", "vd = vs2 where the bits of vs1 are 1, else vs3",
         s.SELECT),
        ("h4sum", "fp-f", "fd, vs1, fs3", "f32: fd = fs3 + ((a0 + a1) + (a2 + a3)) of the four f16 "
         "in vs1", s.H4_SUM),
        ("s2sum", "fp-f", "fd, vs1, fs3", "f32: fd = fs3 + (a0 + a1) of the two f32 in vs1",
         s.S2_SUM),
        ("h4dot", "fppf", "fd, vs1, vs2, fs3", "f32: fd = fs3 + ((a0*b0 + a1*b1) + (a2*b2 + a3*b3))"
         " of the f16 in vs1 and vs2", s.H4_DOT),
    )):  # fmt: skip
        unused = 0 if files[2] == "p" else RS2
        yield _row(name, "Xipu", 0x5B | funct3 << 12, fused | unused, op, files, none, syntax,
                   text, unit=Unit.SIMD, timing=REPLAY)


def _amp_rows() -> Iterator[Instruction]:
    none, a = Immediate.NONE, AmpOp
    whole = OPCODE | FUNCT3 | FUNCT7
    for funct7, (name, files, syntax, text, op) in enumerate((
        ("xampset", "-xx-", "rs1, rs2", "rows of rs1 groups; weights are loaded from word rs2 on; "
         "no partials, no results", a.SET),
        ("xampload", "-pp-", "vs1, vs2", "the next two words of the weights = vs1, vs2", a.LOAD),
        ("xampin", "-p--", "vs1", "the next two partials of the next row = vs1", a.IN),
        ("xampout", "p---", "vd", "vd = the next two results", a.OUT),
        ("xampoutn", "p---", "vd", "vd = the next four results as f16", a.OUT_NARROW),
        ("xamph", "pp--", "vd, vs1", "f16: multiply a group; vd = the next two results", a.H),
        ("xamphp", "ppp-", "vd, vs1, vs2", "as xamph; the next two partials = vs2", a.H_PARTIAL),
        ("xamphn", "pp--", "vd, vs1", "as xamph; vd = the next four results as f16", a.H_NARROW),
        ("xamphpn", "ppp-", "vd, vs1, vs2", "as xamphp; vd = the next four results as f16",
         a.H_PARTIAL_NARROW),
        ("xamps", "pp--", "vd, vs1", "f32: multiply one of the two in vs1; vd = the next two "
         "results", a.S),
        ("xampsp", "ppp-", "vd, vs1, vs2", "as xamps; the next two partials = vs2", a.S_PARTIAL),
        ("xamppair", "-pp-", "output, vs1, vs2", "f16: output += vs1 * its weights, output + 1 += "
         "vs2 * its weights", a.PAIR),
        ("xampturn", "----", "", "end a row of xamppair", a.TURN),
    )):  # fmt: skip
        unused = sum(
            bits for letter, bits in zip(files[:3], (RD, RS1, RS2), strict=True) if letter == "-"
        )
        immediate = none
        if op is a.PAIR:
            unused, immediate = 0, Immediate.RD
        yield _row(name, "Xipu", 0x7B | funct7 << 25, whole | unused, op, files, immediate, syntax,
                   text, unit=Unit.AMP, timing=REPLAY)


INSTRUCTIONS: tuple[Instruction, ...] = tuple(_rows())
"""Every instruction, in the manual's order."""

BY_NAME: dict[str, Instruction] = {row.name: row for row in INSTRUCTIONS}
"""The same, by mnemonic."""


class Csr(py_enum.IntEnum):
    """Control and status registers that exist; any other number is an illegal instruction.

    Each context has its own, but for mcycle (the tile's). Those marked 0 read as zero and ignore
    writes. Writing a read-only one (number >= 0xC00) is an illegal instruction.
    """

    FFLAGS = 0x001
    FRM = 0x002
    FCSR = 0x003
    MSTATUS = 0x300  #: MIE, MPIE writable; MPP = 3 (machine), FS = 3 (dirty), SD = 1 constant
    MISA = 0x301  #: constant: RV32IMF and X
    MIE = 0x304  #: 0
    MTVEC = 0x305  #: direct mode; bits 1:0 read as zero; 0 means traps go to the host
    MSTATUSH = 0x310  #: 0
    MCOUNTINHIBIT = 0x320  #: 0
    MSCRATCH = 0x340
    MEPC = 0x341  #: bits 1:0 read as zero
    MCAUSE = 0x342
    MTVAL = 0x343
    MIP = 0x344  #: 0
    MCYCLE = 0xB00  #: cycles since the chip was started; writes are ignored
    MINSTRET = 0xB02  #: instructions this context retired; writes are ignored
    MCYCLEH = 0xB80
    MINSTRETH = 0xB82
    CYCLE = 0xC00  #: mcycle
    TIME = 0xC01  #: mcycle
    INSTRET = 0xC02  #: minstret
    CYCLEH = 0xC80
    TIMEH = 0xC81
    INSTRETH = 0xC82
    MVENDORID = 0xF11  #: 0
    MARCHID = 0xF12  #: 0
    MIMPID = 0xF13  #: 0
    MHARTID = 0xF14  #: tile * 16 + context; workers are contexts 0.., the supervisor comes last
    MCONFIGPTR = 0xF15  #: 0


MISA_VALUE = 1 << 30 | 1 << (ord("I") - 65) | 1 << (ord("M") - 65) | 1 << (ord("F") - 65) | (
    1 << (ord("X") - 65)
)
MSTATUS_CONSTANT = 1 << 31 | 3 << 13 | 3 << 11  #: SD, FS, MPP
MSTATUS_WRITABLE = 1 << 7 | 1 << 3  #: MPIE, MIE


def immediate_of(kind: Immediate, word: int) -> int:
    """Return the immediate in an instruction word as a signed int (unsigned for SHIFT and RD)."""

    def signed(value: int, bits: int) -> int:
        return value - ((value >> (bits - 1)) << bits)

    match kind:
        case Immediate.I:
            return signed(word >> 20, 12)
        case Immediate.S:
            return signed((word >> 25) << 5 | (word >> 7 & 31), 12)
        case Immediate.B:
            return signed(
                (word >> 31) << 12 | (word >> 7 & 1) << 11 | (word >> 25 & 63) << 5
                | (word >> 8 & 15) << 1, 13)  # fmt: skip
        case Immediate.U:
            return signed(word >> 12, 20) << 12
        case Immediate.J:
            return signed(
                (word >> 31) << 20 | (word >> 12 & 255) << 12 | (word >> 20 & 1) << 11
                | (word >> 21 & 1023) << 1, 21)  # fmt: skip
        case Immediate.SHIFT:
            return word >> 20 & 31
        case Immediate.RD:
            return word >> 7 & 31
        case _:
            return 0


def _place(kind: Immediate, value: int) -> int:
    """Return the instruction bits that hold an immediate."""
    v = value & 0xFFFF_FFFF
    match kind:
        case Immediate.I:
            return (v & 0xFFF) << 20
        case Immediate.S:
            return (v >> 5 & 127) << 25 | (v & 31) << 7
        case Immediate.B:
            return ((v >> 12 & 1) << 31 | (v >> 5 & 63) << 25 | (v >> 1 & 15) << 8
                    | (v >> 11 & 1) << 7)  # fmt: skip
        case Immediate.U:
            return v & 0xFFFF_F000
        case Immediate.J:
            return ((v >> 20 & 1) << 31 | (v >> 1 & 1023) << 21 | (v >> 11 & 1) << 20
                    | (v >> 12 & 255) << 12)  # fmt: skip
        case Immediate.SHIFT:
            return (v & 31) << 20
        case Immediate.RD:
            return (v & 31) << 7
        case _:
            return 0


_RANGES = {
    Immediate.I: (-(1 << 11), 1 << 12, 1),  # up to 0xFFF, so that CSR numbers fit
    Immediate.S: (-(1 << 11), 1 << 11, 1),
    Immediate.B: (-(1 << 12), 1 << 12, 2),
    Immediate.U: (-(1 << 31), 1 << 32, 1 << 12),
    Immediate.J: (-(1 << 20), 1 << 20, 2),
    Immediate.SHIFT: (0, 32, 1),
    Immediate.RD: (0, 32, 1),
    Immediate.NONE: (0, 1, 1),
}


def encode(
    name: str, *, rd: int = 0, rs1: int = 0, rs2: int = 0, rs3: int = 0, imm: int = 0, rm: int = 7
) -> int:
    """Return the 32-bit word of an instruction.

    `imm` is the immediate's value: a byte offset for branches, the number that ends up in the upper
    20 bits (already shifted) for lui and auipc, the CSR's number for csr instructions (whose
    uimm is `rs1`), the rd-field number for Xipu. `rm` is used where the instruction rounds.
    Raises KeyError for an unknown name, ValueError for an immediate or register out of range.
    """
    row = BY_NAME[name]
    for what, value in (("rd", rd), ("rs1", rs1), ("rs2", rs2), ("rs3", rs3)):
        if not 0 <= value < 32:
            raise ValueError(f"{name} {what} must be from 0 to 31, not {value!r}")
    low, high, step = _RANGES[row.immediate]
    if not low <= imm < high or imm % step:
        raise ValueError(
            f"{name} imm must be a multiple of {step} from {low} to {high - step}, not {imm!r}"
        )
    fields = rd << 7 | rs1 << 15 | rs2 << 20 | rs3 << 27 | (rm << 12 if row.rounds else 0)
    return row.match | (fields | _place(row.immediate, imm)) & ~row.mask & 0xFFFF_FFFF


def decode(word: int) -> Instruction | None:
    """Return the table's row for an instruction word, or None where it is illegal."""
    for row in _BY_OPCODE.get(word & OPCODE, ()):
        if word & row.mask == row.match:
            return row
    return None


def pairs_legal(row: Instruction, word: int) -> bool:
    """Tell whether the PAIR operands of an instruction word name register pairs and streams."""
    sources = ((row.rs1, word >> 15), (row.rs2, word >> 20), (row.rs3, word >> 27))
    target = word >> 7 & 31
    return all(
        n % 2 == 0 or STREAMS.get(n & 31) in (0, 1) for file, n in sources if file is File.PAIR
    ) and (row.rd is not File.PAIR or target % 2 == 0 or STREAMS.get(target) == 2)


_BY_OPCODE: dict[int, list[Instruction]] = {}
for _instruction in INSTRUCTIONS:
    _BY_OPCODE.setdefault(_instruction.match & OPCODE, []).append(_instruction)


def disassemble(word: int, pc: int = 0) -> str:
    """Return an instruction word as assembler text; `.word 0x...` where it is illegal."""
    row = decode(word)
    if row is None:
        return f".word {word:#010x}"
    imm = immediate_of(row.immediate, word)
    values = {
        "rd": f"x{word >> 7 & 31}", "rs1": f"x{word >> 15 & 31}", "rs2": f"x{word >> 20 & 31}",
        "fd": f"f{word >> 7 & 31}", "fs1": f"f{word >> 15 & 31}", "fs2": f"f{word >> 20 & 31}",
        "fs3": f"f{word >> 27 & 31}", "target": f"{(pc + imm) & 0xFFFF_FFFF:#x}",
        "imm": hex((imm & 0xFFFF_FFFF) >> 12) if row.immediate is Immediate.U else str(imm),
        "csr": _csr_name(word >> 20), "uimm": str(word >> 15 & 31),
        "worker": str(imm), "zone": str(imm), "code": str(imm), "stream": str(imm),
        "half": str(imm), "output": str(imm),
        "vd": _pair_name(word >> 7 & 31), "vs1": _pair_name(word >> 15 & 31),
        "vs2": _pair_name(word >> 20 & 31), "vs3": _pair_name(word >> 27 & 31),
    }  # fmt: skip
    operands = ", ".join(
        f"{values['imm']}({values[part[4:-1]]})" if part.startswith("imm(") else values[part]
        for part in row.syntax.split(", ")
        if part
    )
    return f"{row.name} {operands}".rstrip()


def _pair_name(number: int) -> str:
    """Return how the assembler writes a PAIR operand."""
    return ("in0", "in1", "out")[STREAMS[number]] if number in STREAMS else f"f{number}"


def _csr_name(number: int) -> str:
    return Csr(number).name.lower() if number in Csr.__members__.values() else f"{number:#x}"
