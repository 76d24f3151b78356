"""f32 operations, and conversions to and from f16, on one bit pattern at a time, for the
instruction-level model.

Values are exact integers here, rounded once; `numerics` gets the same results from NumPy arrays by
other means, which tests compare. Operations return (bits, flags), as The RISC-V Instruction Set
Manual, Volume I, chapter "F" has it: NaN results are canonical, tininess is detected after
rounding. `rm` is the manual's rounding mode, 0 to 4.
"""

from dataclasses import dataclass
from math import isqrt

NX, UF, OF, DZ, NV = 1, 2, 4, 8, 16
RNE, RTZ, RDN, RUP, RMM = range(5)

NAN = 0x7FC0_0000
INFINITY = 0x7F80_0000
ONE = 0x3F80_0000
SIGN = 0x8000_0000
QUIET = 0x0040_0000
SMALLEST = -149  #: the exponent of the least subnormal

BOX = 0xFFFF_0000  #: what an f register has above an f16
HALF_NAN = 0x7E00

Result = tuple[int, int]


@dataclass(frozen=True)
class Form:
    """A format to round to: fraction bits, and the exponent of the least subnormal."""

    fraction: int
    smallest: int
    infinity: int

    @property
    def sign(self) -> int:
        """The sign's bit."""
        return self.infinity + (1 << self.fraction)


F32 = Form(23, SMALLEST, INFINITY)
F16 = Form(10, -24, 0x7C00)


def is_nan(a: int) -> bool:
    """Tell whether the pattern is a NaN."""
    return a & ~SIGN > INFINITY


def is_signalling(*values: int) -> bool:
    """Tell whether one of the patterns is a signalling NaN."""
    return any(is_nan(a) and not a & QUIET for a in values)


def unpack(a: int) -> tuple[int, int]:
    """Return a finite pattern's signed significand and the exponent of its last bit."""
    exponent, significand = a >> 23 & 255, a & 0x7F_FFFF
    if exponent:
        significand |= 1 << 23
    return -significand if a & SIGN else significand, max(exponent, 1) + SMALLEST - 1


def _round(magnitude: int, shift: int, negative: bool, rm: int) -> tuple[int, bool]:
    """Return the magnitude without its last `shift` bits, rounded, and whether that changed it."""
    if shift <= 0:
        return magnitude << -shift, False
    kept, rest, half = magnitude >> shift, magnitude & (1 << shift) - 1, 1 << (shift - 1)
    up = (
        rest > half or (rest == half and kept & 1 != 0) if rm == RNE
        else rest >= half if rm == RMM
        else rest > 0 and rm == (RDN if negative else RUP)
    )  # fmt: skip
    return kept + up, rest > 0


def pack(significand: int, exponent: int, rm: int, form: Form = F32) -> Result:
    """Round significand * 2**exponent, which isn't zero."""
    negative, magnitude = significand < 0, abs(significand)
    sign = form.sign if negative else 0
    precision, smallest = form.fraction + 1, form.smallest
    top = exponent + magnitude.bit_length() - precision
    last = max(top, smallest)
    kept, inexact = _round(magnitude, last - exponent, negative, rm)
    bits = kept + (last - smallest << form.fraction)  # a carry goes to the next exponent by itself
    if bits >= form.infinity:
        to_infinity = rm in (RNE, RMM, RDN if negative else RUP)
        return sign | (form.infinity if to_infinity else form.infinity - 1), OF | NX
    if not inexact:
        return sign | bits, 0
    # Tiny: below the least normal number even if rounded with an unbounded exponent.
    tiny = top < smallest and (
        top < smallest - 1
        or _round(magnitude, top - exponent, negative, rm)[0] < 1 << precision
    )
    return sign | bits, NX | UF if tiny else NX


def fma(a: int, b: int, c: int, rm: int) -> Result:
    """Return a * b + c, rounded once."""
    if INFINITY in (a & ~SIGN, b & ~SIGN) and 0 in (a & ~SIGN, b & ~SIGN):
        return NAN, NV  # also where c is a NaN
    if is_nan(a) or is_nan(b) or is_nan(c):
        return NAN, NV if is_signalling(a, b, c) else 0
    product_sign = (a ^ b) & SIGN
    if INFINITY in (a & ~SIGN, b & ~SIGN):
        if c == (INFINITY | product_sign) ^ SIGN:
            return NAN, NV
        return INFINITY | product_sign, 0
    if c & ~SIGN == INFINITY:
        return c, 0
    (x, ex), (y, ey), (z, ez) = unpack(a), unpack(b), unpack(c)
    product, exponent = x * y, ex + ey
    least = min(exponent, ez)
    total = (product << exponent - least) + (z << ez - least)
    if total:
        return pack(total, least, rm)
    if not product and not z and product_sign == c & SIGN:
        return product_sign, 0
    return SIGN if rm == RDN else 0, 0


def add(a: int, b: int, rm: int) -> Result:
    """Return a + b."""
    return fma(a, ONE, b, rm)


def sub(a: int, b: int, rm: int) -> Result:
    """Return a - b."""
    return fma(a, ONE, b ^ SIGN, rm)


def mul(a: int, b: int, rm: int) -> Result:
    """Return a * b."""
    return fma(a, b, (a ^ b) & SIGN, rm)  # a zero of the product's sign changes nothing


