"""Nests: regular patterns among moves within a tile, each of which one vertex copies."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise, permutations

import numpy as np
from numpy.typing import NDArray

from openipu.sw.codelets.codelet import Codelet
from openipu.sw.codelets.copy_nest import (
    copy_nest_halves,
    copy_nest_pairs,
    copy_nest_words,
    scalars,
)

Ints = NDArray[np.int64]

Loop = tuple[int, int, int]
"""How often, and by how much the place in source and destination moves each time."""

_LOOPS = 3  #: as many as the codelets have

_LEAST = 3  #: moves of a nest; any two are at a constant distance

_CODELETS = {(4, 1): copy_nest_words, (2, 1): copy_nest_halves, (2, 2): copy_nest_pairs}
"""By the bytes of an element, and how many are copied at a time."""


@dataclass(frozen=True)
class Nest:
    """What the moves from `first` to `end` - 1 copy, as loops, the innermost first.

    `source` and `destination` are the first elements; loops count in units of `each` elements.
    """

    first: int
    end: int
    source: int
    destination: int
    loops: tuple[Loop, ...]
    item_bytes: int
    each: int

    @property
    def codelet(self) -> Codelet:
        """What copies it."""
        return _CODELETS[self.item_bytes, self.each]

    @property
    def scalars(self) -> dict[str, int]:
        """The scalars of its vertex."""
        counts, source, destination = zip(*self.loops, strict=True)
        return scalars(counts, source, destination, self.item_bytes * self.each)

    @property
    def issues(self) -> int:
        """The estimated cost in issues."""
        return _issues(self.loops, self.item_bytes, self.each)

    @property
    def source_count(self) -> int:
        """Elements of the source from its first one to its last one."""
        return self.each * (1 + sum((count - 1) * step for count, step, _ in self.loops))

    @property
    def destination_count(self) -> int:
        """The same of the destination."""
        return self.each * (1 + sum((count - 1) * step for count, _, step in self.loops))

    def split(self, parts: int) -> Iterator["Nest"]:
        """Cut it into so many parts, or as many as its longest loop has iterations."""
        longest = max(range(len(self.loops)), key=lambda i: (self.loops[i][0], i))
        count, source, destination = self.loops[longest]
        parts = min(parts, count)
        for start, end in pairwise([count * part // parts for part in range(parts + 1)]):
            loops = (*self.loops[:longest], (end - start, source, destination),
                     *self.loops[longest + 1 :])  # fmt: skip
            yield replace(
                self, loops=loops, source=self.source + start * source * self.each,
                destination=self.destination + start * destination * self.each,
            )  # fmt: skip


def find(source: Ints, destination: Ints, count: Ints, item_bytes: int) -> list[Nest]:
    """Return the nests of three moves or more, in order; no move is in two of them.

    Move i copies `count[i]` elements from offset `source[i]` of a region to `destination[i]` of
    another; there is one at least. The destinations must ascend.
    """
    firsts, shapes = np.arange(source.size), count[:, None]
    for number in range(_LOOPS):
        alike = (shapes[1:] == shapes[:-1]).all(axis=1)
        if number == _LOOPS - 1:  # a run of elements takes a loop, too
            alike &= count[firsts[1:]] == 1
        steps = np.stack((np.diff(source[firsts]), np.diff(destination[firsts])), axis=1)
        starts, lengths = _stretches(steps, alike & (steps[:, 0] >= 0))
        step = np.append(steps, [[0, 0]], axis=0)[starts]
        shapes = np.column_stack((shapes[starts], lengths, step * (lengths > 1)[:, None]))
        firsts = firsts[starts]
    ends = np.append(firsts[1:], source.size)
    several = ends - firsts >= _LEAST
    return [
        _nest(first, end, int(source[first]), int(destination[first]), shape, item_bytes)
        for first, end, shape in zip(
            firsts[several].tolist(), ends[several].tolist(), shapes[several].tolist(), strict=True
        )
    ]


def _nest(
    first: int, end: int, source: int, destination: int, shape: list[int], item_bytes: int
) -> Nest:
    loops = [(shape[0], 1, 1), *zip(shape[1::3], shape[2::3], shape[3::3], strict=True)]
    each = 1
    places = (source, destination, shape[0], *(step for loop in loops[1:] for step in loop[1:]))
    if item_bytes == 2 and not any(place % 2 for place in places):
        each = 2
        loops = [(shape[0] // 2, 1, 1), *((n, a // 2, b // 2) for n, a, b in loops[1:])]
    chosen = _ordered(tuple(loop for loop in loops if loop[0] > 1), item_bytes, each)
    return Nest(first, end, source, destination, chosen, item_bytes, each)


@cache
def _ordered(loops: tuple[Loop, ...], item_bytes: int, each: int) -> tuple[Loop, ...]:
    """Return loops in the order that takes the fewest issues."""
    return min(permutations(loops), key=lambda chosen: _issues(chosen, item_bytes, each))


@cache
def _issues(loops: tuple[Loop, ...], item_bytes: int, each: int) -> int:
    counts, source, destination = zip(*loops, strict=True)
    values = scalars(counts, source, destination, item_bytes * each)
    return _CODELETS[item_bytes, each].issues({"source": 0, "destination": 0}, values)


def _stretches(steps: Ints, alike: NDArray[np.bool_]) -> tuple[Ints, Ints]:
    """Cut items into stretches of one step; return where each begins and how many it has.

    `steps` are those from each item to the next, `alike` tells whether the two can be together.
    """
    items = np.arange(alike.size + 1)
    last = np.ones(items.size, np.bool_)  # that the stretch from an item before ends with
    last[1:-1] = (steps[1:] != steps[:-1]).any(axis=1) | ~alike[1:]
    stops = np.flatnonzero(last)
    next_ = stops[np.searchsorted(stops, items[:-1], side="right")]
    reach = np.append(np.where(alike, next_, items[:-1]), items[-1]).tolist()
    starts = []
    item = 0
    while item < len(reach):
        starts.append(item)
        end = reach[item]
        if end == item + 1 and reach[end] > end + 1:
            end = item  # the next one begins a longer stretch
        item = end + 1
    return np.array(starts), np.diff(np.append(starts, len(reach)))
