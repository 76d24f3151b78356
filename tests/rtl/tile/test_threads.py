import random
from itertools import pairwise

import pytest
from amaranth.sim import Simulator

from openipu.rtl.config import TileConfig
from openipu.rtl.tile.threads import SUPERVISOR_SPACING, Threads


def simulate(dut, bench):
    simulator = Simulator(dut)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()


async def boot(ctx, dut, thread, pc=0x100):
    ctx.set(dut.boot_thread, thread)
    ctx.set(dut.boot_pc, pc)
    ctx.set(dut.run, 1)
    await ctx.tick()


async def start(ctx, dut, worker, pc):
    ctx.set(dut.w_start, 1)
    ctx.set(dut.w_start_worker, worker)
    ctx.set(dut.w_start_pc, pc)
    await ctx.tick()
    ctx.set(dut.w_start, 0)


async def stop(ctx, dut, thread):
    ctx.set(dut.x_stop, 1)
    ctx.set(dut.x_thread, thread)
    await ctx.tick()
    ctx.set(dut.x_stop, 0)


async def watch(ctx, dut, cycles):
    """Return (cycle, thread) of each fetch."""
    seen = []
    for cycle in range(cycles):
        if ctx.get(dut.f_valid):
            seen.append((cycle, ctx.get(dut.f_thread)))
        await ctx.tick()
    return seen


@pytest.mark.parametrize("slots", range(4, 9))
def test_any_set_of_workers_issues_once_a_rotation_each(slots):
    config = TileConfig(slots=slots)
    dut = Threads(config)
    seed = random.randrange(1 << 32)
    print(f"seed {seed}")
    rng = random.Random(seed)

    async def bench(ctx):
        await boot(ctx, dut, config.supervisor)
        running = set()
        for _ in range(12):
            worker = rng.randrange(slots)
            if worker in running:
                await stop(ctx, dut, worker)
                running.remove(worker)
            else:
                await start(ctx, dut, worker, 0x40 * worker)
                running.add(worker)
            seen = await watch(ctx, dut, 6 * slots)
            for worker in range(slots):
                at = [cycle for cycle, thread in seen if thread == worker]
                assert len(at) == (6 if worker in running else 0)
                assert all(b - a == slots for a, b in pairwise(at))
            at = [cycle for cycle, thread in seen if thread == config.supervisor]
            assert bool(at) == (len(running) < slots)
            assert all(b - a >= SUPERVISOR_SPACING for a, b in pairwise(at))
            assert ctx.get(dut.workers_busy) == bool(running)

    simulate(dut, bench)


def test_program_counters_are_their_own():
    dut = Threads(TileConfig())

    async def bench(ctx):
        await boot(ctx, dut, 6, 0x100)
        await start(ctx, dut, 3, 0x200)
        ctx.set(dut.x_advance, 1)
        ctx.set(dut.x_thread, 3)
        ctx.set(dut.x_next_pc, 0x7FFF_FF00)
        await ctx.tick()
        ctx.set(dut.x_advance, 0)
        assert ctx.get(dut.pcs[3]) == 0x7FFF_FF00
        assert ctx.get(dut.pcs[6]) == 0x100
        for _ in range(12):
            if ctx.get(dut.f_valid):
                assert ctx.get(dut.f_pc) == ctx.get(dut.pcs)[ctx.get(dut.f_thread)]
            await ctx.tick()

    simulate(dut, bench)


@pytest.mark.parametrize("exchange", [0, 5])
def test_supervisor_waits_for_barrier_and_exchange(exchange):
    dut = Threads(TileConfig())

    async def bench(ctx):
        await boot(ctx, dut, 6)
        ctx.set(dut.x_sync, 1)
        ctx.set(dut.x_zone, 2)
        await ctx.tick()
        ctx.set(dut.x_sync, 0)
        assert await watch(ctx, dut, 20) == []
        assert ctx.get(dut.waiting)
        assert ctx.get(dut.zone) == 2
        ctx.set(dut.sync_release, 1)
        ctx.set(dut.exchange_busy, exchange > 0)
        await ctx.tick()
        ctx.set(dut.sync_release, 0)
        assert not ctx.get(dut.waiting)
        if exchange:
            assert await watch(ctx, dut, exchange) == []
            ctx.set(dut.exchange_busy, 0)
            await ctx.tick()
        assert (await watch(ctx, dut, 1)) == [(0, 6)]

    simulate(dut, bench)


def test_halted_when_all_that_was_started_has_ended():
    dut = Threads(TileConfig())

    async def bench(ctx):
        assert not ctx.get(dut.halted)
        await boot(ctx, dut, 2)
        assert not ctx.get(dut.halted)
        await stop(ctx, dut, 2)
        assert ctx.get(dut.halted)
        assert await watch(ctx, dut, 10) == []
        ctx.set(dut.run, 0)
        await ctx.tick()
        assert not ctx.get(dut.halted)

    simulate(dut, bench)


def test_freeze_stops_every_thread():
    dut = Threads(TileConfig())

    async def bench(ctx):
        await boot(ctx, dut, 6)
        await start(ctx, dut, 0, 0)
        ctx.set(dut.freeze, 1)
        assert await watch(ctx, dut, 15) == []
        ctx.set(dut.freeze, 0)
        assert await watch(ctx, dut, 15)

    simulate(dut, bench)
