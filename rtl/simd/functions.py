"""Elementary functions of f16, correctly rounded."""

from amaranth.hdl import Cat, Module, Mux, Signal, signed
from amaranth.lib import data, memory, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from openipu.rtl.floating.format import F16
from openipu.rtl.floating.shift import JammingShifter, LeadingZeros
from openipu.rtl.isa import SimdOp
from openipu.rtl.simd.coefficients import (
    LEAST_LEADING,
    LN_2,
    MAX_CUTS,
    POINT,
    VALUE_BITS,
    Curve,
    Function,
    Segment,
    tables,
)
from openipu.rtl.simd.cubic import ARGUMENT_BITS, BITS, COARSE_BITS, SLOPE_SHIFT
from openipu.rtl.simd.curve import SCALE_BITS, FindCurve

PIECE = data.StructLayout(
    {
        "c0": BITS.c0,
        "c1": signed(BITS.c1),
        "c2": signed(BITS.c2),
        "c3": signed(BITS.c3),
        "exponent": F16.exponent_bits,
    }
)


class HalfFunction(wiring.Component):
    """Computes H4_EXP to H4_SQRT of one f16, rounded to nearest even.

    Takes one argument a cycle, and has its result two clock edges later. Stage x finds the curve,
    and the piece of it, that the argument is on (`coefficients`), stage m evaluates the piece's
    cubic, stage w rounds. NaN results are canonical. As IEEE 754-2019, 9.2, has it, log(0) is -inf,
    1/x and 1/sqrt(x) of a zero are infinities of its sign, sqrt(-0) is -0, and log, sqrt and
    1/sqrt(x) of what is below 0 are NaN.

    Memories that are never written: 400 pieces of 64 bits, read between x and m, and 512 segments
    of 12 bits, most of them alike, read in x. Multipliers: 9 x 8, 14 x 8 and 18 x 10 bits, and
    6 bits by a constant of 21.

    Members
    -------
    x_op : In(SimdOp)
        The function; the result of any other operation means nothing.
    x_a : In(16)
        The argument.
    w_result : Out(16)
        The function of what was in stage x two clock edges ago.
    """

    x_op: In(SimdOp)
    x_a: In(F16.width)
    w_result: Out(F16.width)

    def elaborate(self, platform):
        """From curve to piece, from piece to value, from value to result."""
        m = Module()
        m.submodules.find = x = FindCurve()
        m.d.comb += [
            x.function.eq(self.x_op.as_value() - SimdOp.H4_EXP.value),
            x.a.eq(self.x_a),
        ]
        m_piece, m_t = self._piece(m, x.curve, x.fraction)
        m_scale = Signal(signed(SCALE_BITS))
        m_steps = Signal(signed(SCALE_BITS))
        m_negative = Signal()
        m_nan = Signal()
        m.d.sync += [
            m_scale.eq(x.scale),
            m_steps.eq(x.steps),
            m_negative.eq(x.negative),
            m_nan.eq(x.nan),
        ]

        m_value = self._value(m, m_piece, m_t, m_steps)
        w_value = Signal(VALUE_BITS)
        w_exponent = Signal(SCALE_BITS)
        w_negative = Signal()
        w_nan = Signal()
        m.d.sync += [
            # All bits inverted are one less than the magnitude. The logarithm's pieces allow that.
            w_value.eq(Mux(m_steps < 0, ~m_value, m_value)),
            w_exponent.eq(m_piece.exponent + m_scale),
            w_negative.eq(m_negative),
            w_nan.eq(m_nan),
        ]
        w_magnitude = self._round(m, w_value, w_exponent)
        m.d.comb += self.w_result.eq(Mux(w_nan, F16.nan, Cat(w_magnitude, w_negative)))
        return m

    def _piece(self, m, x_curve, x_fraction):
        """Return the piece that a place on a curve is on, and where on the piece it is."""
        pieces, known = tables()
        # A curve that there isn't may be anything, but inside the table.
        curves = [
            known.get(Curve(function, bool(negative), field), Segment(0, 0))
            for function in Function
            for negative in range(2)
            for field in range(1 << F16.exponent_bits)
        ]
        m.submodules.segments = segments = memory.Memory(
            shape=data.StructLayout({"base": ceil_log2(len(pieces)), "cuts": range(MAX_CUTS + 1)}),
            depth=len(curves),
            init=[segment._asdict() for segment in curves],
        )
        m.submodules.pieces = rows = memory.Memory(
            shape=PIECE,
            depth=len(pieces),
            init=[piece.cubic._asdict() | {"exponent": piece.exponent} for piece in pieces],
        )
        segment, row = segments.read_port(domain="comb"), rows.read_port()
        x_place = Signal(MAX_CUTS + ARGUMENT_BITS)
        m_t = Signal(ARGUMENT_BITS)
        m.d.comb += [
            segment.addr.eq(x_curve.as_value()),
            x_place.eq(x_fraction << segment.data.cuts),
            row.addr.eq(segment.data.base | x_place[ARGUMENT_BITS:]),
        ]
        m.d.sync += m_t.eq(x_place)
        return row.data, m_t

    def _value(self, m, m_piece, m_t, m_steps):
        """Return the cubic's value plus the logarithm of a power of two."""
        coarse = m_t[-COARSE_BITS:]
        slope = m_piece.c2 + (m_piece.c3 * coarse).shift_right(COARSE_BITS)
        slope = m_piece.c1 + (slope * coarse).shift_right(COARSE_BITS)
        m_value = Signal(signed(VALUE_BITS + 1))
        m.d.comb += m_value.eq(
            m_piece.c0 + (slope * m_t).shift_right(SLOPE_SHIFT) + (m_steps * LN_2).shift_right(1)
        )
        return m_value

    def _round(self, m, w_value, w_exponent):
        """Return a value rounded to nearest even, as the pattern of its magnitude."""
        m.submodules.zeros = zeros = LeadingZeros(VALUE_BITS - LEAST_LEADING)
        m.submodules.shifter = shifter = JammingShifter(VALUE_BITS)
        # Shift the leading one to its least place. A result that may be subnormal is at its place.
        amount = Signal(len(zeros.count))
        m.d.comb += [
            zeros.value.eq(w_value[LEAST_LEADING:]),
            amount.eq(Mux(w_exponent == 1, POINT - LEAST_LEADING, ~zeros.count)),
            shifter.value.eq(w_value),
            shifter.amount.eq(amount),
        ]
        cut = LEAST_LEADING - F16.fraction_bits
        kept, half = shifter.result[cut : LEAST_LEADING + 1], shifter.result[cut - 1]
        rest = shifter.result[: cut - 1].any()
        # The leading one adds 1 to the field, and so does a carry.
        field = Signal(SCALE_BITS + 1)
        magnitude = Signal(SCALE_BITS + 1 + F16.fraction_bits)
        m.d.comb += [
            field.eq(w_exponent + amount - (POINT - LEAST_LEADING) - 1),
            magnitude.eq((field << F16.fraction_bits) + kept + (half & (rest | kept[0]))),
        ]
        infinity = F16.infinity.value
        return Mux(magnitude >= infinity, infinity, magnitude)[: F16.width - 1]
