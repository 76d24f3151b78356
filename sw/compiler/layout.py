"""Memory layout: where on its tile everything is.

    code | common data, stacks, program, vertices, exchange tables | variables, temporaries

Each `|` is the start of a bank, so that fetches, tables, and what the exchange sends or streams
read don't meet in one. If that doesn't fit, the first two share banks. Regions of variables begin
at multiples of 8. Temporary variables and staging buffers share memory unless they are in use at
the same time. Fields that a codelet wants apart lie in different banks.
"""

from bisect import bisect_right, insort
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from openipu.rtl.config import WORD_BYTES, ChipConfig
from openipu.sw.compiler.codegen import TileCode
from openipu.sw.compiler.errors import Item, OutOfMemoryError
from openipu.sw.compiler.link import Firmware
from openipu.sw.compiler.liveness import Lifetime, lifetimes
from openipu.sw.compiler.steps import HostSync, Lowered, Superstep, walk
from openipu.sw.graph import Variable, Vertex, View


class Region(NamedTuple):
    """Elements `first` to `first + count - 1` of a variable at a byte address of a tile."""

    tile: int
    address: int
    first: int
    count: int  # type: ignore[assignment]  # hides tuple.count


@dataclass
class Layout:
    """Every variable's regions in the order of their elements, and each tile's contents.

    `conflicts` tell which fields share banks against a codelet's wish.
    """

    regions: dict[Variable, tuple[Region, ...]] = field(default_factory=dict)
    items: list[list[Item]] = field(default_factory=list)
    conflicts: list[str] = field(default_factory=list)
    _firsts: dict[Variable, list[int]] = field(default_factory=dict)

    def find(self, variable: Variable, element: int) -> tuple[int, int]:
        """Return tile and byte address of an element."""
        if variable not in self._firsts:
            self._firsts[variable] = [region.first for region in self.regions[variable]]
        region = self.regions[variable][bisect_right(self._firsts[variable], element) - 1]
        return region.tile, region.address + variable.item_bytes * (element - region.first)


@dataclass(frozen=True)
class _Bytes:
    """Bytes `first` to `end - 1` of a variable's region number `region`."""

    variable: Variable
    region: int
    first: int
    end: int


@dataclass(frozen=True)
class _Apart:
    """Two fields of a vertex that must not share a bank."""

    vertex: Vertex
    names: tuple[str, str]
    one: _Bytes
    other: _Bytes

    def text(self, bank_bytes: int) -> str:
        """Say which they are."""
        fields = " and ".join(
            f"{name} ({part.end - part.first:,} bytes of {part.variable.name})"
            for name, part in zip(self.names, (self.one, self.other), strict=True)
        )
        return (
            f"tile {self.vertex.tile}, {self.vertex.name}: {fields} share one of the banks of "
            f"{bank_bytes:,} bytes"
        )


def place(
    lowered: Lowered, config: ChipConfig, firmware: Firmware, codes: list[TileCode], *, apart: bool
) -> Layout:
    """Give everything an address, the blocks of `codes` too.

    `apart` keeps fields in different banks that codelets want there, unless they are parts of one
    variable. Raises OutOfMemoryError for the fullest tile if there is one that is too full.
    """
    bases, items = [], []
    for code in codes:
        end = code.place(firmware.end)
        start = _round_up(end, config.tile.bank_bytes)
        bases.append(start)
        items.append([*_common(firmware), *_own(code), Item("alignment", "", end, start - end)])
    wishes = list(_wishes(lowered))
    placing = _Placing(bases, config.tile.bank_bytes, wishes if apart else [])
    layout = Layout(placing.regions, items)
    for variable in (*lowered.variables, *lowered.persistent):
        if not variable.temporary:
            placing.put(variable, _ALWAYS)
            for tile, address, first, count in placing.regions[variable]:
                size = _region_bytes(variable, first, first + count)
                items[tile].append(Item("variable", variable.name, address, size))
    for tile, (base, top) in enumerate(zip(bases, placing.tops, strict=True)):
        used = sum(item.size for item in items[tile] if item.category == "variable")
        if top - base > used:
            items[tile].append(Item("alignment", "", top, top - base - used))
    below = list(placing.tops)
    lives = lifetimes(lowered)
    unused = [v for v in lowered.variables if v.temporary and v not in lives]
    for variable in sorted([*lives, *unused], key=lambda v: -v.size * v.item_bytes):
        placing.put(variable, lives.get(variable, (0, 0)), below)
    for tile, (base, top) in enumerate(zip(below, placing.tops, strict=True)):
        if top > base:
            items[tile].append(Item("temporaries", "", base, top - base))
    fullest = int(np.argmax(placing.tops))
    needed = placing.tops[fullest]
    if needed > config.tile.memory_bytes:
        raise OutOfMemoryError(fullest, items[fullest], needed, config.tile.memory_bytes)
    layout.conflicts += [
        wish.text(config.tile.bank_bytes) for wish in wishes if placing.share(wish.one, wish.other)
    ]
    return layout


_ALWAYS: Lifetime = 0, 1 << 62


