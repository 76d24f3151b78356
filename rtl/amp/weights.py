"""The weights of the matrix unit."""

from amaranth.hdl import Module
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from openipu.rtl.amp.command import pairs_of
from openipu.rtl.config import TileConfig


class Weights(wiring.Component):
    """A word for each group and output.

    Parameters
    ----------
    config : TileConfig
        Size of the tile.

    Members
    -------
    x_group : In
        The group that is read, or written.
    m_words : Out(64) each
        Its words, one cycle later.
    x_load : In(1), x_index : In
        Write the words for a pair of outputs:
    x_a, x_b : In(64)
        these.
    """

    def __init__(self, config: TileConfig) -> None:
        self.config = config
        super().__init__(
            {
                "x_group": In(ceil_log2(config.amp_depth)),
                "m_words": Out(64).array(config.amp_outputs),
                "x_load": In(1),
                "x_index": In(ceil_log2(pairs_of(config))),
                "x_a": In(64),
                "x_b": In(64),
            }
        )

    def elaborate(self, platform):
        """One memory for each output."""
        m = Module()
        for output in range(self.config.amp_outputs):
            words = memory.Memory(shape=64, depth=self.config.amp_depth, init=[])
            m.submodules[f"output_{output}"] = words
            read, write = words.read_port(), words.write_port()
            m.d.comb += [
                read.en.eq(1),
                read.addr.eq(self.x_group),
                self.m_words[output].eq(read.data),
                write.en.eq(self.x_load & (self.x_index == output // 2)),
                write.addr.eq(self.x_group),
                write.data.eq(self.x_b if output % 2 else self.x_a),
            ]
        return m
