"""The graph: variables spread over tiles, and vertices that compute on them.

Nothing here knows the hardware. A tile is a number; how many there are and what fits is checked
when the graph is compiled.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from openipu.sw.codelets.codelet import DTYPES, Codelet, Derived

UNMAPPED = -1

STREAM_BYTES = 8
"""Bytes of the words in which streamed fields are read and written."""

Interval = tuple[int, int]
"""First element, and the one after the last."""


class GraphError(ValueError):
    """The graph or program can't be as its author wants; the message says which rule it breaks."""


class Variable:
    """A named array whose elements each live on one tile. Made by `Graph.variable`.

    Index it like a NumPy array for a `View`. `initial` is the value that it has when the program is
    loaded, or None if that doesn't matter. A `temporary` variable keeps its value only from where
    the program writes it to where it last reads it, so that its memory can be used again.
    """

    def __init__(
        self, name: str, shape: tuple[int, ...], dtype: str, *, temporary: bool = False
    ) -> None:
        self.name = name
        self.temporary = temporary
        self.shape = shape
        self.dtype = dtype
        self.size = int(np.prod(shape, dtype=np.int64))
        self.initial: NDArray[Any] | None = None
        self.tiles: NDArray[np.int32] = np.full(self.size, UNMAPPED, np.int32)
        self._index: NDArray[np.int64] = np.arange(self.size, dtype=np.int64).reshape(shape)
        self._index.flags.writeable = False

    def __repr__(self) -> str:
        return f"Variable({self.name!r}, {self.shape}, {self.dtype!r})"

    @property
    def item_bytes(self) -> int:
        """Bytes of an element."""
        return int(np.dtype(self.dtype).itemsize)

    @property
    def all(self) -> "View":
        """The whole variable."""
        return View(self, self._index)

    @property
    def flat(self) -> "View":
        """The whole variable as one dimension."""
        return View(self, self._index.reshape(-1))

    def __getitem__(self, key: Any) -> "View":
        return self.all[key]

    def reshape(self, *shape: int) -> "View":
        """Return the whole variable in another shape."""
        return self.all.reshape(*shape)

    def map(self, tile: int) -> "Variable":
        """Put all elements on one tile; return the variable."""
        self.all.map(tile)
        return self

    @property
    def mapping(self) -> list[tuple[int, int, int]]:
        """The flat intervals that lie on one tile each, as (tile, first, end), in order."""
        ends = np.flatnonzero(np.diff(self.tiles)) + 1
        edges = [0, *ends.tolist(), self.size] if self.size else []
        return [(int(self.tiles[a]), a, b) for a, b in pairwise(edges)]

    def region_starts(self) -> NDArray[np.int64]:
        """Return for each element the first element of its region: the run of those on its tile."""
        starts = np.zeros(self.size, np.int64)
        for _, first, end in self.mapping:
            starts[first:end] = first
        return starts


class View:
    """Some elements of one variable in some shape: metadata, no data.

    `index` holds the flat index of each element in the variable. Slicing and `reshape`,
    `transpose`, `broadcast_to` work as in NumPy.
    """

    def __init__(self, variable: Variable, index: NDArray[np.int64]) -> None:
        self.variable = variable
        self.index = index

    @property
    def shape(self) -> tuple[int, ...]:
        """The view's shape."""
        return self.index.shape

    @property
    def size(self) -> int:
        """Number of elements."""
        return self.index.size

    @property
    def dtype(self) -> str:
        """Type of the elements."""
        return self.variable.dtype

    def __repr__(self) -> str:
        runs = self.intervals
        shown = ", ".join(f"{a}:{b}" for a, b in runs[:3]) + (", ..." if len(runs) > 3 else "")
        return f"{self.variable.name}[{shown}]"

    def __getitem__(self, key: Any) -> "View":
        try:
            return View(self.variable, np.asarray(self.index[key]))
        except IndexError as error:
            raise IndexError(f"{self.variable.name}: {error}") from None

    def reshape(self, *shape: int) -> "View":
        """Return the same elements in another shape."""
        return View(self.variable, self.index.reshape(*shape))

    def transpose(self, *axes: SupportsIndex) -> "View":
        """Return the view with its dimensions in another order, reversed by default."""
        return View(self.variable, self.index.transpose(*axes))

    def broadcast_to(self, *shape: int) -> "View":
        """Return the view with elements repeated as NumPy broadcasts them; only to be read."""
        return View(self.variable, np.broadcast_to(self.index, shape))

    @property
    def intervals(self) -> list[Interval]:
        """The flat intervals of the variable that make up the view, in the view's order."""
        index = self.index.reshape(-1)
        if not index.size:
            return []
        first = np.concatenate(([0], np.flatnonzero(np.diff(index) != 1) + 1))
        count = np.diff(np.append(first, index.size))
        starts = index[first]
        return list(zip(starts.tolist(), (starts + count).tolist(), strict=True))

    @property
    def interval(self) -> Interval:
        """The one flat interval that the view consists of; GraphError if it is not one."""
        runs = self.intervals
        if not runs:
            return 0, 0
        if len(runs) > 1:
            raise GraphError(
                f"{self.variable.name}: the elements must be contiguous, not the {len(runs)} "
                f"pieces of {self!r}"
            )
        return runs[0]

    def map(self, tile: int) -> "View":
        """Put the elements on a tile; return the view."""
        if not isinstance(tile, int | np.integer) or isinstance(tile, bool):
            raise TypeError(f"tile must be an int, not {tile!r}")
        if tile < 0:
            raise ValueError(f"tile must be 0 or more, not {tile!r}")
        self.variable.tiles[self.index.reshape(-1)] = tile
        return self


