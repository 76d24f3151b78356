"""The integer multiplier."""

from amaranth.hdl import Cat, Module, Mux, Signal, signed
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from openipu.rtl.isa import MultiplyOp


class Multiplier(wiring.Component):
    """32 x 32 bits; a result two cycles after the operands, one operation a cycle.

    Members
    -------
    x_op : In(MultiplyOp)
        Signs, and which half.
    x_a, x_b : In(32)
        Operands.
    w_result : Out(32)
        Two cycles later.
    """

    x_op: In(MultiplyOp)
    x_a: In(32)
    x_b: In(32)
    w_result: Out(32)

    def elaborate(self, platform):
        """Extend in x, multiply in m, choose the half in w."""
        m = Module()
        x_signed_a = (self.x_op == MultiplyOp.MULH) | (self.x_op == MultiplyOp.MULHSU)
        x_signed_b = self.x_op == MultiplyOp.MULH
        m_a = Signal(signed(33))
        m_b = Signal(signed(33))
        m_low = Signal()
        w_product = Signal(signed(66))
        w_low = Signal()
        m.d.sync += [
            m_a.eq(Cat(self.x_a, self.x_a[31] & x_signed_a).as_signed()),
            m_b.eq(Cat(self.x_b, self.x_b[31] & x_signed_b).as_signed()),
            m_low.eq(self.x_op == MultiplyOp.MUL),
            w_product.eq(m_a * m_b),
            w_low.eq(m_low),
        ]
        m.d.comb += self.w_result.eq(Mux(w_low, w_product[:32], w_product[32:64]))
        return m
