"""Addition to nearest, where no flags and no other rounding mode are wanted."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from openipu.rtl.floating.format import F32, Format
from openipu.rtl.floating.shift import LeadingZeros

GUARD = 3
"""Bits kept below the last place: two to round by and, below, one for all that is shifted out."""


class Add(wiring.Component):
    """Adds two numbers, rounding to nearest even; a NaN is canonical. Combinational.

    Parameters
    ----------
    form : Format
        Of operands and result.

    Members
    -------
    a, b : In(form.width)
        Operands.
    result : Out(form.width)
    """

    def __init__(self, form: Format = F32) -> None:
        self.form = form
        super().__init__({name: In(form.width) for name in "ab"} | {"result": Out(form.width)})

    def elaborate(self, platform):
        """Align the lesser magnitude, add or subtract, normalise, round."""
        m = Module()
        form = self.form
        a, b = form(self.a), form(self.b)
        high = Signal(form)
        low = Signal(form)
        swap = Signal()
        subtract = Signal()
        m.d.comb += [
            swap.eq(a.magnitude < b.magnitude),
            high.eq(Mux(swap, self.b, self.a)),
            low.eq(Mux(swap, self.a, self.b)),
            subtract.eq(a.sign ^ b.sign),
        ]

        # Shifting stops where nothing but the lowest bit can be left.
        width = form.precision + GUARD
        far = (1 << width.bit_length()) - 1
        distance = Signal(form.exponent_bits)
        shift = Signal(width.bit_length())
        aligned = Signal(form.precision + far)
        low_significand = Signal(width)
        total = Signal(width + 1)
        jammed = aligned[: far - GUARD].any() | aligned[far - GUARD]
        m.d.comb += [
            distance.eq(high.scale - low.scale),
            shift.eq(Mux(distance < far, distance, far)),
            aligned.eq(low.significand.shift_left(far) >> shift),
            low_significand.eq(Cat(jammed, aligned[far - GUARD + 1 :])),
            total.eq(
                high.significand.shift_left(GUARD)
                + Mux(subtract, ~low_significand, low_significand)
                + subtract
            ),
        ]

        # The leading one goes to the top, but no further than to the least exponent: so the zeros
        # are counted with a one where that is. A carry in the top bit is one of an addition only.
        magnitude = Signal(width + 1)
        limit = Signal(width + 1)
        normal = Signal(width + 1)
        m.submodules.zeros = zeros = LeadingZeros(width + 1)
        exponent = Signal(form.exponent_bits + 1)
        m.d.comb += [
            magnitude.eq(Cat(total[:-1], total[-1] & ~subtract)),
            limit.eq(Const(1 << width, width + 1) >> high.scale),
            zeros.value.eq(magnitude | limit),
            normal.eq(magnitude << zeros.count),
            exponent.eq(Mux(normal[-1], high.scale + 1 - zeros.count, 0)),
        ]

        # A carry out of the fraction goes to the exponent, and to infinity, by itself.
        fraction, rest = normal[GUARD + 1 : -1], normal[:GUARD]
        half = normal[GUARD]
        rounded = Signal(form.width)
        m.d.comb += rounded.eq(Cat(fraction, exponent) + (half & (rest.any() | fraction[0])))
        nan = Signal()
        infinite = Signal()
        zero = Signal()
        infinity = form.infinity[:-1]
        m.d.comb += [
            nan.eq(a.is_nan | b.is_nan | (high.is_infinite & low.is_infinite & subtract)),
            infinite.eq(high.exponent.all() | rounded[form.fraction_bits : -1].all()),
            zero.eq(magnitude == 0),
            self.result.eq(
                Mux(
                    nan,
                    form.nan,
                    Cat(
                        Mux(infinite, infinity, rounded[: len(infinity)]),
                        Mux(zero, a.sign & b.sign, high.sign),
                    ),
                )
            ),
        ]
        return m
