"""Softmax along a dimension."""

import numpy as np

from openipu.sw.codelets.rows import SOFTMAX_F16
from openipu.sw.codelets.softmax import SOFTMAX
from openipu.sw.ops.builder import Builder, OpError, Tensor
from openipu.sw.ops.elementwise import cast
from openipu.sw.ops.rows import apply, streamable


def softmax(builder: Builder, x: Tensor, axis: int, *, name: str) -> Tensor:
    """Return e**x / sum(e**x) along `axis`, with the greatest subtracted first."""
    rank = len(x.shape)
    if x.dtype not in ("float32", "float16"):
        raise OpError(f"{name}: the operand must be float32 or float16, not {x.dtype}")
    if not -rank <= axis < rank:
        raise OpError(f"{name}: axis must be from {-rank} to {rank - 1}, not {axis}")
    axes = [*(a for a in range(rank) if a != axis % rank), axis % rank]
    moved = x.transpose(*axes)
    columns = moved.shape[-1]
    rows = moved.reshape(x.size // columns, columns) if columns else moved.reshape(0, 1)
    if x.dtype == "float32":
        result = apply(builder, SOFTMAX, rows, streamed=False, name=name)
    elif streamable(builder, rows):
        result = apply(builder, SOFTMAX_F16, rows, streamed=True, name=name)
    else:
        wide = cast(builder, rows, "float32", name=f"{name}/float32")
        result = apply(builder, SOFTMAX, wide, streamed=False, name=f"{name}/float32")
        result = cast(builder, result, "float16", name=name)
    return result.reshape(*moved.shape).transpose(*np.argsort(axes).tolist())
