"""Which thread issues, and where each thread stands."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from openipu.rtl.config import TileConfig

SUPERVISOR_SPACING = 4
"""Cycles between two fetches of the supervisor, at least: what the pipeline needs."""


class Threads(wiring.Component):
    """Slot rotation, program counters, and the states that threads can be in.

    Each cycle belongs to the next slot. A running worker issues in its slot; the supervisor issues
    in a slot whose worker does not run, `SUPERVISOR_SPACING` cycles after its last fetch or later.

    Parameters
    ----------
    config : TileConfig
        Size of the tile.

    Members
    -------
    run : In(1), boot_thread : In(4), boot_pc : In(32)
        Low: nothing runs. As it rises, one context starts.
    freeze : In(1)
        Nobody issues.
    f_valid : Out(1), f_thread : Out, f_pc : Out(32)
        Who fetches in this cycle, from where.
    x_advance : In(1), x_thread : In, x_next_pc : In(32)
        The instruction in stage x is over; its thread goes on there.
    x_stop : In(1)
        It was the last of its thread.
    x_sync : In(1), x_zone : In(2)
        It is xsync: the supervisor waits at a barrier.
    w_start : In(1), w_start_worker : In, w_start_pc : In(32)
        A worker starts.
    sync_release, exchange_busy : In(1)
        Cycle 0 of the exchange, and that it goes on.
    running : Out(contexts)
        A bit for each context that has not ended.
    workers_busy : Out(1)
        A worker runs.
    waiting : Out(1), zone : Out(2)
        The supervisor waits at a barrier, of which zone.
    halted : Out(1)
        Everything that was started has ended.
    pcs : Out(32 for each context)
        Program counters.
    """

    def __init__(self, config: TileConfig) -> None:
        self.config = config
        thread = ceil_log2(config.contexts)
        super().__init__(
            {
                "run": In(1),
                "boot_thread": In(4),
                "boot_pc": In(32),
                "freeze": In(1),
                "f_valid": Out(1),
                "f_thread": Out(thread),
                "f_pc": Out(32),
                "x_advance": In(1),
                "x_thread": In(thread),
                "x_next_pc": In(32),
                "x_stop": In(1),
                "x_sync": In(1),
                "x_zone": In(2),
                "w_start": In(1),
                "w_start_worker": In(thread),
                "w_start_pc": In(32),
                "sync_release": In(1),
                "exchange_busy": In(1),
                "running": Out(config.contexts),
                "workers_busy": Out(1),
                "waiting": Out(1),
                "zone": Out(2),
                "halted": Out(1),
                "pcs": Out(data.ArrayLayout(32, config.contexts)),
            }
        )

    def elaborate(self, platform):
        """One counter for the slot; one program counter for each context."""
        m = Module()
        slots, supervisor = self.config.slots, self.config.supervisor
        slot = Signal(range(slots))
        started = Signal()
        exchanging = Signal()
        recent = Signal(SUPERVISOR_SPACING - 1)  # the supervisor's last fetches, by age
        worker = Signal()
        supervisor_free = Signal()
        m.d.comb += [
            worker.eq(self.running.bit_select(slot, 1)),
            supervisor_free.eq(
                self.running[supervisor] & ~self.waiting & ~exchanging & ~recent.any()
            ),
            self.f_valid.eq(self.run & ~self.freeze & (worker | supervisor_free)),
            self.f_thread.eq(Mux(worker, slot, supervisor)),
            self.workers_busy.eq(self.running[:slots].any()),
            self.halted.eq(started & ~self.running.any()),
        ]
        with m.Switch(self.f_thread):
            for context in range(self.config.contexts):
                with m.Case(context):
                    m.d.comb += self.f_pc.eq(self.pcs[context])
        m.d.sync += [
            slot.eq(Mux(slot == slots - 1, 0, slot + 1)),
            recent.eq((recent << 1) | (self.f_valid & ~worker)),
        ]

        for context in range(self.config.contexts):
            with m.If(self.x_advance & (self.x_thread == context)):
                m.d.sync += self.pcs[context].eq(self.x_next_pc)
            with m.If(self.x_stop & (self.x_thread == context)):
                m.d.sync += self.running[context].eq(0)
            with m.If(self.w_start & (self.w_start_worker == context)):
                m.d.sync += [
                    self.running[context].eq(1),
                    self.pcs[context].eq(self.w_start_pc),
                ]
        with m.If(self.x_sync):
            m.d.sync += [self.waiting.eq(1), self.zone.eq(self.x_zone)]
        with m.If(self.waiting & self.sync_release):
            m.d.sync += [self.waiting.eq(0), exchanging.eq(self.exchange_busy)]
        with m.If(exchanging & ~self.exchange_busy):
            m.d.sync += exchanging.eq(0)

        with m.If(~self.run):
            m.d.sync += [
                started.eq(0),
                slot.eq(0),
                recent.eq(0),
                self.running.eq(0),
                self.waiting.eq(0),
                exchanging.eq(0),
            ]
        with m.Elif(~started):
            m.d.sync += started.eq(1)
            for context in range(self.config.contexts):
                with m.If(self.boot_thread == context):
                    m.d.sync += [
                        self.running[context].eq(1),
                        self.pcs[context].eq(self.boot_pc),
                    ]
        return m
