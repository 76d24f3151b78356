"""One output of the matrix unit."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from openipu.rtl.amp.command import command
from openipu.rtl.config import TileConfig
from openipu.rtl.floating.add import Add


class Lane(wiring.Component):
    """Accumulator, partial and result of one output, for each context.

    Parameters
    ----------
    config : TileConfig
        Size of the tile.
    output : int
        Which output this is.

    Members
    -------
    y_thread : In
        Whose accumulator and partial are read.
    z : In(command(config))
        What to do with them; of the thread that was `y_thread` one cycle ago.
    z_sum : In(32)
        The sum of products.
    z_partial : In(32)
        The partial, where `z` gives this output one.
    m_thread : In
        Whose result is read.
    w_result : Out(32)
        The result, one cycle later.
    """

    def __init__(self, config: TileConfig, output: int) -> None:
        self.config, self.output = config, output
        thread = In(ceil_log2(config.contexts))
        super().__init__(
            {
                "y_thread": thread,
                "z": In(command(config)),
                "z_sum": In(32),
                "z_partial": In(32),
                "m_thread": thread,
                "w_result": Out(32),
            }
        )

    def elaborate(self, platform):
        """Read at the end of stage y, add and write back in z."""
        m = Module()
        reads, writes = {}, {}
        for name, thread in (
            ("accumulators", self.y_thread),
            ("partials", self.y_thread),
            ("results", self.m_thread),
        ):
            numbers = memory.Memory(shape=32, depth=1 << len(thread), init=[])
            m.submodules[name] = numbers
            reads[name], writes[name] = numbers.read_port(), numbers.write_port()
            m.d.comb += [
                reads[name].en.eq(1),
                reads[name].addr.eq(thread),
                writes[name].addr.eq(self.z.thread),
            ]

        z, pair = self.z, self.output // 2
        m.submodules.add = add = Add()
        puts = Signal()
        base = Signal(32)
        total = Signal(32)
        partial = Signal(32)
        m.d.comb += [
            puts.eq(z.put & (z.put_index == pair)),
            partial.eq(Mux(z.given > pair, reads["partials"].data, 0)),
            base.eq(Mux(z.fresh, partial, reads["accumulators"].data)),
            add.a.eq(base),
            add.b.eq(self.z_sum),
            total.eq(Mux(z.add & (~z.pair | (z.index == pair)), add.result, base)),
            writes["accumulators"].en.eq(z.step),
            writes["accumulators"].data.eq(
                Mux(z.end, Mux(puts, self.z_partial, Mux(z.fresh, 0, partial)), total)
            ),
            writes["partials"].en.eq(puts),
            writes["partials"].data.eq(self.z_partial),
            writes["results"].en.eq(z.end),
            writes["results"].data.eq(total),
            self.w_result.eq(reads["results"].data),
        ]
        return m
