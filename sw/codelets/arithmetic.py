"""f32 arithmetic for NumPy twins: what the tile computes, bit for bit, on arrays.

Python twins of `firmware/include/openipu/math.h` among them. NaNs may have any pattern until
`store` writes them, canonical, as the tile's own are; so no function here may look at a NaN's bits.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from openipu.cosim.golden import numerics, simd
from openipu.cosim.golden.numerics import canonical

F32 = NDArray[np.float32]

_TIE_MASK = np.int64((1 << 29) - 1)  # what float64 has below the last bit of float32
_TIE = np.int64(1 << 28)
_LEAST_NORMAL = 2.0**-126


def quiet() -> np.errstate:
    """Return a context in which overflow and invalid operations are values, not warnings."""
    return np.errstate(all="ignore")


def rounded(value: F32, dtype: DTypeLike) -> NDArray[Any]:
    """Return computed values as the tile has them in a type: f16 to nearest, NaNs canonical."""
    if np.dtype(dtype) == np.float16:
        return simd.narrow(np.ascontiguousarray(value).view(np.uint32)).view(np.float16)
    return canonical(value)


def store(y: NDArray[Any], value: F32) -> None:
    """Write computed values, as the tile would have them, into a view of tile memory."""
    y[...] = rounded(value, y.dtype).reshape(y.shape)


def f32(value: ArrayLike) -> F32:
    """Return a value as float32."""
    return np.asarray(value, np.float32)


def constant(text: str) -> np.float32:
    """Return the float32 that C writes so, with a hexadecimal significand."""
    return np.float32(float.fromhex(text))


def fma(a: ArrayLike, b: ArrayLike, c: ArrayLike) -> F32:
    """Return a * b + c, rounded once to nearest even.

    float64 holds the product exactly, and rounding the float64 sum again goes wrong only where
    `_doubtful` says; there it is computed by integers.
    """
    a, b, c = f32(a), f32(b), f32(c)
    products = a.astype(np.float64) * b
    total = np.asarray(products + c)
    result: F32 = total.astype(np.float32)
    doubtful = _doubtful(products, c, total)
    if doubtful.any():
        exact, _ = numerics.fmadd(
            *(numerics.bits_of(np.broadcast_to(v, total.shape)[doubtful]) for v in (a, b, c))
        )
        result[doubtful] = numerics.float_of(exact)
    return result


def _doubtful(
    a: NDArray[np.float64], b: F32, total: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Return where a + b, rounded to `total`, may not be rounded to float32 once more.

    That is halfway between two float32 values and among the subnormals, if the sum is inexact
    (its error is that of Knuth's TwoSum).
    """
    doubtful: NDArray[np.bool_] = total.view(np.int64) & _TIE_MASK == _TIE
    doubtful |= (np.abs(total) < _LEAST_NORMAL) & (total != 0)
    if doubtful.any():
        part = total - a
        doubtful &= (a - (total - part)) + (b - part) != 0
    return doubtful


def product(x: F32, w: F32, bias: F32) -> F32:
    """Return x (rows, depth) . w (depth, columns) + bias (columns), by `fma` in ascending depth."""
    products = x.T.astype(np.float64)[:, :, None] * w.astype(np.float64)[:, None, :]
    depth = len(products)
    totals: F32 = np.empty((depth + 1, *products.shape[1:]), np.float32)
    totals[0] = bias
    sums = np.empty_like(products)
    for k in range(depth):
        totals[k + 1] = np.add(products[k], totals[k], out=sums[k])
    if _doubtful(products, totals[:-1], sums).any():  # rare: all of it again
        for k in range(depth):
            totals[k + 1] = fma(x[:, k, None], w[k], totals[k])
    last: F32 = totals[-1]
    return last


def maximum(a: ArrayLike, b: ArrayLike) -> F32:
    """Return fmax.s: a NaN loses, +0 is greater than -0."""
    return numerics.float_of(numerics.fmax(numerics.bits_of(a), numerics.bits_of(b))[0])


def minimum(a: ArrayLike, b: ArrayLike) -> F32:
    """Return fmin.s: a NaN loses, -0 is less than +0."""
    return numerics.float_of(numerics.fmin(numerics.bits_of(a), numerics.bits_of(b))[0])


def scale(x: F32, n: NDArray[np.int32]) -> F32:
    """Return x * 2**n: `scale` of math.h."""
    half = n >> 1
    return x * _power(half) * _power(n - half)


def _power(n: NDArray[np.int32]) -> F32:
    return numerics.float_of((n + 127).astype(np.uint32) << np.uint32(23))


_BIG = np.float32(88.8)
_EXP = [constant(c) for c in (
    "0x1.6d4592p-10", "0x1.120d78p-7", "0x1.5554e8p-5", "0x1.5554dap-3", "0x1p-1"
)]  # fmt: skip


def exponential(x: F32) -> F32:
    """Return e**x: `exponential` of math.h."""
    inside = (x <= _BIG) & (x >= -104)
    safe = np.where(inside, x, np.float32(0))
    magic = constant("0x1.8p23")
    n = (safe * constant("0x1.715476p+0") + magic) - magic
    r = fma(n, constant("-0x1.62e4p-1"), safe)
    r = fma(n, constant("-0x1.7f7d1cp-20"), r)
    p = f32(_EXP[0])
    for coefficient in _EXP[1:]:
        p = fma(p, r, coefficient)
    p = fma(p, r * r, r) + np.float32(1)
    result = scale(p, n.astype(np.int32))
    result = np.where(x < -104, np.float32(0), result)
    result = np.where(x > _BIG, np.float32(np.inf), result)
    return np.where(np.isnan(x), np.float32(np.nan), result)


def sigmoid(x: F32) -> F32:
    """Return 1 / (1 + e**-x): `sigmoid` of math.h."""
    return np.float32(1) / (np.float32(1) + exponential(-x))


_TANH = [constant(c) for c in (
    "-0x1.9b49fap-8", "0x1.59f5bap-6", "-0x1.b95812p-5", "0x1.110eeap-3", "-0x1.555554p-2"
)]  # fmt: skip


def tangent(x: F32) -> F32:
    """Return the hyperbolic tangent: `tangent` of math.h."""
    a = np.abs(x)
    z = x * x
    p = f32(_TANH[0])
    for coefficient in _TANH[1:]:
        p = fma(p, z, coefficient)
    near = fma(x * z, p, x)
    t = np.float32(1) - np.float32(2) / (exponential(a + a) + np.float32(1))
    far = np.where(x < 0, -t, t)
    return np.where(a < np.float32(0.5625), near, far)
