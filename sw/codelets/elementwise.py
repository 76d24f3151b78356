"""One result for each element."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from openipu.sw.codelets import arithmetic
from openipu.sw.codelets.arithmetic import F32, quiet, store
from openipu.sw.codelets.codelet import Codelet, Field, Input, Output, Scalar, register

_OVERHEAD = 25  # issues besides the loop's


def _unary(name: str, function: Callable[[F32], F32], per_element: int, *, copies: bool) -> Codelet:
    """Make a codelet y = function(x); `copies`: it moves bits, NaNs' too, and computes nothing."""

    def reference(*, x: F32, y: F32) -> None:
        with quiet():
            value = function(x)
        if copies:
            y[...] = value
        else:
            store(y, value)

    return register(
        Codelet(
            name=name,
            fields=(Field("x", Input), Field("y", Output)),
            source="elementwise.c",
            reference=reference,
            cycles=lambda x, y: _OVERHEAD + per_element * x,
        )
    )


def _flip(x: F32) -> F32:
    return (x.view(np.uint32) ^ np.uint32(1 << 31)).view(np.float32)


def _absolute(x: F32) -> F32:
    return (x.view(np.uint32) & np.uint32((1 << 31) - 1)).view(np.float32)


UNARY: dict[str, Codelet] = {
    codelet.name: codelet
    for codelet in (
        _unary("identity", lambda x: x, 3, copies=True),
        _unary("relu", lambda x: np.where(x < 0, np.float32(0), x), 7, copies=True),
        _unary("negate", _flip, 4, copies=True),
        _unary("absolute", _absolute, 4, copies=True),
        _unary("exponent", arithmetic.exponential, 35, copies=False),
        _unary("invert", lambda x: np.float32(1) / x, 11, copies=False),
        _unary("logistic", arithmetic.sigmoid, 42, copies=False),
        _unary("hyperbolic_tangent", arithmetic.tangent, 41, copies=False),
    )
}
"""y = function(x), by name."""


def _binary(name: str, function: Callable[[F32, F32], F32]) -> Codelet:
    def reference(*, a: F32, b: F32, y: F32) -> None:
        if a.size:
            with quiet():
                store(y, function(a.reshape(-1, b.size), b))

    return register(
        Codelet(
            name=name,
            fields=(Field("a", Input), Field("b", Input), Field("y", Output)),
            source="elementwise.c",
            reference=reference,
            cycles=lambda a, b, y: (
                _OVERHEAD + 12 + (4 * a if b == 1 else 5 * a + 20 * (a // max(b, 1)))
            ),
        )
    )


BINARY: dict[str, Codelet] = {
    codelet.name: codelet
    for codelet in (
        _binary("add", lambda a, b: a + b),
        _binary("subtract", lambda a, b: a - b),
        _binary("multiply", lambda a, b: a * b),
        _binary("maximum", arithmetic.maximum),
        _binary("minimum", arithmetic.minimum),
    )
}
"""y = function(a, b), by name; b repeats for every len(b) elements of a."""


def _fill(*, y: NDArray[np.float32], value: Any) -> None:
    y[...] = value


FILL = register(
    Codelet(
        name="fill",
        fields=(Field("y", Output), Scalar("value", "f32")),
        source="elementwise.c",
        reference=_fill,
        cycles=lambda y, value: _OVERHEAD + 7 * y // 4,
    )
)
"""y = value."""
