"""Every f16 function of every number against `golden.functions`."""

import numpy as np
import pytest

from openipu.cosim import vectors
from openipu.cosim.golden import functions
from openipu.rtl.simd.functions import HalfFunction

LATENCY = 2
NUMBERS = np.arange(1 << 16)


@pytest.fixture(scope="module")
def run():
    return vectors.verilate(HalfFunction(), latency=LATENCY)


def check(op, got):
    wanted = functions.evaluate(op, NUMBERS)
    wrong = np.nonzero(got != wanted)[0]
    shown = [f"{x:#06x}: {got[x]:#06x}, not {wanted[x]:#06x}" for x in wrong[:10]]
    assert not len(wrong), "\n".join([f"{op.name}: {len(wrong)} are wrong", *shown])


@pytest.mark.parametrize("op", functions.FUNCTIONS, ids=lambda op: op.name)
def test_all_numbers(run, op):
    check(op, run(x_op=op.value, x_a=NUMBERS)["w_result"])


def test_functions_in_turn(run):
    """Neighbours in the pipeline have nothing in common."""
    ops = list(functions.FUNCTIONS)
    codes = np.tile([op.value for op in ops], len(NUMBERS))
    got = run(x_op=codes, x_a=np.repeat(NUMBERS, len(ops)))["w_result"]
    for op, column in zip(ops, got.reshape(-1, len(ops)).T, strict=True):
        check(op, column)
