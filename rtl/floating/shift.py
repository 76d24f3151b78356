"""Shifts and counts. All are combinational.

A `<<` by a signal would be as wide as its greatest result; here it is a `>>` from above. No operand
of one has more than a word, as far as the simulator's time depends on it.
"""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

WORD = 64
"""Bits that the simulator handles at once."""


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
        """Shift by powers of two, then by what is left."""
        m = Module()
        value = self.value
        low = min((WORD + 1 - len(value)).bit_length() - 1, len(self.amount))
        for level in reversed(range(low, len(self.amount))):
            shifted = Signal(len(value), name=f"shifted_{1 << level}")
            m.d.comb += shifted.eq(Mux(self.amount[level], value.shift_left(1 << level), value))
            value = shifted
        room = (1 << low) - 1
        m.d.comb += self.result.eq(value.shift_left(room) >> ~self.amount[:low])
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
        """Shift, and see by a mask of as many ones what is lost."""
        m = Module()
        most = (1 << len(self.amount)) - 1
        ones = Const((1 << most) - 1, most)
        kept = Signal(len(self.value))
        lost = Signal()
        m.d.comb += [
            kept.eq(self.value >> self.amount),
            lost.eq((self.value & (ones >> ~self.amount)).any()),
            self.result.eq(Cat(kept[0] | lost, kept[1:])),
        ]
        return m
