"""Line and toggle coverage of a tile by lock-step programs: `python -m openipu.cosim.coverage`.

Runs each instruction's program (`cosim.instruction_program`) and random ones
(`cosim.random_program`) on a simulator that counts, compares all with the golden model, prints the
share of each unit, and writes docs/reference/coverage.md and, point by point, what stays uncovered.

A *line* point is a block or a branch of the Verilog that Yosys writes of Amaranth's; a *toggle*
point one direction of one bit of a signal. What Yosys adds (branches without condition for the
simulator's sake), signals without a name and, once more, the parts of structs aren't counted. What
stays uncovered has a reason in `REASONS`, or is shown as having none.
"""

import argparse
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent import futures
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.progress import track
from rich.table import Table

from openipu.cosim.build import BuildOptions, build_root
from openipu.cosim.chip import build_chip, chip_design
from openipu.cosim.coverage_reasons import REASONS
from openipu.cosim.instruction_program import instruction_program
from openipu.cosim.lockstep import compare, on_session
from openipu.cosim.program import Program
from openipu.cosim.random_program import random_program
from openipu.cosim.session import Session
from openipu.rtl.config import ChipConfig, TileConfig
from openipu.rtl.emit import UNITS
from openipu.rtl.isa import INSTRUCTIONS

CONFIG = ChipConfig(tiles=1, tile=TileConfig(banks=4, bank_bytes=16384, trace=True))
ENTRIES = 60  #: operands that each instruction is tried with
BATCH = 25  #: programs of one simulator
PLACES = {"openipu_tile": "", **UNITS}
"""Where the modules that have files of their own are in the tile."""
NO_REASON = "**no reason known**"
_ESCAPE = re.compile("__0([0-9A-F]{2})")  # how Verilator writes what C++ has not in names
_PART = re.compile("__0(2e|5b)")  # and Yosys: a struct's field or an array's element, of which the
# bits are those of the whole


@dataclass(frozen=True)
class Point:
    """Something that can be covered.

    Attributes
    ----------
    module : str
        The module in the tile, "" for the tile itself.
    kind : str
        "line" or "toggle".
    what : str
        A signal's bit and direction, `op[3]:0->1`; or the Verilog's line, its part and number.
    """

    module: str
    kind: str
    what: str

    @property
    def unit(self) -> str:
        """The part of the tile that the module belongs to."""
        parts = self.module.split(".")
        return ".".join(parts[: 2 if parts[0] == "core" else 1]) or "tile"

    @property
    def name(self) -> str:
        """What `REASONS` match: without the numbers that tell signals of one name apart."""
        return f"{self.module}:{re.sub(r'[$][0-9]+', '', self.what)}"


def read_points(
    lines: Iterable[str], verilog: Mapping[str, Sequence[str]]
) -> Iterator[tuple[Point, int]]:
    """Yield the points of a tile in a file of Verilator's, with how often each was reached.

    `verilog` has the lines of each file of the tile.
    """
    for line in lines:
        if not line.startswith("C '"):
            continue
        keys, _, count = line[3:].rpartition("' ")
        fields = dict(part.split("\2", 1) for part in keys.split("\1") if part)
        page, _, module = fields["page"].partition("/")
        top, _, inner = module.partition(".")
        if fields["f"] not in verilog or top not in PLACES:
            continue
        module = re.sub(r"\$\d+", "", ".".join(part for part in (PLACES[top], inner) if part))
        if page == "v_toggle":
            if _PART.search(fields["o"]):
                continue
            what = _ESCAPE.sub(lambda found: chr(int(found[1], 16)), fields["o"])
            if not what.startswith("$"):
                yield Point(module, "toggle", what), int(count)
        else:
            text = verilog[fields["f"]][int(fields["l"]) - 1].strip()
            if "$auto$" not in text:
                yield Point(module, "line", f"{text} {fields['o']}, {fields['l']}"), int(count)


def programs(count: int, seed: int) -> list[tuple[str, int]]:
    """Return what to run: names of instructions, and random programs as ("", seed)."""
    tried = [(row.name, 0) for row in INSTRUCTIONS if row.name != "xtrap"]
    return tried + [("", seed + number) for number in range(count)]


def _program(name: str, seed: int) -> Program:
    if not name:
        return random_program(seed, CONFIG)
    (row,) = (row for row in INSTRUCTIONS if row.name == name)
    return instruction_program(row, CONFIG, entries=ENTRIES)


def _run(batch: Sequence[tuple[str, int]], file: Path) -> int:
    """Run programs in a session, whose coverage goes to a file; return the instructions."""
    with Session(CONFIG, BuildOptions(coverage=True), coverage=file) as session:
        runner = on_session(session)
        made = (_program(name, seed) for name, seed in batch)
        return sum(compare(program, *runner(program)) for program in made)


