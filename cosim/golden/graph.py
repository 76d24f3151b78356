"""The graph-level golden model: a compiled program run vertex by vertex with the NumPy twins.

Memory is that of the tiles, byte for byte, at the addresses of the executable's layout; the steps
are those that code was generated from. Transfers happen as the barrier's exchange defines them:
everything is read before anything is written.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from openipu import firmware
from openipu.cosim.scoreboard import Region
from openipu.sw.compiler.steps import (
    CallStep,
    HostSync,
    IfStep,
    Phase,
    Piece,
    RepeatStep,
    Step,
    Superstep,
    Transfer,
    WhileStep,
)

if TYPE_CHECKING:
    from openipu.sw.compiler import Executable
    from openipu.sw.graph import Variable, Vertex, View

_Gather = tuple[NDArray[Any], NDArray[np.int64], NDArray[np.int64]]
"""All tiles' memories as elements of one size; which are read; where they are written."""

_CODELETS = Path(firmware.__file__).parent / "codelets"


@dataclass(frozen=True)
class Barrier:
    """All tiles wait. `regions` are what was written since the barrier before, as it is now.

    That is: what the exchange of the barrier before stored, then what the vertices of this
    superstep wrote. `host` tells that the program waits for the host.
    """

    name: str
    regions: list[Region]
    host: bool


