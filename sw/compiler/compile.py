"""The compiler's stages in their order."""

from openipu.rtl.config import ChipConfig
from openipu.sw.codelets.codelet import Codelet
from openipu.sw.compiler.codegen import PhasesByTile, TileCode, duration, initial_bytes
from openipu.sw.compiler.errors import BankError, OutOfMemoryError
from openipu.sw.compiler.exchange import Schedule, schedule
from openipu.sw.compiler.executable import Estimate, Executable, Image
from openipu.sw.compiler.layout import Layout, place
from openipu.sw.compiler.link import Firmware, link
from openipu.sw.compiler.lowering import lower
from openipu.sw.compiler.steps import HostSync, Lowered, Superstep, walk
from openipu.sw.graph import Graph
from openipu.sw.program import Program

SYNC_CYCLES = 16
ARM_CYCLES = 12
"""What a superstep and an exchange take the supervisor besides: four cycles an instruction."""


def compile(
    graph: Graph, program: Program, config: ChipConfig, *, strict: bool = False
) -> Executable:
    """Compile a program for a chip.

    Where memory is too small to keep apart what instructions read at the same time, the program is
    slower, and the executable's `conflicts` say where; if `strict`, that is an error instead.

    Raises GraphError if graph or program break a rule, OutOfMemoryError if a tile is too small,
    BankError, and CompileError if the firmware can't be built.
    """
    lowered = lower(graph, program, config)
    steps = list(walk(lowered.steps))
    supersteps = [step for step in steps if isinstance(step, Superstep)]
    schedules = {step: schedule(step.transfers, config) for step in supersteps}
    phases = PhasesByTile(config.tile.slots)
    codes = [
        TileCode(tile, config, lowered.steps, schedules, phases) for tile in range(config.tiles)
    ]
    used = [
        vertex.codelet
        for step in steps
        if isinstance(step, Superstep | HostSync)
        for phase in step.phases
        for vertex in phase
    ]
    firmware, layout = _fit(lowered, config, used, codes)
    if strict and layout.conflicts:
        raise BankError(layout.conflicts)
    return Executable(
        config=config,
        steps=lowered.steps,
        layout=layout,
        variables=dict(graph.variables),
        common=list(firmware.segments),
        images=_images(lowered, layout, firmware, codes),
        entry=firmware.entry,
        elf=firmware.elf,
        estimates={step: _estimate(step, schedules[step], phases, config) for step in supersteps},
        schedules=schedules,
        vertices=[code.vertices for code in codes],
    )


def _fit(
    lowered: Lowered, config: ChipConfig, used: list[Codelet], codes: list[TileCode]
) -> tuple[Firmware, Layout]:
    """Build and place everything, with as little gone without as memory allows.

    That is: fields in banks of their own; before them, data in other banks than code.
    """
    for apart, compact in ((True, False), (True, True), (False, False)):
        firmware = link(used, config.tile, compact=compact)
        try:
            return firmware, place(lowered, config, firmware, codes, apart=apart)
        except OutOfMemoryError:
            continue
    firmware = link(used, config.tile, compact=True)
    return firmware, place(lowered, config, firmware, codes, apart=False)


def _images(
    lowered: Lowered, layout: Layout, firmware: Firmware, codes: list[TileCode]
) -> list[Image]:
    """Return each tile's own bytes: what was generated for it, and initial values."""
    images: list[Image] = [[code.encode(firmware.symbols, layout.find)] for code in codes]
    for variable in lowered.variables:
        for region in layout.regions[variable]:
            initial = initial_bytes(variable, region.first, region.count)
            if initial is not None:
                images[region.tile].append((region.address, initial))
    return images


def _estimate(
    step: Superstep, exchange: Schedule, phases: PhasesByTile, config: ChipConfig
) -> Estimate:
    """Estimate a superstep: its longest tile, its exchange, its barrier."""
    loads = [0] * config.tiles
    for phase in step.phases:
        for tile, lists in phases[phase].items():
            loads[tile] += duration(lists, config.tile.slots)
    sync = SYNC_CYCLES + config.sync_levels + 1
    if step.transfers:
        sync += ARM_CYCLES
    return Estimate(max(loads), exchange.cycles, sync, exchange.bound)
