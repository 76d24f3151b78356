import random

import pytest
from amaranth.sim import Simulator

from openipu.rtl.isa import INSTRUCTIONS, Immediate, Unit, decode, immediate_of
from openipu.rtl.tile.decode import Decoder


def run(words, check):
    dut = Decoder()

    async def bench(ctx):
        for word in words:
            ctx.set(dut.word, word)
            await ctx.delay(1e-9)
            check(word, ctx.get(dut.decoded))

    simulator = Simulator(dut)
    simulator.add_testbench(bench)
    simulator.run()


def check(word, got):
    row = decode(word)
    if row is None:
        assert got.unit == Unit.ILLEGAL, hex(word)
        return
    assert got.unit == row.unit, row.name
    assert got.op == row.op.value, row.name
    assert (got.rd_file, got.rs1_file, got.rs2_file) == (row.rd, row.rs1, row.rs2), row.name
    assert got.rd == word >> 7 & 31
    assert got.has_immediate == (row.immediate is not Immediate.NONE)
    assert got.immediate == immediate_of(row.immediate, word) & 0xFFFF_FFFF, row.name
    assert got.rounds == row.rounds
    assert got.counted_as == row.counted_as


@pytest.mark.parametrize("row", INSTRUCTIONS, ids=lambda row: row.name)
def test_every_row_of_the_table(row):
    seed = random.randrange(1 << 32)
    print(f"seed {seed}")
    rng = random.Random(seed)
    free = ~row.mask & 0xFFFF_FFFF
    words = [row.match, row.match | free]
    words += [row.match | rng.getrandbits(32) & free for _ in range(30)]
    run(words, check)


def test_words_that_are_no_instruction():
    seed = random.randrange(1 << 32)
    print(f"seed {seed}")
    rng = random.Random(seed)
    run([0, 0xFFFF_FFFF, *(rng.getrandbits(32) for _ in range(2000))], check)
