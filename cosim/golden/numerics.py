"""f32 operations, and conversions to and from f16, on arrays, bit for bit what the
hardware gives.

Operands are array-likes of binary32 patterns (uint32) that broadcast; each operation returns
(bits, flags): a uint32 and a uint8 array. Semantics are those of The RISC-V Instruction Set
Manual, Volume I, chapter "F": NaN results are canonical, a signalling NaN is invalid, tininess is
detected after rounding. `rm` is a rounding mode (RNE, RTZ, RDN, RUP, RMM) or an array of them.

Significands are uint64 with the leading one at bit `TOP`; bits shifted out are gathered in bit 0
("jam"), far below the last bit kept, so one rounding decides every result. `scalar` has the same
operations for one pattern at a time by exact integers; tests compare the two.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from openipu.cosim.golden.scalar import (
    BOX,
    DZ,
    F16,
    F32,
    HALF_NAN,
    INFINITY,
    NAN,
    NV,
    NX,
    OF,
    ONE,
    QUIET,
    RDN,
    RMM,
    RNE,
    RTZ,
    RUP,
    SIGN,
    UF,
    Form,
)

__all__ = [
    "DZ", "INFINITY", "NAN", "NV", "NX", "OF", "ONE", "QUIET", "RDN", "RMM", "RNE", "RTZ", "RUP",
    "SIGN", "UF", "Result", "bits_of", "canonical", "fadd", "fclass", "fcvt_h_s", "fcvt_s_h",
    "fcvt_s_w", "fcvt_s_wu", "fcvt_w_s", "fcvt_wu_s", "fdiv", "feq", "fle", "float_of", "flt",
    "fmadd", "fmax", "fmin", "fmsub", "fmul", "fnmadd", "fnmsub", "fsgnj", "fsgnjn", "fsgnjx",
    "fsqrt", "fsub",
]  # fmt: skip

Bits = NDArray[np.uint32]
Flags = NDArray[np.uint8]
Result = tuple[Bits, Flags]
Mask = NDArray[np.bool_]
Array = NDArray[Any]

TOP = 62  #: where a significand's leading one is
CUT = TOP - 23  #: bits below those that f32 keeps
BIAS = 127
MAGNITUDE = SIGN - 1  #: mask of all bits but the sign
ZERO_EXPONENT = -1024  #: an exponent for zero, below that of any product

# Whether to round up, by mode, sign, last bit kept, first bit cut, any further bit cut.
_UP = np.zeros((5, 2, 2, 2, 2), np.uint64)
_UP[RNE, :, :, 1, 1] = _UP[RNE, :, 1, 1, :] = 1
_UP[RMM, :, :, 1, :] = 1
_UP[RDN, 1, :, 1, :] = _UP[RDN, 1, :, :, 1] = 1
_UP[RUP, 0, :, 1, :] = _UP[RUP, 0, :, :, 1] = 1


def bits_of(x: ArrayLike) -> Bits:
    """Return the patterns of float32 values."""
    return np.asarray(x, np.float32).view(np.uint32)


def float_of(bits: ArrayLike) -> NDArray[np.float32]:
    """Return the float32 values of patterns."""
    return np.asarray(bits, np.uint32).view(np.float32)


def canonical(x: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return float32 values with NaNs made canonical, as all that the hardware computes are."""
    return np.where(np.isnan(x), float_of(NAN), x)


def _bits(value: ArrayLike) -> Bits:
    return np.asarray(value, np.uint32)


def _is_nan(a: Bits) -> Mask:
    return a & MAGNITUDE > INFINITY


def _is_signalling(a: Bits) -> Mask:
    return _is_nan(a) & (a & QUIET < QUIET)


def _is_infinite(a: Bits) -> Mask:
    return (a & MAGNITUDE >= INFINITY) & ~_is_nan(a)


def _is_negative(a: Bits) -> Mask:
    return a >= SIGN


def _flag(flag: int, where: Array) -> Flags:
    return np.where(where, np.uint8(flag), np.uint8(0))


def _jam(value: Array, shift: Array) -> Array:
    """Shift uint64 right; bit 0 also tells whether a one was lost."""
    shift = np.minimum(shift, 63).astype(np.uint64)
    kept: Array = value >> shift
    kept |= kept << shift != value
    return kept


