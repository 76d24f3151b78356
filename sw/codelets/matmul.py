"""Matrix products with a bias."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from openipu.sw.codelets.arithmetic import F32, product, quiet, store
from openipu.sw.codelets.codelet import Codelet, Field, Input, Output, Scalar, register

BLOCK = 4  #: rows and columns that are computed together


@dataclass(frozen=True)
class _Band:
    """Issues of up to `BLOCK` rows, besides those that each k of a block takes.

    Attributes
    ----------
    band : int
        The band's own.
    first, block : int
        Before the first whole block, and of each.
    first_column, column : int
        Before the first of the columns that are left, and of each.
    """

    band: int
    first: int
    block: int
    first_column: int
    column: int


# As compiled, by rows of a band; from w (columns, depth), and from w (depth, step).
_TRANSPOSED = {
    1: _Band(6, 7, 40, 7, 15),
    2: _Band(4, 19, 33, 12, 21),
    3: _Band(1, 25, 42, 19, 25),
    4: _Band(15, 17, 51, 25, 29),
}
_PLAIN = {
    1: _Band(6, 9, 20, 10, 13),
    2: _Band(3, 15, 31, 16, 18),
    3: _Band(1, 21, 41, 22, 22),
    4: _Band(8, 26, 51, 26, 26),
}


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
    bands, rest = divmod(rows, BLOCK)
    blocks, left = divmod(columns, BLOCK)

    def inner(height: int, width: int) -> int:
        pointers = height + (width if transposed else 1) + 2
        return depth * (height + width + height * width + pointers)

    def of_band(height: int) -> int:
        costs = (_TRANSPOSED if transposed else _PLAIN)[height]
        total = costs.band
        if blocks:
            total += costs.first + blocks * (costs.block + inner(height, BLOCK))
        if left:
            total += costs.first_column + left * (costs.column + inner(height, 1))
        return total

    setup = (77 if bands else 61) if transposed else (64 if bands else 58)
    return setup + (bands * of_band(BLOCK) if bands else 0) + (of_band(rest) if rest else 0)


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
