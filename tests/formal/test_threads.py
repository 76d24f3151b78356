"""Proofs about the rotation of the issue slots, of which the pipeline's timing follows."""

import pytest
from amaranth.hdl import Assert, Assume, Cover, Signal

from openipu.cosim.formal import prove
from openipu.rtl.config import TileConfig
from openipu.rtl.tile.threads import SUPERVISOR_SPACING, Threads

pytestmark = pytest.mark.formal
SLOTS = (4, 5, 6, 8)


@pytest.mark.parametrize("slots", SLOTS)
def test_a_running_worker_issues_once_in_each_rotation(slots):
    def one_issue_in_a_rotation(proof):
        m, dut = proof.m, proof.dut
        worker, runs, issues = proof.constant(range(slots)), Signal(), Signal()
        m.d.comb += [
            Assume(worker < slots),
            runs.eq(dut.run & ~dut.freeze & dut.running.bit_select(worker, 1)),
            issues.eq(dut.f_valid & (dut.f_thread == worker)),
            Assert(proof.inner("slot") < slots),
        ]
        ran, issued = (proof.history(event, slots - 1) for event in (runs, issues))
        with m.If(ran.all() & runs):
            m.d.comb += [Assert(sum(issued, issues) == 1), Cover(issues), Cover(~issues)]

    prove(Threads(TileConfig(slots=slots)), one_issue_in_a_rotation, depth=2 * slots)


@pytest.mark.parametrize("slots", SLOTS)
def test_fetches_of_a_thread_are_as_far_apart_as_the_pipeline_needs(slots):
    def spacing(proof):
        m, dut = proof.m, proof.dut
        thread, issues = proof.constant(range(slots + 1)), Signal()
        m.d.comb += [
            issues.eq(dut.f_valid & (dut.f_thread == thread)),
            Assert(proof.inner("slot") < slots),
            Cover(issues & (thread == slots)),
        ]
        before, ran = (
            proof.history(event, SUPERVISOR_SPACING - 1) for event in (issues, dut.run)
        )
        with m.If(ran.all() & before.any()):  # as run falls, the pipeline forgets what is in it
            m.d.comb += Assert(~issues)

    prove(Threads(TileConfig(slots=slots)), spacing, depth=2 * SUPERVISOR_SPACING)


@pytest.mark.parametrize("slots", SLOTS)
def test_the_supervisor_issues_only_in_a_slot_that_its_worker_leaves(slots):
    def who_issues(proof):
        m, dut = proof.m, proof.dut
        slot = proof.inner("slot")
        m.d.comb += Assert(slot < slots)
        with m.If(dut.f_valid):
            m.d.comb += [
                Assert(dut.running.bit_select(dut.f_thread, 1)),
                Assert(dut.run & ~dut.freeze),
                Assert(dut.f_pc == dut.pcs[dut.f_thread]),
            ]
            with m.If(dut.f_thread == slots):
                m.d.comb += [Assert(~dut.running.bit_select(slot, 1)), Assert(~dut.waiting)]
            with m.Else():
                m.d.comb += Assert(dut.f_thread == slot)

    prove(Threads(TileConfig(slots=slots)), who_issues, depth=4)
