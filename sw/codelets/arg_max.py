"""Where the greatest element of each row is, by streams."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from openipu.sw.codelets.codelet import Codelet, Derived, Field, Input, Output, Scalar, register
from openipu.sw.codelets.streams import lanes, level, words

MOST_COLUMNS: dict[str, int] = {"float16": 4 << 11, "float32": 2 << 15}
"""Of a row: its words are counted in elements' type, which must have each number, or a stream."""


def _arg_max(*, x: NDArray[Any], y: NDArray[np.int32], columns: Any) -> None:
    if y.size:
        rows = x.reshape(y.size, int(columns))
        y[...] = np.where(np.isnan(rows), -np.inf, rows).argmax(axis=1)


def _codelet(short: str, dtype: str, setup: int, per_row: int) -> Codelet:
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
            source="arg_max.S",
            reference=_arg_max,
            cycles=lambda x, y, columns: setup + y * per_row + 4 * words(x, dtype),
        )
    )  # fmt: skip


ARG_MAX_STREAMED: dict[str, Codelet] = {
    "float32": _codelet("f32", "float32", 33, 17),
    "float16": _codelet("f16", "float16", 38, 21),
}
"""Where the greatest of each row of `columns` elements, whole words, is, by dtype.

The first of equal ones; NaNs are passed over. A row that has nothing above -infinity gives 0.
"""
