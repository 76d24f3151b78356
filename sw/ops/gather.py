"""Selecting elements by where they are, and by how great they are."""

from math import prod
from typing import Any

import numpy as np

from openipu.sw.codelets.gather import GATHER, GATHER_WORDS
from openipu.sw.codelets.greatest import MOST_COLUMNS, TOP_K_STREAMED
from openipu.sw.codelets.streams import lanes, words
from openipu.sw.codelets.top_k import TOP_K
from openipu.sw.graph import STREAM_BYTES, View
from openipu.sw.ops.builder import Builder, OpError, Tensor, check_floats, dimension, split


def gather(builder: Builder, x: Tensor, index: Tensor, axis: int, *, name: str) -> Tensor:
    """Return x's elements whose position along `axis` is in `index`, whose shape replaces the axis.

    Positions are int32; a negative one counts from the end. For one that isn't there, the result
    has zeros; if it is a constant, it is an error. What constants choose is only another view. A
    table whose rows are long enough is split by columns: each tile has its part of all rows and
    gets all positions. Otherwise each tile gets the whole table and a part of the positions.
    """
    rank = len(x.shape)
    axis = dimension(name, axis, rank)
    if index.dtype != "int32":
        raise OpError(f"{name}: indices must be int32, not {index.dtype}")
    rows = x.shape[axis]
    if not isinstance(index.data, View):
        outside = (index.data < -rows) | (index.data >= rows)
        if outside.any():
            first = int(index.data[outside].reshape(-1)[0])
            raise OpError(f"{name}: indices must be from {-rows} to {rows - 1}, not {first}")
        return x[(slice(None),) * axis + (index.data,)]
    if x.dtype not in GATHER:
        raise OpError(f"{name}: the table must be {', '.join(GATHER)}, not {x.dtype}")
    order = [axis, *(a for a in range(rank) if a != axis)]
    columns = prod(x.shape[a] for a in order[1:])
    table = x.transpose(*order).reshape(rows, columns)
    lanes = STREAM_BYTES // np.dtype(x.dtype).itemsize
    by_columns = columns >= builder.tiles * lanes
    if by_columns:
        grain = lanes if columns % lanes == 0 else 1
        shares = [
            (tile, 0, index.size, a * grain, b * grain)
            for tile, (a, b) in enumerate(split(columns // grain, builder.tiles))
        ]
    else:
        shares = [
            (tile, a, b, 0, columns) for tile, (a, b) in enumerate(split(index.size, builder.tiles))
        ]
    tables = builder.local(
        name, [(tile, table[:, c:d]) for tile, _, _, c, d in shares], aligned=True
    )
    parts = [
        (tile, a + first, a + end, c, d, part)
        for (tile, a, b, c, d), part in zip(shares, tables, strict=True)
        for first, end in split(b - a, builder.workers)
    ]
    flat = index.reshape(-1)
    indices = builder.local(
        f"{name}/indices", [(tile, flat[a:b]) for tile, a, b, *_ in parts], aligned=True
    )
    positions = np.arange(index.size * columns).reshape(index.size, columns)
    result, outputs = builder.result(
        name, (*index.shape, *(x.shape[a] for a in order[1:])), x.dtype,
        [(tile, positions[a:b, c:d].reshape(-1)) for tile, a, b, c, d, _ in parts],
    )  # fmt: skip
    compute_set = builder.compute_set(name)
    for (tile, _, _, c, d, part), where, output in zip(parts, indices, outputs, strict=True):
        streamed = builder.config.tile.simd and (d - c) % lanes == 0
        codelet = (GATHER_WORDS if streamed else GATHER)[x.dtype]
        compute_set.add(codelet, tile, table=part, index=where, y=output, rows=rows, columns=d - c)
    # The index's dimensions go to where the axis was.
    back = [
        *range(index_rank := len(index.shape), index_rank + axis), *range(index_rank),
        *range(index_rank + axis, index_rank + rank - 1),
    ]  # fmt: skip
    return result.transpose(*back)


def top_k(
    builder: Builder, x: Tensor, k: int, axis: int, *, smallest: bool = False, name: str
) -> tuple[Tensor, Tensor]:
    """Return the k greatest (or least) elements along `axis`, in order, and where they are (int32).

    Of equal ones, zeros among them, the first; NaNs come last. A worker does whole rows, by the
    codelet that is estimated to be faster where elements are in random order.
    """
    rank = len(x.shape)
    check_floats(name, x)
    axis = dimension(name, axis, rank)
    columns = x.shape[axis]
    if not 1 <= k <= columns:
        raise OpError(f"{name}: k must be from 1 to the dimension's size {columns}, not {k}")
    order = [*(a for a in range(rank) if a != axis), axis]
    moved = x.transpose(*order)
    rows = moved.reshape(x.size // columns, columns)
    shares = builder.shares(rows.shape[0])
    inputs = builder.local(name, [(tile, rows[a:b]) for tile, a, b in shares])
    shape = (*moved.shape[:-1], k)
    blocks = [(tile, np.arange(a * k, b * k)) for tile, a, b in shares]
    values, tops = builder.result(name, shape, x.dtype, blocks)
    where, places = builder.result(f"{name}/indices", shape, "int32", blocks)
    scalars: dict[str, Any] = {"columns": columns, "k": k, "smallest": int(smallest)}
    # Scans of a long row for each of many take longer than inserting the few that are great.
    options = {TOP_K[x.dtype]: k}
    if builder.config.tile.simd and columns <= MOST_COLUMNS[x.dtype]:
        options[TOP_K_STREAMED[x.dtype]] = words(columns, x.dtype) * lanes(x.dtype)
    codelet = min(options, key=lambda each: each.cycles(x=columns, y=k, **scalars))
    kind = next(field.dtype for field in codelet.vectors if field.name == "keys")
    keys = builder.graph.variable(
        builder.unique(f"{name}/keys"), (len(shares), options[codelet]), kind, temporary=True
    )
    compute_set = builder.compute_set(name)
    for row, ((tile, _, _), source, top, place) in enumerate(
        zip(shares, inputs, tops, places, strict=True)
    ):
        scratch = keys[row].map(tile)
        compute_set.add(
            codelet, tile, x=source, y=top, index=place, keys=scratch, **scalars
        )
    back = np.argsort(order).tolist()
    return values.transpose(*back), where.transpose(*back)
