"""Proofs about the pipeline, with any values in place of its units."""

import pytest
from amaranth.hdl import Assert, Assume, Cover
from amaranth.lib import data

from openipu.cosim.formal import prove
from openipu.rtl.config import TileConfig
from openipu.rtl.isa import INSTRUCTIONS, File, ThreadOp, Unit
from openipu.rtl.tile import core
from openipu.rtl.tile.core import Core

pytestmark = pytest.mark.formal
SLOTS = (4, 6, 8)
KEPT = ("threads", "traps")


def _stages(proof, config):
    """Return the registers in front of stages d, x, m and w."""
    return [data.View(layout, proof.inner(name)) for name, layout in core._stages(config).items()]


@pytest.mark.parametrize("slots", SLOTS)
def test_a_result_is_written_before_its_thread_reads_again(slots):
    """A write in stage w is seen by reads that are asked for, in stage d, in later cycles."""
    config = TileConfig(slots=slots)

    def no_hazard(proof):
        m, (d, x, m_, w) = proof.m, _stages(proof, config)
        m.d.comb += Assert(proof.inner("threads.slot") < slots)
        with m.If(d.valid):
            m.d.comb += Assert(~(x.valid & proof.dut.run & (x.thread == d.thread)))
            for stage in (m_, w):
                m.d.comb += [
                    Assert(~(stage.retire & (stage.thread == d.thread))),
                    Assert(~(stage.start & (stage.rd == d.thread))),
                    Cover(stage.retire),
                    Cover(stage.start),
                ]

    prove(Core(config), no_hazard, depth=10, keep=KEPT)


def test_starting_a_worker_writes_no_register_of_its_own():
    (row,) = (row for row in INSTRUCTIONS if row.op is ThreadOp.START)
    assert row.rd is File.NONE


@pytest.mark.parametrize("slots", SLOTS)
def test_a_register_file_has_one_writer(slots):
    """The write port belongs to the instruction in stage w, or to the xstart there."""
    config = TileConfig(slots=slots)

    def one_writer(proof):
        m, (_, x, _, w) = proof.m, _stages(proof, config)
        start = (x.decoded.unit == Unit.THREAD) & (x.decoded.op == ThreadOp.START.value)
        m.d.comb += [
            Assume(~start | (x.decoded.rd_file == File.NONE)),  # by the table, see above
            Assert(~(w.start & w.retire & (w.file != File.NONE))),
            Assert(~w.start | w.retire),
            Cover(w.start),
            Cover(w.retire & (w.file == File.X)),
        ]

    prove(Core(config), one_writer, depth=6, keep=KEPT)
