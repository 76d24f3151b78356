"""The exchange as the tables in memory say, word by word with the hardware's cycle numbers.

Cycle 0 is the barrier's release; see docs/developer/machine.md.
"""

from collections import defaultdict
from dataclasses import dataclass, field

from openipu.cosim.golden.hart import ADDRESS, TrapReport
from openipu.cosim.golden.memory import Memory
from openipu.cosim.golden.tile import TileISS
from openipu.rtl.config import WORD_BYTES, ChipConfig
from openipu.rtl.isa import Cause
from openipu.rtl.layouts import EXCHANGE_THREAD, ExchangeEntry

PREFETCHED = 3
"""Entries of a table that are there before the release; each later one takes the place of one that
is over."""
_UNITS = 1 << 20  # addresses in an entry wrap at so many units of 4 bytes


@dataclass(frozen=True)
class Fault:
    """The exchange port's trap."""

    cycle: int
    cause: Cause
    value: int


@dataclass(frozen=True)
class Word:
    """A bus word of a table: at `cycle`, from or to byte address `address`; a receive's source."""

    cycle: int
    address: int
    source: int


@dataclass
class Walk:
    """What a table does: its words, when which entry is fetched, and the first fault."""

    words: list[Word] = field(default_factory=list)
    fetches: list[tuple[int, int]] = field(default_factory=list)  #: cycle, byte address
    fault: Fault | None = None

    def note(self, cycle: int, cause: Cause, value: int) -> None:
        """Keep a fault, if it is the first."""
        if self.fault is None or cycle < self.fault.cycle:
            self.fault = Fault(cycle, cause, value)


def walk(memory: Memory, config: ChipConfig, base: int, *, receiving: bool) -> Walk:
    """Expand the table at byte address `base` (0: none) up to its end or its first fault."""
    result = Walk()
    bus_bytes = config.tile.bus_bytes
    lead = config.exchange_latency - 2 if receiving else 0  # a receive table is walked ahead
    pointer = base & ADDRESS
    overs: list[int] = [0]  # the cycles in which the entries so far are over
    fetched = -2
    # Entries are fetched ahead, so something can be wrong with the next ones before a fault's time.
    while base and (result.fault is None or fetched <= result.fault.cycle):
        number = len(overs) - 1
        if number >= PREFETCHED:  # send tables are fetched in even cycles, receive tables in odd
            fetched = max(overs[number - PREFETCHED + 1] - lead + 1, fetched + 2)
            fetched += (fetched & 1) != receiving
        if pointer % WORD_BYTES or pointer >= len(memory.bytes):
            result.note(max(fetched, 0), Cause.EXCHANGE_OUTSIDE, pointer)
            break
        if number >= PREFETCHED:
            result.fetches.append((fetched, pointer))
        entry = ExchangeEntry.from_bits(memory.views[3][pointer // WORD_BYTES])
        if not entry.gap and not entry.count:
            break
        if number >= PREFETCHED and fetched >= overs[-1] - lead:
            result.note(fetched + 2, Cause.TABLE_LATE, pointer)
            break
        if not number and receiving and entry.gap <= lead:
            result.note(entry.gap + 1, Cause.SILENT_BUS, entry.source)
            break
        first = overs[-1] + entry.gap + 1
        for step in range(entry.count):
            unit = (entry.address + step * entry.stride * (bus_bytes // 4)) % _UNITS
            if 4 * unit % bus_bytes or 4 * unit >= len(memory.bytes):
                result.note(first + step, Cause.EXCHANGE_OUTSIDE, 4 * unit)
                break
            result.words.append(Word(first + step, 4 * unit, entry.source))
        overs.append(overs[-1] + entry.gap + entry.count)
        pointer += WORD_BYTES
    return result


def _clash(config: ChipConfig, send: Walk, receive: Walk) -> Fault | None:
    """Return the first table fetch from the bank that the tile sends from in that cycle."""
    bank_bytes = config.tile.bank_bytes
    banks = {word.cycle: word.address // bank_bytes for word in send.words}
    for cycle, pointer in sorted(send.fetches + receive.fetches):
        if banks.get(cycle) == pointer // bank_bytes:
            return Fault(cycle, Cause.TABLE_CLASH, pointer)
    return None


def exchange(config: ChipConfig, tiles: list[TileISS]) -> None:
    """Perform the exchange that the tiles have armed, and disarm it.

    At the first cycle with a fault everything stops, and the tiles that it happened to are trapped.
    """
    width = config.tile.bus_bytes
    view = 3 if width == WORD_BYTES else 2
    reads: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    writes: defaultdict[int, list[tuple[int, Word]]] = defaultdict(list)
    faults: defaultdict[int, list[tuple[int, Fault]]] = defaultdict(list)
    for number, tile in enumerate(tiles):
        armed, tile.supervisor.armed = tile.supervisor.armed, None
        if armed is None:
            continue
        send = walk(tile.memory, config, armed[0], receiving=False)
        receive = walk(tile.memory, config, armed[1], receiving=True)
        for word in send.words:
            reads[word.cycle].append((number, word.address))
        for word in receive.words:
            writes[word.cycle].append((number, word))
        for fault in (_clash(config, send, receive), send.fault, receive.fault):
            if fault is not None:
                faults[fault.cycle].append((number, fault))
    flying: dict[tuple[int, int], int] = {}
    for cycle in sorted(reads.keys() | writes.keys() | faults.keys()):
        # A read of a word that is stored in the same cycle returns the old word.
        for number, address in reads.get(cycle, ()):
            word_sent = tiles[number].memory.views[view][address // width]
            flying[cycle + config.exchange_latency, number] = word_sent
        for number, word in writes.get(cycle, ()):
            arrived = flying.get((cycle, word.source))
            if arrived is None:
                faults[cycle].append((number, Fault(cycle, Cause.SILENT_BUS, word.source)))
            else:
                tiles[number].memory.views[view][word.address // width] = arrived
        if faults.get(cycle):
            for number, fault in faults[cycle]:
                tiles[number].stop(
                    TrapReport(number, EXCHANGE_THREAD, fault.cause, cycle, fault.value)
                )
            return
