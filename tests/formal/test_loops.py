"""Proofs about the hardware loop."""

import pytest
from amaranth.hdl import Assert, Assume, Cover, Signal
from amaranth.lib import data

from openipu.cosim.formal import prove
from openipu.rtl.config import TileConfig
from openipu.rtl.isa import LOOP_BODY
from openipu.rtl.tile.loops import Loop, Loops

pytestmark = pytest.mark.formal


def test_a_body_is_executed_as_often_as_its_xrpt_says():
    """Seen from one thread; the others do anything."""

    def iterations(proof):
        m, dut = proof.m, proof.dut
        thread, here = proof.constant(range(7)), Signal()
        on, count, done = Signal(), Signal(32), Signal(32)  # done: iterations that are over
        first, length, at_last = Signal(32), Signal(12), Signal()
        last = Signal(32)
        m.d.comb += [
            here.eq(dut.x_thread == thread),
            last.eq(first + ((length - 1) << 2)),
            at_last.eq(on & (dut.x_pc == last)),
            Assume(thread < 7),
            # What the core promises.
            Assume(~(dut.x_repeat & (dut.x_bad_length | dut.x_inside | ~dut.x_retire))),
            Assume(~(dut.w_start & (dut.w_start_worker == dut.x_thread) & dut.x_retire)),
            Assert(dut.x_bad_length == ((dut.x_length < 1) | (dut.x_length > LOOP_BODY))),
        ]
        with m.If(here):
            m.d.comb += [
                Assert(dut.x_again == (at_last & (done + 1 < count))),
                Assert(~dut.x_again | (dut.x_first == first)),
                Assert(dut.x_inside == (on & (dut.x_pc >= first) & (dut.x_pc <= last))),
                Cover(dut.x_again & (done == 1)),
                Cover(at_last & ~dut.x_again & (count == 2)),
            ]
            with m.If(dut.x_repeat):
                m.d.sync += [
                    on.eq(dut.x_count != 0), count.eq(dut.x_count), done.eq(0),
                    first.eq(dut.x_pc + 4), length.eq(dut.x_length),
                ]  # fmt: skip
            with m.Elif(dut.x_retire & at_last):
                m.d.sync += [done.eq(done + 1), on.eq(dut.x_again)]
        with m.If((dut.w_start & (dut.w_start_worker == thread)) | ~dut.run):
            m.d.sync += on.eq(0)

        # The registers behind it.
        m.d.comb += Assert(proof.inner("active").bit_select(thread, 1) == on)
        for context in range(7):
            row = data.View(Loop, proof.inner(f"loop.storage.row_{context}"))
            with m.If(on & (thread == context)):
                m.d.comb += [
                    Assert(proof.inner("loop.written")[context]),
                    Assert((row.first == first) & (row.last == last)),
                    Assert(row.left == (count - 1 - done)[:32]),
                    Assert(done < count),
                ]

    prove(Loops(TileConfig()), iterations, depth=1, reach=8)