def collect(chosen: Sequence[tuple[str, int]], directory: Path) -> Counter[Point]:
    """Run programs in lock-step on all processors; return how often each point was reached.

    Raises LockstepError if the RTL and the model disagree.
    """
    build_chip(CONFIG, BuildOptions(coverage=True))
    tile = chip_design(CONFIG).blocks[0]
    verilog = {
        f"{block.top}.v": block.files[f"{block.top}.v"].splitlines()
        for block in (tile, *tile.blocks)
    }
    batches = [chosen[at : at + BATCH] for at in range(0, len(chosen), BATCH)]
    files = [directory / f"coverage-{number}.dat" for number in range(len(batches))]
    total: Counter[Point] = Counter()
    with futures.ProcessPoolExecutor(os.cpu_count()) as pool:
        runs = pool.map(_run, batches, files)
        for _, file in zip(track(runs, "covering", len(batches)), files, strict=True):
            with file.open(encoding="ascii", errors="replace") as lines:
                for point, count in read_points(lines, verilog):
                    total[point] += count
            file.unlink()
    return total


def reason_of(point: Point) -> str:
    """Return why a point isn't covered, as far as that is known."""
    return next((REASONS[p] for p in REASONS if re.fullmatch(p, point.name)), NO_REASON)


def needless(points: Mapping[Point, int]) -> list[str]:
    """Return the patterns of `REASONS` that match no uncovered point."""
    names = [point.name for point, count in points.items() if not count]
    return [p for p in REASONS if not any(re.fullmatch(p, name) for name in names)]


def shares(points: Mapping[Point, int]) -> list[tuple[str, list[str]]]:
    """Return a row for each unit and one for all: points, and the share covered, by kind."""
    found: Counter[tuple[str, str]] = Counter()
    reached: Counter[tuple[str, str]] = Counter()
    for point, count in points.items():
        for unit in (point.unit, "all"):
            found[unit, point.kind] += 1
            reached[unit, point.kind] += count > 0
    rows = []
    for unit in [*sorted({point.unit for point in points}), "all"]:
        cells: list[str] = []
        for kind in ("line", "toggle"):
            number = found[unit, kind]
            share = f"{reached[unit, kind] / number:.1%}" if number else "-"
            cells += [f"{number:,}", share]
        rows.append((unit, cells))
    return rows


_HEADS = ("unit", "line points", "covered", "toggle points", "covered")
_PAGE = """\
# Coverage

How much of a tile lock-step programs reach; `make coverage` runs them again and writes this page.
A line point is a block or a branch of the tile's Verilog, a toggle point one direction of one bit
of a signal that has a name.

Run: {runs}.

The rest is what programs can't reach, or haven't yet; tests of the units by themselves aren't
counted here.

{table}

## What stays uncovered

{reasons}
"""


def page(points: Mapping[Point, int], runs: str) -> str:
    """Return the report as Markdown."""
    lines = [f"| {' | '.join(_HEADS)} |", "|---|---:|---:|---:|---:|"]
    lines += [f"| {unit} | {' | '.join(cells)} |" for unit, cells in shares(points)]
    why: Counter[tuple[str, str]] = Counter(
        (reason_of(point), point.kind) for point, count in points.items() if not count
    )
    reasons = ["| reason | line points | toggle points |", "|---|---:|---:|"]
    for reason in sorted({reason for reason, _ in why}, key=lambda r: (r == NO_REASON, r)):
        reasons.append(f"| {reason} | {why[reason, 'line']:,} | {why[reason, 'toggle']:,} |")
    return _PAGE.format(runs=runs, table="\n".join(lines), reasons="\n".join(reasons))


def uncovered(points: Mapping[Point, int]) -> str:
    """Return what isn't covered, a line each, by reason."""
    lines = sorted(
        (reason_of(point), point.kind, point.name) for point, count in points.items() if not count
    )
    return "".join(f"{reason}\t{kind}\t{name}\n" for reason, kind, name in lines)


def main() -> None:
    """Run, print the table, write the page and the list."""
    parser = argparse.ArgumentParser(description="Line and toggle coverage by lock-step programs.")
    parser.add_argument("--programs", type=int, default=60, help="random programs (%(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of the first one (%(default)s)")
    parser.add_argument("--page", type=Path, default=Path("docs/reference/coverage.md"))
    parser.add_argument("--list", type=Path, default=Path("build/uncovered.txt"))
    given = parser.parse_args()
    directory = build_root() / "coverage"
    directory.mkdir(parents=True, exist_ok=True)
    points = collect(programs(given.programs, given.seed), directory)
    table = Table(*_HEADS)
    for unit, cells in shares(points):
        table.add_row(unit, *cells)
    console = Console()
    console.print(table)
    missing = sum(not count and reason_of(point) == NO_REASON for point, count in points.items())
    for pattern in needless(points):
        console.print(f"no uncovered point needs the reason of {pattern}", markup=False)
    console.print(f"{missing} uncovered points have no reason; all are in {given.list}")
    runs = (
        f"each instruction's program with {ENTRIES} operands, and {given.programs} random programs "
        f"from seed {given.seed} on"
    )
    given.page.write_text(page(points, runs))
    given.list.parent.mkdir(parents=True, exist_ok=True)
    given.list.write_text(uncovered(points))


if __name__ == "__main__":
    main()
