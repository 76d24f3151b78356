"""Between f16 and f32."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value, signed
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from openipu.rtl.floating.common import Special, exact_of, sum_bits
from openipu.rtl.floating.format import F16, F32
from openipu.rtl.floating.shift import JammingShifter, LeadingZeros

SPARE = F32.fraction_bits - F16.fraction_bits
"""Low fraction bits of an f32 that are zero where it is the value of an f16."""


LEAST_SCALE = F32.bias - F16.bias
"""An f32's biased exponent where that of an f16 is 0."""


def boxed(half: Value) -> Value:
    """Return an f16 as an f register holds it: with ones above."""
    above = F32.width - F16.width
    return Cat(half, Const((1 << above) - 1, above))


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
        normal = Signal(F16.precision)
        exponent = Signal(F32.exponent_bits)
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


class FromHalf(wiring.Component):
    """Gives the f32 of the f16 in an f register. Combinational.

    Members
    -------
    a : In(32)
        The register; what has no ones above the f16 counts as a NaN.
    result : Out(32)
        A NaN is canonical.
    invalid : Out(1)
        The f16 is a signalling NaN.
    """

    a: In(F32.width)
    result: Out(F32.width)
    invalid: Out(1)

    def elaborate(self, platform):
        """Look above it first."""
        m = Module()
        m.submodules.widen = widen = Widen()
        half = Signal(F16)
        m.d.comb += [
            half.eq(Mux(self.a[F16.width :].all(), self.a[: F16.width], F16.nan)),
            widen.a.eq(half),
            self.result.eq(widen.result),
            self.invalid.eq(half.is_signalling),
        ]
        return m


class ToHalf(wiring.Component):
    """Prepares an f32 for one rounding to f16 by `common.Round` in stage w.

    Takes one operation a cycle, and has its result two clock edges later.

    Members
    -------
    x_a : In(32)
    w_exact : Out(exact_of(F16))
        The number that was in stage x two clock edges ago.
    """

    x_a: In(F32.width)
    w_exact: Out(exact_of(F16))

    def elaborate(self, platform):
        """In stage m, shift to the right what is less than the least normal f16."""
        m = Module()
        m_a = Signal(F32)
        m_scale = Signal(signed(F32.exponent_bits + 1))
        m_exact = Signal(exact_of(F16))
        m.submodules.shifter = shifter = JammingShifter(sum_bits(F16))
        small = m_scale < 1
        m_depth = Signal(F32.exponent_bits)
        far = (1 << len(shifter.amount)) - 1
        m.d.sync += [m_a.eq(self.x_a), self.w_exact.eq(m_exact)]
        m.d.comb += [
            m_scale.eq(m_a.scale - LEAST_SCALE),
            m_depth.eq(Mux(small, 1 - m_scale, 0)),
            shifter.amount.eq(Mux(m_depth < far, m_depth, far)),
            shifter.value.eq(m_a.significand.shift_left(sum_bits(F16) - F32.precision)),
            m_exact.significand.eq(shifter.result),
            m_exact.exponent.eq(
                Mux(small, 1, Mux(m_scale < F16.max_exponent, m_scale, F16.max_exponent))
            ),
            m_exact.negative.eq(m_a.sign),
        ]
        with m.If(m_a.is_signalling):
            m.d.comb += m_exact.special.eq(Special.INVALID)
        with m.Elif(m_a.is_nan):
            m.d.comb += m_exact.special.eq(Special.NAN)
        with m.Elif(m_a.is_infinite):
            m.d.comb += m_exact.special.eq(Special.INFINITE)
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
        negative = Signal()
        zero = Signal()
        m.d.comb += [negative.eq(a.sign ^ b.sign), zero.eq(~a.exponent.any() | ~b.exponent.any())]
        with m.If(a.exponent.all() | b.exponent.all()):
            nan = a.is_nan | b.is_nan | zero
            m.d.comb += self.result.eq(Mux(nan, F32.nan, Cat(F32.infinity[:-1], negative)))
        with m.Elif(zero):
            m.d.comb += self.result.eq(Cat(Const(0, F32.width - 1), negative))
        with m.Else():
            m.d.comb += self.result.eq(Cat(fraction, exponent, negative))
        return m
