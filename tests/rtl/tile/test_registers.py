import random

import pytest
from amaranth.sim import Simulator

from openipu.rtl.config import TileConfig
from openipu.rtl.tile.registers import PairFile, RegisterFile


@pytest.mark.parametrize("slots", [4, 6, 8])
@pytest.mark.parametrize(("reads", "pairs"), [(2, False), (3, True)])
def test_random_accesses_match_a_table(slots, reads, pairs):
    config = TileConfig(slots=slots)
    dut = (PairFile if pairs else RegisterFile)(config, reads=reads)
    seed = random.randrange(1 << 32)
    print(f"seed {seed}")
    rng = random.Random(seed)
    table = {}

    def read(thread, number):
        return table.get((thread, number), 0) if number or pairs else 0

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
                [read(thread, n) for n in numbers],
                [read(thread, n & ~1) | read(thread, n | 1) << 32 for n in numbers],
            )
            write = rng.random() < 0.6
            target = rng.randrange(config.contexts), rng.randrange(32)
            value = rng.getrandbits(64 if pairs else 32)
            if write and target[0] == thread and target[1] // 2 in (n // 2 for n in numbers):
                write = False  # the pipeline never reads what is being written
            ctx.set(dut.w_en, write)
            ctx.set(dut.w_thread, target[0])
            ctx.set(dut.w_number, target[1])
            ctx.set(dut.w_value, value)
            pair = pairs and rng.random() < 0.5
            if pairs:
                ctx.set(dut.w_pair, pair)
            if write and pair:
                table[target[0], target[1] | 1] = value >> 32
                target = target[0], target[1] & ~1
            if write:
                table[target] = value & 0xFFFF_FFFF
            # What was asked for is there whatever the next thread asks for meanwhile.
            if due is not None:
                assert [ctx.get(value) for value in dut.x_values] == due[2], due
                if pairs:
                    assert [ctx.get(value) for value in dut.x_pairs] == due[3], due
            await ctx.tick()

    simulator = Simulator(dut)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
