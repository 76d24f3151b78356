"""SIMD operations on arrays of 64-bit words, bit for bit what the hardware gives.

Lane 0 is in the lowest bits. Everything is rounded to nearest even, subnormal numbers included, and
NaN results are canonical. minimum and maximum: -0 < +0, a NaN loses. A scalar operand or result is
in the low 32 bits, zeros above it; an f16 alone has ones above it up to bit 31.

`H4_MADD`, `S2_MADD` round once. The sums round each addition to f32; products of f16 are exact in
f32. `narrow_random` says how `NARROW_RANDOM` rounds.

`semantics_simd` has the same operations for one word at a time; tests compare the two.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from openipu.cosim.golden import functions, numerics
from openipu.rtl.isa import SimdOp

__all__ = ["HALF_NAN", "OPERATIONS", "evaluate", "half_madd", "narrow", "narrow_random"]

Words = NDArray[np.uint64]
Array = NDArray[Any]
Operation = Callable[[Words, Words, Words, Words], Array]

HALF_NAN = 0x7E00
HALF_INFINITY = 0x7C00
BOX = 0xFFFF_0000  #: above an f16 in an f register
BEYOND = 0x477F_F000  #: f32 65520, the least that f16 rounds to infinity
LEAST_NORMAL = 113  #: the f32 exponent field of the least normal f16


def evaluate(
    op: SimdOp, a: ArrayLike, b: ArrayLike = 0, c: ArrayLike = 0, random: ArrayLike = 0
) -> Words:
    """Return the results of an operation on words that broadcast.

    `random` are the 64 random bits that NARROW_RANDOM takes. Raises KeyError for an operation that
    isn't in `OPERATIONS`.
    """
    operands = (np.asarray(x, np.uint64) for x in (a, b, c, random))
    words = [x.copy() for x in np.broadcast_arrays(*operands)]
    with np.errstate(all="ignore"):
        return _join(OPERATIONS[op](*words))


def half_madd(a: Array, b: Array, c: Array) -> Array:
    """Return a * b + c of float16 arrays, rounded once; NaNs are as NumPy has them."""
    product = a.astype(np.float64) * b.astype(np.float64)  # exact
    addend = c.astype(np.float64)
    total = product + addend
    # The sum to odd: what float64 lost can't make the second rounding go astray then.
    back = total - product
    lost = (product - (total - back)) + (addend - back)
    bits = total.view(np.int64)
    even = (lost != 0) & np.isfinite(total) & (bits & 1 == 0)
    bits += np.where(even, np.where((lost > 0) == (total > 0), 1, -1), 0)
    return total.astype(np.float16)


def narrow(bits: Array) -> Array:
    """Return the f16 patterns nearest to f32 patterns, with ties to even."""
    with np.errstate(all="ignore"):
        return _patterns(bits.view(np.float32).astype(np.float16))


def narrow_random(bits: Array, random: Array) -> Array:
    """Return f32 patterns (uint32) as f16 patterns, each rounded by its 16 random bits (uint16).

    The magnitude is cut to f16's last place, that of subnormal numbers where the result is one.
    What is cut, in units of 2**-16 last places and itself cut to a whole number, is added to the
    random bits; if the sum reaches 2**16, the magnitude is one last place more. So a value that f16
    has never changes, and what has no more than 16 bits cut, as all of normal magnitude, is rounded
    up exactly as often as it is far; less than 2**-16 last places never are.

    As to nearest, 65520 and more become infinite; what is less stays at most 65504. A NaN is
    canonical.
    """
    magnitude = bits & np.uint32(0x7FFF_FFFF)
    exponent = (magnitude >> 23).astype(np.int64)
    significand = (magnitude & 0x7F_FFFF).astype(np.int64)
    significand += (exponent > 0).astype(np.int64) << 23
    places = significand << 3 >> np.clip(LEAST_NORMAL - exponent, 0, 31)  # in 2**-16 last places
    result = (places + random >> 16) + (np.maximum(exponent - LEAST_NORMAL, 0) << 10)
    result = np.minimum(result, HALF_INFINITY - 1)
    result = np.where(magnitude >= BEYOND, HALF_INFINITY, result)
    result |= (bits >> 31 << 15).astype(np.int64)
    return np.where(magnitude > numerics.INFINITY, HALF_NAN, result).astype(np.uint16)


def _lanes(words: Words, kind: str) -> Array:
    """Return the lanes of words along a new last axis."""
    return words[..., np.newaxis].view(f"<{kind}")


def _join(lanes: Array) -> Words:
    """Return as words what operations return: words, or lanes of either size along a last axis."""
    if lanes.dtype == np.uint64:
        return lanes
    return np.ascontiguousarray(_patterns(lanes)).view(np.uint64)[..., 0]


def _patterns(lanes: Array) -> Array:
    """Return floats as patterns, with NaNs canonical, and patterns as they are."""
    if lanes.dtype == np.float16:
        return np.where(np.isnan(lanes), np.uint16(HALF_NAN), lanes.view(np.uint16))
    if lanes.dtype == np.float32:
        return np.where(np.isnan(lanes), np.uint32(numerics.NAN), lanes.view(np.uint32))
    return lanes


def _each(kind: str, function: Callable[..., Array], sources: int = 2) -> Operation:
    """Return an operation that applies a function to the lanes of its first sources."""

    def operation(*words: Words) -> Array:
        return function(*(_lanes(word, kind) for word in words[:sources]))

    return operation


def _holds(comparison: Callable[[Array, Array], Array]) -> Callable[[Array, Array], Array]:
    """Return a function that gives all ones where a comparison holds."""

    def function(a: Array, b: Array) -> Array:
        mask: Array = -comparison(a, b).astype(f"u{a.itemsize}")
        return mask

    return function


def _order(a: Array) -> Array:
    """Return integers in the order of the floats, -0 just below +0; NaNs lie at both ends."""
    bits = a.view(f"i{a.itemsize}")
    order: Array = bits ^ (bits >> 8 * a.itemsize - 1 & np.iinfo(bits.dtype).max)
    return order


def _minimum(a: Array, b: Array) -> Array:
    return np.where(np.isnan(a) | (_order(b) < _order(a)) & ~np.isnan(b), b, a)


def _maximum(a: Array, b: Array) -> Array:
    return np.where(np.isnan(a) | (_order(b) > _order(a)) & ~np.isnan(b), b, a)


def _greatest(a: Array) -> Array:
    while a.shape[-1] > 1:
        a = _maximum(a[..., ::2], a[..., 1::2])
    return _patterns(a[..., 0])


def _single(words: Words) -> Array:
    return _lanes(words, "f4")[..., 0]


def _scalar(value: Array) -> Words:
    """Return f32 values as words."""
    words: Words = _patterns(value).astype(np.uint64)
    return words


def _h4_sum(a: Words, b: Words, c: Words, random: Words) -> Array:
    x = _lanes(a, "f2").astype(np.float32)
    return _scalar(_single(c) + ((x[..., 0] + x[..., 1]) + (x[..., 2] + x[..., 3])))


def _s2_sum(a: Words, b: Words, c: Words, random: Words) -> Array:
    x = _lanes(a, "f4")
    return _scalar(_single(c) + (x[..., 0] + x[..., 1]))


def _h4_dot(a: Words, b: Words, c: Words, random: Words) -> Array:
    p = _lanes(a, "f2").astype(np.float32) * _lanes(b, "f2").astype(np.float32)
    return _scalar(_single(c) + ((p[..., 0] + p[..., 1]) + (p[..., 2] + p[..., 3])))


def _four(a: Words, b: Words) -> Array:
    return np.concatenate([_lanes(a, "u4"), _lanes(b, "u4")], axis=-1)


def _s2_madd(a: Array, b: Array, c: Array) -> Array:
    return numerics.fmadd(a, b, c)[0]


def _h4_splat(a: Words, b: Words, c: Words, random: Words) -> Array:
    return np.repeat(_lanes(a, "u2")[..., :1], 4, axis=-1)


def _s2_splat(a: Words, b: Words, c: Words, random: Words) -> Array:
    return np.repeat(_lanes(a, "u4")[..., :1], 2, axis=-1)


OPERATIONS: dict[SimdOp, Operation] = {
    SimdOp.H4_ADD: _each("f2", np.add),
    SimdOp.H4_SUB: _each("f2", np.subtract),
    SimdOp.H4_MUL: _each("f2", np.multiply),
    SimdOp.H4_MADD: _each("f2", half_madd, 3),
    SimdOp.H4_MIN: _each("f2", _minimum),
    SimdOp.H4_MAX: _each("f2", _maximum),
    SimdOp.H4_EQ: _each("f2", _holds(np.equal)),
    SimdOp.H4_LT: _each("f2", _holds(np.less)),
    SimdOp.H4_LE: _each("f2", _holds(np.less_equal)),
    SimdOp.S2_ADD: _each("f4", np.add),
    SimdOp.S2_SUB: _each("f4", np.subtract),
    SimdOp.S2_MUL: _each("f4", np.multiply),
    SimdOp.S2_MADD: _each("u4", _s2_madd, 3),
    SimdOp.S2_MIN: _each("f4", _minimum),
    SimdOp.S2_MAX: _each("f4", _maximum),
    SimdOp.S2_EQ: _each("f4", _holds(np.equal)),
    SimdOp.S2_LT: _each("f4", _holds(np.less)),
    SimdOp.S2_LE: _each("f4", _holds(np.less_equal)),
    SimdOp.AND: lambda a, b, c, random: a & b,
    SimdOp.OR: lambda a, b, c, random: a | b,
    SimdOp.XOR: lambda a, b, c, random: a ^ b,
    SimdOp.ANDN: lambda a, b, c, random: a & ~b,
    SimdOp.SELECT: lambda a, b, c, random: (a & b) | (~a & c),
    SimdOp.NARROW: lambda a, b, c, random: narrow(_four(a, b)),
    SimdOp.NARROW_RANDOM: lambda a, b, c, random: narrow_random(
        _four(a, b), _lanes(random, "u2")
    ),
    SimdOp.WIDEN_LOW: lambda a, b, c, random: _lanes(a, "f2")[..., :2].astype(np.float32),
    SimdOp.WIDEN_HIGH: lambda a, b, c, random: _lanes(a, "f2")[..., 2:].astype(np.float32),
    SimdOp.H4_SPLAT: _h4_splat,
    SimdOp.S2_SPLAT: _s2_splat,
    SimdOp.H4_SUM: _h4_sum,
    SimdOp.S2_SUM: _s2_sum,
    SimdOp.H4_DOT: _h4_dot,
    SimdOp.H4_GREATEST: lambda a, b, c, random: (
        _greatest(_lanes(a, "f2")).astype(np.uint64) | np.uint64(BOX)
    ),
    SimdOp.S2_GREATEST: lambda a, b, c, random: _greatest(_lanes(a, "f4")).astype(np.uint64),
}
"""Each operation as a function of the words a, b, c and the random bits."""


def _function(op: SimdOp) -> Operation:
    return lambda a, b, c, random: functions.evaluate(op, _lanes(a, "u2"))


OPERATIONS |= {op: _function(op) for op in functions.FUNCTIONS}
