"""Leading zeros away."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2


class Normalise(wiring.Component):
    """Shifts the leading one to the top. Combinational.

    Parameters
    ----------
    width : int
        Bits of the value, at least 2.

    Members
    -------
    value : In(width)
    result : Out(width)
    count : Out(ceil_log2(width))
        How far it was shifted; for zero, the greatest count that fits.
    """

    def __init__(self, width: int) -> None:
        super().__init__(
            {"value": In(width), "result": Out(width), "count": Out(ceil_log2(width))}
        )

    def elaborate(self, platform):
        """Shift by one power of two after the other, where so many bits at the top are zero."""
        m = Module()
        value, width = self.value, len(self.value)
        for level in reversed(range(len(self.count))):
            step = 1 << level
            shifted = Signal(width, name=f"shifted_{step}")
            m.d.comb += [
                self.count[level].eq(value < 1 << width - step),
                shifted.eq(Mux(self.count[level], value.shift_left(step), value)),
            ]
            value = shifted
        m.d.comb += self.result.eq(value)
        return m
