"""A row of inputs times a matrix of f16, split over tiles; the matrix is read only once."""

from math import ceil

import numpy as np

from openipu.rtl.config import TileConfig
from openipu.sw.codelets.matvec import DTYPE, LANES, MATVEC, work_table
from openipu.sw.codelets.streams import words
from openipu.sw.ops import matrix
from openipu.sw.ops.builder import Builder, Index, Tensor, split


def computes(config: TileConfig, dtype: str) -> bool:
    """Tell whether the tile multiplies vectors of that type so."""
    return config.amp_outputs > 0 and config.simd and dtype == DTYPE


def shape(count: int, config: TileConfig) -> tuple[int, int]:
    """Return in how many parts to cut rows of `count` words, and the words of a part."""
    parts = 1
    while parts * config.amp_depth < count:
        parts *= 2
    return parts, max(1, ceil(count / parts))


def most_words(config: TileConfig) -> int:
    """Return the most words that a row may have."""
    return config.amp_depth * config.amp_outputs // 2


def multiply(builder: Builder, x: Tensor, w: Tensor, bias: Tensor, *, name: str) -> Tensor:
    """Return x (k) . w (k, n) + bias (n), of x's type; x and w are f16, the bias f32."""
    config, depth = builder.config.tile, w.shape[0]
    # What is longer than the matrix unit has room for is done one after another.
    pieces = split(words(depth, DTYPE), ceil(words(depth, DTYPE) / most_words(config)))
    for number, (first, end) in enumerate(pieces):
        last = number == len(pieces) - 1
        chosen = slice(first * LANES, min(end * LANES, depth))
        bias = _multiply(
            builder, x[chosen], w[chosen], bias, DTYPE if last else "float32",
            name=name if last else f"{name}/sums",
        )  # fmt: skip
    return bias


def _multiply(
    builder: Builder, x: Tensor, w: Tensor, bias: Tensor, dtype: str, *, name: str
) -> Tensor:
    config = builder.config.tile
    depth, columns = w.shape
    parts, groups = shape(words(depth, DTYPE), config)
    block = config.amp_outputs // parts  # rows of the matrix, which are w's columns
    taken = parts * groups * LANES
    shares = [
        (tile, (first * block, min(end * block, columns)))
        for tile, (first, end) in enumerate(split(ceil(columns / block), builder.tiles))
    ]
    positions = np.arange(w.size).reshape(w.shape).T
    rows: list[list[tuple[int, Index]]] = [[], []]
    biases, places = [], []
    for tile, (first, end) in shares:
        count = ceil((end - first) / max(block, LANES)) * max(block, LANES)
        each = matrix.padded(positions[first:end], count, taken)
        for odd in (0, 1):
            rows[odd].append((tile, each[odd::2].reshape(-1)))
        biases.append((tile, matrix.padded(np.arange(first, end), count)))
        places.append((tile, biases[-1][1]))
    vector = matrix.padded(np.arange(depth), taken)
    inputs = builder.arranged(name, x, [(tile, vector) for tile, _ in shares])
    evens = builder.arranged(f"{name}/even", w, rows[0])
    odds = builder.arranged(f"{name}/odd", w, rows[1])
    starts = builder.arranged(f"{name}/bias", bias, biases)
    result, outputs = builder.result(name, (columns,), dtype, places)
    compute_set = builder.compute_set(name)
    for (tile, _), *views, y in zip(shares, inputs, evens, odds, starts, outputs, strict=True):
        source, even, odd, start = views
        sums = builder.graph.variable(
            builder.unique(f"{name}/sums"), y.size, temporary=True
        ).map(tile)
        compute_set.add(
            MATVEC[dtype], tile, x=source, even=even, odd=odd, bias=start, sums=sums, y=y,
            work=work_table(y.size // block, parts, groups, config), parts=parts, groups=groups,
            outputs=config.amp_outputs,
        )  # fmt: skip
    return result
