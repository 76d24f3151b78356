"""Results of several elements each: sums, extremes, and where the greatest is."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray

from openipu.sw.codelets import arithmetic
from openipu.sw.codelets.arithmetic import F32, quiet, store
from openipu.sw.codelets.codelet import Codelet, Field, Input, Output, Scalar, register

_SCALARS = Scalar("count"), Scalar("step"), Scalar("stride")


def _items(x: F32, results: int, count: Any, step: Any, stride: Any) -> F32:
    """Return x as (results, count): result j's k-th item is x[j * step + k * stride]."""
    if results and count and (results - 1) * int(step) + (int(count) - 1) * int(stride) >= x.size:
        raise ValueError("reduce: the items must lie within x")
    size = x.itemsize
    return as_strided(x, (results, int(count)), (int(step) * size, int(stride) * size))


def _reduction(name: str, start: float, function: Callable[[F32, F32], F32]) -> Codelet:
    def reference(*, x: F32, y: F32, count: Any, step: Any, stride: Any) -> None:
        total = np.full(y.size, start, np.float32)
        with quiet():
            for column in _items(x, y.size, count, step, stride).T:
                total = function(total, column)
        store(y, total)

    return register(
        Codelet(
            name=name,
            fields=(Field("x", Input), Field("y", Output), *_SCALARS),
            source="reduce.c",
            reference=reference,
            cycles=lambda x, y, count, step, stride: (
                10 + y * (13 + 5 * int(count) if count else 7) if y else 3
            ),
        )
    )


REDUCE: dict[str, Codelet] = {
    codelet.name: codelet
    for codelet in (
        _reduction("reduce_sum", 0.0, lambda total, x: total + x),
        _reduction("reduce_max", -np.inf, arithmetic.maximum),
        _reduction("reduce_min", np.inf, arithmetic.minimum),
    )
}
"""y[j] from x[j * step + k * stride] for k < count, in ascending k, by name."""


def _arg_max(
    *, x: F32, y: NDArray[np.int32], count: Any, step: Any, stride: Any
) -> None:
    items = _items(x, y.size, count, step, stride)
    best, at = np.full(y.size, -np.inf, np.float32), np.zeros(y.size, np.int32)
    for k, column in enumerate(items.T):
        greater = column > best
        best, at = np.where(greater, column, best), np.where(greater, np.int32(k), at)
    y[...] = at


ARG_MAX = register(
    Codelet(
        name="arg_max",
        fields=(Field("x", Input), Field("y", Output, "int32"), *_SCALARS),
        source="reduce.c",
        reference=_arg_max,
        cycles=lambda x, y, count, step, stride: (
            8 + y * (16 + 9 * int(count) if count else 10) if y else 3
        ),
    )
)
"""The same, but where the greatest is, the first of equal ones; NaNs are passed over.

Where nothing is above -infinity it is 0.
"""
