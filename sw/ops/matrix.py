"""What is computed by the matrix unit: rows of inputs times weights, on some tiles.

The rows may be those of a matrix or windows of a picture; runs say where they are.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import ceil

import numpy as np

from openipu.rtl.config import TileConfig
from openipu.sw.codelets.matrix import (
    MATRIX,
    Segment,
    least_words,
    most_rows,
    pack,
    row_table,
    segment_table,
)
from openipu.sw.codelets.streams import WORD_BYTES, lanes, words
from openipu.sw.graph import ComputeSet, View
from openipu.sw.ops.builder import Builder, Index, Tensor, split

Run = tuple[int, int]
"""Offset in words of the first of rows that follow each other, and their number."""


@dataclass(frozen=True)
class Job:
    """What one tile computes at once: all of some rows' products with some columns of weights.

    Attributes
    ----------
    tile : int
    x : View
        The words that rows consist of.
    runs : sequence of Run
    weights : int
        Which of the weights.
    y : View
        (rows, columns), the columns in whole blocks.
    """

    tile: int
    x: View
    runs: Sequence[Run]
    weights: int
    y: View


@dataclass(frozen=True)
class Weights:
    """Weights on a tile: positions in a tensor (words, lanes, columns), -1 for 0, and biases."""

    tile: int
    positions: Index
    bias: Index


def computes(config: TileConfig, dtype: str) -> bool:
    """Tell whether the tile's matrix unit computes with that type."""
    return config.amp_outputs > 0 and config.amp_depth >= least_words(dtype, config)


def row_words(count: int, dtype: str, config: TileConfig) -> int:
    """Return the words of a row of `count` elements, with the zeros that it needs.

    Raises ValueError if the matrix unit is too small for that type (`computes`).
    """
    least = least_words(dtype, config)
    if not computes(config, dtype):
        raise ValueError(f"amp_depth must be {least} or more for {dtype}, not {config.amp_depth}")
    result = max(words(count, dtype), least)
    while min(end - first for first, end in cut(result, config)) < least:
        result += 1
    return result


def cut(count: int, config: TileConfig) -> list[tuple[int, int]]:
    """Return `count` words in ranges of as many as there are weights for at once."""
    return split(count, ceil(count / config.amp_depth))


def segments_of(count: int, distance: int, config: TileConfig) -> list[Segment]:
    """Return the segments of rows of `count` contiguous words, `distance` words apart."""
    return [Segment(first, end - first, distance) for first, end in cut(count, config)]


