"""Matrix products with a bias."""

from typing import Any

import numpy as np

from openipu.sw.codelets.arithmetic import F32, product, quiet, store
from openipu.sw.codelets.codelet import Codelet, Field, Input, Output, Scalar, register

BLOCK = 4  #: rows and columns that are computed together


def _matmul_nt(*, x: F32, w: F32, bias: F32, y: F32, rows: Any, depth: Any) -> None:
    with quiet():
        left, right = x.reshape(int(rows), int(depth)), w.reshape(bias.size, int(depth)).T
        store(y, product(left, right, bias))


def _matmul_nn(
    *, x: F32, w: F32, bias: F32, y: F32, rows: Any, depth: Any, step: Any
) -> None:
    d, s = int(depth), int(step)
    padded = np.zeros(d * s, np.float32)  # the last row may end before its `step` elements
    padded[: w.size] = w
    with quiet():
        store(y, product(x.reshape(int(rows), d), padded.reshape(d, s)[:, : bias.size], bias))


def issues(rows: int, columns: int, depth: int, *, transposed: bool = True) -> int:
    """Return the estimated issues of a product: blocks of loads, multiply-adds and pointers."""
    total = 60
    for height, bands in ((BLOCK, rows // BLOCK), (rows % BLOCK, 1 if rows % BLOCK else 0)):
        for width, blocks in ((BLOCK, columns // BLOCK), (1, columns % BLOCK)):
            pointers = height + (width if transposed else 1) + 1
            inner = height + width + height * width + pointers
            total += bands * blocks * (depth * inner + 3 * height * width + 30)
        total += 10 * bands
    return total


_VECTORS = Field("x", Input), Field("w", Input), Field("bias", Input), Field("y", Output)

MATMUL_NT = register(
    Codelet(
        name="matmul_nt",
        fields=(*_VECTORS, Scalar("rows"), Scalar("depth")),
        source="matmul.c",
        reference=_matmul_nt,
        cycles=lambda x, w, bias, y, rows, depth: issues(int(rows), bias, int(depth)),
    )
)
"""y (rows, columns) = x (rows, depth) . w (columns, depth) transposed + bias (columns)."""

MATMUL_NN = register(
    Codelet(
        name="matmul_nn",
        fields=(*_VECTORS, Scalar("rows"), Scalar("depth"), Scalar("step")),
        source="matmul.c",
        reference=_matmul_nn,
        cycles=lambda x, w, bias, y, rows, depth, step: issues(
            int(rows), bias, int(depth), transposed=False
        ),
    )
)
"""The same with w as (depth, step), of which the first columns count."""
