"""Memory layout: where on its tile everything is.

    code | common data, stacks, program, vertices, exchange tables | variables, temporaries

Each `|` is the start of a bank, so that fetches, tables, and what the exchange sends don't meet in
one. If that doesn't fit, the first two share banks. Regions of variables begin at multiples of 8.
Temporary variables and staging buffers share memory unless they are in use at the same time.
"""

from bisect import bisect_right
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from openipu.rtl.config import WORD_BYTES, ChipConfig
from openipu.sw.compiler.codegen import TileCode
from openipu.sw.compiler.errors import Item, OutOfMemoryError
from openipu.sw.compiler.link import Firmware
from openipu.sw.compiler.liveness import Lifetime, lifetimes
from openipu.sw.compiler.steps import Lowered
from openipu.sw.graph import Variable

ELEMENT_BYTES = 4


class Region(NamedTuple):
    """Elements `first` to `first + count - 1` of a variable at a byte address of a tile."""

    tile: int
    address: int
    first: int
    count: int  # type: ignore[assignment]  # hides tuple.count


@dataclass
class Layout:
    """Every variable's regions in the order of their elements, and each tile's contents."""

    regions: dict[Variable, tuple[Region, ...]] = field(default_factory=dict)
    items: list[list[Item]] = field(default_factory=list)
    _firsts: dict[Variable, list[int]] = field(default_factory=dict)

    def find(self, variable: Variable, element: int) -> tuple[int, int]:
        """Return tile and byte address of an element."""
        if variable not in self._firsts:
            self._firsts[variable] = [region.first for region in self.regions[variable]]
        region = self.regions[variable][bisect_right(self._firsts[variable], element) - 1]
        return region.tile, region.address + ELEMENT_BYTES * (element - region.first)


def place(
    lowered: Lowered, config: ChipConfig, firmware: Firmware, codes: list[TileCode]
) -> Layout:
    """Give everything an address, the blocks of `codes` too.

    Raises OutOfMemoryError for the fullest tile if there is one that is too full.
    """
    ends, items = [], []
    for code in codes:
        end = code.place(firmware.end)
        start = _round_up(end, config.tile.bank_bytes)
        ends.append(start)
        items.append([*_common(firmware), *_own(code), Item("alignment", "", end, start - end)])
    layout = Layout(items=items)
    for variable in (*lowered.variables, *lowered.persistent):
        if not variable.temporary:
            _put(variable, layout, ends)
    tops = _put_temporaries(lowered, layout, ends)
    fullest = int(np.argmax(tops))
    if tops[fullest] > config.tile.memory_bytes:
        raise OutOfMemoryError(
            fullest, layout.items[fullest], tops[fullest], config.tile.memory_bytes
        )
    return layout


def _put(variable: Variable, layout: Layout, ends: list[int]) -> None:
    """Put each region of a variable at the end of what its tile has, and move the end."""
    regions = []
    for tile, first, end in variable.mapping:
        size = _region_bytes(first, end)
        regions.append(Region(tile, ends[tile], first, end - first))
        layout.items[tile].append(Item("variable", variable.name, ends[tile], size))
        ends[tile] += size
    layout.regions[variable] = tuple(regions)


def _put_temporaries(lowered: Lowered, layout: Layout, bases: list[int]) -> list[int]:
    """Put temporaries behind the variables, the largest first; return where all ends."""
    lives = lifetimes(lowered)
    tops = list(bases)
    taken: list[list[tuple[int, int, Lifetime]]] = [[] for _ in bases]  # address, end, when
    unused = [v for v in lowered.variables if v.temporary and v not in lives]
    for variable in sorted([*lives, *unused], key=lambda variable: -variable.size):
        regions = []
        first_use, last_use = lives.get(variable, (0, 0))
        for tile, first, end in variable.mapping:
            size = _region_bytes(first, end)
            address = bases[tile]
            for start, stop, (since, until) in sorted(taken[tile]):
                if since <= last_use and first_use <= until and start < address + size:
                    address = max(address, stop)
            taken[tile].append((address, address + size, (first_use, last_use)))
            regions.append(Region(tile, address, first, end - first))
            tops[tile] = max(tops[tile], address + size)
        layout.regions[variable] = tuple(regions)
    for tile, (base, top) in enumerate(zip(bases, tops, strict=True)):
        if top > base:
            layout.items[tile].append(Item("temporaries", "", base, top - base))
    return tops


def _region_bytes(first: int, end: int) -> int:
    return _round_up(ELEMENT_BYTES * (end - first), WORD_BYTES)


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
