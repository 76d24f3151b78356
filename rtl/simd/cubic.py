"""Cubics in small integers, and the search for one that keeps within intervals.

Not the nearest cubic is wanted but one that the hardware, with all that it cuts off, evaluates to
values that round to the right results. Each argument allows an interval of values: the idea of
J. Lim and S. Nagarakatte, "High Performance Correctly Rounded Math Libraries for 32-bit Floating
Point Representations", PLDI 2021.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

ARGUMENT_BITS = 10  #: of t
COARSE_BITS = 8  #: of those, with which c2 and c3 are multiplied
SLOPE_SHIFT = 7  #: c1, c2 and c3 count 2**(ARGUMENT_BITS - SLOPE_SHIFT) units of the value

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

_NEIGHBOURS = np.array([(u, v) for u in range(-3, 4) for v in range(-3, 4)])
_STEPS = (0, 32, 16, 8, 4, 2, 1)


class Cubic(NamedTuple):
    """Coefficients. With T the upper `COARSE_BITS` of t, and each quotient rounded down, it is

    c0 + (c1 + (c2 + c3*T / 2**COARSE_BITS) * T / 2**COARSE_BITS) * t / 2**SLOPE_SHIFT
    """

    c0: int
    c1: int = 0
    c2: int = 0
    c3: int = 0


BITS = Cubic(c0=20, c1=17, c2=13, c3=9)
"""Widths of the coefficients; all but c0 are signed."""

_LEAST = Cubic(0, *(-1 << bits - 1 for bits in BITS[1:]))
_GREATEST = Cubic((1 << BITS.c0) - 1, *((1 << bits - 1) - 1 for bits in BITS[1:]))


def evaluate(cubic: Cubic, t: Ints) -> Ints:
    """Return the values at t, each from 0 to 2**ARGUMENT_BITS - 1."""
    c0, c1, c2, c3 = cubic
    slope = c1 + _curvature(np.array([c2]), np.array([c3]), t)[0]
    return c0 + (slope * t >> SLOPE_SHIFT)


def _curvature(c2: Ints, c3: Ints, t: Ints) -> Ints:
    """Return what c2 and c3, a row for each of them, add to c1."""
    coarse = t >> ARGUMENT_BITS - COARSE_BITS
    return (c2[:, None] + (c3[:, None] * coarse >> COARSE_BITS)) * coarse >> COARSE_BITS


def fit(t: Ints, target: Floats, least: Ints, greatest: Ints) -> Cubic | None:
    """Return a cubic near `target` whose values are from `least` to `greatest`.

    Returns None if it finds none, which doesn't prove that there is none.
    """
    low, high = int(least.max()), min(int(greatest.min()), _GREATEST.c0)
    if low <= high:
        return Cubic(low + high >> 1)
    free = min(len(t), len(BITS))
    if free == 1:
        return None
    centre = _start(t, np.clip(target, least, greatest), free)
    for step in _STEPS if free > 2 else _STEPS[:1]:
        # A change of c3 is felt least if c2 makes up for it as in a Chebyshev polynomial.
        u, v = np.unique(step * _NEIGHBOURS, axis=0).T
        c2, c3 = centre[0] + v - 3 * u // 2, centre[1] + u
        legal = (c2 >= _LEAST.c2) & (c2 <= _GREATEST.c2) & (c3 >= _LEAST.c3) & (c3 <= _GREATEST.c3)
        if not legal.any():
            continue
        c2, c3 = c2[legal], c3[legal]
        # Bounds of c0 * 2**SLOPE_SHIFT + c1 * t, a row for each c2 and c3.
        bend = _curvature(c2, c3, t) * t
        bottom = (least << SLOPE_SHIFT) - bend
        top = (greatest + 1 << SLOPE_SHIFT) - 1 - bend
        # In each row some c1 that leave most room for c0.
        c1 = _best_slope(t, bottom, top)[:, None] + np.arange(-2, 3)
        c1 = np.clip(c1, _LEAST.c1, _GREATEST.c1)
        line = c1[:, :, None] * t
        floor, ceiling = (bottom[:, None] - line).max(2), (top[:, None] - line).min(2)
        low_c0 = np.maximum(-(-floor >> SLOPE_SHIFT), _LEAST.c0)
        high_c0 = np.minimum(ceiling >> SLOPE_SHIFT, _GREATEST.c0)
        room = ceiling - floor
        found = low_c0 <= high_c0
        if found.any():
            most = np.where(found, room, np.iinfo(np.int64).min).argmax()
            at = np.unravel_index(most, room.shape)
            c0 = int(low_c0[at] + high_c0[at]) >> 1
            return Cubic(c0, int(c1[at]), int(c2[at[0]]), int(c3[at[0]]))
        row = room.max(1).argmax()
        centre = int(c2[row]), int(c3[row])
    return None


def _start(t: Ints, target: Floats, free: int) -> tuple[int, int]:
    """Return c2 and c3 of the cubic with the least squares, or line or parabola of few points."""
    x = t / (1 << ARGUMENT_BITS)
    powers = np.stack([np.ones(len(t)), x, x * x, x * x * x], 1)[:, :free]
    solved = np.linalg.lstsq(powers, target, rcond=None)[0]
    unit = 1 << ARGUMENT_BITS - SLOPE_SHIFT
    c2, c3 = (int(np.rint(c / unit)) for c in [*solved[2:], 0.0, 0.0][:2])
    within = min(max(c3, _LEAST.c3), _GREATEST.c3)
    return c2 + 3 * (c3 - within) // 2, within


def _best_slope(t: Ints, bottom: Ints, top: Ints) -> Ints:
    """Return for each row the c1 with the most room between bottom - c1 * t and top - c1 * t."""
    low = np.full(len(bottom), _LEAST.c1)
    high = np.full(len(bottom), _GREATEST.c1)
    while (low < high).any():  # the room is concave in c1
        c1 = low + high >> 1
        line = c1[:, None] * t
        steeper = t[(bottom - line).argmax(1)] > t[(top - line).argmin(1)]
        low, high = np.where(steeper & (low < high), c1 + 1, low), np.where(steeper, high, c1)
        high = np.maximum(low, high)
    return low
