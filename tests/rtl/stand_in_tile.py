"""A tile without a processor, for tests of the chip around it."""

from amaranth.hdl import Module, Signal
from amaranth.lib import enum, wiring
from amaranth.lib.wiring import In, Out

from openipu.rtl.config import ChipConfig
from openipu.rtl.isa import Cause
from openipu.rtl.layouts import (
    EXCHANGE_THREAD,
    HostRequest,
    HostResponse,
    TraceRecord,
    TrapRecord,
    bus_word,
)
from openipu.rtl.tile.exchange_port import ExchangePort
from openipu.rtl.tile.host import TileHost
from openipu.rtl.tile.memory import SRAM

PROGRAM = 0x400
"""Where the program is: 64-bit words {operation, operand}."""


def step(operation: int, a: int = 0, b: int = 0) -> int:
    """Return a word of the program."""
    return operation | a << 8 | b << 32


HALT, SYNC, ARM, TRAP, STAY = range(5)


class State(enum.Enum, shape=3):
    BOOT = 0
    FETCH = 1
    DO = 2
    WAIT = 3
    SYNC = 4
    EXCHANGE = 5
    HALTED = 6


class StandInTile(wiring.Component):
    """Runs a program of barriers: HALT; SYNC zone; ARM send, receive; TRAP value; STAY."""

    def __init__(self, config: ChipConfig) -> None:
        self.config = config
        tile = config.tile
        bus = bus_word(tile.bus_bits)
        members = {
            "tile_id": In(12),
            "run": In(1),
            "freeze": In(1),
            "boot_pc": In(32),
            "boot_thread": In(4),
            "clear_counters": In(1),
            "sync_request": Out(1),
            "sync_zone": Out(2),
            "sync_release": In(1),
            "bus_out": Out(bus),
            "bus_in": In(bus),
            "select": Out(12),
            "host": In(HostRequest),
            "host_response": Out(HostResponse),
            "halted": Out(1),
            "trapped": Out(1),
        }
        if tile.trace:
            members["trace"] = Out(TraceRecord)
        super().__init__(members)

    def elaborate(self, platform):
        m = Module()
        config = self.config.tile
        m.submodules.sram = sram = SRAM(config)
        m.submodules.exchange = exchange = ExchangePort(config, self.config.exchange_latency)
        m.submodules.host = host = TileHost(config)
        for name in ("en", "write", "addr", "wdata", "strobe"):
            m.d.comb += getattr(sram, f"host_{name}").eq(getattr(host, f"host_{name}"))
        m.d.comb += host.host_rdata.eq(sram.host_rdata)
        for name in ("send_en", "send_addr", "table_en", "table_addr", "receive_en",
                     "receive_addr", "receive_data", "receive_strobe"):  # fmt: skip
            m.d.comb += getattr(sram, name).eq(getattr(exchange, name))
        for name in ("send_data", "table_ok", "table_data"):
            m.d.comb += getattr(exchange, name).eq(getattr(sram, name))

        pc = Signal(32)
        trap = Signal(TrapRecord)
        m.d.comb += [
            sram.tile_id.eq(self.tile_id),
            exchange.run.eq(self.run),
            exchange.freeze.eq(self.freeze),
            exchange.release.eq(self.sync_release),
            exchange.bus_in.eq(self.bus_in),
            self.bus_out.eq(exchange.bus_out),
            self.select.eq(exchange.select),
            host.tile_id.eq(self.tile_id),
            host.request.eq(self.host),
            self.host_response.eq(host.response),
            host.contexts.eq(self.run << config.supervisor),
            host.waiting.eq(self.sync_request),
            host.zone.eq(self.sync_zone),
            host.exchange_busy.eq(exchange.busy),
            host.exchange_cycle.eq(exchange.cycle),
            host.halted.eq(self.halted),
            host.trap.eq(trap),
            host.pcs[config.supervisor].eq(pc),
            host.events.sent.eq(exchange.sent),
            host.events.received.eq(exchange.received),
            host.events.exchange.eq(exchange.busy),
            host.events.sync.eq(self.sync_request),
            host.clear_counters.eq(self.clear_counters),
            self.trapped.eq(trap.valid),
        ]
        operation, a, b = sram.fetch_data[:8], sram.fetch_data[8:32], sram.fetch_data[32:]
        m.d.comb += [exchange.arm_send.eq(a), exchange.arm_receive.eq(b)]
        state = Signal(State)
        with m.Switch(state):
            with m.Case(State.BOOT):
                m.d.sync += [pc.eq(self.boot_pc), self.halted.eq(0), self.sync_request.eq(0)]
                m.d.sync += state.eq(State.FETCH)
            with m.Case(State.FETCH):
                m.d.comb += [sram.fetch_en.eq(1), sram.fetch_addr.eq(pc // 8)]
                with m.If(sram.fetch_ok):
                    m.d.sync += state.eq(State.DO)
            with m.Case(State.DO):
                m.d.sync += pc.eq(pc + 8)
                m.d.sync += state.eq(State.WAIT)
                with m.Switch(operation):
                    with m.Case(HALT):
                        m.d.sync += self.halted.eq(1)
                        m.d.sync += state.eq(State.HALTED)
                    with m.Case(SYNC):
                        m.d.sync += [self.sync_request.eq(1), self.sync_zone.eq(a)]
                        m.d.sync += state.eq(State.SYNC)
                    with m.Case(ARM):
                        m.d.comb += exchange.arm.eq(1)
                    with m.Case(TRAP):
                        m.d.sync += [
                            trap.valid.eq(1),
                            trap.thread.eq(config.supervisor),
                            trap.cause.eq(Cause.EXPLICIT.value),
                            trap.pc.eq(pc),
                            trap.value.eq(a),
                        ]
                        m.d.sync += state.eq(State.HALTED)
                    with m.Case(STAY):
                        m.d.sync += state.eq(State.HALTED)
            with m.Case(State.WAIT):
                delay = Signal(3)
                m.d.sync += delay.eq(delay + 1)
                with m.If(delay == 7):
                    m.d.sync += state.eq(State.FETCH)
            with m.Case(State.SYNC):
                with m.If(self.sync_release):
                    m.d.sync += self.sync_request.eq(0)
                    m.d.sync += state.eq(State.EXCHANGE)
            with m.Case(State.EXCHANGE):
                with m.If(~exchange.busy):
                    m.d.sync += state.eq(State.FETCH)
        with m.If(~self.run):
            m.d.sync += trap.eq(0)
            m.d.sync += state.eq(State.BOOT)
        with m.Elif(exchange.trap & ~trap.valid):
            m.d.sync += [
                trap.valid.eq(1),
                trap.thread.eq(EXCHANGE_THREAD),
                trap.cause.eq(exchange.trap_cause),
                trap.pc.eq(exchange.trap_cycle),
                trap.value.eq(exchange.trap_value),
            ]
        return m
