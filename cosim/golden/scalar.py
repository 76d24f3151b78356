"""f32 operations on one bit pattern at a time, for the instruction-level model.

Values are exact integers here, rounded once; `numerics` gets the same results from NumPy arrays by
other means, which tests compare. Operations return (bits, flags), as The RISC-V Instruction Set
Manual, Volume I, chapter "F" has it: NaN results are canonical, tininess is detected after
rounding. `rm` is the manual's rounding mode, 0 to 4.
"""

NX, UF, OF, DZ, NV = 1, 2, 4, 8, 16
RNE, RTZ, RDN, RUP, RMM = range(5)

NAN = 0x7FC0_0000
INFINITY = 0x7F80_0000
ONE = 0x3F80_0000
SIGN = 0x8000_0000
QUIET = 0x0040_0000
SMALLEST = -149  #: the exponent of the least subnormal
PRECISION = 24

Result = tuple[int, int]


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


def pack(significand: int, exponent: int, rm: int) -> Result:
    """Round significand * 2**exponent, which isn't zero."""
    negative, magnitude = significand < 0, abs(significand)
    sign = SIGN if negative else 0
    top = exponent + magnitude.bit_length() - PRECISION
    last = max(top, SMALLEST)
    kept, inexact = _round(magnitude, last - exponent, negative, rm)
    bits = kept + (last - SMALLEST << 23)  # a carry goes to the next exponent by itself
    if bits >= INFINITY:
        to_infinity = rm in (RNE, RMM, RDN if negative else RUP)
        return sign | (INFINITY if to_infinity else INFINITY - 1), OF | NX
    if not inexact:
        return sign | bits, 0
    # Tiny: below the least normal number even if rounded with an unbounded exponent.
    tiny = top < SMALLEST and (
        top < SMALLEST - 1
        or _round(magnitude, top - exponent, negative, rm)[0] < 1 << PRECISION
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
