"""Proofs about the exchange tables' walker: a queue that loses nothing and counts right."""

import pytest
from amaranth.hdl import Assert, Assume, Cover, Mux, Signal
from amaranth.lib import data

from openipu.cosim.formal import prove
from openipu.rtl.config import TileConfig
from openipu.rtl.layouts import ExchangeEntry
from openipu.rtl.tile.table_walker import TableWalker

pytestmark = pytest.mark.formal
DEPTH = 3


def _entries(proof):
    return [data.View(ExchangeEntry, proof.inner(f"entry_{i}")) for i in range(DEPTH)]


@pytest.mark.parametrize("lead", [0, 5])
def test_entries_come_once_and_in_their_order(lead):
    """Each entry has its number in the table as its source."""

    def in_order(proof):
        m, dut = proof.m, proof.dut
        entries, level = _entries(proof), proof.inner("level")
        coming, fetching = proof.inner("coming"), proof.inner("fetching")
        start, asked, walked = Signal(32), Signal(28), Signal(28)
        ended = Signal()  # the end has been fetched
        reset = dut.arm | dut.clear
        fetched_end = (dut.fetched.gap == 0) & (dut.fetched.count == 0)
        m.d.comb += [
            Assume(~dut.grant | dut.want),
            Assume(dut.fetched.source == (asked - 1)[:12]),
            Assume(~(dut.arm & dut.clear)),
        ]
        with m.If(reset):
            m.d.sync += [start.eq(dut.base), asked.eq(0), walked.eq(0), ended.eq(0)]
        with m.Else():
            with m.If(coming & fetched_end):
                m.d.sync += ended.eq(1)
            m.d.sync += [asked.eq(asked + dut.grant), walked.eq(walked + proof.inner("drop"))]
        m.d.comb += [
            Assert(level + coming <= DEPTH),
            Assert(asked == (walked + level + coming)[:28]),
            Assert(~coming | fetching),
            Assert(~ended | ~fetching),
            Assert(~(ended & (coming | dut.want))),
            Assert(~fetching | (dut.pointer == (start + 8 * asked)[:31])),
            Cover(dut.word & (walked == 2)),
        ]
        for i, entry in enumerate(entries):
            with m.If(level > i):
                m.d.comb += Assert(entry.source == (walked + i)[:12])
        with m.If(dut.word):
            m.d.comb += Assert(dut.source == walked[:12])

    prove(TableWalker(TileConfig(), lead), in_order, depth=3, reach=10)


@pytest.mark.parametrize("bus_bits", [32, 64])
def test_an_entry_takes_its_gap_and_then_its_words(bus_bits):
    """Followed is one entry of any number, from its arrival to its last word; nothing is late."""
    config = TileConfig(bus_bits=bus_bits)

    def counts(proof):
        m, dut = proof.m, proof.dut
        entries, level = _entries(proof), proof.inner("level")
        followed = proof.constant(ExchangeEntry)
        place, gone, there = Signal(range(DEPTH)), Signal(14), Signal()
        total, reset = Signal(13), dut.arm | dut.clear
        address = Signal(20)  # of its next word
        end = (dut.fetched.gap == 0) & (dut.fetched.count == 0)
        pick, last = proof.free(), Signal()
        coming, drop = proof.inner("coming"), proof.inner("drop")
        m.d.comb += [
            Assume(~dut.grant | dut.want),
            total.eq(followed.gap + followed.count),
            Assume(total != 0),
            last.eq(there & (place == 0) & dut.advance & (gone == total - 1)),
        ]
        with m.If(reset):
            m.d.sync += there.eq(0)
        with m.Elif(~there & coming & pick & ~end):
            m.d.comb += Assume(dut.fetched.as_value() == followed.as_value())
            m.d.sync += [there.eq(1), place.eq(level - drop), gone.eq(0)]
            m.d.sync += address.eq(followed.address)
        with m.Elif(there & (place != 0)):
            m.d.sync += place.eq(place - drop)
        with m.Elif(there & dut.advance):
            m.d.sync += [gone.eq(gone + 1), there.eq(~last)]
            with m.If(dut.word):
                m.d.sync += address.eq(address + followed.stride * (bus_bits // 32))
        with m.If(there):
            waits = gone < followed.gap
            m.d.comb += [Assert(level > place), Assert(gone < total)]
            for i, entry in enumerate(entries):
                with m.If(place == i):
                    m.d.comb += [
                        Assert(entry.address == address),
                        Assert(entry.stride == followed.stride),
                        Assert(entry.gap == Mux(waits, followed.gap - gone, 0)),
                        Assert(entry.count == Mux(waits, followed.count, total - gone)),
                    ]
                    if i:
                        m.d.comb += Assert(gone == 0)
            with m.If((place == 0) & dut.advance):
                m.d.comb += [
                    Assert(dut.word == ~waits),
                    Assert(drop == last),
                    Cover(last & (followed.gap == 1) & (followed.count == 2)),
                ]

    prove(TableWalker(config, 0), counts, depth=3, reach=10)
