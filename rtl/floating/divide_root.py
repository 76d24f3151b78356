"""Divide and square root, one bit of the result a cycle."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal, signed
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from openipu.rtl.floating.common import Flags, Round, Special, flags_of, sum_bits
from openipu.rtl.floating.format import F32, Format
from openipu.rtl.floating.normalise import Normalise
from openipu.rtl.isa import FdivideOp

MORE = 2
"""Bits of a result below those that the format keeps: one decides on the nearest, and one is for a
quotient less than 1."""


class DivideRoot(wiring.Component):
    """Divides or takes a root, rounded once, with all exceptions.

    Started in cycle 0, it is busy from cycle 1 to `form.precision + 4` at most: in the first it
    normalises the operands, in the last it rounds.

    Parameters
    ----------
    form : Format
        Of the operands.

    Members
    -------
    start : In(1)
        Begin with the operands of this cycle, whatever was going on.
    op : In(FdivideOp), rm : In(3), a, b : In(form.width)
        The operation (a / b, or the root of a) and its `RoundingMode`.
    busy : Out(1)
        Low from when the result is there.
    result : Out(form.width), flags : Out(Flags)
        Valid while not busy, until the next start.
    """

    def __init__(self, form: Format = F32) -> None:
        self.form = form
        super().__init__(
            {
                "start": In(1),
                "op": In(FdivideOp),
                "rm": In(3),
                "a": In(form.width),
                "b": In(form.width),
                "busy": Out(1),
                "result": Out(form.width),
                "flags": Out(Flags),
            }
        )

    def elaborate(self, platform):
        """Normalise, try one bit after the other, round."""
        m = Module()
        form = self.form
        self._width = width = form.precision + MORE  # of a result; its top bit is the unit
        self._a, self._b = Signal(form, name="a_float"), Signal(form, name="b_float")
        self._root = Signal()
        self._rm = Signal(3)
        self._place = Signal(width)
        self._partial = Signal(width)
        self._remainder = Signal(width + 2)
        self._divisor = Signal(width)
        self._exponent = Signal(form.exponent_bits + 1)
        self._special = Signal(Special)
        self._by_zero = Signal()
        self._negative = Signal()
        fresh = Signal()
        with m.If(fresh):
            self._normalise(m)
            m.d.sync += fresh.eq(0)
        with m.Elif(self._place != 0):
            self._step(m)
        with m.Elif(self.busy):
            m.d.sync += self.busy.eq(0)
            self._round(m)
        with m.If(self.start):
            m.d.sync += [
                fresh.eq(1),
                self.busy.eq(1),
                self._root.eq(self.op == FdivideOp.SQRT),
                self._rm.eq(self.rm),
                self._a.eq(self.a),
                self._b.eq(self.b),
            ]
        return m

    def _normalise(self, m):
        """Prepare the operands, and find the results that need no arithmetic."""
        form, a, b, root = self.form, self._a, self._b, self._root
        m.submodules.normal_a = normal_a = Normalise(form.precision)
        m.submodules.normal_b = normal_b = Normalise(form.precision)
        scale_a, quotient_scale = (
            Signal(signed(form.exponent_bits + 2), name=name) for name in ("scale_a", "scale")
        )
        small = Signal()
        depth = Signal(form.exponent_bits + 1)
        m.d.comb += [
            normal_a.value.eq(a.significand),
            normal_b.value.eq(b.significand),
            scale_a.eq(a.scale - normal_a.count),
            quotient_scale.eq(scale_a - b.scale + normal_b.count + form.bias),
            small.eq(~root & (quotient_scale < 1)),
            depth.eq(Mux(small, 1 - quotient_scale, 0)),
        ]
        # Of a subnormal result there are fewer bits: it begins as far below the unit as its
        # exponent is below the least. For a root, the exponent is made even.
        m.d.sync += [
            self._place.eq(Const(1 << self._width - 1, self._width) >> depth),
            self._partial.eq(0),
            self._divisor.eq(normal_b.result.shift_left(MORE)),
            self._remainder.eq(normal_a.result.shift_left(MORE)),
            self._exponent.eq(Mux(small, 1, quotient_scale)),
            self._negative.eq(a.sign ^ b.sign),
            self._special.eq(Special.NONE),
            self._by_zero.eq(0),
        ]
        invalid = Signal()
        nan = Signal()
        infinite = Signal()
        with m.If(root):
            m.d.comb += [
                invalid.eq(a.is_signalling | (a.sign & ~a.is_zero & ~a.is_nan)),
                nan.eq(a.is_nan),
                infinite.eq(a.is_infinite),
            ]
            m.d.sync += [
                self._exponent.eq((scale_a + form.bias) >> 1),
                self._negative.eq(a.sign),
            ]
            with m.If(~scale_a[0]):  # the bias is odd
                m.d.sync += self._remainder.eq(normal_a.result.shift_left(MORE + 1))
        with m.Else():
            m.d.comb += [
                invalid.eq(
                    a.is_signalling
                    | b.is_signalling
                    | (a.is_zero & b.is_zero)
                    | (a.is_infinite & b.is_infinite)
                ),
                nan.eq(a.is_nan | b.is_nan),
                infinite.eq(a.is_infinite | b.is_zero),
            ]
            m.d.sync += self._by_zero.eq(infinite & ~nan & ~invalid & ~a.is_infinite)
            with m.If(b.is_infinite):
                m.d.sync += self._remainder.eq(0)
        with m.If(invalid | nan | infinite):
            m.d.sync += [
                self._place.eq(0),
                self._special.eq(
                    Mux(invalid, Special.INVALID, Mux(nan, Special.NAN, Special.INFINITE))
                ),
            ]

    def _step(self, m):
        """Set a bit of the result if what it takes is in the remainder.

        That is the divisor; or, for a root, the bit's own place and twice the bits so far. Before
        it, a root's remainder is less than 8 units, a quotient's less than two divisors.
        """
        subtrahend = Signal(self._width + 1)
        difference = Signal(self._width + 3)
        fits = ~difference[-1]
        m.d.comb += [
            subtrahend.eq(
                Mux(self._root, self._partial.shift_left(1) | self._place, self._divisor)
            ),
            difference.eq(self._remainder - subtrahend),
        ]
        m.d.sync += [
            self._place.eq(self._place >> 1),
            self._partial.eq(Mux(fits, self._partial | self._place, self._partial)),
            self._remainder.eq(Mux(fits, difference, self._remainder).shift_left(1)),
        ]

    def _round(self, m):
        """Round what was found; a remainder stands for more bits."""
        m.submodules.round = rounder = Round(self.form)
        below = Const(0, sum_bits(self.form) - self._width - 1)
        m.d.comb += [
            rounder.exact.significand.eq(Cat(below, self._remainder.any(), self._partial)),
            rounder.exact.exponent.eq(self._exponent),
            rounder.exact.negative.eq(self._negative),
            rounder.exact.special.eq(self._special),
            rounder.rm.eq(self._rm),
        ]
        m.d.sync += [
            self.result.eq(rounder.result),
            self.flags.eq(rounder.flags.as_value() | flags_of(divide_by_zero=self._by_zero)),
        ]
