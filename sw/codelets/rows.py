"""Functions of rows: normalisation and softmax, by streams where rows are whole words.

Rows are normalised in f32, whatever their type: to mean 0 and variance 1 (but for epsilon).
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from openipu.rtl.isa import SimdOp
from openipu.sw.codelets.arithmetic import F32, f32, fma, quiet, rounded, store
from openipu.sw.codelets.codelet import (
    Codelet,
    Derived,
    Field,
    Input,
    Output,
    Scalar,
    register,
)
from openipu.sw.codelets.reduce_streams import extreme, row_sums
from openipu.sw.codelets.streams import evaluate, lanes, level

Array = NDArray[Any]


def _streamed(dtype: str, *scalars: Scalar) -> tuple[Field | Scalar | Derived, ...]:
    """Return the fields of a codelet that goes through each row of x three times."""
    each = lanes(dtype)

    def words(columns: Any) -> int:
        if columns % each:
            raise ValueError(f"columns must be whole words, not {columns}")
        return int(columns) // each

    def rows(x: int, columns: Any) -> int:
        return x // max(int(columns), 1)

    def passes(count: int) -> Any:
        return lambda columns, **_: level(count, 1 - words(columns))

    return (
        Field("x", Input, dtype, streamed=True),
        Field("y", Output, dtype, streamed=True),
        Scalar("columns"),
        *scalars,
        Derived("level", lambda columns, **_: level(words(columns))),
        Derived("passes", passes(3)),
        Derived("passes_high", passes(2)),
        Derived("rows_level", lambda x, columns, **_: level(rows(x, columns))),
        Derived("y_level", lambda x, **_: level(-(-x // each))),
        Derived("rows", lambda x, columns, **_: rows(x, columns)),
        Derived("words", lambda columns, **_: words(columns)),
    )


def _normalise(
    x: Array, sums: F32, columns: int, each: int, share: Any, epsilon: Any
) -> F32:
    """Return rows normalised, given their sums; squares are added up in `each` lanes."""
    rows: F32 = x.reshape(-1, columns).astype(np.float32)
    with quiet():
        mean: F32 = np.multiply(sums, np.float32(share), dtype=np.float32)
        shifted = f32(rows - mean[:, None])
        squares = np.zeros((len(rows), each), np.float32)
        for part in shifted.reshape(len(rows), -1, each).transpose(1, 0, 2):
            squares = fma(part, part, squares)
        total = squares[:, 0] if each == 1 else squares[:, 0] + squares[:, 1]
        factor = np.float32(1) / np.sqrt(fma(total, share, epsilon))
        result = f32(shifted * factor[:, None])
    return result


def _normalise_streamed(
    *, x: Array, y: Array, columns: Any, share: Any, epsilon: Any
) -> None:
    if not x.size:
        return
    sums = row_sums(x.reshape(-1, int(columns)))
    store(y, _normalise(x, sums, int(columns), 2, share, epsilon))


def _cycles(setup: int, per_row: int, per_word: int, each: int) -> Any:
    def cycles(x: int, columns: Any, **_: Any) -> int:
        return setup + x // max(int(columns), 1) * per_row + x // each * per_word

    return cycles


_DIVIDES = 10
"""Issues of a division and a root, where the unit for them is free."""

NORMALISE: dict[str, Codelet] = {
    dtype: register(
        Codelet(
            name=f"normalise_{short}",
            fields=_streamed(dtype, Scalar("share", "f32"), Scalar("epsilon", "f32")),
            source="rows.S",
            reference=_normalise_streamed,
            cycles=_cycles(setup, per_row + _DIVIDES, per_word, lanes(dtype)),
        )
    )
    for dtype, short, setup, per_row, per_word in (
        ("float32", "f32", 19, 15, 5), ("float16", "f16", 22, 14, 14),
    )
}  # fmt: skip
"""y = (x - mean) / sqrt(variance + epsilon) for each row of `columns`, whole words, by dtype.

`share` is 1 / columns.
"""


def _normalise_plain(
    *, x: F32, y: F32, columns: Any, share: Any, epsilon: Any
) -> None:
    if not x.size:
        return
    rows = x.reshape(-1, int(columns))
    sums = np.zeros(len(rows), np.float32)
    with quiet():
        for column in rows.T:
            sums = sums + column
    store(y, _normalise(x, sums, int(columns), 1, share, epsilon))


NORMALISE_PLAIN = register(
    Codelet(
        name="normalise",
        fields=(
            Field("x", Input), Field("y", Output), Scalar("columns"), Scalar("share", "f32"),
            Scalar("epsilon", "f32"),
        ),
        source="normalise.c",
        reference=_normalise_plain,
        cycles=lambda x, y, columns, **_: 17 + 16 * x + 31 * (x // int(columns)) if x else 3,
    )
)  # fmt: skip
"""The same of f32, for rows of any length."""


def _softmax(*, x: Array, y: Array, columns: Any) -> None:
    if not x.size:
        return
    rows = x.reshape(-1, int(columns))
    top = np.repeat(extreme("max", rows), rows.shape[1])
    shifted = evaluate(SimdOp.H4_SUB, x, top)
    values = evaluate(SimdOp.H4_EXP, shifted)
    with quiet():
        shares: F32 = np.float32(1) / row_sums(values.reshape(rows.shape))
    factors = rounded(shares, np.float16)
    y[...] = evaluate(SimdOp.H4_MUL, values, np.repeat(factors, rows.shape[1]))


SOFTMAX_F16 = register(
    Codelet(
        name="softmax_f16",
        fields=_streamed("float16"),
        source="rows.S",
        reference=_softmax,
        cycles=_cycles(19, 12 + _DIVIDES // 2, 7, 4),
    )
)
"""y = e**(x - max x) / sum, for each row of `columns` elements, whole words."""
