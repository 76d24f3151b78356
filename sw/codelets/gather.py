"""Rows of a table, chosen by index."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from openipu.sw.codelets.codelet import Codelet, Derived, Field, Input, Output, Scalar, register
from openipu.sw.codelets.streams import level, words

DTYPES = {"f16": "float16", "f32": "float32", "i32": "int32"}
"""Element types of tables, by their name in codelets'."""


def _gather(
    *, table: NDArray[Any], index: NDArray[np.int32], y: NDArray[Any], rows: Any, columns: Any
) -> None:
    row = index.astype(np.int64) + np.where(index < 0, np.int64(rows), 0)
    there = (row >= 0) & (row < int(rows))
    result = np.zeros((index.size, int(columns)), y.dtype)
    result[there] = table.reshape(int(rows), int(columns))[row[there]]
    y[...] = result.reshape(-1)


def _by_words(short: str) -> Codelet:
    dtype = DTYPES[short]

    def again(table: int, index: int, y: int, rows: Any, columns: Any) -> int:
        if int(columns) * np.dtype(dtype).itemsize % 8:
            raise ValueError(f"gather_words_{short}: a row must be whole words, not {columns} long")
        return level(index)

    return register(
        Codelet(
            name=f"gather_words_{short}",
            fields=(
                Field("table", Input, dtype, streamed=True),
                Field("index", Input, "int32", streamed=True, apart_from=("table",)),
                Field("y", Output, dtype, streamed=True),
                Scalar("rows"), Scalar("columns"),
                Derived("row", lambda columns, **_: level(words(int(columns), dtype))),
                Derived("again", again),
            ),
            source="gather.S",
            reference=_gather,
            cycles=lambda table, index, y, rows, columns: 15 + index * (
                8 + words(int(columns), dtype)
            ) if index else 10,
        )
    )  # fmt: skip


def _row_cycles(columns: int) -> int:
    fours, rest = divmod(columns, 4)
    return 16 + (2 + 11 * fours if fours else 0) + (1 + 7 * rest if rest else 0)


def _plain(short: str) -> Codelet:
    return register(
        Codelet(
            name=f"gather_{short}",
            fields=(
                Field("table", Input, DTYPES[short]), Field("index", Input, "int32"),
                Field("y", Output, DTYPES[short]), Scalar("rows"), Scalar("columns"),
            ),
            source="gather.c",
            reference=_gather,
            cycles=lambda table, index, y, rows, columns: 17 + index * _row_cycles(int(columns)),
        )
    )  # fmt: skip


GATHER_WORDS: dict[str, Codelet] = {dtype: _by_words(short) for short, dtype in DTYPES.items()}
"""y (index, columns) = rows of table (rows, columns), by dtype; rows are whole words.

A negative index counts from the end, as in ONNX. A row that isn't there then is zeros.
"""

GATHER: dict[str, Codelet] = {dtype: _plain(short) for short, dtype in DTYPES.items()}
"""The same for rows of any length, element by element."""
