"""The hardware loop of each context."""

from amaranth.hdl import Module, Mux, Signal, unsigned
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from openipu.rtl.config import TileConfig
from openipu.rtl.isa import LOOP_BODY
from openipu.rtl.tile.per_context import PerContext


class Loop(data.Struct):
    """A loop that runs, as long as the context's bit in `active` is set."""

    first: unsigned(32)
    """Address of the body's first instruction."""
    last: unsigned(32)
    """Of its last."""
    left: unsigned(32)
    """Iterations after this one."""


class Loops(wiring.Component):
    """Tells where a thread goes on after the last instruction of its loop's body.

    Parameters
    ----------
    config : TileConfig
        Size of the tile.

    Members
    -------
    run : In(1)
        Low: no loop runs.
    x_thread : In, x_pc : In(32)
        The instruction in stage x.
    x_repeat : In(1), x_count : In(32), x_length : In(12)
        It is an xrpt that retires: how often, and how many instructions.
    x_bad_length : Out(1)
        That length can't be; whatever the instruction is.
    x_retire : In(1)
        It retires.
    x_inside : Out(1)
        It is in the body of its thread's loop.
    x_again : Out(1), x_first : Out(32)
        It is the last of the body, which starts again there.
    w_start : In(1), w_start_worker : In
        A worker is started: its loop is over.
    """

    def __init__(self, config: TileConfig) -> None:
        self.config = config
        thread = In(ceil_log2(config.contexts))
        super().__init__(
            {
                "run": In(1),
                "x_thread": thread,
                "x_pc": In(32),
                "x_repeat": In(1),
                "x_count": In(32),
                "x_length": In(12),
                "x_bad_length": Out(1),
                "x_retire": In(1),
                "x_inside": Out(1),
                "x_again": Out(1),
                "x_first": Out(32),
                "w_start": In(1),
                "w_start_worker": thread,
            }
        )

    def elaborate(self, platform):
        """A register and a bit for each context."""
        m = Module()
        m.submodules.loop = register = PerContext(self.config, Loop)
        active = Signal(1 << len(self.x_thread))
        loop, next_loop = register.value, register.next
        x_last = Signal()
        running = active.bit_select(self.x_thread, 1)
        m.d.comb += [
            register.clear.eq(~self.run),
            register.thread.eq(self.x_thread),
            self.x_bad_length.eq((self.x_length == 0) | (self.x_length > LOOP_BODY)),
            self.x_inside.eq(running & (self.x_pc >= loop.first) & (self.x_pc <= loop.last)),
            x_last.eq(running & (self.x_pc == loop.last)),
            self.x_again.eq(x_last & (loop.left != 0)),
            self.x_first.eq(loop.first),
            register.write.eq(self.x_repeat | (self.x_retire & x_last)),
            next_loop.eq(loop),
        ]
        with m.If(self.x_repeat):
            m.d.comb += [
                next_loop.first.eq(self.x_pc + 4),
                next_loop.last.eq(self.x_pc + (self.x_length << 2)),
                next_loop.left.eq(self.x_count - 1),
            ]
        with m.Else():
            m.d.comb += next_loop.left.eq(loop.left - 1)

        with m.If(self.x_repeat | (self.x_retire & x_last)):
            m.d.sync += active.bit_select(self.x_thread, 1).eq(
                Mux(self.x_repeat, self.x_count != 0, loop.left != 0)
            )
        with m.If(self.w_start):
            m.d.sync += active.bit_select(self.w_start_worker, 1).eq(0)
        with m.If(~self.run):
            m.d.sync += active.eq(0)
        return m
