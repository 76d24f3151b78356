"""Three witnesses: NumPy's own float32, exact fractions, and `scalar` with its Python ints."""

import operator
import random
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from openipu.cosim.golden import numerics, scalar
from openipu.cosim.golden.numerics import INFINITY, MAGNITUDE, NAN, NV, NX, OF, ONE, SIGN, UF

SEED = 20240611
COUNT = 20_000
MODES = range(5)

MAGNITUDES = [
    0, 1, 2, 3, 0x3F_FFFF, 0x40_0000, 0x7F_FFFE, 0x7F_FFFF,  # subnormal
    0x80_0000, 0x80_0001, 0xFF_FFFF, 0x100_0000,  # least normal numbers
    0x3380_0000, 0x3400_0000, 0x3F00_0000, 0x3F7F_FFFF, ONE, 0x3F80_0001, 0x3FC0_0000, 0x4020_0000,
    0x4B00_0000, 0x4B7F_FFFF, 0x4EFF_FFFF, 0x4F00_0000, 0x4F7F_FFFF, 0x4F80_0000,  # integers' ends
    0x7F00_0000, 0x7F7F_FFFE, 0x7F7F_FFFF, INFINITY, 0x7F80_0001, 0x7FBF_FFFF, NAN, 0x7FFF_FFFF,
]  # fmt: skip
CORNERS = np.array([sign | m for sign in (0, SIGN) for m in MAGNITUDES], np.uint32)

TERNARY = {
    "fmadd": scalar.fma,
    "fmsub": lambda a, b, c, rm: scalar.fma(a, b, c ^ SIGN, rm),
    "fnmsub": lambda a, b, c, rm: scalar.fma(a ^ SIGN, b, c, rm),
    "fnmadd": lambda a, b, c, rm: scalar.fma(a ^ SIGN, b, c ^ SIGN, rm),
}
BINARY = {"fadd": scalar.add, "fsub": scalar.sub, "fmul": scalar.mul, "fdiv": scalar.div}
UNROUNDED = {
    "fmin": scalar.minimum,
    "fmax": scalar.maximum,
    "feq": scalar.equal,
    "flt": scalar.less,
    "fle": scalar.less_equal,
    "fsgnj": lambda a, b: (a & MAGNITUDE | b & SIGN, 0),
    "fsgnjn": lambda a, b: (a & MAGNITUDE | ~b & SIGN, 0),
    "fsgnjx": lambda a, b: (a ^ b & SIGN, 0),
}
UNARY = {
    "fcvt_w_s": lambda a, rm: scalar.to_integer(a, rm, is_signed=True),
    "fcvt_wu_s": lambda a, rm: scalar.to_integer(a, rm, is_signed=False),
    "fcvt_s_w": lambda a, rm: scalar.from_integer(a - ((a & SIGN) << 1), rm),
    "fcvt_s_wu": scalar.from_integer,
    "fsqrt": scalar.sqrt,
    "fcvt_h_s": scalar.narrow,
}

patterns = st.one_of(st.integers(0, 0xFFFF_FFFF), st.sampled_from(CORNERS.tolist()))
modes = st.sampled_from(MODES)


def operands(arity, seed=SEED, count=COUNT):
    """Random patterns: any, corners, and neighbours in exponent of the first operand."""
    rng = np.random.default_rng(seed)
    first = rng.integers(0, 1 << 32, count, dtype=np.uint32)
    result = []
    for _ in range(arity):
        near = first ^ rng.integers(0, 1 << 25, count, dtype=np.uint32)
        near ^= rng.integers(0, 2, count, dtype=np.uint32) << 31
        kind = rng.random(count)
        some = rng.integers(0, 1 << 32, count, dtype=np.uint32)
        some = np.where(kind < 0.4, near, some)
        result.append(np.where(kind > 0.7, rng.choice(CORNERS, count), some))
    return result


def assert_same(name, ours, truth, *inputs):
    """Compare an operation on arrays with a scalar one, pattern by pattern."""
    bits, flags = ours
    assert bits.dtype == np.uint32
    assert flags.dtype == np.uint8
    for row in zip(bits.tolist(), flags.tolist(), *(x.tolist() for x in inputs), strict=True):
        assert truth(*row[2:]) == row[:2], (name, SEED, [hex(x) for x in row])


