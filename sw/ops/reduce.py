"""Reductions over some dimensions."""

from collections.abc import Sequence
from math import prod

import numpy as np

from openipu.sw.codelets.codelet import Codelet
from openipu.sw.codelets.greatest import ARG_MAX_STREAMED, MOST_COLUMNS
from openipu.sw.codelets.reduce import ARG_MAX, REDUCE
from openipu.sw.ops import reduce_streams
from openipu.sw.ops.builder import Builder, OpError, Tensor, check_floats, dimension, split
from openipu.sw.ops.elementwise import binary, cast
from openipu.sw.ops.rows import apply, streamable

_LEAST = 32  # elements that are worth a part of their own


def reduce(
    builder: Builder, function: str, x: Tensor, axes: Sequence[int], *, keep: bool, name: str,
    factor: float = 1.0, dtype: str | None = None,
) -> Tensor:  # fmt: skip
    """Return x reduced over `axes` (which may be negative).

    `function` is one of `codelets.reduce.REDUCE`; a sum is multiplied by `factor` before it is
    rounded to `dtype`, x's by default. Sums of float16 are float32 until then. In which order
    elements are added depends on where they are. `keep` leaves the reduced dimensions there, with
    size 1.
    """
    if function not in REDUCE:
        raise ValueError(f"function must be one of {', '.join(REDUCE)}, not {function!r}")
    items, _, wanted = _items(x, axes, keep, name)
    wanted_dtype = dtype or x.dtype
    streamed = reduce_streams.reduce(
        builder, function.removeprefix("reduce_"), items, wanted_dtype, factor=factor, name=name
    )
    if streamed is not None:
        return streamed.reshape(*wanted)
    wide = cast(builder, x, "float32", name=f"{name}/float32")
    label = name if wanted_dtype == "float32" and factor == 1 else f"{name}/float32"
    result = _reduce(builder, REDUCE[function], "float32", wide, axes, keep=keep, name=label)
    if factor != 1:
        scale = Tensor("factor", np.asarray(factor, np.float32))
        result = binary(builder, "multiply", result, scale, name=f"{name}/scaled")
    return cast(builder, result, wanted_dtype, name=name)


def argmax(builder: Builder, x: Tensor, axis: int, *, keep: bool, name: str) -> Tensor:
    """Return where along `axis` the greatest element is, the first of equals, as int32.

    NaNs are passed over; where nothing is above -infinity it is 0.
    """
    if x.shape[dimension(name, axis, len(x.shape))] == 0:
        raise OpError(f"{name}: the dimension must not be empty, but the shape is {x.shape}")
    rows, _, wanted = _items(x, (axis,), keep, name)
    together = rows.runs <= rows.transpose().runs  # else bringing rows together costs more
    fits = streamable(builder, rows) and rows.shape[1] <= MOST_COLUMNS[x.dtype]
    if rows.size and together and fits:
        codelet, columns = ARG_MAX_STREAMED[x.dtype], rows.shape[1]
        return apply(builder, codelet, rows, 1, name=name, columns=columns).reshape(*wanted)
    return _reduce(builder, ARG_MAX, "int32", x, (axis,), keep=keep, name=name)


def _reduce(
    builder: Builder, codelet: Codelet, dtype: str, x: Tensor, axes: Sequence[int], *, keep: bool,
    name: str,
) -> Tensor:  # fmt: skip
    if x.dtype == "float16":
        x = cast(builder, x, "float32", name=f"{name}/float32")
    items, shape, wanted = _items(x, axes, keep, name)
    results, count = items.shape
    parts = _parts(count, builder.tiles * builder.workers // max(results, 1))
    if parts > 1 and codelet is not ARG_MAX:
        cut = items.reshape(results, parts, count // parts)
        partial = _reduce(builder, codelet, dtype, cut, (2,), keep=False, name=f"{name}/parts")
        whole = _reduce(builder, codelet, dtype, partial, (1,), keep=False, name=name)
        return whole.reshape(*wanted)

    shares = list(enumerate(split(results, builder.tiles)))
    rows = [items[a:b] for _, (a, b) in shares]
    # Results' items one after another, or first items of all results first: the fewer pieces.
    by_result = sum(p.runs for p in rows) <= sum(p.transpose().runs for p in rows)
    inputs = builder.local(
        name,
        [(tile, p if by_result else p.transpose())
         for (tile, _), p in zip(shares, rows, strict=True)],
    )  # fmt: skip
    pieces = [
        (tile, share, first, end, source)
        for (tile, share), source in zip(shares, inputs, strict=True)
        for first, end in split(share[1] - share[0], builder.workers)
    ]
    result, outputs = builder.result(
        name, shape, dtype,
        [(tile, np.arange(share[0] + a, share[0] + b)) for tile, share, a, b, _ in pieces],
    )  # fmt: skip
    compute_set = builder.compute_set(name)
    for (tile, share, a, b, source), output in zip(pieces, outputs, strict=True):
        width = share[1] - share[0]
        if by_result:
            view, step, stride = source[a * count : b * count], count, 1
        else:
            view, step, stride = source[a : max((count - 1) * width + b, a)], 1, width
        compute_set.add(codelet, tile, x=view, y=output, count=count, step=step, stride=stride)
    return result.reshape(*wanted)


def _items(
    x: Tensor, axes: Sequence[int], keep: bool, name: str
) -> tuple[Tensor, list[int], list[int]]:
    """Return x as (results, count), the result's shape with the axes kept, and as wanted."""
    rank = len(x.shape)
    check_floats(name, x)
    reduced = sorted({dimension(name, axis, rank) for axis in axes})
    kept = [axis for axis in range(rank) if axis not in reduced]
    count = prod(x.shape[axis] for axis in reduced)
    results = prod(x.shape[axis] for axis in kept)
    shape = [1 if axis in reduced else size for axis, size in enumerate(x.shape)]
    wanted = shape if keep else [x.shape[axis] for axis in kept]
    return x.transpose(*kept, *reduced).reshape(results, count), shape, wanted


def _parts(count: int, most: int) -> int:
    """Return in how many equal parts of at least `_LEAST` elements to cut, 1 if not at all."""
    return next((n for n in range(min(most, count // _LEAST), 1, -1) if count % n == 0), 1)
