"""Matrix products, split over tiles by their estimated cost."""

from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from math import ceil, prod
from typing import Any

import numpy as np

from openipu.sw.codelets.matmul import MATMUL_NN, MATMUL_NT, issues
from openipu.sw.codelets.streams import lanes
from openipu.sw.graph import View
from openipu.sw.ops import matrix, matvec
from openipu.sw.ops.builder import Builder, Index, OpError, Tensor, check_floats, split
from openipu.sw.ops.elementwise import cast
from openipu.sw.ops.reduce import reduce

MEMORY_SHARE = 0.6  # of a tile's memory that the blocks of one product may take
_SUM_CYCLES, _SUM_CYCLES_PER_ELEMENT = 200, 8  # of adding up the parts of a split depth


@dataclass(frozen=True, kw_only=True)
class Plan:
    """How one matrix product is split: into `rows` x `columns` blocks, `depth` summands each."""

    rows: int
    columns: int
    depth: int
    cycles: int

    @property
    def blocks(self) -> int:
        """Blocks of the product."""
        return self.rows * self.columns * self.depth


@dataclass(frozen=True)
class _Block:
    """A tile's part of a product: of which of the batch, which rows, columns and summands."""

    tile: int
    batch: int
    part: int
    rows: tuple[int, int]
    columns: tuple[int, int]
    depth: tuple[int, int]


