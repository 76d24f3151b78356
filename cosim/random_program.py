"""Random legal programs for one tile, to compare implementations in lock-step.

A program starts at address 0 in the supervisor, which starts all workers several times with
arguments, waits, synchronises and exchanges data with itself. Threads share no memory and read no
clock, so that what each retires doesn't depend on timing, but the banks that they meet in do. Traps
are deliberate: each thread has a handler, which goes on after the instruction.
"""

import random
from collections.abc import Callable

from openipu.cosim.program import (
    COMPARABLE_CSRS,
    COUNTER,
    DATA,
    HANDLER,
    HIGH_DATA,
    RETURN,
    SCRATCH,
    WRITABLE,
    Assembler,
    Program,
    corner_or_random,
    place,
)
from openipu.rtl.config import WORD_BYTES, ChipConfig, TileConfig
from openipu.rtl.isa import (
    INSTRUCTIONS,
    LOOP_BODY,
    AmpOp,
    Csr,
    File,
    Immediate,
    Instruction,
    MemoryOp,
    Op,
    SystemOp,
    ThreadOp,
    Unit,
    decode,
    encode,
)
from openipu.rtl.layouts import ExchangeEntry

DATA_BYTES = 256  #: each thread's own
CODE_ALIGN = 64
TABLE_BYTES = 64  #: of memory for an exchange table

_SIMPLE = [row for row in INSTRUCTIONS if row.unit in (Unit.ALU, Unit.MULTIPLY, Unit.DIVIDE)]
_FLOAT = [row for row in INSTRUCTIONS if row.unit in (Unit.FPU, Unit.FDIVIDE)]
_MEMORY = [row for row in INSTRUCTIONS if row.unit in (Unit.LOAD, Unit.STORE)]
_CSR = [row for row in INSTRUCTIONS if row.unit is Unit.CSR]
_BRANCH = [row for row in INSTRUCTIONS if row.immediate is Immediate.B]
_WIDE = [row for row in INSTRUCTIONS if row.unit in (Unit.SIMD, Unit.RANDOM) and File.PAIR in (
    row.rd, row.rs1)]  # fmt: skip
_MATRIX = [
    row for row in INSTRUCTIONS if row.unit is Unit.AMP and row.op not in (AmpOp.SET, AmpOp.LOAD)
]
_NOTHING = [row for row in INSTRUCTIONS if row.op is SystemOp.NOP]
_SUPERVISOR_ONLY = [
    row
    for row in INSTRUCTIONS
    if row.unit is Unit.THREAD and row.op not in (ThreadOp.END, ThreadOp.TRAP, ThreadOp.MEET)
]
_WIDTH: dict[Op, int] = {
    MemoryOp.BYTE: 1, MemoryOp.BYTE_UNSIGNED: 1, MemoryOp.HALF: 2, MemoryOp.HALF_UNSIGNED: 2,
    MemoryOp.HALF_BOXED: 2, MemoryOp.WORD: 4,
}  # fmt: skip


