"""From programs to steps: copies become transfers, transfers share supersteps where they may."""

from collections import defaultdict
from dataclasses import dataclass, field, replace
from itertools import pairwise, zip_longest

import numpy as np
from numpy.typing import NDArray

from openipu.rtl.config import ChipConfig
from openipu.sw.codelets.copy_words import copy_words
from openipu.sw.compiler.steps import (
    CallStep,
    FunctionStep,
    HostSync,
    IfStep,
    Lowered,
    Phase,
    Piece,
    RepeatStep,
    Step,
    Superstep,
    Transfer,
    WhileStep,
    region_starts,
)
from openipu.sw.graph import Graph, GraphError, Variable, Vertex, View
from openipu.sw.program import (
    Call,
    Copy,
    Execute,
    Function,
    If,
    Program,
    Repeat,
    RepeatWhile,
    Sequence,
)

ELEMENT_BYTES = 4
_SPLIT_WORDS = 32  #: a copy within a tile goes to several workers in parts of at least this
_DIRECT_WORDS = 2  #: fewer bus words than this aren't worth a transfer beside a staged one
_GAP_WORDS = 2  #: so many unwanted bus words cost no more than another transfer


def lower(graph: Graph, program: Program, config: ChipConfig) -> Lowered:
    """Check a graph and its program against a chip, and lower them.

    Raises GraphError in terms of the graph.
    """
    graph.check()
    for variable in graph.variables.values():
        if variable.size and (highest := int(variable.tiles.max())) >= config.tiles:
            raise GraphError(
                f"variable {variable.name} is mapped to tile {highest}, but the chip has "
                f"{config.tiles} tiles, 0 to {config.tiles - 1}"
            )
    lowering = _Lowering(graph, config)
    builder = _Builder(lowering)
    builder.add(program)
    builder.close()
    steps = (*builder.steps, HostSync(tuple(builder.pending)))
    return Lowered(
        steps, tuple(graph.variables.values()), tuple(lowering.persistent), lowering.staging
    )


@dataclass(frozen=True)
class _Move:
    """Contiguous elements from one tile to one tile. Offsets count from the start of the region."""

    source: Piece
    destination: Piece
    source_offset: int
    destination_offset: int
    last: bool  #: whether the destination's region ends with it

    @property
    def local(self) -> bool:
        """Whether it stays on its tile."""
        return self.source.tile == self.destination.tile

    def part(self, start: int, count: int) -> "_Move":
        """Return so many elements of it, from one on."""
        return _Move(
            replace(self.source, first=self.source.first + start, count=count),
            replace(self.destination, first=self.destination.first + start, count=count),
            self.source_offset + start,
            self.destination_offset + start,
            self.last and start + count == self.source.count,
        )


@dataclass
class _Span:
    """Elements of one region that are sent to a staging buffer together."""

    variable: Variable
    tile: int
    region: int
    first: int
    end: int
    place: int  #: where in the buffer


@dataclass
class _Open:
    """The superstep that is being put together."""

    name: str
    phases: list[Phase]
    computes: bool = False
    moves: list[_Move] = field(default_factory=list)
    transfers: list[Transfer] = field(default_factory=list)
    read: dict[Variable, NDArray[np.bool_]] = field(default_factory=dict)
    written: dict[Variable, NDArray[np.bool_]] = field(default_factory=dict)

    def takes(self, source: View, destination: View) -> bool:
        """Whether a copy may go with those that are there, as if it came after them."""
        return not (
            _any(self.written, source)
            or _any(self.written, destination)
            or _any(self.read, destination)
        )

    def note(self, source: View, destination: View) -> None:
        """Remember what a copy reads and writes."""
        for masks, view in ((self.read, source), (self.written, destination)):
            mask = masks.setdefault(view.variable, np.zeros(view.variable.size, np.bool_))
            mask[view.index] = True


def _any(masks: dict[Variable, NDArray[np.bool_]], view: View) -> bool:
    mask = masks.get(view.variable)
    return mask is not None and bool(mask[view.index].any())


