import random

import pytest
from amaranth.sim import Simulator

from openipu.rtl.config import TileConfig
from openipu.rtl.isa import MISA_VALUE, MSTATUS_CONSTANT, MSTATUS_WRITABLE, Csr, CsrOp
from openipu.rtl.tile.csr import CSRFile

STORED = {
    Csr.MTVEC: 0xFFFF_FFFC, Csr.MEPC: 0xFFFF_FFFC, Csr.MCAUSE: 0xFFFF_FFFF,
    Csr.MTVAL: 0xFFFF_FFFF, Csr.MSCRATCH: 0xFFFF_FFFF, Csr.FFLAGS: 31, Csr.FRM: 7, Csr.FCSR: 255,
    Csr.MSTATUS: MSTATUS_WRITABLE,
}  # fmt: skip


def simulate(bench, config=TileConfig(), tile_id=0):  # noqa: B008 - frozen
    dut = CSRFile(config)

    async def process(ctx):
        ctx.set(dut.tile_id, tile_id)
        ctx.set(dut.run, 1)
        await bench(ctx, dut)

    simulator = Simulator(dut)
    simulator.add_clock(1e-6)
    simulator.add_testbench(process)
    simulator.run()


async def access(ctx, dut, thread, number, op=CsrOp.SET, value=0, source=None):
    """Execute a CSR instruction; return what it read, or None if it is illegal."""
    source = (1 if value else 0) if source is None else source
    for signal, given in (
        (dut.x_thread, thread), (dut.x_number, number), (dut.x_op, op), (dut.x_value, value),
        (dut.x_source, source), (dut.x_access, 1),
    ):  # fmt: skip
        ctx.set(signal, given)
    illegal, read = ctx.get(dut.x_illegal), ctx.get(dut.x_read)
    ctx.set(dut.x_retire, not illegal)
    await ctx.tick()
    ctx.set(dut.x_access, 0)
    ctx.set(dut.x_retire, 0)
    return None if illegal else read


@pytest.mark.parametrize("slots", [4, 6, 8])
def test_random_accesses_of_all_threads(slots):
    config = TileConfig(slots=slots)
    seed = random.randrange(1 << 32)
    print(f"seed {seed}")
    rng = random.Random(seed)
    state = {}

    def get(thread, number):
        if number is Csr.FCSR:
            return state.get((thread, Csr.FRM), 0) << 5 | state.get((thread, Csr.FFLAGS), 0)
        constant = MSTATUS_CONSTANT if number is Csr.MSTATUS else 0
        return state.get((thread, number), 0) | constant

    def put(thread, number, value):
        if number is Csr.FCSR:
            state[thread, Csr.FRM], state[thread, Csr.FFLAGS] = value >> 5 & 7, value & 31
        else:
            state[thread, number] = value & STORED[number]

    async def bench(ctx, dut):
        for _ in range(1200):
            thread, number = rng.randrange(config.contexts), rng.choice(list(STORED))
            op, value, source = rng.choice(list(CsrOp)), rng.getrandbits(32), rng.randrange(32)
            flags_thread, flags = rng.randrange(config.contexts), rng.getrandbits(5)
            raises = flags_thread != thread and rng.random() < 0.3
            ctx.set(dut.w_flags_en, raises)
            ctx.set(dut.w_thread, flags_thread)
            ctx.set(dut.w_flags, flags)
            old = get(thread, number)
            assert await access(ctx, dut, thread, number, op, value, source) == old
            operand = source if op.value & 4 else value
            if op in (CsrOp.WRITE, CsrOp.WRITE_IMM):
                put(thread, number, operand)
            elif source:
                sets = op in (CsrOp.SET, CsrOp.SET_IMM)
                put(thread, number, old | operand if sets else old & ~operand)
            if raises:
                put(flags_thread, Csr.FFLAGS, get(flags_thread, Csr.FFLAGS) | flags)

    simulate(bench, config)


