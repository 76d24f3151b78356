"""Tests of openipu.cosim.golden.functions."""

from decimal import Decimal, localcontext

import numpy as np
import pytest

from openipu.cosim.golden.functions import FUNCTIONS, evaluate
from openipu.rtl.isa import SimdOp

ALL = np.arange(1 << 16).astype(np.uint16)
NUMBERS = ALL.view(np.float16).astype(np.float64)
DIGITS = 40
NEAREST = 300  # results nearest to a midpoint that are computed with so many digits
DOUBTFUL = 2.0**-40  # of itself: as near to a midpoint no float64 result may be

EXACT = {
    SimdOp.H4_EXP: lambda x: x.exp(),
    SimdOp.H4_LOG: lambda x: x.ln(),
    SimdOp.H4_TANH: lambda x: 1 - 2 / ((2 * x).exp() + 1),
    SimdOp.H4_SIGMOID: lambda x: 1 / (1 + (-x).exp()),
    SimdOp.H4_RECIP: lambda x: 1 / x,
    SimdOp.H4_RSQRT: lambda x: 1 / x.sqrt(),
    SimdOp.H4_SQRT: lambda x: x.sqrt(),
}
INF, NAN, ONE, HALF, SIGN = 0x7C00, 0x7E00, 0x3C00, 0x3800, 0x8000
SPECIAL = {  # of +0, -0, +inf, -inf, -1
    SimdOp.H4_EXP: (ONE, ONE, INF, 0, 0x35E3),
    SimdOp.H4_LOG: (SIGN | INF, SIGN | INF, INF, NAN, NAN),
    SimdOp.H4_TANH: (0, SIGN, ONE, SIGN | ONE, 0xBA18),
    SimdOp.H4_SIGMOID: (HALF, HALF, ONE, 0, 0x344E),
    SimdOp.H4_RECIP: (INF, SIGN | INF, 0, SIGN, SIGN | ONE),
    SimdOp.H4_RSQRT: (INF, SIGN | INF, 0, NAN, NAN),
    SimdOp.H4_SQRT: (0, SIGN, INF, NAN, NAN),
}


def midpoints():
    """Return what lies between neighbours among the finite magnitudes, and before infinity."""
    finite = np.arange(INF).astype(np.uint16).view(np.float16).astype(np.float64)
    return (finite + np.append(finite[1:], 2.0**16)) / 2


@pytest.mark.parametrize("op", FUNCTIONS, ids=lambda op: op.name)
class TestFunctions:
    def test_special_cases(self, op):
        arguments = [0, SIGN, INF, SIGN | INF, SIGN | ONE]
        assert tuple(evaluate(op, arguments)) == SPECIAL[op]

    def test_nan(self, op):
        nans = ALL[np.isnan(NUMBERS)]
        assert len(nans) == 2046
        assert (evaluate(op, nans) == NAN).all()

    def test_no_float64_result_is_in_doubt(self, op):
        with np.errstate(all="ignore"):
            values = np.abs(FUNCTIONS[op](NUMBERS))
        (near,) = np.nonzero((values > 2.0**-26) & (values < 2.0**17))
        values, ties = values[near], midpoints()
        above = np.clip(np.searchsorted(ties, values), 1, len(ties) - 1)
        distance = np.minimum(np.abs(values - ties[above - 1]), np.abs(values - ties[above]))
        distance /= values
        assert distance.min() > DOUBTFUL
        for index in near[np.argsort(distance)[:NEAREST]]:
            magnitude = int(evaluate(op, index)) & ~SIGN
            with localcontext(prec=DIGITS):
                exact = abs(EXACT[op](Decimal(float(NUMBERS[index]))))
            assert magnitude == 0 or exact > Decimal(float(ties[magnitude - 1])), hex(index)
            assert magnitude == INF or exact < Decimal(float(ties[magnitude])), hex(index)

    def test_signs(self, op):
        results = evaluate(op, ALL)
        if op in (SimdOp.H4_TANH, SimdOp.H4_RECIP):
            number = ~np.isnan(NUMBERS)
            assert (results[number] >> 15 == ALL[number] >> 15).all()
        elif op in (SimdOp.H4_EXP, SimdOp.H4_SIGMOID):
            assert not (results >> 15).any()


def test_shapes_are_kept():
    assert evaluate(SimdOp.H4_EXP, np.zeros((2, 3), np.uint16)).shape == (2, 3)


def test_other_operations():
    with pytest.raises(KeyError):
        evaluate(SimdOp.H4_ADD, 0)
