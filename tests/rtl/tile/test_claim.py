import random

import pytest
from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from amaranth.sim import Simulator

from openipu.rtl.config import TileConfig
from openipu.rtl.tile.claim import Claim

LONG = 10


class Counted(wiring.Component):
    """A unit that is busy for LONG cycles and gives back what it was started with."""

    def __init__(self, config: TileConfig) -> None:
        self.config = config
        super().__init__({
            "run": In(1), "request": In(1), "thread": In(4), "crowded": In(1), "given": In(8),
            "ready": Out(1), "result": Out(8),
        })  # fmt: skip

    def elaborate(self, platform):
        m = Module()
        m.submodules.claim = claim = Claim(self.config)
        left = Signal(range(LONG + 1))
        m.d.comb += [
            claim.run.eq(self.run),
            claim.x_request.eq(self.request),
            claim.x_thread.eq(self.thread),
            claim.x_crowded.eq(self.crowded),
            claim.busy.eq(left != 0),
            self.ready.eq(claim.x_ready),
        ]
        with m.If(claim.x_start):
            m.d.sync += [left.eq(LONG), self.result.eq(self.given)]
        with m.Elif(left != 0):
            m.d.sync += left.eq(left - 1)
        return m


def simulate(dut, bench):
    simulator = Simulator(dut)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()


async def ask(ctx, dut, thread, given):
    """Ask for one cycle; return the result if it was ready."""
    for port, value in ((dut.request, 1), (dut.thread, thread), (dut.given, given)):
        ctx.set(port, value)
    result = ctx.get(dut.result) if ctx.get(dut.ready) else None
    await ctx.tick()
    ctx.set(dut.request, 0)
    return result


@pytest.mark.parametrize("slots", [4, 6, 8])
def test_threads_in_turn_all_get_their_own_result(slots):
    dut = Counted(TileConfig(slots=slots))
    seed = random.randrange(1 << 32)
    print(f"seed {seed}")
    rng = random.Random(seed)

    async def bench(ctx):
        ctx.set(dut.run, 1)
        given = [rng.getrandbits(8) for _ in range(slots)]
        done = [0] * slots
        for cycle in range(slots * 300):
            thread = cycle % slots
            result = await ask(ctx, dut, thread, given[thread])
            if result is not None:
                assert result == given[thread]
                done[thread] += 1
                given[thread] = rng.getrandbits(8)
        assert min(done) >= 5, done  # nobody starves

    simulate(dut, bench)


def test_stopping_the_chip_frees_it():
    dut = Counted(TileConfig())

    async def bench(ctx):
        ctx.set(dut.run, 1)
        assert await ask(ctx, dut, 1, 17) is None
        ctx.set(dut.run, 0)
        assert await ask(ctx, dut, 1, 18) is None  # and starts nothing
        ctx.set(dut.run, 1)
        assert await ask(ctx, dut, 2, 19) is None
        for _ in range(LONG):
            await ctx.tick()
        assert await ask(ctx, dut, 2, 19) == 19

    simulate(dut, bench)


@pytest.mark.parametrize("owner", [0, 6])
@pytest.mark.parametrize("crowded", [0, 1])
def test_only_the_supervisor_loses_it_and_only_to_a_crowd(owner, crowded):
    dut = Counted(TileConfig())

    async def bench(ctx):
        ctx.set(dut.run, 1)
        assert await ask(ctx, dut, owner, 20) is None
        ctx.set(dut.crowded, crowded)
        assert await ask(ctx, dut, 1, 30) is None
        for _ in range(LONG):
            await ctx.tick()
        taken = owner == 6 and crowded
        assert await ask(ctx, dut, 1, 30) == (30 if taken else None)
        ctx.set(dut.crowded, 0)
        if taken:  # the supervisor starts again
            assert await ask(ctx, dut, owner, 20) is None
            for _ in range(LONG):
                await ctx.tick()
        assert await ask(ctx, dut, owner, 20) == 20

    simulate(dut, bench)
