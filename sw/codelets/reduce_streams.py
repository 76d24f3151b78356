"""Results of several elements each, by streams: sums and extremes of rows and of columns.

Sums are f32 until they are stored, and multiplied by a factor before. A NaN makes a sum NaN; it
loses against everything as an extreme, where +0 is greater than -0.
"""

from functools import partial
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray

from openipu.rtl.isa import SimdOp
from openipu.sw.codelets.arithmetic import F32, quiet, store
from openipu.sw.codelets.codelet import (
    Codelet,
    Derived,
    Field,
    Input,
    Output,
    Scalar,
    register,
)
from openipu.sw.codelets.streams import DTYPES, evaluate, lanes, level, words

Array = NDArray[Any]

_SHORT = {dtype: short for short, dtype in DTYPES.items()}
_EXTREMES = {
    ("max", "float16"): (SimdOp.H4_MAX, -np.inf), ("max", "float32"): (SimdOp.S2_MAX, -np.inf),
    ("min", "float16"): (SimdOp.H4_MIN, np.inf), ("min", "float32"): (SimdOp.S2_MIN, np.inf),
}  # fmt: skip


def extreme(name: str, items: Array) -> Array:
    """Return the extremes of items (results, count)."""
    op, start = _EXTREMES[name, items.dtype.name]
    total = np.full(len(items), start, items.dtype)
    for column in items.T:
        total = evaluate(op, total, np.ascontiguousarray(column))
    return total


def _running(start: F32, items: F32) -> F32:
    """Return start + items (..., count) in ascending order, each addition rounded to f32."""
    with quiet():
        total: F32 = np.add.accumulate(
            np.concatenate([start[..., None], items], axis=-1), axis=-1, dtype=np.float32
        )[..., -1]
    return total


def _word_sums(x: Array) -> F32:
    """Return the sum of each word's f16 in x (..., words, 4)."""
    with quiet():
        v: F32 = x.astype(np.float32)
        low: F32 = np.add(v[..., 0], v[..., 1], dtype=np.float32)
        high: F32 = np.add(v[..., 2], v[..., 3], dtype=np.float32)
        total: F32 = np.add(low, high, dtype=np.float32)
    return total


