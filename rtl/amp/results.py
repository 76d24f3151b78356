"""The matrix unit's results on their way to a register or a stream."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from openipu.rtl.amp.command import pairs_of
from openipu.rtl.config import TileConfig
from openipu.rtl.simd.narrow import Narrow


class Results(wiring.Component):
    """Picks the next two results, or four of them as f16; there is 0 beyond the last one.
    Combinational.

    Parameters
    ----------
    config : TileConfig
        Size of the tile.

    Members
    -------
    results : In(32) each
        All results of a row.
    take : In(1)
        There are results left; else the word is 0.
    index : In
        From this pair on.
    narrow : In(1)
        Four, as f16.
    word : Out(64)
    """

    def __init__(self, config: TileConfig) -> None:
        self.config = config
        super().__init__(
            {
                "results": In(32).array(config.amp_outputs),
                "take": In(1),
                "index": In(ceil_log2(pairs_of(config))),
                "narrow": In(1),
                "word": Out(64),
            }
        )

    def elaborate(self, platform):
        """Choose two pairs, and narrow all of them."""
        m = Module()
        pairs = [
            Cat(self.results[output : output + 2])
            for output in range(0, self.config.amp_outputs, 2)
        ]
        first = Signal(64)
        second = Signal(64)
        with m.Switch(self.index):
            for index, pair in enumerate(pairs):
                with m.Case(index):
                    m.d.comb += first.eq(pair)
                    if index + 1 < len(pairs):
                        m.d.comb += second.eq(pairs[index + 1])
        halves = []
        for index in range(4):
            m.submodules[f"narrow_{index}"] = narrow = Narrow()
            m.d.comb += [
                narrow.a.eq((second if index >= 2 else first).word_select(index % 2, 32)),
                narrow.nearest.eq(1),
            ]
            halves.append(narrow.result)
        with m.If(self.take):
            m.d.comb += self.word.eq(Mux(self.narrow, Cat(halves), first))
        return m
