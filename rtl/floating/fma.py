"""Fused multiply-add, which is also the adder and the multiplier."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal, signed, unsigned
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from openipu.rtl.floating.common import RoundingMode, Special, exact_of, sum_bits
from openipu.rtl.floating.format import F32, Format
from openipu.rtl.floating.shift import JammingShifter
from openipu.rtl.isa import FpuOp

BELOW = 3
"""Bits below the product. When an addend loses bits, its leading one is at bit precision - 2 or
lower, and a product that isn't dwarfed by it has at least `precision` bits: so the difference has
`precision` bits, one more to round by, and bit 0 for all that was lost."""


def multiplied(form: Format) -> data.StructLayout:
    """Return the layout of what stage x hands to stage m.

    The lower one of product and addend is to be shifted right by `distance`, whose greatest value
    shifts everything out: the addend, or, if its exponent is the greater one (`addend_high`), the
    product.
    """
    return data.StructLayout(
        {
            "product": unsigned(2 * form.precision),
            "addend": unsigned(form.precision),
            "addend_high": unsigned(1),
            "distance": unsigned(ceil_log2(sum_bits(form))),
            "exponent": unsigned(form.exponent_bits + 1),
            "product_negative": unsigned(1),
            "addend_negative": unsigned(1),
            "special": Special,
            "infinite_negative": unsigned(1),
        }
    )


class FusedMultiplyAdd(wiring.Component):
    """Computes ±(a*b) ± c exactly, ready for one rounding by `common.Round` in stage w.

    Fully pipelined: takes one operation a cycle, and has its result two clock edges later. Stage x
    multiplies, stage m aligns and adds; the caller's stage w rounds.

    Parameters
    ----------
    form : Format
        Of the operands.

    Members
    -------
    x_op : In(FpuOp)
        ADD, SUB (a ± b), MUL (a*b), MADD, MSUB, NMSUB or NMADD; others give nothing useful.
    x_rm : In(3)
        A `RoundingMode`; here it only decides the sign of an exact zero.
    x_a, x_b, x_c : In(form.width)
        Operands.
    w_exact : Out(exact_of(form))
        The result of the operation that was in stage x two clock edges ago.
    """

    def __init__(self, form: Format = F32) -> None:
        self.form = form
        super().__init__(
            {
                "x_op": In(FpuOp),
                "x_rm": In(3),
                "x_a": In(form.width),
                "x_b": In(form.width),
                "x_c": In(form.width),
                "w_exact": Out(exact_of(form)),
            }
        )

    def elaborate(self, platform):
        """Join the two stages by registers."""
        m = Module()
        m_in = Signal(multiplied(self.form))
        m_rm = Signal(3)
        m.d.sync += [m_in.eq(self._multiply(m)), m_rm.eq(self.x_rm)]
        m.d.sync += self.w_exact.eq(self._add(m, m_in, m_rm))
        return m

    def _multiply(self, m: Module) -> data.View:
        """Build stage x: multiply, compare exponents, find special cases."""
        form = self.form
        x_a, x_b, x_c = (Signal(form, name=f"x_{name}_float") for name in "abc")
        product_flip = Signal()
        addend_flip = Signal()
        product_negative = x_a.sign ^ x_b.sign ^ product_flip
        m.d.comb += [x_a.eq(self.x_a), x_b.eq(self.x_b), x_c.eq(self.x_c)]
        with m.Switch(self.x_op):
            with m.Case(FpuOp.ADD):
                m.d.comb += [x_b.eq(form.one), x_c.eq(self.x_b)]
            with m.Case(FpuOp.SUB):
                m.d.comb += [x_b.eq(form.one), x_c.eq(self.x_b), addend_flip.eq(1)]
            with m.Case(FpuOp.MUL):  # a zero of the product's sign adds nothing
                m.d.comb += x_c.eq(Cat(Const(0, form.width - 1), product_negative))
            with m.Case(FpuOp.MSUB):
                m.d.comb += addend_flip.eq(1)
            with m.Case(FpuOp.NMSUB):
                m.d.comb += product_flip.eq(1)
            with m.Case(FpuOp.NMADD):
                m.d.comb += [product_flip.eq(1), addend_flip.eq(1)]
        addend_negative = x_c.sign ^ addend_flip

        out = Signal(multiplied(form), name="x_out")
        zero = x_a.is_zero | x_b.is_zero
        # Exponents are those of the top bits of the product and of the addend.
        product_exponent = Signal(signed(form.exponent_bits + 2))
        difference = Signal(signed(form.exponent_bits + 3))
        far = (1 << len(out.distance)) - 1
        distance = Signal(form.exponent_bits + 2)
        m.d.comb += [
            product_exponent.eq(x_a.scale + x_b.scale - (form.bias - 1)),
            difference.eq(product_exponent - x_c.scale),
            out.product.eq(x_a.significand * x_b.significand),
            out.addend.eq(x_c.significand),
            out.addend_high.eq((difference < 0) | zero),
            distance.eq(Mux(difference < 0, -difference, difference)),
            out.distance.eq(Mux(distance < far, distance, far)),
            out.exponent.eq(Mux(out.addend_high, x_c.scale, product_exponent) + 1),
            out.product_negative.eq(product_negative),
            out.addend_negative.eq(addend_negative),
        ]
        nan = x_a.is_nan | x_b.is_nan
        infinite = x_a.is_infinite | x_b.is_infinite
        signalling = x_a.is_signalling | x_b.is_signalling | x_c.is_signalling
        opposite = x_c.is_infinite & (product_negative != addend_negative)
        m.d.comb += out.infinite_negative.eq(
            Mux(x_c.is_infinite, addend_negative, product_negative)
        )
        with m.If(signalling | (infinite & (zero | (~nan & opposite)))):
            m.d.comb += out.special.eq(Special.INVALID)
        with m.Elif(nan | x_c.is_nan):
            m.d.comb += out.special.eq(Special.NAN)
        with m.Elif(infinite | x_c.is_infinite):
            m.d.comb += out.special.eq(Special.INFINITE)
        return out

    def _add(self, m: Module, m_in: data.View, m_rm: Signal) -> data.View:
        """Build stage m: align, add or subtract, find the sign."""
        width = sum_bits(self.form)
        m_product = Signal(width)
        m_addend = Signal(width)
        m_high = Signal(width)
        m.submodules.aligner = aligner = JammingShifter(width)
        m.d.comb += [
            m_product.eq(m_in.product.shift_left(BELOW)),
            m_addend.eq(m_in.addend.shift_left(self.form.precision + BELOW)),
            m_high.eq(Mux(m_in.addend_high, m_addend, m_product)),
            aligner.value.eq(Mux(m_in.addend_high, m_product, m_addend)),
            aligner.amount.eq(m_in.distance),
        ]
        # Both differences side by side, instead of a negation after the subtraction.
        m_low = aligner.result
        m_forward = Signal(width + 1)
        m_backward = Signal(width)
        subtract = m_in.product_negative != m_in.addend_negative
        m.d.comb += [
            m_forward.eq(Mux(subtract, m_high - m_low, m_high + m_low)),
            m_backward.eq(m_low - m_high),
        ]
        turned = m_forward[-1]  # only a difference gets there; sums have a bit to spare
        high_negative = Mux(m_in.addend_high, m_in.addend_negative, m_in.product_negative)

        out = Signal(exact_of(self.form), name="m_out")
        m.d.comb += [
            out.significand.eq(Mux(turned, m_backward, m_forward)),
            out.exponent.eq(m_in.exponent),
            out.negative.eq(high_negative ^ turned),
            out.special.eq(m_in.special),
        ]
        with m.If(m_in.special == Special.INFINITE):
            m.d.comb += out.negative.eq(m_in.infinite_negative)
        with m.Elif(subtract & (out.significand == 0)):
            m.d.comb += out.negative.eq(m_rm == RoundingMode.RDN.value)
        return out