class GraphGolden:
    """The state of a chip that runs an executable.

    Attributes
    ----------
    memory : ndarray of uint8, (tiles, memory_bytes)
    supersteps : int
        Barriers passed since `load`.
    """

    def __init__(self, executable: "Executable") -> None:
        self.executable = executable
        tile = executable.config.tile
        self._words = np.zeros((executable.config.tiles, tile.memory_bytes // 4), np.uint32)
        self.memory: NDArray[np.uint8] = self._words.view(np.uint8)
        self.supersteps = 0
        self._vertices: dict[Vertex, Callable[[], None]] = {}
        self._written: dict[Vertex, list[Region]] = {}
        self._exchanges: dict[Superstep, list[_Gather]] = {}
        self._received: dict[Superstep, list[Region]] = {}
        self._flow: Iterator[Barrier] = iter(())
        self._pending: list[Region] = []
        self.load()

    def load(self) -> None:
        """Put the program and initial values into all memories, and go to the start."""
        self.memory[:] = 0
        for address, content in self.executable.common:
            self.memory[:, address : address + len(content)] = np.frombuffer(content, np.uint8)
        for tile, image in enumerate(self.executable.images):
            for address, content in image:
                raw = np.frombuffer(content, np.uint8)
                self.memory[tile, address : address + raw.size] = raw
        self.supersteps = 0
        self._flow = self._forever()
        self._pending = []

    def step(self) -> Barrier:
        """Go on to the next barrier."""
        return next(self._flow)

    def run(self) -> int:
        """Go on to the next rest at a host barrier; return how many barriers that took."""
        before = self.supersteps
        while not self.step().host:
            pass
        return self.supersteps - before

    def write(self, variable: "Variable", values: NDArray[Any]) -> None:
        """Set a variable's elements (flat)."""
        for region in self.executable.regions(variable):
            place = self._view(region.tile, region.address, region.count, variable.dtype)
            place[:] = values[region.first : region.first + region.count]

    def read(self, variable: "Variable") -> NDArray[Any]:
        """Return a variable's elements (flat)."""
        values = np.empty(variable.size, variable.dtype)
        for region in self.executable.regions(variable):
            place = self._view(region.tile, region.address, region.count, variable.dtype)
            values[region.first : region.first + region.count] = place
        return values

    # Steps.

    def _forever(self) -> Iterator[Barrier]:
        while True:
            yield from self._run(self.executable.steps)

    def _run(self, steps: Sequence[Step]) -> Iterator[Barrier]:
        for step in steps:
            match step:
                case Superstep(name=name, phases=phases):
                    yield self._barrier(name, phases)
                    self._exchange(step)
                case HostSync(phases=phases):
                    yield self._barrier("host sync", phases, host=True)
                case RepeatStep(count=count, body=body):
                    for _ in range(count):
                        yield from self._run(body)
                case WhileStep(predicate=predicate, body=body):
                    while self._holds(predicate):
                        yield from self._run(body)
                case IfStep(predicate=predicate, then=then, else_=else_):
                    yield from self._run(then if self._holds(predicate) else else_)
                case CallStep(function=function):
                    yield from self._run(function.body)
                case _:
                    raise TypeError(f"step must be one of compiler.steps, not {step!r}")

    def _barrier(self, name: str, phases: Sequence[Phase], *, host: bool = False) -> Barrier:
        regions, self._pending = self._pending, []
        for phase in phases:
            for vertex in phase:
                run = self._vertices.get(vertex) or self._prepare(vertex)
                run()
                regions = regions + self._written[vertex]
        self.supersteps += 1
        return Barrier(name, regions, host)

    def _holds(self, predicate: "View") -> bool:
        tile, address = self._place(predicate.variable, int(predicate.index.reshape(-1)[0]))
        return bool(self._words[tile, address // 4])

    def _prepare(self, vertex: "Vertex") -> Callable[[], None]:
        """Bind a vertex's codelet to its arrays, which are views of memory."""
        codelet = vertex.codelet
        arrays: dict[str, Any] = {}
        written = []
        for item in codelet.vectors:
            first, end = vertex.fields[item.name].interval
            address = 0
            if end > first:
                tile, address = self._place(vertex.fields[item.name].variable, first)
                assert tile == vertex.tile
            arrays[item.name] = self._view(vertex.tile, address, end - first, item.dtype)
            if item.kind.writes and end > first:
                written.append(
                    Region(
                        tile=vertex.tile, address=address, expected=arrays[item.name],
                        vertex=vertex.name, field=item.name,
                        source=source_of(codelet.source, codelet.name),
                    )
                )  # fmt: skip
        keywords = arrays | dict(vertex.tables) | dict(vertex.scalars)

        def run() -> None:
            codelet.reference(**keywords)

        self._vertices[vertex] = run
        self._written[vertex] = written
        return run

    def _exchange(self, step: Superstep) -> None:
        if not step.transfers:
            return
        if step not in self._exchanges:
            self._exchanges[step] = self._gathers(step.transfers)
            self._received[step] = [
                self._region(step, transfer.source, piece)
                for transfer in step.transfers
                for piece in transfer.destinations
                if piece.count
            ]
        moves = self._exchanges[step]
        sent = [elements[sources] for elements, sources, _ in moves]
        for (elements, _, destinations), values in zip(moves, sent, strict=True):
            elements[destinations] = values
        self._pending = self._received[step]

    def _gathers(self, transfers: Sequence[Transfer]) -> list["_Gather"]:
        """Return what is read and where it is written, for each size of elements."""
        sources: dict[int, list[NDArray[np.int64]]] = defaultdict(list)
        destinations: dict[int, list[NDArray[np.int64]]] = defaultdict(list)
        for transfer in transfers:
            source, size = self._indices(transfer.source), transfer.source.variable.item_bytes
            for piece in transfer.destinations:
                sources[size].append(source)
                destinations[size].append(self._indices(piece))
        flat = self._words.reshape(-1)
        return [
            (flat.view(f"u{size}"), np.concatenate(listed), np.concatenate(destinations[size]))
            for size, listed in sources.items()
        ]

    def _indices(self, piece: Piece) -> NDArray[np.int64]:
        """Return where a piece's elements are, counted in such elements over all tiles."""
        if not piece.count:
            return np.zeros(0, np.int64)
        tile, address = self._place(piece.variable, piece.first)
        first = (tile * self.memory.shape[1] + address) // piece.variable.item_bytes
        return np.arange(first, first + piece.count)

    def _region(self, step: Superstep, source: Piece, piece: Piece) -> Region:
        tile, address = self._place(piece.variable, piece.first)
        return Region(
            tile=tile,
            address=address,
            expected=self._view(tile, address, piece.count, piece.variable.dtype),
            vertex=f"{step.name} (exchange)",
            field=f"{piece.variable.name}[{piece.first}:{piece.end}] from "
            f"{source.variable.name}[{source.first}:{source.end}] of tile {source.tile}",
        )

    def _place(self, variable: "Variable", element: int) -> tuple[int, int]:
        """Return tile and byte address of an element."""
        return self.executable.place(variable, element)

    def _view(self, tile: int, address: int, count: int, dtype: str) -> NDArray[Any]:
        kind = np.dtype(dtype)
        view: NDArray[Any] = self.memory[tile, address : address + kind.itemsize * count].view(kind)
        return view


@cache
def source_of(source: str, name: str) -> str:
    """Return `file:line` of a codelet in its C or assembler source, which may lie elsewhere."""
    path = _CODELETS / source
    wanted = re.compile(rf"void {name}\(|^[A-Z_]+\({name},|^ *[a-z_0-9]+ +{name}\b[^(]*$", re.M)
    text = path.read_text() if path.is_file() else ""
    found = wanted.search(text)
    line = text.count("\n", 0, found.start()) + 1 if found else 1
    return f"{Path('firmware/codelets') / source}:{line}"  # an absolute path stays as it is
