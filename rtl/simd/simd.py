"""Stub."""

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from openipu.rtl.isa import SimdOp


class SIMD(wiring.Component):
    """Stub: logic only."""

    x_en: In(1)
    x_op: In(SimdOp)
    x_a: In(64)
    x_b: In(64)
    x_c: In(64)
    x_random: In(64)
    w_result: Out(64)

    def elaborate(self, platform):
        """Logic."""
        m = Module()
        x_r, m_r = Signal(64), Signal(64)
        with m.Switch(self.x_op):
            with m.Case(SimdOp.AND):
                m.d.comb += x_r.eq(self.x_a & self.x_b)
            with m.Case(SimdOp.OR):
                m.d.comb += x_r.eq(self.x_a | self.x_b)
            with m.Case(SimdOp.XOR):
                m.d.comb += x_r.eq(self.x_a ^ self.x_b)
            with m.Case(SimdOp.ANDN):
                m.d.comb += x_r.eq(self.x_a & ~self.x_b)
            with m.Case(SimdOp.SELECT):
                m.d.comb += x_r.eq((self.x_a & self.x_b) | (~self.x_a & self.x_c))
        m.d.sync += [m_r.eq(x_r), self.w_result.eq(m_r)]
        return m
