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
from openipu.sw.codelets.copy_words import copy_halves, copy_words
from openipu.sw.compiler.steps import Phase, Piece, Transfer
from openipu.sw.graph import Variable, Vertex
from openipu.sw.program import Copy

_SPLIT_BYTES = 128  #: a copy within a tile goes to several workers in parts of at least this
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
        after: list[Vertex] = []
        # A tile may listen to itself, which is faster than to copy, unless there is no barrier yet.
        barrier = barrier or not all(move.local for move in moves)
        for move in moves:
            width = self.width(move.source.variable.dtype)
            for part, aligned in _parts(move, width) if barrier else [(move, False)]:
                if aligned:
                    sent[part.source].append(part.destination)
                elif part.local:
                    after += self._vertices(name, part)
                else:
                    staged[part.destination.tile, part.source.variable.dtype].append(part)
        buffers = []
        for (tile, dtype), unaligned in staged.items():
            buffer, spans, copies = self._stage(f"{name}.staging@{tile}", unaligned, tile, dtype)
            buffers.append(buffer)
            for source, destination in spans:
                sent[source].append(destination)
            after += [vertex for move in copies for vertex in self._vertices(name, move)]
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
            replace(move, source=Piece(buffer, place, move.source.count, tile))
            for move, place in placed
        ]
        return buffer, pairs, copies

    def _vertices(self, name: str, move: Move) -> list[Vertex]:
        """Return the vertices that do a move within its tile."""
        count, item_bytes = move.source.count, move.source.variable.item_bytes
        parts = max(1, min(self._workers, count * item_bytes // _SPLIT_BYTES))
        codelet = copy_words if item_bytes == 4 else copy_halves
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
            label = f"{name}/{codelet.name} to {fields['destination']!r}"
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
