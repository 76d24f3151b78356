"""From f16 to f32 without rounding."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from openipu.rtl.floating.format import F16, F32
from openipu.rtl.floating.shift import LeadingZeros

SPARE = F32.fraction_bits - F16.fraction_bits
"""Low fraction bits of an f32 that are zero where it is the value of an f16."""


class Widen(wiring.Component):
    """Gives the f32 of an f16; a NaN becomes canonical. Combinational.

    Members
    -------
    a : In(16)
    result : Out(32)
    """

    a: In(F16.width)
    result: Out(F32.width)

    def elaborate(self, platform):
        """Normalise: in f32 no f16 is subnormal."""
        m = Module()
        a = F16(self.a)
        m.submodules.zeros = zeros = LeadingZeros(F16.precision)
        normal, exponent = Signal(F16.precision), Signal(F32.exponent_bits)
        m.d.comb += [
            zeros.value.eq(a.significand),
            normal.eq(a.significand << zeros.count),
            exponent.eq(a.scale + (F32.bias - F16.bias) - zeros.count),
        ]
        fraction = Cat(Const(0, SPARE), normal[:-1])
        with m.If(a.is_nan):
            m.d.comb += self.result.eq(F32.nan)
        with m.Elif(a.is_infinite):
            m.d.comb += self.result.eq(Cat(F32.infinity[:-1], a.sign))
        with m.Else():
            m.d.comb += self.result.eq(Cat(fraction, Mux(normal[-1], exponent, 0), a.sign))
        return m


class HalfProduct(wiring.Component):
    """Multiplies two f16, both given and the product as f32, which is exact. Combinational.

    Members
    -------
    a, b : In(32)
        Factors, as `Widen` gives them.
    result : Out(32)
        A NaN is canonical.
    """

    a: In(F32.width)
    b: In(F32.width)
    result: Out(F32.width)

    def elaborate(self, platform):
        """Multiply significands of f16; the product's leading one is its top bit or the next."""
        m = Module()
        a, b = F32(self.a), F32(self.b)
        product = Signal(2 * F16.precision)
        exponent = Signal(F32.exponent_bits)
        fraction = Signal(F32.fraction_bits)
        high = product[-1]
        m.d.comb += [
            product.eq(a.significand[SPARE:] * b.significand[SPARE:]),
            exponent.eq(a.exponent + b.exponent - F32.bias + high),
            fraction.eq(Mux(high, product, product.shift_left(1))[:-1].shift_left(2)),
        ]
        negative, zero = Signal(), Signal()
        m.d.comb += [negative.eq(a.sign ^ b.sign), zero.eq(~a.exponent.any() | ~b.exponent.any())]
        with m.If(a.exponent.all() | b.exponent.all()):
            nan = a.is_nan | b.is_nan | zero
            m.d.comb += self.result.eq(Mux(nan, F32.nan, Cat(F32.infinity[:-1], negative)))
        with m.Elif(zero):
            m.d.comb += self.result.eq(Cat(Const(0, F32.width - 1), negative))
        with m.Else():
            m.d.comb += self.result.eq(Cat(fraction, exponent, negative))
        return m
