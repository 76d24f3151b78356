import random

import pytest
from amaranth.hdl import Cat, Elaboratable, Module
from amaranth.sim import Simulator

from openipu.rtl.config import ChipConfig, TileConfig
from openipu.rtl.exchange.fabric import ExchangeMux
from openipu.rtl.isa import Cause
from openipu.rtl.layouts import ExchangeEntry
from openipu.rtl.tile.exchange_port import ExchangePort
from openipu.rtl.tile.memory import SRAM

KIB = 1024
BANK = 2 * KIB
BANKS = 10
TABLES = (BANKS - 2) * BANK  # send table; the receive table is in the next bank


def entry(gap, count=0, address=0, stride=0, source=0):
    return ExchangeEntry.const(
        {"gap": gap, "count": count, "address": address // 4, "stride": stride, "source": source}
    ).as_bits()


class Chip(Elaboratable):
    """Some exchange ports with their memories and multiplexers."""

    def __init__(self, tiles, latency, bus_bits):
        self.config = ChipConfig(
            tiles=tiles,
            exchange_latency=latency,
            tile=TileConfig(banks=BANKS, bank_bytes=BANK, bus_bits=bus_bits),
        )
        self.ports = [ExchangePort(self.config.tile, latency) for _ in range(tiles)]
        self.srams = [SRAM(self.config.tile) for _ in range(tiles)]

    def elaborate(self, platform):
        m = Module()
        for i, (port, sram) in enumerate(zip(self.ports, self.srams, strict=True)):
            m.submodules[f"port_{i}"] = port
            m.submodules[f"sram_{i}"] = sram
            m.submodules[f"mux_{i}"] = mux = ExchangeMux(self.config)
            for name in ("send_en", "send_addr", "table_en", "table_addr", "receive_en",
                         "receive_addr", "receive_data", "receive_strobe"):  # fmt: skip
                m.d.comb += getattr(sram, name).eq(getattr(port, name))
            for name in ("send_data", "table_ok", "table_data"):
                m.d.comb += getattr(port, name).eq(getattr(sram, name))
            m.d.comb += [
                mux.buses.as_value().eq(Cat(p.bus_out.as_value() for p in self.ports)),
                mux.select.eq(port.select),
                port.bus_in.as_value().eq(mux.bus_in),
            ]
        return m

    def run(self, bench):
        simulator = Simulator(self)
        simulator.add_clock(1e-6)
        simulator.add_testbench(bench)
        simulator.run()

    async def poke(self, ctx, tile, words):
        """Write address -> 64-bit word through the host port."""
        sram = self.srams[tile]
        ctx.set(sram.host_en, 1)
        ctx.set(sram.host_write, 1)
        ctx.set(sram.host_strobe, 255)
        for address, word in words.items():
            ctx.set(sram.host_addr, address // 8)
            ctx.set(sram.host_wdata, word)
            await ctx.tick()
        ctx.set(sram.host_en, 0)

    async def peek(self, ctx, addresses):
        """Return the words at some addresses: for each tile a list."""
        words = [[] for _ in self.srams]
        for address in addresses:
            for sram in self.srams:
                ctx.set(sram.host_en, 1)
                ctx.set(sram.host_write, 0)
                ctx.set(sram.host_addr, address // 8)
            await ctx.tick()
            for sram, found in zip(self.srams, words, strict=True):
                found.append(ctx.get(sram.host_rdata))
        for sram in self.srams:
            ctx.set(sram.host_en, 0)
        return words

    async def start(self, ctx, tables, wait=12):
        """Load tile -> (send entries, receive entries), arm, release; return in cycle 0."""
        for port in self.ports:
            ctx.set(port.run, 1)
        for tile, (send, receive) in tables.items():
            words = {}
            for base, entries in ((TABLES, send), (TABLES + BANK, receive)):
                words |= {base + 8 * i: word for i, word in enumerate([*entries, 0])}
            await self.poke(ctx, tile, words)
            port = self.ports[tile]
            ctx.set(port.arm_send, TABLES if send else 0)
            ctx.set(port.arm_receive, TABLES + BANK if receive else 0)
            ctx.set(port.arm, 1)
        await ctx.tick()
        for port in self.ports:
            ctx.set(port.arm, 0)
        await ctx.tick().repeat(wait)
        for port in self.ports:
            ctx.set(port.release, 1)

    async def step(self, ctx):
        await ctx.tick()
        for port in self.ports:
            ctx.set(port.release, 0)


def walk(entries):
    """Yield (cycle, address, source) of each word of a table, as machine.md has it."""
    cycle = 1
    for gap, count, address, stride, source in entries:
        cycle += gap
        for i in range(count):
            yield cycle, address + i * stride, source
            cycle += 1


def random_tables(rng, tiles, latency, bus_bytes, length):
    """Return tile -> (send, receive) as tuples that keep the rules; strides are in bytes."""
    tables, runs = {}, {}
    for tile in range(tiles):
        send, cycle = [], 1
        runs[tile] = []
        for _ in range(rng.randrange(length)):
            gap = rng.choice([0, 0, 1, 2, rng.randrange(30)])
            count = rng.choice([0, 1, 2, 3, rng.randrange(1, 20)])
            if gap + count < 2:
                gap += 2
            stride = rng.choice([1, 1, 2, -1, 0, rng.randrange(-12, 13)])
            travel = stride * max(count - 1, 0)
            start = rng.randrange(max(0, -travel), BANK // bus_bytes - max(0, travel))
            send.append((gap, count, start * bus_bytes, stride * bus_bytes, 0))
            cycle += gap
            if count:
                runs[tile].append((cycle, cycle + count))
            cycle += count
        tables[tile] = (send, [])
    for tile in range(tiles):
        receive, cycle, last_start = tables[tile][1], 1, -10
        sources = [(begin, end, s) for s in range(tiles) for begin, end in runs[s]]
        rng.shuffle(sources)
        for begin, end, source in sorted(sources[: len(sources) // 2 + 1]):
            begin = rng.randrange(begin, end) + latency
            end = rng.randrange(begin, end + latency) + 1
            if begin < max(cycle, last_start + 2):
                continue
            # In its own bank half, so that what is sent isn't what was received.
            stride = rng.choice([1, 1, -1, 2])
            words = 4 * BANK // bus_bytes
            start = 2 * BANK // bus_bytes + rng.randrange(words // 4, 3 * words // 4)
            receive.append(
                (begin - cycle, end - begin, start * bus_bytes, stride * bus_bytes, source)
            )
            last_start, cycle = begin, end
    return tables


@pytest.mark.parametrize(
    ("tiles", "latency", "bus_bits"),
    [(2, 3, 64), (3, 3, 32), (3, 4, 64), (2, 4, 32), (2, 9, 64), (2, 9, 32), (3, 16, 64),
     (2, 16, 32)],
)  # fmt: skip
def test_random_tables_match_model(tiles, latency, bus_bits):
    chip = Chip(tiles, latency, bus_bits)
    bus_bytes = bus_bits // 8
    seed = random.randrange(1 << 32)
    print(f"seed {seed}")
    rng = random.Random(seed)
    tables = random_tables(rng, tiles, latency, bus_bytes, 16)
    while not all(receive for _, receive in tables.values()):
        tables = random_tables(rng, tiles, latency, bus_bytes, 16)

    memories = [bytearray(rng.randbytes(BANK) + bytes((BANKS - 1) * BANK)) for _ in range(tiles)]
    images = [
        {a: int.from_bytes(memory[a : a + 8], "little") for a in range(0, BANK, 8)}
        for memory in memories
    ]
    sends = [{t: a for t, a, _ in walk(tables[i][0])} for i in range(tiles)]
    receives = [{t: (a, s) for t, a, s in walk(tables[i][1])} for i in range(tiles)]
    sent = [{} for _ in range(tiles)]
    last = [max([0, *sends[i], *receives[i]]) for i in range(tiles)]
    for cycle in range(max(last) + 1):
        for i in range(tiles):
            if cycle in sends[i]:
                address = sends[i][cycle]
                sent[i][cycle] = bytes(memories[i][address : address + bus_bytes])
        for i in range(tiles):
            if cycle in receives[i]:
                address, source = receives[i][cycle]
                memories[i][address : address + bus_bytes] = sent[source][cycle - latency]

    async def bench(ctx):
        for i in range(tiles):
            await chip.poke(ctx, i, images[i])
        await chip.start(
            ctx,
            {
                i: tuple(
                    [entry(g, n, a, s // bus_bytes, q) for g, n, a, s, q in table]
                    for table in tables[i]
                )
                for i in range(tiles)
            },
        )
        counts = [[0, 0] for _ in range(tiles)]
        for cycle in range(max(last) + 20):
            for i, port in enumerate(chip.ports):
                assert not ctx.get(port.trap), (seed, cycle, ctx.get(port.trap_cause))
                assert ctx.get(port.sent) == (cycle in sends[i]), (seed, i, cycle)
                assert ctx.get(port.received) == (cycle in receives[i]), (seed, i, cycle)
                counts[i][0] += ctx.get(port.sent)
                counts[i][1] += ctx.get(port.received)
                if cycle <= last[i]:
                    assert ctx.get(port.busy), (seed, i, cycle)
                    assert ctx.get(port.cycle) == cycle
            await chip.step(ctx)
        await ctx.tick().repeat(60)  # waits at the end of a table count
        for i in range(tiles):
            assert not ctx.get(chip.ports[i].busy)
            assert counts[i] == [len(sends[i]), len(receives[i])]
        addresses = range(0, 6 * BANK, 8)
        for i, words in enumerate(await chip.peek(ctx, addresses)):
            for address, word in zip(addresses, words, strict=True):
                expected = int.from_bytes(memories[i][address : address + 8], "little")
                assert word == expected, (seed, i, hex(address))

    chip.run(bench)


@pytest.mark.parametrize("latency", [3, 16])
def test_dense_tables_are_never_late(latency):
    """Every entry two cycles after the one before, in both tables: the most that is allowed."""
    chip = Chip(2, latency, 64)
    length = 100
    send = [entry(0, 2, 8 * i, 1) for i in range(length)]
    receive = [entry(latency, 2, 2 * BANK, 1, 1)] + [
        entry(0, 2, 2 * BANK + 16 * i, 1, 1) for i in range(1, length)
    ]

    async def bench(ctx):
        await chip.poke(ctx, 1, {8 * i: i for i in range(length + 1)})
        await chip.start(ctx, {0: (send, receive), 1: (send, receive)}, wait=6)
        for _ in range(2 * length + latency + 1):
            assert not ctx.get(chip.ports[0].trap), Cause(ctx.get(chip.ports[0].trap_cause))
            assert ctx.get(chip.ports[0].busy)
            await chip.step(ctx)
        for _ in range(2):
            await chip.step(ctx)
        assert not ctx.get(chip.ports[0].busy)
        found, _ = await chip.peek(ctx, range(2 * BANK, 2 * BANK + 16 * length, 8))
        assert found == [word for i in range(length) for word in (i, i + 1)]

    chip.run(bench)


def test_nothing_armed_is_never_busy():
    chip = Chip(1, 4, 64)

    async def bench(ctx):
        await chip.start(ctx, {0: ([], [])})
        for _ in range(10):
            assert not ctx.get(chip.ports[0].busy)
            await chip.step(ctx)

    chip.run(bench)


def test_exchange_runs_once_for_each_arming():
    chip = Chip(1, 4, 64)
    port = chip.ports[0]

    async def bench(ctx):
        for _ in range(2):
            await chip.start(ctx, {0: ([entry(0, 3, 0, 1)], [])})
            sent = 0
            for _ in range(10):
                sent += ctx.get(port.sent)
                await chip.step(ctx)
            assert sent == 3
        ctx.set(port.release, 1)
        assert not ctx.get(port.busy)
        for _ in range(5):
            await chip.step(ctx)
            assert not ctx.get(port.sent)

    chip.run(bench)


def test_bit_31_of_table_addresses_is_ignored():
    chip = Chip(1, 4, 64)
    port = chip.ports[0]

    async def bench(ctx):
        await chip.poke(ctx, 0, {TABLES: entry(1, 2, 0, 1), TABLES + 8: 0})
        ctx.set(port.run, 1)
        ctx.set(port.arm, 1)
        ctx.set(port.arm_send, 0x8000_0000 + TABLES)
        await ctx.tick()
        ctx.set(port.arm, 0)
        await ctx.tick().repeat(8)
        ctx.set(port.release, 1)
        sent = []
        for _ in range(8):
            assert not ctx.get(port.trap)
            sent.append(ctx.get(port.sent))
            await chip.step(ctx)
        assert sent == [0, 0, 1, 1, 0, 0, 0, 0]

    chip.run(bench)


MEMORY = BANKS * BANK
TRAPS = {
    # name: (send, receive, cause, cycle, value), with latency 6
    "silent bus": ([], [entry(9, 2, 0, 1, 1)], Cause.SILENT_BUS, 10, 1),
    "silent after one word": (
        [entry(3, 1, 0, 1)], [entry(9, 2, 2 * BANK, 1, 0)], Cause.SILENT_BUS, 11, 0,
    ),
    "no such tile": ([], [entry(20, 1, 0, 1, 77)], Cause.SILENT_BUS, 21, 77),
    "far too early": ([], [entry(2, 1, 0, 1, 5)], Cause.SILENT_BUS, 3, 5),
    "too early by one": ([], [entry(5, 1, 0, 1, 5)], Cause.SILENT_BUS, 6, 5),
    "send outside": ([entry(2, 1, MEMORY)], [], Cause.EXCHANGE_OUTSIDE, 3, MEMORY),
    "send walks outside": ([entry(2, 3, MEMORY - 8, 1)], [], Cause.EXCHANGE_OUTSIDE, 4, MEMORY),
    "send walks below 0": ([entry(2, 3, 0, -1)], [], Cause.EXCHANGE_OUTSIDE, 4, 0x40_0000 - 8),
    "send misaligned": ([entry(2, 1, 4)], [], Cause.EXCHANGE_OUTSIDE, 3, 4),
    "receive outside": (
        [entry(3, 2, 0, 1)], [entry(9, 2, MEMORY - 8, 1)], Cause.EXCHANGE_OUTSIDE, 11, MEMORY,
    ),
    "send table late": ([entry(0, 1)] * 5, [], Cause.TABLE_LATE, 6, TABLES + 32),
    "receive table late": (
        [entry(0, 20)], [entry(6, 1), *[entry(0, 1)] * 5],
        Cause.TABLE_LATE, 7, TABLES + BANK + 24,
    ),
    "clash": ([entry(0, 4, TABLES)] * 4, [], Cause.TABLE_CLASH, 6, TABLES + 24),
    "the first of two": (
        [entry(9, 1, MEMORY)], [entry(9, 1, 0, 1, 1)], Cause.EXCHANGE_OUTSIDE, 10, MEMORY,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", TRAPS)
def test_traps(name):
    send, receive, cause, at, value = TRAPS[name]
    chip = Chip(2, 6, 64)
    port = chip.ports[0]

    async def bench(ctx):
        await chip.start(ctx, {0: (send, receive)})
        traps = []
        for cycle in range(40):
            if ctx.get(port.trap):
                traps.append(trap_of(ctx, port))
                # A receive that comes before anything could have been sent is known at once.
                assert cycle == at or "too early" in name
            if traps:
                assert not ctx.get(port.send_en) or ctx.get(port.trap)
            await chip.step(ctx)
        assert traps == [(cause, at, value)]

    chip.run(bench)


def trap_of(ctx, port):
    return Cause(ctx.get(port.trap_cause)), ctx.get(port.trap_cycle), ctx.get(port.trap_value)


@pytest.mark.parametrize("which", ["arm_send", "arm_receive"])
@pytest.mark.parametrize("address", [MEMORY, MEMORY - 4, 0x7FFF_FFF8, 4, MEMORY - 8])
def test_table_outside_or_misaligned_traps(which, address):
    chip = Chip(1, 4, 64)
    port = chip.ports[0]

    async def bench(ctx):
        # The last word of the memory is no end, so that a table there goes on outside.
        await chip.poke(ctx, 0, {MEMORY - 8: entry(100, 1)})
        ctx.set(port.run, 1)
        ctx.set(port.arm, 1)
        ctx.set(getattr(port, which), address)
        await ctx.tick()
        ctx.set(port.arm, 0)
        traps = []
        for _ in range(10):
            if ctx.get(port.trap):
                traps.append(trap_of(ctx, port))
            await ctx.tick()
        value = MEMORY if address == MEMORY - 8 else address
        assert traps == [(Cause.EXCHANGE_OUTSIDE, 0, value)]

    chip.run(bench)


@pytest.mark.parametrize("signal", ["freeze", "run"])
def test_freeze_and_reset_stop_the_port(signal):
    chip = Chip(1, 4, 64)
    port = chip.ports[0]

    async def bench(ctx):
        await chip.start(ctx, {0: ([entry(0, 30)], [entry(4, 30, 2 * BANK)])})
        for _ in range(8):
            await chip.step(ctx)
        assert ctx.get(port.sent) and ctx.get(port.received)
        ctx.set(getattr(port, signal), signal == "freeze")
        if signal == "run":
            await ctx.tick()
            assert not ctx.get(port.busy) and ctx.get(port.cycle) == 0
        for _ in range(10):
            assert not ctx.get(port.send_en) and not ctx.get(port.receive_en)
            assert not ctx.get(port.table_en) and not ctx.get(port.trap)
            await ctx.tick()

    chip.run(bench)