def _normalise(value: Array, exponent: Array) -> tuple[Array, Array]:
    """Move the leading one of uint64 below 2**63 to `TOP`; value * 2**exponent stays. 0 stays."""
    alone = value & ~(value >> 1)  # same leading one; float64 rounds it to no other
    lead = np.frexp(alone.astype(np.float64))[1] - 1
    shift = np.where(value == 0, 0, TOP - lead).astype(np.int64)
    return value << shift.astype(np.uint64), exponent - shift


def _unpack(a: Bits) -> tuple[Array, Array]:
    """Return significand and biased exponent; the values of infinities and NaNs mean nothing."""
    field = (a >> 23 & 255).astype(np.int64)
    fraction = (a & 0x7F_FFFF).astype(np.uint64)
    fraction |= (field > 0).astype(np.uint64) << 23
    significand, exponent = _normalise(fraction << CUT, np.maximum(field, 1))
    return significand, np.where(significand == 0, ZERO_EXPONENT, exponent)


def _round(value: Array, cut: int, negative: Array, rm: Array) -> tuple[Array, Array]:
    """Return uint64 without its last `cut` bits, rounded, and whether that changed the value."""
    kept = value >> cut
    first = value >> (cut - 1) & 1
    further = value & ((1 << cut - 1) - 1) != 0
    last = kept & 1
    up = _UP[rm, negative.astype(int), last.astype(int), first.astype(int), further.astype(int)]
    return kept + up, further | (first != 0)


def _pack(
    negative: Array, exponent: Array, significand: Array, rm: Array, form: Form = F32
) -> Result:
    """Round a normalised significand with its biased exponent; zero becomes +0 or -0."""
    nonzero, cut = significand != 0, TOP - form.fraction
    kept, inexact = _round(_jam(significand, np.maximum(1 - exponent, 0)), cut, negative, rm)
    # A carry goes to the next exponent by itself; the leading one adds 1 to the field.
    bits = kept + (np.maximum(exponent - 1, 0).astype(np.uint64) << form.fraction)
    bits *= nonzero
    overflow = bits >= form.infinity
    # At the overflow: does rounding go away from zero, as it would of anything cut?
    to_infinity = _UP[rm, negative.astype(int), 1, 1, 1] != 0
    bits = np.where(overflow, form.infinity - 1 + to_infinity, bits)
    # Tiny: below the least normal number even if rounded with an unbounded exponent.
    unbounded, _ = _round(significand, cut, negative, rm)
    tiny = (exponent < 0) | (exponent == 0) & (unbounded < 2 << form.fraction)
    flags = _flag(NX, inexact & nonzero) | _flag(UF, tiny & inexact & nonzero)
    flags = np.where(overflow, np.uint8(OF | NX), flags)
    return bits.astype(np.uint32) | np.where(negative, np.uint32(form.sign), np.uint32(0)), flags


def fmadd(a: ArrayLike, b: ArrayLike, c: ArrayLike, rm: ArrayLike = RNE) -> Result:
    """Return a * b + c, rounded once."""
    a, b, c, rm = np.broadcast_arrays(_bits(a), _bits(b), _bits(c), np.asarray(rm))
    (sa, ea), (sb, eb), (sc, ec) = _unpack(a), _unpack(b), _unpack(c)
    # Both addends with the leading one at bit 60 or 61: room for the carry above, and whatever
    # `_jam` loses is so small that the difference keeps its leading one or the bit below.
    product = (sa >> CUT) * (sb >> CUT) << 14
    addend = sc >> 2
    ep, ec = ea + eb - (BIAS - 2), ec + 2
    exponent = np.maximum(ep, ec)
    product, addend = _jam(product, exponent - ep), _jam(addend, exponent - ec)
    sign_p, sign_c = _is_negative(_bits(a ^ b)), _is_negative(c)
    p, d = product.astype(np.int64), addend.astype(np.int64)
    total = np.where(sign_p, -p, p) + np.where(sign_c, -d, d)
    negative = total < 0
    magnitude, exponent = _normalise(np.abs(total).astype(np.uint64), exponent)
    negative |= (total == 0) & np.where(sign_p == sign_c, sign_p, rm == RDN)
    bits, flags = _pack(negative, exponent, magnitude, rm)

    infinite = _is_infinite(a) | _is_infinite(b)
    zero = (a & MAGNITUDE == 0) | (b & MAGNITUDE == 0)
    nan = _is_nan(a) | _is_nan(b) | _is_nan(c)
    invalid = infinite & (zero & ~_is_nan(a) & ~_is_nan(b))
    invalid |= infinite & ~nan & _is_infinite(c) & (sign_p != sign_c)
    infinite |= _is_infinite(c)
    sign = np.where(_is_infinite(c), c, a ^ b) & SIGN
    bits = np.where(infinite, sign | INFINITY, bits)
    bits = np.where(nan | invalid, np.uint32(NAN), bits)
    flags = np.where(nan | infinite, np.uint8(0), flags)
    invalid |= _is_signalling(a) | _is_signalling(b) | _is_signalling(c)
    return bits, flags | _flag(NV, invalid)


