import pytest
from amaranth.hdl import Module
from amaranth.sim import Simulator

from openipu.rtl.config import ChipConfig
from openipu.rtl.exchange.sync import Barrier
from openipu.rtl.host.report import FAN_IN, ReportLeaves, ReportTree, TileReport
from openipu.rtl.isa import Zone


class Bench:
    """A barrier below the whole tree; `tiles` are what the tiles say."""

    def __init__(self, tiles):
        self.config = ChipConfig(tiles=tiles)
        self.leaves = [ReportLeaves() for _ in range(-(-tiles // FAN_IN))]
        self.tree = ReportTree(self.config)
        self.barrier = Barrier()
        self.says = [{} for _ in range(tiles)]

    def run(self, bench):
        m = Module()
        for i, leaf in enumerate(self.leaves):
            m.submodules[f"leaf_{i}"] = leaf
            m.d.comb += self.tree.reports[i].eq(leaf.report)
        m.submodules.tree = self.tree
        m.submodules.barrier = self.barrier
        m.d.comb += self.barrier.report.eq(self.tree.report)

        async def start(ctx):
            ctx.set(self.barrier.run, 1)
            for i in range(FAN_IN * len(self.leaves)):
                absent = i >= len(self.says)
                self.say(ctx, i, sync_request=absent, halted=absent)
            await ctx.tick().repeat(10)
            await bench(ctx)

        simulator = Simulator(m)
        simulator.add_clock(1e-6)
        simulator.add_testbench(start)
        simulator.run()

    def say(self, ctx, tile, **fields):
        ctx.set(self.leaves[tile // FAN_IN].tiles[tile % FAN_IN], fields)

    def ask(self, ctx, tile, zone=Zone.CHIP):
        self.say(ctx, tile, sync_request=1, sync_zone=zone.value)

    async def until_release(self, ctx, limit=20):
        """Return the cycle of the release, lowering all requests then; None if there is none."""
        for cycle in range(limit):
            if ctx.get(self.barrier.sync_release):
                await ctx.tick()
                for tile in range(self.config.tiles):
                    self.say(ctx, tile)
                return cycle
            await ctx.tick()
        return None


@pytest.mark.parametrize("tiles", [1, 2, 8, 9, 65])
def test_release_when_the_last_tile_asks(tiles):
    b = Bench(tiles)

    async def bench(ctx):
        for last in (0, tiles // 2, tiles - 1):
            for tile in range(tiles):
                if tile != last:
                    b.ask(ctx, tile)
            if tiles > 1:
                assert await b.until_release(ctx) is None
            b.ask(ctx, last)
            assert await b.until_release(ctx) == b.config.sync_levels + 1
            assert await b.until_release(ctx, 12) is None

    b.run(bench)


def test_one_release_for_a_barrier_whose_requests_fall_late():
    b = Bench(2)

    async def bench(ctx):
        for tile in range(2):
            b.ask(ctx, tile)
        releases = 0
        for cycle in range(40):
            releases += ctx.get(b.barrier.sync_release)
            if cycle == 20:
                b.say(ctx, 0)  # one cycle is enough
            if cycle == 21:
                assert releases == 1
                b.ask(ctx, 0)
            await ctx.tick()
        assert releases == 2

    b.run(bench)


def test_halted_tiles_hold_up_nothing():
    b = Bench(3)

    async def bench(ctx):
        b.say(ctx, 0, halted=1)
        b.say(ctx, 1, halted=1, sync_request=1, sync_zone=2)
        await ctx.tick().repeat(5)
        assert not ctx.get(b.barrier.all_halted)
        b.ask(ctx, 2)
        assert await b.until_release(ctx) is not None
        for tile in range(3):
            b.say(ctx, tile, halted=1)
        await ctx.tick().repeat(5)
        assert ctx.get(b.barrier.all_halted)
        assert await b.until_release(ctx) is None

    b.run(bench)


@pytest.mark.parametrize("zone", list(Zone))
@pytest.mark.parametrize("step", [0, 1])
def test_zones_and_step_mode(zone, step):
    b = Bench(2)

    async def bench(ctx):
        ctx.set(b.barrier.step, step)
        for _ in range(2):
            for tile in range(2):
                b.ask(ctx, tile, zone)
            if step or zone is Zone.HOST:
                assert await b.until_release(ctx) is None
                assert ctx.get(b.barrier.host_sync) == (zone is Zone.HOST)
                assert ctx.get(b.barrier.step_rest) == step
                assert ctx.get(b.barrier.zone) == zone
                ctx.set(b.barrier.go, 1)
                await ctx.tick()
                ctx.set(b.barrier.go, 0)
                assert await b.until_release(ctx) == 0
            else:
                assert await b.until_release(ctx) is not None
            assert not ctx.get(b.barrier.host_sync) and not ctx.get(b.barrier.step_rest)
            await ctx.tick().repeat(5)

    b.run(bench)


def test_go_without_a_barrier_does_nothing():
    b = Bench(2)

    async def bench(ctx):
        b.ask(ctx, 0, Zone.HOST)
        ctx.set(b.barrier.go, 1)
        await ctx.tick().repeat(4)
        ctx.set(b.barrier.go, 0)
        b.ask(ctx, 1, Zone.HOST)
        assert await b.until_release(ctx) is None

    b.run(bench)


def test_different_zones_are_a_mismatch_until_reset():
    b = Bench(9)

    async def bench(ctx):
        for tile in range(8):
            b.ask(ctx, tile, Zone.CHIP)
        b.ask(ctx, 8, Zone.HOST)
        assert await b.until_release(ctx) is None
        assert ctx.get(b.barrier.zone_mismatch)
        ctx.set(b.barrier.run, 0)
        for tile in range(9):
            b.say(ctx, tile)
        await ctx.tick().repeat(4)
        assert not ctx.get(b.barrier.zone_mismatch)
        ctx.set(b.barrier.run, 1)
        for tile in range(9):
            b.ask(ctx, tile)
        assert await b.until_release(ctx) is not None
        assert not ctx.get(b.barrier.zone_mismatch)

    b.run(bench)


@pytest.mark.parametrize("signal", ["run", "freeze"])
def test_nothing_is_released_in_reset_or_frozen(signal):
    b = Bench(2)

    async def bench(ctx):
        ctx.set(getattr(b.barrier, signal), signal == "freeze")
        for tile in range(2):
            b.ask(ctx, tile)
        assert await b.until_release(ctx) is None

    b.run(bench)


@pytest.mark.parametrize("tiles", [1, 8, 9, 70])
def test_tree_names_the_first_trap_and_passes_answers(tiles):
    b = Bench(tiles)
    answer = {"valid": 1, "data": 0xDEAD_BEEF_0123_4567}

    async def bench(ctx):
        for first in {0, tiles // 2, tiles - 1}:
            for tile in range(tiles):
                b.say(ctx, tile, trapped=tile == first or (tile > first and tile % 3 == 0))
            b.say(ctx, first, trapped=1, response=answer)
            await ctx.tick().repeat(b.config.sync_levels)
            report = ctx.get(b.tree.report)
            assert report.trapped and report.first == first
            assert TileReport.const({"response": answer}).response == report.response
        for tile in range(tiles):
            b.say(ctx, tile)
        await ctx.tick().repeat(b.config.sync_levels)
        assert ctx.get(b.tree.report.as_value()) == 0

    b.run(bench)