@dataclass(frozen=True, eq=False)
class Vertex:
    """One codelet at work on one tile.

    `fields` gives each vector field's flat interval of a variable, `scalars` each scalar's value,
    `tables` each table's words.
    """

    codelet: Codelet
    tile: int
    fields: Mapping[str, View]
    scalars: Mapping[str, np.generic]
    name: str
    tables: Mapping[str, NDArray[np.uint32]] = field(default_factory=dict)

    @property
    def issues(self) -> int:
        """The estimated cost in issues (see `Codelet`)."""
        lengths = {name: view.size for name, view in self.fields.items()}
        return self.codelet.issues(lengths, self.scalars, self.tables)


@dataclass(eq=False)
class ComputeSet:
    """Vertices that run at the same time, between two barriers. Made by `Graph.compute_set`."""

    name: str
    vertices: list[Vertex] = field(default_factory=list)

    def add(
        self, codelet: Codelet, tile: int, /, *, name: str | None = None, **fields: Any
    ) -> Vertex:
        """Add a vertex and return it.

        `fields` gives a View or Variable for each vector field, whole numbers for each table, and a
        number for each scalar. Each vector field must be a contiguous run of elements that are
        mapped to the vertex's tile. Raises GraphError where that isn't so.
        """
        label = name or f"{self.name}/{codelet.name}[{len(self.vertices)}]"
        expected = [item.name for item in codelet.fields if not isinstance(item, Derived)]
        if set(fields) != set(expected):
            raise GraphError(
                f"{label}: codelet {codelet.name} has the fields {', '.join(expected)}; "
                f"given are {', '.join(fields) or 'none'}"
            )
        if not isinstance(tile, int | np.integer) or isinstance(tile, bool):
            raise TypeError(f"{label}: tile must be an int, not {tile!r}")
        views: dict[str, View] = {}
        for item in codelet.vectors:
            value = fields[item.name]
            view = value.all if isinstance(value, Variable) else value
            where = f"{label}: field {item.name}"
            if not isinstance(view, View):
                raise TypeError(f"{where} must be a Variable or View, not {value!r}")
            if view.dtype != item.dtype:
                raise GraphError(
                    f"{where} must be {item.dtype}, but {view.variable.name} is {view.dtype}"
                )
            try:
                first, end = view.interval
            except GraphError as error:
                raise GraphError(f"{where}: {error}") from None
            others = np.flatnonzero(view.variable.tiles[first:end] != tile)
            if others.size:
                element = first + int(others[0])
                at = int(view.variable.tiles[element])
                place = "is not mapped to any tile" if at == UNMAPPED else f"lies on tile {at}"
                raise GraphError(
                    f"{where} must lie on the vertex's tile {tile}, but element {element} of "
                    f"{view.variable.name} {place}"
                )
            views[item.name] = view
        scalars = {item.name: item.convert(fields[item.name]) for item in codelet.scalars}
        tables = {item.name: item.convert(fields[item.name]) for item in codelet.tables}
        vertex = Vertex(codelet, int(tile), views, scalars, label, tables)
        self.vertices.append(vertex)
        return vertex

    def check(self) -> None:
        """Raise GraphError if two vertices use an element that one of them writes."""
        uses: dict[Variable, list[tuple[int, int, bool, Vertex, str]]] = {}
        for vertex in self.vertices:
            for item in vertex.codelet.vectors:
                view = vertex.fields[item.name]
                if view.size:
                    first, end = view.interval
                    use = (first, end, item.kind.writes, vertex, item.name)
                    uses.setdefault(view.variable, []).append(use)
        for variable, listed in uses.items():
            clash = _first_clash(listed)
            if clash:
                element, one, two = clash
                raise GraphError(
                    f"compute set {self.name}: element {element} of {variable.name} is written by "
                    f"{one[3].name} ({one[4]}) and {'written' if two[2] else 'read'} by "
                    f"{two[3].name} ({two[4]}) at the same time"
                )


