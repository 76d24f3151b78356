"""The tables of the f16 functions: cubics that give every result correctly rounded.

A curve is what one function does over one binade of its argument, a function of the ten fraction
bits alone. It is cut into 2**cuts equal pieces, cuts being the least for which `cubic.fit` finds a
cubic for every piece. The bounds that a cubic must keep are exact, so whatever float64 does to the
search, the results are right. The tables take about a second to compute.
"""

from collections.abc import Callable, Iterator
from functools import cache
from typing import NamedTuple

import numpy as np
from amaranth.lib import enum
from numpy.typing import NDArray

from openipu.rtl.simd.cubic import ARGUMENT_BITS, Cubic, Floats, Ints, fit

POINT = 19  #: fraction bits of a cubic's value
LEAST_LEADING = POINT - 2  #: the least place of a value's leading one
VALUE_BITS = POINT + 6  #: of the magnitude of a value, a logarithm's included
LOG_POINT = POINT + 1  #: fraction bits of a value that is a logarithm
LN_2 = round(float(np.log(2)) * (2 << LOG_POINT))
"""log 2 with one more bit: for the argument's exponent, log adds exponent * LN_2 >> 1."""
BIAS = 15
FRACTION_BITS = ARGUMENT_BITS
INFINITE = 31  #: the exponent field of infinity
SUBNORMAL_RECIPROCAL = 29  #: from this exponent field on, 1/x is subnormal
MAX_CUTS = 5


class Function(enum.Enum, shape=3):
    """What a curve is of: the operations from H4_EXP on, and log once more."""

    EXP = 0
    LOG = 1
    TANH = 2
    SIGMOID = 3
    RECIP = 4
    RSQRT = 5
    SQRT = 6
    LOG_NEAR_1 = 7  #: its magnitude from 3/4 to 3/2, by the distance to 1


class Piece(NamedTuple):
    """A cubic, and the exponent field that a value from 1 to 2 has."""

    exponent: int
    cubic: Cubic


class Curve(NamedTuple):
    """Names a curve.

    Members
    -------
    function : Function
    negative : bool
        For EXP and SIGMOID whether the argument is, for LOG_NEAR_1 whether the logarithm is.
    field : int
        For EXP, TANH and SIGMOID the exponent field. For LOG_NEAR_1 the zeros above the leading one
        of the distance to 1 in ten bits, the last of which is 2**-10 above 1 and 2**-11 below; 15
        for 1 itself. For the others 0 is zero, 31 is infinity, 1 and 2 are even and odd exponents;
        but from SUBNORMAL_RECIPROCAL on, RECIP has exponent fields.
    """

    function: Function
    negative: bool
    field: int


class Segment(NamedTuple):
    """Where a curve's pieces are: 2**cuts rows from `base`, which is a multiple of that."""

    base: int
    cuts: int


class Tables(NamedTuple):
    """All pieces, and where they are."""

    pieces: list[Piece]
    segments: dict[Curve, Segment]


class _Bounds(NamedTuple):
    """For some of a curve's fractions: exponent, exact values, least and greatest that will do."""

    exponent: int
    target: Floats
    least: Ints
    greatest: Ints


class _Samples(NamedTuple):
    """The fractions that occur on a curve, and the bounds for any of them."""

    fraction: Ints
    bounds: Callable[[NDArray[np.bool_]], _Bounds]


_EXACT: dict[Function, Callable[[Floats], Floats]] = {
    Function.EXP: np.exp,
    Function.LOG: np.log,
    Function.TANH: np.tanh,
    Function.SIGMOID: lambda x: 1 / (1 + np.exp(-x)),
    Function.RECIP: lambda x: 1 / x,
    Function.RSQRT: lambda x: 1 / np.sqrt(x),
    Function.SQRT: np.sqrt,
}
_FRACTIONS = np.arange(1 << FRACTION_BITS)


@cache
def tables() -> Tables:
    """Return the tables. Raises ValueError for a curve that `MAX_CUTS` isn't enough for."""
    with np.errstate(all="ignore"):
        cut = {curve: _cut(curve, samples) for curve, samples in _curves()}
    pieces: list[Piece] = []
    segments, known = {}, {}
    # The largest first, so that each begins at a multiple of its size.
    for curve, own in sorted(cut.items(), key=lambda item: -len(item[1])):
        key = tuple(own)
        if key not in known:
            known[key] = Segment(base=len(pieces), cuts=(len(own) - 1).bit_length())
            pieces += own
        segments[curve] = known[key]
    return Tables(pieces, segments)


def _cut(curve: Curve, samples: _Samples) -> list[Piece]:
    """Return a curve's pieces, as few as will do."""
    for cuts in range(MAX_CUTS + 1):
        shifted = samples.fraction << cuts
        t = shifted & len(_FRACTIONS) - 1
        pieces = []
        for index in range(1 << cuts):
            where = shifted >> FRACTION_BITS == index
            if not where.any():
                pieces.append(Piece(1, Cubic(0)))
                continue
            bounds = samples.bounds(where)
            cubic = fit(t[where], bounds.target, bounds.least, bounds.greatest)
            if cubic is None:
                break
            pieces.append(Piece(bounds.exponent, cubic))
        else:
            return pieces
    raise ValueError(f"{curve} must need no more than {1 << MAX_CUTS} pieces")


