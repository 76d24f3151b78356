import pytest
from amaranth.sim import Simulator

from openipu.rtl.config import ChipConfig, TileConfig
from openipu.rtl.host import control
from openipu.rtl.host.axi import Resp
from openipu.rtl.host.control import Control
from openipu.rtl.isa import Zone

CONFIG = ChipConfig(tiles=70, tile=TileConfig(banks=5, slots=7, bus_bits=32))
LATENCY = 3 + CONFIG.sync_levels
RUN, STEP, RELEASE, CLEAR = 1, 2, 4, 8


class Bench:
    def __init__(self):
        self.dut = Control(CONFIG)
        self.pulses = {"go": 0, "clear_counters": 0}

    def run(self, bench):
        simulator = Simulator(self.dut)
        simulator.add_clock(1e-6)
        simulator.add_testbench(bench)
        simulator.run()

    async def ask(self, ctx, address, write=False, data=0, strobe=255):
        """Make a request; return (resp, data, request to the tiles or None)."""
        dut = self.dut
        ctx.set(
            dut.request,
            {"valid": 1, "write": write, "address": address, "data": data, "strobe": strobe,
             "last": 1, "id": 0x5A},
        )  # fmt: skip
        host = None
        for cycle in range(LATENCY):
            assert not ctx.get(dut.response.valid)
            await ctx.tick()
            ctx.set(dut.request, {})
            for name in self.pulses:
                self.pulses[name] += ctx.get(getattr(dut, name))
            if cycle == 0 and ctx.get(dut.host.valid):
                host = ctx.get(dut.host)
            else:
                assert not ctx.get(dut.host.valid)
            if cycle == LATENCY - 1:  # what a tile answers in time
                ctx.set(dut.report.response, {"valid": host is not None, "data": 0xF00D})
        response = ctx.get(dut.response)
        ctx.set(dut.report.response, {})
        await ctx.tick()
        assert response.valid and response.write == write and response.id == 0x5A and response.last
        return response.resp, response.data, host

    async def read(self, ctx, address):
        resp, data, host = await self.ask(ctx, address)
        assert resp == Resp.OKAY and host is None
        return data

    async def write(self, ctx, address, data):
        resp, _, host = await self.ask(ctx, address, True, data)
        assert resp == Resp.OKAY and host is None


MEMORY = CONFIG.tile.memory_bytes
LAST = CONFIG.tiles - 1
REGISTERS, TILES = control.TILE_REGISTERS, control.TILE_MEMORY
FORWARDED = {
    # address: (write, registers, broadcast, tile, address in the tile)
    TILES: (0, 0, 0, 0, 0),
    TILES + 8: (1, 0, 0, 0, 8),
    TILES + LAST * 0x10_0000 + MEMORY - 8: (0, 0, 0, LAST, MEMORY - 8),
    TILES + 3 * 0x10_0000 + 0x28: (1, 0, 0, 3, 0x28),
    control.BROADCAST + 0x48: (1, 0, 1, None, 0x48),
    control.BROADCAST + MEMORY - 8: (1, 0, 1, None, MEMORY - 8),
    REGISTERS + 0xFF8: (0, 1, 0, 0, 0xFF8),
    REGISTERS + LAST * 0x1000 + 0x110: (0, 1, 0, LAST, 0x110),
}
REFUSED = [
    # (address, write, response)
    (TILES + MEMORY, 0, Resp.SLVERR),
    (TILES + MEMORY, 1, Resp.SLVERR),
    (TILES + CONFIG.tiles * 0x10_0000, 0, Resp.SLVERR),
    (0xFFFF_FFF8, 0, Resp.SLVERR),
    (control.BROADCAST, 0, Resp.SLVERR),
    (control.BROADCAST + MEMORY, 1, Resp.SLVERR),
    (control.BROADCAST + 0x10_0000, 1, Resp.SLVERR),
    (REGISTERS + CONFIG.tiles * 0x1000, 0, Resp.SLVERR),
    (REGISTERS + 0x0FFF_FFF8, 0, Resp.SLVERR),
    (0x40, 0, Resp.SLVERR),
    (0x0FFF_FFF8, 1, Resp.SLVERR),
    (0x3000_0000, 0, Resp.DECERR),
    (0x7FFF_FFF8, 1, Resp.DECERR),
]


@pytest.mark.parametrize("address", FORWARDED, ids=hex)
def test_requests_to_tiles(address):
    b = Bench()
    write, registers, broadcast, tile, inside = FORWARDED[address]

    async def bench(ctx):
        resp, data, host = await b.ask(ctx, address, write, 0xABCD, 0xFF if registers else 0x3C)
        assert resp == Resp.OKAY
        if not write:
            assert data == 0xF00D
        assert (host.write, host.registers, host.broadcast) == (write, registers, broadcast)
        assert tile is None or host.tile == tile
        assert host.address == inside and host.data == 0xABCD
        assert host.strobe == (0xFF if registers else 0x3C)

    b.run(bench)


@pytest.mark.parametrize(("address", "write", "expected"), REFUSED)
def test_refused_requests(address, write, expected):
    b = Bench()

    async def bench(ctx):
        resp, _, host = await b.ask(ctx, address, write)
        assert resp == expected and host is None

    b.run(bench)