MORE = 64  #: bits that quotients and roots have beyond those of their operands, at least


def div(a: int, b: int, rm: int) -> Result:
    """Return a / b."""
    if is_nan(a) or is_nan(b):
        return NAN, NV if is_signalling(a, b) else 0
    sign, a, b = (a ^ b) & SIGN, a & ~SIGN, b & ~SIGN
    if a == b and a in (0, INFINITY):
        return NAN, NV
    if a in (0, INFINITY) or b == INFINITY:
        return sign | (INFINITY if a == INFINITY else 0), 0
    if not b:
        return sign | INFINITY, DZ
    (x, ex), (y, ey) = unpack(a), unpack(b)
    quotient, rest = divmod(x << MORE, y)
    quotient = quotient << 1 | (rest > 0)
    return pack(-quotient if sign else quotient, ex - ey - MORE - 1, rm)


def sqrt(a: int, rm: int) -> Result:
    """Return the square root of a."""
    if is_nan(a):
        return NAN, NV if is_signalling(a) else 0
    if a in (0, SIGN, INFINITY):
        return a, 0
    if a & SIGN:
        return NAN, NV
    x, exponent = unpack(a)
    x <<= 2 * MORE + exponent % 2
    root = isqrt(x)
    return pack(root << 1 | (root * root < x), exponent // 2 - MORE - 1, rm)


def widen(a: int) -> Result:
    """Return the f16 in an f register as f32; what has no ones above it counts as a NaN."""
    half = a & 0xFFFF if a & BOX == BOX else HALF_NAN
    sign, magnitude = (half & F16.sign) << 16, half & F16.sign - 1
    if magnitude > F16.infinity:
        return NAN, 0 if magnitude & 0x200 else NV
    if magnitude == F16.infinity:
        return sign | INFINITY, 0
    if not magnitude:
        return sign, 0
    exponent, significand = magnitude >> 10, magnitude & 0x3FF
    if exponent:
        significand |= 1 << 10
    bits, _ = pack(significand, max(exponent, 1) + F16.smallest - 1, RNE)
    return sign | bits, 0


def narrow(a: int, rm: int) -> Result:
    """Return a as f16, as it is in an f register."""
    sign, magnitude = (a & SIGN) >> 16, a & ~SIGN
    if magnitude > INFINITY:
        return BOX | HALF_NAN, NV if is_signalling(a) else 0
    if magnitude == INFINITY:
        return BOX | sign | F16.infinity, 0
    if not magnitude:
        return BOX | sign, 0
    bits, flags = pack(*unpack(a), rm, F16)
    return BOX | bits, flags


def _order(a: int) -> int:
    """Map a pattern that is no NaN to an int in the same order, -0 just below +0."""
    return -(a & ~SIGN) - 1 if a & SIGN else a


def minimum(a: int, b: int) -> Result:
    """Return the lesser; a NaN only where both are."""
    return _pick(a, b, _order(a) < _order(b))


def maximum(a: int, b: int) -> Result:
    """Return the greater; a NaN only where both are."""
    return _pick(a, b, _order(a) > _order(b))


def _pick(a: int, b: int, first: bool) -> Result:
    flags = NV if is_signalling(a, b) else 0
    if is_nan(a):
        return NAN if is_nan(b) else b, flags
    return a if first or is_nan(b) else b, flags


def equal(a: int, b: int) -> Result:
    """Return whether a == b."""
    if is_nan(a) or is_nan(b):
        return 0, NV if is_signalling(a, b) else 0
    return int(a == b or not (a | b) & ~SIGN), 0


def less(a: int, b: int) -> Result:
    """Return whether a < b."""
    if is_nan(a) or is_nan(b):
        return 0, NV
    return int(_order(a) < _order(b) and (a | b) & ~SIGN != 0), 0


def less_equal(a: int, b: int) -> Result:
    """Return whether a <= b."""
    if is_nan(a) or is_nan(b):
        return 0, NV
    return int(_order(a) <= _order(b) or not (a | b) & ~SIGN), 0


def classify(a: int) -> int:
    """Return fclass.s: one bit of ten."""
    if is_nan(a):
        return 1 << 8 if is_signalling(a) else 1 << 9
    magnitude = a & ~SIGN
    kind = (magnitude > 0) + (magnitude >> 23 > 0) + (magnitude == INFINITY)  # 0, tiny, normal, inf
    return 1 << (3 - kind if a & SIGN else 4 + kind)


def to_integer(a: int, rm: int, *, is_signed: bool) -> Result:
    """Return a as a 32-bit integer's pattern; out of range and NaN: the nearest (NaN: largest)."""
    low, high = (-(1 << 31), (1 << 31) - 1) if is_signed else (0, (1 << 32) - 1)
    if a & ~SIGN >= INFINITY:
        return (low if a & SIGN and not is_nan(a) else high) & 0xFFFF_FFFF, NV
    significand, exponent = unpack(a)
    value, inexact = _round(abs(significand), -exponent, significand < 0, rm)
    value = -value if significand < 0 else value
    if not low <= value <= high:
        return (low if value < 0 else high) & 0xFFFF_FFFF, NV
    return value & 0xFFFF_FFFF, NX if inexact else 0


def from_integer(value: int, rm: int) -> Result:
    """Return an int as f32."""
    return pack(value, 0, rm) if value else (0, 0)
