"""Random numbers of all contexts against `golden.random`."""

import random as python_random

from amaranth.sim import Simulator

from openipu.cosim.golden import random
from openipu.rtl.config import TileConfig
from openipu.rtl.simd.random import Random

SEED = 41
CONFIG = TileConfig(slots=6)
TILE = 0x8A5


def start():
    return [random.start(TILE * 16 + context) for context in range(CONFIG.contexts)]


def test_numbers_seeds_and_starts():
    dut = Random(CONFIG)
    pick = python_random.Random(SEED)

    async def bench(ctx):
        ctx.set(dut.tile_id, TILE)
        for _ in range(3):
            ctx.set(dut.run, 0)
            await ctx.tick()
            ctx.set(dut.run, 1)
            states = start()
            for step in range(300):
                thread, what = pick.randrange(CONFIG.contexts), pick.random()
                half, value = pick.getrandbits(1), pick.getrandbits(64)
                following = list(states[thread])
                wanted = random.advance(following)
                ctx.set(dut.x_thread, thread)
                ctx.set(dut.x_advance, what < 0.6)
                ctx.set(dut.x_seed_en, what > 0.9)
                ctx.set(dut.x_seed_half, half)
                ctx.set(dut.x_seed_value, value)
                assert ctx.get(dut.x_random) == wanted, (SEED, step, thread)
                if what < 0.6:
                    states[thread] = following
                elif what > 0.9:
                    states[thread][half] = value
                await ctx.tick()
            ctx.set(dut.x_advance, 0)
            ctx.set(dut.x_seed_en, 0)

    simulator = Simulator(dut)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
