"""Proofs that a unit which threads share gives each result to the thread that asked for it."""

import pytest
from amaranth.hdl import Assert, Cover, Signal

from openipu.cosim.formal import prove
from openipu.rtl.config import TileConfig
from openipu.rtl.tile.claim import Claim

pytestmark = pytest.mark.formal


@pytest.mark.parametrize("slots", [4, 6, 8])
def test_a_result_goes_to_the_thread_whose_operation_was_begun_last(slots):
    """Whatever the unit says of being busy; and once only, with nothing begun in its place."""

    def result_of_own_operation(proof):
        m, dut = proof.m, proof.dut
        begun, by = Signal(), Signal.like(dut.x_thread)
        with m.If(dut.x_start):
            m.d.sync += [begun.eq(1), by.eq(dut.x_thread)]
        with m.If(dut.x_ready | ~dut.run):
            m.d.sync += begun.eq(0)
        taken_away = dut.x_start & begun
        m.d.comb += [
            Assert(proof.inner("owned") == begun),
            Assert(~begun | (proof.inner("owner") == by)),
            Assert(~(dut.x_ready & dut.x_start)),
            Cover(dut.x_ready),
            Cover(taken_away & (dut.x_thread != by)),
        ]
        with m.If(dut.x_ready):
            m.d.comb += Assert(begun & (by == dut.x_thread) & dut.x_request & ~dut.busy)
        with m.If(taken_away):
            m.d.comb += Assert((by == slots) & dut.x_crowded)
        with m.If(dut.run & dut.x_request & ~dut.x_start & ~dut.x_ready):  # it finds it in use
            m.d.comb += Assert(begun & (dut.busy | (by != dut.x_thread)))

    prove(Claim(TileConfig(slots=slots)), result_of_own_operation, depth=4)
