import re

import pytest
from amaranth.hdl import Assert, Assume, Cover, Module, Signal
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out

from openipu.cosim.formal import Refuted, prove

pytestmark = pytest.mark.formal


class Counter(wiring.Component):
    """Counts to 9 and begins again; a part of it says when."""

    step: In(1)
    count: Out(4)

    def elaborate(self, platform):
        m = Module()
        m.submodules.wrap = wrap = Last()
        m.d.comb += wrap.count.eq(self.count)
        with m.If(self.step):
            m.d.sync += self.count.eq(self.count + 1)
            with m.If(wrap.last):
                m.d.sync += self.count.eq(0)
        return m


class Last(wiring.Component):
    count: In(4)
    last: Out(1)

    def elaborate(self, platform):
        m = Module()
        m.d.comb += self.last.eq(self.count == 9)
        return m


class Store(wiring.Component):
    """Two rows, each written by its half of the strobe."""

    address: In(1)
    data: In(8)
    strobe: In(2)
    there: Out(8)
    later: Out(8)

    def elaborate(self, platform):
        m = Module()
        m.submodules.rows = rows = memory.Memory(shape=8, depth=2, init=[])
        write = rows.write_port(granularity=4)
        read, now = rows.read_port(), rows.read_port(domain="comb")
        for port in (write, read, now):
            m.d.comb += port.addr.eq(self.address)
        m.d.comb += [
            write.en.eq(self.strobe), write.data.eq(self.data),
            self.there.eq(now.data), self.later.eq(read.data),
        ]  # fmt: skip
        return m


def test_what_holds_is_proved():
    def holds(proof):
        proof.m.d.comb += [Assert(proof.dut.count <= 9), Cover(proof.dut.count == 3)]

    prove(Counter(), holds, depth=4)


def test_what_fails_soon_is_found():
    def soon(proof):
        proof.m.d.comb += Assert(proof.dut.count < 3)

    with pytest.raises(Refuted, match=r"^fails in the first cycles; see .*trace.vcd\n"):
        prove(Counter(), soon, depth=4)


def test_what_fails_late_is_not_proved():
    def late(proof):
        proof.m.d.comb += Assert(proof.dut.count < 9)

    with pytest.raises(Refuted, match=r"^isn't inductive; see"):
        prove(Counter(), late, depth=4)


def test_a_cover_must_be_possible():
    def impossible(proof):
        proof.m.d.comb += [Assume(~proof.dut.step), Cover(proof.dut.count == 1)]

    with pytest.raises(Refuted, match=r"^can't be reached; see"):
        prove(Counter(), impossible, depth=4)


def test_assumptions_must_be_possible():
    def contradiction(proof):
        proof.m.d.comb += [Assume(proof.dut.count == 1), Assert(0)]

    with pytest.raises(Refuted, match=r"^fails in the first cycles"):
        prove(Counter(), contradiction, depth=4)


def test_what_is_left_out_does_anything():
    def inside(proof):
        proof.m.d.comb += [Assert(proof.dut.count <= 9), Cover(proof.inner("wrap.last"))]

    prove(Counter(), inside, depth=4, reach=11)
    prove(Counter(), inside, depth=4, reach=11, keep=("wrap",))
    with pytest.raises(Refuted, match=r"^isn't inductive; see"):
        prove(Counter(), inside, depth=4, keep=())


@pytest.mark.parametrize("name", ["wrap.first", "last"])
def test_a_signal_that_is_not_there(name):
    def asks(proof):
        with pytest.raises(KeyError, match=f"^'0 signals are called {re.escape(name)}'$"):
            proof.inner(name)

    prove(Counter(), asks, depth=1)


def test_free_constant_and_past_values():
    def values(proof):
        m, dut = proof.m, proof.dut
        free, constant = proof.free(4), proof.constant(4)
        before, seen = Signal(4), Signal()
        m.d.sync += [before.eq(constant), seen.eq(1)]
        stepped = proof.history(dut.step, 2)
        m.d.comb += [
            Assert(~seen | (constant == before)),
            Assert(~(stepped == 0b10) | ~stepped[0]),
            Cover((free == 3) & (constant == 5)),
            Cover((stepped == 0b10) & (dut.count == 1)),
        ]

    prove(Counter(), values, depth=4)


def test_memories_are_registers():
    def rows(proof):
        m, dut = proof.m, proof.dut
        row = proof.inner("rows.row_1")
        address, there, written = Signal(), Signal(8), Signal()
        m.d.sync += [address.eq(dut.address), there.eq(dut.there), written.eq(1)]
        m.d.comb += [
            Assume(dut.strobe != 2),
            Assert(row[4:] == 0),
            Assert(~dut.address | (dut.there == row)),
            Assert(~written | (dut.later == there)),
            Cover(dut.later == 0),
            Cover((row == 7) | (row == 0x35)),
        ]

    def no_high_half(proof):
        rows(proof)
        proof.m.d.comb += Assume(proof.dut.strobe != 3)

    with pytest.raises(Refuted, match=r"^fails in the first"):
        prove(Store(), rows, depth=4)
    prove(Store(), no_high_half, depth=4)
