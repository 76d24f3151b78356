"""What the floating-point units share: formats, the exact value before rounding, and the rounding.

IEEE 754-2019 binary32 with the choices of The RISC-V Instruction Set Manual, Volume I, chapter "F":
NaN results are canonical, tininess is detected after rounding.
"""

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value, unsigned
from amaranth.lib import data, enum, wiring
from amaranth.lib.wiring import In, Out

from openipu.rtl.floating.shift import LeadingZeros, LeftShifter

EXPONENT_BITS = 8
FRACTION_BITS = 23
PRECISION = FRACTION_BITS + 1
BIAS = 127
MAX_EXPONENT = (1 << EXPONENT_BITS) - 1
SUM_BITS = 2 * PRECISION + 4
"""Width of an exact value: a product, 3 bits below it and 1 above (see `fma`)."""


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


class Float32(data.Struct):
    """A binary32 pattern."""

    fraction: unsigned(FRACTION_BITS)
    exponent: unsigned(EXPONENT_BITS)
    sign: unsigned(1)

    @property
    def magnitude(self) -> Value:
        """All but the sign: in the order of the absolute values."""
        return self.as_value()[:-1]

    @property
    def scale(self) -> Value:
        """The biased exponent of the significand's top bit: 1 for subnormal numbers too."""
        return Cat(self.exponent[0] | (self.exponent == 0), self.exponent[1:])

    @property
    def significand(self) -> Value:
        """`PRECISION` bits, the implicit one included."""
        return Cat(self.fraction, self.exponent.any())

    @property
    def is_zero(self) -> Value:
        """Whether this is +0 or -0."""
        return self.magnitude == 0

    @property
    def is_infinite(self) -> Value:
        """Whether this is an infinity."""
        return self.exponent.all() & (self.fraction == 0)

    @property
    def is_nan(self) -> Value:
        """Whether this is a NaN."""
        return self.exponent.all() & self.fraction.any()

    @property
    def is_signalling(self) -> Value:
        """Whether this is a signalling NaN."""
        return self.is_nan & ~self.fraction[-1]


def constant(*, sign: int = 0, exponent: int = 0, fraction: int = 0) -> Const:
    """Return a binary32 pattern from its fields."""
    return Const(
        sign << EXPONENT_BITS + FRACTION_BITS | exponent << FRACTION_BITS | fraction,
        1 + EXPONENT_BITS + FRACTION_BITS,
    )


ONE = constant(exponent=BIAS)
NAN = constant(exponent=MAX_EXPONENT, fraction=1 << FRACTION_BITS - 1)


class Special(enum.Enum, shape=2):
    """Results that no rounding makes."""

    NONE = 0
    INFINITE = 1
    NAN = 2
    INVALID = 3  #: a NaN, and the operation was invalid


class Exact(data.Struct):
    """A result before rounding. Its value is significand * 2**(exponent - BIAS - SUM_BITS + 1).

    Bit 0 of the significand may stand for any number of ones below it.
    """

    significand: unsigned(SUM_BITS)
    exponent: unsigned(EXPONENT_BITS + 1)
    """Biased exponent of the significand's top bit, at least 1."""
    negative: unsigned(1)
    special: Special
    """Unless NONE, this is the result, and significand and exponent mean nothing."""


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
    """Normalises an exact result and rounds it to binary32. Combinational.

    Members
    -------
    exact : In(Exact)
    rm : In(3)
        A `RoundingMode`.
    result : Out(32)
    flags : Out(Flags)
    """

    exact: In(Exact)
    rm: In(3)
    result: Out(32)
    flags: Out(Flags)

    def elaborate(self, platform):
        """Normalise, round, then see what has overflowed or is tiny."""
        m = Module()
        exact, rm, negative = self.exact, self.rm, self.exact.negative
        m.submodules.zeros = zeros = LeadingZeros(SUM_BITS)
        m.submodules.shifter = shifter = LeftShifter(SUM_BITS)

        # Shift the leading one to the top, but no further than to the least exponent.
        room = Signal(EXPONENT_BITS + 1)
        m.d.comb += [
            zeros.value.eq(exact.significand),
            room.eq(exact.exponent - 1),
            shifter.value.eq(exact.significand),
            shifter.amount.eq(Mux(room < zeros.count, room, zeros.count)),
        ]
        shifted = shifter.result
        kept, cut = shifted[-PRECISION:], shifted[:-PRECISION]
        normal, half, rest = kept[-1], cut[-1], cut[:-1].any()

        # A carry out of the fraction goes to the exponent by itself.
        up = Signal()
        rounded = Signal(FRACTION_BITS + EXPONENT_BITS + 1)
        field = Signal(EXPONENT_BITS + 1)
        m.d.comb += [
            up.eq(rounds_up(rm, negative, kept[0], half, rest)),
            field.eq(Mux(normal, exact.exponent - shifter.amount, 0)),
            rounded.eq(Cat(kept[:-1], field) + up),
        ]
        overflow = Signal()
        to_infinity = Signal()
        one = Const(1, 1)
        m.d.comb += [
            overflow.eq(rounded[FRACTION_BITS:] >= MAX_EXPONENT),
            to_infinity.eq(rounds_up(rm, negative, one, one, one)),
        ]

        # Tiny: less than the least normal number, and still so when rounded to full precision, one
        # bit more than the subnormal result has.
        tiny = Signal()
        carries = kept[:-1].all() & half & rounds_up(rm, negative, one, cut[-2], cut[:-2].any())
        m.d.comb += tiny.eq(~normal & ~carries)

        infinity = constant(exponent=MAX_EXPONENT)[:-1]
        with m.Switch(exact.special):
            with m.Case(Special.NAN, Special.INVALID):
                m.d.comb += self.result.eq(NAN)
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