class _Placing:
    """Puts regions to the lowest addresses where they may be.

    Attributes
    ----------
    regions : dict of Variable to tuple of Region
        What has been put.
    tops : list of int
        Where each tile's regions end.
    """

    def __init__(self, bases: list[int], bank_bytes: int, wishes: list[_Apart]) -> None:
        self.regions: dict[Variable, tuple[Region, ...]] = {}
        self.tops = list(bases)
        self._bank_bytes = bank_bytes
        self._free = list(bases)  # below, everything is taken for good
        self._taken: list[list[tuple[int, int, Lifetime]]] = [[] for _ in bases]
        self._others: dict[tuple[Variable, int], list[tuple[_Bytes, _Bytes]]] = defaultdict(list)
        for wish in dict.fromkeys((wish.one, wish.other) for wish in wishes):
            for one, other in (wish, wish[::-1]):
                self._others[one.variable, one.region].append((one, other))

    def put(self, variable: Variable, life: Lifetime, bases: list[int] | None = None) -> None:
        """Put a variable's regions, which are in use during `life`, at `bases` or above."""
        regions: list[Region] = []
        for number, (tile, first, end) in enumerate(variable.mapping):
            base = self._free[tile] if bases is None else bases[tile]
            size = _region_bytes(variable, first, end)
            wishes = [
                (one, self._banks(other))
                for one, other in self._others.get((variable, number), ())
                if other.variable in self.regions
            ]
            address = self._fit(tile, base, size, life, wishes)
            regions.append(Region(tile, address, first, end - first))
            self._take(tile, address, address + size, life)
        self.regions[variable] = tuple(regions)

    def share(self, one: _Bytes, other: _Bytes) -> bool:
        """Tell whether two parts of what has been put share a bank."""
        (low, high), (other_low, other_high) = self._banks(one), self._banks(other)
        return low <= other_high and other_low <= high

    def _banks(self, part: _Bytes) -> tuple[int, int]:
        """Return the first and the last bank of a part."""
        address = self.regions[part.variable][part.region].address
        return (
            (address + part.first) // self._bank_bytes,
            (address + part.end - 1) // self._bank_bytes,
        )

    def _fit(
        self, tile: int, address: int, size: int, life: Lifetime,
        wishes: list[tuple[_Bytes, tuple[int, int]]],
    ) -> int:  # fmt: skip
        """Return the first address that is free, and where parts are in other banks than those."""
        while True:
            start = address
            for taken, end, (since, until) in self._taken[tile]:  # by address
                if since <= life[1] and life[0] <= until and taken < address + size:
                    address = max(address, end)
            for part, (low, high) in wishes:
                first = (address + part.first) // self._bank_bytes
                last = (address + part.end - 1) // self._bank_bytes
                if first <= high and low <= last:
                    behind = (high + 1) * self._bank_bytes - part.first
                    address = _round_up(behind, WORD_BYTES)
            if address == start:
                return address

    def _take(self, tile: int, start: int, end: int, life: Lifetime) -> None:
        self.tops[tile] = max(self.tops[tile], end)
        taken = self._taken[tile]
        if life != _ALWAYS or start > self._free[tile]:
            insort(taken, (start, end, life))
            return
        self._free[tile] = end
        while taken and taken[0][0] == self._free[tile]:
            self._free[tile] = taken.pop(0)[1]


def _wishes(lowered: Lowered) -> Iterator[_Apart]:
    """Yield the fields that codelets want apart, where there is something in them."""
    firsts: dict[Variable, list[int]] = {}

    def part(view: View) -> _Bytes:
        variable, (first, end) = view.variable, view.interval
        if variable not in firsts:
            firsts[variable] = [start for _, start, _ in variable.mapping]
        region = bisect_right(firsts[variable], first) - 1
        start, size = firsts[variable][region], variable.item_bytes
        return _Bytes(variable, region, (first - start) * size, (end - start) * size)

    for step in walk(lowered.steps):
        phases = step.phases if isinstance(step, Superstep | HostSync) else ()
        for vertex in (vertex for phase in phases for vertex in phase):
            for item in vertex.codelet.vectors:
                for name in item.apart_from:
                    one, other = vertex.fields[item.name], vertex.fields[name]
                    if one.size and other.size:
                        yield _Apart(vertex, (item.name, name), part(one), part(other))


def _region_bytes(variable: Variable, first: int, end: int) -> int:
    return _round_up(variable.item_bytes * (end - first), WORD_BYTES)


def _common(firmware: Firmware) -> list[Item]:
    """Return what is the same on every tile."""
    return [
        Item("code", "", 0, firmware.code_bytes),
        Item("alignment", "", firmware.code_bytes, firmware.data_address - firmware.code_bytes),
        Item("common data", "", firmware.data_address, firmware.data_bytes),
        Item("stacks", "", firmware.stacks_address, firmware.stacks_bytes),
    ]


def _own(code: TileCode) -> list[Item]:
    """Return what the code generator made for a tile, by category."""
    sizes: dict[str, list[int]] = {}
    for block in code.blocks:
        first, _ = sizes.setdefault(block.category, [block.address, 0])
        sizes[block.category][1] = block.address + block.size - first
    return [Item(category, "", first, size) for category, (first, size) in sizes.items()]


def _round_up(value: int, step: int) -> int:
    return -(-value // step) * step
