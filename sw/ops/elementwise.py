"""Operations that compute each element by itself, with broadcasting as in NumPy and ONNX."""

from collections.abc import Sequence
from math import lcm, prod

import numpy as np

from openipu.sw.codelets import elementwise, streams
from openipu.sw.codelets.codelet import Codelet
from openipu.sw.graph import View
from openipu.sw.ops.builder import Builder, Index, OpError, Tensor, check_floats, split

_COMMUTATIVE = ("add", "multiply", "maximum", "minimum")

UNARY = sorted({*elementwise.UNARY, *(name for name, _ in streams.UNARY)})
BINARY = sorted(elementwise.BINARY)
"""The functions that there are."""


def unary(builder: Builder, function: str, x: Tensor, *, name: str) -> Tensor:
    """Return function(x), of x's type; `function` is one of `UNARY`."""
    _check_function(UNARY, function)
    _check_types(builder, name, x)
    streamed = streams.UNARY.get((function, x.dtype)) if builder.config.tile.simd else None
    codelet = streamed or elementwise.UNARY.get(function)
    if codelet is None or (x.dtype != "float32" and not streamed):
        raise OpError(f"{name}: there is no {function} of {x.dtype}")
    return _apply(builder, codelet, x, x.dtype, streamed=streamed is not None, name=name)


def cast(builder: Builder, x: Tensor, dtype: str, *, name: str) -> Tensor:
    """Return x as float32 or float16, rounded to nearest."""
    if x.dtype == dtype:
        return x
    if not isinstance(x.data, View):
        with np.errstate(over="ignore", invalid="ignore"):
            return Tensor(x.name, x.data.astype(np.dtype(dtype)))
    codelet = {
        ("float16", "float32"): streams.WIDEN, ("float32", "float16"): streams.NARROW
    }.get((x.dtype, dtype))  # fmt: skip
    if codelet is None:
        raise OpError(f"{name}: {x.dtype} can't be cast to {dtype}")
    _check_types(builder, name, x)
    if not builder.config.tile.simd:
        raise OpError(f"{name}: {dtype} and {x.dtype} need a tile with simd")
    return _apply(builder, codelet, x, dtype, streamed=True, name=name)


def binary(builder: Builder, function: str, a: Tensor, b: Tensor, *, name: str) -> Tensor:
    """Return function(a, b), of their type; `function` is one of `BINARY`."""
    _check_function(BINARY, function)
    _check_types(builder, name, a, b)
    try:
        shape = np.broadcast_shapes(a.shape, b.shape)
    except ValueError:
        raise OpError(
            f"{name}: shapes must broadcast together, not {a.shape} and {b.shape}"
        ) from None
    if a.shape != shape and b.shape == shape and function in _COMMUTATIVE:
        a, b = b, a
    a, b = a.broadcast_to(*shape), b.broadcast_to(*shape)
    flat_a, flat_b = a.reshape(-1), b.reshape(-1)
    streamed = builder.config.tile.simd
    lanes = _lanes(a.dtype, streamed)
    period = _period(flat_b)
    repeated = period if period == 1 else lcm(period, lanes)  # whole words of b
    blocks = blocks_of(builder, a, period, lanes)
    result, outputs = builder.result(name, shape, a.dtype, blocks)
    lefts = builder.local(
        name, [(tile, flat_a[positions]) for tile, positions in blocks], aligned=streamed
    )
    # A repeating operand is there once, as far as the blocks are whole repetitions of it.
    parts = []
    for tile, positions in blocks:
        part = flat_b[positions]
        length = next(p for p in (1, repeated, part.size) if _repeats(part, p))
        parts.append((tile, part[:length]))
    rights = builder.local(name, parts, aligned=streamed)
    compute_set = builder.compute_set(name)
    for (tile, _), left, right, output in zip(blocks, lefts, rights, outputs, strict=True):
        if streamed:
            plain, periodic, constant = streams.BINARY[function, a.dtype]
            codelet = (
                constant if right.size == 1 else plain if right.size == left.size else periodic
            )
        else:
            codelet = elementwise.BINARY[function]
        compute_set.add(codelet, tile, a=left, b=right, y=output)
    return result


def scaled_add(builder: Builder, a: Tensor, factor: float, b: Tensor, *, name: str) -> Tensor:
    """Return a * factor + b, rounded once, of tensors of one shape and type."""
    _check_types(builder, name, a, b)
    if a.shape != b.shape:
        raise OpError(f"{name}: shapes must be equal, not {a.shape} and {b.shape}")
    if not builder.config.tile.simd:
        scale = Tensor("factor", np.asarray([factor], np.float32))
        scaled = binary(builder, "multiply", a, scale, name=f"{name}/scaled")
        return binary(builder, "add", scaled, b, name=name)
    blocks = blocks_of(builder, a, 1, _lanes(a.dtype, True))
    result, outputs = builder.result(name, a.shape, a.dtype, blocks)
    operands = [
        builder.local(name, [(tile, x.reshape(-1)[p]) for tile, p in blocks], aligned=True)
        for x in (a, b)
    ]
    compute_set = builder.compute_set(name)
    for (tile, _), left, right, output in zip(blocks, *operands, outputs, strict=True):
        codelet = streams.SCALED_ADD[a.dtype]
        compute_set.add(codelet, tile, a=left, b=right, y=output, factor=factor)
    return result


