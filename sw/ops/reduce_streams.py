"""Sums and extremes by streams, where dtype, shape and place allow it."""

from itertools import groupby
from typing import Any

import numpy as np

from openipu.sw.codelets.reduce_streams import COLUMNS, ROWS, SUM_HALVES, fits_columns
from openipu.sw.codelets.streams import lanes
from openipu.sw.ops import rows
from openipu.sw.ops.builder import Builder, Index, Tensor, split
from openipu.sw.ops.elementwise import blocks_of, cast

_WORTH = 64  # words of a row from which it is worth while to cut it in parts,
_LEAST = 16  # of at least so many words
_HALVES_WORDS = 256  # of a tile from which two words at a time are worth aligning them


def reduce(
    builder: Builder, function: str, items: Tensor, dtype: str, *, factor: float, name: str
) -> Tensor | None:
    """Return each row of items (results, count), reduced, as `dtype`; None if streams can't.

    `function` is sum, max or min; a sum is multiplied by `factor`.
    """
    results, count = items.shape
    if not builder.config.tile.simd or not items.size or (function, items.dtype, dtype) not in ROWS:
        return None
    each = lanes(items.dtype)
    words = -(-count // each)
    by_row = _runs(items, builder.tiles) <= _runs(items.transpose(), builder.tiles)
    vertices = builder.tiles * builder.workers
    fitting = count % each == 0
    if (by_row or results == 1) and (fitting or results == 1):
        parts = min(vertices // results, words // _LEAST) if words >= _WORTH else 1
        if parts > 1:
            return _parts_of_rows(builder, function, items, dtype, parts, factor, name)
        codelet = ROWS[function, items.dtype, dtype]
        result = rows.apply(builder, codelet, items, 1, name=name, **_factor(function, factor))
        return result.reshape(results)
    if results % each or not fits_columns(items.dtype, count, results):
        return None
    return _columns(builder, function, items, dtype, factor, name)


def _runs(items: Tensor, tiles: int) -> int:
    return sum(items[a:b].runs for a, b in split(items.shape[0], tiles))


def _factor(function: str, factor: float) -> dict[str, Any]:
    return {"factor": factor} if function == "sum" else {}


def _parts_of_rows(
    builder: Builder, function: str, items: Tensor, dtype: str, parts: int, factor: float,
    name: str,
) -> Tensor:  # fmt: skip
    """Reduce parts of rows, then the parts."""
    results, count = items.shape
    each = lanes(items.dtype)
    flat = items.reshape(-1)
    if results == 1:
        pieces = blocks_of(builder, items, 1, each)
    else:
        ranges = [(a * each, b * each) for a, b in split(-(-count // each), parts)]
        listed = [
            np.arange(row * count + a, row * count + min(b, count))
            for row in range(results)
            for a, b in ranges
        ]
        pieces = [
            (tile, piece)
            for tile, (a, b) in enumerate(split(len(listed), builder.tiles))
            for piece in listed[a:b]
        ]
    between = "float32" if function == "sum" else items.dtype
    halved: list[tuple[int, Index, Index]] = []
    if results == 1 and (function, items.dtype) == ("sum", "float16"):
        halved, pieces = _halves(builder, pieces)
    label = f"{name}/parts"
    tiles = [*(tile for tile, _, _ in halved), *(tile for tile, _ in pieces)]
    partial, outputs = builder.result(
        label, (len(tiles),), between, [(tile, np.array([i])) for i, tile in enumerate(tiles)]
    )
    inputs = builder.local(
        label,
        [
            *((tile, flat[half]) for tile, *both in halved for half in both),
            *((tile, flat[positions]) for tile, positions in pieces),
        ],
        aligned=True,
    )
    compute_set = builder.compute_set(label)
    for i, (tile, _, _) in enumerate(halved):
        compute_set.add(
            SUM_HALVES, tile, x=inputs[2 * i], other=inputs[2 * i + 1], y=outputs[i]
        )
    for i, (tile, _) in enumerate(pieces):
        compute_set.add(
            ROWS[function, items.dtype, between], tile, x=inputs[2 * len(halved) + i],
            y=outputs[len(halved) + i], **_factor(function, 1),
        )  # fmt: skip
    parts = partial.size // results
    by_result = partial.reshape(results, parts)
    whole = builder.local(
        name,
        [
            (tile, by_result[row])
            for tile, (a, b) in enumerate(split(results, builder.tiles))
            for row in range(a, b)
        ],
        aligned=True,
    )
    homes = [
        tile for tile, (a, b) in enumerate(split(results, builder.tiles)) for _ in range(a, b)
    ]
    result, outputs = builder.result(
        name, (results,), dtype, [(tile, np.array([row])) for row, tile in enumerate(homes)]
    )
    compute_set = builder.compute_set(name)
    for tile, source, output in zip(homes, whole, outputs, strict=True):
        compute_set.add(
            ROWS[function, between, dtype], tile, x=source, y=output, **_factor(function, factor)
        )
    return result


def _halves(
    builder: Builder, pieces: list[tuple[int, Index]]
) -> tuple[list[tuple[int, Index, Index]], list[tuple[int, Index]]]:
    """Return for each tile that has much two positions to add up at the same time, and the rest."""
    if not builder.config.tile.amp_outputs:
        return [], pieces
    each = lanes("float16")
    halved: list[tuple[int, Index, Index]] = []
    rest = []
    for tile, group in groupby(pieces, key=lambda piece: piece[0]):
        own = list(group)
        positions = np.concatenate([piece for _, piece in own])
        half = positions.size // (2 * each) * each
        if positions.size < _HALVES_WORDS * each:
            rest += own
            continue
        halved += [
            (tile, positions[a:b], positions[half + a : half + b])
            for a, b in builder.spread(half, each)
        ]
        if positions.size > 2 * half:
            rest.append((tile, positions[2 * half :]))
    return halved, rest


def _columns(
    builder: Builder, function: str, items: Tensor, dtype: str, factor: float, name: str
) -> Tensor:
    """Reduce columns of the transposed items, words of them by a vertex, maybe in parts first."""
    results, count = items.shape
    each = lanes(items.dtype)
    words, vertices = results // each, builder.tiles * builder.workers
    matrix = items.transpose()
    parts = min(max(vertices // words, 1), count // _LEAST, vertices)
    if parts > 1 and count >= _WORTH:
        between = "float32" if function == "sum" else items.dtype
        pieces = [
            (a, b, c * each, d * each)
            for a, b in split(count, parts)
            for c, d in split(words, max(vertices // parts, 1))
        ]
        label = f"{name}/parts"
        partial = _of_columns(builder, function, matrix, between, pieces, 1, label, parts)
        of_parts = partial.reshape(parts, results).transpose()
        whole = reduce(builder, function, of_parts, dtype, factor=factor, name=name)
        if whole is not None:
            return whole
    # What f32 columns can't be stored as is cast.
    stored = dtype if (function, items.dtype, dtype) in COLUMNS else "float32"
    pieces = [(0, count, c * each, d * each) for c, d in split(words, vertices)]
    label = name if stored == dtype else f"{name}/{stored}"
    result = _of_columns(builder, function, matrix, stored, pieces, factor, label, 1)
    return cast(builder, result.reshape(results), dtype, name=name)


def _of_columns(
    builder: Builder, function: str, matrix: Tensor, dtype: str,
    pieces: list[tuple[int, int, int, int]], factor: float, name: str, parts: int,
) -> Tensor:  # fmt: skip
    """Reduce blocks (first row, end, first column, end) of a matrix; return (parts, columns).

    Blocks are in order; a tile gets those that follow each other, at most one a worker.
    """
    columns = matrix.shape[1]
    shares = [
        (tile, piece)
        for tile, (a, b) in enumerate(split(len(pieces), builder.tiles))
        for piece in pieces[a:b]
    ]
    # All of a tile's columns of a part are brought as one.
    wide: dict[tuple[int, int], tuple[int, int, int]] = {}
    for tile, (a, b, c, d) in shares:
        first, _, _ = wide.get((tile, a), (c, 0, 0))
        wide[tile, a] = first, d, b
    inputs = dict(
        zip(
            wide,
            builder.local(
                name,
                [(tile, matrix[a:b, c:d]) for (tile, a), (c, d, b) in wide.items()],
                aligned=True,
            ),
            strict=True,
        )
    )
    firsts = {first: number for number, first in enumerate(sorted({a for a, *_ in pieces}))}
    result, outputs = builder.result(
        name, (parts, columns), dtype,
        [(tile, np.arange(c, d) + firsts[a] * columns) for tile, (a, _, c, d) in shares],
    )  # fmt: skip
    compute_set = builder.compute_set(name)
    for (tile, (a, b, c, d)), output in zip(shares, outputs, strict=True):
        start, end, _ = wide[tile, a]
        stride = end - start
        view = inputs[tile, a][c - start : (b - a - 1) * stride + d - start]
        compute_set.add(
            COLUMNS[function, matrix.dtype, dtype], tile, x=view, y=output, count=b - a,
            stride=stride, **_factor(function, factor),
        )  # fmt: skip
    return result
