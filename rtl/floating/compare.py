"""What needs no rounding: minimum, maximum, comparisons, classes, signs and moves."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from openipu.rtl.floating.common import NAN, Float32
from openipu.rtl.isa import FpuOp


class Compare(wiring.Component):
    """Compares, classifies and moves binary32 numbers. Combinational.

    Members
    -------
    op : In(FpuOp)
        SGNJ to CLASS, MV_X_W or MV_W_X; others give nothing useful.
    a, b : In(32)
        Operands, binary32.
    i : In(32)
        What MV_W_X moves.
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
        """Compare magnitudes once; every operation chooses from that."""
        m = Module()
        a, b = Float32(self.a), Float32(self.b)
        below, equal, less = Signal(), Signal(), Signal()
        unordered, signalling = Signal(), Signal()
        m.d.comb += [
            unordered.eq(a.is_nan | b.is_nan),
            signalling.eq(a.is_signalling | b.is_signalling),
            equal.eq((self.a == self.b) | (a.is_zero & b.is_zero)),
            # In the order of minimum and maximum, where -0 is below +0.
            below.eq(
                Mux(
                    a.sign == b.sign,
                    Mux(a.sign, b.magnitude < a.magnitude, a.magnitude < b.magnitude),
                    a.sign,
                )
            ),
            less.eq(below & ~equal),
        ]
        take_a = Signal()
        m.d.comb += take_a.eq(b.is_nan | (~a.is_nan & (below ^ (self.op == FpuOp.MAX))))

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
            with m.Case(FpuOp.MIN, FpuOp.MAX):
                m.d.comb += [
                    self.result.eq(
                        Mux(a.is_nan & b.is_nan, NAN, Mux(take_a, self.a, self.b))
                    ),
                    self.invalid.eq(signalling),
                ]
            with m.Case(FpuOp.EQ):
                m.d.comb += [
                    self.result.eq(equal & ~unordered),
                    self.invalid.eq(signalling),
                ]
            with m.Case(FpuOp.LT):
                m.d.comb += [
                    self.result.eq(less & ~unordered),
                    self.invalid.eq(unordered),
                ]
            with m.Case(FpuOp.LE):
                m.d.comb += [
                    self.result.eq((less | equal) & ~unordered),
                    self.invalid.eq(unordered),
                ]
            with m.Case(FpuOp.CLASS):
                m.d.comb += self.result.eq(classes)
            with m.Case(FpuOp.MV_X_W):
                m.d.comb += self.result.eq(self.a)
            with m.Case(FpuOp.MV_W_X):
                m.d.comb += self.result.eq(self.i)
        return m