@pytest.mark.parametrize("name", [*TERNARY, *BINARY, *UNROUNDED, *UNARY])
def test_arrays_equal_scalars(name):
    truth = (TERNARY | BINARY | UNROUNDED | UNARY)[name]
    arity = 3 if name in TERNARY else 1 if name in UNARY else 2
    inputs = operands(arity)
    if name not in UNROUNDED:
        inputs.append(np.random.default_rng(SEED).integers(0, 5, COUNT))
    assert_same(name, getattr(numerics, name)(*inputs), truth, *inputs)


@pytest.mark.parametrize("name", [*BINARY, *UNROUNDED, *UNARY])
def test_corners_equal_scalars(name):
    truth = (BINARY | UNROUNDED | UNARY)[name]
    axes = [CORNERS] if name in UNARY else [CORNERS, CORNERS]
    if name not in UNROUNDED:
        axes.append(np.array(MODES))
    inputs = [x.ravel() for x in np.meshgrid(*axes)]
    assert_same(name, getattr(numerics, name)(*inputs), truth, *inputs)


@pytest.mark.parametrize("mode", MODES)
def test_corners_of_multiply_add_equal_scalars(mode):
    some = CORNERS[::3]
    inputs = [x.ravel() for x in np.meshgrid(some, some, some)]
    ours = numerics.fmadd(inputs[0], inputs[1], inputs[2], mode)
    assert_same("fmadd", ours, lambda a, b, c: scalar.fma(a, b, c, mode), *inputs)


def test_classes_equal_scalars():
    a = np.concatenate([CORNERS, *operands(1)])
    assert_same("fclass", numerics.fclass(a), lambda a: (scalar.classify(a), 0), a)


@pytest.mark.parametrize(
    ("name", "truth"), [
        ("fadd", np.add), ("fsub", np.subtract), ("fmul", np.multiply), ("fdiv", np.divide),
        ("fsqrt", lambda a, b: np.sqrt(a)),
    ],
)  # fmt: skip
def test_nearest_even_is_numpys(name, truth):
    a, b = operands(2, count=200_000)
    corners = [x.ravel() for x in np.meshgrid(CORNERS, CORNERS)]
    a, b = np.concatenate([a, corners[0]]), np.concatenate([b, corners[1]])
    with np.errstate(all="ignore"):
        x, y = numerics.float_of(a), numerics.float_of(b)
        wanted = numerics.bits_of(numerics.canonical(truth(x, y)))
    bits, _ = getattr(numerics, name)(*((a,) if name == "fsqrt" else (a, b)))
    assert np.array_equal(bits, wanted), f"seed {SEED}"


def test_narrowing_to_nearest_even_is_numpys():
    """All exponents, with fractions that an f16 has, and those around halves of its last place."""
    tops = np.arange(1 << 19, dtype=np.uint32) << 13
    a = np.concatenate([tops, tops | 1, tops | 0xFFF, tops | 0x1000, tops | 0x1001])
    with np.errstate(all="ignore"):
        halves = numerics.float_of(a).astype(np.float16)
    wanted = np.where(np.isnan(halves), np.uint16(scalar.HALF_NAN), halves.view(np.uint16))
    assert np.array_equal(numerics.fcvt_h_s(a)[0], wanted | np.uint32(scalar.BOX))


def test_widening_is_numpys_and_wants_a_box():
    halves = np.arange(1 << 16, dtype=np.uint32)
    bits, flags = numerics.fcvt_s_h(halves | scalar.BOX)
    values = halves.astype(np.uint16).view(np.float16).astype(np.float32)
    assert np.array_equal(bits, numerics.bits_of(numerics.canonical(values)))
    signalling = (halves & 0x7FFF > 0x7C00) & (halves & 0x200 == 0)
    assert np.array_equal(flags, signalling * np.uint8(NV))
    assert_same("fcvt_s_h", (bits, flags), scalar.widen, halves | scalar.BOX)
    for above in (0, 0xFFFE_0000, 0x7FFF_0000):
        bits, flags = numerics.fcvt_s_h(halves | above)
        assert np.all(bits == NAN) and not flags.any()
        assert scalar.widen(int(halves[1] | above)) == (NAN, 0)


