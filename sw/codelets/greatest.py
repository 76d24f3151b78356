"""Where the greatest elements of each row are, by streams."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from openipu.sw.codelets.codelet import Codelet, Derived, Field, Input, Output, Scalar, register
from openipu.sw.codelets.streams import lanes, level, words
from openipu.sw.codelets.top_k import select

MOST_COLUMNS: dict[str, int] = {"float16": 4 << 11, "float32": 2 << 15}
"""Of a row: its words are counted in elements' type, which must have each number, or a stream."""


def _arg_max(*, x: NDArray[Any], y: NDArray[np.int32], columns: Any) -> None:
    if y.size:
        rows = x.reshape(y.size, int(columns))
        y[...] = np.where(np.isnan(rows), -np.inf, rows).argmax(axis=1)


def _arg_max_codelet(short: str, dtype: str, setup: int, per_row: int) -> Codelet:
    each = lanes(dtype)

    def row_words(columns: Any) -> int:
        if columns % each or not 0 < columns <= MOST_COLUMNS[dtype]:
            raise ValueError(
                f"columns must be whole words, at most {MOST_COLUMNS[dtype]}, not {columns}"
            )
        return int(columns) // each

    return register(
        Codelet(
            name=f"arg_max_{short}",
            fields=(
                Field("x", Input, dtype, streamed=True), Field("y", Output, "int32"),
                Scalar("columns"),
                Derived("level", lambda x, **_: level(words(x, dtype))),
                Derived("words", lambda columns, **_: row_words(columns)),
                Derived("rows", lambda y, **_: y),
            ),
            source="greatest.S",
            reference=_arg_max,
            cycles=lambda x, y, columns: setup + y * per_row + 4 * words(x, dtype),
        )
    )  # fmt: skip


ARG_MAX_STREAMED: dict[str, Codelet] = {
    "float32": _arg_max_codelet("f32", "float32", 31, 17),
    "float16": _arg_max_codelet("f16", "float16", 38, 21),
}
"""Where the greatest of each row of `columns` elements, whole words, is, by dtype.

The first of equal ones; NaNs are passed over. A row that has nothing above -infinity gives 0.
"""


_TAKEN = 0x7FFF7FFF
"""Bits of a NaN, and of two of float16, that stand for what is already chosen."""


def _top_k(
    *, x: NDArray[Any], y: NDArray[Any], index: NDArray[np.int32], keys: NDArray[Any],
    columns: Any, k: Any, smallest: Any,
) -> None:  # fmt: skip
    if not y.size:
        return
    n = int(columns)
    chosen = select(x, y, index, n, int(k), bool(smallest))
    bits = keys.view(f"u{x.itemsize}")
    keys.view(np.uint32)[...] = _TAKEN
    bits[:n] = x[-n:].view(bits.dtype) ^ bits.dtype.type(_flip(x.itemsize, smallest))
    row = keys[:n]
    if np.count_nonzero(row > -np.inf) < k:
        row[row == -np.inf] = 1
        row[np.isnan(row)] = 0
    bits[chosen[-1]] = np.uint32(_TAKEN).astype(bits.dtype)


def _flip(item_bytes: int, smallest: Any) -> int:
    return 1 << 8 * item_bytes - 1 if smallest else 0


def _top_k_codelet(short: str, dtype: str, setup: int, per_scan: int) -> Codelet:
    item_bytes = np.dtype(dtype).itemsize

    def row_words(columns: Any) -> int:
        if not 0 < columns <= MOST_COLUMNS[dtype]:
            raise ValueError(f"columns must be from 1 to {MOST_COLUMNS[dtype]}, not {columns}")
        return words(int(columns), dtype)

    def issues(rows: int, n: int, k: int) -> int:
        copy = 7 + 15 * (n // 4) + 7 * (n % 4)
        return setup + rows * (copy + k * (per_scan + 4 * words(n, dtype)))

    return register(
        Codelet(
            name=f"top_k_words_{short}",
            fields=(
                Field("x", Input, dtype), Field("y", Output, dtype),
                Field("index", Output, "int32"), Field("keys", Output, dtype, streamed=True),
                Scalar("columns"), Scalar("k"), Scalar("smallest"),
                Derived("level", lambda columns, **_: level(row_words(columns))),
                Derived("words", lambda columns, **_: row_words(columns)),
                Derived("row_bytes", lambda columns, **_: int(columns) * item_bytes),
                Derived("rows", lambda x, columns, **_: x // int(columns)),
                Derived("flip", lambda smallest, **_: _flip(item_bytes, smallest)),
            ),
            source="greatest.S",
            reference=_top_k,
            cycles=lambda x, y, columns, k, **_: (
                issues(x // int(columns), int(columns), int(k)) if y else 3
            ),
        )
    )  # fmt: skip


TOP_K_STREAMED: dict[str, Codelet] = {
    "float32": _top_k_codelet("f32", "float32", 42, 27),
    "float16": _top_k_codelet("f16", "float16", 49, 31),
}
"""The k greatest of each row of `columns` elements, as `top_k.TOP_K`, by dtype.

`keys` has a row's elements, in whole words, for intermediate values. How long it takes doesn't
depend on the elements, except that a row with fewer than k above -infinity takes 7 to 11 issues an
element more.
"""
