"""Softmax of rows."""

from typing import Any

import numpy as np

from openipu.sw.codelets.arithmetic import (
    F32,
    exponential,
    maximum,
    quiet,
    store,
)
from openipu.sw.codelets.codelet import Codelet, Field, Input, Output, Scalar, register


def _softmax(*, x: F32, y: F32, columns: Any) -> None:
    if not x.size:
        return
    rows = x.reshape(-1, int(columns))
    top = np.full(len(rows), -np.inf, np.float32)
    total = np.zeros(len(rows), np.float32)
    with quiet():
        for column in rows.T:
            top = maximum(top, column)
        values = exponential(rows - top[:, None])
        for column in values.T:
            total = total + column
        factors: F32 = np.float32(1) / total
        store(y, values * factors[:, None])


SOFTMAX = register(
    Codelet(
        name="softmax",
        fields=(Field("x", Input), Field("y", Output), Scalar("columns")),
        source="softmax.c",
        reference=_softmax,
        cycles=lambda x, y, columns: 64 + 45 * x + 23 * (x // int(columns)) if x else 3,
    )
)
"""y = e**(x - max x) / sum, for each row of `columns` elements; sums in ascending order."""