def fmsub(a: ArrayLike, b: ArrayLike, c: ArrayLike, rm: ArrayLike = RNE) -> Result:
    """Return a * b - c, rounded once."""
    return fmadd(a, b, _bits(c) ^ SIGN, rm)


def fnmsub(a: ArrayLike, b: ArrayLike, c: ArrayLike, rm: ArrayLike = RNE) -> Result:
    """Return -(a * b) + c, rounded once."""
    return fmadd(_bits(a) ^ SIGN, b, c, rm)


def fnmadd(a: ArrayLike, b: ArrayLike, c: ArrayLike, rm: ArrayLike = RNE) -> Result:
    """Return -(a * b) - c, rounded once."""
    return fmadd(_bits(a) ^ SIGN, b, _bits(c) ^ SIGN, rm)


def fadd(a: ArrayLike, b: ArrayLike, rm: ArrayLike = RNE) -> Result:
    """Return a + b."""
    return fmadd(a, ONE, b, rm)


def fsub(a: ArrayLike, b: ArrayLike, rm: ArrayLike = RNE) -> Result:
    """Return a - b."""
    return fmadd(a, ONE, _bits(b) ^ SIGN, rm)


def fmul(a: ArrayLike, b: ArrayLike, rm: ArrayLike = RNE) -> Result:
    """Return a * b."""
    a, b = _bits(a), _bits(b)
    return fmadd(a, b, (a ^ b) & SIGN, rm)  # a zero of the product's sign adds nothing


def fdiv(a: ArrayLike, b: ArrayLike, rm: ArrayLike = RNE) -> Result:
    """Return a / b."""
    a, b, rm = np.broadcast_arrays(_bits(a), _bits(b), np.asarray(rm))
    (sa, ea), (sb, eb) = _unpack(a), _unpack(b)
    zero_a, zero_b = sa == 0, sb == 0
    infinite_a, infinite_b = _is_infinite(a), _is_infinite(b)
    dividend, divisor = sa, np.where(zero_b, 1, sb >> CUT).astype(np.uint64)
    quotient = dividend // divisor  # of 39 or 40 bits
    quotient |= quotient * divisor != dividend
    quotient, exponent = _normalise(quotient, ea - eb + BIAS + TOP - CUT)
    negative = _is_negative(_bits(a ^ b))
    bits, flags = _pack(negative, exponent, quotient, rm)

    zero, infinite = zero_a | infinite_b, infinite_a | zero_b
    bits = np.where(zero | infinite, (a ^ b) & SIGN | np.where(infinite, INFINITY, 0), bits)
    flags = np.where(zero | infinite, _flag(DZ, zero_b & ~infinite_a), flags)
    nan = _is_nan(a) | _is_nan(b)
    invalid = ~nan & ((zero_a & zero_b) | (infinite_a & infinite_b))
    flags = np.where(nan | invalid, np.uint8(0), flags)
    invalid |= _is_signalling(a) | _is_signalling(b)
    bits = np.where(nan | invalid, np.uint32(NAN), bits)
    return bits.astype(np.uint32), flags | _flag(NV, invalid)