def columns_of(count: int, config: TileConfig) -> int:
    """Return columns in whole blocks."""
    return -(-count // config.amp_outputs) * config.amp_outputs


def padded(positions: Index, *shape: int) -> Index:
    """Return positions in a larger array, with -1 behind them in each dimension."""
    result = np.full(shape, -1, np.int64)
    result[tuple(slice(size) for size in positions.shape)] = positions
    return result


@lru_cache(maxsize=4096)
def issues(rows: int, columns: int, count: int, dtype: str, config: TileConfig) -> int:
    """Return the estimated issues for rows of `count` words on a tile, and whole columns."""
    segments = segment_table(segments_of(count, count, config), dtype, config)
    size = segments_bytes(segments, config)
    return MATRIX[dtype, "float32"].issues(
        {},
        {"blocks": columns // config.amp_outputs, "segments_bytes": size},
        {
            "rows": np.array(row_table(share([(0, rows)], 1, config)), np.uint32),
            "segments": np.array(segments, np.uint32),
        },
    )


def segments_bytes(table: Sequence[int], config: TileConfig) -> int:
    """Return the size of a worker's part of the table `segments`."""
    return 4 * len(table) // config.slots


def share(runs: Sequence[Run], distance: int, config: TileConfig) -> list[list[Run]]:
    """Return the runs of each worker, offsets in bytes: all get as many rows, `distance` apart.

    Where the last workers would have less to do, a worker stops before a run of which it would do
    only little.
    """
    stops = np.cumsum([rows for _, rows in runs]).tolist()
    total = stops[-1] if stops else 0
    most = ceil(total / config.slots)
    spare = most * config.slots - total
    ends = [0]
    for _ in range(config.slots):
        end = min(ends[-1] + most, total)
        stop = max((stop for stop in stops if ends[-1] < stop <= end), default=end)
        if end - stop <= spare:
            end, spare = stop, spare - (end - stop)
        ends.append(end)
    return [
        [(offset * WORD_BYTES, count) for offset, count in part]
        for part in _cut_runs(runs, distance, ends[1:])
    ]


def _cut_runs(runs: Sequence[Run], distance: int, ends: Sequence[int]) -> list[list[Run]]:
    """Return runs in parts, each up to one of `ends`, rows from the beginning; the last is all."""
    parts: list[list[Run]] = [[] for _ in ends]
    part = done = 0
    for offset, rows in runs:
        taken = 0
        while taken < rows:
            while done == ends[part]:
                part += 1
            count = min(rows - taken, ends[part] - done)
            parts[part].append((offset + taken * distance, count))
            taken, done = taken + count, done + count
    return parts


def multiply(
    builder: Builder, compute_set: ComputeSet, jobs: Sequence[Job], segments: Sequence[Segment],
    weights: Sequence[tuple[View, View, View]],
) -> None:  # fmt: skip
    """Add the vertices of jobs to a compute set; `weights` are from `packed`.

    All jobs are of the same types.
    """
    if not jobs:
        return
    config, distance = builder.config.tile, segments[0].row_distance
    codelet = MATRIX[jobs[0].x.dtype, jobs[0].y.dtype]
    table = segment_table(segments, jobs[0].x.dtype, config)
    most = most_rows(config) * config.slots
    for job in jobs:
        even, odd, bias = weights[job.weights]
        columns, outputs = bias.size, config.amp_outputs
        total = sum(count for _, count in job.runs)
        first = 0
        for runs in _cut_runs(job.runs, distance, [*range(most, total, most), total]):
            rows = sum(count for _, count in runs)
            sums = builder.graph.variable(
                builder.unique(f"{compute_set.name}/sums"),
                rows * outputs * (len(segments) > 1), temporary=True,
            ).map(job.tile)  # fmt: skip
            compute_set.add(
                codelet, job.tile, x=job.x, even=even, odd=odd, bias=bias, sums=sums,
                y=job.y.reshape(-1)[first * columns : (first + rows) * columns],
                rows=row_table(share(runs, distance, config)), segments=table,
                segments_bytes=segments_bytes(table, config), blocks=columns // outputs,
                dot=config.amp_dot,
            )  # fmt: skip
            first += rows


def packed(
    builder: Builder, label: str, w: Tensor, bias: Tensor, needed: Sequence[Weights],
    segments: Sequence[Segment],
) -> list[tuple[View, View, View]]:  # fmt: skip
    """Return even words, odd words and biases of weights, each where it is needed.

    `bias` is float32.
    """
    config = builder.config.tile
    groups = [segment.groups for segment in segments]
    evens, odds = [], []
    for each in needed:
        even, odd = pack(each.positions, config, groups)
        evens.append((each.tile, even))
        odds.append((each.tile, odd))
    return list(zip(
        builder.arranged(f"{label}/even", w, evens),
        builder.arranged(f"{label}/odd", w, odds),
        builder.arranged(f"{label}/bias", bias, [(each.tile, each.bias) for each in needed]),
        strict=True,
    ))  # fmt: skip


def matrix_rows(
    builder: Builder, label: str, x: Tensor, needed: Sequence[tuple[int, Index]], count: int
) -> list[View]:
    """Return rows of x, on their tiles; (tile, positions of the elements (rows, columns)).

    Each row has `count` words there, with zeros at its end where it is shorter.
    """
    width = count * lanes(x.dtype)
    rows = [(tile, padded(each, len(each), width).reshape(-1)) for tile, each in needed]
    return builder.arranged(label, x, rows)
