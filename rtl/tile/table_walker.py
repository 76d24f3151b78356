"""Walks one exchange table: fetches its entries ahead and counts out their cycles."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from openipu.rtl.config import WORD_BYTES, TileConfig
from openipu.rtl.layouts import ExchangeEntry

_QUEUE = 3  # the entry being walked and two of prefetch
_POINTER = 31  # bits of a byte address: bit 31 is ignored, as everywhere


class TableWalker(wiring.Component):
    """A queue of three entries, filled from memory; the first counts itself down.

    `lead` is how many cycles the walker runs ahead of the machine's clock: a word that the table
    puts at cycle t appears at t - lead, where cycle 0 is the barrier's release. A table with lead
    must not begin with less than lead+1 cycles of gap (`early`).

    Parameters
    ----------
    config : TileConfig
        Size of the tile.
    lead : int
        Cycles ahead of the clock.

    Members
    -------
    arm, base : In
        Forget everything and start to fetch the table at byte address `base`; 0 is an empty table.
    clear : In(1)
        Forget everything.
    release : In(1)
        Cycle 0 of the walk.
    advance : In(1)
        High in each cycle, from 1 on, in which the walk goes on.
    want : Out(1), pointer : Out(31)
        The walker wants the entry at this byte address.
    grant : In(1)
        The entry is being read, and is in `fetched` in the next cycle. Only while `want` is high.
    fetched : In(ExchangeEntry)
        The memory's answer.
    word, address, source : Out
        In this cycle comes a word, at `address` (units of 4 bytes). `source` is the entry's, also
        before its first word.
    ended : Out(1)
        The table's end is reached (or there is no table).
    early : Out(1)
        In cycle 0: the first entry would have had to begin before it; `gap` then has its gap.
    late : Out(1)
        An entry came from memory after its time; it is at `head_pointer`.
    """

    def __init__(self, config: TileConfig, lead: int) -> None:
        self.config = config
        self.lead = lead
        super().__init__(
            {
                "arm": In(1),
                "base": In(32),
                "clear": In(1),
                "release": In(1),
                "advance": In(1),
                "want": Out(1),
                "pointer": Out(_POINTER),
                "grant": In(1),
                "fetched": In(ExchangeEntry),
                "word": Out(1),
                "address": Out(20),
                "source": Out(12),
                "gap": Out(12),
                "ended": Out(1),
                "early": Out(1),
                "late": Out(1),
                "head_pointer": Out(_POINTER),
            }
        )

    def elaborate(self, platform):
        """Shift the queue at an entry's last cycle; otherwise count down in its first place."""
        m = Module()
        queue = [Signal(ExchangeEntry, name=f"entry_{i}") for i in range(_QUEUE)]
        head = queue[0]
        level = Signal(range(_QUEUE + 1))
        empty = Signal(init=1)  # there is no table
        fetching = Signal()  # the end has not been fetched yet
        coming = Signal()  # `fetched` is ours
        lag = Signal()  # the walk had to wait for an entry

        at_end = Signal()
        m.d.comb += [
            at_end.eq((level != 0) & (head.gap == 0) & (head.count == 0)),
            self.ended.eq(empty | at_end),
            self.late.eq(self.advance & lag & (level != 0) & ~at_end),
            self.head_pointer.eq(self.pointer - WORD_BYTES),
            self.want.eq(fetching & ~coming & (level != _QUEUE)),
            self.address.eq(head.address),
            self.source.eq(head.source),
            self.gap.eq(head.gap),
        ]

        # Walk: change the head, or drop it.
        drop = Signal()
        after = Signal(ExchangeEntry)  # the head as the cycle leaves it
        m.d.comb += after.eq(head)
        with m.If(self.advance & (level != 0) & ~at_end):
            m.d.comb += drop.eq((head.gap + head.count) == 1)
            with m.If(head.gap != 0):
                m.d.comb += after.gap.eq(head.gap - 1)
            with m.Else():
                step = head.stride * (self.config.bus_bytes // 4)
                m.d.comb += [
                    self.word.eq(1),
                    after.count.eq(head.count - 1),
                    after.address.eq(head.address + step),
                ]
        with m.If(self.advance & (level == 0) & ~empty):
            m.d.sync += lag.eq(1)
        if self.lead:
            with m.If(self.release & (level != 0) & ~at_end):
                m.d.comb += [
                    self.early.eq(head.gap <= self.lead),
                    after.gap.eq(head.gap - self.lead),
                ]

        # Fill.
        kept = Signal.like(level)
        m.d.comb += kept.eq(level - drop)
        m.d.sync += [level.eq(kept + coming), coming.eq(self.grant)]
        for i, entry in enumerate(queue):
            stays = after if i == 0 else entry
            follows = queue[i + 1] if i + 1 < _QUEUE else entry
            with m.If(coming & (kept == i)):
                m.d.sync += entry.eq(self.fetched)
            with m.Else():
                m.d.sync += entry.eq(Mux(drop, follows, stays))
        with m.If(coming & (self.fetched.gap == 0) & (self.fetched.count == 0)):
            m.d.sync += fetching.eq(0)
        with m.If(self.grant):
            m.d.sync += self.pointer.eq(self.pointer + WORD_BYTES)

        with m.If(self.arm | self.clear):
            m.d.sync += [level.eq(0), coming.eq(0), lag.eq(0), fetching.eq(0), empty.eq(1)]
        with m.If(self.arm & (self.base != 0)):
            m.d.sync += [self.pointer.eq(self.base), fetching.eq(1), empty.eq(0)]
        return m
