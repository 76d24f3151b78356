"""Elementary functions of f16 on arrays, correctly rounded to nearest even.

Each is a table of all 65,536 patterns: the float64 function rounded to f16. The second rounding
goes the right way: no result is nearer to a midpoint between two f16 than 2**-38 of itself (that is
the sigmoid of -2**-11), while float64 functions err by some 2**-52. A test has the nearest ones
with 40 digits. Special cases are those of IEEE 754-2019, 9.2; NaN results are canonical.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from openipu.rtl.isa import SimdOp

__all__ = ["FUNCTIONS", "evaluate"]

Halves = NDArray[np.uint16]

HALF_NAN = 0x7E00

FUNCTIONS: dict[SimdOp, Callable[[NDArray[np.float64]], NDArray[Any]]] = {
    SimdOp.H4_EXP: np.exp,
    SimdOp.H4_LOG: np.log,
    SimdOp.H4_TANH: np.tanh,
    SimdOp.H4_SIGMOID: lambda x: 1 / (1 + np.exp(-x)),
    SimdOp.H4_RECIP: lambda x: 1 / x,
    SimdOp.H4_RSQRT: lambda x: 1 / np.sqrt(x),
    SimdOp.H4_SQRT: np.sqrt,
}


def evaluate(op: SimdOp, x: ArrayLike) -> Halves:
    """Return a function of f16 patterns. Raises KeyError for an operation not in `FUNCTIONS`."""
    return _table(op)[np.asarray(x, np.uint16)]


@cache
def _table(op: SimdOp) -> Halves:
    """Return the results for all patterns in their order."""
    x = np.arange(1 << 16, dtype=np.uint16).view(np.float16).astype(np.float64)
    with np.errstate(all="ignore"):
        result = FUNCTIONS[op](x).astype(np.float16)
    patterns = np.where(np.isnan(result), np.uint16(HALF_NAN), result.view(np.uint16))
    patterns.flags.writeable = False
    return patterns