@lru_cache(maxsize=4096)
def _grid(rows: int, columns: int, depth: int, workers: int) -> tuple[int, int, int]:
    """Return how to split a tile's block over its workers: rows, columns, and the issues."""
    best = (1, 1, issues(rows, columns, depth))
    for r in range(1, workers + 1):
        for c in range(1, workers // r + 1):
            cost = issues(ceil(rows / r), ceil(columns / c), depth)
            if cost < best[2]:
                best = (r, c, cost)
    return best


def plan(
    builder: Builder, batch: int, m: int, k: int, n: int, dtype: str = "float32", *,
    unit: bool = False,
) -> Plan:  # fmt: skip
    """Return the cheapest split of `batch` products (m, k) . (k, n) that fits the tiles.

    The cost is that of the busiest tile: its workers' issues, each taking `slots` cycles, the words
    that it receives, and for a split depth the sum. Where nothing fits, the one with the smallest
    blocks is returned; the compiler then says what is too much. `unit` is for the matrix unit.
    """
    tiles, tile = builder.tiles, builder.config.tile
    limit = tile.memory_bytes * MEMORY_SHARE
    size = np.dtype(dtype).itemsize

    def tile_issues(rows: int, columns: int, depth: int) -> int:
        if not unit:
            return _grid(rows, columns, depth, tile.slots)[2]
        count = matrix.row_words(depth, dtype, tile)
        return matrix.issues(rows, matrix.columns_of(columns, tile), count, dtype, tile)

    candidates = []
    share = max(1, tiles // max(batch, 1))  # tiles for one product of the batch
    for p, q, s in product(parts_of(m, share), parts_of(n, share), parts_of(k, share)):
        if p * q * s > share:
            continue
        jobs = ceil(batch * p * q * s / tiles)
        rows, columns, depth = ceil(m / p), ceil(n / q), ceil(k / s)
        elements = jobs * (rows * depth + columns * depth + rows * columns)
        cost = jobs * tile_issues(rows, columns, depth) * tile.slots
        cost += ceil(jobs * rows * depth * size / tile.bus_bytes)
        if s > 1:
            cost += _SUM_CYCLES + ceil(m * n / tiles) * s * _SUM_CYCLES_PER_ELEMENT
        excess = elements if elements * size > limit else 0
        candidates.append((excess, cost, p, q, s))
    _, cost, p, q, s = min(candidates)
    return Plan(rows=p, columns=q, depth=s, cycles=cost)


def parts_of(size: int, most: int) -> list[int]:
    """Return in how many parts to cut: the least for every size of the largest part."""
    counts = range(1, min(max(size, 1), most) + 1)
    return list({ceil(size / parts): parts for parts in reversed(counts)}.values())


def matmul(
    builder: Builder, x: Tensor, w: Tensor, bias: Tensor | None = None, *, name: str
) -> Tensor:
    """Return x (..., m, k) . w (..., k, n), plus bias (n).

    One-dimensional operands and batches broadcast as in NumPy.
    """
    check_floats(name, x, w, *([bias] if bias else []))
    if not x.shape or not w.shape:
        raise OpError(f"{name}: operands must have dimensions, not {x.shape} and {w.shape}")
    left = x.reshape(1, -1) if len(x.shape) == 1 else x
    right = w.reshape(-1, 1) if len(w.shape) == 1 else w
    (m, k), (k2, n) = left.shape[-2:], right.shape[-2:]
    try:
        outer = np.broadcast_shapes(left.shape[:-2], right.shape[:-2])
    except ValueError:
        outer = None
    if k != k2 or outer is None:
        raise OpError(f"{name}: shapes must fit a matrix product, not {x.shape} and {w.shape}")
    if bias is not None and bias.shape != (n,):
        raise OpError(f"{name}: the bias must have shape ({n},), not {bias.shape}")
    if len(right.shape) == 2 and len(left.shape) > 2:  # one product of many rows
        left, outer, m = left.reshape(-1, k), (), prod(left.shape[:-1])
        shape: tuple[int, ...] = (*x.shape[:-1], n)
    else:
        shape = (*outer, m, n)
    batch = prod(outer)
    left = left.broadcast_to(*outer, m, k).reshape(batch, m, k)
    right = right.broadcast_to(*outer, k, n).reshape(batch, k, n)
    start = cast(builder, bias or Tensor("zeros", np.zeros(n, np.float32)), "float32", name=name)
    config = builder.config.tile
    if (batch, m) == (1, 1) and k and n and matvec.computes(config, x.dtype):
        result = matvec.multiply(builder, left.reshape(k), right.reshape(k, n), start, name=name)
        result = result.reshape(1, 1, n)
    elif matrix.computes(config, x.dtype):
        result = _on_matrix_unit(builder, left, right, start, name=name)
    else:
        wide = [cast(builder, each, "float32", name=f"{name}/float32") for each in (left, right)]
        result = _on_workers(builder, wide[0], wide[1], start, name=name)
    result = cast(builder, result, x.dtype, name=name)
    if len(x.shape) == 1:
        shape = (*shape[:-2], n)
    if len(w.shape) == 1:
        shape = shape[:-1]
    return result.reshape(*shape)


def _blocks(builder: Builder, chosen: Plan, batch: int, m: int, k: int, n: int) -> list[_Block]:
    """Return the blocks of a plan, one tile after another, the parts of the depth together."""
    depths = list(enumerate(split(k, chosen.depth) or [(0, 0)]))
    return [
        _Block(i % builder.tiles, b, part, rows, columns, depth)
        for i, (b, rows, columns, (part, depth)) in enumerate(
            product(range(batch), split(m, chosen.rows), split(n, chosen.columns), depths)
        )
    ]


def _sum(builder: Builder, parts: Tensor, *, name: str) -> Tensor:
    """Return the sum of the parts of the depth (parts, batch, m, n)."""
    if parts.shape[0] == 1:
        return parts[0]
    return reduce(builder, "reduce_sum", parts, (0,), keep=False, name=name)


def _on_matrix_unit(builder: Builder, x: Tensor, w: Tensor, bias: Tensor, *, name: str) -> Tensor:
    """Return x (batch, m, k) . w (batch, k, n) + bias: of x's type, or float32."""
    config = builder.config.tile
    (batch, m, k), n, dtype = x.shape, w.shape[2], x.dtype
    chosen = plan(builder, batch, m, k, n, dtype, unit=True)
    blocks = _blocks(builder, chosen, batch, m, k, n)
    parts = 1 + max((block.part for block in blocks), default=0)
    depth = max((block.depth[1] - block.depth[0] for block in blocks), default=0)
    count = matrix.row_words(depth, dtype, config)

    x_positions = np.arange(x.size).reshape(x.shape)
    inputs = matrix.matrix_rows(
        builder, name, x,
        [(b.tile, x_positions[b.batch, slice(*b.rows), slice(*b.depth)]) for b in blocks], count,
    )  # fmt: skip
    # Tiles that compute with the same weights more than once have them once.
    needed: dict[tuple[int, int, int, tuple[int, int]], matrix.Weights] = {}
    w_positions = np.arange(w.size).reshape(w.shape)
    places: list[tuple[int, Index]] = []
    positions = np.arange(parts * batch * m * n).reshape(parts, batch, m, n)
    for b in blocks:
        width = matrix.columns_of(b.columns[1] - b.columns[0], config)
        key = (b.tile, b.batch, b.part, b.columns)
        if key not in needed:
            needed[key] = matrix.Weights(
                b.tile,
                matrix.padded(w_positions[b.batch, slice(*b.depth), slice(*b.columns)],
                              count * lanes(dtype), width).reshape(count, lanes(dtype), width),
                matrix.padded(np.arange(*b.columns), width) if b.part == 0
                else np.full(width, -1),
            )  # fmt: skip
        rows = positions[b.part, b.batch, slice(*b.rows), slice(*b.columns)]
        places.append((b.tile, matrix.padded(rows, len(rows), width)))
    segments = matrix.segments_of(count, count, config)
    weights = matrix.packed(builder, name, w, bias, list(needed.values()), segments)
    numbers = {key: number for number, key in enumerate(needed)}
    label = name if parts == 1 else f"{name}/parts"
    kind = dtype if parts == 1 else "float32"
    result, outputs = builder.result(label, positions.shape, kind, places)
    matrix.multiply(
        builder,
        builder.compute_set(name),
        [
            matrix.Job(b.tile, view, [(0, b.rows[1] - b.rows[0])],
                       numbers[b.tile, b.batch, b.part, b.columns], output)
            for b, view, output in zip(blocks, inputs, outputs, strict=True)
        ],
        segments,
        weights,
    )  # fmt: skip
    return _sum(builder, result, name=name)


def _on_workers(builder: Builder, x: Tensor, w: Tensor, bias: Tensor, *, name: str) -> Tensor:
    """Return x (batch, m, k) . w (batch, k, n) + bias in float32, each worker its part."""
    (batch, m, k), n = x.shape, w.shape[2]
    blocks = _blocks(builder, plan(builder, batch, m, k, n), batch, m, k, n)
    parts = 1 + max((block.part for block in blocks), default=0)
    lefts = builder.local(
        name, [(b.tile, x[b.batch, slice(*b.rows), slice(*b.depth)]) for b in blocks]
    )
    pieces = [w[b.batch, slice(*b.depth), slice(*b.columns)] for b in blocks]
    transposed = sum(p.transpose().runs for p in pieces) <= sum(p.runs for p in pieces)
    rights = builder.local(
        name,
        [(b.tile, p.transpose() if transposed else p) for b, p in zip(blocks, pieces, strict=True)],
    )
    # The first part of the depth starts from the bias, the others from 0.
    zeros = Tensor("zeros", np.zeros(n, np.float32))
    starts: dict[int, View] = {}
    for start, is_first in ((bias, True), (zeros, False)):
        numbers = [i for i, b in enumerate(blocks) if (b.part == 0) == is_first]
        wanted = [(blocks[i].tile, start[slice(*blocks[i].columns)]) for i in numbers]
        starts.update(zip(numbers, builder.local(name, wanted), strict=True))

    vertices: list[tuple[int, tuple[int, int], tuple[int, int]]] = []
    places: list[tuple[int, Index]] = []
    positions = np.arange(parts * batch * m * n).reshape(parts, batch, m, n)
    for i, block in enumerate(blocks):
        (r0, r1), (c0, c1) = block.rows, block.columns
        split_rows, split_columns, _ = _grid(
            r1 - r0, c1 - c0, block.depth[1] - block.depth[0], builder.workers
        )
        for r, c in product(split(r1 - r0, split_rows), split(c1 - c0, split_columns)):
            vertices.append((i, r, c))
            where = positions[block.part, block.batch]
            places.append((block.tile, where[r0 + r[0] : r0 + r[1], c0 + c[0] : c0 + c[1]]))
    label = name if parts == 1 else f"{name}/parts"
    result, outputs = builder.result(label, positions.shape, "float32", places)
    compute_set = builder.compute_set(name)
    for (i, (r0, r1), (c0, c1)), output in zip(vertices, outputs, strict=True):
        block = blocks[i]
        depth = block.depth[1] - block.depth[0]
        width = block.columns[1] - block.columns[0]
        common: dict[str, Any] = {
            "x": lefts[i][r0 * depth : r1 * depth], "bias": starts[i][c0:c1], "y": output,
            "rows": r1 - r0, "depth": depth,
        }  # fmt: skip
        if transposed:
            compute_set.add(
                MATMUL_NT, block.tile, w=rights[i][c0 * depth : c1 * depth], **common
            )
        else:
            last = max((depth - 1) * width + c1, c0)
            compute_set.add(MATMUL_NN, block.tile, w=rights[i][c0:last], step=width, **common)
    return _sum(builder, result, name=name)
