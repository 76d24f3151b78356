"""Which of two numbers is the lesser."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from openipu.rtl.floating.format import F32, Format


class Order(wiring.Component):
    """Compares two numbers. Combinational.

    Parameters
    ----------
    form : Format
        Of the operands.

    Members
    -------
    a, b : In(form.width)
        Operands.
    equal : Out(1), less : Out(1)
        Whether a = b, a < b. Both are low if one is a NaN; +0 = -0.
    least : Out(form.width), greatest : Out(form.width)
        The lesser and the greater, -0 below +0. If one operand is a NaN, the other; if both are,
        the canonical one.
    """

    def __init__(self, form: Format = F32) -> None:
        self.form = form
        super().__init__(
            {
                "a": In(form.width),
                "b": In(form.width),
                "equal": Out(1),
                "less": Out(1),
                "least": Out(form.width),
                "greatest": Out(form.width),
            }
        )

    def elaborate(self, platform):
        """Compare magnitudes once; all else follows."""
        m = Module()
        a, b = self.form(self.a), self.form(self.b)
        below = Signal()
        same = Signal()
        a_nan = Signal()
        b_nan = Signal()
        nan = Signal()
        m.d.comb += [
            a_nan.eq(a.is_nan),
            b_nan.eq(b.is_nan),
            nan.eq(a_nan & b_nan),
            same.eq((self.a == self.b) | (a.is_zero & b.is_zero)),
            # In the order of minimum and maximum, where -0 is below +0.
            below.eq(
                Mux(
                    a.sign == b.sign,
                    Mux(a.sign, b.magnitude < a.magnitude, a.magnitude < b.magnitude),
                    a.sign,
                )
            ),
            self.equal.eq(same & ~a_nan & ~b_nan),
            self.less.eq(below & ~same & ~a_nan & ~b_nan),
        ]
        for result, first in ((self.least, below), (self.greatest, ~below)):
            take_a = b_nan | (~a_nan & first)
            m.d.comb += result.eq(Mux(nan, self.form.nan, Mux(take_a, self.a, self.b)))
        return m
