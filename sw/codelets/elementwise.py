"""One result for each element."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from openipu.sw.codelets import arithmetic
from openipu.sw.codelets.arithmetic import F32, quiet, store
from openipu.sw.codelets.codelet import Codelet, Field, Input, Output, Scalar, register

_EMPTY = 3  # issues if there is nothing to do


def _by_fours(count: int, four: int, one: int) -> int:
    """Return the issues of a loop unrolled four times, and of another for the rest."""
    fours, rest = divmod(count, 4)
    return (5 + four * fours if fours else 0) + (7 + one * rest if rest else 0)


def _unary(
    name: str, function: Callable[[F32], F32], issues: Callable[[int], int], *, copies: bool
) -> Codelet:
    """Make a codelet y = function(x); `copies`: it moves bits, NaNs' too, and computes nothing.

    `issues`: for so many ordinary elements, more than 0.
    """

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
            cycles=lambda x, y: issues(x) if x else _EMPTY,
        )
    )


def _rectified(x: F32) -> F32:
    return np.where(x < 0, np.float32(0), x)


def _flip(x: F32) -> F32:
    return (x.view(np.uint32) ^ np.uint32(1 << 31)).view(np.float32)


def _absolute(x: F32) -> F32:
    return (x.view(np.uint32) & np.uint32((1 << 31) - 1)).view(np.float32)


UNARY: dict[str, Codelet] = {
    codelet.name: codelet
    for codelet in (
        _unary("identity", lambda x: x, lambda x: 9 + _by_fours(x, 12, 5), copies=True),
        _unary("relu", _rectified, lambda x: 9 + _by_fours(x, 28, 9), copies=True),
        _unary("negate", _flip, lambda x: 9 + _by_fours(x, 16, 6), copies=True),
        _unary("absolute", _absolute, lambda x: 9 + _by_fours(x, 16, 6), copies=True),
        _unary("exponent", arithmetic.exponential, lambda x: 47 + 34 * x, copies=False),
        _unary("invert", lambda x: np.float32(1) / x, lambda x: 9 + 11 * x, copies=False),
        _unary("logistic", arithmetic.sigmoid, lambda x: 46 + 42 * x, copies=False),
        _unary("hyperbolic_tangent", arithmetic.tangent, lambda x: 80 + 45 * x, copies=False),
    )
}
"""y = function(x), by name.

Estimates are for ordinary elements. Less time takes a quotient of 0 or of what isn't finite (7
issues), a power or a sigmoid that overflows or vanishes (10 to 16), and a tangent of |x| below
0.5625 (15) or so large that it is 1 (25).
"""


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
            cycles=_binary_issues,
        )
    )


def _binary_issues(a: int, b: int, y: int) -> int:
    if not a:
        return 5 * _EMPTY
    if b == 1:
        return 20 + _by_fours(a, 16, 6)
    return 28 + a // b * (7 + _by_fours(b, 21, 8))


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
        cycles=lambda y, value: 7 + _by_fours(y, 7, 3) if y else _EMPTY,
    )
)
"""y = value."""
