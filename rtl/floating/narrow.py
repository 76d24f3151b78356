"""f32 to f16, where no flags and no other rounding mode are wanted."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from openipu.rtl.floating.format import F16, F32

CUT = F32.fraction_bits - F16.fraction_bits
LEAST = F32.bias - F16.bias + 1
"""The biased f32 exponent of the least normal f16."""
FAR = 15  # more than F16.precision: nothing is left but to be rounded down


class Narrow(wiring.Component):
    """Rounds an f32 to f16, to nearest even; a NaN is canonical. Combinational.

    Members
    -------
    a : In(32)
    result : Out(16)
    """

    a: In(F32.width)
    result: Out(F16.width)

    def elaborate(self, platform):
        """Shift what will be subnormal; a carry out of the fraction goes to the exponent."""
        m = Module()
        a = F32(self.a)
        shift, shifted = Signal(FAR.bit_length()), Signal(F32.precision + FAR)
        missing = LEAST - a.exponent
        m.d.comb += [
            shift.eq(Mux(a.exponent < LEAST, Mux(a.exponent < LEAST - FAR, FAR, missing), 0)),
            shifted.eq(a.significand.shift_left(FAR) >> shift),
        ]
        kept, cut = shifted[FAR + CUT :], shifted[: FAR + CUT]
        # The implicit bit of a normal number adds the one that is missing here.
        below = Signal(F32.exponent_bits)
        rounded = Signal(F16.fraction_bits + F32.exponent_bits)
        up = cut[-1] & (cut[:-1].any() | kept[0])
        m.d.comb += [
            below.eq(Mux(a.exponent < LEAST, 0, a.exponent - LEAST)),
            rounded.eq(Cat(Const(0, F16.fraction_bits), below) + kept + up),
        ]
        magnitude = F16.infinity[:-1]
        overflow = rounded[F16.fraction_bits :] >= F16.max_exponent
        m.d.comb += self.result.eq(
            Mux(
                a.is_nan,
                F16.nan,
                Cat(Mux(overflow, magnitude, rounded[: len(magnitude)]), a.sign),
            )
        )
        return m