def test_registers_are_written_whole():
    b = Bench()

    async def bench(ctx):
        for address in (control.BOOT, REGISTERS):
            resp, _, host = await b.ask(ctx, address, True, 1, 0x0F)
            assert resp == Resp.SLVERR and host is None
        assert ctx.get(b.dut.boot_pc) == 0

    b.run(bench)


def test_memory_is_refused_while_the_chip_runs():
    b = Bench()
    dut = b.dut

    async def bench(ctx):
        await b.write(ctx, control.CONTROL, RUN)
        for address, write in ((TILES, 0), (TILES, 1), (control.BROADCAST, 1)):
            resp, _, host = await b.ask(ctx, address, write)
            assert resp == Resp.SLVERR and host is None
        resp, _, host = await b.ask(ctx, REGISTERS)
        assert resp == Resp.OKAY and host is not None
        for rest in (dut.host_sync, dut.step_rest, dut.all_halted):
            ctx.set(rest, 1)
            assert ctx.get(dut.resting)
            resp, _, host = await b.ask(ctx, TILES)
            assert resp == Resp.OKAY and host is not None
            ctx.set(rest, 0)
        assert not ctx.get(dut.resting)

    b.run(bench)


def test_constant_registers():
    b = Bench()

    async def bench(ctx):
        assert (await b.read(ctx, control.ID)).to_bytes(8, "little") == b"openipu1"
        expected = MEMORY << 32 | 7 << 24 | 32 << 16 | 70
        assert await b.read(ctx, control.SIZE) == expected

    b.run(bench)


def test_control_and_boot():
    b = Bench()
    dut = b.dut

    async def bench(ctx):
        assert await b.read(ctx, control.BOOT) == 7 << 32
        await b.write(ctx, control.BOOT, 3 << 32 | 0x8000_0010)
        assert (ctx.get(dut.boot_thread), ctx.get(dut.boot_pc)) == (3, 0x8000_0010)
        await b.write(ctx, control.CONTROL, RUN | STEP | RELEASE | CLEAR)
        assert ctx.get(dut.run) and ctx.get(dut.step)
        assert b.pulses == {"go": 1, "clear_counters": 1}
        assert await b.read(ctx, control.CONTROL) == RUN | STEP
        await b.write(ctx, control.CONTROL, 0)
        assert b.pulses == {"go": 1, "clear_counters": 1}
        assert not ctx.get(dut.run) and not ctx.get(dut.step)

    b.run(bench)


def test_status_bits():
    b = Bench()
    dut = b.dut

    async def bench(ctx):
        assert await b.read(ctx, control.STATUS) == 1
        await b.write(ctx, control.CONTROL, RUN)
        assert await b.read(ctx, control.STATUS) == 0
        for bit, signal in ((1, dut.host_sync), (2, dut.step_rest), (3, dut.all_halted)):
            ctx.set(signal, 1)
            assert await b.read(ctx, control.STATUS) == 1 | 1 << bit
            ctx.set(signal, 0)
        ctx.set(dut.zone, Zone.HOST)
        assert await b.read(ctx, control.STATUS) == 2 << 6

    b.run(bench)


@pytest.mark.parametrize("mismatch", [False, True])
def test_traps_freeze_then_rest(mismatch):
    b = Bench()
    dut = b.dut

    async def bench(ctx):
        ctx.set(dut.report.trapped, 1)
        await ctx.tick().repeat(3)
        assert not ctx.get(dut.freeze)  # it doesn't run
        ctx.set(dut.report.trapped, 0)
        await b.write(ctx, control.CONTROL, RUN)
        ctx.set(dut.zone_mismatch if mismatch else dut.report.trapped, 1)
        ctx.set(dut.report.first, 42)
        await ctx.tick()
        assert ctx.get(dut.freeze) and not ctx.get(dut.resting)
        await ctx.tick().repeat(4)
        assert not ctx.get(dut.resting)  # the last stores
        await ctx.tick().repeat(6)
        assert ctx.get(dut.resting)
        assert await b.read(ctx, control.STATUS) == 1 | 1 << 4 | mismatch << 5
        assert await b.read(ctx, control.TRAP_TILE) == 42
        ctx.set(dut.report.trapped, 0)
        assert ctx.get(dut.freeze)
        ctx.set(dut.zone_mismatch, 0)
        await b.write(ctx, control.CONTROL, 0)
        assert not ctx.get(dut.freeze)
        assert await b.read(ctx, control.STATUS) == 1

    b.run(bench)


def test_cycles_and_barriers_since_run():
    b = Bench()
    dut = b.dut

    async def bench(ctx):
        for _ in range(2):
            await b.write(ctx, control.CONTROL, RUN)
            await ctx.tick().repeat(100)
            ctx.set(dut.sync_release, 1)
            await ctx.tick().repeat(3)
            ctx.set(dut.sync_release, 0)
            ctx.set(dut.host_sync, 1)
            cycles = await b.read(ctx, control.CYCLES)
            assert cycles == 100 + 3 + LATENCY
            await ctx.tick().repeat(50)
            assert await b.read(ctx, control.CYCLES) == cycles  # rest isn't counted
            assert await b.read(ctx, control.BARRIERS) == 3
            ctx.set(dut.host_sync, 0)
            await b.write(ctx, control.CONTROL, 0)
            assert await b.read(ctx, control.CYCLES) == 0
            assert await b.read(ctx, control.BARRIERS) == 0

    b.run(bench)
