"""A tile alone with its own multiplexer, for tests: load, run, see what retired."""

from dataclasses import dataclass, field

import numpy as np
from amaranth.hdl import Module
from amaranth.lib import data
from amaranth.sim import Simulator

from openipu.cosim.golden.trace import FIELDS, TRACE_DTYPE
from openipu.rtl.exchange.fabric import ExchangeMux
from openipu.rtl.layouts import Events
from openipu.rtl.tile.tile import Tile

RELEASE_EVERY = 7  # cycles; an odd number, so that releases meet all slots
DRAIN = 4  # cycles in which what has been fetched still retires


@dataclass
class Run:
    """What a program did."""

    cycles: int = 0
    halted: bool = False
    records: list = field(default_factory=list)
    retired_in: list = field(default_factory=list)
    events: dict = field(default_factory=dict)
    trap: dict = field(default_factory=dict)
    memory: bytes = b""

    @property
    def trace(self):
        return np.array(self.records, TRACE_DTYPE)


def run_tile(config, image, *, thread, pc=0, max_cycles=20_000, read_memory=False):
    """Load an image at 0, start a thread, run until the tile halts or traps."""
    top = Module()
    top.submodules.tile = tile = Tile(config)
    top.submodules.mux = mux = ExchangeMux(config)
    top.d.comb += [
        mux.buses[0].eq(tile.bus_out.as_value()),
        mux.select.eq(tile.select),
        tile.bus_in.as_value().eq(mux.bus_in),
    ]
    run = Run()

    async def request(ctx, **fields):
        ctx.set(tile.host, fields)
        await ctx.tick()
        ctx.set(tile.host, {"valid": 0})

    async def read(ctx, address, registers):
        await request(ctx, valid=1, tile=0, address=address, registers=registers)
        await ctx.tick()
        assert ctx.get(tile.host_response.valid)
        return ctx.get(tile.host_response.data)

    async def bench(ctx):
        padded = image + bytes(-len(image) % 8)
        for at in range(0, len(padded), 8):
            word = int.from_bytes(padded[at : at + 8], "little")
            if word:
                await request(ctx, valid=1, write=1, tile=0, address=at, data=word, strobe=0xFF)
        ctx.set(tile.boot_thread, thread)
        ctx.set(tile.boot_pc, pc)
        ctx.set(tile.run, 1)
        drain = DRAIN
        while drain and run.cycles < max_cycles:
            await ctx.tick()
            run.cycles += 1
            over = ctx.get(tile.halted) or ctx.get(tile.trapped)
            drain -= over
            ctx.set(tile.freeze, ctx.get(tile.trapped))
            ctx.set(
                tile.sync_release,
                ctx.get(tile.sync_request) and not over and run.cycles % RELEASE_EVERY == 0,
            )
            if ctx.get(tile.trace.valid):
                run.records.append(tuple(int(ctx.get(tile.trace[name])) for name in FIELDS))
                run.retired_in.append(run.cycles)
        run.halted = bool(ctx.get(tile.halted))
        for index, (name, _) in enumerate(data.Layout.cast(Events)):
            run.events[name] = await read(ctx, 0x100 + 8 * index, 1)
        status, trap, where = [await read(ctx, at, 1) for at in (0x00, 0x08, 0x10)]
        run.trap = {
            "valid": status >> 14 & 1, "thread": trap >> 32, "cause": trap & 0xFFFF_FFFF,
            "pc": where & 0xFFFF_FFFF, "value": where >> 32,
        }  # fmt: skip
        if read_memory:
            words = [await read(ctx, at, 0) for at in range(0, config.tile.memory_bytes, 8)]
            run.memory = np.array(words, np.uint64).tobytes()

    simulator = Simulator(top)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
    return run
