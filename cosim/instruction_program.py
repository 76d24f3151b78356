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
from openipu.rtl.isa import (
    AmpOp,
    Csr,
    File,
    Immediate,
    Instruction,
    StreamOp,
    SystemOp,
    ThreadOp,
    Unit,
    Zone,
)

A, B, C = 5, 6, 7  #: x and f registers that get the operands
RESULT = 8  #: and the one that gets the result
OTHER = 9
WIDE_A, WIDE_B, WIDE_C = 12, 14, 16  #: f register pairs that get operands AB, BC and CA
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
    if row.unit is Unit.AMP:
        _load_weights(boss, tile.amp_words)
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


def _load_weights(boss: Assembler, words: int) -> None:
    """Fill the weights, which all threads share, with the first operands of the table."""
    boss.constant(A, TABLE)
    for number in range(4):
        boss.emit("flw", rd=WIDE_A + number, rs1=A, imm=4 * number)
    boss.constant(A, 1)
    boss.emit("xampset", rs1=A)
    boss.constant(A, words // 2)
    boss.emit("xrpt", rs1=A, imm=1)
    boss.emit("xampload", rs1=WIDE_A, rs2=WIDE_B)


def _supervise(boss: Assembler, row: Instruction, slots: int) -> None:
    """Try what only the supervisor may do."""
    if row.op is ThreadOp.START:
        boss.emit("xstart", imm=1, rs1=A, rs2=B)  # once that worker is done
        for number in (slots, slots + 1, 15, 16, 31):
            boss.emit("xstart", imm=number, rs1=A, rs2=B)
    elif row.op is ThreadOp.WAIT:
        boss.emit("xwait")
    elif row.op is ThreadOp.MEET:
        boss.emit("xmeet")
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
            Unit.STREAM: self.repeat if self.row.op is StreamOp.REPEAT else self.stream,
            Unit.SIMD: self.wide,
            Unit.RANDOM: self.wide,
            Unit.AMP: self.matrix,
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
        if self.row.unit in (Unit.FPU, Unit.FDIVIDE):
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

    def wide_operands(self) -> None:
        """Load the register pairs."""
        for pair, words in ((WIDE_A, (0, 1)), (WIDE_B, (1, 2)), (WIDE_C, (2, 0))):
            for half, word in enumerate(words):
                self.emit("flw", rd=pair + half, rs1=DATA, imm=4 * word)

    def wide_one(self, *, rd: int = RESULT, rs1: int = WIDE_A, rs2: int = WIDE_B) -> None:
        """The instruction itself, on pairs."""
        row = self.row
        if row.rs1 is File.X:
            rs1, rs2 = A, B
        self.emit(
            row.name, rd=0 if row.rd is File.NONE else rd,
            rs1=0 if row.rs1 is File.NONE else rs1, rs2=0 if row.rs2 is File.NONE else rs2,
            rs3=0 if row.rs3 is File.NONE else WIDE_C,
        )  # fmt: skip

    def open_streams(self) -> None:
        """Two words to read on each input; the operands, from where they are aligned."""
        self.emit("andi", rd=SCRATCH, rs1=DATA, imm=-8)
        self.constant(RETURN, 1 << 16 | 2)
        for number in range(2):
            self.emit("xstream", imm=number, rs1=SCRATCH, rs2=RETURN)

    def wide(self) -> None:
        """Of registers, of streams to their end and beyond, and with illegal operands."""
        self.wide_operands()
        self.wide_one()
        self.wide_one(rd=WIDE_A)
        if self.row.rd is File.PAIR:
            for rd in (1, 3, 5, 9):  # inputs, a finished output, no pair
                self.wide_one(rd=rd)
        self.wide_operands()
        self.open_streams()
        for rs1, rs2 in ((1, 3), (1, 1), (3, WIDE_B), (1, WIDE_B), (5, WIDE_B), (7, 9)):
            self.wide_one(rs1=rs1, rs2=rs2)
        if self.row.immediate is Immediate.RD:
            for imm in (1, 2, 31):
                self.emit(self.row.name, rs1=A, rs2=B, imm=imm)
        if self.row.unit is Unit.RANDOM:
            self.emit("xrand", rd=RESULT)

    def matrix(self) -> None:
        """Rows of two groups with partials from registers and streams, to their end and beyond."""
        self.wide_operands()
        self.constant(SCRATCH, 2)
        self.emit("xampset", rs1=SCRATCH)
        self.emit("xampin", rs1=WIDE_C)
        for turn in range(6):
            if turn == 3:
                self.open_streams()
            rs1, rs2 = ((WIDE_A, WIDE_B), (WIDE_C, WIDE_A), (1, 3))[turn % 3]
            if self.row.op is AmpOp.PAIR:
                for output in (0, 2, 14, 1, 16, 31):
                    self.emit(self.row.name, rs1=rs1, rs2=rs2, imm=output)
            elif self.row.op is not AmpOp.LOAD:  # which would change what others multiply with
                self.wide_one(rs1=rs1, rs2=rs2)
            self.emit("xampout", rd=OTHER + 1)
        self.emit("xamph", rd=RESULT, rs1=WIDE_A)
        self.emit("xampturn")
        for _ in range(5):
            self.emit("xampout", rd=RESULT)
        if self.row.op in (AmpOp.LOAD, AmpOp.SET):
            for rs1, rs2 in ((5, WIDE_A), (WIDE_A, 7)):
                self.wide_one(rs1=rs1, rs2=rs2)

    def stream(self) -> None:
        """Well-formed ones, and with whatever the operands are."""
        for imm in (0, 1, 2, 3, 31):
            self.one(imm=imm, rd=imm, rs1=A)
            if imm < 2:
                self.emit("xvor", rd=RESULT, rs1=2 * imm + 1, rs2=2 * imm + 1)
        self.open_streams()
        self.constant(SCRATCH, 2 << 16 | 2)
        self.constant(RETURN, 0xFFFF << 16 | 3)
        for number in range(2):
            self.emit("xlevels", imm=number, rs1=SCRATCH, rs2=RETURN)
        for _ in range(13):
            self.emit("xvor", rd=RESULT, rs1=1, rs2=3)

    def repeat(self) -> None:
        """Bodies of all kinds, from no iteration to three."""
        self.emit("addi", rd=RESULT)
        for times in range(4):
            self.constant(SCRATCH, times)
            for length in (1, 2, 3, 64):
                self.emit("xrpt", rs1=SCRATCH, imm=length)
                for number in range(length):
                    self.emit("addi", rd=RESULT, rs1=RESULT, imm=number + 1)
        for length in (0, 65, 0xFFF):
            self.emit("xrpt", rs1=SCRATCH, imm=length)
        self.emit("xrpt", rs1=SCRATCH, imm=4)
        self.emit("beq", imm=8)
        self.emit("jal", imm=8)
        self.emit("xrpt", rs1=SCRATCH, imm=1)
        self.emit("ecall")

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
