import random

import pytest
from amaranth.sim import Simulator

from openipu.rtl.config import TileConfig
from openipu.rtl.tile.registers import RegisterFile


@pytest.mark.parametrize("slots", [4, 6, 8])
@pytest.mark.parametrize(("reads", "zero"), [(2, True), (3, False)])
def test_random_accesses_match_a_table(slots, reads, zero):
    config = TileConfig(slots=slots)
    dut = RegisterFile(config, reads=reads, zero=zero)
    seed = random.randrange(1 << 32)
    print(f"seed {seed}")
    rng = random.Random(seed)
    table = {}

    async def bench(ctx):
        asked = None
        for _ in range(1500):
            due = asked
            thread = rng.randrange(config.contexts)
            numbers = [rng.randrange(32) if rng.random() < 0.7 else 0 for _ in range(reads)]
            ctx.set(dut.d_thread, thread)
            for index, number in enumerate(numbers):
                ctx.set(dut.d_numbers[index], number)
            asked = (
                thread,
                numbers,
                [0 if zero and n == 0 else table.get((thread, n), 0) for n in numbers],
            )
            write = rng.random() < 0.6
            target = rng.randrange(config.contexts), rng.randrange(32)
            value = rng.getrandbits(32)
            if write and target[0] == thread and target[1] in numbers:
                write = False  # the pipeline never reads what is being written
            ctx.set(dut.w_en, write)
            ctx.set(dut.w_thread, target[0])
            ctx.set(dut.w_number, target[1])
            ctx.set(dut.w_value, value)
            if write:
                table[target] = value
            # What was asked for is there whatever the next thread asks for meanwhile.
            if due is not None:
                assert [ctx.get(value) for value in dut.x_values] == due[2], due
            await ctx.tick()

    simulator = Simulator(dut)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
