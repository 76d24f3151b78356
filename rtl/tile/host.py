"""A tile's end of the host port: its memory, its registers and its counters."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from openipu.rtl.config import WORD_BYTES, TileConfig
from openipu.rtl.layouts import Events, HostRequest, HostResponse, TrapRecord

# Byte offsets in the register page.
STATUS = 0x00
TRAP = 0x08
TRAP_WHERE = 0x10
EXCHANGE = 0x18
PC = 0x40
COUNTERS = 0x100


class TileHost(wiring.Component):
    """Answers the host's requests to one tile.

    The response to a read comes two cycles after the request. Writes to registers do nothing,
    registers that don't exist read 0.

    Parameters
    ----------
    config : TileConfig
        Size of the tile.

    Members
    -------
    tile_id : In(12)
        Which requests are for this tile.
    request : In(HostRequest), response : Out(HostResponse)
        The chip's host port.
    host_* : Out, host_rdata : In
        Port to `SRAM`, which see.
    contexts : In(slots+1)
        Which contexts run.
    waiting, zone : In
        The supervisor waits at a barrier, of which zone.
    exchange_busy, exchange_cycle : In
        `busy` and `cycle` of the exchange port.
    halted : In(1)
        The tile's program is over.
    trap : In(TrapRecord)
        The first trap.
    pcs : In(32 bits for each context)
        Program counters.
    events : In(Events), clear_counters : In(1)
        What the counters count in this cycle; clear them all.
    """

    def __init__(self, config: TileConfig) -> None:
        self.config = config
        super().__init__(
            {
                "tile_id": In(12),
                "request": In(HostRequest),
                "response": Out(HostResponse),
                "host_en": Out(1),
                "host_write": Out(1),
                "host_addr": Out(ceil_log2(config.memory_words)),
                "host_wdata": Out(64),
                "host_strobe": Out(WORD_BYTES),
                "host_rdata": In(64),
                "contexts": In(config.contexts),
                "waiting": In(1),
                "zone": In(2),
                "exchange_busy": In(1),
                "exchange_cycle": In(32),
                "halted": In(1),
                "trap": In(TrapRecord),
                "pcs": In(data.ArrayLayout(32, config.contexts)),
                "events": In(Events),
                "clear_counters": In(1),
            }
        )

    def elaborate(self, platform):
        """Read memory or a register in one cycle, register the answer in the next."""
        m = Module()
        request = self.request
        mine = Signal()
        m.d.comb += [
            mine.eq(request.valid & (request.broadcast | (request.tile == self.tile_id))),
            self.host_en.eq(mine & ~request.registers),
            self.host_write.eq(request.write),
            self.host_addr.eq(request.address // WORD_BYTES),
            self.host_wdata.eq(request.data),
            self.host_strobe.eq(request.strobe),
        ]

        counters = []
        for name, _ in data.Layout.cast(Events):
            counter = Signal(32, name=f"counter_{name}")
            with m.If(self.clear_counters):
                m.d.sync += counter.eq(0)
            with m.Elif(self.events[name]):
                m.d.sync += counter.eq(counter + 1)
            counters.append(counter)

        trap = self.trap
        registers = {
            STATUS: Cat(
                self.contexts,
                Const(0, 9 - self.config.contexts),
                self.waiting,
                self.zone,
                self.exchange_busy,
                self.halted,
                trap.valid,
            ),
            TRAP: Cat(trap.cause, trap.thread),
            TRAP_WHERE: Cat(trap.pc, trap.value),
            EXCHANGE: self.exchange_cycle,
        }
        registers |= {PC + 8 * c: self.pcs[c] for c in range(self.config.contexts)}
        registers |= {COUNTERS + 8 * i: counter for i, counter in enumerate(counters)}

        asked = Signal()
        memory = Signal()
        register = Signal(64)
        m.d.sync += [asked.eq(mine & ~request.write), memory.eq(~request.registers), register.eq(0)]
        with m.If(mine & ~request.write & request.registers):
            with m.Switch(request.address):
                for offset, value in registers.items():
                    with m.Case(offset):
                        m.d.sync += register.eq(value)
        m.d.sync += [self.response.valid.eq(asked), self.response.data.eq(0)]
        with m.If(asked):
            m.d.sync += self.response.data.eq(Mux(memory, self.host_rdata, register))
        return m
