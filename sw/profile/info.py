"""What a compiled model takes, before anything is simulated."""

from collections.abc import Iterator
from typing import Any

from rich.table import Table

from openipu.sw.model import CompiledModel

_TILES_SHOWN = 64


def describe(compiled: CompiledModel) -> dict[str, Any]:
    """Return the figures for scripts: sizes in bytes, estimates in cycles."""
    executable = compiled.executable
    config = executable.config
    steps = [
        {"name": step.name, "compute": e.compute, "exchange": e.exchange, "sync": e.sync,
         "exchange_bound": e.exchange_bound}
        for step, e in executable.estimates.items()
    ]  # fmt: skip
    return {
        "tiles": config.tiles,
        "batch": compiled.batch,
        "memory_bytes": config.tile.memory_bytes,
        "memory_used": [_used(compiled, tile) for tile in range(config.tiles)],
        "supersteps": len(steps),
        "estimated_cycles": sum(e.cycles for e in executable.estimates.values()),
        "steps": steps,
    }


def _used(compiled: CompiledModel, tile: int) -> int:
    return max((i.address + i.size for i in compiled.executable.memory(tile)), default=0)


def tables(compiled: CompiledModel) -> Iterator[Table | str]:
    """Yield what to print."""
    executable, model = compiled.executable, compiled.model
    config = executable.config
    yield f"{model.name}: {config.tiles} tiles, {compiled.batch} samples per run"
    yield "inputs: " + "; ".join(map(str, model.inputs))
    yield "outputs: " + "; ".join(map(str, model.outputs))
    yield _memory(compiled)
    table = Table("superstep", title="estimated cycles", title_justify="left")
    for name in ("compute", "exchange", "at best", "sync"):
        table.add_column(name, justify="right")
    for step, e in executable.estimates.items():
        row = e.compute, e.exchange, e.exchange_bound, e.sync
        table.add_row(step.name, *(f"{value:,}" for value in row))
    yield table
    total = sum(e.cycles for e in executable.estimates.values())
    yield f"{len(executable.estimates)} supersteps, about {total:,} cycles per run"


def _memory(compiled: CompiledModel) -> Table:
    executable = compiled.executable
    available = executable.config.tile.memory_bytes
    shown = range(min(executable.config.tiles, _TILES_SHOWN))
    by_tile = [executable.memory_by_category(tile) for tile in shown]
    table = Table("tile", title=f"memory per tile, of {available:,} bytes", title_justify="left")
    names = ("code", "program", "variables", "alignment", "end", "full")
    for name in names:
        table.add_column(name, justify="right")
    for tile, sizes in zip(shown, by_tile, strict=True):
        groups = {"code": 0, "program": 0, "variables": 0, "alignment": 0}
        for category, size in sizes.items():
            groups[_group(category)] += size
        end = _used(compiled, tile)
        row = [f"{size:,}" for size in groups.values()]
        table.add_row(str(tile), *row, f"{end:,}", f"{end / available:.0%}")
    return table


def _group(category: str) -> str:
    if category.startswith("variable") or category == "temporaries":
        return "variables"
    if category in ("code", "common data", "stacks"):
        return "code"
    return "alignment" if category == "alignment" else "program"
