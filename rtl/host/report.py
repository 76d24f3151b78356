"""What all tiles tell the chip, joined by a registered tree."""

from math import ceil

from amaranth.hdl import Cat, Const, Module, Signal, unsigned
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from openipu.rtl.config import ChipConfig
from openipu.rtl.layouts import HostResponse

FAN_IN = 8  #: inputs of a node, as `ChipConfig.sync_levels` counts


class TileReport(data.Struct):
    """The outputs of a tile that are joined over the chip."""

    sync_request: unsigned(1)
    """The supervisor waits at a barrier."""
    sync_zone: unsigned(2)
    """`isa.Zone` of the barrier."""
    halted: unsigned(1)
    """The tile's program is over. It holds up no barrier."""
    trapped: unsigned(1)
    """The tile has a trap for the host."""
    response: HostResponse
    """Its answer to the host."""


class Report(data.Struct):
    """The same, of several tiles."""

    ask: unsigned(1)
    """All tiles wait at a barrier or are halted."""
    zones: unsigned(3)
    """Bit z: some tile waits at a barrier of zone z."""
    trapped: unsigned(1)
    """Some tile has a trap."""
    first: unsigned(12)
    """The lowest of those, counted from the first of these tiles."""
    response: HostResponse
    """Their answers; at most one isn't zero."""


ABSENT = TileReport.const({"sync_request": 1, "halted": 1})
"""The report of a tile that isn't there."""


def _join(m, joined, reports, span):
    """Set `joined` in the next cycle to what some reports, each of `span` tiles, have in common."""
    m.d.sync += joined.eq(0)
    m.d.sync += [
        joined.ask.eq(Cat(report.ask for report in reports).all()),
        joined.trapped.eq(Cat(report.trapped for report in reports).any()),
    ]
    zones, response = Const(0, 3), Const(0, len(joined.response.as_value()))
    for report in reports:
        zones = zones | report.zones
        response = response | report.response.as_value()
    m.d.sync += [joined.zones.eq(zones), joined.response.eq(response)]
    for i, report in reversed(list(enumerate(reports))):
        with m.If(report.trapped):
            m.d.sync += joined.first.eq(i * span + report.first)


class ReportLeaves(wiring.Component):
    """Joins the reports of eight tiles: the tree's first level. One cycle."""

    tiles: In(data.ArrayLayout(TileReport, FAN_IN))
    report: Out(Report)

    def elaborate(self, platform):
        """Turn each tile's report into a `Report`, then join these."""
        m = Module()
        reports = []
        for tile in self.tiles:
            zone = (1 << tile.sync_zone)[:3] & (tile.sync_request & ~tile.halted).replicate(3)
            fields = {
                "ask": tile.sync_request | tile.halted,
                "zones": zone,
                "trapped": tile.trapped,
                "first": Const(0, 12),
                "response": tile.response,
            }
            names = [name for name, _ in data.Layout.cast(Report)]
            reports.append(data.View(Report, Cat(fields[name] for name in names)))
        _join(m, self.report, reports, 1)
        return m


def groups_of(config: ChipConfig) -> int:
    """Return how many `ReportLeaves` a chip has."""
    return ceil(config.tiles / FAN_IN)


class ReportTree(wiring.Component):
    """Joins what `ReportLeaves` gave, eight reports a level, one cycle a level.

    Parameters
    ----------
    config : ChipConfig
        Number of tiles. The tree has `sync_levels` levels with its leaves.

    Members
    -------
    reports : In(Report for every eight tiles)
    report : Out(Report)
    """

    def __init__(self, config: ChipConfig) -> None:
        groups = groups_of(config)
        super().__init__({"reports": In(data.ArrayLayout(Report, groups)), "report": Out(Report)})

    def elaborate(self, platform):
        """Join level by level."""
        m = Module()
        level, span = list(self.reports), FAN_IN
        while len(level) > 1:
            groups = [level[i : i + FAN_IN] for i in range(0, len(level), FAN_IN)]
            level = [Signal(Report, name=f"tiles_{span}_{i}") for i in range(len(groups))]
            for joined, group in zip(level, groups, strict=True):
                _join(m, joined, group, span)
            span *= FAN_IN
        m.d.comb += self.report.eq(level[0])
        return m
