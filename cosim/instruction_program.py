"""For each instruction a program that tries it with corner values, to compare in lock-step.

The supervisor starts all workers on the same code, each with its part of a table of operands in
memory. What an instruction did shows in the trace: the registers that it and the CSR reads after it
write. Instructions that trap go on through a handler. xtrap, which can't, is not tried here.
"""

import random
from collections.abc import Callable

from openipu.cosim.program import (
    COMPARABLE_CSRS,
    CORNERS,
    COUNTER,
    DATA,
    RETURN,
    SCRATCH,
    Assembler,
    Program,
    corner_or_random,
    place,
)
from openipu.rtl.config import ChipConfig
from openipu.rtl.isa import Csr, File, Immediate, Instruction, SystemOp, ThreadOp, Unit, Zone

A, B, C = 5, 6, 7  #: x and f registers that get the operands
RESULT = 8  #: and the one that gets the result
OTHER = 9
ENTRY = 12  #: bytes of an entry of the table: A, B, C
CODE, TABLE = 0x400, 0x2000  #: where the workers' code and the table are; the supervisor is at 0
WINDOW = 64  #: bytes at the end of the memory that a worker may store to
IMMEDIATES = {
    Immediate.I: (0, 1, -1, 5, 31, 32, 0x555, -0x556, 2047, -2048),
    Immediate.SHIFT: (0, 1, 5, 16, 30, 31),
    Immediate.U: tuple(v << 12 for v in (0, 1, 0x7FFFF, 0x80000, 0xFFFFF, 0xAAAAA, 0x55555)),
}
_OFFSETS = (0, 1, -1, 2047, -2048)
_MISSING_CSRS = (0x000, 0x004, 0x306, 0x3A0, 0x3B0, 0x7C0, 0xB03, 0xC03, 0xFFF)


