"""A tile: processor, memory, exchange port and host port."""

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from openipu.rtl.config import ChipConfig
from openipu.rtl.layouts import HostRequest, HostResponse, TraceRecord, bus_word
from openipu.rtl.tile.core import Core
from openipu.rtl.tile.exchange_port import ExchangePort
from openipu.rtl.tile.host import TileHost
from openipu.rtl.tile.memory import SRAM


class Tile(wiring.Component):
    """One tile of the chip. Only wires; see docs/developer/machine.md for the ports' timing.

    Parameters
    ----------
    config : ChipConfig
        The chip that the tile is for.

    Members
    -------
    tile_id : In(12)
        Constant.
    run, freeze, clear_counters : In(1), boot_pc : In(32), boot_thread : In(4)
        From the chip's control registers.
    sync_request, sync_zone, sync_release
        The barrier.
    bus_out, bus_in, select
        The exchange.
    host, host_response
        The host port.
    halted, trapped : Out(1)
        The program is over; the tile has a trap for the host.
    trace : Out(TraceRecord)
        Retirement, with `config.trace`.
    """

    def __init__(self, config: ChipConfig) -> None:
        self.config = config.tile
        self.exchange_latency = config.exchange_latency
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
            "bus_out": Out(bus_word(self.config.bus_bits)),
            "bus_in": In(bus_word(self.config.bus_bits)),
            "select": Out(12),
            "host": In(HostRequest),
            "host_response": Out(HostResponse),
            "halted": Out(1),
            "trapped": Out(1),
        }
        if self.config.trace:
            members["trace"] = Out(TraceRecord)
        super().__init__(members)

    def elaborate(self, platform):
        """Connect the parts' ports of equal names."""
        m = Module()
        m.submodules.core = core = Core(self.config)
        m.submodules.memory = memory = SRAM(self.config)
        m.submodules.exchange = exchange = ExchangePort(self.config, self.exchange_latency)
        m.submodules.host = host = TileHost(self.config)

        def connect(target, names, source):
            m.d.comb += [getattr(target, name).eq(getattr(source, name)) for name in names]

        for part, prefixes in (
            (core, ("fetch_", "load_", "pop_", "store_", "push_")),
            (exchange, ("send_", "table_", "receive_")),
            (host, ("host_",)),
        ):
            for name, member in memory.signature.members.items():
                if name.startswith(prefixes):
                    target, source = (memory, part) if member.flow is In else (part, memory)
                    connect(target, (name,), source)

        connect(memory, ("tile_id",), self)
        connect(
            core,
            ("tile_id", "run", "freeze", "boot_pc", "boot_thread", "sync_release"),
            self,
        )
        connect(exchange, ("run", "freeze", "bus_in"), self)
        connect(exchange, ("arm", "arm_send", "arm_receive"), core)
        connect(host, ("tile_id", "clear_counters"), self)
        connect(host, ("contexts", "waiting", "zone", "halted", "trap", "pcs", "events"), core)
        connect(self, ("bus_out", "select"), exchange)
        connect(self, ("halted",), core)
        m.d.comb += [
            exchange.release.eq(self.sync_release),
            core.exchange_busy.eq(exchange.busy),
            core.exchange_trap.eq(exchange.trap),
            core.exchange_cause.eq(exchange.trap_cause),
            core.exchange_cycle.eq(exchange.trap_cycle),
            core.exchange_value.eq(exchange.trap_value),
            host.request.eq(self.host),
            host.exchange_busy.eq(exchange.busy),
            host.exchange_cycle.eq(exchange.cycle),
            host.events.sent.eq(exchange.sent),
            host.events.received.eq(exchange.received),
            host.events.exchange.eq(exchange.busy),
            self.host_response.eq(host.response),
            self.sync_request.eq(core.waiting | core.halted),
            self.sync_zone.eq(core.zone),
            self.trapped.eq(core.trap.valid),
        ]
        if self.config.trace:
            connect(self, ("trace",), core)
        return m
