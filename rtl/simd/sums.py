"""Sums of the lanes of a word."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from openipu.rtl.floating.add import Add
from openipu.rtl.floating.format import F16, F32
from openipu.rtl.floating.half import HalfProduct, Widen
from openipu.rtl.isa import SimdOp

LANES = 64 // F16.width
NEGATIVE_ZERO = F32.constant(sign=1)
"""Adding it changes nothing."""


class Sums(wiring.Component):
    """Adds the lanes of a word, or their products, and an f32, rounding each sum to f32.

    Takes one operation a cycle, and has its result two clock edges later: one level of adders in
    each of the stages x, m and w.

    Members
    -------
    x_op : In(SimdOp)
        H4_SUM, S2_SUM or H4_DOT; others give nothing useful.
    x_a, x_b : In(64)
        Words.
    x_c : In(32)
        What is added last.
    w_result : Out(32)
        The sum of what was in stage x two clock edges ago.
    """

    x_op: In(SimdOp)
    x_a: In(64)
    x_b: In(64)
    x_c: In(F32.width)
    w_result: Out(F32.width)

    def elaborate(self, platform):
        """Products, by 1 in a plain sum; then the tree."""
        m = Module()
        x_singles = Signal()
        x_dot = Signal()
        m.d.comb += [
            x_singles.eq(self.x_op == SimdOp.S2_SUM),
            x_dot.eq(self.x_op == SimdOp.H4_DOT),
        ]
        x_terms = []
        for lane in range(LANES):
            place = slice(lane * F16.width, (lane + 1) * F16.width)
            m.submodules[f"widen_a_{lane}"] = widen_a = Widen()
            m.submodules[f"widen_b_{lane}"] = widen_b = Widen()
            m.submodules[f"product_{lane}"] = product = HalfProduct()
            m.d.comb += [
                widen_a.a.eq(self.x_a[place]),
                widen_b.a.eq(Mux(x_dot, self.x_b[place], F16.one)),
                product.a.eq(widen_a.result),
                product.b.eq(widen_b.result),
            ]
            x_terms.append(product.result)

        m.submodules.x_low = x_low = Add()
        m.submodules.x_high = x_high = Add()
        m.submodules.m_both = m_both = Add()
        m.submodules.w_all = w_all = Add()
        m_c = Signal(F32.width)
        m.d.comb += [
            x_low.a.eq(Mux(x_singles, self.x_a[: F32.width], x_terms[0])),
            x_low.b.eq(Mux(x_singles, self.x_a[F32.width :], x_terms[1])),
            x_high.a.eq(x_terms[2]),
            x_high.b.eq(x_terms[3]),
            self.w_result.eq(w_all.result),
        ]
        m.d.sync += [
            m_both.a.eq(x_low.result),
            m_both.b.eq(Mux(x_singles, NEGATIVE_ZERO, x_high.result)),
            m_c.eq(self.x_c),
            w_all.a.eq(m_c),
            w_all.b.eq(m_both.result),
        ]
        return m
