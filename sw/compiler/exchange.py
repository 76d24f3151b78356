"""Exchange scheduling: in which cycle each tile sends and receives what.

A transfer holds its sender's bus and all of its receivers' inputs for as many cycles as it has bus
words; between the two ends lies a constant latency, so that one interval describes both. Each port
does one thing at a time, and a table's entry must take two cycles or more, so that the hardware can
fetch the next: a transfer of one word holds its ports a cycle before it, too.
"""

from bisect import bisect_right, insort
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from openipu.rtl.config import ChipConfig
from openipu.rtl.layouts import ExchangeEntry
from openipu.sw.compiler.steps import Piece, Transfer

ENTRY_BYTES = 8
LIMIT = (1 << ExchangeEntry.as_shape()["gap"].width) - 1  #: of an entry's gap and count


@dataclass(frozen=True)
class Entry:
    """A table's entry before it has an address: `gap` cycles, then `count` bus words.

    The words begin `skip` bus words into `piece`, and come from (or, in a send table, leave) tile
    `source`. Without a piece the entry only waits.
    """

    gap: int
    count: int
    piece: Piece | None = None
    skip: int = 0
    source: int = 0


@dataclass(frozen=True)
class Schedule:
    """The tables of one exchange.

    `cycles` last from the barrier's release to the last word's storage; `bound` is what the busiest
    port alone needs. Tiles without a table have none.
    """

    send: dict[int, tuple[Entry, ...]]
    receive: dict[int, tuple[Entry, ...]]
    cycles: int
    bound: int


_Word = tuple[int, int, Piece, int]  # first cycle, bus words, piece, source tile


def schedule(transfers: Sequence[Transfer], config: ChipConfig) -> Schedule:
    """Choose when each transfer happens: those with the busiest ports first, as early as they can.

    The order of transfers doesn't matter to what they do.
    """
    latency = config.exchange_latency
    words = [
        -(-piece.count * piece.variable.item_bytes // config.tile.bus_bytes)
        for piece in (transfer.source for transfer in transfers)
    ]
    ports = [_ports(transfer) for transfer in transfers]
    load: dict[tuple[bool, int], int] = defaultdict(int)
    for used, count in zip(ports, words, strict=True):
        for port in used:
            load[port] += max(count, 2)
    bound = max(load.values(), default=0)
    order = sorted(
        range(len(transfers)),
        key=lambda i: (-max(load[port] for port in ports[i]), -words[i], i),
    )
    taken: dict[tuple[bool, int], list[tuple[int, int]]] = defaultdict(list)
    sends: dict[int, list[_Word]] = defaultdict(list)
    receives: dict[int, list[_Word]] = defaultdict(list)
    last = 0
    for i in order:
        transfer, count = transfers[i], words[i]
        length = max(count, 2)
        start = _earliest([taken[port] for port in ports[i]], length)
        for port in ports[i]:
            insort(taken[port], (start, start + length))
        first = start + length - count  # words are sent from here on
        last = max(last, first + count)
        tile = transfer.source.tile
        sends[tile].append((first, count, transfer.source, tile))
        for piece in transfer.destinations:
            receives[piece.tile].append((first + latency, count, piece, tile))
    return Schedule(
        {tile: _entries(listed) for tile, listed in sorted(sends.items())},
        {tile: _entries(listed) for tile, listed in sorted(receives.items())},
        last + latency if transfers else 0,
        bound + latency + 1 if transfers else 0,
    )


def _ports(transfer: Transfer) -> list[tuple[bool, int]]:
    return [(False, transfer.source.tile), *((True, piece.tile) for piece in transfer.destinations)]


def _earliest(ports: list[list[tuple[int, int]]], length: int) -> int:
    """Return the first cycle from 1 on from which all ports are free for so long."""
    start, waiting = 1, True
    while waiting:
        waiting = False
        for taken in ports:
            # The intervals don't overlap, so the one before tells whether the start is free.
            at = bisect_right(taken, (start, 1 << 62))
            if at and taken[at - 1][1] > start:
                start, waiting = taken[at - 1][1], True
            while at < len(taken) and taken[at][0] < start + length:
                start, waiting = max(start, taken[at][1]), True
                at += 1
    return start


def _entries(words: list[_Word]) -> tuple[Entry, ...]:
    """Return one port's table; an entry's count and gap are limited."""
    entries: list[Entry] = []
    over = 1  # the first cycle that the table has not yet described
    for first, count, piece, source in sorted(words, key=lambda word: word[0]):
        gap, skip = first - over, 0
        while gap > LIMIT:
            wait = min(LIMIT, gap - 2)
            entries.append(Entry(wait, 0))
            gap -= wait
        while count > LIMIT:
            entries.append(Entry(gap, LIMIT - 1, piece, skip, source))
            gap, count, skip = 0, count - (LIMIT - 1), skip + LIMIT - 1
        entries.append(Entry(gap, count, piece, skip, source))
        over = first + skip + count
    return tuple(entries)


def encode(entry: Entry, address: int, *, receiving: bool) -> int:
    """Return the entry's 64-bit word; `address` is the byte address of its first bus word."""
    fields = {"gap": entry.gap, "count": entry.count}
    if entry.piece is not None:
        fields |= {"address": address // 4, "stride": 1, "source": entry.source * receiving}
    word: int = ExchangeEntry.const(fields).as_bits()
    return word


def table_bytes(entries: tuple[Entry, ...]) -> int:
    """Return the size of a table with its end."""
    return ENTRY_BYTES * (len(entries) + 1)
