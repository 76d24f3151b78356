"""Softmax along a dimension."""

import numpy as np

from openipu.sw.codelets.rows import SOFTMAX_F16
from openipu.sw.codelets.softmax import SOFTMAX
from openipu.sw.ops.builder import Builder, Tensor, check_floats, dimension
from openipu.sw.ops.elementwise import cast
from openipu.sw.ops.rows import apply, streamable


def softmax(builder: Builder, x: Tensor, axis: int, *, name: str) -> Tensor:
    """Return e**x / sum(e**x) along `axis`, with the greatest subtracted first."""
    rank = len(x.shape)
    check_floats(name, x)
    axis = dimension(name, axis, rank)
    axes = [*(a for a in range(rank) if a != axis), axis]
    moved = x.transpose(*axes)
    columns = moved.shape[-1]
    rows = moved.reshape(x.size // columns, columns) if columns else moved.reshape(0, 1)
    if x.dtype == "float32":
        result = apply(builder, SOFTMAX, rows, columns, name=name, columns=columns)
    elif streamable(builder, rows):
        result = apply(builder, SOFTMAX_F16, rows, columns, name=name, columns=columns)
    else:
        label = f"{name}/float32"
        wide = cast(builder, rows, "float32", name=label)
        result = apply(builder, SOFTMAX, wide, columns, name=label, columns=columns)
        result = cast(builder, result, "float16", name=name)
    return result.reshape(*moved.shape).transpose(*np.argsort(axes).tolist())
