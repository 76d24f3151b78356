"""The golden matrix unit's rows against its whole matrix products."""

import numpy as np
import pytest

from openipu.cosim.golden.amp import Amp, matmul
from openipu.rtl.config import TileConfig
from openipu.rtl.isa import AmpOp

SEED = 29
ROWS = 5
CONTEXT = 2


def word(elements):
    return int(np.ascontiguousarray(elements).view(np.uint64)[0])


def rows_of(config, x, w, partials):
    """Multiply with instructions: partials come, and results go, with the row before or after."""
    amp, single, pairs = Amp(config), x.dtype == np.float32, config.amp_outputs // 2
    lanes = 2 if single else 4
    groups = x.shape[1] // lanes
    amp.execute(CONTEXT, AmpOp.SET, groups, 0)
    for group in range(groups):
        column = w[group * lanes : (group + 1) * lanes].T
        for output in range(0, config.amp_outputs, 2):
            amp.execute(CONTEXT, AmpOp.LOAD, word(column[output]), word(column[output + 1]))
    results = []

    def take(value, plan):
        if plan.gives:
            results.extend(np.array([value], np.uint64).view(np.float32))

    for pair in range(pairs):
        amp.execute(CONTEXT, AmpOp.IN, word(partials[0, 2 * pair : 2 * pair + 2]))
    op = AmpOp.S_PARTIAL if single else AmpOp.H_PARTIAL
    for row in range(ROWS):
        following = partials[(row + 1) % ROWS].reshape(pairs, 2)
        given, group = 0, 0
        while group < groups:
            plan = amp.plan(CONTEXT, op)
            assert plan.takes_b == (given < pairs) and not plan.overruns
            b = word(following[given]) if plan.takes_b else 0
            a = word(x[row, group * lanes : (group + 1) * lanes])
            take(amp.execute(CONTEXT, op, a, b), plan)
            given, group = given + plan.takes_b, group + plan.takes_a
    for _ in range(pairs):
        plan = amp.plan(CONTEXT, AmpOp.OUT)
        take(amp.execute(CONTEXT, AmpOp.OUT), plan)
    assert not amp.plan(CONTEXT, AmpOp.OUT).gives
    return np.array(results).reshape(ROWS, config.amp_outputs)


@pytest.mark.parametrize("kind", [np.float16, np.float32])
@pytest.mark.parametrize("dot", [2, 4])
def test_rows_are_a_matrix_product(kind, dot):
    rng = np.random.default_rng(SEED)
    config = TileConfig(amp_outputs=8, amp_dot=dot, amp_depth=8)
    k = 8 * (4 if kind == np.float16 else 2)
    x = rng.standard_normal((ROWS, k)).astype(kind)
    w = rng.standard_normal((k, config.amp_outputs)).astype(kind)
    partials = rng.standard_normal((ROWS, config.amp_outputs)).astype(np.float32)
    got, wanted = rows_of(config, x, w, partials), matmul(x, w, partials, dot)
    assert np.array_equal(got.view(np.uint32), wanted.view(np.uint32)), f"seed {SEED}"
    exact = partials + x.astype(np.float64) @ w.astype(np.float64)
    assert np.allclose(wanted, exact, atol=1e-4)


def test_the_order_of_additions_counts():
    x, w = np.array([[1, 0, 1, 0]], np.float16), np.ones((4, 1), np.float16)
    large = float(1 << 24)  # f32 has no odd numbers from here on
    assert matmul(x, w, large, dot=4) == large + 2
    assert matmul(x, w, large, dot=2) == large
    assert matmul(x.astype(np.float32), w.astype(np.float32), large) == large


def test_batches_broadcast():
    rng = np.random.default_rng(SEED)
    x = rng.standard_normal((3, 2, 8)).astype(np.float16)
    w = rng.standard_normal((3, 8, 4)).astype(np.float16)
    whole = matmul(x, w)
    assert whole.shape == (3, 2, 4)
    assert all(np.array_equal(whole[n], matmul(x[n], w[n])) for n in range(3))
    assert np.array_equal(matmul(x, w[0])[1], matmul(x[1], w[0]))


def test_a_row_that_ends_too_early_overruns():
    amp = Amp(TileConfig(amp_outputs=8, amp_depth=8))
    amp.execute(0, AmpOp.SET, 1, 0)
    assert not amp.plan(0, AmpOp.H).overruns
    amp.execute(0, AmpOp.H)
    assert amp.plan(0, AmpOp.H).overruns and amp.plan(0, AmpOp.TURN).overruns
    assert not amp.plan(1, AmpOp.H).overruns
    amp.execute(0, AmpOp.OUT_NARROW)
    assert amp.plan(0, AmpOp.H).overruns
    assert not amp.plan(0, AmpOp.H_NARROW).overruns


def test_operands_that_are_illegal():
    amp = Amp(TileConfig(amp_outputs=8, amp_depth=16))
    for groups, pointer in ((0, 0), (17, 0), (1, 1), (1, 128)):
        assert not amp.is_legal(AmpOp.SET, groups, pointer, 0)
    assert amp.is_legal(AmpOp.SET, 16, 126, 0)
    assert [o for o in range(32) if amp.is_legal(AmpOp.PAIR, 0, 0, o)] == [0, 2, 4, 6]


def test_what_matmul_refuses():
    half, single = np.zeros((2, 4), np.float16), np.zeros((4, 2), np.float32)
    with pytest.raises(TypeError, match="both float16 or both float32, not float16, float32"):
        matmul(half, single)
    with pytest.raises(ValueError, match="share a multiple of 4"):
        matmul(half[:, :3], half.T[:3])
    with pytest.raises(ValueError, match="dot must be 2 or 4, not 3"):
        matmul(half, half.T, dot=3)
