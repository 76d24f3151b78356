"""Whose turn it is at a unit that takes many cycles and that all threads of a tile share."""

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from openipu.rtl.config import TileConfig


class Claim(wiring.Component):
    """Gives a unit to one thread after the other.

    A request finds the unit free and starts it, or finds it busy, or is the owner's and finds its
    result ready, which frees the unit. In the first two cases the thread replays.

    Workers come back for their results, but the supervisor only if a slot is free. While all
    workers run, and each might wait for the unit, it is taken away from the supervisor, whose
    operation then starts again when it comes.

    Members
    -------
    run : In(1)
        Low: reset.
    x_request : In(1), x_thread : In
        A thread wants the unit, the same at each replay.
    x_crowded : In(1)
        All workers run, so that the supervisor can't.
    busy : In(1)
        The unit is at work. It is high in the cycle after `x_start`.
    x_start : Out(1)
        The unit begins with the request's operands.
    x_ready : Out(1)
        The request has its result; combinational.
    """

    def __init__(self, config: TileConfig) -> None:
        self.config = config
        super().__init__(
            {
                "run": In(1),
                "x_request": In(1),
                "x_thread": In(ceil_log2(config.contexts)),
                "x_crowded": In(1),
                "busy": In(1),
                "x_start": Out(1),
                "x_ready": Out(1),
            }
        )

    def elaborate(self, platform):
        """Remember the owner."""
        m = Module()
        owned, owner, free = Signal(), Signal.like(self.x_thread), Signal()
        m.d.comb += [
            free.eq(~owned | (self.x_crowded & (owner == self.config.supervisor))),
            self.x_ready.eq(
                self.x_request & owned & (owner == self.x_thread) & ~self.busy
            ),
            self.x_start.eq(self.run & self.x_request & free & ~self.x_ready),
        ]
        with m.If(~self.run | self.x_ready):
            m.d.sync += owned.eq(0)
        with m.Elif(self.x_start):
            m.d.sync += [owned.eq(1), owner.eq(self.x_thread)]
        return m
