"""Softmax along a dimension."""

import numpy as np

from openipu.sw.codelets.softmax import SOFTMAX
from openipu.sw.ops.builder import Builder, OpError, Tensor, split
from openipu.sw.ops.elementwise import cast


def softmax(builder: Builder, x: Tensor, axis: int, *, name: str) -> Tensor:
    """Return e**x / sum(e**x) along `axis`, with the greatest subtracted first."""
    rank = len(x.shape)
    if x.dtype == "float16":
        wide = cast(builder, x, "float32", name=f"{name}/float32")
        result = softmax(builder, wide, axis, name=f"{name}/float32")
        return cast(builder, result, "float16", name=name)
    if x.dtype != "float32":
        raise OpError(f"{name}: the operand must be float32 or float16, not {x.dtype}")
    if not -rank <= axis < rank:
        raise OpError(f"{name}: axis must be from {-rank} to {rank - 1}, not {axis}")
    axes = [*(a for a in range(rank) if a != axis % rank), axis % rank]
    moved = x.transpose(*axes)
    columns = moved.shape[-1]
    rows = moved.reshape(x.size // columns, columns) if columns else moved.reshape(0, 1)
    shares = [
        (tile, first + a, first + b)
        for tile, (first, end) in enumerate(split(rows.shape[0], builder.tiles))
        for a, b in split(end - first, builder.workers)
    ]
    inputs = builder.local(name, [(tile, rows[a:b]) for tile, a, b in shares])
    result, outputs = builder.result(
        name, moved.shape, "float32",
        [(tile, np.arange(a * columns, b * columns)) for tile, a, b in shares],
    )  # fmt: skip
    compute_set = builder.compute_set(name)
    for (tile, _, _), source, output in zip(shares, inputs, outputs, strict=True):
        compute_set.add(SOFTMAX, tile, x=source, y=output, columns=columns)
    return result.transpose(*np.argsort(axes).tolist())
