"""The barrier: when all tiles ask, all go on in the same cycle."""

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from openipu.rtl.host.report import Report
from openipu.rtl.isa import Zone


class Barrier(wiring.Component):
    """Decides on the joined report of all tiles.

    A tile raises its request, keeps it until `sync_release`, and then lowers it for at least one
    cycle: the next barrier begins when that has been seen. Halted tiles hold up nothing.

    Members
    -------
    report : In(Report)
        The root of the tree.
    run, freeze : In(1)
        Chip state; low resp. high: nothing is released.
    step : In(1)
        Every barrier waits for the host.
    go : In(1)
        The host lets the waiting barrier pass; one cycle.
    sync_release : Out(1)
        To all tiles: the barrier is passed, this is cycle 0.
    host_sync, step_rest : Out(1)
        The barrier waits for the host: as its zone demands it, for `step`.
    all_halted : Out(1)
        Every tile's program is over.
    zone_mismatch : Out(1)
        The tiles ask for different zones; stays until run is low.
    zone : Out(Zone)
        Of the barrier at which all tiles wait.
    """

    report: In(Report)
    run: In(1)
    freeze: In(1)
    step: In(1)
    go: In(1)
    sync_release: Out(1)
    host_sync: Out(1)
    step_rest: Out(1)
    all_halted: Out(1)
    zone_mismatch: Out(1)
    zone: Out(Zone)

    def elaborate(self, platform):
        """One register remembers that this barrier has passed and its requests are stale."""
        m = Module()
        passed = Signal()
        waiting = Signal()
        fire = Signal()
        zones = self.report.zones
        m.d.comb += [
            waiting.eq(self.report.ask & (zones != 0) & ~passed & self.run & ~self.freeze),
            self.all_halted.eq(self.report.ask & (zones == 0) & self.run),
        ]
        with m.If(waiting):
            with m.Switch(zones):
                for zone in Zone:
                    with m.Case(1 << zone.value):
                        m.d.comb += [
                            self.zone.eq(zone),
                            self.host_sync.eq(int(zone is Zone.HOST)),
                            self.step_rest.eq(self.step),
                            fire.eq(self.go | ~(self.host_sync | self.step)),
                        ]
                with m.Default():
                    m.d.sync += self.zone_mismatch.eq(1)
        m.d.sync += self.sync_release.eq(fire)
        with m.If(fire):
            m.d.sync += passed.eq(1)
        with m.Elif(~self.report.ask):
            m.d.sync += passed.eq(0)
        with m.If(~self.run):
            m.d.sync += [passed.eq(0), self.sync_release.eq(0), self.zone_mismatch.eq(0)]
        return m
