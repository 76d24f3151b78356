"""What the compiler makes: memory images, and everything that one needs to know about them."""

from dataclasses import dataclass
from pathlib import Path

from openipu.rtl.config import ChipConfig
from openipu.sw.compiler.errors import Item, by_category
from openipu.sw.compiler.exchange import Schedule
from openipu.sw.compiler.layout import Layout, Region
from openipu.sw.compiler.steps import Step, Superstep, walk
from openipu.sw.graph import Variable, Vertex

Image = list[tuple[int, bytes]]
"""Bytes to load, by address."""


@dataclass(frozen=True)
class Estimate:
    """What a superstep should take, in cycles.

    `exchange` is exact, and 0 if there is none; `exchange_bound` is what the busiest port alone
    needs. `sync` is the supervisor's work and the barrier.
    """

    compute: int
    exchange: int
    sync: int
    exchange_bound: int

    @property
    def cycles(self) -> int:
        """All of it."""
        return self.compute + self.exchange + self.sync


@dataclass(frozen=True)
class Executable:
    """A compiled program for one chip.

    Load `common` into every tile and `images[tile]` into that one, boot the supervisor at `entry`;
    the chip rests at the host's barrier when the program is done, and once released does it again.

    Attributes
    ----------
    config : ChipConfig
        The chip that it is for.
    steps : tuple of Step
        What it does; the last is the HostSync.
    layout : Layout
        Where each variable is, the compiler's own included, and what fills each tile.
    variables : dict of str to Variable
        The graph's variables.
    common, images : Image, list of Image
        What to load.
    entry : int
        The supervisor's first instruction.
    elf : Path
        The firmware with its debug information.
    estimates : dict of Superstep to Estimate
    schedules : dict of Superstep to Schedule
    vertices : list of dict of int to Vertex
        On each tile, the vertices by the address of their structs, which is in a0 when a codelet
        begins.
    """

    config: ChipConfig
    steps: tuple[Step, ...]
    layout: Layout
    variables: dict[str, Variable]
    common: Image
    images: list[Image]
    entry: int
    elf: Path
    estimates: dict[Superstep, Estimate]
    schedules: dict[Superstep, Schedule]
    vertices: list[dict[int, Vertex]]

    @property
    def conflicts(self) -> list[str]:
        """Fields that instructions read at once from one bank, by vertex; empty is best."""
        return self.layout.conflicts

    @property
    def supersteps(self) -> list[Superstep]:
        """Every superstep once, in the order of the program's text."""
        return [step for step in walk(self.steps) if isinstance(step, Superstep)]

    def regions(self, variable: Variable) -> tuple[Region, ...]:
        """Return where a variable is, in the order of its elements."""
        return self.layout.regions[variable]

    def place(self, variable: Variable, element: int) -> tuple[int, int]:
        """Return tile and byte address of an element."""
        return self.layout.find(variable, element)

    def memory(self, tile: int) -> list[Item]:
        """Return what fills a tile's memory, by address."""
        return sorted(self.layout.items[tile], key=lambda item: item.address)

    def memory_by_category(self, tile: int) -> dict[str, int]:
        """Return the bytes of each category on a tile; each variable is one, under its name."""
        return by_category(self.memory(tile))