def fill(
    builder: Builder, shape: Sequence[int], value: float, dtype: str = "float32", *, name: str
) -> Tensor:
    """Return a tensor of that shape, spread evenly, into which the program writes `value`."""
    streamed = builder.config.tile.simd
    if dtype not in streams.FILL or (dtype == "float16" and not streamed):
        raise OpError(f"{name}: there is no fill of {dtype}")
    lanes = _lanes(dtype, streamed)
    size = prod(shape)
    blocks = [
        (tile, np.arange(a * lanes + first, min(a * lanes + end, size)))
        for tile, (a, b) in enumerate(split(-(-size // lanes), builder.tiles))
        for first, end in builder.spread((b - a) * lanes, lanes)
    ]
    result, outputs = builder.result(name, shape, dtype, blocks)
    compute_set = builder.compute_set(name)
    for (tile, _), output in zip(blocks, outputs, strict=True):
        codelet = streams.FILL[dtype] if streamed else elementwise.FILL
        compute_set.add(codelet, tile, y=output, value=value)
    return result


def _apply(
    builder: Builder, codelet: Codelet, x: Tensor, dtype: str, *, streamed: bool, name: str
) -> Tensor:
    """Return codelet(x); what x has several times, as windows do, is computed once."""
    if isinstance(x.data, View):
        once, where = np.unique(x.data.index, return_inverse=True)
        if once.size < x.size:
            distinct = Tensor(x.name, View(x.data.variable, once))
            result = _apply(builder, codelet, distinct, dtype, streamed=streamed, name=name)
            return result[where.reshape(x.shape)]
    narrower = dtype if dtype == "float16" else x.dtype
    blocks = blocks_of(builder, x, 1, _lanes(narrower, streamed))
    result, outputs = builder.result(name, x.shape, dtype, blocks)
    flat = x.reshape(-1)
    parts = [(tile, flat[positions]) for tile, positions in blocks]
    inputs = builder.local(name, parts, aligned=streamed)
    compute_set = builder.compute_set(name)
    for (tile, _), source, output in zip(blocks, inputs, outputs, strict=True):
        compute_set.add(codelet, tile, x=source, y=output)
    return result


def _check_function(known: list[str], function: str) -> None:
    if function not in known:
        raise ValueError(f"function must be one of {', '.join(known)}, not {function!r}")


def _check_types(builder: Builder, name: str, *operands: Tensor) -> None:
    check_floats(name, *operands)
    if operands[0].dtype == "float16" and not builder.config.tile.simd:
        raise OpError(f"{name}: float16 needs a tile with simd")


def _lanes(dtype: str, streamed: bool) -> int:
    """Return the elements of which blocks are made: those of a word for streams."""
    return streams.lanes(dtype) if streamed else 1


def _pattern(x: Tensor) -> Index:
    """Return numbers that are equal where elements are the same."""
    if isinstance(x.data, View):
        return x.data.index.reshape(-1)
    return x.data.reshape(-1).view(f"i{x.data.itemsize}").astype(np.int64)


def _repeats(x: Tensor, period: int) -> bool:
    if x.size == 0 or x.size % period:
        return x.size == period
    rows = _pattern(x).reshape(-1, period)
    return bool((rows == rows[0]).all())


def _period(x: Tensor) -> int:
    """Return the shortest length that x, flat, is whole repetitions of."""
    pattern = _pattern(x)
    if not pattern.size:
        return 1
    starts = np.flatnonzero(pattern == pattern[0])
    for period in (1, *starts[1:16].tolist(), pattern.size):
        if _repeats(x, period):
            return int(period)
    return pattern.size


def blocks_of(builder: Builder, x: Tensor, unit: int, lanes: int) -> list[tuple[int, Index]]:
    """Return the flat positions that each vertex computes, as (tile, positions).

    Elements are computed where x has them, in the order in which they lie there, unless that would
    leave most tiles idle; then they are spread evenly. Blocks are whole `lanes` but for a tile's
    last, and whole `unit`s too where there are enough of them.
    """
    vertices = builder.tiles * builder.workers
    unit = lcm(unit, lanes)
    grain = unit if x.size // max(unit, 1) >= vertices else lanes
    shares = [
        (tile, np.arange(a * grain, min(b * grain, x.size)))
        for tile, (a, b) in enumerate(split(-(-x.size // grain), builder.tiles))
    ]
    if isinstance(x.data, View) and x.size:
        index = x.data.index.reshape(-1)
        order = np.argsort(index, kind="stable")
        tiles = x.data.variable.tiles[index[order]]
        even = -(-x.size // builder.tiles)
        if np.bincount(tiles).max() <= 1.5 * even + grain:
            shares = [(int(tile), order[tiles == tile]) for tile in np.unique(tiles)]
    blocks = []
    for tile, positions in shares:
        step = grain if positions.size % grain == 0 else lanes
        for a, b in builder.spread(positions.size, step):
            blocks.append((tile, positions[a:b]))
    return blocks
