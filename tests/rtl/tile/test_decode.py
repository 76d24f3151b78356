import random

import pytest
from amaranth.sim import Simulator

from openipu.rtl.config import TileConfig
from openipu.rtl.isa import (
    INSTRUCTIONS,
    STREAMS,
    File,
    Immediate,
    Unit,
    decode,
    immediate_of,
    pairs_legal,
)
from openipu.rtl.tile.decode import Decoder


def run(words, check, config=TileConfig()):  # noqa: B008 - it is frozen
    dut = Decoder(config)

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
    if row is None or not pairs_legal(row, word):
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
    sources = ((row.rs1, word >> 15 & 31), (row.rs2, word >> 20 & 31), (row.rs3, word >> 27))
    pops = {0: 0, 1: 0}
    for index, (file, number) in enumerate(sources):
        assert got.pairs >> index & 1 == (file is File.PAIR), row.name
        if file is File.PAIR and number in STREAMS:
            pops[STREAMS[number]] |= 1 << index
    assert (got.pops[0], got.pops[1]) == (pops[0], pops[1]), row.name
    assert got.pushes == (row.rd is File.PAIR and word >> 7 & 31 == 5), row.name


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


def test_a_tile_without_a_unit_finds_its_instructions_illegal():
    lacking = TileConfig(simd=False)
    rows = [row for row in INSTRUCTIONS if not lacking.executes(row.unit)]
    assert {row.unit for row in rows} == {Unit.SIMD, Unit.RANDOM}

    def illegal(word, got):
        assert got.unit == Unit.ILLEGAL, hex(word)

    run([row.match for row in rows], illegal, lacking)
