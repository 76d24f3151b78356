import itertools
import random

import pytest
from amaranth.sim import Simulator

from openipu.rtl.config import TileConfig
from openipu.rtl.isa import DivideOp
from openipu.rtl.tile.divide import Divider

CORNERS = (0, 1, 2, 7, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF)
MASK = 0xFFFF_FFFF


def signed(value):
    return value - (value >> 31 << 32)


def model(op, a, b):
    if op in (DivideOp.DIV, DivideOp.REM):
        a, b = signed(a), signed(b)
    if b == 0:
        quotient, remainder = -1, a
    else:
        quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
        remainder = a - quotient * b
    return (quotient if op in (DivideOp.DIV, DivideOp.DIVU) else remainder) & MASK


def simulate(dut, bench):
    simulator = Simulator(dut)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()


async def ask(ctx, dut, thread, op, a, b):
    """Ask for one cycle; return the result if it was ready."""
    for signal, value in (
        (dut.x_request, 1), (dut.x_thread, thread), (dut.x_op, op), (dut.x_a, a), (dut.x_b, b),
    ):  # fmt: skip
        ctx.set(signal, value)
    result = ctx.get(dut.x_result) if ctx.get(dut.x_ready) else None
    await ctx.tick()
    ctx.set(dut.x_request, 0)
    return result


@pytest.mark.parametrize("op", DivideOp)
def test_results(op):
    dut = Divider(TileConfig())
    seed = random.randrange(1 << 32)
    print(f"seed {seed}")
    rng = random.Random(seed)
    pairs = list(itertools.product(CORNERS, repeat=2))
    pairs += [(rng.getrandbits(32), rng.getrandbits(rng.randrange(1, 33))) for _ in range(40)]

    async def bench(ctx):
        ctx.set(dut.run, 1)
        for a, b in pairs:
            for _ in range(40):
                result = await ask(ctx, dut, 0, op, a, b)
                if result is not None:
                    break
            assert result == model(op, a, b), (hex(a), hex(b))

    simulate(dut, bench)


@pytest.mark.parametrize("slots", [4, 6, 8])
def test_threads_in_turn_all_get_their_own_result(slots):
    config = TileConfig(slots=slots)
    dut = Divider(config)
    seed = random.randrange(1 << 32)
    print(f"seed {seed}")
    rng = random.Random(seed)

    def job():
        return rng.choice(list(DivideOp)), rng.getrandbits(32), rng.getrandbits(20)

    async def bench(ctx):
        ctx.set(dut.run, 1)
        jobs = [job() for _ in range(slots)]
        done = [0] * slots
        for cycle in range(slots * 400):
            thread = cycle % slots
            result = await ask(ctx, dut, thread, *jobs[thread])
            if result is not None:
                assert result == model(*jobs[thread])
                done[thread] += 1
                jobs[thread] = job()
        assert min(done) >= 5, done  # nobody starves

    simulate(dut, bench)


def test_stopping_the_chip_frees_it():
    dut = Divider(TileConfig())

    async def bench(ctx):
        ctx.set(dut.run, 1)
        assert await ask(ctx, dut, 1, DivideOp.DIVU, 100, 7) is None
        ctx.set(dut.run, 0)
        await ctx.tick()
        ctx.set(dut.run, 1)
        assert await ask(ctx, dut, 2, DivideOp.REMU, 100, 7) is None
        for _ in range(32):
            await ctx.tick()
        assert await ask(ctx, dut, 2, DivideOp.REMU, 100, 7) == 2

    simulate(dut, bench)


@pytest.mark.parametrize("owner", [0, 6])
@pytest.mark.parametrize("crowded", [0, 1])
def test_only_the_supervisor_loses_it_and_only_to_a_crowd(owner, crowded):
    dut = Divider(TileConfig())

    async def bench(ctx):
        ctx.set(dut.run, 1)
        assert await ask(ctx, dut, owner, DivideOp.DIVU, 100, 7) is None
        ctx.set(dut.x_crowded, crowded)
        assert await ask(ctx, dut, 1, DivideOp.DIVU, 90, 7) is None
        for _ in range(33):
            await ctx.tick()
        taken = owner == 6 and crowded
        assert await ask(ctx, dut, 1, DivideOp.DIVU, 90, 7) == (12 if taken else None)
        ctx.set(dut.x_crowded, 0)
        if taken:  # the supervisor starts again
            assert await ask(ctx, dut, owner, DivideOp.DIVU, 100, 7) is None
            for _ in range(32):
                await ctx.tick()
        assert await ask(ctx, dut, owner, DivideOp.DIVU, 100, 7) == 14

    simulate(dut, bench)
