"""The chip's registers, and the way of the host's requests to the tiles and back."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal, unsigned
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from openipu.rtl.config import ChipConfig
from openipu.rtl.host.axi import BusRequest, BusResponse, Resp
from openipu.rtl.host.report import Report
from openipu.rtl.isa import Zone
from openipu.rtl.layouts import HostRequest

# The host address map, in bytes.
CHIP_REGISTERS = 0x0000_0000
BROADCAST = 0x1000_0000
TILE_REGISTERS = 0x2000_0000
TILE_REGISTERS_STEP = 0x1000
TILE_MEMORY = 0x8000_0000
TILE_MEMORY_STEP = 0x10_0000

# Chip registers.
ID = 0x00
SIZE = 0x08
CONTROL = 0x10
STATUS = 0x18
BOOT = 0x20
CYCLES = 0x28
BARRIERS = 0x30
TRAP_TILE = 0x38

ID_VALUE = int.from_bytes(b"openipu1", "little")

_DRAIN = 8  # cycles from freezing until the tiles' last stores are done, and some


class _About(data.Struct):
    """A request on its way, as far as its response needs it."""

    valid: unsigned(1)
    write: unsigned(1)
    last: unsigned(1)
    id: unsigned(8)
    resp: Resp
    local: unsigned(1)
    register: unsigned(3)


class Control(wiring.Component):
    """Decodes requests; holds the registers; knows whether the chip runs, rests or is frozen.

    A request is answered 3 + `sync_levels` cycles later: one to the tile, two in it, and back
    through the tree.

    Parameters
    ----------
    config : ChipConfig
        Size of the chip.

    Members
    -------
    request : In(BusRequest), response : Out(BusResponse)
        The AXI port's.
    host : Out(HostRequest)
        To all tiles.
    report : In(Report)
        The root of the tiles' tree.
    run, freeze, clear_counters, boot_pc, boot_thread : Out
        To all tiles.
    step, go : Out; host_sync, step_rest, all_halted, zone_mismatch, zone, sync_release : In
        The barrier's.
    resting : Out(1)
        The memories are the host's.
    """

    def __init__(self, config: ChipConfig) -> None:
        self.config = config
        super().__init__(
            {
                "request": In(BusRequest),
                "response": Out(BusResponse),
                "host": Out(HostRequest),
                "report": In(Report),
                "run": Out(1),
                "freeze": Out(1),
                "clear_counters": Out(1),
                "boot_pc": Out(32),
                "boot_thread": Out(4, init=config.tile.supervisor),
                "step": Out(1),
                "go": Out(1),
                "host_sync": In(1),
                "step_rest": In(1),
                "all_halted": In(1),
                "zone_mismatch": In(1),
                "zone": In(Zone),
                "sync_release": In(1),
                "resting": Out(1),
            }
        )

    def elaborate(self, platform):
        """All about a request is known at once, except what a tile answers: that is waited for."""
        m = Module()
        request = self.request
        trapped = self._state(m)
        resp, local = self._decode(m)
        good = request.valid & (resp == Resp.OKAY)
        m.d.sync += [
            self.host.valid.eq(good & ~local),
            self.host.write.eq(request.write),
            self.host.data.eq(request.data),
            self.host.strobe.eq(request.strobe),
        ]

        # Write registers.
        register_number = request.address[3:6]
        m.d.sync += [self.go.eq(0), self.clear_counters.eq(0)]
        with m.If(good & local & request.write):
            with m.Switch(register_number):
                with m.Case(CONTROL // 8):
                    m.d.sync += [
                        self.run.eq(request.data[0]),
                        self.step.eq(request.data[1]),
                        self.go.eq(request.data[2]),
                        self.clear_counters.eq(request.data[3]),
                    ]
                with m.Case(BOOT // 8):
                    m.d.sync += [
                        self.boot_pc.eq(request.data[:32]),
                        self.boot_thread.eq(request.data[32:36]),
                    ]

        # Answer.
        about = Signal(_About)
        m.d.comb += [
            about.valid.eq(request.valid),
            about.write.eq(request.write),
            about.last.eq(request.last),
            about.id.eq(request.id),
            about.resp.eq(resp),
            about.local.eq(local),
            about.register.eq(register_number),
        ]
        for i in range(3 + self.config.sync_levels):
            before, about = about, Signal(_About, name=f"about_{i}")
            m.d.sync += about.eq(before)
        register = self._register(m, about.register, trapped)
        m.d.comb += [
            self.response.valid.eq(about.valid),
            self.response.write.eq(about.write),
            self.response.last.eq(about.last),
            self.response.id.eq(about.id),
            self.response.resp.eq(about.resp),
            self.response.data.eq(Mux(about.local, register, self.report.response.data)),
        ]
        return m

    def _state(self, m):
        """Freeze at a trap; rest where the host may look. Return whether a trap is the reason."""
        drained = Signal(range(_DRAIN + 1))
        trapped = Signal()
        m.d.comb += [
            trapped.eq(drained == _DRAIN),
            self.resting.eq(
                ~self.run | self.host_sync | self.step_rest | self.all_halted | trapped
            ),
        ]
        with m.If(~self.run):
            m.d.sync += [self.freeze.eq(0), drained.eq(0)]
        with m.Else():
            with m.If(self.report.trapped | self.zone_mismatch):
                m.d.sync += self.freeze.eq(1)
            with m.If(self.freeze & ~trapped):
                m.d.sync += drained.eq(drained + 1)
        return trapped

    def _decode(self, m):
        """Address the tiles. Return the response code, and whether the chip's registers are meant.

        A write to registers must be of all 64 bits.
        """
        request, host = self.request, self.host
        resp = Signal(Resp, init=Resp.SLVERR)
        local = Signal()
        whole = ~request.write | request.strobe.all()
        in_memory = request.address[:20] < self.config.tile.memory_bytes
        m.d.sync += [host.registers.eq(0), host.broadcast.eq(0)]
        with m.If(request.address[31]):
            tile = (request.address - TILE_MEMORY) // TILE_MEMORY_STEP
            m.d.sync += [host.tile.eq(tile), host.address.eq(request.address[:20])]
            with m.If((tile < self.config.tiles) & in_memory & self.resting):
                m.d.comb += resp.eq(Resp.OKAY)
        with m.Else():
            with m.Switch(request.address[28:]):
                with m.Case(CHIP_REGISTERS >> 28):
                    m.d.comb += local.eq(1)
                    with m.If((request.address[:28] <= TRAP_TILE + 7) & whole):
                        m.d.comb += resp.eq(Resp.OKAY)
                with m.Case(BROADCAST >> 28):
                    m.d.sync += [host.broadcast.eq(1), host.address.eq(request.address[:20])]
                    in_window = request.address[20:28] == 0
                    with m.If(request.write & in_window & in_memory & self.resting):
                        m.d.comb += resp.eq(Resp.OKAY)
                with m.Case(TILE_REGISTERS >> 28):
                    tile = request.address[:28] // TILE_REGISTERS_STEP
                    m.d.sync += [
                        host.registers.eq(1),
                        host.tile.eq(tile),
                        host.address.eq(request.address[:12]),
                    ]
                    with m.If((tile < self.config.tiles) & whole):
                        m.d.comb += resp.eq(Resp.OKAY)
                with m.Default():
                    m.d.comb += resp.eq(Resp.DECERR)
        return resp, local

    def _register(self, m, number, trapped):
        """Return the value of one of the chip's registers."""
        cycles = Signal(64)
        barriers = Signal(64)
        value = Signal(64)
        with m.If(~self.run):
            m.d.sync += [cycles.eq(0), barriers.eq(0)]
        with m.Else():
            m.d.sync += [
                cycles.eq(cycles + ~self.resting),
                barriers.eq(barriers + self.sync_release),
            ]
        tile = self.config.tile
        registers = {
            ID: Const(ID_VALUE, 64),
            SIZE: Cat(
                Const(self.config.tiles, 16),
                Const(tile.bus_bits, 8),
                Const(tile.slots, 8),
                Const(tile.memory_bytes, 32),
            ),
            CONTROL: Cat(self.run, self.step),
            STATUS: Cat(
                self.resting,
                self.host_sync,
                self.step_rest,
                self.all_halted,
                trapped,
                self.zone_mismatch,
                self.zone,
            ),
            BOOT: Cat(self.boot_pc, self.boot_thread),
            CYCLES: cycles,
            BARRIERS: barriers,
            TRAP_TILE: self.report.first,
        }
        with m.Switch(number):
            for offset, register in registers.items():
                with m.Case(offset // 8):
                    m.d.comb += value.eq(register)
        return value
