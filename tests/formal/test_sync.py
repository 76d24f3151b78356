"""Proofs about the barrier: the tree of tiles' reports and what decides on it."""

import pytest
from amaranth.hdl import Assert, Assume, Cat, Cover, Module, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from openipu.cosim.formal import prove
from openipu.rtl.config import ChipConfig
from openipu.rtl.exchange.sync import Barrier
from openipu.rtl.host.report import (
    ABSENT,
    FAN_IN,
    Report,
    ReportLeaves,
    ReportTree,
    TileReport,
    groups_of,
)
from openipu.rtl.isa import Zone

pytestmark = pytest.mark.formal


class Chip(wiring.Component):
    """The barrier of a chip, between its tiles."""

    def __init__(self, tiles):
        self.chip = ChipConfig(tiles=tiles)
        super().__init__(
            {
                "tiles": In(data.ArrayLayout(TileReport, tiles)),
                "run": In(1),
                "freeze": In(1),
                "step": In(1),
                "go": In(1),
                "sync_release": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.tree = tree = ReportTree(self.chip)
        m.submodules.barrier = barrier = Barrier()
        tiles = list(self.tiles)
        for group in range(groups_of(self.chip)):
            m.submodules[f"leaves_{group}"] = leaves = ReportLeaves()
            for i in range(FAN_IN):
                number = group * FAN_IN + i
                m.d.comb += leaves.tiles[i].eq(tiles[number] if number < len(tiles) else ABSENT)
            m.d.comb += tree.reports[group].eq(leaves.report)
        m.d.comb += [barrier.report.eq(tree.report), self.sync_release.eq(barrier.sync_release)]
        for name in ("run", "freeze", "step", "go"):
            m.d.comb += getattr(barrier, name).eq(getattr(self, name))
        return m


def _tiles(proof):
    """Assume of the tiles what `Barrier` says of them; return who waits, and who is halted."""
    m, dut = proof.m, proof.dut
    waits, halted = [], []
    for number, tile in enumerate(dut.tiles):
        waiting, zone = Signal(name=f"waiting_{number}"), Signal(2, name=f"zone_{number}")
        was_halted, released = Signal(name=f"halted_{number}"), Signal(name=f"released_{number}")
        waits.append(tile.sync_request & ~tile.halted)
        halted.append(tile.halted)
        m.d.sync += [
            waiting.eq(waits[-1]), zone.eq(tile.sync_zone), released.eq(dut.sync_release),
            was_halted.eq(tile.halted),
        ]  # fmt: skip
        m.d.comb += [
            Assume(tile.sync_zone <= Zone.HOST.value),
            Assume(dut.run | ~(tile.sync_request | tile.halted)),
            Assume(~(was_halted & dut.run) | tile.halted),
        ]
        with m.If(waiting & dut.run):
            with m.If(released):
                m.d.comb += Assume(~tile.sync_request & ~tile.halted)
            with m.Else():
                m.d.comb += Assume(tile.sync_request & ~tile.halted & (tile.sync_zone == zone))
    return Cat(waits), Cat(halted)


@pytest.mark.parametrize("tiles", [1, 3, 9])
def test_a_barrier_is_passed_when_all_tiles_are_there(tiles):
    levels = ChipConfig(tiles=tiles).sync_levels

    def all_or_none(proof):
        m, dut = proof.m, proof.dut
        waits, halted = _tiles(proof)
        all_ask = (waits | halted).all()
        report = data.View(Report, proof.inner("tree.report"))
        # Reports of before have left the tree when the chip starts again.
        ran = proof.history(dut.run, levels + 1)
        m.d.comb += Assume(~dut.run | ran[0] | ~ran.any())
        with m.If(dut.run & report.ask):
            with m.If(proof.inner("barrier.passed")):
                released = proof.history(dut.sync_release, levels + 1)
                m.d.comb += Assert(dut.sync_release | released.any())
            with m.Else():
                m.d.comb += Assert(all_ask)  # and wait for what the barrier decides
        with m.If(dut.run & dut.sync_release):
            m.d.comb += [Assert(all_ask), Assert(waits.any()), Cover(waits.all())]
            for tile, here in zip(dut.tiles, waits, strict=True):
                for other, there in zip(dut.tiles, waits, strict=True):
                    m.d.comb += Assert(~(here & there) | (tile.sync_zone == other.sync_zone))
            if tiles > 1:
                m.d.comb += Cover(halted.any())

        zones = Cat(
            ~here | (tile.sync_zone == Zone.CHIP.value)
            for tile, here in zip(dut.tiles, waits, strict=True)
        )
        ready = Signal()
        m.d.comb += [
            ready.eq(all_ask & waits.any() & zones.all() & dut.run & ~dut.freeze & ~dut.step),
            Assert(~(ready & proof.history(ready, levels + 2).all())),  # not longer
            Cover(ready & proof.history(ready, levels + 1).all()),
        ]

    prove(Chip(tiles), all_or_none, depth=2 * levels + 6)
