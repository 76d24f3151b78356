"""The greatest or least elements of rows, with where they are."""

from math import log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from openipu.sw.codelets.codelet import Codelet, Field, Input, Output, Scalar, register


def order(x: NDArray[Any], smallest: bool) -> NDArray[np.int64]:
    """Return whole numbers in the order of floating elements: zeros are equal, NaNs last."""
    width = 8 * x.itemsize
    least = -(1 << 31)
    bits = x.view(f"u{x.itemsize}").astype(np.int64)
    magnitude = bits & (1 << width - 1) - 1
    keys = np.where(bits >> width - 1 == 1, -magnitude, magnitude)
    return np.where(np.isnan(x), least, -keys if smallest else keys)


def select(
    x: NDArray[Any], y: NDArray[Any], index: NDArray[np.int32], columns: int, k: int, smallest: bool
) -> NDArray[np.int64]:
    """Write the first k elements of each row of x to y and where they are to index; return that."""
    rows = order(x, smallest).reshape(-1, columns)
    # A stable sort of what is negated: the greatest first, of equal ones the first.
    chosen = np.argsort(-rows, axis=1, kind="stable")[:, :k]
    bits = x.view(f"u{x.itemsize}").reshape(-1, columns)
    y.view(bits.dtype)[...] = np.take_along_axis(bits, chosen, 1).reshape(-1)
    index[...] = chosen.reshape(-1)
    return chosen


def _top_k(
    *, x: NDArray[Any], y: NDArray[Any], index: NDArray[np.int32], keys: NDArray[np.int32],
    columns: Any, k: Any, smallest: Any,
) -> None:  # fmt: skip
    if y.size:
        chosen = select(x, y, index, int(columns), int(k), bool(smallest))
        keys[...] = order(x[-int(columns) :], bool(smallest))[chosen[-1]]


def _issues(start: int, rows: int, n: int, top: int) -> int:
    # Of elements in random order, number j is among the first k as k / j, then half of them move.
    kept = top * (1 + _harmonic(n) - _harmonic(top))
    moves = top * (top - 1) / 4 + (kept - top) * (top - 1) / 2
    insertions = 12 * kept + 5 * (kept - 1) * (top > 1) + 9 * moves
    return round(start + rows * (13 + 16 * n + 8 * top + insertions))


def _harmonic(count: int) -> float:
    """Return 1 + 1 / 2 + ... + 1 / count, nearly."""
    return log(count + 0.5) + 0.5772


def _codelet(short: str, dtype: str, start: int) -> Codelet:
    return register(
        Codelet(
            name=f"top_k_{short}",
            fields=(
                Field("x", Input, dtype), Field("y", Output, dtype),
                Field("index", Output, "int32"), Field("keys", Output, "int32"),
                Scalar("columns"), Scalar("k"), Scalar("smallest"),
            ),
            source="top_k.c",
            reference=_top_k,
            cycles=lambda x, y, columns, k, **_: (
                _issues(start, x // int(columns), int(columns), int(k)) if y else 3
            ),
        )
    )  # fmt: skip


TOP_K: dict[str, Codelet] = {
    "float32": _codelet("f32", "float32", 34),
    "float16": _codelet("f16", "float16", 38),
}
"""The k greatest of each row of `columns` elements, in y, and where they are in the row, in index.

By dtype. The greatest comes first (the least, if `smallest`); of equal ones the first. NaNs come
last. `keys` has k elements, for intermediate values; k is from 1 to `columns`. How long it takes
depends on the elements; the estimate is the mean for those in random order.
"""
