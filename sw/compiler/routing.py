"""Routing: how the elements of copies get from tile to tile.

A copy is cut into moves: contiguous pieces from one tile to one tile. What is whole bus words at
both ends becomes a transfer; the rest is staged at its destination, or copied within its tile.
"""

from collections import defaultdict
from dataclasses import dataclass, replace
from itertools import pairwise, zip_longest

import numpy as np
from numpy.typing import NDArray

from openipu.rtl.config import ChipConfig
from openipu.sw.codelets.codelet import Codelet
from openipu.sw.codelets.copy_words import copy_halves, copy_words
from openipu.sw.codelets.streams import UNARY
from openipu.sw.compiler.codegen import CALL_ISSUES
from openipu.sw.compiler.nests import Ints, Nest, find
from openipu.sw.compiler.steps import Phase, Piece, Transfer
from openipu.sw.graph import STREAM_BYTES, Variable, Vertex
from openipu.sw.program import Copy

_SPLIT_BYTES = 128  #: a copy within a tile goes to several workers in parts of at least this
_STREAM_SPLIT_BYTES = 384  #: and this, where streams do it
_SPLIT_ISSUES = 64  #: a nest goes to several workers in parts of at least about this
_STREAM_BYTES = 32  #: fewer aren't worth a vertex of their own
_BY_STREAMS = {4: UNARY["identity", "float32"], 2: UNARY["identity", "float16"]}
_DIRECT_WORDS = 2  #: fewer bus words than this aren't worth a transfer beside a staged one
_GAP_WORDS = 2  #: so many unwanted bus words cost no more than another transfer


