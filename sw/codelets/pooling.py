"""The greatest element, or the mean, of each channel in windows of a picture."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from openipu.rtl.isa import SimdOp
from openipu.sw.codelets.arithmetic import quiet, rounded
from openipu.sw.codelets.codelet import Codelet, Field, Input, Output, Scalar, Table, register
from openipu.sw.codelets.streams import (
    DTYPES,
    MOST_STEP,
    MOST_WORDS,
    count_and_step,
    evaluate,
    lanes,
    level,
)

Array = NDArray[Any]

RUN_WORDS = 8


def run_words(
    x: int, columns: int, rows: int, pixels: int, *, apart: tuple[int, int, int], y: int,
    factor: float,
) -> list[int] | None:  # fmt: skip
    """Return the words of a run, or None if a stream can't walk through it.

    `x` and `y` are words: where the first window begins, and the first pixel of the result.
    `apart` is how many words elements, rows and windows are apart.
    """
    element, row, window = apart
    across = (columns - 1) * element
    steps = [
        element if columns > 1 else 0,
        row - across if rows > 1 else 0,
        window - (rows - 1) * row - across if pixels > 1 else 0,
    ]
    counts = columns, rows, pixels
    if max(map(abs, steps)) > MOST_STEP or max(counts) > MOST_WORDS:
        return None
    levels = [level(count, step) for count, step in zip(counts, steps, strict=True)]
    bits = int(np.float32(factor).view(np.uint32))
    return [8 * x, *levels, columns * rows - 1, pixels, 8 * y, bits]


def _windows(x: Array, run: Any, words: int) -> Array:
    """Return the elements of a run's windows, (elements, pixels, channels)."""
    (columns, rows, pixels), steps = zip(*map(count_and_step, run[1:4]), strict=True)
    row = steps[1] + (columns - 1) * steps[0]
    window = steps[2] + (rows - 1) * row + (columns - 1) * steps[0]
    taps = np.arange(rows)[:, None] * row + np.arange(columns) * steps[0]
    places = int(run[0]) // 8 + taps.reshape(-1, 1) + np.arange(pixels) * window
    each = lanes(x.dtype.name)
    index = places[:, :, None] * each + np.arange(words * each)
    found: Array = x[index]
    return found


def _greatest(x: Array, factor: np.float32) -> Array:
    op = SimdOp.H4_MAX if x.dtype == np.float16 else SimdOp.S2_MAX
    total: Array = x[0].reshape(-1)
    for each in (x[0], *x[1:]):
        total = evaluate(op, total, each.reshape(-1))
    return total


def _mean(x: Array, factor: np.float32) -> Array:
    with quiet():
        wide = x.astype(np.float32)
        total = wide[0]
        for each in wide[1:]:
            total = total + each
        return rounded((total * factor).reshape(-1), x.dtype)


def _reference(function: Callable[[Array, np.float32], Array]) -> Callable[..., None]:
    def reference(*, x: Array, y: Array, runs: NDArray[np.uint32], words: Any) -> None:
        for run in runs.reshape(-1, RUN_WORDS):
            result = function(_windows(x, run, int(words)), run[7:].view(np.float32)[0])
            first = int(run[6]) // y.itemsize
            y[first : first + result.size] = result

    return reference


_UNROLLED = (4, 9, 6)
"""Elements of the windows that pooling.S has loops for, in the order in which it looks."""


def _max_run(run: Any, words: int) -> int:
    elements, pixels = int(run[4]) + 1, int(run[5])
    if elements in _UNROLLED:
        return 17 + 2 * _UNROLLED.index(elements) + words * (8 + elements * pixels)
    return 21 + words * (8 + (elements + 5) * pixels)


def _mean_run(run: Any, words: int, dtype: str) -> int:
    elements, pixels = int(run[4]) + 1, int(run[5])
    if dtype == "float16":
        return 16 + words * (10 + (4 * elements + 4) * pixels)
    return 16 + words * (8 + (elements + 4) * pixels)


def _codelet(
    name: str, source: str, function: Callable[[Array, np.float32], Array], dtype: str,
    run_issues: Callable[[Any, int], int], start: int = 9,
) -> Codelet:  # fmt: skip
    return register(
        Codelet(
            name=name,
            fields=(
                Field("x", Input, dtype, streamed=True), Field("y", Output, dtype, streamed=True),
                Table("runs"), Scalar("words"),
            ),
            source=source,
            reference=_reference(function),
            cycles=lambda x, y, runs, words: start + sum(
                run_issues(run, int(words)) for run in runs.reshape(-1, RUN_WORDS)
            ),
        )
    )  # fmt: skip


POOL: dict[tuple[str, str], Codelet] = {
    (kind, dtype): _codelet(f"pool_{kind}_{short}", "pooling.S", function, dtype, issues)
    for short, dtype in DTYPES.items()
    for kind, function, issues in (
        ("max", _greatest, _max_run),
        ("mean", _mean, lambda run, words, dtype=dtype: _mean_run(run, words, dtype)),
    )
}
"""y (pixels, channels) from windows of x (pixels, channels), by kind and dtype.

`words` is how many words of channels are done; pixels of y have so many. `runs` has `run_words` of
each run. Of max, a NaN loses, and -0 < +0; a mean is the f32 sum in the order of rows and columns,
multiplied by the run's factor, then rounded.
"""


def _plain_run(run: Any, words: int) -> int:
    (columns, _), (rows, _), pixels = *map(count_and_step, run[1:3]), int(run[5])
    window = 10.4 + 9.7 * rows * (columns - 1) + 12.8 * (rows - 1)
    return 15 + round(2 * words * (15 + pixels * window))


POOL_PLAIN: dict[str, Codelet] = {
    "max": _codelet("pool_max_plain", "pooling.c", _greatest, "float32", _plain_run, 20),
    "mean": _codelet("pool_mean_plain", "pooling.c", _mean, "float32", _plain_run, 20),
}
"""The same for float32 on a tile without SIMD, by kind."""