def exact(bits):
    significand, exponent = scalar.unpack(bits)
    return Fraction(significand) * Fraction(2) ** exponent


def neighbours(value):
    """Return the greatest pattern <= value and the least >= value, by bisection over patterns."""
    low, high = 0, INFINITY  # the pattern of infinity stands for 2**128 here
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if exact(middle) <= abs(value) else (low, middle)
    if exact(low) == abs(value):
        high = low
    return (low, high) if value > 0 else (high | SIGN, low | SIGN)


@given(patterns, patterns, patterns, modes)
@example(0x00FF_FFFF, 0x3F00_0000, 0, scalar.RNE)
@example(0x00FF_FFFF, 0x3F00_0000, SIGN | 1, scalar.RUP)
@example(0x7F7F_FFFF, ONE, 0x7300_0000, scalar.RNE)
@example(0x7F7F_FFFF, ONE, 0x72FF_FFFF, scalar.RMM)
@example(0x3F80_0001, 0x3F80_0001, 0xBF80_0002, scalar.RDN)
def test_multiply_add_is_the_exact_value_rounded_once(a, b, c, rm):
    if any(x & MAGNITUDE >= INFINITY for x in (a, b, c)):
        return
    value = exact(a) * exact(b) + exact(c)
    bits, flags = (int(x) for x in numerics.fmadd(a, b, c, rm))
    if not value:
        assert bits & MAGNITUDE == 0 and flags == 0
        return
    below, above = neighbours(value)
    middle = (exact(below) + exact(above)) / 2
    away, toward = (above, below) if value > 0 else (below, above)
    if rm in (scalar.RNE, scalar.RMM):
        if value == middle:
            wanted = away if rm == scalar.RMM or toward & 1 else toward
        else:
            wanted = above if value > middle else below
    else:
        wanted = {scalar.RTZ: toward, scalar.RDN: below, scalar.RUP: above}[rm]
    assert bits == wanted
    overflow = wanted & MAGNITUDE == INFINITY or abs(value) >= Fraction(2) ** 128
    assert bool(flags & OF) == overflow
    assert bool(flags & NX) == (below != above or overflow)
    assert not flags & NV
    if flags & UF:
        assert flags & NX and bits & MAGNITUDE <= 0x80_0000
    elif flags & NX:
        assert bits & MAGNITUDE >= 0x80_0000


@pytest.mark.parametrize(
    ("a", "b", "rm", "flags"),
    [
        # The product lies just below the least normal number. Rounded to 24 bits with an unbounded
        # exponent it stays there (tiny) or reaches it (not tiny).
        (0x00FF_FFFF, 0x3F00_0000, scalar.RNE, NX | UF),
        (0x0080_0001, 0x3F7F_FFFF, scalar.RNE, NX),
        (0x0080_0001, 0x3F7F_FFFE, scalar.RNE, NX),
        (0x0080_0001, 0x3F7F_FFFE, scalar.RTZ, NX | UF),
        (0x0080_0001, 0x3F7F_FFFD, scalar.RNE, NX | UF),
        (0x0080_0001, 0x3F7F_FFFE, scalar.RUP, NX),
        (0x8080_0001, 0x3F7F_FFFE, scalar.RDN, NX),
        (0x8080_0001, 0x3F7F_FFFE, scalar.RUP, NX | UF),
    ],
)
def test_tininess_is_detected_after_rounding(a, b, rm, flags):
    value = exact(a) * exact(b)
    ulp = Fraction(2) ** -150  # of 24 bits below the least normal number
    scaled = abs(value) / ulp
    floor = scaled.numerator // scaled.denominator
    away = rm == (scalar.RDN if value < 0 else scalar.RUP) and floor != scaled
    nearest = rm == scalar.RNE and scaled - floor > Fraction(1, 2)
    assert (floor + (away or nearest) < 1 << 24) == bool(flags & UF)  # the case is what it claims
    assert int(numerics.fmul(a, b, rm)[1]) == flags


