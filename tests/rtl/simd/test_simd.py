"""The SIMD unit against `golden.simd`: every operation."""

import numpy as np
import pytest

from openipu.cosim import vectors
from openipu.cosim.golden import simd
from openipu.rtl.simd.simd import SIMD
from tests.rtl.simd.operands import corner_vectors, random_vectors

SEED = 31
LATENCY = 2


@pytest.fixture(scope="module")
def run():
    return vectors.verilate(SIMD(), latency=LATENCY)


def check(run, op, columns):
    """Send vectors, and compare the results."""
    inputs = {f"x_{name}": column for name, column in columns.items()}
    got = run(enable=1, x_op=op.value, **inputs)["w_result"]
    wanted = simd.evaluate(op, **columns)
    wrong = np.nonzero(got != wanted)[0]
    shown = [
        " ".join(f"{name}={column[k]:#018x}" for name, column in columns.items())
        + f": {got[k]:#018x}, not {wanted[k]:#018x}"
        for k in wrong[:10]
    ]
    assert not len(wrong), "\n".join(
        [f"{op.name}, seed {SEED}: {len(wrong)} of {len(got)}", *shown]
    )


OPERATIONS = pytest.mark.parametrize("op", simd.OPERATIONS, ids=lambda op: op.name)


@OPERATIONS
def test_corners(run, op):
    check(run, op, corner_vectors(np.random.default_rng(SEED), op))


@OPERATIONS
def test_random_operands(run, op):
    check(run, op, random_vectors(np.random.default_rng(SEED), op, 20_000))


def test_the_unit_stands_still_while_it_is_not_enabled():
    rng = np.random.default_rng(SEED)
    count = 2_000
    given = {name: rng.integers(0, 1 << 64, count, np.uint64) for name in ("x_a", "x_b", "x_c")}
    ops = rng.choice([op.value for op in simd.OPERATIONS], count)
    enable = (rng.random(count) < 0.5).astype(np.uint64)
    run = vectors.verilate(SIMD(), latency=0)
    got = run(enable=enable, x_op=ops, **given)["w_result"]
    # Only the enabled cycles count.
    taken = np.flatnonzero(enable)
    kept = {name: values[taken] for name, values in given.items()}
    results = run(enable=np.ones(len(taken)), x_op=ops[taken], **kept)["w_result"]
    before = np.cumsum(enable).astype(int) - enable.astype(int)
    known = (before >= LATENCY) & (before < len(taken))
    assert known.sum() > 0.9 * count
    assert np.array_equal(got[known], results[before[known]]), f"seed {SEED}"


@pytest.mark.slow
@OPERATIONS
def test_many_random_operands(run, op):
    check(run, op, random_vectors(np.random.default_rng(SEED + 1), op, 1_000_000))
