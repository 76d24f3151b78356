"""Tests of openipu.rtl.simd.cubic."""

import numpy as np
import pytest

from openipu.rtl.simd.cubic import ARGUMENT_BITS, BITS, Cubic, evaluate, fit

SEED = 4
EVERY = np.arange(1 << ARGUMENT_BITS)


def fit_within(t, target, room):
    target = np.asarray(target, np.float64)
    least = np.ceil(target - room).astype(np.int64)
    greatest = np.floor(target + room).astype(np.int64)
    found = fit(t, target, least, greatest)
    if found is not None:
        values = evaluate(found, t)
        assert (least <= values).all() and (values <= greatest).all()
        assert 0 <= found.c0 < 1 << BITS.c0
        for name in ("c1", "c2", "c3"):
            limit = 1 << getattr(BITS, name) - 1
            assert -limit <= getattr(found, name) < limit
    return found


def test_evaluate_rounds_each_product_down():
    # T = 127: -3*127 >> 8 = -2; (5 - 2)*127 >> 8 = 1; (7 + 1)*509 >> 7 = 31
    assert evaluate(Cubic(100, 7, 5, -3), np.array([509])) == [131]
    assert evaluate(Cubic(100, -1), np.array([0, 1, 128, 129])).tolist() == [100, 99, 99, 98]


def test_a_constant_is_enough():
    assert fit_within(EVERY, np.full(len(EVERY), 77), 3) == Cubic(77)
    assert fit_within(EVERY[5:6], [12], 0) == Cubic(12)


@pytest.mark.parametrize("points", [2, 3, 4, 5, 64, 1024])
def test_random_cubics(points):
    rng = np.random.default_rng(SEED)
    t = np.arange(points) * ((1 << ARGUMENT_BITS) // points)
    x = t / (1 << ARGUMENT_BITS)
    for _ in range(20):
        c1, c2, c3 = (rng.integers(-(1 << bits - 2), 1 << bits - 2) * 8.0 for bits in BITS[1:])
        target = (1 << BITS.c0 - 1) + (c1 + (c2 + c3 * x) * x) * x
        assert fit_within(t, target, 40) is not None, f"seed {SEED}: {c1, c2, c3}"


@pytest.mark.parametrize(
    ("target", "why"),
    [
        (np.where(EVERY == 512, 9000, 5000), "a peak"),
        (EVERY * 1024, "too steep"),
        (np.full(len(EVERY), 1 << BITS.c0), "c0 too large"),
    ],
)
def test_what_there_is_no_cubic_for(target, why):
    assert fit_within(EVERY, target, 100 if why != "c0 too large" else 0) is None, why


def test_a_single_value_out_of_range():
    assert fit_within(EVERY[:1], [1 << BITS.c0], 0) is None