@pytest.mark.parametrize("rm", MODES)
def test_conversion_to_integers_is_the_exact_value_rounded(rm):
    rng = random.Random(SEED)
    modes: dict[int, Callable[[Fraction], int]] = {
        scalar.RNE: round,
        scalar.RTZ: int,
        scalar.RDN: lambda x: x.numerator // x.denominator,
        scalar.RUP: lambda x: -(-x.numerator // x.denominator),
        scalar.RMM: lambda x: int(abs(x) + Fraction(1, 2)) * (1 if x > 0 else -1),
    }
    for _ in range(2000):
        a = rng.getrandbits(1) << 31 | rng.randrange(120, 162) << 23 | rng.getrandbits(23)
        value = exact(a)
        whole = modes[rm](value)
        for name, low, high in (("fcvt_w_s", -(2**31), 2**31), ("fcvt_wu_s", 0, 2**32)):
            bits, flags = getattr(numerics, name)(a, rm)
            if low <= whole < high:
                assert int(bits) == whole & 0xFFFF_FFFF, (SEED, hex(a))
                assert int(flags) == (NX if whole != value else 0), (SEED, hex(a))
            else:
                assert int(bits) == (low if whole < 0 else high - 1) & 0xFFFF_FFFF, (SEED, hex(a))
                assert int(flags) == NV, (SEED, hex(a))


@pytest.mark.parametrize(("name", "dtype"), [("fcvt_s_w", np.int32), ("fcvt_s_wu", np.uint32)])
def test_conversion_from_integers_is_numpys(name, dtype):
    rng = np.random.default_rng(SEED)
    a = rng.integers(0, 1 << 32, 50_000, dtype=np.uint32) >> rng.integers(
        0, 32, 50_000, dtype=np.uint32
    )
    wanted = a.view(dtype).astype(np.float32)
    bits, flags = getattr(numerics, name)(a)
    assert np.array_equal(bits, numerics.bits_of(wanted)), f"seed {SEED}"
    inexact = wanted.astype(np.float64) != a.view(dtype)
    assert np.array_equal(flags, inexact * np.uint8(NX)), f"seed {SEED}"


@pytest.mark.parametrize(
    ("name", "truth"), [("feq", operator.eq), ("flt", operator.lt), ("fle", operator.le)]
)
def test_comparisons_are_numpys(name, truth):
    a, b = (x.ravel() for x in np.meshgrid(CORNERS, CORNERS))
    with np.errstate(invalid="ignore"):
        wanted = truth(numerics.float_of(a), numerics.float_of(b))
    assert np.array_equal(getattr(numerics, name)(a, b)[0], wanted)


def test_not_a_number():
    signalling, quiet = 0x7F80_0001, 0xFFC0_0001
    assert numerics.fadd(quiet, ONE) == (NAN, 0)
    assert numerics.fadd(signalling, ONE) == (NAN, NV)
    assert numerics.fmin(signalling, ONE) == (ONE, NV)
    assert numerics.fmax(quiet, signalling) == (NAN, NV)
    assert numerics.fmadd(INFINITY, 0, quiet) == (NAN, NV)
    assert numerics.fmadd(INFINITY, quiet, 0) == (NAN, 0)
    assert numerics.fsub(INFINITY, INFINITY) == (NAN, NV)


def test_operands_broadcast():
    bits, flags = numerics.fmadd(CORNERS[:, None], CORNERS, ONE)
    assert bits.shape == flags.shape == (len(CORNERS), len(CORNERS))
    assert int(bits[3, 5]) == int(numerics.fmadd(CORNERS[3], CORNERS[5], ONE)[0])
    assert numerics.fadd([], [])[0].shape == (0,)


def test_canonical_changes_only_what_is_no_number():
    x = numerics.float_of(CORNERS)
    wanted = np.where(CORNERS & MAGNITUDE > INFINITY, np.uint32(NAN), CORNERS)
    assert np.array_equal(numerics.bits_of(numerics.canonical(x)), wanted)
