"""Operations that only move elements, or only call them by another shape."""

from collections.abc import Sequence

import numpy as np

from openipu.sw.codelets.rearrange import TRANSPOSE
from openipu.sw.graph import View
from openipu.sw.ops.builder import Builder, OpError, Tensor, split

_WORTH_IT = 4  # mean length of contiguous runs from which copying alone is cheap


def reshape(x: Tensor, shape: Sequence[int], *, name: str) -> Tensor:
    """Return x in another shape; nothing moves. One size may be -1."""
    try:
        return x.reshape(*shape)
    except ValueError:
        raise OpError(f"{name}: {x.shape} can't be reshaped to {tuple(shape)}") from None


def transpose(builder: Builder, x: Tensor, axes: Sequence[int], *, name: str) -> Tensor:
    """Return x with its dimensions in another order.

    A matrix is transposed by the tiles; other orders are only noted, and whoever uses the result
    copies its elements one by one.
    """
    if sorted(axes) != list(range(len(x.shape))):
        raise OpError(
            f"{name}: perm must be an order of the {len(x.shape)} dimensions, not {list(axes)}"
        )
    matrix = len(x.shape) == 2 and list(axes) == [1, 0] and x.size and x.dtype in TRANSPOSE
    if not matrix or not isinstance(x.data, View):
        return x.transpose(*axes)
    if x.transpose().size >= _WORTH_IT * x.transpose().runs:
        return x.transpose()
    rows, columns = x.shape
    shares = list(enumerate(split(columns, builder.tiles)))
    inputs = builder.local(name, [(tile, x[:, a:b]) for tile, (a, b) in shares])
    parts = [
        (tile, first, end, a, b, source)
        for (tile, (first, end)), source in zip(shares, inputs, strict=True)
        for a, b in split(end - first, builder.workers)
    ]
    result, outputs = builder.result(
        name, (columns, rows), x.dtype,
        [(tile, np.arange((first + a) * rows, (first + b) * rows))
         for tile, first, _, a, b, _ in parts],
    )  # fmt: skip
    compute_set = builder.compute_set(name)
    for (tile, first, end, a, b, source), output in zip(parts, outputs, strict=True):
        width = end - first
        compute_set.add(
            TRANSPOSE[x.dtype], tile, x=source[a : (rows - 1) * width + b], y=output,
            rows=rows, columns=b - a, step=width,
        )  # fmt: skip
    return result
