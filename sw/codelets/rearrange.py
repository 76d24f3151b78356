"""Moving elements about within a tile."""

from typing import Any

import numpy as np

from openipu.sw.codelets.arithmetic import F32
from openipu.sw.codelets.codelet import Codelet, Field, Input, Output, Scalar, register


def _transpose(*, x: F32, y: F32, rows: Any, columns: Any, step: Any) -> None:
    r, c, s = int(rows), int(columns), int(step)
    index = np.arange(c)[:, None] + np.arange(r) * s
    y[...] = x[index.reshape(-1)]


def _codelet(name: str, dtype: str) -> Codelet:
    return register(
        Codelet(
            name=name,
            fields=(
                Field("x", Input, dtype), Field("y", Output, dtype),
                Scalar("rows"), Scalar("columns"), Scalar("step"),
            ),
            source="rearrange.c",
            reference=_transpose,
            cycles=lambda x, y, rows, columns, step: 25 + int(columns) * (8 + 5 * int(rows)),
        )
    )  # fmt: skip


TRANSPOSE: dict[str, Codelet] = {
    "float32": _codelet("transpose", "float32"),
    "float16": _codelet("transpose_halves", "float16"),
}
"""y (columns, rows) = x (rows, columns) transposed, by dtype; rows of x are `step` apart."""