def _curves() -> Iterator[tuple[Curve, _Samples]]:
    """Yield every curve."""
    f = Function
    for function in (f.EXP, f.SIGMOID, f.TANH):
        for negative in (False, True)[: 1 if function is f.TANH else 2]:  # tanh is odd
            for field in range(INFINITE + 1):
                yield Curve(function, negative, field), _binade(function, negative, field)
    for function in (f.RECIP, f.RSQRT, f.SQRT, f.LOG):
        for field, end in ((0, 0.0), (INFINITE, np.inf)):
            yield Curve(function, False, field), _point(_EXACT[function](np.array([end])))
    for odd in (0, 1):
        yield Curve(f.RECIP, False, 1 + odd), _binade(f.RECIP, False, BIAS)
        yield Curve(f.RSQRT, False, 1 + odd), _binade(f.RSQRT, False, BIAS + odd)
        yield Curve(f.SQRT, False, 1 + odd), _binade(f.SQRT, False, BIAS + odd)
        yield Curve(f.LOG, False, 1 + odd), _logarithm()
    for field in range(SUBNORMAL_RECIPROCAL, INFINITE):
        yield Curve(f.RECIP, False, field), _binade(f.RECIP, False, field)
    for negative in (False, True):
        for zeros in range(0 if negative else 1, FRACTION_BITS):
            yield Curve(f.LOG_NEAR_1, negative, zeros), _near_one(negative, zeros)
        yield Curve(f.LOG_NEAR_1, negative, 15), _point(np.zeros(1))


def _binade(function: Function, negative: bool, field: int) -> _Samples:
    """Return samples of a function between powers of two, or at infinity."""
    fractions = _FRACTIONS[: 1 if field == INFINITE else None]
    patterns = (negative << 5 | field) << FRACTION_BITS | fractions
    return _samples(fractions, _EXACT[function](_float(patterns)))


def _point(value: Floats) -> _Samples:
    """Return samples that are one."""
    return _samples(_FRACTIONS[:1], value)


def _near_one(negative: bool, zeros: int) -> _Samples:
    """Return log(1 + d) for the d from -1/4 to 1/2 that have those zeros above the leading one."""
    fraction = np.arange(0, 1 << FRACTION_BITS, 2 << zeros)
    d = (1 << FRACTION_BITS | fraction) * 2.0 ** -(zeros + 1 + FRACTION_BITS)
    x = 1 - d / 2 if negative else 1 + d
    some = x >= 0.75
    return _samples(fraction[some], np.log(x[some]))


def _samples(fraction: Ints, value: Floats) -> _Samples:
    """Return samples with the exact values of a function, of which the sign doesn't matter."""
    value = np.abs(value)
    result = _pattern(value)

    def bounds(where: NDArray[np.bool_]) -> _Bounds:
        greatest = np.clip(value[where].max(), 2.0 ** (1 - BIAS), 2.0**BIAS)
        exponent = int(np.frexp(greatest)[1]) - 1 + BIAS
        return _Bounds(
            exponent,
            np.ldexp(value[where], POINT + BIAS - exponent),
            *_interval(result[where], POINT + BIAS - exponent, subnormal=exponent == 1),
        )

    return _Samples(fraction, bounds)


def _logarithm() -> _Samples:
    """Return log of the significand that suits all exponents, which add multiples of `LN_2`."""
    least = np.full(len(_FRACTIONS), -1 << VALUE_BITS)
    greatest = np.full(len(_FRACTIONS), 1 << VALUE_BITS)
    for exponent in range(-BIAS - FRACTION_BITS + 1, BIAS + 1):
        x = np.ldexp(1 + _FRACTIONS / len(_FRACTIONS), exponent)
        exact = _float(_pattern(x)) == x  # not all are, of the subnormal numbers
        (where,) = np.nonzero(exact & ~((x >= 0.75) & (x < 1.5)))
        low, high = _interval(_pattern(np.abs(np.log(x[where]))), LOG_POINT, subnormal=False)
        if exponent < 0:  # the hardware inverts all bits
            low, high = ~high, ~low
        least[where] = np.maximum(least[where], low - (exponent * LN_2 >> 1))
        greatest[where] = np.minimum(greatest[where], high - (exponent * LN_2 >> 1))
    target = np.log1p(_FRACTIONS / len(_FRACTIONS)) * (1 << LOG_POINT)
    exponent = BIAS + POINT - LOG_POINT

    def bounds(where: NDArray[np.bool_]) -> _Bounds:
        return _Bounds(exponent, target[where], least[where], greatest[where])

    return _Samples(_FRACTIONS, bounds)


def _interval(result: Ints, point: int, *, subnormal: bool) -> tuple[Ints, Ints]:
    """Return the least and greatest value with `point` fraction bits that rounds to each result.

    Unless they may be subnormal, these have their leading one in LEAST_LEADING or above.
    """
    magnitudes = _float(np.arange(INFINITE << FRACTION_BITS))
    midpoints = (magnitudes + np.append(magnitudes[1:], 65536.0)) / 2
    midpoints = np.ldexp(midpoints, point)
    odd = result & 1  # a midpoint rounds to the even neighbour
    least = np.zeros_like(result)
    greatest = np.full_like(result, (1 << VALUE_BITS) - 1)
    some = result > 0
    below = midpoints[result[some] - 1]
    least[some] = np.ceil(below) + (odd[some] & (below == np.ceil(below)))
    some = result < len(magnitudes)
    above = midpoints[result[some]]
    greatest[some] = np.floor(above) - (odd[some] & (above == np.floor(above)))
    return least if subnormal else np.maximum(least, 1 << LEAST_LEADING), greatest


def _float(pattern: Ints) -> Floats:
    return pattern.astype(np.uint16).view(np.float16).astype(np.float64)


def _pattern(value: Floats) -> Ints:
    return value.astype(np.float16).view(np.uint16).astype(np.int64)
