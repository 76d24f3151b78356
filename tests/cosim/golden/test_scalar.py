import random
from fractions import Fraction

import numpy as np
import pytest

from openipu.cosim.golden import scalar

CORNERS = [
    sign | magnitude
    for sign in (0, scalar.SIGN)
    for magnitude in (
        0, 1, 2, 0x7F_FFFE, 0x7F_FFFF, 0x80_0000, 0x80_0001, 0xFF_FFFF, 0x100_0000, 0x3380_0000,
        0x3F7F_FFFF, 0x3F80_0000, 0x3F80_0001, 0x3F00_0000, 0x3FC0_0000, 0x4020_0000, 0x4B00_0000,
        0x4B7F_FFFF, 0x4EFF_FFFF, 0x4F00_0000, 0x4F80_0000, 0x7F7F_FFFF, 0x7F80_0000, 0x7F80_0001,
        0x7FBF_FFFF, 0x7FC0_0000, 0x7FFF_FFFF,
    )
]  # fmt: skip


def patterns(seed, count):
    pick = random.Random(seed)
    for _ in range(count):
        yield tuple(
            pick.choice(CORNERS) if pick.random() < 0.3 else pick.getrandbits(32) for _ in "abc"
        )


def as_float(bits):
    return np.array(bits, np.uint32).view(np.float32)[()]


def as_bits(value):
    return scalar.NAN if np.isnan(value) else int(np.array(value, np.float32).view(np.uint32))


@pytest.mark.parametrize(
    ("ours", "numpys"),
    [(scalar.add, np.add), (scalar.sub, np.subtract), (scalar.mul, np.multiply),
     (scalar.div, np.divide)],
)  # fmt: skip
def test_nearest_even_is_what_numpy_gives(ours, numpys):
    with np.errstate(all="ignore"):
        pairs = [(a, b) for a in CORNERS for b in CORNERS]
        for a, b in pairs + [p[:2] for p in patterns(1, 5000)]:
            expected = as_bits(numpys(as_float(a), as_float(b)))
            assert ours(a, b, scalar.RNE)[0] == expected, (hex(a), hex(b))


def exact(bits):
    significand, exponent = scalar.unpack(bits)
    return Fraction(significand) * Fraction(2) ** exponent


def finite(bits):
    return bits & ~scalar.SIGN < scalar.INFINITY


@pytest.mark.parametrize("rm", range(5))
def test_fma_is_the_right_neighbour_of_the_exact_result(rm):
    """The result's neighbours bound the exact value as the rounding mode says."""
    for a, b, c in patterns(2, 4000):
        if not (finite(a) and finite(b) and finite(c)):
            continue
        bits, flags = scalar.fma(a, b, c, rm)
        wanted = exact(a) * exact(b) + exact(c)
        where = (hex(a), hex(b), hex(c), hex(bits))
        if not finite(bits) or flags & scalar.OF:
            assert flags == scalar.OF | scalar.NX, where
            assert abs(wanted) > exact(0x7F7F_FFFF), where
            continue
        got = exact(bits)
        assert bool(flags & scalar.NX) == (got != wanted), where
        least = Fraction(2) ** scalar.SMALLEST
        ulp = least * 2 ** max((bits >> 23 & 255) - 1, 0)
        error = got - wanted
        if rm in (scalar.RNE, scalar.RMM):
            assert abs(error) <= ulp / 2, where
            if abs(error) == ulp / 2 and rm == scalar.RNE:
                assert bits & 1 == 0, where
            elif abs(error) == ulp / 2:
                assert abs(got) > abs(wanted), where
        else:
            assert abs(error) < ulp, where
            if rm == scalar.RTZ:
                assert abs(got) <= abs(wanted), where
            else:
                assert error <= 0 if rm == scalar.RDN else error >= 0, where
        if flags & scalar.UF:
            assert flags & scalar.NX and bits & ~scalar.SIGN <= 0x80_0000, where


@pytest.mark.parametrize(
    ("a", "b", "rm", "bits", "flags"),
    [
        # Just below the least normal number: tiny only if it stays below with 24 bits.
        (0x00FF_FFFF, 0x3F00_0000, scalar.RNE, 0x0080_0000, scalar.NX | scalar.UF),
        (0x00FF_FFFF, 0x3F00_0000, scalar.RTZ, 0x007F_FFFF, scalar.NX | scalar.UF),
        (0x0080_0001, 0x3F7F_FFFF, scalar.RNE, 0x0080_0000, scalar.NX),
        (0x7F7F_FFFF, 0x4000_0000, scalar.RTZ, 0x7F7F_FFFF, scalar.OF | scalar.NX),
        (0x7F7F_FFFF, 0xC000_0000, scalar.RDN, 0xFF80_0000, scalar.OF | scalar.NX),
        (0x7F80_0000, 0x0000_0000, scalar.RNE, scalar.NAN, scalar.NV),
        (0x8000_0000, 0x3F80_0000, scalar.RDN, 0x8000_0000, 0),
    ],
)
def test_multiplications_with_their_flags(a, b, rm, bits, flags):
    assert scalar.mul(a, b, rm) == (bits, flags)