_Use = tuple[int, int, bool, Vertex, str]


def _first_clash(uses: list[_Use]) -> tuple[int, _Use, _Use] | None:
    """Return an element that a vertex writes and another uses, with both uses, the writer first."""
    last: dict[bool, list[_Use]] = {False: [], True: []}  # reaching furthest, of two vertices
    for use in sorted(uses, key=lambda use: use[:2]):
        for writes in (True, False) if use[2] else (True,):
            for other in last[writes]:
                if other[1] > use[0] and other[3] is not use[3]:
                    return (use[0], use, other) if use[2] and not writes else (use[0], other, use)
        kept = sorted([use, *last[use[2]]], key=lambda use: -use[1])
        second = [other for other in kept if other[3] is not kept[0][3]]
        last[use[2]] = kept[:1] + second[:1]
    return None


def _check_streams(vertex: Vertex, starts: dict[Variable, NDArray[np.int64]]) -> None:
    """Raise GraphError for a streamed field that isn't whole words.

    `starts` are the variables' `region_starts`, filled in here.
    """
    for item in vertex.codelet.vectors:
        view = vertex.fields[item.name]
        if not item.streamed or not view.size:
            continue
        variable, (first, end) = view.variable, view.interval
        if variable not in starts:
            starts[variable] = variable.region_starts()
        region = starts[variable]
        step = STREAM_BYTES // variable.item_bytes
        before, size = first - int(region[first]), end - first
        at_end = end == variable.size or int(region[end]) == end
        if before % step or (item.kind.writes and size % step and not at_end):
            last = " and end at one, or where its region ends" if item.kind.writes else ""
            raise GraphError(
                f"{vertex.name}: the streamed field {item.name} must begin at a multiple of "
                f"{STREAM_BYTES} bytes{last}, not be {variable.name}[{first}:{end}], whose region "
                f"begins at element {int(region[first])}"
            )


class Graph:
    """Variables and compute sets, each under a name of its own."""

    def __init__(self) -> None:
        self.variables: dict[str, Variable] = {}
        self.compute_sets: dict[str, ComputeSet] = {}

    def variable(
        self,
        name: str,
        shape: int | tuple[int, ...],
        dtype: str = "float32",
        *,
        temporary: bool = False,
    ) -> Variable:
        """Add a variable, whose elements have yet to be mapped to tiles.

        The value of a `temporary` one is lost where the program doesn't need it: neither the host
        nor a later run may rely on it.
        """
        self._check_name("variable", name, self.variables)
        sizes = (shape,) if isinstance(shape, int) else tuple(shape)
        for size in sizes:
            if not isinstance(size, int | np.integer) or isinstance(size, bool):
                raise TypeError(f"variable {name}: shape must be ints, not {shape!r}")
            if size < 0:
                raise ValueError(f"variable {name}: sizes must be 0 or more, not {shape!r}")
        if dtype not in DTYPES:
            raise ValueError(
                f"variable {name}: dtype must be one of {', '.join(DTYPES)}, not {dtype!r}"
            )
        self.variables[name] = Variable(
            name, tuple(int(size) for size in sizes), dtype, temporary=temporary
        )
        return self.variables[name]

    def constant(self, name: str, value: ArrayLike, dtype: str | None = None) -> Variable:
        """Add a variable with an initial value; its dtype is the value's unless given."""
        array = np.asarray(value, None if dtype is None else np.dtype(dtype))
        variable = self.variable(name, array.shape, array.dtype.name)
        variable.initial = array.copy()
        return variable

    def compute_set(self, name: str) -> ComputeSet:
        """Add a compute set; a name that is taken gets a number."""
        unique, number = name, 1
        while unique in self.compute_sets:
            number += 1
            unique = f"{name}.{number}"
        self.compute_sets[unique] = ComputeSet(unique)
        return self.compute_sets[unique]

    def check(self) -> None:
        """Raise GraphError for an element on no tile, or a race in a compute set."""
        for variable in self.variables.values():
            missing = np.flatnonzero(variable.tiles == UNMAPPED)
            if missing.size:
                raise GraphError(
                    f"variable {variable.name}: every element must be mapped to a tile; "
                    f"{missing.size} of {variable.size} are not, the first is {missing[0]}"
                )
        starts: dict[Variable, NDArray[np.int64]] = {}
        for compute_set in self.compute_sets.values():
            compute_set.check()
            for vertex in compute_set.vertices:
                _check_streams(vertex, starts)

    @staticmethod
    def _check_name(what: str, name: str, taken: Mapping[str, object]) -> None:
        if not isinstance(name, str):
            raise TypeError(f"{what} name must be a str, not {name!r}")
        if not name or name in taken:
            raise ValueError(f"{what} name must be new and not empty, not {name!r}")
