"""Conversions between binary32 and 32-bit integers."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal, signed
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from openipu.rtl.floating.common import (
    BIAS,
    EXPONENT_BITS,
    PRECISION,
    SUM_BITS,
    Exact,
    Flags,
    Float32,
    flags_of,
    rounds_up,
)

INTEGER_BITS = 32
POINT = 26
"""Fraction bits while converting to an integer: the greatest shift, by which 1/4 and what is less
come under the bit that decides on the nearest, loses nothing then."""
GREATEST_SHIFT = INTEGER_BITS + 2
FIXED_BITS = INTEGER_BITS + POINT


class FromInteger(wiring.Component):
    """Prepares an integer for one rounding by `common.Round` in stage w.

    Takes one operation a cycle, and has its result two clock edges later.

    Members
    -------
    x_i : In(32)
        The integer.
    x_signed : In(1)
        Whether it is in two's complement.
    w_exact : Out(Exact)
        The integer that was in stage x two clock edges ago.
    """

    x_i: In(INTEGER_BITS)
    x_signed: In(1)
    w_exact: Out(Exact)

    def elaborate(self, platform):
        """Split sign and magnitude in stage m."""
        m = Module()
        m_i = Signal(INTEGER_BITS)
        m_negative = Signal()
        magnitude = Mux(m_negative, -m_i, m_i)[:INTEGER_BITS]
        m.d.sync += [
            m_i.eq(self.x_i),
            m_negative.eq(self.x_signed & self.x_i[-1]),
            self.w_exact.significand.eq(Cat(Const(0, SUM_BITS - INTEGER_BITS), magnitude)),
            self.w_exact.exponent.eq(BIAS + INTEGER_BITS - 1),
            self.w_exact.negative.eq(m_negative),
        ]
        return m


class ToInteger(wiring.Component):
    """Rounds binary32 to a 32-bit integer; what is out of range goes to the nearest one.

    Takes one operation a cycle, and has its result two clock edges later.

    Members
    -------
    x_a : In(32)
        The number; a NaN counts as beyond the greatest integer.
    x_signed : In(1)
        Whether the result is in two's complement.
    x_rm : In(3)
        A `common.RoundingMode`.
    w_result : Out(32)
        The conversion of what was in stage x two clock edges ago.
    w_flags : Out(Flags)
        Invalid where out of range, else inexact where rounding changed the value.
    """

    x_a: In(32)
    x_signed: In(1)
    x_rm: In(3)
    w_result: Out(INTEGER_BITS)
    w_flags: Out(Flags)

    def elaborate(self, platform):
        """Find the shift in x, shift in m, round and limit in w."""
        m = Module()
        x_a = Float32(self.x_a)
        # From where the leading one has the weight of the integer's top bit.
        x_shift = Signal(signed(EXPONENT_BITS + 1))
        m.d.comb += x_shift.eq(BIAS + INTEGER_BITS - 1 - x_a.scale)

        m_significand = Signal(PRECISION)
        m_shift = Signal(range(GREATEST_SHIFT + 1))
        m_beyond = Signal()
        m_nan = Signal()
        m_negative = Signal()
        m_signed = Signal()
        m_rm = Signal(3)
        m_fixed = Signal(FIXED_BITS)
        m.d.sync += [
            m_significand.eq(x_a.significand),
            m_shift.eq(Mux(x_shift < GREATEST_SHIFT, x_shift, GREATEST_SHIFT)),
            m_beyond.eq(x_shift < 0),
            m_nan.eq(x_a.is_nan),
            m_negative.eq(x_a.sign & ~x_a.is_nan),
            m_signed.eq(self.x_signed),
            m_rm.eq(self.x_rm),
        ]
        m.d.comb += m_fixed.eq(m_significand.shift_left(FIXED_BITS - PRECISION))

        w_fixed = Signal(FIXED_BITS)
        w_beyond = Signal()
        w_negative = Signal()
        w_signed = Signal()
        w_rm = Signal(3)
        m.d.sync += [
            w_fixed.eq(m_fixed >> m_shift),
            w_beyond.eq(m_beyond | m_nan),
            w_negative.eq(m_negative),
            w_signed.eq(m_signed),
            w_rm.eq(m_rm),
        ]
        kept, half, rest = w_fixed[POINT:], w_fixed[POINT - 1], w_fixed[: POINT - 1].any()
        w_magnitude = Signal(INTEGER_BITS + 1)
        w_limit = Signal(INTEGER_BITS)
        w_outside = Signal()
        top = 1 << (INTEGER_BITS - 1)
        m.d.comb += [
            w_magnitude.eq(kept + rounds_up(w_rm, w_negative, kept[0], half, rest)),
            w_limit.eq(
                Mux(w_signed, Mux(w_negative, top, top - 1), Mux(w_negative, 0, 2 * top - 1))
            ),
            w_outside.eq(w_beyond | (w_magnitude > w_limit)),
            self.w_flags.eq(flags_of(invalid=w_outside, inexact=~w_outside & (half | rest))),
        ]
        with m.If(w_outside):  # the least integer is its own magnitude
            m.d.comb += self.w_result.eq(w_limit)
        with m.Else():
            m.d.comb += self.w_result.eq(Mux(w_negative, -w_magnitude, w_magnitude))
        return m