@pytest.mark.parametrize("rm", range(5))
def test_quotients_and_roots_are_right_neighbours(rm):
    """Multiplied or squared again, the result and its neighbours are on the right sides."""
    for a, b, _ in patterns(3, 4000):
        if finite(a) and a and finite(b) and b & ~scalar.SIGN:
            y = exact(b)
            check_side(*scalar.div(a, b, rm), rm, lambda q, a=a, y=y: exact(a) / y - q, (a, b))
        a &= ~scalar.SIGN
        if finite(a) and a:
            check_side(*scalar.sqrt(a, rm), rm, lambda r, a=a: exact(a) - r * abs(r), (a,))


def check_side(bits, flags, rm, over, operands):
    """`over(x)` has the sign of the exact result less x."""
    where = (rm, hex(bits), *map(hex, operands))
    if not finite(bits) or flags & scalar.OF:
        assert flags == scalar.OF | scalar.NX, where
        return
    got = exact(bits)
    ulp = Fraction(2) ** scalar.SMALLEST * 2 ** max((bits >> 23 & 255) - 1, 0)
    assert bool(flags & scalar.NX) == (over(got) != 0), where
    assert over(got - ulp) > 0 > over(got + ulp), where
    negative = bits & scalar.SIGN != 0
    if rm in (scalar.RNE, scalar.RMM):
        low, high = over(got - ulp / 2), over(got + ulp / 2)
        assert low >= 0 >= high, where
        if rm == scalar.RNE and 0 in (low, high):
            assert bits & 1 == 0, where
        elif 0 in (low, high):  # away from zero
            assert (high if negative else low) == 0, where
    elif rm == scalar.RTZ:
        assert over(got) <= 0 if negative else over(got) >= 0, where
    else:
        assert over(got) >= 0 if rm == scalar.RDN else over(got) <= 0, where
    if flags & scalar.UF:
        assert flags & scalar.NX and bits & ~scalar.SIGN <= 0x80_0000, where


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        (scalar.div(scalar.ONE, scalar.SIGN, scalar.RNE),
         (scalar.SIGN | scalar.INFINITY, scalar.DZ)),
        (scalar.div(0, scalar.SIGN, scalar.RNE), (scalar.NAN, scalar.NV)),
        (scalar.div(scalar.INFINITY, 0, scalar.RNE), (scalar.INFINITY, 0)),
        (scalar.div(scalar.INFINITY, scalar.INFINITY, scalar.RNE), (scalar.NAN, scalar.NV)),
        (scalar.div(scalar.SIGN | scalar.ONE, scalar.INFINITY, scalar.RDN), (scalar.SIGN, 0)),
        (scalar.div(0x7F80_0001, 0, scalar.RNE), (scalar.NAN, scalar.NV)),
        (scalar.div(0x7FC0_0001, 0, scalar.RNE), (scalar.NAN, 0)),
        (scalar.div(1, 0x7F7F_FFFF, scalar.RUP), (1, scalar.NX | scalar.UF)),
        (scalar.sqrt(scalar.SIGN, scalar.RNE), (scalar.SIGN, 0)),
        (scalar.sqrt(scalar.SIGN | 1, scalar.RNE), (scalar.NAN, scalar.NV)),
        (scalar.sqrt(scalar.INFINITY, scalar.RNE), (scalar.INFINITY, 0)),
        (scalar.sqrt(0x7FC0_0001, scalar.RNE), (scalar.NAN, 0)),
        # 65504 is the greatest f16, 65520 halfway to the next; 2**-25 half of the least
        (scalar.narrow(0x477F_EFFF, scalar.RNE), (0xFFFF_7BFF, scalar.NX)),
        (scalar.narrow(0x477F_F000, scalar.RNE), (0xFFFF_7C00, scalar.OF | scalar.NX)),
        (scalar.narrow(0xC77F_F000, scalar.RUP), (0xFFFF_FBFF, scalar.NX)),
        (scalar.narrow(0x7F7F_FFFF, scalar.RTZ), (0xFFFF_7BFF, scalar.OF | scalar.NX)),
        (scalar.narrow(0x3300_0000, scalar.RNE), (0xFFFF_0000, scalar.UF | scalar.NX)),
        (scalar.narrow(0x3300_0000, scalar.RMM), (0xFFFF_0001, scalar.UF | scalar.NX)),
        (scalar.narrow(0x387F_F000, scalar.RNE), (0xFFFF_0400, scalar.NX)),
        (scalar.narrow(0x387F_EFFF, scalar.RNE), (0xFFFF_0400, scalar.UF | scalar.NX)),
        (scalar.narrow(0x7F80_0001, scalar.RNE), (0xFFFF_7E00, scalar.NV)),
        (scalar.widen(0xFFFF_8001), (0xB380_0000, 0)),
        (scalar.widen(0xFFFF_7C01), (scalar.NAN, scalar.NV)),
        (scalar.widen(0x0000_3C00), (scalar.NAN, 0)),
    ],
)  # fmt: skip
def test_special_quotients_roots_and_halves(result, expected):
    assert result == expected