def row_sums(items: Array) -> F32:
    """Return the sums of items (results, count), which are taken in words."""
    each = lanes(items.dtype.name)
    rows, count = items.shape
    groups = -(-count // each)
    flat = np.zeros((rows, groups * each), items.dtype)
    flat[:, :count] = items
    padded = flat.reshape(rows, groups, each)
    zero = np.zeros(rows, np.float32)
    if items.dtype == np.float16:
        return _running(zero, _word_sums(padded))
    pair = _running(np.zeros((rows, 2), np.float32), padded.transpose(0, 2, 1))
    with quiet():
        total: F32 = np.add(zero, np.add(pair[:, 0], pair[:, 1]), dtype=np.float32)
    return total


def _write(y: Array, value: F32, factor: Any) -> None:
    """Store sums times a factor."""
    with quiet():
        product = value * np.float32(factor)
    store(y, product)


def _matrix(x: Array, rows: int) -> Array:
    return x.reshape(rows, x.size // rows if rows else 0)


def _streamed(dtype: str) -> Field:
    return Field("x", Input, dtype, streamed=True)


def _row_derived(dtype: str, result: str) -> tuple[Derived, ...]:
    each, size = lanes(dtype), int(np.dtype(result).itemsize)
    bits = 64 // each

    def count(x: int, y: int) -> int:
        found = x // max(y, 1)
        if found * y != x or (y > 1 and found % each):
            raise ValueError(f"x must be {y} rows of whole words, or one row, not {x} elements")
        return found

    def mask(shift: int, x: int, y: int, **_: Any) -> int:
        return ((1 << bits * (count(x, y) % each)) - 1) >> shift & 0xFFFF_FFFF

    return (
        Derived("level", lambda x, **_: level(words(x, dtype))),
        Derived("words", lambda x, y, **_: count(x, y) // each),
        Derived("y_bytes", lambda y, **_: size * y),
        Derived("mask", partial(mask, 0)),
        Derived("mask_high", partial(mask, 32)),
    )


def _rows(name: str, dtype: str, result: str) -> Codelet:
    short = _SHORT[dtype] + (f"_{_SHORT[result]}" if result != dtype else "")
    each = lanes(dtype)
    summing = name == "sum"
    setup = {"sum": 15, "max": 14, "min": 17}[name] + (each == 4 and not summing)
    joining = {"sum": 1 + (each == 2), "max": 1, "min": 3}[name]
    per_row = 5 + joining + (summing and result == "float16")

    def cycles(x: int, y: int, **_: Any) -> int:
        return setup + y * per_row + words(x, dtype)

    def reference(*, x: Array, y: Array, factor: Any = 1) -> None:
        items = _matrix(x, y.size)
        if summing:
            _write(y, row_sums(items), factor)
        else:
            y[...] = extreme(name, items)

    return register(
        Codelet(
            name=f"{name}_rows_{short}",
            fields=(
                _streamed(dtype), Field("y", Output, result),
                *([Scalar("factor", "f32")] if summing else []), *_row_derived(dtype, result),
            ),
            source="reduce_streams.S",
            reference=reference,
            cycles=cycles,
        )
    )  # fmt: skip


ROWS: dict[tuple[str, str, str], Codelet] = {
    (name, dtype, result): _rows(name, dtype, result)
    for name, dtype, result in (
        ("sum", "float16", "float16"), ("sum", "float16", "float32"),
        ("sum", "float32", "float32"), ("sum", "float32", "float16"),
        ("max", "float16", "float16"), ("max", "float32", "float32"),
        ("min", "float16", "float16"), ("min", "float32", "float32"),
    )
}  # fmt: skip
"""y[j] of row j of x, by function and the types of x and y.

Rows are whole words, or there is one row. A sum's `factor` is multiplied with it.
"""


def _column_derived(dtype: str, result: str) -> tuple[Derived, ...]:
    each = lanes(dtype)

    def next_(y: int, count: int, stride: int, **_: Any) -> int:
        return level(words(y, dtype), 1 - (max(count, 1) - 1) * (stride // each))

    def y_level(y: int, **_: Any) -> int:
        if dtype != result and y % each:
            raise ValueError(f"y must be whole words of x, not {y} elements")
        return level(words(y, result))

    return (
        Derived("level", lambda count, stride, **_: level(int(count), int(stride) // each)),
        Derived("next", lambda y, count, stride, **_: next_(y, int(count), int(stride))),
        Derived("words", lambda y, **_: words(y, dtype)),
        Derived("y_level", y_level),
    )


def fits_columns(dtype: str, count: int, stride: int) -> bool:
    """Tell whether streams can read columns of `count` elements, `stride` elements apart."""
    return stride % lanes(dtype) == 0 and count * (stride // lanes(dtype)) < 1 << 15


def _columns(name: str, dtype: str, result: str) -> Codelet:
    short = _SHORT[dtype] + (f"_{_SHORT[result]}" if result != dtype else "")
    each, summing = lanes(dtype), name == "sum"
    halves = summing and each == 4
    setup = {"sum": 17, "max": 15, "min": 18}[name] + (each == 4 and not summing)
    setup, body, per_word = (19, 4, 7 + (result == "float16")) if halves else (setup, 1, 5)

    def cycles(x: int, y: int, count: int, **_: Any) -> int:
        return setup + words(y, dtype) * (per_word + body * int(count))

    def reference(*, x: Array, y: Array, count: Any, stride: Any, factor: Any = 1) -> None:
        if y.size and count and (int(count) - 1) * int(stride) + y.size > x.size:
            raise ValueError("the columns must lie within x")
        items = as_strided(x, (y.size, int(count)), (x.itemsize, int(stride) * x.itemsize))
        if summing:
            zero = np.zeros(y.size, np.float32)
            _write(y, _running(zero, items.astype(np.float32)), factor)
        else:
            y[...] = extreme(name, items)

    return register(
        Codelet(
            name=f"{name}_columns_{short}",
            fields=(
                _streamed(dtype), Field("y", Output, result, streamed=True), Scalar("count"),
                Scalar("stride"), *([Scalar("factor", "f32")] if summing else []),
                *_column_derived(dtype, result),
            ),
            source="reduce_streams.S",
            reference=reference,
            cycles=cycles,
        )
    )  # fmt: skip


COLUMNS: dict[tuple[str, str, str], Codelet] = {
    (name, dtype, result): _columns(name, dtype, result)
    for name, dtype, result in (
        ("sum", "float16", "float16"), ("sum", "float16", "float32"),
        ("sum", "float32", "float32"),
        ("max", "float16", "float16"), ("max", "float32", "float32"),
        ("min", "float16", "float16"), ("min", "float32", "float32"),
    )
}  # fmt: skip
"""y[j] from x[j + k * stride] for k < count in ascending k, by function and the types of x and y.

Rows of x begin at whole words; f32 of f16 are whole words of x. A sum's `factor` is multiplied with
it.
"""


def _halves(*, x: Array, other: Array, y: Array) -> None:
    one, two = (
        _running(np.zeros(1, np.float32), _word_sums(each.reshape(1, -1, 4)))
        for each in (x, other)
    )
    with quiet():
        store(y, np.float32(0) + (one + two))


def _halves_level(x: int, other: int, **_: Any) -> int:
    if x != other or x % 4:
        raise ValueError(f"x and other must be as many whole words, not {x} and {other} elements")
    return level(words(x, "float16"))


SUM_HALVES = register(
    Codelet(
        name="sum_halves",
        fields=(
            _streamed("float16"),
            Field("other", Input, "float16", streamed=True, apart_from=("x",)),
            Field("y", Output),
            Derived("level", _halves_level),
        ),
        source="reduce_streams.S",
        reference=_halves,
        cycles=lambda x, other, y: 21 + words(x, "float16"),
    )
)
"""y = the sum of x and that of other, which are as long, by the matrix unit."""
