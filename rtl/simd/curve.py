"""Which curve of the tables an argument of a function is on."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal, signed
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from openipu.rtl.floating.format import F16
from openipu.rtl.floating.shift import LeadingZeros, LeftShifter
from openipu.rtl.simd.coefficients import SUBNORMAL_RECIPROCAL, Function

SCALE_BITS = 6
"""Of exponents: an f16's from -24 to 16, and a result's from 1 to 39."""

CURVE = data.StructLayout({"field": F16.exponent_bits, "negative": 1, "function": Function})
"""A `coefficients.Curve`."""


class FindCurve(wiring.Component):
    """Finds the curve, and what else the result depends on. Combinational.

    Members
    -------
    function : In(Function)
        Not LOG_NEAR_1, which this finds out.
    a : In(16)
        The argument.
    curve : Out(CURVE)
    fraction : Out(10)
        The place on the curve.
    scale : Out(signed(SCALE_BITS))
        To be added to the result's exponent.
    steps : Out(signed(SCALE_BITS))
        How many times log 2 is to be added.
    negative : Out(1)
        The result's sign.
    nan : Out(1)
        Whether the result is a NaN; nothing else means anything then.
    """

    function: In(Function)
    a: In(F16.width)
    curve: Out(CURVE)
    fraction: Out(F16.fraction_bits)
    scale: Out(signed(SCALE_BITS))
    steps: Out(signed(SCALE_BITS))
    negative: Out(1)
    nan: Out(1)

    def elaborate(self, platform):
        """Normalise the argument or its distance to 1; then each function has its own rules."""
        m = Module()
        a, curve = F16(self.a), self.curve

        # From 3/4 to 3/2, the bit below those numbers' leading ones tells.
        below_one = Signal()
        near_one = Signal()
        m.d.comb += [
            below_one.eq(a.exponent < F16.bias),
            near_one.eq(
                (self.function == Function.LOG)
                & (a.exponent == Mux(a.fraction[-1], F16.bias - 1, F16.bias))
            ),
        ]
        m.submodules.zeros = zeros = LeadingZeros(F16.fraction_bits)
        m.submodules.shifter = shifter = LeftShifter(F16.fraction_bits)
        subnormal = Signal()
        exponent = Signal(signed(SCALE_BITS))
        m.d.comb += [
            subnormal.eq(a.exponent == 0),
            zeros.value.eq(Mux(near_one & below_one, -a.fraction, a.fraction)),
            shifter.value.eq(Cat(Const(0, 1), zeros.value)),  # without the leading one
            shifter.amount.eq(zeros.count),
            exponent.eq(Mux(subnormal, -F16.bias - zeros.count, a.exponent - F16.bias)),
        ]

        # A binade has its own curve, or shares that of even or odd exponents.
        own = Signal()
        shared = Signal()
        ends = a.is_zero | a.exponent.all()
        m.d.comb += shared.eq(~own & ~near_one & ~ends)
        m.d.comb += [
            curve.function.eq(Mux(near_one, Function.LOG_NEAR_1, self.function)),
            curve.field.eq(Mux(shared, 1 + exponent[0], Mux(near_one, zeros.count, a.exponent))),
            self.fraction.eq(Mux(near_one | (shared & subnormal), shifter.result, a.fraction)),
        ]
        below_zero = a.sign & ~a.is_zero
        nan = Signal()
        m.d.comb += self.nan.eq(nan | a.is_nan)
        with m.Switch(self.function):
            with m.Case(Function.EXP, Function.SIGMOID):
                m.d.comb += [own.eq(1), curve.negative.eq(a.sign)]
            with m.Case(Function.TANH):
                m.d.comb += [own.eq(1), self.negative.eq(a.sign)]
            with m.Case(Function.RECIP):
                m.d.comb += [
                    own.eq(a.exponent >= SUBNORMAL_RECIPROCAL),
                    self.negative.eq(a.sign),
                    self.scale.eq(Mux(shared, -exponent, 0)),
                ]
            with m.Case(Function.RSQRT):
                m.d.comb += [
                    nan.eq(below_zero),
                    self.negative.eq(a.sign),
                    self.scale.eq(Mux(shared, -(exponent >> 1), 0)),
                ]
            with m.Case(Function.SQRT):
                m.d.comb += [
                    nan.eq(below_zero),
                    self.negative.eq(a.sign),
                    self.scale.eq(Mux(shared, exponent >> 1, 0)),
                ]
            with m.Case(Function.LOG):
                m.d.comb += [
                    nan.eq(below_zero),
                    self.negative.eq(below_one),
                    curve.negative.eq(near_one & below_one),
                    self.steps.eq(Mux(shared, exponent, 0)),
                ]
        return m
