"""The exchange of a whole chip: random schedules must move exactly what they say."""

from dataclasses import dataclass, field
from typing import Any

import cocotb
import numpy as np

from openipu.cosim.benches.host import Host, load_constant, program, sync
from openipu.rtl.config import ChipConfig
from openipu.rtl.host import control
from openipu.rtl.isa import Cause, Zone, encode
from openipu.rtl.layouts import EXCHANGE_THREAD, ExchangeEntry
from openipu.rtl.tile import host as tile_host

SEND_TABLE, RECEIVE_TABLE = 0x400, 0x800
TRAPPED = 1 << 4


@dataclass
class Table:
    """A send or receive table being written: its entries, and the cycle of its last word."""

    rows: list[int] = field(default_factory=list)
    last: int = 0

    def add(self, cycle: int, count: int, address: int, stride: int, source: int = 0) -> None:
        """Append an entry whose first word is at `cycle`."""
        entry = ExchangeEntry.const(
            {
                "gap": cycle - self.last - 1,
                "count": count,
                "address": address // 4,
                "stride": stride,
                "source": source,
            }
        )
        self.rows.append(entry.as_bits())
        self.last = cycle + count - 1

    def earliest(self) -> int:
        """Return the first cycle of the next entry that keeps the rule for entries' distance."""
        return max(self.last + 1, self._first() + 2)

    def _first(self) -> int:
        return self.last if not self.rows else self.last - (self.rows[-1] >> 12 & 0xFFF) + 1

    def words(self) -> np.ndarray[Any, np.dtype[np.uint64]]:
        """Return the table with its end."""
        return np.array([*self.rows, 0], np.uint64)


def superstep() -> np.ndarray[Any, np.dtype[np.uint32]]:
    """Return a program that runs one exchange and comes to rest."""
    return program(
        *load_constant(5, SEND_TABLE),
        *load_constant(6, RECEIVE_TABLE),
        encode("xarm", rs1=5, rs2=6),
        sync(Zone.CHIP),
        sync(Zone.HOST),
        encode("xend"),
    )


async def prepared(dut: Any) -> Host:
    """Return the host of a chip that was reset and has the program."""
    host = Host(dut)
    await host.reset()
    await host.write(control.BROADCAST, superstep())
    await host.write(control.BROADCAST + SEND_TABLE, bytes(8))
    await host.write(control.BROADCAST + RECEIVE_TABLE, bytes(8))
    return host


def random_schedule(
    host: Host, config: ChipConfig, memory: np.ndarray[Any, np.dtype[np.uint8]], messages: int
) -> tuple[list[Table], list[Table]]:
    """Return send and receive tables of random messages, and do to `memory` what they do.

    Words come from the bank before the last and go to the last. Tiles' messages overlap in time.
    """
    tile, pick, width = config.tile, host.random, config.tile.bus_bytes
    bank = tile.bank_bytes
    from_base, to_base = (tile.banks - 2) * bank, (tile.banks - 1) * bank
    sends = [Table() for _ in range(config.tiles)]
    receives = [Table() for _ in range(config.tiles)]
    free = [to_base] * config.tiles
    before = memory.copy()
    for _ in range(messages):
        count = pick.choice((1, 1, 2, 3, 8, 20))
        source = pick.randrange(config.tiles)
        listeners = pick.sample(range(config.tiles), pick.randint(1, config.tiles))
        stride = pick.choice((-3, -1, 0, 1, 1, 1, 2, 5))
        span = abs(stride) * count
        start = from_base + width * (pick.randrange(bank // width - span) + (stride < 0) * span)
        into = pick.choice((1, 1, 1, 2, -1))
        cycle = max(
            sends[source].earliest(),
            *(receives[t].earliest() - config.exchange_latency for t in listeners),
        ) + pick.choice((0, 0, 1, 7))  # fmt: skip
        sends[source].add(cycle, count, start, stride)
        for listener in listeners:
            reach = width * abs(into) * count
            first = free[listener] if into > 0 else free[listener] + reach - width
            free[listener] += reach
            if free[listener] > to_base + bank:
                raise AssertionError("the schedule must fit the bank: fewer messages")
            receives[listener].add(
                cycle + config.exchange_latency, count, first, into, source
            )
            for i in range(count):
                word = before[source, start + width * stride * i :][:width]
                memory[listener, first + width * into * i :][:width] = word
    return sends, receives


@cocotb.test()
async def random_schedules(dut: Any) -> None:
    """Every word of every message arrives where it should, and nothing else changes."""
    host = await prepared(dut)
    config = host.config
    tile = config.tile
    shape = (config.tiles, tile.memory_bytes)
    first = (tile.banks - 2) * tile.bank_bytes
    memory = np.zeros(shape, np.uint8)
    for t in range(config.tiles):
        content = host.random.randbytes(2 * tile.bank_bytes)
        memory[t, first:] = np.frombuffer(content, np.uint8)
        await host.write(host.tile_memory(t) + first, content)
    for turn in range(4):
        sends, receives = random_schedule(host, config, memory, messages=(1, 6, 20, 40)[turn])
        for t in range(config.tiles):
            await host.write(host.tile_memory(t) + SEND_TABLE, sends[t].words())
            await host.write(host.tile_memory(t) + RECEIVE_TABLE, receives[t].words())
        await host.boot()
        assert await host.register(control.STATUS) & TRAPPED == 0, await trap_of(host)
        for t in range(config.tiles):
            found = np.frombuffer(await host.memory(t, first, 2 * tile.bank_bytes), np.uint8)
            wrong = np.flatnonzero(found != memory[t, first:])
            assert wrong.size == 0, (
                f"turn {turn}, tile {t}, address {first + wrong[0]:#x}: "
                f"{found[wrong[0]]:#x}, not {memory[t, first + wrong[0]]:#x}"
            )


@cocotb.test()
async def silent_bus(dut: Any) -> None:
    """Listening to a tile that doesn't drive its bus traps with the cycle and the source."""
    host = await prepared(dut)
    latency = host.config.exchange_latency
    source = host.config.tiles - 1
    table = Table()
    table.add(latency + 5, 1, 0xC00, 1, source)
    await host.write(host.tile_memory(0) + RECEIVE_TABLE, table.words())
    await host.boot()
    assert await host.register(control.STATUS) & TRAPPED
    assert await host.register(control.TRAP_TILE) == 0
    assert await trap_of(host) == (EXCHANGE_THREAD, Cause.SILENT_BUS, latency + 5, source)


@cocotb.test()
async def outside(dut: Any) -> None:
    """A table that names memory outside the tile traps."""
    host = await prepared(dut)
    table = Table()
    table.add(3, 1, host.config.tile.memory_bytes, 1)
    await host.write(host.tile_memory(0) + SEND_TABLE, table.words())
    await host.boot()
    assert await host.register(control.STATUS) & TRAPPED
    _, cause, _, value = await trap_of(host)
    assert (cause, value) == (Cause.EXCHANGE_OUTSIDE, host.config.tile.memory_bytes)


async def trap_of(host: Host) -> tuple[int, int, int, int]:
    """Return thread, cause, pc or cycle, and value of tile TRAP_TILE's trap."""
    base = host.tile_registers(await host.register(control.TRAP_TILE))
    trap = await host.register(base + tile_host.TRAP)
    where = await host.register(base + tile_host.TRAP_WHERE)
    return trap >> 32, trap & 0xFFFF_FFFF, where & 0xFFFF_FFFF, where >> 32
