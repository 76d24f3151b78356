"""Proofs about where workers meet."""

import pytest
from amaranth.hdl import Assert, Assume, Cover, Signal

from openipu.cosim.formal import prove
from openipu.rtl.config import TileConfig
from openipu.rtl.tile.meeting import Meeting

pytestmark = pytest.mark.formal


@pytest.mark.parametrize("slots", [4, 6, 8])
def test_nobody_goes_on_before_all_that_run_have_arrived(slots):
    """Seen by one worker that waits; another, with it, has been let through as often or once less.

    Each meeting has a number: how many a worker has left. Workers may begin and end at any time,
    but who waits at an xmeet doesn't end.
    """

    def together(proof):
        m, dut = proof.m, proof.dut
        one, other = (proof.constant(range(slots), name=name) for name in ("one", "other"))
        m.d.comb += [Assume(one < slots), Assume(other < slots), Assume(one != other)]
        m.d.comb += [Assume(~dut.x_meet | (dut.x_thread < slots)), Assume(dut.run)]
        m.d.comb += Assume(
            ~dut.x_meet | dut.running.bit_select(dut.x_thread, 1)
        )
        arrived, free = proof.inner("arrived"), proof.inner("free")
        waits = []
        for worker in (one, other):
            waiting = Signal()
            here = dut.x_meet & (dut.x_thread == worker)
            with m.If(here):
                m.d.sync += waiting.eq(~dut.x_over)
            m.d.comb += [
                Assume(~waiting | dut.running.bit_select(worker, 1)),
                Assert(
                    waiting == (arrived | free).bit_select(worker, 1)
                ),
                Assert(~(arrived & free).bit_select(worker, 1)),
            ]
            waits.append((here, waiting))
        (here, _), (_, other_waits) = waits
        # Who goes on finds the other at the meeting too, or ended; or was let through before.
        leaves = here & dut.x_over & ~free.bit_select(one, 1)
        with m.If(leaves & dut.running.bit_select(other, 1)):
            m.d.comb += [
                Assert(other_waits & arrived.bit_select(other, 1)),
                Cover(1),
            ]
        # And then the other is let through as well, at its next issue.
        was = Signal()
        m.d.sync += was.eq(leaves & dut.running.bit_select(other, 1))
        with m.If(was):
            m.d.comb += Assert(free.bit_select(other, 1))
        with m.If(dut.x_meet & (dut.x_thread == other) & free.bit_select(other, 1)):
            m.d.comb += [Assert(dut.x_over), Cover(1)]
        # Only a meeting that somebody leaves so lets others through.
        before = proof.history(free.bit_select(other, 1), 1)
        opened = proof.history(dut.x_meet & dut.x_over, 1)
        with m.If(free.bit_select(other, 1) & ~before):
            m.d.comb += Assert(opened)

    prove(Meeting(TileConfig(slots=slots)), together, depth=4)
