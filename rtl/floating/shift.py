"""Shifts and counts by halving. All are combinational.

Shifts are made of levels that keep the width: a `<<` by a signal would be as wide as its greatest
result.
"""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2


class LeadingZeros(wiring.Component):
    """Counts the zeros above the leading one.

    Parameters
    ----------
    width : int
        Bits of the value, at least 2.

    Members
    -------
    value : In(width)
    count : Out(ceil_log2(width))
        For zero, the greatest count that fits.
    """

    def __init__(self, width: int) -> None:
        super().__init__({"value": In(width), "count": Out(ceil_log2(width))})

    def elaborate(self, platform):
        """Look at the upper half of what is left; if it is zero, go on in the lower."""
        m = Module()
        levels = len(self.count)
        window = Cat(Const(0, (1 << levels) - len(self.value)), self.value)
        for level in reversed(range(levels)):
            half = 1 << level
            upper, lower = window[half:], window[:half]
            m.d.comb += self.count[level].eq(upper == 0)
            window = Signal(half, name=f"window_{half}")
            m.d.comb += window.eq(Mux(self.count[level], lower, upper))
        return m


class LeftShifter(wiring.Component):
    """Shifts to the left; what leaves the width is lost.

    Parameters
    ----------
    width : int
        Bits of the value, at least 2.

    Members
    -------
    value : In(width)
    amount : In(ceil_log2(width))
    result : Out(width)
    """

    def __init__(self, width: int) -> None:
        super().__init__(
            {"value": In(width), "amount": In(ceil_log2(width)), "result": Out(width)}
        )

    def elaborate(self, platform):
        """Shift by one power of two after the other."""
        m = Module()
        value = self.value
        for level in reversed(range(len(self.amount))):
            shifted = Signal(len(value), name=f"shifted_{1 << level}")
            m.d.comb += shifted.eq(Mux(self.amount[level], value.shift_left(1 << level), value))
            value = shifted
        m.d.comb += self.result.eq(value)
        return m


class JammingShifter(wiring.Component):
    """Shifts to the right; ones that are lost leave a one in bit 0.

    Parameters
    ----------
    width : int
        Bits of the value, at least 2.

    Members
    -------
    value : In(width)
    amount : In(ceil_log2(width))
    result : Out(width)
    """

    def __init__(self, width: int) -> None:
        super().__init__(
            {"value": In(width), "amount": In(ceil_log2(width)), "result": Out(width)}
        )

    def elaborate(self, platform):
        """Shift by one power of two after the other, jamming each time."""
        m = Module()
        value = self.value
        for level in reversed(range(len(self.amount))):
            step = 1 << level
            shifted = Signal(len(value), name=f"shifted_{step}")
            kept = value[step:]
            jammed = Cat(kept[0] | value[:step].any(), kept[1:])
            m.d.comb += shifted.eq(Mux(self.amount[level], jammed, value))
            value = shifted
        m.d.comb += self.result.eq(value)
        return m
