"""A register that each context has its own of."""

from amaranth.hdl import Module, Mux, Shape, ShapeLike, Signal
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from openipu.rtl.config import TileConfig


class PerContext(wiring.Component):
    """One register for each context: read in the same cycle, 0 until written after `clear`.

    Parameters
    ----------
    config : TileConfig
        Size of the tile.
    shape : ShapeLike
        Of the register.
    separate_write : bool
        Whether `write_thread`, not `thread`, says whose register is written.

    Members
    -------
    clear : In(1)
        All registers read 0 from the next cycle on.
    thread : In
        Whose register.
    value : Out(shape)
        Its value, combinational.
    write : In(1), next : In(shape)
        Its value from the next cycle on.
    write_thread : In
        Whose, if `separate_write`.
    """

    def __init__(
        self, config: TileConfig, shape: ShapeLike, *, separate_write: bool = False
    ) -> None:
        self.config, self.shape = config, shape
        thread = In(ceil_log2(config.contexts))
        members = {
            "clear": In(1),
            "thread": thread,
            "value": Out(shape),
            "write": In(1),
            "next": In(shape),
        }
        if separate_write:
            members["write_thread"] = thread
        super().__init__(members)

    def elaborate(self, platform):
        """A small memory, and a bit for each context that says whether it was written."""
        m = Module()
        m.submodules.storage = storage = memory.Memory(
            shape=Shape.cast(self.shape).width, depth=1 << len(self.thread), init=[]
        )
        read, write = storage.read_port(domain="comb"), storage.write_port()
        writer = getattr(self, "write_thread", self.thread)
        written = Signal(1 << len(self.thread))
        m.d.comb += [
            read.addr.eq(self.thread),
            write.addr.eq(writer),
            write.en.eq(self.write),
            write.data.eq(self.next),
            self.value.eq(Mux(written.bit_select(self.thread, 1), read.data, 0)),
        ]
        with m.If(self.clear):
            m.d.sync += written.eq(0)
        with m.Elif(self.write):
            m.d.sync += written.bit_select(writer, 1).eq(1)
        return m
