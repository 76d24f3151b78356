"""What all operations stand on: tensors, where they lie, and bringing operands to a tile.

An operation decides which tile computes which part of its result, asks the builder for its operands
there (`Builder.local`, which inserts copies where they are elsewhere), splits a tile's part over
the workers, and adds one compute set. Reshapes, transpositions and slices are only another view of
the same elements.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from openipu.rtl.config import ChipConfig
from openipu.sw.compiler.codegen import START_CYCLES
from openipu.sw.graph import STREAM_BYTES, ComputeSet, Graph, Variable, View
from openipu.sw.program import Copy, Execute, Program
from openipu.sw.program import Sequence as ProgramSequence

Index = NDArray[np.int64]


class OpError(ValueError):
    """An operation can't be done with these operands; the message says which rule they break."""


@dataclass(frozen=True, eq=False)
class Tensor:
    """A value in a model: elements of a variable in some shape, or a constant not yet on a tile.

    `data` is a View or an array; indexing, `reshape` and so on work as in NumPy and move nothing.
    """

    name: str
    data: View | NDArray[Any]

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape."""
        return self.data.shape

    @property
    def size(self) -> int:
        """Number of elements."""
        return int(self.data.size)

    @property
    def dtype(self) -> str:
        """Name of the element type."""
        return self.data.dtype if isinstance(self.data, View) else self.data.dtype.name

    def __getitem__(self, key: Any) -> "Tensor":
        return Tensor(self.name, self.data[key])

    def reshape(self, *shape: int) -> "Tensor":
        """Return the same elements in another shape."""
        if isinstance(self.data, View):
            return Tensor(self.name, View(self.data.variable, self.data.index.reshape(shape)))
        return Tensor(self.name, self.data.reshape(shape))

    def transpose(self, *axes: int) -> "Tensor":
        """Return the dimensions in another order, reversed by default."""
        return Tensor(self.name, self.data.transpose(*axes))

    def broadcast_to(self, *shape: int) -> "Tensor":
        """Return elements repeated as NumPy broadcasts them."""
        if isinstance(self.data, View):
            return Tensor(self.name, self.data.broadcast_to(*shape))
        return Tensor(self.name, np.broadcast_to(self.data, shape))

    @property
    def runs(self) -> int:
        """How many contiguous pieces of memory it consists of, at the least; constants have 1."""
        return len(self.data.intervals) if isinstance(self.data, View) else 1

    def read(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return the tensor's elements, given those of its variable (flat)."""
        if isinstance(self.data, View):
            taken: NDArray[Any] = values[self.data.index]
            return taken
        return self.data


def check_floats(name: str, *operands: Tensor) -> None:
    """Raise OpError unless all operands of operation `name` are float32, or all float16."""
    first = operands[0].dtype
    for x in operands:
        if x.dtype not in ("float32", "float16"):
            raise OpError(f"{name}: operands must be float32 or float16, not {x.dtype} ({x.name})")
        if x.dtype != first:
            raise OpError(f"{name}: operands must be of one type, not {first} and {x.dtype}")


def dimension(name: str, axis: int, rank: int) -> int:
    """Return which dimension `axis` is, where negative ones count from the end; else OpError."""
    if not rank:
        raise OpError(f"{name}: the operand must have dimensions, not be a scalar")
    if not -rank <= axis < rank:
        raise OpError(f"{name}: axis must be from {-rank} to {rank - 1}, not {axis}")
    return axis % rank


def split(count: int, parts: int) -> list[tuple[int, int]]:
    """Return `count` in at most `parts` ranges (first, end), the larger first, none empty."""
    size, more = divmod(count, parts)
    ends = np.cumsum([0] + [size + (i < more) for i in range(parts)]).tolist()
    return [(a, b) for a, b in pairwise(ends) if b > a]


