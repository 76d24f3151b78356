"""The greatest lane of a word."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from openipu.rtl.floating.format import F16, F32
from openipu.rtl.floating.order import Order


class Greatest(wiring.Component):
    """Finds the greatest of four f16 or of two f32, as `Order` does.

    Takes one operation a cycle, and has its result two clock edges later.

    Members
    -------
    x_singles : In(1)
        High: two f32; low: four f16.
    x_a : In(64)
        The word.
    w_result : Out(32)
        The greatest of what was in stage x two clock edges ago; above an f16 are ones.
    """

    x_singles: In(1)
    x_a: In(64)
    w_result: Out(F32.width)

    def elaborate(self, platform):
        """Compare pairs of f16 in x and the winners in m; f32 are done in x."""
        m = Module()
        m.submodules.x_single = x_single = Order(F32)
        m.submodules.x_low = x_low = Order(F16)
        m.submodules.x_high = x_high = Order(F16)
        m.submodules.m_half = m_half = Order(F16)
        m_best = Signal(F32.width)
        m_singles = Signal()
        half = F16.width
        m.d.comb += [
            Cat(x_single.a, x_single.b).eq(self.x_a),
            Cat(x_low.a, x_low.b, x_high.a, x_high.b).eq(self.x_a),
            Cat(m_half.a, m_half.b).eq(m_best),
        ]
        m.d.sync += [
            m_singles.eq(self.x_singles),
            m_best.eq(Mux(self.x_singles, x_single.greatest, Cat(x_low.greatest, x_high.greatest))),
            self.w_result.eq(
                Mux(m_singles, m_best, Cat(m_half.greatest, Const(-1, F32.width - half)))
            ),
        ]
        return m
