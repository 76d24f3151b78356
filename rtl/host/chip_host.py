"""All of a chip that isn't repeated for each tile: host port, registers, barrier."""

from amaranth.hdl import Module
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from openipu.rtl.config import ChipConfig
from openipu.rtl.exchange.sync import Barrier
from openipu.rtl.host.axi import AXI4, AxiSubordinate
from openipu.rtl.host.control import Control
from openipu.rtl.host.report import Report, ReportTree, groups_of
from openipu.rtl.layouts import HostRequest


class ChipHost(wiring.Component):
    """Only wires: AXI port, control, barrier and the upper levels of the tiles' report tree.

    Parameters
    ----------
    config : ChipConfig
        Size of the chip.

    Members
    -------
    axi : In(AXI4)
        The host.
    reports : In(Report for every eight tiles)
        What `ReportLeaves` gave.
    host : Out(HostRequest); run, freeze, clear_counters, boot_pc, boot_thread, sync_release : Out
        To all tiles.
    resting : Out(1)
        The chip needs the host: it does not run, waits at a barrier for the host, is halted or
        trapped.
    """

    def __init__(self, config: ChipConfig) -> None:
        self.config = config
        super().__init__(
            {
                "axi": In(AXI4),
                "reports": In(data.ArrayLayout(Report, groups_of(config))),
                "host": Out(HostRequest),
                "run": Out(1),
                "freeze": Out(1),
                "clear_counters": Out(1),
                "boot_pc": Out(32),
                "boot_thread": Out(4),
                "sync_release": Out(1),
                "resting": Out(1),
            }
        )

    def elaborate(self, platform):
        """Connect."""
        m = Module()
        m.submodules.axi = axi = AxiSubordinate()
        m.submodules.control = control = Control(self.config)
        m.submodules.barrier = barrier = Barrier()
        m.submodules.tree = tree = ReportTree(self.config)
        connect(m, flipped(self.axi), axi.axi)
        m.d.comb += [
            tree.reports.eq(self.reports),
            barrier.report.eq(tree.report),
            control.report.eq(tree.report),
            control.request.eq(axi.request),
            axi.response.eq(control.response),
            self.sync_release.eq(barrier.sync_release),
            control.sync_release.eq(barrier.sync_release),
        ]
        for name in ("run", "freeze", "step", "go"):
            m.d.comb += getattr(barrier, name).eq(getattr(control, name))
        for name in ("host_sync", "step_rest", "all_halted", "zone_mismatch", "zone"):
            m.d.comb += getattr(control, name).eq(getattr(barrier, name))
        for name in (
            "host", "run", "freeze", "clear_counters", "boot_pc", "boot_thread", "resting"
        ):  # fmt: skip
            m.d.comb += getattr(self, name).eq(getattr(control, name))
        return m
