"""Operations that only move elements, or only call them by another shape."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from openipu.sw.codelets.rearrange import TRANSPOSE
from openipu.sw.graph import STREAM_BYTES, View
from openipu.sw.ops.builder import Builder, OpError, Tensor, dimension, split
from openipu.sw.program import Copy

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


def concatenate(builder: Builder, parts: Sequence[Tensor], axis: int, *, name: str) -> Tensor:
    """Return tensors of one type one after the other along `axis`; their elements are copied."""
    first = parts[0]
    rank = len(first.shape)
    axis = dimension(name, axis, rank)
    for x in parts:
        if x.dtype != first.dtype:
            raise OpError(f"{name}: operands must be of one type, not {first.dtype} and {x.dtype}")
        shapes = [(*t.shape[:axis], *t.shape[axis + 1 :]) for t in (first, x)]
        if len(x.shape) != rank or shapes[0] != shapes[1]:
            raise OpError(
                f"{name}: shapes must be equal but for dimension {axis}, not {first.shape} and "
                f"{x.shape}"
            )
    ends = np.cumsum([0, *(x.shape[axis] for x in parts)]).tolist()
    values = np.zeros((*first.shape[:axis], ends[-1], *first.shape[axis + 1 :]), first.dtype)
    places = [
        (x, (slice(None),) * axis + (slice(a, b),))
        for x, a, b in zip(parts, ends[:-1], ends[1:], strict=True)
    ]
    return _filled(builder, values, places, name)


def pad(
    builder: Builder, x: Tensor, widths: Sequence[tuple[int, int]], *, mode: str = "constant",
    value: float = 0, name: str,
) -> Tensor:  # fmt: skip
    """Return x with elements before and after it in each dimension; negative widths take some away.

    "constant": they are `value`, and x is copied. "edge", "reflect", "wrap": as NumPy has it; the
    result is another view of x.
    """
    if mode not in ("constant", "edge", "reflect", "wrap"):
        raise OpError(f"{name}: mode must be constant, edge, reflect or wrap, not {mode}")
    if len(widths) != len(x.shape):
        raise OpError(f"{name}: there must be widths for {len(x.shape)} dimensions")
    kept = x[tuple(
        slice(max(-before, 0), max(size + min(after, 0), 0))
        for size, (before, after) in zip(x.shape, widths, strict=True)
    )]  # fmt: skip
    more = [(max(before, 0), max(after, 0)) for before, after in widths]
    if mode != "constant":
        if not kept.size:
            raise OpError(f"{name}: mode {mode} needs elements, but the shape is {kept.shape}")
        if isinstance(kept.data, View):
            index = _extended(kept.data.index, more, mode)
            return Tensor(x.name, View(kept.data.variable, index))
        return Tensor(x.name, _extended(kept.data, more, mode))
    shape = [before + size + after for size, (before, after) in zip(kept.shape, more, strict=True)]
    inside = tuple(
        slice(before, before + size) for size, (before, _) in zip(kept.shape, more, strict=True)
    )
    return _filled(builder, np.full(shape, value, x.dtype), [(kept, inside)], name)


def _extended(values: NDArray[Any], widths: list[tuple[int, int]], mode: str) -> NDArray[Any]:
    match mode:
        case "edge":
            return np.pad(values, widths, mode="edge")
        case "reflect":
            return np.pad(values, widths, mode="reflect")
    return np.pad(values, widths, mode="wrap")


def _filled(
    builder: Builder, values: NDArray[Any], parts: Sequence[tuple[Tensor, tuple[slice, ...]]],
    name: str,
) -> Tensor:  # fmt: skip
    """Return `values` with tensors at some places of it: those of variables are copied there."""
    copied = []
    for x, place in parts:
        if isinstance(x.data, View):
            copied.append((x.data, place))
        else:
            values[place] = x.data
    if not copied:
        return Tensor(name, values)
    # What is constant is there when the program is loaded, and nothing else ever writes it.
    variable = builder.graph.constant(builder.unique(name), values)
    lanes = STREAM_BYTES // variable.item_bytes
    for tile, (a, b) in enumerate(split(-(-values.size // lanes), builder.tiles)):
        variable.flat[a * lanes : b * lanes].map(tile)
    for source, place in copied:
        if source.size:
            builder.steps.append(Copy(source, variable[place], name=variable.name))
    return Tensor(name, variable.all)
