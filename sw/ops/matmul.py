"""Matrix products, split over tiles and workers by their estimated cost."""

from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from math import ceil, prod
from typing import Any

import numpy as np

from openipu.sw.codelets.matmul import MATMUL_NN, MATMUL_NT, issues
from openipu.sw.graph import View
from openipu.sw.ops.builder import Builder, Index, OpError, Tensor, split
from openipu.sw.ops.elementwise import cast
from openipu.sw.ops.reduce import reduce

_SHARE = 0.6  # of a tile's memory that the blocks of one product may take
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


def plan(builder: Builder, batch: int, m: int, k: int, n: int) -> Plan:
    """Return the cheapest split of `batch` products (m, k) . (k, n) that fits the tiles.

    The cost is that of the busiest tile: its workers' issues, each taking `slots` cycles, the words
    that it receives, and for a split depth the sum. Where nothing fits, the one with the smallest
    blocks is returned; the compiler then says what is too much.
    """
    tiles, tile = builder.tiles, builder.config.tile
    limit = tile.memory_bytes * _SHARE
    candidates = []
    share = max(1, tiles // max(batch, 1))  # tiles for one product of the batch
    for p, q, s in product(_parts(m, share), _parts(n, share), _parts(k, share)):
        if p * q * s > share:
            continue
        jobs = ceil(batch * p * q * s / tiles)
        rows, columns, depth = ceil(m / p), ceil(n / q), ceil(k / s)
        words = jobs * (rows * depth + columns * depth + rows * columns)
        cost = jobs * _grid(rows, columns, depth, tile.slots)[2] * tile.slots
        cost += ceil(jobs * rows * depth * 4 / tile.bus_bytes)
        if s > 1:
            cost += _SUM_CYCLES + ceil(m * n / tiles) * s * _SUM_CYCLES_PER_ELEMENT
        excess = words if words * 4 > limit else 0
        candidates.append((excess, cost, p, q, s))
    _, cost, p, q, s = min(candidates)
    return Plan(rows=p, columns=q, depth=s, cycles=cost)


def _parts(size: int, most: int) -> list[int]:
    """Return in how many parts to cut: the least for every size of the largest part."""
    counts = range(1, min(max(size, 1), most) + 1)
    return list({ceil(size / parts): parts for parts in reversed(counts)}.values())


def matmul(
    builder: Builder, x: Tensor, w: Tensor, bias: Tensor | None = None, *, name: str
) -> Tensor:
    """Return x (..., m, k) . w (..., k, n), plus bias (n).

    One-dimensional operands and batches broadcast as in NumPy.
    """
    if x.dtype == w.dtype == "float16":
        wide = [
            operand and cast(builder, operand, "float32", name=f"{name}/float32")
            for operand in (x, w, bias)
        ]
        assert wide[0] and wide[1]
        result = matmul(builder, wide[0], wide[1], wide[2], name=f"{name}/float32")
        return cast(builder, result, "float16", name=name)
    for operand in (x, w, *([bias] if bias else [])):
        if operand.dtype != "float32":
            raise OpError(f"{name}: operands must be float32 or float16, not {operand.dtype}")
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
    result = _products(builder, left, right, bias, name=name)
    if len(x.shape) == 1:
        shape = (*shape[:-2], n)
    if len(w.shape) == 1:
        shape = shape[:-1]
    return result.reshape(*shape)


def _products(
    builder: Builder, x: Tensor, w: Tensor, bias: Tensor | None, *, name: str
) -> Tensor:
    """Return x (batch, m, k) . w (batch, k, n) + bias."""
    (batch, m, k), n = x.shape, w.shape[2]
    chosen = plan(builder, batch, m, k, n)
    depths = split(k, chosen.depth) or [(0, 0)]
    blocks = [
        (i % builder.tiles, b, s, rows, columns)
        for i, (b, rows, columns, s) in enumerate(
            product(range(batch), split(m, chosen.rows), split(n, chosen.columns),
                    range(len(depths)))
        )
    ]  # fmt: skip
    lefts = builder.local(
        name, [(t, x[b, r[0] : r[1], slice(*depths[s])]) for t, b, s, r, _ in blocks]
    )
    pieces = [w[b, slice(*depths[s]), c[0] : c[1]] for _, b, s, _, c in blocks]
    transposed = sum(p.transpose().runs for p in pieces) <= sum(p.runs for p in pieces)
    rights = builder.local(
        name,
        [(blocks[i][0], p.transpose() if transposed else p) for i, p in enumerate(pieces)],
    )
    # The first part of the depth starts from the bias, the others from 0.
    zeros = Tensor("zeros", np.zeros(n, np.float32))
    starts: dict[int, View] = {}
    for start, is_first in ((bias or zeros, True), (zeros, False)):
        numbers = [i for i, (_, _, s, _, _) in enumerate(blocks) if (s == 0) == is_first]
        parts = [(blocks[i][0], start[slice(*blocks[i][4])]) for i in numbers]
        starts.update(zip(numbers, builder.local(name, parts), strict=True))

    vertices: list[tuple[int, int, tuple[int, int], tuple[int, int]]] = []
    places: list[tuple[int, Index]] = []
    positions = np.arange(len(depths) * batch * m * n).reshape(len(depths), batch, m, n)
    for i, (tile, b, s, (r0, r1), (c0, c1)) in enumerate(blocks):
        split_rows, split_columns, _ = _grid(
            r1 - r0, c1 - c0, depths[s][1] - depths[s][0], builder.workers
        )
        for r, c in product(split(r1 - r0, split_rows), split(c1 - c0, split_columns)):
            vertices.append((i, tile, r, c))
            places.append((tile, positions[s, b, r0 + r[0] : r0 + r[1], c0 + c[0] : c0 + c[1]]))
    shape = (len(depths), batch, m, n)
    label = name if len(depths) == 1 else f"{name}/parts"
    result, outputs = builder.result(label, shape, "float32", places)
    compute_set = builder.compute_set(name)
    for (i, tile, (r0, r1), (c0, c1)), output in zip(vertices, outputs, strict=True):
        _, _, s, _, columns = blocks[i]
        depth = depths[s][1] - depths[s][0]
        width = columns[1] - columns[0]
        common: dict[str, Any] = {
            "x": lefts[i][r0 * depth : r1 * depth], "bias": starts[i][c0:c1], "y": output,
            "rows": r1 - r0, "depth": depth,
        }  # fmt: skip
        if transposed:
            compute_set.add(MATMUL_NT, tile, w=rights[i][c0 * depth : c1 * depth], **common)
        else:
            last = max((depth - 1) * width + c1, c0)
            compute_set.add(MATMUL_NN, tile, w=rights[i][c0:last], step=width, **common)
    if len(depths) == 1:
        return result[0]
    return reduce(builder, "reduce_sum", result, (0,), keep=False, name=name)