class _Thread(Assembler):
    """Writes one thread's program."""

    def __init__(
        self, pick: random.Random, config: TileConfig, context: int, base: int, data: int, *,
        streaming: bool,
    ) -> None:  # fmt: skip
        super().__init__(base)
        # Where the tile has not the unit, its instructions are just traps.
        wide = streaming * (30 if config.simd else 2)
        matrix = streaming * (20 if config.amp_outputs else 2)
        self.pick = pick
        self.config = config
        self.context = context
        self.data = data
        self.streaming = streaming
        self.kinds: tuple[tuple[Callable[[], None], int], ...] = (
            (self.simple, 30), (self.float, 25), (self.memory, 25), (self.csr, 6),
            (self.rounding, 2), (self.nothing, 1), (self.meet, 1), (self.trap, 2),
            (self.bad_memory, 2), (self.wide, wide), (self.stream, 6 * streaming),
            (self.seed, streaming), (self.matrix, matrix), (self.set_rows, 3 * streaming),
        )  # fmt: skip
        self.compound: tuple[tuple[Callable[[], None], int], ...] = (
            (self.branch, 10), (self.jal, 3), (self.jalr, 3), (self.loop, 3), (self.mret, 1),
            (self.bad_jump, 2), (self.patch, 1), (self.repeat, 6 * streaming),
        )  # fmt: skip

    def any_x(self) -> int:
        """Return the number of an x register to read."""
        return self.pick.randrange(32)

    def new_x(self) -> int:
        """Return the number of an x register that may be written."""
        return self.pick.choice(WRITABLE)

    def random_row(self, row: Instruction) -> None:
        """Append the instruction with random operands."""
        pick = self.pick
        rd = pick.randrange(32) if row.rd is File.F else self.new_x() if row.rd is File.X else 0
        imm = {
            Immediate.I: pick.choice((0, 1, -1, 2047, -2048, pick.randrange(-2048, 2048))),
            Immediate.U: pick.getrandbits(20) << 12,
            Immediate.SHIFT: pick.randrange(32),
        }.get(row.immediate, 0)
        rm = pick.choice((0, 1, 2, 3, 4, 7, 7, 7)) if pick.random() < 0.98 else 5
        self.emit(
            row.name, rd=rd, rs1=self.any_x() if row.rs1 is not File.NONE else 0,
            rs2=self.any_x() if row.rs2 is not File.NONE else 0,
            rs3=self.any_x() if row.rs3 is not File.NONE else 0, imm=imm, rm=rm,
        )  # fmt: skip

    def simple(self) -> None:
        """Integer arithmetic."""
        self.random_row(self.pick.choice(_SIMPLE))

    def float(self) -> None:
        """Floating point; now and then a corner value first, since results drift to infinity."""
        if self.pick.random() < 0.2:
            self.constant(SCRATCH, corner_or_random(self.pick))
            self.emit("fmv.w.x", rd=self.pick.randrange(32), rs1=SCRATCH)
        self.random_row(self.pick.choice(_FLOAT))

    def meet(self) -> None:
        """Wait for all workers to do so or to end; in the supervisor, that is illegal."""
        self.emit("xmeet")

    def pair(self, stream: int) -> int:
        """Return the number of a register pair, or the operand `stream`; seldom an illegal one."""
        if self.pick.random() < 0.4:
            return stream
        number = 2 * self.pick.randrange(16)
        return number + (self.pick.random() < 0.01)

    def wide(self) -> None:
        """An instruction on 64 bits, of registers and streams."""
        self.wide_row(self.pick.choice(_WIDE))

    def matrix(self) -> None:
        """An instruction of the matrix unit that leaves the weights, which all threads share."""
        output = self.pick.randrange(min(self.config.amp_outputs + 1, 32))  # the field's numbers
        self.wide_row(self.pick.choice(_MATRIX), imm=output & ~1 if output != 1 else 1)

    def set_rows(self) -> None:
        """New rows for the matrix unit, short ones mostly; seldom such as can't be."""
        pick, tile = self.pick, self.config
        good = pick.random() < 0.9
        groups = (1, 2, 3, 5, tile.amp_depth) if good else (0, tile.amp_depth + 1)
        self.constant(SCRATCH, pick.choice(groups))
        self.constant(RETURN, pick.choice((0, 2, tile.amp_words - 2, *(1, tile.amp_words)[good:])))
        self.emit("xampset", rs1=SCRATCH, rs2=RETURN)

    def weights(self) -> None:
        """Load all weights, while no other thread computes."""
        self.constant(SCRATCH, 1)
        self.emit("xampset", rs1=SCRATCH)
        for word in range(0, self.config.amp_words, 2):
            if word % 64 == 0:
                self.constant(SCRATCH, 1 << 16 | 32)
                self.emit("xstream", rs1=DATA, rs2=SCRATCH)
                self.constant(RETURN, 32)
                self.emit("xrpt", rs1=RETURN, imm=1)
                self.emit("xampload", rs1=1, rs2=2 * self.pick.randrange(16))

    def wide_row(self, row: Instruction, imm: int = 0) -> None:
        """Append an instruction with 64-bit operands."""
        pick = self.pick

        def operand(file: File) -> int:
            if file is File.PAIR:
                return self.pair(pick.choice((1, 3)))
            return 0 if file is File.NONE else self.any_x()

        rd = self.pair(5) if row.rd is File.PAIR else self.pick.randrange(32)
        if row.rd is File.NONE:
            rd = 0
        self.emit(
            row.name, rd=rd, rs1=operand(row.rs1), rs2=operand(row.rs2), rs3=operand(row.rs3),
            imm=imm if row.immediate is Immediate.RD else 0,
        )  # fmt: skip

    def seed(self) -> None:
        """A new random state, or half of it."""
        self.emit("xseed", imm=self.pick.choice((0, 1, 0, 1, 2)), rs1=self.any_x(),
                  rs2=self.any_x())  # fmt: skip

    def stream(self) -> None:
        """A stream over some of the thread's data; seldom misaligned, or outside the memory."""
        pick = self.pick
        base = pick.choice((DATA, HIGH_DATA))
        levels = self.levels()
        address = pick.choice([word for word in range(DATA_BYTES // 8) if _stays(word, levels)])
        words = [count | (step & 0xFFFF) << 16 for count, step in levels]
        number = pick.choice((0, 1, 2, 2)) if pick.random() < 0.98 else 3
        misaligned = pick.random() < 0.02
        self.emit("addi", rd=SCRATCH, rs1=base, imm=8 * address + 4 * misaligned)
        outside = pick.random() < 0.02
        if outside:
            addresses = (self.config.memory_bytes, 0x7FFF_FFF8, 0xFFFF_F000)
            self.constant(SCRATCH, pick.choice(addresses))
        self.constant(RETURN, words[0])
        self.emit("xstream", imm=number, rs1=SCRATCH, rs2=RETURN)
        # If this one isn't opened, the levels would be those of the one before, which may be long.
        if len(levels) > 1 and not (misaligned or outside):
            self.constant(SCRATCH, words[1])
            self.constant(RETURN, words[2])
            self.emit("xlevels", imm=number, rs1=SCRATCH, rs2=RETURN)

    def levels(self) -> list[tuple[int, int]]:
        """Return counts and steps of one level or three, for which there is room in the data."""
        pick = self.pick
        while True:
            counts = (0, 1, 2, 3, 5, 9, 20)
            levels = [
                (pick.choice(counts), pick.choice((-9, -3, -2, -1, 0, 1, 1, 1, 1, 2, 3, 7)))
                for _ in range(pick.choice((1, 3)))
            ]
            if any(_stays(word, levels) for word in range(DATA_BYTES // 8)):
                return levels

    def repeat(self) -> None:
        """A hardware loop; now and then a bad one, or with a branch in its body."""
        pick = self.pick
        self.constant(SCRATCH, pick.choice((0, 1, 1, 2, 3, 5)))
        at = len(self.words)
        self.words.append(0)
        self.items(1, 5)
        nested = pick.random() < 0.05
        if nested:  # it is no trap, and so must end, where the loop around it has none
            self.emit("addi", rd=SCRATCH, imm=1)
        if pick.random() < 0.1:
            # Where the loop isn't there, since its length is bad, it skips the next instruction: of
            # an item that is several, it would be the one that sets the address.
            self.emit(pick.choice(("beq", "jal")), imm=8)
            self.emit("addi")
        if nested:
            self.emit("xrpt", rs1=SCRATCH, imm=1)
        self.item()
        length = len(self.words) - at - 1
        if pick.random() < 0.05 or length > LOOP_BODY:
            length = pick.choice((0, LOOP_BODY + 1, 0xFFF))
        self.words[at] = encode("xrpt", rs1=SCRATCH, imm=length)

    def memory(self) -> None:
        """An aligned access to the thread's data."""
        row = self.pick.choice(_MEMORY)
        base = self.pick.choice((DATA, HIGH_DATA))
        self.access(row, base, self.pick.randrange(0, DATA_BYTES, _WIDTH[row.op]))

    def access(self, row: Instruction, base: int, offset: int) -> None:
        """Append a load or store."""
        rd = self.pick.randrange(32) if row.rd is File.F else self.new_x()
        self.emit(row.name, rd=rd if row.unit is Unit.LOAD else 0, rs1=base,
                  rs2=self.any_x() if row.unit is Unit.STORE else 0, imm=offset)  # fmt: skip

    def bad_memory(self) -> None:
        """A misaligned access, or one outside the memory."""
        row = self.pick.choice(_MEMORY)
        if self.pick.random() < 0.5:
            self.access(row, DATA, self.pick.randrange(DATA_BYTES))
            return
        end = self.config.memory_bytes
        bad = (end, end | 0x8000_0000, 0x4000_0000, 0x7FFF_FFFC, 0xFFFF_FFFC, end * 2)
        self.constant(SCRATCH, self.pick.choice(bad))
        self.access(row, SCRATCH, self.pick.randrange(0, 4))

    def csr(self) -> None:
        """An access to a CSR; some must not be written, so that is a trap."""
        row, number = self.pick.choice(_CSR), self.pick.choice(COMPARABLE_CSRS)
        self.emit(row.name, rd=self.new_x(), rs1=self.any_x(), imm=number)

    def rounding(self) -> None:
        """A legal rounding mode again."""
        self.emit("csrrwi", rs1=self.pick.randrange(5), imm=Csr.FRM)

    def nothing(self) -> None:
        """Fences and the like."""
        self.emit(self.pick.choice(_NOTHING).name)

    def trap(self) -> None:
        """What traps whatever the operands."""
        kind = self.pick.randrange(5)
        if kind == 0:
            self.emit(self.pick.choice(("ecall", "ebreak")))
        elif kind == 1:
            word = self.pick.getrandbits(32)
            self.words.append(word if decode(word) is None else 0)
        elif kind == 2:
            missing = self.pick.choice((0x000, 0x004, 0x100, 0x306, 0x3A0, 0x7C0, 0xC03, 0xFFF))
            self.emit("csrrs", rd=self.new_x(), rs1=self.any_x(), imm=missing)
        elif self.context < self.config.slots:
            row = self.pick.choice(_SUPERVISOR_ONLY)
            self.emit(row.name, rs1=0 if row.rs1 is File.NONE else self.any_x(),
                      rs2=0 if row.rs2 is File.NONE else self.any_x())  # fmt: skip
        else:
            self.emit("xstart", imm=self.pick.randrange(self.config.slots, 32))

    def item(self) -> None:
        """One instruction, or what belongs together, without a jump."""
        makers, weights = zip(*self.kinds, strict=True)
        self.pick.choices(makers, weights)[0]()

    def items(self, low: int, high: int) -> None:
        """Several of them."""
        for _ in range(self.pick.randint(low, high)):
            self.item()

    def body(self, instructions: int) -> None:
        """Straight code, branches, jumps and loops, that many instructions at least."""
        makers, weights = zip(*self.kinds, *self.compound, strict=True)
        end = len(self.words) + instructions
        while len(self.words) < end:
            self.pick.choices(makers, weights)[0]()

    def over(self, name: str, *, rd: int = 0, rs1: int = 0, rs2: int = 0) -> None:
        """A branch or jal over some items."""
        at = len(self.words)
        self.words.append(0)
        self.items(0, 4)
        distance = 4 * (len(self.words) - at)
        self.words[at] = encode(name, rd=rd, rs1=rs1, rs2=rs2, imm=distance)

    def branch(self) -> None:
        """A forward branch."""
        row, rs1 = self.pick.choice(_BRANCH), self.any_x()
        self.over(row.name, rs1=rs1, rs2=self.pick.choice((rs1, self.any_x(), self.any_x())))

    def jal(self) -> None:
        """A forward jump."""
        self.over("jal", rd=self.new_x())

    def jalr(self) -> None:
        """A forward jump through a register; bit 0 of the target is dropped."""
        self.emit("auipc", rd=SCRATCH)
        at = len(self.words)
        self.words.append(0)
        self.items(0, 4)
        distance = 4 * (len(self.words) - at + 1) + self.pick.randrange(2)
        self.words[at] = encode("jalr", rd=self.new_x(), rs1=SCRATCH, imm=distance)

    def mret(self) -> None:
        """A forward jump by mret."""
        self.emit("auipc", rd=SCRATCH)
        self.emit("addi", rd=SCRATCH, rs1=SCRATCH, imm=16)
        self.emit("csrrw", rs1=SCRATCH, imm=Csr.MEPC)
        self.emit("mret")

    def bad_jump(self) -> None:
        """A jump to a misaligned target, or outside."""
        kind = self.pick.randrange(3)
        if kind == 0:
            self.emit("jal", rd=self.new_x(), imm=self.pick.choice((2, 6, -2)))
        elif kind == 1:
            self.emit("beq", imm=self.pick.choice((2, 6, -2)))
        else:
            self.constant(SCRATCH, self.pick.choice((0x4000_0000, self.config.memory_bytes)))
            self.emit("jalr", rd=RETURN, rs1=SCRATCH, imm=4 * self.pick.randrange(8))

    def loop(self) -> None:
        """A counted loop."""
        self.emit("addi", rd=COUNTER, imm=self.pick.randint(1, 5))
        start = len(self.words)
        self.items(1, 6)
        self.emit("addi", rd=COUNTER, rs1=COUNTER, imm=-1)
        self.emit("bne", rs1=COUNTER, imm=-4 * (len(self.words) - start))

    def patch(self) -> None:
        """Store the instruction that comes next."""
        new = encode("addi", rd=self.new_x(), rs1=self.any_x(), imm=self.pick.randrange(-99, 99))
        self.constant(SCRATCH, new)
        self.emit("auipc", rd=RETURN)
        self.emit("sw", rs1=RETURN, rs2=SCRATCH, imm=12)
        self.emit("fence.i")
        self.words.append(0)

    def prologue(self) -> None:
        """The handler, behind a jump over it, then all registers; a worker keeps its argument."""
        self.handler()
        self.constant(DATA, self.data)
        self.constant(HIGH_DATA, self.data | 0x8000_0000)
        for number in range(32):
            self.emit("flw", rd=number, rs1=DATA, imm=4 * number)
        for number in WRITABLE:
            if number and (number != 10 or self.context == self.config.slots):
                self.emit("lw", rd=number, rs1=DATA, imm=4 * (32 + number))
        for number in (RETURN, HANDLER, SCRATCH, COUNTER):
            self.emit("addi", rd=number)

    def epilogue(self) -> None:
        """Show the flags and end."""
        self.emit("csrrs", rd=1, imm=Csr.FCSR)
        self.emit("xend")


class _Supervisor(_Thread):
    """The thread that starts the others; its exchange tables are written into `image`."""

    def run_workers(self, entries: list[int]) -> None:
        """Start some workers; one that runs still is waited for."""
        for worker in self.pick.sample(range(len(entries)), self.pick.randint(1, len(entries))):
            self.constant(SCRATCH, entries[worker])
            self.emit("xstart", imm=worker, rs1=SCRATCH, rs2=self.any_x())

    def exchange(self, tables: int) -> None:
        """Meet the barrier with an exchange; its tables are at `tables`, send before receive."""
        if self.streaming:  # a word pushed into the bank that receives would be a trap
            self.emit("xwait")
        self.constant(SCRATCH, tables)
        self.constant(RETURN, tables + TABLE_BYTES)
        self.emit("xarm", rs1=SCRATCH, rs2=RETURN)
        self.items(0, 3)
        self.emit("xsync", imm=self.pick.randrange(2))

    def tables(self, config: ChipConfig) -> bytes:
        """Return a send and a receive table within the thread's data, for its own bus."""
        send, receive = b"", b""
        sent = received = 0  # the last cycles of each
        for _ in range(self.pick.randint(1, TABLE_BYTES // WORD_BYTES - 1)):
            gap, count = self.pick.choice((0, 0, 1, 2, 9)), self.pick.randint(2, 8)
            send += self._entry(gap, count)
            first = sent + gap + 1 + config.exchange_latency
            sent += gap + count
            if self.pick.random() < 0.8:
                count = self.pick.randint(2, count)
                receive += self._entry(first - received - 1, count)
                received = first + count - 1
        return send.ljust(TABLE_BYTES, b"\0") + receive.ljust(TABLE_BYTES, b"\0")

    def _entry(self, gap: int, count: int) -> bytes:
        bus_bytes = self.config.bus_bytes
        stride = self.pick.choice((-2, -1, 0, 1, 1, 2))
        low = max(0, -stride * (count - 1))
        high = DATA_BYTES // bus_bytes - max(0, stride * (count - 1))
        address = (self.data + bus_bytes * self.pick.randrange(low, high)) // 4
        entry = ExchangeEntry.const(
            {"gap": gap, "count": count, "address": address, "stride": stride}
        )
        return int(entry.as_value().value).to_bytes(WORD_BYTES, "little")


def random_program(
    seed: int, config: ChipConfig, *, instructions: int = 150, rounds: int = 2
) -> Program:
    """Return the program of that seed; threads have some `instructions` besides their set-up.

    Raises ValueError if it doesn't fit into the memory.
    """
    pick = random.Random(seed)
    tile = config.tile
    streaming = pick.random() < 0.8
    image = bytearray(tile.memory_bytes)
    end = tile.memory_bytes - DATA_BYTES * tile.contexts
    image[end:] = b"".join(
        corner_or_random(pick).to_bytes(4, "little") for _ in range(end, tile.memory_bytes, 4)
    )
    entries: list[int] = []
    # The supervisor comes at 0, which is why its size must be known before: workers go behind it.
    loading = tile.amp_words // 8
    tables = _aligned(4 * (150 + loading + rounds * (tile.slots * 3 + instructions + 70)))
    at = tables + rounds * 2 * TABLE_BYTES
    for worker in range(tile.slots):
        data = end + DATA_BYTES * worker
        thread = _Thread(pick, tile, worker, at, data, streaming=streaming)
        thread.prologue()
        thread.body(instructions)
        thread.epilogue()
        place(image, thread.base, thread.code, end)
        entries.append(at)
        # Spread over the banks when there is room, so that not all fetches meet in one.
        at = _aligned(thread.here + pick.choice((0, 0, (end - thread.here) // (2 * tile.slots))))
    data = end + DATA_BYTES * tile.slots
    boss = _Supervisor(pick, tile, tile.slots, 0, data, streaming=streaming)
    boss.prologue()
    if streaming and tile.amp_outputs:
        boss.weights()
    for number in range(rounds):
        where = tables + number * 2 * TABLE_BYTES
        boss.body(instructions // 4)
        boss.run_workers(entries)
        boss.body(instructions // 2)
        if pick.random() < 0.7:
            boss.exchange(where)
            place(image, where, boss.tables(config), entries[0])
        boss.body(instructions // 4)
        boss.emit(pick.choice(("xwait", "xsync")))
    boss.emit("xwait")
    boss.epilogue()
    place(image, 0, boss.code, tables)
    return Program(f"seed {seed}", config, bytes(image), tile.slots)


def _stays(word: int, levels: list[tuple[int, int]]) -> bool:
    """Tell whether a stream from that word of a thread's data on stays in it."""
    words = [0]
    for count, step in levels:
        iteration = words
        for _ in range(count - 1):
            first = words[-1] + step
            words = words + [first + offset for offset in iteration]
    return 0 <= word + min(words) and word + max(words) < DATA_BYTES // 8


def _aligned(address: int) -> int:
    return -(-address // CODE_ALIGN) * CODE_ALIGN
