"""Arithmetic and comparisons in each lane of a word."""

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from openipu.rtl.floating.common import Round, RoundingMode
from openipu.rtl.floating.fma import FusedMultiplyAdd
from openipu.rtl.floating.format import Format
from openipu.rtl.floating.order import Order
from openipu.rtl.isa import FpuOp

WORD = 64


class MultiplyAddLanes(wiring.Component):
    """Adds, subtracts, multiplies, or does both at once, lane by lane; rounds once, to nearest.

    Takes one operation a cycle, and has its result two clock edges later.

    Parameters
    ----------
    form : Format
        Of the lanes.

    Members
    -------
    x_op : In(FpuOp)
        ADD, SUB, MUL or MADD; others give nothing useful.
    x_a, x_b, x_c : In(64)
        Words of operands.
    w_result : Out(64)
        The result of the operation that was in stage x two clock edges ago.
    """

    x_op: In(FpuOp)
    x_a: In(WORD)
    x_b: In(WORD)
    x_c: In(WORD)
    w_result: Out(WORD)

    def __init__(self, form: Format) -> None:
        self.form = form
        super().__init__()

    def elaborate(self, platform):
        """A multiply-add and a rounding for each lane."""
        m = Module()
        width = self.form.width
        for lane in range(WORD // width):
            place = slice(lane * width, (lane + 1) * width)
            m.submodules[f"fma_{lane}"] = fma = FusedMultiplyAdd(self.form)
            m.submodules[f"round_{lane}"] = rounder = Round(self.form)
            m.d.comb += [
                fma.x_op.eq(self.x_op),
                fma.x_rm.eq(RoundingMode.RNE.value),
                fma.x_a.eq(self.x_a[place]),
                fma.x_b.eq(self.x_b[place]),
                fma.x_c.eq(self.x_c[place]),
                rounder.exact.eq(fma.w_exact),
                rounder.rm.eq(RoundingMode.RNE.value),
                self.w_result[place].eq(rounder.result),
            ]
        return m


class OrderLanes(wiring.Component):
    """Minimum, maximum and comparisons, lane by lane. Combinational.

    Parameters
    ----------
    form : Format
        Of the lanes.

    Members
    -------
    op : In(FpuOp)
        MIN, MAX, EQ, LT or LE; others give nothing useful.
    a, b : In(64)
        Words of operands.
    result : Out(64)
        Of a comparison: all ones in the lanes where it holds.
    """

    op: In(FpuOp)
    a: In(WORD)
    b: In(WORD)
    result: Out(WORD)

    def __init__(self, form: Format) -> None:
        self.form = form
        super().__init__()

    def elaborate(self, platform):
        """Compare once in each lane."""
        m = Module()
        width = self.form.width
        for lane in range(WORD // width):
            place = slice(lane * width, (lane + 1) * width)
            m.submodules[f"order_{lane}"] = order = Order(self.form)
            holds = Signal(name=f"holds_{lane}")
            m.d.comb += [order.a.eq(self.a[place]), order.b.eq(self.b[place])]
            with m.Switch(self.op):
                with m.Case(FpuOp.MIN):
                    m.d.comb += self.result[place].eq(order.least)
                with m.Case(FpuOp.MAX):
                    m.d.comb += self.result[place].eq(order.greatest)
                with m.Default():
                    m.d.comb += self.result[place].eq(holds.replicate(width))
            m.d.comb += holds.eq(
                (order.equal & (self.op != FpuOp.LT)) | (order.less & (self.op != FpuOp.EQ))
            )
        return m
