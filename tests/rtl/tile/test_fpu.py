"""The floating-point unit against `numerics`: results and flags of every operation."""

import numpy as np
import pytest

from openipu.cosim.golden import numerics
from openipu.cosim.golden.numerics import SIGN
from openipu.cosim.golden.scalar import BOX
from openipu.cosim.vectors import verilate
from openipu.rtl.isa import FpuOp
from openipu.rtl.tile.fpu import FPU

SEED = 6
LATENCY = 2
MODES = range(5)

OPERATIONS = {
    FpuOp.ADD: lambda a, b, c, i, rm: numerics.fadd(a, b, rm),
    FpuOp.SUB: lambda a, b, c, i, rm: numerics.fsub(a, b, rm),
    FpuOp.MUL: lambda a, b, c, i, rm: numerics.fmul(a, b, rm),
    FpuOp.MADD: lambda a, b, c, i, rm: numerics.fmadd(a, b, c, rm),
    FpuOp.MSUB: lambda a, b, c, i, rm: numerics.fmsub(a, b, c, rm),
    FpuOp.NMSUB: lambda a, b, c, i, rm: numerics.fnmsub(a, b, c, rm),
    FpuOp.NMADD: lambda a, b, c, i, rm: numerics.fnmadd(a, b, c, rm),
    FpuOp.SGNJ: lambda a, b, c, i, rm: numerics.fsgnj(a, b),
    FpuOp.SGNJN: lambda a, b, c, i, rm: numerics.fsgnjn(a, b),
    FpuOp.SGNJX: lambda a, b, c, i, rm: numerics.fsgnjx(a, b),
    FpuOp.MIN: lambda a, b, c, i, rm: numerics.fmin(a, b),
    FpuOp.MAX: lambda a, b, c, i, rm: numerics.fmax(a, b),
    FpuOp.EQ: lambda a, b, c, i, rm: numerics.feq(a, b),
    FpuOp.LT: lambda a, b, c, i, rm: numerics.flt(a, b),
    FpuOp.LE: lambda a, b, c, i, rm: numerics.fle(a, b),
    FpuOp.CLASS: lambda a, b, c, i, rm: numerics.fclass(a),
    FpuOp.CVT_W_S: lambda a, b, c, i, rm: numerics.fcvt_w_s(a, rm),
    FpuOp.CVT_WU_S: lambda a, b, c, i, rm: numerics.fcvt_wu_s(a, rm),
    FpuOp.CVT_S_W: lambda a, b, c, i, rm: numerics.fcvt_s_w(i, rm),
    FpuOp.CVT_S_WU: lambda a, b, c, i, rm: numerics.fcvt_s_wu(i, rm),
    FpuOp.MV_X_W: lambda a, b, c, i, rm: (a, np.zeros(len(a), np.uint8)),
    FpuOp.MV_W_X: lambda a, b, c, i, rm: (i, np.zeros(len(i), np.uint8)),
    FpuOp.CVT_S_H: lambda a, b, c, i, rm: numerics.fcvt_s_h(a),
    FpuOp.CVT_H_S: lambda a, b, c, i, rm: numerics.fcvt_h_s(a, rm),
    FpuOp.MV_X_H: lambda a, b, c, i, rm: (
        a.astype(np.int16).astype(np.uint32), np.zeros(len(a), np.uint8)
    ),
    FpuOp.MV_H_X: lambda a, b, c, i, rm: (i | BOX, np.zeros(len(i), np.uint8)),
}

MAGNITUDES = [
    0, 1, 2, 3, 0x40_0000, 0x7F_FFFE, 0x7F_FFFF, 0x80_0000, 0x80_0001, 0xFF_FFFF, 0x100_0000,
    0x3300_0000, 0x3300_0001, 0x3380_0000, 0x3400_0000, 0x387F_EFFF, 0x387F_F000, 0x3880_0000,
    0x477F_E000, 0x477F_EFFF, 0x477F_F000, 0x4780_0000, 0x3EFF_FFFF, 0x3F00_0000, 0x3F7F_FFFF,
    0x3F80_0000, 0x3F80_0001,
    0x3FC0_0000, 0x4020_0000, 0x4B00_0000, 0x4B7F_FFFF, 0x4EFF_FFFF, 0x4F00_0000, 0x4F7F_FFFF,
    0x4F80_0000, 0x7F00_0000, 0x7F7F_FFFE, 0x7F7F_FFFF,
    0x7F80_0000, 0x7F80_0001, 0x7FBF_FFFF, 0x7FC0_0000, 0x7FFF_FFFF,
]  # fmt: skip
HALVES = [0, 1, 0x03FF, 0x0400, 0x3C00, 0x7BFF, 0x7C00, 0x7C01, 0x7E00, 0x8000, 0xFBFF]
CORNERS = np.array(
    [sign | m for sign in (0, SIGN) for m in MAGNITUDES] + [BOX | half for half in HALVES],
    np.uint32,
)

INPUTS = ("op", "rm", "a", "b", "c", "i")
RECORD = np.dtype([(name, np.uint32) for name in INPUTS])
ANSWER = np.dtype([("result", np.uint32), ("flags", np.uint32)])


def test_every_operation_is_listed():
    assert set(OPERATIONS) == set(FpuOp)


