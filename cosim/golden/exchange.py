"""The exchange as the tables in memory say, word by word with the hardware's cycle numbers."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from openipu.cosim.golden.hart import ADDRESS, TrapReport
from openipu.cosim.golden.memory import Memory
from openipu.cosim.golden.tile import TileISS
from openipu.rtl.config import ChipConfig
from openipu.rtl.isa import Cause
from openipu.rtl.layouts import EXCHANGE_THREAD, ExchangeEntry

ENTRY_BYTES = 8
ENTRY_DISTANCE = 2  #: least cycles from an entry's first word, or its wait, to the next entry's


class ExchangeError(Exception):
    """The exchange port's trap: cause, cycle since the release, value."""

    def __init__(self, cause: Cause, cycle: int, value: int) -> None:
        super().__init__(cause, cycle, value)
        self.cause = cause
        self.cycle = cycle
        self.value = value


@dataclass(frozen=True)
class Slot:
    """One bus word of a table: at `cycle`, from or to `address` (bytes); `source` of a receive."""

    cycle: int
    address: int
    source: int


@dataclass(frozen=True)
class Entry:
    """`layouts.ExchangeEntry` as ints."""

    gap: int
    count: int
    address: int
    stride: int
    source: int

    @classmethod
    def from_word(cls, word: int) -> "Entry":
        """Unpack a table's 64-bit word."""
        entry = ExchangeEntry.from_bits(word)
        return cls(entry.gap, entry.count, entry.address, entry.stride, entry.source)


def read_table(memory: Memory, address: int) -> list[tuple[int, Entry]]:
    """Return the entries of the table at `address` (0: none), each with its own address."""
    entries = []
    while address:
        if address >= len(memory.bytes):
            raise ExchangeError(Cause.EXCHANGE_OUTSIDE, 0, address)
        word = memory.views[3][address // ENTRY_BYTES]
        if not word:
            break
        entries.append((address, Entry.from_word(word)))
        address += ENTRY_BYTES
    return entries


def expand(memory: Memory, address: int, bus_bytes: int) -> Iterator[Slot]:
    """Yield a table's bus words in order of cycles.

    Raises ExchangeError at the first word outside the memory, and at an entry that comes too soon
    after the one before it.
    """
    cycle = 0
    entries = read_table(memory, address & ADDRESS & -ENTRY_BYTES)
    for number, (where, entry) in enumerate(entries):
        cycle += entry.gap
        for word in range(entry.count):
            cycle += 1
            at = (entry.address * 4 & -bus_bytes) + word * entry.stride * bus_bytes
            if not 0 <= at <= len(memory.bytes) - bus_bytes:
                raise ExchangeError(Cause.EXCHANGE_OUTSIDE, cycle, at & 0xFFFF_FFFF)
            yield Slot(cycle, at, entry.source)
        if entry.gap + entry.count < ENTRY_DISTANCE and number + 1 < len(entries):
            raise ExchangeError(Cause.TABLE_LATE, cycle, where + ENTRY_BYTES)


def exchange(config: ChipConfig, tiles: list[TileISS]) -> None:
    """Perform the exchange that the tiles have armed, and disarm it; a trap stops its tile."""
    width = config.tile.bus_bytes
    view = config.tile.bus_bits.bit_length() - 4  # of the memory's views: 32 bits: 2, 64 bits: 3
    reads: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    writes: defaultdict[int, list[tuple[int, Slot]]] = defaultdict(list)
    errors: list[tuple[int, ExchangeError]] = []
    for number, tile in enumerate(tiles):
        armed, tile.supervisor.armed = tile.supervisor.armed, None
        if not armed:
            continue
        for table, receiving in zip(armed, (False, True), strict=True):
            try:
                for slot in expand(tile.memory, table, width):
                    if receiving:
                        writes[slot.cycle].append((number, slot))
                    else:
                        reads[slot.cycle].append((number, slot.address))
            except ExchangeError as error:
                errors.append((number, error))
    last = min((error.cycle for _, error in errors), default=None)
    flying: dict[tuple[int, int], int] = {}
    for cycle in sorted(reads.keys() | writes.keys()):
        if last is not None and cycle >= last:
            break
        # A read of a word that is stored in the same cycle returns the old word.
        for number, address in reads[cycle]:
            word = tiles[number].memory.views[view][address // width]
            flying[cycle + config.exchange_latency, number] = word
        for number, slot in writes[cycle]:
            arrived = flying.get((cycle, slot.source))
            if arrived is None:
                errors.append((number, ExchangeError(Cause.SILENT_BUS, cycle, slot.source)))
                last = cycle + 1
            else:
                tiles[number].memory.views[view][slot.address // width] = arrived
    for number, trap in sorted(errors, key=lambda pair: pair[1].cycle):
        if trap.cycle <= (last or 0):
            tiles[number].stop(
                TrapReport(number, EXCHANGE_THREAD, trap.cause, trap.cycle, trap.value)
            )