class Builder:
    """A graph and its program in the making, for one machine.

    Attributes
    ----------
    config : ChipConfig
    graph : Graph
    steps : list of Program
        What there is to do so far, in order.
    """

    def __init__(self, config: ChipConfig) -> None:
        self.config = config
        self.graph = Graph()
        self.steps: list[Program] = []

    @property
    def tiles(self) -> int:
        """Tiles to spread over."""
        return self.config.tiles

    @property
    def workers(self) -> int:
        """Workers of a tile."""
        return self.config.tile.slots

    @property
    def program(self) -> Program:
        """All steps so far."""
        return ProgramSequence(*self.steps)

    def input(self, name: str, shape: Sequence[int], dtype: str = "float32") -> Tensor:
        """Add a variable for the host to write, spread evenly by its first dimension.

        Where that has fewer elements than there are tiles, by all dimensions.
        """
        variable = self.graph.variable(self.unique(name), tuple(shape), dtype)
        rows = shape[0] if len(shape) else 1
        unit = variable.size // rows if rows >= self.tiles else 1
        for tile, (a, b) in enumerate(split(variable.size // max(unit, 1), self.tiles)):
            variable.flat[a * unit : b * unit].map(tile)
        return Tensor(name, variable.all)

    def shares(self, count: int) -> list[tuple[int, int, int]]:
        """Return `count` in even ranges for all workers, as (tile, first, end)."""
        return [
            (tile, first + a, first + b)
            for tile, (first, end) in enumerate(split(count, self.tiles))
            for a, b in split(end - first, self.workers)
        ]

    def spread(self, count: int, grain: int = 1) -> list[tuple[int, int]]:
        """Return `count` in ranges for the workers of a tile, in whole `grain`s but for the last.

        A grain is an issue's work: workers that start later get less, so that all end together.
        """
        grains, workers = -(-count // grain), self.workers
        lead = START_CYCLES / workers  # in issues, over the worker that is started next
        sizes = [grains / workers + lead * ((workers - 1) / 2 - i) for i in range(workers)]
        if sizes[-1] < 1:
            ranges = split(grains, workers)
        else:
            ends = np.rint(np.cumsum([0.0, *sizes])).astype(int).tolist()
            ranges = list(pairwise(ends))
        return [(a * grain, min(b * grain, count)) for a, b in ranges]

    def local(
        self, label: str, parts: Iterable[tuple[int, Tensor]], *, aligned: bool = False
    ) -> list[View]:
        """Return each part as contiguous elements on its tile.

        `parts` are (tile, part of one tensor). What is not there yet is copied, all in one step;
        equal parts on one tile are there once. Constants are there from the start. If `aligned`,
        each begins at a multiple of 8 bytes, as a codelet wants of what it streams.
        """
        wanted = list(parts)
        starts: dict[Variable, Index] = {}
        found: dict[tuple[int, bytes], View] = {}
        missing: dict[tuple[int, bytes], Tensor] = {}
        keys = []
        for tile, part in wanted:
            raw = part.data.index if isinstance(part.data, View) else part.data
            keys.append((tile, np.ascontiguousarray(raw).tobytes()))
            if keys[-1] in found or keys[-1] in missing:
                continue
            if isinstance(part.data, View) and _is_local(part.data, tile, aligned, starts):
                found[keys[-1]] = part.data.reshape(-1)
            else:
                missing[keys[-1]] = part
        if missing:
            brought = [(tile, part) for (tile, _), part in missing.items()]
            pieces = self._bring(label, brought, aligned)
            found.update(zip(missing, pieces, strict=True))
        return [found[key] for key in keys]

    def arranged(
        self, label: str, tensor: Tensor, parts: Iterable[tuple[int, Index]]
    ) -> list[View]:
        """Return for each (tile, positions) the tensor's elements at those flat positions.

        A position of -1 is a zero. They are contiguous on the tile, and begin at a multiple of 8
        bytes.
        """
        flat, wanted = tensor.reshape(-1), list(parts)
        if isinstance(flat.data, np.ndarray):
            padded = np.append(flat.data, flat.data.dtype.type(0))
            chosen = [(tile, Tensor(tensor.name, padded[index])) for tile, index in wanted]
            return self.local(label, chosen, aligned=True)
        gaps = [bool((index < 0).any()) for _, index in wanted]
        plain = self.local(label, [
            (tile, flat[index]) for (tile, index), gap in zip(wanted, gaps, strict=True) if not gap
        ], aligned=True)  # fmt: skip
        filled = self._padded(
            label, flat, [part for part, gap in zip(wanted, gaps, strict=True) if gap]
        )
        sources = iter(plain), iter(filled)
        return [next(sources[gap]) for gap in gaps]

    def _padded(self, label: str, flat: Tensor, parts: list[tuple[int, Index]]) -> list[View]:
        """Return elements of a variable with zeros between them, which nothing else ever writes."""
        if not parts:
            return []
        lanes = STREAM_BYTES // np.dtype(flat.dtype).itemsize
        firsts = np.cumsum([0, *(-(-index.size // lanes) * lanes for _, index in parts)]).tolist()
        name = self.unique(f"{label}/{flat.name}")
        variable = self.graph.constant(name, np.zeros(firsts[-1], flat.dtype))
        positions = np.full(firsts[-1], -1, np.int64)
        for (first, end), (tile, index) in zip(pairwise(firsts), parts, strict=True):
            variable.flat[first:end].map(tile)
            positions[first : first + index.size] = index.reshape(-1)
        there = np.flatnonzero(positions >= 0)
        if there.size:
            source = flat[positions[there]].data
            assert isinstance(source, View)
            self.steps.append(Copy(source, View(variable, there), name=name))
        return [
            variable.flat[first : first + index.size]
            for first, (_, index) in zip(firsts, parts, strict=False)
        ]

    def _bring(self, label: str, parts: list[tuple[int, Tensor]], aligned: bool) -> list[View]:
        views = [part.data for _, part in parts]
        lanes = STREAM_BYTES // np.dtype(parts[0][1].dtype).itemsize if aligned else 1
        sizes = [-(-view.size // lanes) * lanes for view in views]
        firsts = np.cumsum([0, *sizes]).tolist()
        places = np.concatenate(
            [np.arange(first, first + v.size) for first, v in zip(firsts, views, strict=False)]
        )
        if isinstance(views[0], View):
            source = views[0].variable
            index = np.concatenate([v.index.reshape(-1) for v in views if isinstance(v, View)])
            name = self.unique(f"{label}/{source.name}")
            scratch = self.graph.variable(name, (firsts[-1],), source.dtype)
            if index.size:
                self.steps.append(Copy(View(source, index), scratch[places], name=name))
        else:
            values = np.zeros(firsts[-1], parts[0][1].dtype)
            values[places] = np.concatenate(
                [v.reshape(-1) for v in views if not isinstance(v, View)]
            )
            scratch = self.graph.constant(self.unique(f"{label}/{parts[0][1].name}"), values)
        for (first, end), (tile, _) in zip(pairwise(firsts), parts, strict=True):
            scratch.flat[first:end].map(tile)
        return [
            scratch.flat[first : first + view.size]
            for first, view in zip(firsts, views, strict=False)
        ]

    def result(
        self, label: str, shape: Sequence[int], dtype: str, blocks: Sequence[tuple[int, Index]]
    ) -> tuple[Tensor, list[View]]:
        """Add the variable of a result and return it, with its blocks.

        `blocks` are (tile, flat positions in the result); each block is contiguous in memory, in
        the order of its positions. Together they name every position once. Where a block has
        elements that nobody wants, the position is -1.
        """
        size = int(np.prod(tuple(shape), dtype=np.int64))
        order = np.concatenate([np.zeros(0, np.int64), *(b.reshape(-1) for _, b in blocks)])
        plain = np.array_equal(order, np.arange(size))
        variable = self.graph.variable(
            self.unique(label), tuple(shape) if plain else (order.size,), dtype
        )
        views, first = [], 0
        for tile, block in blocks:
            views.append(variable.flat[first : first + block.size].map(tile))
            first += block.size
        place = np.empty(size, np.int64)
        there = np.flatnonzero(order >= 0)
        place[order[there]] = there
        return Tensor(label, View(variable, place.reshape(tuple(shape)))), views

    def compute_set(self, label: str) -> ComputeSet:
        """Add a compute set and its execution."""
        compute_set = self.graph.compute_set(label)
        self.steps.append(Execute(compute_set, name=compute_set.name))
        return compute_set

    def unique(self, name: str) -> str:
        """Return a name that no variable has yet: this one, or with a number."""
        unique, number = name, 1
        while unique in self.graph.variables:
            number += 1
            unique = f"{name}.{number}"
        return unique


def _is_local(view: View, tile: int, aligned: bool, starts: dict[Variable, Index]) -> bool:
    """Tell whether a view is contiguous elements on a tile; `starts` are `region_starts` so far."""
    index, variable = view.index.reshape(-1), view.variable
    if not index.size:
        return True
    if not np.array_equal(index, np.arange(index[0], index[0] + index.size)):
        return False
    if aligned:
        if variable not in starts:
            starts[variable] = variable.region_starts()
        before = int(index[0] - starts[variable][index[0]])
        if before * variable.item_bytes % STREAM_BYTES:
            return False
    return bool((variable.tiles[index] == tile).all())
