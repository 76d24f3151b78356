import random

import pytest
from amaranth.hdl import Module
from amaranth.lib import data
from amaranth.sim import Simulator

from openipu.rtl.config import TileConfig
from openipu.rtl.layouts import Events
from openipu.rtl.tile import host
from openipu.rtl.tile.host import TileHost
from openipu.rtl.tile.memory import SRAM

EVENTS = [name for name, _ in data.Layout.cast(Events)]


class Bench:
    def __init__(self, config=None, tile_id=5):
        self.config = config or TileConfig()
        self.tile_id = tile_id
        self.dut = TileHost(self.config)
        self.sram = SRAM(self.config)

    def run(self, bench):
        m = Module()
        m.submodules.dut = self.dut
        m.submodules.sram = self.sram
        m.d.comb += self.dut.tile_id.eq(self.tile_id)
        m.d.comb += self.dut.host_rdata.eq(self.sram.host_rdata)
        for name in ("host_en", "host_write", "host_addr", "host_wdata", "host_strobe"):
            m.d.comb += getattr(self.sram, name).eq(getattr(self.dut, name))
        simulator = Simulator(m)
        simulator.add_clock(1e-6)
        simulator.add_testbench(bench)
        simulator.run()

    async def ask(self, ctx, **fields):
        """Make one request; return the response two cycles later, None if there is none."""
        fields = {"valid": 1, "tile": self.tile_id} | fields
        ctx.set(self.dut.request, fields)
        await ctx.tick()
        ctx.set(self.dut.request, {})
        assert not ctx.get(self.dut.response.valid)
        await ctx.tick()
        response = ctx.get(self.dut.response)
        await ctx.tick()
        assert ctx.get(self.dut.response.as_value()) == 0
        if not response.valid:
            assert response.data == 0
            return None
        return response.data

    async def register(self, ctx, address):
        return await self.ask(ctx, registers=1, address=address)


def test_memory_is_read_and_written():
    b = Bench()

    async def bench(ctx):
        word = 0x0123_4567_89AB_CDEF
        assert await b.ask(ctx, write=1, address=0x1238, data=word, strobe=0xFF) is None
        assert await b.ask(ctx, address=0x1238) == word
        await b.ask(ctx, write=1, address=0x1238, data=(1 << 64) - 1, strobe=0b0100_0010)
        assert await b.ask(ctx, address=0x1238) == 0x01FF_4567_89AB_FFEF
        assert await b.ask(ctx, address=0x1230) == 0

    b.run(bench)


def test_only_own_and_broadcast_requests_are_taken():
    b = Bench()

    async def bench(ctx):
        await b.ask(ctx, write=1, address=8, data=1, strobe=0xFF, tile=4)
        assert await b.ask(ctx, address=8) == 0
        await b.ask(ctx, write=1, address=8, data=2, strobe=0xFF, tile=4, broadcast=1)
        assert await b.ask(ctx, address=8) == 2
        assert await b.ask(ctx, address=8, tile=4) is None
        assert await b.ask(ctx, address=0, registers=1, tile=4) is None

    b.run(bench)


def test_back_to_back_requests_are_answered_in_order():
    b = Bench()
    seed = random.randrange(1 << 32)
    print(f"seed {seed}")
    rng = random.Random(seed)

    async def bench(ctx):
        words = {}
        expected = []
        ctx.set(b.dut.exchange_cycle, 77)
        for i in range(300):
            kind = rng.choice(["read", "write", "register", "idle"])
            address = 8 * rng.randrange(16)
            fields = {"valid": kind != "idle", "tile": b.tile_id, "address": address}
            answer = (0, 0)
            if kind == "write":
                words[address] = value = rng.getrandbits(64)
                fields |= {"write": 1, "data": value, "strobe": 255}
            elif kind == "read":
                answer = (1, words.get(address, 0))
            elif kind == "register":
                fields |= {"registers": 1, "address": host.EXCHANGE}
                answer = (1, 77)
            ctx.set(b.dut.request, fields)
            expected.append(answer)
            if i >= 2:
                response = ctx.get(b.dut.response)
                assert (response.valid, response.data) == expected[i - 2], (seed, i)
            await ctx.tick()

    b.run(bench)


@pytest.mark.parametrize("slots", [4, 6, 8])
def test_registers(slots):
    b = Bench(TileConfig(slots=slots))

    async def bench(ctx):
        contexts = (1 << slots) | 5
        ctx.set(b.dut.contexts, contexts)
        ctx.set(b.dut.trap, {"valid": 1, "thread": 9, "cause": 0x1018, "pc": 0x44, "value": 0x55})
        for c in range(slots + 1):
            ctx.set(b.dut.pcs[c], 0x8000_0000 + c)
        for bit, signal in ((9, "waiting"), (12, "exchange_busy"), (13, "halted")):
            ctx.set(getattr(b.dut, signal), 1)
            assert await b.register(ctx, host.STATUS) == contexts | 1 << bit | 1 << 14
            ctx.set(getattr(b.dut, signal), 0)
        ctx.set(b.dut.zone, 2)
        assert await b.register(ctx, host.STATUS) == contexts | 2 << 10 | 1 << 14
        assert await b.register(ctx, host.TRAP) == 9 << 32 | 0x1018
        assert await b.register(ctx, host.TRAP_WHERE) == 0x55 << 32 | 0x44
        for c in range(slots + 1):
            assert await b.register(ctx, host.PC + 8 * c) == 0x8000_0000 + c
        assert await b.register(ctx, host.PC + 8 * (slots + 1)) == 0
        assert await b.register(ctx, 0xFF8) == 0
        await b.ask(ctx, registers=1, write=1, address=host.TRAP, data=0, strobe=0xFF)
        assert await b.register(ctx, host.TRAP) == 9 << 32 | 0x1018

    b.run(bench)


def test_counters_count_their_events():
    b = Bench()

    async def bench(ctx):
        for i, name in enumerate(EVENTS):
            ctx.set(b.dut.events, {name: 1})
            await ctx.tick().repeat(i + 1)
        ctx.set(b.dut.events, {})
        for i in range(len(EVENTS)):
            assert await b.register(ctx, host.COUNTERS + 8 * i) == i + 1
        ctx.set(b.dut.events, {name: 1 for name in EVENTS})
        ctx.set(b.dut.clear_counters, 1)
        await ctx.tick()
        ctx.set(b.dut.events, {})
        ctx.set(b.dut.clear_counters, 0)
        for i in range(len(EVENTS)):
            assert await b.register(ctx, host.COUNTERS + 8 * i) == 0

    b.run(bench)
