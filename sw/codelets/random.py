"""Random numbers: uniform, normal, and masks."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from openipu.cosim.golden.random import advance
from openipu.sw.codelets.codelet import (
    Codelet,
    Derived,
    Field,
    InOut,
    Output,
    Scalar,
    register,
)
from openipu.sw.codelets.streams import DTYPES, level, words

Array = NDArray[Any]

SUMMED = 12
"""Uniform numbers in a normal one."""


def _numbers(state: NDArray[np.uint32], count: int) -> NDArray[np.uint64]:
    """Return the next numbers of a vertex, and leave the state of the next time."""
    now = [int(half) for half in state.view(np.uint64)]
    state.view(np.uint64)[...] = advance(now), advance(now)
    return np.array([advance(now) for _ in range(count)], np.uint64)


def _from_one_to_two(numbers: NDArray[np.uint64]) -> NDArray[np.float32]:
    bits = numbers.view(np.uint32) & np.uint32(0x007F_FFFF) | np.uint32(0x3F80_0000)
    return bits.view(np.float32)


def _uniform(*, state: NDArray[np.uint32], y: Array) -> None:
    numbers = _numbers(state, words(y.size, y.dtype.name))
    if y.dtype == np.float16:
        bits = numbers.view(np.uint16) & np.uint16(0x03FF) | np.uint16(0x3C00)
        y[...] = (bits.view(np.float16) - np.float16(1))[: y.size]
    else:
        y[...] = (_from_one_to_two(numbers) - np.float32(1))[: y.size]


def _bernoulli(*, state: NDArray[np.uint32], y: Array, probability: Any) -> None:
    numbers = _numbers(state, words(y.size, y.dtype.name) * (4 // y.itemsize))
    limit = np.float32(probability) + np.float32(1)
    y[...] = (_from_one_to_two(numbers) < limit)[: y.size]


def _normal(*, state: NDArray[np.uint32], y: Array) -> None:
    numbers = _numbers(state, SUMMED * words(y.size, y.dtype.name) * (4 // y.itemsize))
    uniform = _from_one_to_two(numbers).reshape(-1, SUMMED, 2)
    total = uniform[:, 0]
    for k in range(1, SUMMED):
        total = total + uniform[:, k]
    y[...] = (total - np.float32(18)).reshape(-1)[: y.size].astype(y.dtype)


def _codelet(
    name: str, dtype: str, reference: Callable[..., None], cycles: Callable[..., int], *,
    plain: bool = False,
) -> Codelet:  # fmt: skip
    scalars = [Scalar("probability", "f32")] if reference is _bernoulli else []
    derived = Derived("level", lambda y, **_: level(words(y, dtype)))
    return register(
        Codelet(
            name=name,
            fields=(
                Field("state", InOut, "uint32", streamed=True),
                Field("y", Output, dtype, streamed=True), *scalars, *([] if plain else [derived]),
            ),
            source="random.c" if plain else "random.S",
            reference=reference,
            cycles=cycles,
        )
    )  # fmt: skip


def _by_words(start: int, each: int, dtype: str) -> Callable[..., int]:
    return lambda state, y, **_: start + each * words(y, dtype)


def _by_elements(start: int, some: int, low: int, high: int) -> Callable[..., int]:
    """Return an estimate: `some` more if there are any, then for the two elements of a word."""
    return lambda state, y, **_: start + some * (y > 0) + low * -(-y // 2) + high * (y // 2)


RANDOM: dict[tuple[str, str], Codelet] = {
    (kind, dtype): _codelet(
        f"{kind}_{short}", dtype, reference, _by_words(*costs[short], dtype)
    )
    for kind, reference, costs in (
        ("uniform", _uniform, {"f32": (28, 3), "f16": (28, 3)}),
        ("bernoulli", _bernoulli, {"f32": (31, 4), "f16": (31, 9)}),
        ("normal", _normal, {"f32": (31, 36), "f16": (31, 75)}),
    )
    for short, dtype in DTYPES.items()
}
"""Random y, by kind and dtype.

`state` is the state of the generator xoroshiro128aox, four words that mustn't all be 0; it changes,
so that the numbers are others the next time. "uniform": in [0, 1), whole multiples of 2^-23, or of
2^-10 in float16. "bernoulli": 1 with the probability given, which is rounded to 2^-23, else 0.
"normal": nearly so, the sum of 12 uniform f32 less 6.
"""

RANDOM_PLAIN: dict[str, Codelet] = {
    kind: _codelet(f"{kind}_plain", "float32", reference, _by_elements(*costs), plain=True)
    for kind, reference, costs in (
        ("uniform", _uniform, (80, 27, 51, 14)),
        ("bernoulli", _bernoulli, (80, 28, 52, 15)),
        ("normal", _normal, (84, 29, 611, 5)),
    )
}
"""The same numbers in float32 on a tile without random instructions, by kind."""
