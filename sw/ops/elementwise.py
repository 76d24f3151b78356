"""Operations that compute each element by itself, with broadcasting as in NumPy and ONNX."""

import numpy as np

from openipu.sw.codelets.codelet import Codelet
from openipu.sw.codelets.elementwise import BINARY, UNARY
from openipu.sw.graph import View
from openipu.sw.ops.builder import Builder, Index, OpError, Tensor, split

_COMMUTATIVE = ("add", "multiply", "maximum", "minimum")


def unary(builder: Builder, function: str, x: Tensor, *, name: str) -> Tensor:
    """Return function(x); `function` is one of `codelets.elementwise.UNARY`."""
    codelet = _codelet(UNARY, function)
    _check_float(name, x)
    blocks = _blocks(builder, x, 1)
    result, outputs = builder.result(name, x.shape, "float32", blocks)
    flat = x.reshape(-1)
    parts = [(tile, flat[positions]) for tile, positions in blocks]
    inputs = builder.local(name, parts)
    compute_set = builder.compute_set(name)
    for (tile, _), source, output in zip(blocks, inputs, outputs, strict=True):
        compute_set.add(codelet, tile, x=source, y=output)
    return result


def binary(builder: Builder, function: str, a: Tensor, b: Tensor, *, name: str) -> Tensor:
    """Return function(a, b); `function` is one of `codelets.elementwise.BINARY`."""
    codelet = _codelet(BINARY, function)
    _check_float(name, a)
    _check_float(name, b)
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
    period = _period(flat_b)
    blocks = _blocks(builder, a, period)
    result, outputs = builder.result(name, shape, "float32", blocks)
    lefts = builder.local(name, [(tile, flat_a[positions]) for tile, positions in blocks])
    # A repeating operand is there once, as far as the blocks are whole repetitions of it.
    parts = []
    for tile, positions in blocks:
        part = flat_b[positions]
        length = next(p for p in (1, period, part.size) if _repeats(part, p))
        parts.append((tile, part[:length]))
    rights = builder.local(name, parts)
    compute_set = builder.compute_set(name)
    for (tile, _), left, right, output in zip(blocks, lefts, rights, outputs, strict=True):
        compute_set.add(codelet, tile, a=left, b=right, y=output)
    return result


def _codelet(table: dict[str, Codelet], function: str) -> Codelet:
    if function not in table:
        raise ValueError(f"function must be one of {', '.join(table)}, not {function!r}")
    return table[function]


def _check_float(name: str, x: Tensor) -> None:
    if x.dtype != "float32":
        raise OpError(f"{name}: operands must be float32, not {x.dtype} ({x.name})")


def _pattern(x: Tensor) -> Index:
    """Return numbers that are equal where elements are the same."""
    if isinstance(x.data, View):
        return x.data.index.reshape(-1)
    return x.data.reshape(-1).view(np.int32).astype(np.int64)


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


def _blocks(builder: Builder, x: Tensor, unit: int) -> list[tuple[int, Index]]:
    """Return the flat positions that each vertex computes, as (tile, positions).

    Elements are computed where x has them, in the order in which they lie there, unless that would
    leave most tiles idle; then they are spread evenly. Blocks are whole `unit`s where there are
    enough of them.
    """
    vertices = builder.tiles * builder.workers
    grain = unit if x.size // max(unit, 1) >= vertices else 1
    shares = [
        (tile, np.arange(a * grain, b * grain))
        for tile, (a, b) in enumerate(split(x.size // grain, builder.tiles))
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
        step = grain if positions.size % grain == 0 else 1
        for a, b in split(positions.size // step, builder.workers):
            blocks.append((tile, positions[a * step : b * step]))
    return blocks
