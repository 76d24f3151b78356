"""Where the workers of a tile meet."""

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from openipu.rtl.config import TileConfig


class Meeting(wiring.Component):
    """A barrier of the workers that run.

    A worker whose xmeet is in stage x *arrives*; its instruction replays until all that run have
    arrived. The last to arrive goes on at once, the others each at their next issue.

    Parameters
    ----------
    config : TileConfig
        Size of the tile.

    Members
    -------
    run : In(1)
        Low: nobody has arrived.
    running : In(slots)
        Workers that run.
    x_meet : In(1), x_thread : In
        That worker's xmeet is in stage x.
    x_over : Out(1)
        It retires.
    """

    def __init__(self, config: TileConfig) -> None:
        self.config = config
        super().__init__(
            {
                "run": In(1),
                "running": In(config.slots),
                "x_meet": In(1),
                "x_thread": In(ceil_log2(config.contexts)),
                "x_over": Out(1),
            }
        )

    def elaborate(self, platform):
        """Two bits for each worker: it has arrived, and it may go on."""
        m = Module()
        slots = self.config.slots
        arrived, free, x_worker = Signal(slots), Signal(slots), Signal(slots)
        x_all = Signal()
        m.d.comb += [
            x_worker.eq(1 << self.x_thread),
            x_all.eq((arrived | x_worker | ~self.running).all()),
            self.x_over.eq((free & x_worker).any() | x_all),
        ]
        with m.If(self.x_meet):
            with m.If((free & x_worker).any()):
                m.d.sync += free.eq(free & ~x_worker)
            with m.Elif(x_all):
                m.d.sync += [arrived.eq(0), free.eq(free | (arrived & ~x_worker))]
            with m.Else():
                m.d.sync += arrived.eq(arrived | x_worker)
        with m.If(~self.run):
            m.d.sync += [arrived.eq(0), free.eq(0)]
        return m
