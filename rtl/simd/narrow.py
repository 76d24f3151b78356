"""From f32 to f16, to nearest or at random."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from openipu.rtl.floating.format import F16, F32

RANDOM_BITS = 16
LEAST_NORMAL = F32.bias - F16.bias + 1
"""The f32 exponent of the least normal f16."""
BEYOND = F32.constant(
    exponent=F32.bias + F16.bias, fraction=(1 << F16.precision) - 1 << F32.fraction_bits - 11
)
"""The least number that f16 rounds to infinity, 65520."""
FAR = 31
"""A shift by which nothing of a significand reaches the random bits."""


class Narrow(wiring.Component):
    """Rounds an f32 to f16. Combinational.

    At random: the magnitude is cut to f16's last place; what is cut, in units of 2**-16 last places
    and itself cut to a whole number, is added to the random bits, and if the sum reaches 2**16, the
    magnitude is one last place more. Infinite becomes what is infinite to nearest; what is less
    stays finite.

    Members
    -------
    a : In(32)
    random : In(16)
        Random bits.
    nearest : In(1)
        High: to nearest even; low: at random.
    result : Out(16)
        A NaN is canonical.
    """

    a: In(F32.width)
    random: In(RANDOM_BITS)
    nearest: In(1)
    result: Out(F16.width)

    def elaborate(self, platform):
        """Shift to f16's last place, then round in one of two ways."""
        m = Module()
        a = F32(self.a)
        # From the top: the significand of the result, what random bits are compared with, the rest.
        below = F32.precision - F16.precision + FAR - RANDOM_BITS
        subnormal = Signal()
        depth = Signal(F32.exponent_bits)
        shift = Signal(range(FAR + 1))
        aligned = Signal(F32.precision + FAR)
        m.d.comb += [
            subnormal.eq(a.exponent < LEAST_NORMAL),
            depth.eq(LEAST_NORMAL - a.scale),
            shift.eq(Mux(subnormal, Mux(depth < FAR, depth, FAR), 0)),
            aligned.eq(a.significand.shift_left(FAR) >> shift),
        ]
        rest, cut = aligned[:below].any(), aligned[below : below + RANDOM_BITS]
        kept = aligned[below + RANDOM_BITS :]

        reached = Signal(RANDOM_BITS + 1)
        up = Signal()
        field = Signal(F16.exponent_bits)
        result = Signal(F16.width - 1)
        infinite = Signal()
        truncated, greatest = Cat(kept[:-1], field), F16.infinity.value - 1
        m.d.comb += [
            reached.eq(cut + self.random),
            up.eq(Mux(self.nearest, cut[-1] & (cut[:-1].any() | rest | kept[0]), reached[-1])),
            field.eq(Mux(subnormal, 0, a.exponent - (LEAST_NORMAL - 1))),
            infinite.eq(a.magnitude >= BEYOND),
            # To nearest, what is less than BEYOND isn't rounded up from the greatest number.
            result.eq(truncated + (up & (truncated != greatest))),
        ]
        infinity = F16.infinity[:-1]
        with m.If(a.is_nan):
            m.d.comb += self.result.eq(F16.nan)
        with m.Else():
            m.d.comb += self.result.eq(Cat(Mux(infinite, infinity, result), a.sign))
        return m