def random_vectors(count, seed=SEED):
    """Return `count` vectors of each operation, in a random order."""
    rng = np.random.default_rng(seed)
    total = count * len(OPERATIONS)
    vectors = np.zeros(total, RECORD)
    vectors["op"] = np.repeat([op.value for op in OPERATIONS], count)
    vectors["rm"] = rng.integers(0, 5, total)
    first = rng.integers(0, 1 << 32, total, dtype=np.uint32)
    for name in "abc":
        kind = rng.random(total)
        some = rng.integers(0, 1 << 32, total, dtype=np.uint32)
        near = first ^ rng.integers(0, 1 << 25, total, dtype=np.uint32)
        near ^= rng.integers(0, 2, total, dtype=np.uint32) << 31
        some = np.where(kind < 0.4, near, some)
        vectors[name] = np.where(kind > 0.7, rng.choice(CORNERS, total), some)
    # a, b around one, so that c is near the product
    scale = np.uint32(0x3F00_0000)
    centred = rng.random(total) < 0.2
    for name in "ab":
        vectors[name] = np.where(centred, vectors[name] & 0x80FF_FFFF | scale, vectors[name])
    vectors["c"] = np.where(centred, vectors["c"] & 0x81FF_FFFF | scale, vectors["c"])
    # f16 as they should be in a register, and f32 in their range
    (widened,) = np.nonzero((vectors["op"] == FpuOp.CVT_S_H.value) & (rng.random(total) < 0.9))
    vectors["a"][widened] |= BOX
    (narrowed,) = np.nonzero((vectors["op"] == FpuOp.CVT_H_S.value) & (rng.random(total) < 0.7))
    exponents = rng.integers(100, 145, len(narrowed), dtype=np.uint32) << 23
    vectors["a"][narrowed] = vectors["a"][narrowed] & 0x807F_FFFF | exponents
    vectors["i"] = rng.integers(0, 1 << 32, total, dtype=np.uint32) >> rng.integers(
        0, 32, total, dtype=np.uint32
    ) ^ np.where(rng.random(total) < 0.5, np.uint32(0xFFFF_FFFF), np.uint32(0))
    rng.shuffle(vectors)
    return vectors


def corner_vectors(operands, modes=MODES):
    """Return each operation in each mode with all pairs of operands (and a third that varies)."""
    ops = [op.value for op in OPERATIONS]
    grid = np.meshgrid(ops, list(modes), operands, operands, indexing="ij")
    vectors = np.zeros(grid[0].size, RECORD)
    for name, axis in zip(("op", "rm", "a", "b"), grid, strict=True):
        vectors[name] = axis.ravel()
    vectors["c"] = CORNERS[np.arange(len(vectors)) % len(CORNERS)]
    vectors["i"] = vectors["a"]
    return vectors


def expected(vectors):
    answers = np.zeros(len(vectors), ANSWER)
    for op, truth in OPERATIONS.items():
        (where,) = np.nonzero(vectors["op"] == op.value)
        rows = vectors[where]
        a, b, c, i = (rows[name] for name in "abci")
        answers["result"][where], answers["flags"][where] = truth(a, b, c, i, rows["rm"])
    return answers


def assert_right(vectors, answers, seed=SEED):
    wrong = np.nonzero(answers != expected(vectors))[0]
    shown = [
        f"{FpuOp(int(vectors[k]['op'])).name} rm {vectors[k]['rm']} "
        + " ".join(f"{name}={vectors[k][name]:#010x}" for name in "abci")
        + f": {answers[k]['result']:#010x}, flags {answers[k]['flags']}, not "
        + f"{expected(vectors)[k]['result']:#010x}, flags {expected(vectors)[k]['flags']}"
        for k in wrong[:10]
    ]
    assert not len(wrong), "\n".join([f"seed {seed}: {len(wrong)} of {len(vectors)}", *shown])


@pytest.fixture(scope="module")
def run():
    unit = verilate(FPU(), latency=LATENCY)

    def answers(vectors):
        got = unit(**{f"x_{name}": vectors[name] for name in INPUTS})
        answers = np.zeros(len(vectors), ANSWER)
        answers["result"], answers["flags"] = got["w_result"], got["w_flags"]
        return answers

    return answers


def test_random_operands(run):
    vectors = random_vectors(20_000)
    assert_right(vectors, run(vectors))


def test_pairs_of_corners(run):
    vectors = corner_vectors(CORNERS)
    assert_right(vectors, run(vectors))


@pytest.mark.slow
def test_many_random_operands(run):
    for seed in range(SEED, SEED + 50):
        vectors = random_vectors(20_000, seed)
        assert_right(vectors, run(vectors), seed)


@pytest.mark.slow
def test_all_triples_of_corners(run):
    fused = [op.value for op in (FpuOp.MADD, FpuOp.MSUB, FpuOp.NMSUB, FpuOp.NMADD)]
    for mode in MODES:
        grid = np.meshgrid(fused, CORNERS, CORNERS, CORNERS, indexing="ij")
        vectors = np.zeros(grid[0].size, RECORD)
        vectors["rm"] = mode
        for name, axis in zip(("op", "a", "b", "c"), grid, strict=True):
            vectors[name] = axis.ravel()
        assert_right(vectors, run(vectors))
