"""What the floating-point units share: flags, the exact value before rounding, and the rounding.

IEEE 754-2019 with the choices of The RISC-V Instruction Set Manual, Volume I, chapter "F": NaN
results are canonical, tininess is detected after rounding. Names without a format are binary32's.
"""

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value, unsigned
from amaranth.lib import data, enum, wiring
from amaranth.lib.wiring import In, Out

from openipu.rtl.floating.format import F32, Format
from openipu.rtl.floating.shift import LeadingZeros, LeftShifter

Float32 = F32
EXPONENT_BITS = F32.exponent_bits
PRECISION = F32.precision
BIAS = F32.bias
ONE = F32.one
NAN = F32.nan


class RoundingMode(enum.Enum, shape=3):
    """Rounding modes by their encoding in instructions and frm; 5 to 7 never reach a unit."""

    RNE = 0  #: to nearest, ties to even
    RTZ = 1  #: towards zero
    RDN = 2  #: down
    RUP = 3  #: up
    RMM = 4  #: to nearest, ties away from zero


class Flags(data.Struct):
    """Exception flags in the order of fflags."""

    inexact: unsigned(1)
    underflow: unsigned(1)
    overflow: unsigned(1)
    divide_by_zero: unsigned(1)
    invalid: unsigned(1)


def flags_of(**raised: Value) -> Value:
    """Return `Flags` with those raised whose condition holds, all others 0.

    To be assigned as a whole: of a signal that is driven in parts, the Verilog may leave constant
    bits without a driver.
    """
    return Cat(raised.get(name, Const(0, 1)) for name, _ in data.Layout.cast(Flags))


class Special(enum.Enum, shape=2):
    """Results that no rounding makes."""

    NONE = 0
    INFINITE = 1
    NAN = 2
    INVALID = 3  #: a NaN, and the operation was invalid


def sum_bits(form: Format) -> int:
    """Return the width of an exact value: a product, 3 bits below it and 1 above (see `fma`)."""
    return 2 * form.precision + 4


def exact_of(form: Format) -> data.StructLayout:
    """Return the layout of a result before rounding.

    Its value is significand * 2**(exponent - bias - sum_bits + 1). Bit 0 of the significand may
    stand for any number of ones below it. `exponent` is the biased one of the significand's top
    bit, at least 1. Unless `special` is NONE, it is the result, and those two mean nothing.
    """
    return data.StructLayout(
        {
            "significand": unsigned(sum_bits(form)),
            "exponent": unsigned(form.exponent_bits + 1),
            "negative": unsigned(1),
            "special": Special,
        }
    )


SUM_BITS = sum_bits(F32)
Exact = exact_of(F32)


def rounds_up(rm: Value, negative: Value, last: Value, half: Value, rest: Value) -> Value:
    """Return whether a magnitude is rounded away from zero.

    `last` is the last bit kept, `half` the first one cut, `rest` whether any further one is set.
    """
    inexact = half | rest
    return (
        ((rm == RoundingMode.RNE.value) & half & (rest | last))
        | ((rm == RoundingMode.RMM.value) & half)
        | ((rm == RoundingMode.RDN.value) & negative & inexact)
        | ((rm == RoundingMode.RUP.value) & ~negative & inexact)
    )


class Round(wiring.Component):
    """Normalises an exact result and rounds it. Combinational.

    Parameters
    ----------
    form : Format
        Of the result.

    Members
    -------
    exact : In(exact_of(form))
    rm : In(3)
        A `RoundingMode`.
    result : Out(form.width)
    flags : Out(Flags)
    """

    def __init__(self, form: Format = F32) -> None:
        self.form = form
        super().__init__(
            {
                "exact": In(exact_of(form)),
                "rm": In(3),
                "result": Out(form.width),
                "flags": Out(Flags),
            }
        )

    def elaborate(self, platform):
        """Normalise, round, then see what has overflowed or is tiny."""
        m = Module()
        form, precision = self.form, self.form.precision
        exact, rm, negative = self.exact, self.rm, self.exact.negative
        m.submodules.zeros = zeros = LeadingZeros(sum_bits(form))
        m.submodules.shifter = shifter = LeftShifter(sum_bits(form))

        # Shift the leading one to the top, but no further than to the least exponent.
        room = Signal(form.exponent_bits + 1)
        m.d.comb += [
            zeros.value.eq(exact.significand),
            room.eq(exact.exponent - 1),
            shifter.value.eq(exact.significand),
            shifter.amount.eq(Mux(room < zeros.count, room, zeros.count)),
        ]
        shifted = shifter.result
        kept, cut = shifted[-precision:], shifted[:-precision]
        normal, half, rest = kept[-1], cut[-1], cut[:-1].any()

        # A carry out of the fraction goes to the exponent by itself.
        up = Signal()
        rounded = Signal(form.fraction_bits + form.exponent_bits + 1)
        field = Signal(form.exponent_bits + 1)
        m.d.comb += [
            up.eq(rounds_up(rm, negative, kept[0], half, rest)),
            field.eq(Mux(normal, exact.exponent - shifter.amount, 0)),
            rounded.eq(Cat(kept[:-1], field) + up),
        ]
        overflow = Signal()
        to_infinity = Signal()
        one = Const(1, 1)
        m.d.comb += [
            overflow.eq(rounded[form.fraction_bits :] >= form.max_exponent),
            to_infinity.eq(rounds_up(rm, negative, one, one, one)),
        ]

        # Tiny: less than the least normal number, and still so when rounded to full precision, one
        # bit more than the subnormal result has.
        tiny = Signal()
        carries = kept[:-1].all() & half & rounds_up(rm, negative, one, cut[-2], cut[:-2].any())
        m.d.comb += tiny.eq(~normal & ~carries)

        infinity = form.infinity[:-1]
        with m.Switch(exact.special):
            with m.Case(Special.NAN, Special.INVALID):
                m.d.comb += self.result.eq(form.nan)
            with m.Case(Special.INFINITE):
                m.d.comb += self.result.eq(Cat(infinity, negative))
            with m.Default():
                magnitude = Mux(overflow, infinity - ~to_infinity, rounded)
                m.d.comb += self.result.eq(Cat(magnitude[: len(infinity)], negative))
        finite = exact.special == Special.NONE
        m.d.comb += self.flags.eq(
            flags_of(
                invalid=exact.special == Special.INVALID,
                overflow=finite & overflow,
                underflow=finite & tiny & (half | rest),
                inexact=finite & (overflow | half | rest),
            )
        )
        return m