class _Lowering:
    """What all builders share: the compiler's own variables, functions, and regions."""

    def __init__(self, graph: Graph, config: ChipConfig) -> None:
        self.config = config
        self.bus_elements = config.tile.bus_bytes // ELEMENT_BYTES
        self.persistent: list[Variable] = []
        self.staging: dict[Superstep, tuple[Variable, ...]] = {}
        self._taken = set(graph.variables)
        self._functions: dict[Function, FunctionStep] = {}
        self._regions: dict[Variable, NDArray[np.int64]] = {}
        self._slots: dict[str, Variable] = {}

    def function(self, function: Function) -> FunctionStep:
        """Return a function's steps, lowered at its first call."""
        if function not in self._functions:
            builder = _Builder(self)
            builder.add(function.body)
            builder.settle()
            self._functions[function] = FunctionStep(function.name, tuple(builder.steps))
        return self._functions[function]

    def regions(self, variable: Variable) -> NDArray[np.int64]:
        """Return `region_starts`, remembered."""
        if variable not in self._regions:
            self._regions[variable] = region_starts(variable)
        return self._regions[variable]

    def variable(self, name: str, size: int, dtype: str) -> Variable:
        """Make a variable whose name nobody has."""
        unique, number = name, 1
        while unique in self._taken:
            number += 1
            unique = f"{name}.{number}"
        self._taken.add(unique)
        return Variable(unique, (size,), dtype)

    def slots(self, dtype: str) -> Variable:
        """Return the variable that brings predicates to all tiles: a bus word on each."""
        if dtype not in self._slots:
            width, tiles = self.bus_elements, self.config.tiles
            slots = self.variable("predicate", width * tiles, dtype)
            slots.tiles[:] = np.repeat(np.arange(tiles), width)
            self.persistent.append(slots)
            self._slots[dtype] = slots
        return self._slots[dtype]

    def moves(self, copy: Copy) -> list[_Move]:
        """Cut a copy into contiguous pieces from one tile to one tile."""
        source, destination = (v.index.reshape(-1) for v in (copy.source, copy.destination))
        if not source.size:
            return []
        order = np.argsort(destination, kind="stable")
        source, destination = source[order], destination[order]
        from_, to = copy.source.variable, copy.destination.variable
        from_tiles, to_tiles = from_.tiles[source], to.tiles[destination]
        breaks = (np.diff(source) != 1) | (np.diff(destination) != 1)
        breaks |= (np.diff(from_tiles) != 0) | (np.diff(to_tiles) != 0)
        firsts = np.concatenate(([0], np.flatnonzero(breaks) + 1))
        counts = np.diff(np.append(firsts, source.size))
        from_offsets = source - self.regions(from_)[source]
        to_offsets = destination - self.regions(to)[destination]
        result = []
        for i, count in zip(firsts.tolist(), counts.tolist(), strict=True):
            end = int(destination[i]) + count
            last = end == to.size or int(self.regions(to)[end]) == end
            result.append(
                _Move(
                    Piece(from_, int(source[i]), count, int(from_tiles[i])),
                    Piece(to, int(destination[i]), count, int(to_tiles[i])),
                    int(from_offsets[i]),
                    int(to_offsets[i]),
                    last,
                )
            )
        return result


