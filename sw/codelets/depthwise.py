"""Depthwise convolution: each channel with its own weights, some channels in a word."""

from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray

from openipu.rtl.isa import SimdOp
from openipu.sw.codelets.codelet import (
    Codelet,
    Derived,
    Field,
    Input,
    Output,
    Scalar,
    register,
)
from openipu.sw.codelets.streams import DTYPES, WORD_BYTES, evaluate, lanes, level

Array = NDArray[Any]

_SIZES = (
    "rows", "columns", "row_step", "column_step", "kernel_rows", "kernel_columns",
    "kernel_row_step", "kernel_column_step",
)  # fmt: skip


def _windows(x: Array, size: int, **sizes: Any) -> Array:
    """Return x's words as (rows, columns, kernel rows, kernel columns, lanes)."""
    counts = [int(sizes[n]) for n in ("rows", "columns", "kernel_rows", "kernel_columns")]
    steps = [
        int(sizes[n])
        for n in ("row_step", "column_step", "kernel_row_step", "kernel_column_step")
    ]
    last = sum((count - 1) * step for count, step in zip(counts, steps, strict=True))
    if (last + 1) * size > x.size:
        raise ValueError("depthwise: the windows must lie within x")
    strides = [step * WORD_BYTES for step in steps]
    return as_strided(x, (*counts, size), (*strides, x.itemsize))


def _depthwise(short: str, op: SimdOp, taps: int) -> Codelet:
    dtype = DTYPES[short]
    size = lanes(dtype)

    def reference(*, x: Array, w: Array, bias: Array, y: Array, **sizes: Any) -> None:
        windows = _windows(x, size, **sizes)
        pixels = windows.shape[0] * windows.shape[1]
        total = np.tile(bias, pixels)
        for number, weights in enumerate(w.reshape(-1, size)):
            row, column = divmod(number, windows.shape[3])
            taken = np.ascontiguousarray(windows[:, :, row, column]).reshape(-1)
            total = evaluate(op, taken, np.tile(weights, pixels), total)
        y[...] = total

    def cycles(*, w: int, rows: int, columns: int, **_: Any) -> int:
        count = w // size
        each = count * columns if taps else (count + 3) * columns
        return 21 + (0 if taps else 2) + rows * (5 + each)

    def w_again(*, w: int, rows: int, columns: int, **_: Any) -> int:
        return level(rows * columns, 1 - w // size)

    def down(*, kernel_rows: int, kernel_columns: int, kernel_row_step: int,
             kernel_column_step: int, **_: Any) -> int:  # fmt: skip
        return level(kernel_rows, kernel_row_step - (kernel_columns - 1) * kernel_column_step)

    def following(*, columns: int, column_step: int, kernel_rows: int, kernel_columns: int,
                  kernel_row_step: int, kernel_column_step: int, **_: Any) -> int:  # fmt: skip
        last = (kernel_rows - 1) * kernel_row_step + (kernel_columns - 1) * kernel_column_step
        return level(columns, column_step - last)

    return register(
        Codelet(
            name=f"depthwise_{taps}_{short}" if taps else f"depthwise_{short}",
            fields=(
                Field("x", Input, dtype, streamed=True),
                Field("w", Input, dtype, streamed=True, apart_from=("x",)),
                Field("bias", Input, dtype, streamed=True),
                Field("y", Output, dtype, streamed=True),
                *map(Scalar, _SIZES),
                Derived("w_level", lambda *, w, **_: level(w // size)),
                Derived("w_again", w_again),
                Derived("y_level", lambda *, rows, columns, **_: level(rows * columns)),
                Derived("along", lambda *, kernel_columns, kernel_column_step, **_: level(
                    kernel_columns, kernel_column_step)),
                Derived("down", down),
                Derived("next", following),
                Derived("row_bytes", lambda *, row_step, **_: row_step * WORD_BYTES),
                Derived("x_bytes", lambda *, rows, row_step, **_: rows * row_step * WORD_BYTES),
            ),
            source="depthwise.S",
            reference=reference,
            cycles=cycles,
        )
    )  # fmt: skip


_OPERATIONS = {"f16": SimdOp.H4_MADD, "f32": SimdOp.S2_MADD}
DEPTHWISE: dict[str, Codelet] = {
    DTYPES[short]: _depthwise(short, op, 0) for short, op in _OPERATIONS.items()
}
DEPTHWISE_9: dict[str, Codelet] = {
    DTYPES[short]: _depthwise(short, op, 9) for short, op in _OPERATIONS.items()
}
"""y (rows, columns) = bias + the sum over a window of x * w, in words; each step rounded once.

The element (i, j) of the window of the result (r, c) is the word r * row_step + c * column_step
+ i * kernel_row_step + j * kernel_column_step of x. There must be at least 2 of them; `DEPTHWISE_9`
is for exactly 9.
"""
