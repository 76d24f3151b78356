import random

import pytest
from amaranth.sim import Simulator

from openipu.rtl.config import TileConfig
from openipu.rtl.tile.meeting import Meeting


def simulate(dut, bench):
    simulator = Simulator(dut)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()


async def ask(ctx, dut, worker):
    """Have a worker's xmeet in stage x for one cycle; return whether it retires."""
    ctx.set(dut.x_meet, 1)
    ctx.set(dut.x_thread, worker)
    over = ctx.get(dut.x_over)
    await ctx.tick()
    ctx.set(dut.x_meet, 0)
    return bool(over)


def test_the_last_goes_on_at_once_and_the_others_at_their_next_issue():
    dut = Meeting(TileConfig())

    async def bench(ctx):
        ctx.set(dut.run, 1)
        ctx.set(dut.running, 0b001011)
        assert not await ask(ctx, dut, 3)
        assert not await ask(ctx, dut, 0)
        assert not await ask(ctx, dut, 3)
        assert await ask(ctx, dut, 1)
        assert not await ask(ctx, dut, 1)  # the next meeting; the others are still at this one
        assert await ask(ctx, dut, 3)
        assert await ask(ctx, dut, 0)
        assert not await ask(ctx, dut, 0)
        assert await ask(ctx, dut, 3)

    simulate(dut, bench)


def test_who_ends_is_not_waited_for():
    dut = Meeting(TileConfig())

    async def bench(ctx):
        ctx.set(dut.run, 1)
        ctx.set(dut.running, 0b11)
        assert not await ask(ctx, dut, 0)
        ctx.set(dut.running, 0b01)
        assert await ask(ctx, dut, 0)
        assert await ask(ctx, dut, 0)  # alone

    simulate(dut, bench)


def test_stopping_forgets_who_arrived():
    dut = Meeting(TileConfig())

    async def bench(ctx):
        ctx.set(dut.run, 1)
        ctx.set(dut.running, 0b11)
        assert not await ask(ctx, dut, 0)
        ctx.set(dut.run, 0)
        await ctx.tick()
        ctx.set(dut.run, 1)
        assert not await ask(ctx, dut, 1)
        assert await ask(ctx, dut, 0)

    simulate(dut, bench)


@pytest.mark.parametrize("slots", range(4, 9))
def test_nobody_is_a_meeting_ahead(slots):
    dut = Meeting(TileConfig(slots=slots))
    seed = random.randrange(1 << 32)
    print(f"seed {seed}")
    rng = random.Random(seed)

    async def bench(ctx):
        ctx.set(dut.run, 1)
        ctx.set(dut.running, (1 << slots) - 1)
        passed, asking = [0] * slots, [False] * slots
        for _ in range(600):
            for worker in range(slots):  # each has an issue in a rotation
                asking[worker] |= rng.random() < 0.4
                if asking[worker] and await ask(ctx, dut, worker):
                    passed[worker] += 1
                    asking[worker] = False
                assert max(passed) <= min(passed) + 1
        assert min(passed) > 20

    simulate(dut, bench)