def fsqrt(a: ArrayLike, rm: ArrayLike = RNE) -> Result:
    """Return the square root of a."""
    a, rm = np.broadcast_arrays(_bits(a), np.asarray(rm))
    significand, exponent = _unpack(a)
    # An even exponent and a root of 28 bits: NumPy's may be rounded up to the next integer.
    radicand = (significand >> CUT) << np.where(exponent % 2 == 0, 32, 31).astype(np.uint64)
    root = np.sqrt(radicand.astype(np.float64)).astype(np.uint64)
    root -= root * root > radicand
    root, exponent = _normalise(
        root << 1 | (root * root != radicand), (exponent + BIAS) // 2 + TOP - 28
    )
    bits, flags = _pack(_is_negative(a), exponent, root, rm)

    same = (a & MAGNITUDE == 0) | (a == INFINITY)
    bits, flags = np.where(same, a, bits), np.where(same, np.uint8(0), flags)
    invalid = _is_signalling(a) | (_is_negative(a) & ~same & ~_is_nan(a))
    none = _is_nan(a) | invalid
    return np.where(none, np.uint32(NAN), bits), np.where(none, _flag(NV, invalid), flags)


def fcvt_h_s(a: ArrayLike, rm: ArrayLike = RNE) -> Result:
    """Return a as f16 in an f register: with ones above it."""
    a, rm = np.broadcast_arrays(_bits(a), np.asarray(rm))
    significand, exponent = _unpack(a)
    exponent = exponent + (F32.smallest + F32.fraction) - (F16.smallest + F16.fraction)
    bits, flags = _pack(_is_negative(a), exponent, significand, rm, F16)
    bits = np.where(_is_infinite(a), a >> 16 & F16.sign | F16.infinity, bits)
    bits = np.where(_is_nan(a), HALF_NAN, bits)
    flags = np.where(_is_infinite(a) | _is_nan(a), _flag(NV, _is_signalling(a)), flags)
    return (bits | BOX).astype(np.uint32), flags


def fcvt_s_h(a: ArrayLike) -> Result:
    """Return the f16 in an f register as f32; what has no ones above it counts as a NaN."""
    a = _bits(a)
    half = np.where(a >= BOX, a, HALF_NAN).astype(np.uint16)
    signalling = (half & F16.sign - 1 > F16.infinity) & (half & 0x200 == 0)
    with np.errstate(invalid="ignore"):
        value = half.view(np.float16).astype(np.float32)
    return bits_of(canonical(value)), _flag(NV, signalling)


def _order(a: Bits) -> Array:
    """Return integers in the order of the values, -0 just below +0; NaNs lie at both ends."""
    magnitude = (a & MAGNITUDE).astype(np.int64)
    return np.where(_is_negative(a), ~magnitude, magnitude)


def _pick(a: ArrayLike, b: ArrayLike, sign: int) -> Result:
    """Return b where sign * b < sign * a, else a; a NaN only where both are."""
    a, b = np.broadcast_arrays(_bits(a), _bits(b))
    take_b = ~_is_nan(b) & ((sign * _order(b) < sign * _order(a)) | _is_nan(a))
    bits = np.where(_is_nan(a) & _is_nan(b), np.uint32(NAN), np.where(take_b, b, a))
    return bits, _flag(NV, _is_signalling(a) | _is_signalling(b))


def fmin(a: ArrayLike, b: ArrayLike) -> Result:
    """Return the lesser; -0 is less than +0; a NaN only where both are."""
    return _pick(a, b, 1)


def fmax(a: ArrayLike, b: ArrayLike) -> Result:
    """Return the greater; +0 is greater than -0; a NaN only where both are."""
    return _pick(a, b, -1)


def _compare(a: Bits, b: Bits) -> tuple[Array, Array, Array]:
    """Return less, equal and unordered."""
    unordered = _is_nan(a) | _is_nan(b)
    equal = ((a == b) | ((a | b) & MAGNITUDE == 0)) & ~unordered
    return (_order(a) < _order(b)) & ~equal & ~unordered, equal, unordered


def feq(a: ArrayLike, b: ArrayLike) -> Result:
    """Return 1 where a == b, else 0; only a signalling NaN is invalid."""
    a, b = np.broadcast_arrays(_bits(a), _bits(b))
    _, equal, _ = _compare(a, b)
    return equal.astype(np.uint32), _flag(NV, _is_signalling(a) | _is_signalling(b))