class _Builder:
    """Builds the steps of one sequence."""

    def __init__(self, lowering: _Lowering) -> None:
        self.lowering = lowering
        self.steps: list[Step] = []
        self.pending: list[Phase] = []  #: what the tiles have yet to do by themselves
        self.open: _Open | None = None

    def add(self, program: Program) -> None:
        """Lower a program to the end of the steps."""
        match program:
            case Sequence(steps=steps):
                for step in steps:
                    self.add(step)
            case Execute(compute_set=compute_set):
                self.close()
                phases = [*self.pending, tuple(compute_set.vertices)]
                self.pending = []
                self.open = _Open(program.name or compute_set.name, phases, computes=True)
            case Copy():
                self._copy(program)
            case Repeat(count=count, body=body):
                if count == 1:
                    self.add(body)
                elif count:
                    self.settle()
                    self.steps.append(RepeatStep(count, self._block(body)))
            case RepeatWhile(predicate=predicate, body=body):
                view = self._broadcast(predicate)
                self.settle()
                self.steps.append(WhileStep(view, self._block(body, predicate)))
            case If(predicate=predicate, then=then, else_=else_):
                view = self._broadcast(predicate)
                self.settle()
                self.steps.append(IfStep(view, self._block(then), self._block(else_)))
            case Call(function=function):
                self.settle()
                self.steps.append(CallStep(self.lowering.function(function)))
            case _:
                raise TypeError(f"a program must be made of the nodes there are, not {program!r}")

    def close(self) -> None:
        """End the superstep that is being put together."""
        if self.open is None:
            return
        now, self.open = self.open, None
        transfers, after, staging = self._route(now)
        if now.computes or transfers:
            superstep = Superstep(now.name, tuple(now.phases), transfers)
            self.steps.append(superstep)
            self.pending = []
            if staging:
                self.lowering.staging[superstep] = staging
        else:
            self.pending = now.phases
        if after:
            self.pending.append(after)

    def settle(self) -> None:
        """End the superstep, and leave nothing pending: the next step is not one of them."""
        self.close()
        if self.pending:
            self.steps.append(Superstep("copy", tuple(self.pending)))
            self.pending = []

    def _block(self, body: Program, predicate: View | None = None) -> tuple[Step, ...]:
        """Lower a body by itself, with the predicate's broadcast at its end."""
        builder = _Builder(self.lowering)
        builder.add(body)
        if predicate is not None:
            builder._broadcast(predicate)
        builder.settle()
        return tuple(builder.steps)

    def _copy(self, copy: Copy) -> None:
        source, destination = copy.source, copy.destination
        same = source.variable is destination.variable
        if same and np.intersect1d(source.index, destination.index).size:
            # All is read before anything is written: go through a variable of its own.
            name = f"{source.variable.name}.copy"
            between = self.lowering.variable(name, source.size, source.dtype)
            between.tiles[:] = source.variable.tiles[source.index.reshape(-1)]
            self.lowering.persistent.append(between)
            self._copy(Copy(source.reshape(-1), between.all, name=copy.name))
            self._copy(Copy(between.all, destination.reshape(-1), name=copy.name))
            return
        name = copy.name or f"copy {source.variable.name} to {destination.variable.name}"
        now = self._open_for(name, source, destination)
        now.moves += self.lowering.moves(copy)

    def _open_for(self, name: str, source: View, destination: View) -> _Open:
        """Return the superstep that a copy goes to."""
        if self.open is not None and not self.open.takes(source, destination):
            self.close()
        if self.open is None:
            self.open, self.pending = _Open(name, self.pending), []
        self.open.note(source, destination)
        return self.open

    def _broadcast(self, predicate: View) -> View:
        """Bring a predicate to every tile; return it as the steps want it."""
        if self.lowering.config.tiles == 1:
            return predicate
        width = self.lowering.bus_elements
        variable, element = predicate.variable, int(predicate.index[0])
        offset = (element - int(self.lowering.regions(variable)[element])) % width
        slots = self.lowering.slots(predicate.dtype)
        here = slots[offset::width]
        now = self._open_for(f"predicate {variable.name}", predicate, slots.all)
        count = offset + 1  # from the start of the bus word that it is in
        source = Piece(variable, element - offset, count, int(variable.tiles[element]))
        tiles = range(self.lowering.config.tiles)
        now.transfers.append(
            Transfer(source, tuple(Piece(slots, t * width, count, t) for t in tiles))
        )
        return here

    def _route(self, now: _Open) -> tuple[tuple[Transfer, ...], Phase, tuple[Variable, ...]]:
        """Return transfers, what the tiles copy after them, and the variables staged in between."""
        width = self.lowering.bus_elements
        sent: dict[Piece, list[Piece]] = defaultdict(list)
        staged: dict[tuple[int, str], list[_Move]] = defaultdict(list)
        after: list[Vertex] = []
        # A tile may listen to itself, which is faster than to copy, unless there is no barrier yet.
        barrier = now.computes or bool(now.transfers) or not all(m.local for m in now.moves)
        for move in now.moves:
            for part, aligned in _parts(move, width) if barrier else [(move, False)]:
                if aligned:
                    sent[part.source].append(part.destination)
                elif part.local:
                    after += self._vertices(now.name, part)
                else:
                    staged[part.destination.tile, part.source.variable.dtype].append(part)
        variables = []
        for (tile, dtype), moves in staged.items():
            name = f"{now.name}.staging@{tile}"
            variable, spans, copies = self._stage(name, moves, tile, dtype)
            variables.append(variable)
            for source, destination in spans:
                sent[source].append(destination)
            after += [vertex for move in copies for vertex in self._vertices(now.name, move)]
        transfers = [
            Transfer(source, destinations)
            for source, listed in sent.items()
            for destinations in _one_per_tile(listed)
        ]
        return (*now.transfers, *transfers), tuple(after), tuple(variables)

    def _stage(
        self, name: str, moves: list[_Move], tile: int, dtype: str
    ) -> tuple[Variable, list[tuple[Piece, Piece]], list[_Move]]:
        """Stage unaligned moves to one tile: whole bus words first, then copies on the tile."""
        width = self.lowering.bus_elements
        spans: list[_Span] = []
        placed: list[tuple[_Move, int]] = []
        for move in sorted(moves, key=lambda m: (m.source.variable.name, m.source.first)):
            first = move.source.first - move.source_offset % width
            region = move.source.first - move.source_offset
            span = spans[-1] if spans else None
            if (
                span is None
                or (span.variable, span.region) != (move.source.variable, region)
                or first > span.end + _GAP_WORDS * width
            ):
                place = span.place + _round_up(span.end - span.first, width) if span else 0
                span = _Span(move.source.variable, move.source.tile, region, first, first, place)
                spans.append(span)
            span.end = max(span.end, move.source.end)
            placed.append((move, span.place + move.source.first - span.first))
        size = spans[-1].place + _round_up(spans[-1].end - spans[-1].first, width)
        buffer = self.lowering.variable(name, size, dtype).map(tile)
        pairs = []
        for span in spans:
            source = Piece(span.variable, span.first, span.end - span.first, span.tile)
            pairs.append((source, Piece(buffer, span.place, source.count, tile)))
        copies = [
            replace(move, source=Piece(buffer, place, move.source.count, tile))
            for move, place in placed
        ]
        return buffer, pairs, copies

    def _vertices(self, name: str, move: _Move) -> list[Vertex]:
        """Return the vertices that do a move within its tile."""
        count = move.source.count
        parts = max(1, min(self.lowering.config.tile.slots, count // _SPLIT_WORDS))
        edges = [count * i // parts for i in range(parts + 1)]
        result = []
        for start, end in pairwise(edges):
            piece = move.part(start, end - start)
            fields = {
                "source": piece.source.variable.flat[piece.source.first : piece.source.end],
                "destination": piece.destination.variable.flat[
                    piece.destination.first : piece.destination.end
                ],
            }
            label = f"{name}/copy_words to {fields['destination']!r}"
            result.append(Vertex(copy_words, piece.destination.tile, fields, {}, label))
        return result


def _round_up(value: int, step: int) -> int:
    return -(-value // step) * step


def _one_per_tile(pieces: list[Piece]) -> list[tuple[Piece, ...]]:
    """Spread pieces over groups with one on each tile at most."""
    tiles: dict[int, list[Piece]] = defaultdict(list)
    for piece in pieces:
        tiles[piece.tile].append(piece)
    rounds = zip_longest(*tiles.values())
    return [tuple(piece for piece in group if piece is not None) for group in rounds]


def _parts(move: _Move, width: int) -> list[tuple[_Move, bool]]:
    """Cut a move into parts that are, and parts that aren't, whole bus words at both ends."""
    count, offset = move.source.count, move.source_offset % width
    if offset != move.destination_offset % width:
        return [(move, False)]
    head = min(count, -offset % width)
    whole = count - head if move.last else (count - head) // width * width
    if head + whole == count and not head:
        return [(move, True)]
    if whole < _DIRECT_WORDS * width:
        return [(move, False)]
    cuts = ((0, head, False), (head, whole, True), (head + whole, count - head - whole, False))
    return [(move.part(start, size), aligned) for start, size, aligned in cuts if size]