def instruction_program(
    row: Instruction, config: ChipConfig, *, entries: int = 600, seed: int = 0
) -> Program:
    """Return the program that tries an instruction with that many operand tuples.

    Raises ValueError if it doesn't fit into the memory.
    """
    pick = random.Random(f"{seed} {row.name}")
    tile = config.tile
    image = bytearray(tile.memory_bytes)
    each = -(-entries // tile.slots)
    end = tile.memory_bytes - tile.slots * WINDOW
    boss = Assembler(0)
    boss.handler()
    for worker in range(tile.slots):
        window = tile.memory_bytes - (worker + 1) * WINDOW
        at = TABLE + worker * each * ENTRY
        place(image, at, _table(row, pick, each, window, tile.memory_bytes), end)
        boss.constant(A, CODE)
        boss.constant(B, at)
        boss.emit("xstart", imm=worker, rs1=A, rs2=B)
    _supervise(boss, row, tile.slots)
    boss.emit("xwait")
    boss.emit("xend")
    place(image, 0, boss.code, CODE)
    worker_code = _Worker(row, tile.memory_bytes)
    worker_code.loop(each)
    place(image, CODE, worker_code.code, TABLE)
    return Program(f"{row.name}, seed {seed}", config, bytes(image), tile.slots)


def _table(
    row: Instruction, pick: random.Random, count: int, window: int, memory_bytes: int
) -> bytes:
    """Return operands: half of them pairs of corners. A load's or store's A is an address."""
    words: list[int] = []
    for _ in range(count):
        a, b, c = (corner_or_random(pick) for _ in "abc")
        if pick.random() < 0.5:
            a, b = pick.choice(CORNERS), pick.choice((a, *CORNERS))
        if row.unit in (Unit.LOAD, Unit.STORE):
            a = window + pick.randrange(WINDOW) | pick.choice((0, 1 << 31))
            if pick.random() < 0.2:
                a = pick.choice((memory_bytes, 0x7FFF_FFFC, 0xFFFF_FFFC)) + pick.randrange(4)
        words += [a, b, c]
    return b"".join(word.to_bytes(4, "little") for word in words)


def _supervise(boss: Assembler, row: Instruction, slots: int) -> None:
    """Try what only the supervisor may do."""
    if row.op is ThreadOp.START:
        boss.emit("xstart", imm=1, rs1=A, rs2=B)  # once that worker is done
        for number in (slots, slots + 1, 15, 16, 31):
            boss.emit("xstart", imm=number, rs1=A, rs2=B)
    elif row.op is ThreadOp.WAIT:
        boss.emit("xwait")
    elif row.op in (ThreadOp.SYNC, ThreadOp.ARM):
        for zone in (Zone.CHIP.value, Zone.POD.value, Zone.HOST.value + 1, 31):
            boss.emit("xarm")
            boss.emit("xsync", imm=zone)


class _Worker(Assembler):
    """The workers' code for one instruction."""

    def __init__(self, row: Instruction, memory_bytes: int) -> None:
        super().__init__(CODE)
        self.row = row
        self.memory_bytes = memory_bytes

    def loop(self, count: int) -> None:
        """Go through the table from a0 on."""
        body: Callable[[], None] = {
            Unit.BRANCH: self.jalr if self.row.immediate is Immediate.I else self.branch,
            Unit.LOAD: self.access,
            Unit.STORE: self.access,
            Unit.CSR: self.csr,
            Unit.SYSTEM: self.system,
            Unit.THREAD: self.thread,
        }.get(self.row.unit, self.arithmetic)
        self.handler()
        self.emit("addi", rd=DATA, rs1=10)
        self.constant(COUNTER, count)
        start = self.here
        for number, register in enumerate((A, B, C)):
            self.emit("lw", rd=register, rs1=DATA, imm=4 * number)
            self.emit("flw", rd=register, rs1=DATA, imm=4 * number)
        body()
        self.emit("addi", rd=DATA, rs1=DATA, imm=ENTRY)
        self.emit("addi", rd=COUNTER, rs1=COUNTER, imm=-1)
        self.emit("beq", rs1=COUNTER, imm=8)
        self.emit("jal", imm=start - self.here)
        self.emit("xend")

    def one(self, *, rd: int = RESULT, rs1: int = A, imm: int = 0, rm: int = 7) -> None:
        """The instruction itself."""
        row = self.row
        self.emit(
            row.name, rd=0 if row.rd is File.NONE else rd,
            rs1=0 if row.rs1 is File.NONE else rs1, rs2=0 if row.rs2 is File.NONE else B,
            rs3=0 if row.rs3 is File.NONE else C, imm=imm, rm=rm,
        )  # fmt: skip

    def arithmetic(self) -> None:
        """All immediates, all rounding modes with their flags; x0, and a source as destination."""
        for imm in IMMEDIATES.get(self.row.immediate, (0,)):
            self.one(imm=imm)
        if self.row.unit is Unit.FPU:
            for rm in range(7) if self.row.rounds else ():
                self.emit("csrrw", rd=OTHER, imm=Csr.FFLAGS)
                self.one(rm=rm)
            self.emit("csrrw", rd=OTHER, imm=Csr.FFLAGS)
            if self.row.rounds:
                self.emit("csrrw", rs1=B, imm=Csr.FRM)
                self.one()
                self.emit("csrrw", rd=OTHER, imm=Csr.FCSR)
        self.one(rd=0)
        self.one(rd=A)
        self.one(rs1=B)

    def branch(self) -> None:
        """Forwards, backwards, and to where there is no instruction."""
        self.one(imm=4)
        self.one(imm=8)
        self.emit("addi", rd=OTHER, imm=1)
        self.emit("jal", imm=8)
        self.emit("jal", imm=8)
        self.one(imm=-4)
        for imm in (2, 6, -2):
            self.one(imm=imm)
        if self.row.immediate is Immediate.J:
            self.one(rd=0, imm=4)
            self.one(rd=RETURN, imm=(1 << 20) - 4)

    def jalr(self) -> None:
        """Always to the next instruction, whatever the offset; its low bits are dropped or trap."""
        for offset in (0, 1, 2, 3, 4, -4, 100, 2047, -2048):
            for low in range(4):
                self.emit("auipc", rd=A)
                distance = 16 - offset + low
                first = max(-2048, min(distance, 2047))
                self.emit("addi", rd=A, rs1=A, imm=first)
                self.emit("addi", rd=A, rs1=A, imm=distance - first)
                self.one(imm=offset, rd=(RESULT, 0, A)[low % 3])
        self.constant(A, self.memory_bytes)
        self.one(rd=RETURN)

    def access(self) -> None:
        """At address A, with all kinds of offsets."""
        for imm in _OFFSETS:
            self.constant(SCRATCH, -imm)
            self.emit("add", rd=SCRATCH, rs1=A, rs2=SCRATCH)
            self.one(rs1=SCRATCH, imm=imm)
        self.one(rd=0)
        self.one(rd=A)

    def csr(self) -> None:
        """All CSRs: those there are, those there aren't, those that may not be written."""
        sources = (0, 31) if self.row.rs1 is File.NONE else (0, A)
        for source in sources:
            for number in (*COMPARABLE_CSRS, *_MISSING_CSRS):
                self.emit(self.row.name, rd=RESULT, rs1=source, imm=number)
                self.emit("csrrs", rd=OTHER, imm=number)
            self.emit(self.row.name, rs1=source, imm=Csr.MCYCLE)
            self.emit(self.row.name, rs1=source, imm=Csr.CYCLE)
            self.emit("csrrs", rd=B, imm=Csr.MTVEC)
            self.emit(self.row.name, rd=RESULT, rs1=source, imm=Csr.MTVEC)
            self.emit("csrrw", rd=OTHER, rs1=B, imm=Csr.MTVEC)

    def system(self) -> None:
        """The instruction, with the interrupt enable bits as they come."""
        self.emit("csrrw", rs1=B, imm=Csr.MSTATUS)
        if self.row.op is SystemOp.MRET:
            self.emit("auipc", rd=SCRATCH)
            self.emit("addi", rd=SCRATCH, rs1=SCRATCH, imm=16)
            self.emit("csrrw", rs1=SCRATCH, imm=Csr.MEPC)
        self.one()
        self.emit("csrrs", rd=OTHER, imm=Csr.MSTATUS)

    def thread(self) -> None:
        """What the supervisor may do is illegal here."""
        if self.row.op not in (ThreadOp.END, ThreadOp.TRAP):
            for imm in (0, 1, 2, 31) if self.row.op in (ThreadOp.START, ThreadOp.SYNC) else (0,):
                self.one(imm=imm)
