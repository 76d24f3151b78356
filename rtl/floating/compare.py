"""What needs no rounding: minimum, maximum, comparisons, classes, signs and moves."""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from openipu.rtl.floating.format import F16, F32
from openipu.rtl.floating.half import boxed
from openipu.rtl.floating.order import Order
from openipu.rtl.isa import FpuOp


class Compare(wiring.Component):
    """Compares, classifies and moves binary32 numbers. Combinational.

    Members
    -------
    op : In(FpuOp)
        SGNJ to CLASS, or a move; others give nothing useful.
    a, b : In(32)
        Operands, binary32.
    i : In(32)
        What MV_W_X and MV_H_X move.
    result : Out(32)
    invalid : Out(1)
        The only exception that any of these can raise.
    """

    op: In(FpuOp)
    a: In(32)
    b: In(32)
    i: In(32)
    result: Out(32)
    invalid: Out(1)

    def elaborate(self, platform):
        """Compare once; every operation chooses from that."""
        m = Module()
        a, b = F32(self.a), F32(self.b)
        m.submodules.order = order = Order(F32)
        unordered = Signal()
        signalling = Signal()
        m.d.comb += [
            order.a.eq(self.a),
            order.b.eq(self.b),
            unordered.eq(a.is_nan | b.is_nan),
            signalling.eq(a.is_signalling | b.is_signalling),
        ]

        subnormal = (a.exponent == 0) & ~a.is_zero
        normal = ~a.is_zero & ~subnormal & ~a.exponent.all()
        ascending = [a.is_zero, subnormal, normal, a.is_infinite]
        classes = Cat(
            *(a.sign & kind for kind in reversed(ascending)),
            *(~a.sign & kind for kind in ascending),
            a.is_signalling,
            a.is_nan & ~a.is_signalling,
        )
        with m.Switch(self.op):
            with m.Case(FpuOp.SGNJ):
                m.d.comb += self.result.eq(Cat(a.magnitude, b.sign))
            with m.Case(FpuOp.SGNJN):
                m.d.comb += self.result.eq(Cat(a.magnitude, ~b.sign))
            with m.Case(FpuOp.SGNJX):
                m.d.comb += self.result.eq(Cat(a.magnitude, a.sign ^ b.sign))
            with m.Case(FpuOp.MIN):
                m.d.comb += [self.result.eq(order.least), self.invalid.eq(signalling)]
            with m.Case(FpuOp.MAX):
                m.d.comb += [self.result.eq(order.greatest), self.invalid.eq(signalling)]
            with m.Case(FpuOp.EQ):
                m.d.comb += [self.result.eq(order.equal), self.invalid.eq(signalling)]
            with m.Case(FpuOp.LT):
                m.d.comb += [self.result.eq(order.less), self.invalid.eq(unordered)]
            with m.Case(FpuOp.LE):
                m.d.comb += [
                    self.result.eq(order.less | order.equal),
                    self.invalid.eq(unordered),
                ]
            with m.Case(FpuOp.CLASS):
                m.d.comb += self.result.eq(classes)
            with m.Case(FpuOp.MV_X_W):
                m.d.comb += self.result.eq(self.a)
            with m.Case(FpuOp.MV_W_X):
                m.d.comb += self.result.eq(self.i)
            with m.Case(FpuOp.MV_X_H):
                m.d.comb += self.result.eq(self.a[: F16.width].as_signed())
            with m.Case(FpuOp.MV_H_X):
                m.d.comb += self.result.eq(boxed(self.i[: F16.width]))
        return m