@dataclass(frozen=True)
class Move:
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

    @property
    def regions(self) -> tuple[tuple[Variable, int], tuple[Variable, int]]:
        """The regions of source and destination: of which variable, and from which element."""
        return (
            (self.source.variable, self.source.first - self.source_offset),
            (self.destination.variable, self.destination.first - self.destination_offset),
        )

    def part(self, start: int, count: int) -> "Move":
        """Return so many elements of it, from one on."""
        return Move(
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


@dataclass(frozen=True)
class Route:
    """How some moves are made: transfers, what the tiles copy after them, and staging buffers."""

    transfers: tuple[Transfer, ...]
    after: Phase
    staging: tuple[Variable, ...]


class Router:
    """Routes copies on one chip. `taken` are the names that its own variables may not have."""

    def __init__(self, config: ChipConfig, taken: set[str]) -> None:
        self._bus_bytes = config.tile.bus_bytes
        self._workers = config.tile.slots
        self._simd = config.tile.simd
        self._taken = set(taken)
        self._regions: dict[Variable, NDArray[np.int64]] = {}

    def regions(self, variable: Variable) -> NDArray[np.int64]:
        """Return `Variable.region_starts`, remembered."""
        if variable not in self._regions:
            self._regions[variable] = variable.region_starts()
        return self._regions[variable]

    def width(self, dtype: str) -> int:
        """Return how many elements a bus word has."""
        return self._bus_bytes // np.dtype(dtype).itemsize

    def variable(self, name: str, size: int, dtype: str) -> Variable:
        """Make a variable whose name nobody has."""
        unique, number = name, 1
        while unique in self._taken:
            number += 1
            unique = f"{name}.{number}"
        self._taken.add(unique)
        return Variable(unique, (size,), dtype)

    def moves(self, copy: Copy) -> list[Move]:
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
                Move(
                    Piece(from_, int(source[i]), count, int(from_tiles[i])),
                    Piece(to, int(destination[i]), count, int(to_tiles[i])),
                    int(from_offsets[i]),
                    int(to_offsets[i]),
                    last,
                )
            )
        return result

    def route(self, name: str, moves: list[Move], *, barrier: bool) -> Route:
        """Decide how each move of a superstep is made, which has a barrier or needn't have one."""
        sent: dict[Piece, list[Piece]] = defaultdict(list)
        staged: dict[tuple[int, str], list[Move]] = defaultdict(list)
        within: dict[int, list[Move]] = defaultdict(list)
        # A tile may listen to itself, which is faster than to copy, unless there is no barrier yet.
        barrier = barrier or not all(move.local for move in moves)
        for move in moves:
            width = self.width(move.source.variable.dtype)
            for part, aligned in _parts(move, width) if barrier else [(move, False)]:
                if aligned:
                    sent[part.source].append(part.destination)
                elif part.local:
                    within[part.destination.tile].append(part)
                else:
                    staged[part.destination.tile, part.source.variable.dtype].append(part)
        buffers = []
        for (tile, dtype), unaligned in staged.items():
            buffer, spans, copies = self._stage(f"{name}.staging@{tile}", unaligned, tile, dtype)
            buffers.append(buffer)
            for source, destination in spans:
                sent[source].append(destination)
            within[tile] += copies
        after = [vertex for listed in within.values() for vertex in self._within(name, listed)]
        transfers = [
            Transfer(source, destinations)
            for source, listed in sent.items()
            for destinations in _one_per_tile(listed)
        ]
        return Route(tuple(transfers), tuple(after), tuple(buffers))

    def _stage(
        self, name: str, moves: list[Move], tile: int, dtype: str
    ) -> tuple[Variable, list[tuple[Piece, Piece]], list[Move]]:
        """Stage unaligned moves to one tile: whole bus words first, then copies on the tile."""
        width = self.width(dtype)
        spans: list[_Span] = []
        placed: list[tuple[Move, int]] = []
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
        buffer = self.variable(name, size, dtype).map(tile)
        pairs = []
        for span in spans:
            source = Piece(span.variable, span.first, span.end - span.first, span.tile)
            pairs.append((source, Piece(buffer, span.place, source.count, tile)))
        copies = [
            replace(move, source=Piece(buffer, place, move.source.count, tile), source_offset=place)
            for move, place in placed
        ]
        return buffer, pairs, copies

    def _within(self, name: str, moves: list[Move]) -> list[Vertex]:
        """Return the vertices for moves within one tile: for nests of them where it pays."""
        found, rest, plain = self._nests(name, moves)
        share = sum(nest.issues for nest, _ in found) / self._workers
        result = []
        for nest, listed in found:
            wanted = round(nest.issues / max(share, _SPLIT_ISSUES))
            parts = list(nest.split(max(1, min(wanted, self._workers))))
            if max(part.issues for part in parts) + CALL_ISSUES > plain / self._workers:
                rest += listed  # by themselves, on all workers, they end earlier
            else:
                result += [self._vertex(name, part, listed[0]) for part in parts]
        return result + [vertex for move in rest for vertex in self._vertices(name, move)]

    def _nests(
        self, name: str, moves: list[Move]
    ) -> tuple[list[tuple[Nest, list[Move]]], list[Move], int]:
        """Find nests that take fewer issues than their moves do by themselves.

        Returns each with its moves, the other moves, and the issues that all moves take without.
        """
        groups: dict[tuple[tuple[Variable, int], ...], list[Move]] = defaultdict(list)
        for move in moves:
            groups[move.regions].append(move)
        found: list[tuple[Nest, list[Move]]] = []
        rest: list[Move] = []
        plain = 0
        for group in groups.values():
            group.sort(key=lambda move: move.destination_offset)
            source, destination, count = np.array(
                [(m.source_offset, m.destination_offset, m.source.count) for m in group]
            ).T
            issues = self._issues(name, group, source, destination, count)
            spent = np.append(0, np.cumsum(issues)).tolist()
            plain += spent[-1]
            done = 0
            for nest in find(source, destination, count, group[0].source.variable.item_bytes):
                if nest.issues + CALL_ISSUES < spent[nest.end] - spent[nest.first]:
                    rest += group[done : nest.first]
                    found.append((nest, group[nest.first : nest.end]))
                    done = nest.end
            rest += group[done:]
        return found, rest, plain

    def _issues(
        self, name: str, moves: list[Move], source: Ints, destination: Ints, count: Ints
    ) -> Ints:
        """Return the issues that moves, at those offsets of two regions, take by themselves."""
        lanes = STREAM_BYTES // moves[0].source.variable.item_bytes
        kinds = (count * lanes + source % lanes) * lanes + destination % lanes
        _, firsts, inverse = np.unique(kinds, return_index=True, return_inverse=True)
        issues = [
            sum(vertex.issues + CALL_ISSUES for vertex in self._vertices(name, moves[first]))
            for first in firsts.tolist()
        ]
        return np.array(issues)[inverse]

    @staticmethod
    def _vertex(name: str, nest: Nest, like: Move) -> Vertex:
        """Return the vertex for a nest between the regions of a move."""
        (one, from_), (other, to) = like.regions
        from_, to = from_ + nest.source, to + nest.destination
        fields = {
            "source": one.flat[from_ : from_ + nest.source_count],
            "destination": other.flat[to : to + nest.destination_count],
        }
        values = nest.scalars
        scalars = {item.name: item.convert(values[item.name]) for item in nest.codelet.scalars}
        label = f"{name}/{nest.codelet.name} to {fields['destination']!r}"
        return Vertex(nest.codelet, like.destination.tile, fields, scalars, label)

    def _vertices(self, name: str, move: Move) -> list[Vertex]:
        """Return the vertices that do a move within its tile, by streams where they can."""
        item_bytes = move.source.variable.item_bytes
        plain = copy_words if item_bytes == 4 else copy_halves
        lanes, count = STREAM_BYTES // item_bytes, move.source.count
        head = min(-move.source_offset % lanes, count)
        whole = (count - head) // lanes * lanes
        alike = move.source_offset % lanes == move.destination_offset % lanes
        if not self._simd or not alike or whole * item_bytes < _STREAM_BYTES:
            return self._shared(name, move, plain, 1)
        return [
            *self._shared(name, move.part(0, head), plain, 1),
            *self._shared(name, move.part(head, whole), _BY_STREAMS[item_bytes], lanes),
            *self._shared(name, move.part(head + whole, count - head - whole), plain, 1),
        ]

    def _shared(self, name: str, move: Move, codelet: Codelet, grain: int) -> list[Vertex]:
        """Return vertices that do a move, cut for the workers in whole grains."""
        count, item_bytes = move.source.count, move.source.variable.item_bytes
        if not count:
            return []
        least = _SPLIT_BYTES if grain == 1 else _STREAM_SPLIT_BYTES
        parts = max(1, min(self._workers, count * item_bytes // least))
        edges = [count // grain * i // parts * grain for i in range(parts)] + [count]
        result = []
        for start, end in pairwise(edges):
            piece = move.part(start, end - start)
            source, destination = (
                of.variable.flat[of.first : of.end] for of in (piece.source, piece.destination)
            )
            fields = dict(
                zip((v.name for v in codelet.vectors), (source, destination), strict=True)
            )
            label = f"{name}/{codelet.name} to {destination!r}"
            result.append(Vertex(codelet, piece.destination.tile, fields, {}, label))
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


def _parts(move: Move, width: int) -> list[tuple[Move, bool]]:
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