def test_constants_and_identity():
    async def bench(ctx, dut):
        for number in (Csr.MVENDORID, Csr.MARCHID, Csr.MIMPID, Csr.MCONFIGPTR, Csr.MIE, Csr.MIP):
            assert await access(ctx, dut, 1, number) == 0
        assert await access(ctx, dut, 1, Csr.MISA) == MISA_VALUE
        assert await access(ctx, dut, 5, Csr.MHARTID) == 37 * 16 + 5

    simulate(bench, tile_id=37)


def test_what_does_not_exist_or_is_read_only():
    async def bench(ctx, dut):
        known = set(Csr)
        for number in (*range(0, 4096, 7), *known):
            exists = number in known
            assert (await access(ctx, dut, 0, number) is not None) == exists, hex(number)
        assert await access(ctx, dut, 0, Csr.MHARTID, CsrOp.WRITE) is None
        assert await access(ctx, dut, 0, Csr.CYCLE, CsrOp.SET, 1) is None
        assert await access(ctx, dut, 0, Csr.MCYCLE, CsrOp.SET, 1) is not None

    simulate(bench)


def test_what_does_not_retire_writes_nothing():
    async def bench(ctx, dut):
        for number in STORED:
            for signal, given in (
                (dut.x_number, number), (dut.x_op, CsrOp.WRITE), (dut.x_value, 0xFFFF_FFFF),
                (dut.x_access, 1), (dut.x_retire, 0),
            ):  # fmt: skip
                ctx.set(signal, given)
            await ctx.tick()
            constant = MSTATUS_CONSTANT if number is Csr.MSTATUS else 0
            assert await access(ctx, dut, 0, number) == constant

    simulate(bench)


def test_counters():
    async def bench(ctx, dut):
        first = await access(ctx, dut, 0, Csr.MCYCLE)
        for _ in range(9):
            await ctx.tick()
        assert await access(ctx, dut, 0, Csr.CYCLE) - first == 10
        assert await access(ctx, dut, 0, Csr.MINSTRET) == 2
        assert await access(ctx, dut, 1, Csr.INSTRET) == 0
        assert await access(ctx, dut, 0, Csr.MINSTRETH) == 0

    simulate(bench)


def test_trap_and_return():
    async def bench(ctx, dut):
        await access(ctx, dut, 2, Csr.MTVEC, CsrOp.WRITE, 0x1003)
        await access(ctx, dut, 2, Csr.MSTATUS, CsrOp.WRITE, MSTATUS_WRITABLE & 8)  # MIE
        assert ctx.get(dut.x_vector) == 0x1000
        for signal, value in (
            (dut.x_trap, 1), (dut.x_pc, 0x44), (dut.x_cause, 5), (dut.x_trap_value, 0x99),
        ):  # fmt: skip
            ctx.set(signal, value)
        await ctx.tick()
        ctx.set(dut.x_trap, 0)
        assert await access(ctx, dut, 2, Csr.MEPC) == 0x44
        assert await access(ctx, dut, 2, Csr.MCAUSE) == 5
        assert await access(ctx, dut, 2, Csr.MTVAL) == 0x99
        assert await access(ctx, dut, 2, Csr.MSTATUS) == MSTATUS_CONSTANT | 1 << 7
        assert await access(ctx, dut, 3, Csr.MEPC) == 0
        ctx.set(dut.x_thread, 2)
        assert ctx.get(dut.x_return) == 0x44
        ctx.set(dut.x_mret, 1)
        await ctx.tick()
        ctx.set(dut.x_mret, 0)
        assert await access(ctx, dut, 2, Csr.MSTATUS) == MSTATUS_CONSTANT | 1 << 7 | 1 << 3

    simulate(bench)


def test_stopping_the_chip_resets_all_contexts():
    async def bench(ctx, dut):
        for thread in range(7):
            for number in STORED:
                await access(ctx, dut, thread, number, CsrOp.WRITE, 0xFFFF_FFFF)
        ctx.set(dut.run, 0)
        await ctx.tick()
        ctx.set(dut.run, 1)
        for thread in range(7):
            for number in STORED:
                constant = MSTATUS_CONSTANT if number is Csr.MSTATUS else 0
                assert await access(ctx, dut, thread, number) == constant

    simulate(bench)
