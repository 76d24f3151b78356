"""SIMD operations on arrays: against exact fractions, NumPy, and the same on ints."""

from fractions import Fraction

import numpy as np
import pytest

from openipu.cosim.golden import semantics_simd, simd
from openipu.rtl.floating.format import F16
from openipu.rtl.isa import SimdOp
from tests.rtl.patterns import corners, random_operands
from tests.rtl.simd.operands import corner_vectors, random_vectors

SEED = 21


def test_every_operation_is_there():
    assert set(SimdOp) == set(simd.OPERATIONS) == set(semantics_simd.OPERATIONS)


@pytest.mark.parametrize("op", simd.OPERATIONS, ids=lambda op: op.name)
def test_arrays_and_ints_agree(op):
    rng = np.random.default_rng(SEED)
    for columns in (corner_vectors(rng, op), random_vectors(rng, op, 3000)):
        words = list(columns.values())
        got = simd.evaluate(op, *words)
        function = semantics_simd.OPERATIONS[op]
        for vector in zip(got.tolist(), *(word.tolist() for word in words), strict=True):
            result, *operands = vector
            assert result == function(*operands), (SEED, op, *map(hex, vector))


def test_operands_broadcast():
    a = np.arange(6, dtype=np.uint64).reshape(2, 3)
    got = simd.evaluate(SimdOp.XOR, a, 1)
    assert got.dtype == np.uint64
    assert got.tolist() == [[1, 0, 3], [2, 5, 4]]
    assert simd.evaluate(SimdOp.AND, 12, 10) == 8


def value_of(pattern):
    """Return a finite f16 pattern as a fraction."""
    exponent, fraction = pattern >> 10 & 31, pattern & 0x3FF
    magnitude = Fraction(fraction + (1024 if exponent else 0)) * Fraction(2) ** max(exponent, 1)
    return magnitude / (1 << 25) * (-1 if pattern >> 15 else 1)


VALUES = np.array([float(value_of(pattern)) for pattern in range(0x7C00)])
"""The values of positive finite f16, in their order."""


def nearest(value):
    """Return the f16 pattern nearest to a fraction that isn't zero, by search in all of them."""
    magnitude, sign = abs(value), 0x8000 if value < 0 else 0
    if magnitude >= 65520:
        return sign | 0x7C00
    below = int(np.searchsorted(VALUES, float(magnitude)))
    near = range(max(below - 2, 0), min(below + 3, len(VALUES)))
    return sign | min(near, key=lambda p: (abs(Fraction(float(VALUES[p])) - magnitude), p & 1))


def test_a_fused_multiply_add_is_rounded_once():
    rng = np.random.default_rng(SEED)
    a, b, c = random_operands(rng, F16, 40_000)
    exact = 0
    results = simd.evaluate(SimdOp.H4_MADD, a, b, c) & np.uint64(0xFFFF)
    for place, (x, y, z) in enumerate(zip(a.tolist(), b.tolist(), c.tolist(), strict=True)):
        if max(pattern & 0x7FFF for pattern in (x, y, z)) >= 0x7C00:
            continue
        total = value_of(x) * value_of(y) + value_of(z)
        got = int(results[place])
        if total:
            assert got == nearest(total), (SEED, hex(x), hex(y), hex(z))
            exact += 1
        else:
            assert got in (0, 0x8000)
    assert exact > 10_000


def test_narrowing_is_that_of_numpy():
    rng = np.random.default_rng(SEED)
    values = rng.integers(0, 1 << 32, 100_000, dtype=np.uint32).view(np.float32)
    with np.errstate(all="ignore"):
        wanted = values.astype(np.float16)
    got = simd.narrow(values.view(np.uint32)).view(np.float16)
    assert np.array_equal(got, wanted, equal_nan=True)


def narrowed(value, random):
    bits = np.array([value], np.float32).view(np.uint32)
    return float(simd.narrow_random(bits, np.array([random], np.uint16)).view(np.float16)[0])


def test_random_narrowing_leaves_what_f16_has():
    patterns = np.arange(1 << 16, dtype=np.uint16)
    wide = patterns.view(np.float16).astype(np.float32).view(np.uint32)
    wanted = np.where(patterns & 0x7FFF > 0x7C00, 0x7E00, patterns)
    for random in (0, 1, 0xFFFF):
        got = simd.narrow_random(wide, np.full(1 << 16, random, np.uint16))
        assert np.array_equal(got, wanted), random


@pytest.mark.parametrize(
    ("value", "least"),
    [
        (1 + 2**-11, 0x8000),
        (1 + 2**-10 - 2**-23, 8),
        (1 + 2**-23, 0x10000 - 8),
        (2**-25, 0x8000),
        (2**-14 - 2**-25, 0x8000),  # up to the least normal number
        (3 * 2**-26, 0x4000),
        (2**-40, 0xFFFF),
        (2**-40 + 2**-60, 0xFFFF),
    ],
)
def test_random_narrowing_goes_up_from(value, least):
    """`least` are the least random bits with which the magnitude is rounded up."""
    for sign in (1, -1):
        down, up = narrowed(sign * value, least - 1), narrowed(sign * value, least)
        assert abs(down) < value < abs(up)
        assert narrowed(sign * value, 0) == down
        assert narrowed(sign * value, 0xFFFF) == up
        assert np.nextafter(np.float16(down), np.float16(sign * np.inf)) == up
        assert np.signbit(down) == (sign < 0)


def test_random_narrowing_at_the_ends():
    assert narrowed(2**-41, 0xFFFF) == 0
    assert narrowed(65519.99, 0xFFFF) == 65504
    assert narrowed(-65520, 0) == -np.inf
    assert narrowed(np.inf, 0) == np.inf
    assert np.isnan(narrowed(np.nan, 0xFFFF))


def test_random_narrowing_is_right_on_average():
    rng = np.random.default_rng(SEED)
    values = rng.normal(size=50).astype(np.float32)
    random = np.arange(1 << 16, dtype=np.uint16)
    for value in values:
        bits = np.full(1 << 16, value).view(np.uint32)
        mean = simd.narrow_random(bits, random).view(np.float16).astype(np.float64).mean()
        assert mean == value


def test_minimum_and_maximum_of_zeros_and_nans():
    nan, minus, ones = 0x7E01, 0x8000, 0xFFFF_FFFF_FFFF
    assert simd.evaluate(SimdOp.H4_MIN, minus << 16 | nan, nan) & ones == minus << 16 | 0x7E00
    assert simd.evaluate(SimdOp.H4_MAX, minus << 16 | nan, 1) & ones == 1
    assert simd.evaluate(SimdOp.H4_GREATEST, 0x7E01_FFFF_FC00_8000) == 0xFFFF_8000
    assert simd.evaluate(SimdOp.H4_GREATEST, 0x7E01_FFFF_7C01_FE00) == 0xFFFF_7E00
    assert simd.evaluate(SimdOp.S2_GREATEST, 0x7F80_0001_FF80_0000) == 0xFF80_0000


def test_corners_are_of_every_kind():
    values = corners(F16).astype(np.uint16).view(np.float16)
    assert {0, np.inf, -np.inf, 65504, 2**-24} <= set(values[~np.isnan(values)].tolist())
    assert np.isnan(values).any()