def flt(a: ArrayLike, b: ArrayLike) -> Result:
    """Return 1 where a < b, else 0; any NaN is invalid."""
    less, _, unordered = _compare(*np.broadcast_arrays(_bits(a), _bits(b)))
    return less.astype(np.uint32), _flag(NV, unordered)


def fle(a: ArrayLike, b: ArrayLike) -> Result:
    """Return 1 where a <= b, else 0; any NaN is invalid."""
    less, equal, unordered = _compare(*np.broadcast_arrays(_bits(a), _bits(b)))
    return (less | equal).astype(np.uint32), _flag(NV, unordered)


def _quiet(bits: Array) -> Result:
    return bits.astype(np.uint32), np.zeros(bits.shape, np.uint8)


def fclass(a: ArrayLike) -> Result:
    """Return the class, one bit of ten, in the manual's order from -infinity to quiet NaN."""
    a = _bits(a)
    magnitude = a & MAGNITUDE
    kind = sum((magnitude >= least).astype(int) for least in (1, 0x80_0000, INFINITY))
    bit = np.where(_is_negative(a), 3 - kind, 4 + kind)
    bit = np.where(_is_nan(a), np.where(_is_signalling(a), 8, 9), bit)
    return _quiet(np.uint32(1) << bit.astype(np.uint32))


def fsgnj(a: ArrayLike, b: ArrayLike) -> Result:
    """Return a with the sign of b."""
    return _quiet(_bits(a) & MAGNITUDE | _bits(b) & SIGN)


def fsgnjn(a: ArrayLike, b: ArrayLike) -> Result:
    """Return a with the opposite of the sign of b."""
    return fsgnj(a, ~_bits(b))


def fsgnjx(a: ArrayLike, b: ArrayLike) -> Result:
    """Return a with its sign flipped where b is negative."""
    return _quiet(_bits(a) ^ _bits(b) & SIGN)


def _to_integer(a: ArrayLike, rm: ArrayLike, low: int, high: int) -> Result:
    a, rm = np.broadcast_arrays(_bits(a), np.asarray(rm))
    significand, exponent = _unpack(a)
    # The point at bit CUT - 10 leaves room for magnitudes below 2**34; larger are out of range.
    point = CUT - 10
    shift = BIAS + TOP - point - exponent
    negative, nan = _is_negative(a), _is_nan(a)
    magnitude, inexact = _round(_jam(significand, np.maximum(shift, 0)), point, negative, rm)
    value = np.where(negative, -magnitude.astype(np.int64), magnitude.astype(np.int64))
    outside = (shift < 0) | (value < low) | (value > high) | nan
    value = np.where(outside, np.where(negative & ~nan, low, high), value)
    flags = np.where(outside, np.uint8(NV), _flag(NX, inexact))
    return (value & 0xFFFF_FFFF).astype(np.uint32), flags


def fcvt_w_s(a: ArrayLike, rm: ArrayLike = RNE) -> Result:
    """Return the int32 pattern; what is out of range goes to the nearest, a NaN to the largest."""
    return _to_integer(a, rm, -(1 << 31), (1 << 31) - 1)


def fcvt_wu_s(a: ArrayLike, rm: ArrayLike = RNE) -> Result:
    """Return the uint32; what is out of range goes to the nearest, a NaN to the largest."""
    return _to_integer(a, rm, 0, (1 << 32) - 1)


def _from_integer(value: Array, rm: ArrayLike) -> Result:
    value, rm = np.broadcast_arrays(value, np.asarray(rm))
    significand, exponent = _normalise(
        np.abs(value).astype(np.uint64), np.full(value.shape, BIAS + TOP)
    )
    return _pack(value < 0, exponent, significand, rm)


def fcvt_s_w(a: ArrayLike, rm: ArrayLike = RNE) -> Result:
    """Return the f32 of an int32, given as a pattern."""
    return _from_integer(_bits(a).view(np.int32).astype(np.int64), rm)


def fcvt_s_wu(a: ArrayLike, rm: ArrayLike = RNE) -> Result:
    """Return the f32 of a uint32."""
    return _from_integer(_bits(a).astype(np.int64), rm)