def test_zero_sums():
    assert scalar.add(0, scalar.SIGN, scalar.RNE) == (0, 0)
    assert scalar.add(0, scalar.SIGN, scalar.RDN) == (scalar.SIGN, 0)
    assert scalar.add(scalar.SIGN, scalar.SIGN, scalar.RNE) == (scalar.SIGN, 0)
    assert scalar.sub(scalar.ONE, scalar.ONE, scalar.RDN) == (scalar.SIGN, 0)


def test_comparisons_are_what_numpy_gives():
    with np.errstate(all="ignore"):
        for a in CORNERS:
            for b in CORNERS:
                x, y = as_float(a), as_float(b)
                assert scalar.equal(a, b)[0] == (x == y)
                assert scalar.less(a, b)[0] == (x < y)
                assert scalar.less_equal(a, b)[0] == (x <= y)
                invalid = scalar.NV if scalar.is_signalling(a, b) else 0
                assert scalar.equal(a, b)[1] == invalid
                assert scalar.minimum(a, b)[1] == invalid
                nan = scalar.is_nan(a) or scalar.is_nan(b)
                assert scalar.less(a, b)[1] == (scalar.NV if nan else 0)
                for ours, theirs in ((scalar.minimum, np.fmin), (scalar.maximum, np.fmax)):
                    # NumPy doesn't order zeros, and a signalling NaN wins there.
                    if (a | b) & ~scalar.SIGN and not invalid:
                        assert ours(a, b)[0] == as_bits(theirs(x, y)), (hex(a), hex(b))
    assert scalar.minimum(0x7F80_0001, scalar.ONE) == (scalar.ONE, scalar.NV)
    assert scalar.minimum(0, scalar.SIGN) == scalar.minimum(scalar.SIGN, 0) == (scalar.SIGN, 0)
    assert scalar.maximum(0, scalar.SIGN) == scalar.maximum(scalar.SIGN, 0) == (0, 0)


@pytest.mark.parametrize(
    ("value", "rm", "signed", "expected"),
    [
        (2.5, scalar.RNE, True, (2, scalar.NX)),
        (2.5, scalar.RMM, True, (3, scalar.NX)),
        (-2.5, scalar.RDN, True, (0xFFFF_FFFD, scalar.NX)),
        (-2.5, scalar.RTZ, True, (0xFFFF_FFFE, scalar.NX)),
        (-0.5, scalar.RTZ, False, (0, scalar.NX)),
        (-1.0, scalar.RTZ, False, (0, scalar.NV)),
        (2.0**31, scalar.RNE, True, (0x7FFF_FFFF, scalar.NV)),
        (-(2.0**31), scalar.RNE, True, (0x8000_0000, 0)),
        (2.0**31, scalar.RNE, False, (0x8000_0000, 0)),
        (2.0**32, scalar.RNE, False, (0xFFFF_FFFF, scalar.NV)),
        (float("inf"), scalar.RNE, True, (0x7FFF_FFFF, scalar.NV)),
        (float("-inf"), scalar.RNE, True, (0x8000_0000, scalar.NV)),
        (float("-inf"), scalar.RNE, False, (0, scalar.NV)),
        (float("nan"), scalar.RNE, False, (0xFFFF_FFFF, scalar.NV)),
        (float("nan"), scalar.RNE, True, (0x7FFF_FFFF, scalar.NV)),
    ],
)
def test_conversions_to_integers(value, rm, signed, expected):
    bits = int(np.float32(value).view(np.uint32))
    assert scalar.to_integer(bits, rm, is_signed=signed) == expected


def test_conversions_from_integers_are_what_numpy_gives():
    pick = random.Random(3)
    for _ in range(2000):
        value = pick.getrandbits(32) >> pick.randrange(32)
        for signed in (value - (1 << 31), value):
            bits, flags = scalar.from_integer(signed, scalar.RNE)
            assert bits == as_bits(np.float32(signed))
            assert flags == (scalar.NX if int(np.float32(signed)) != signed else 0)


def test_classes():
    values = [0xFF80_0000, 0xBF80_0000, 0x8000_0001, 0x8000_0000, 0, 1, 0x3F80_0000, 0x7F80_0000,
              0x7F80_0001, 0x7FC0_0000]  # fmt: skip
    assert [scalar.classify(value) for value in values] == [1 << bit for bit in range(10)]
