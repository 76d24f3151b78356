import numpy as np
import pytest
from amaranth.sim import Simulator

from openipu.cosim.golden import numerics
from openipu.cosim.golden.numerics import INFINITY, NAN, ONE, SIGN
from openipu.rtl.floating.compare import Compare
from openipu.rtl.isa import FpuOp

PATTERNS = np.array(
    [
        sign | magnitude
        for sign in (0, SIGN)
        for magnitude in (0, 1, 0x7F_FFFF, 0x80_0000, ONE, ONE + 1, 0x7F7F_FFFF, INFINITY,
                          INFINITY + 1, NAN - 1, NAN, NAN + 1)
    ],
    np.uint32,
)  # fmt: skip
TRUTHS = {
    FpuOp.SGNJ: numerics.fsgnj,
    FpuOp.SGNJN: numerics.fsgnjn,
    FpuOp.SGNJX: numerics.fsgnjx,
    FpuOp.MIN: numerics.fmin,
    FpuOp.MAX: numerics.fmax,
    FpuOp.EQ: numerics.feq,
    FpuOp.LT: numerics.flt,
    FpuOp.LE: numerics.fle,
    FpuOp.CLASS: lambda a, b: numerics.fclass(a),
    FpuOp.MV_X_W: lambda a, b: (a, np.zeros_like(a)),
    FpuOp.MV_W_X: lambda a, b: (~b, np.zeros_like(a)),
}


@pytest.mark.parametrize("op", TRUTHS)
def test_all_pairs(op):
    dut = Compare()
    a, b = (x.ravel() for x in np.meshgrid(PATTERNS, PATTERNS))
    results, flags = TRUTHS[op](a, b)

    async def bench(ctx):
        ctx.set(dut.op, op)
        for row in zip(a.tolist(), b.tolist(), results.tolist(), flags.tolist(), strict=True):
            ctx.set(dut.a, row[0])
            ctx.set(dut.b, row[1])
            ctx.set(dut.i, row[1] ^ 0xFFFF_FFFF)
            got = ctx.get(dut.result), ctx.get(dut.invalid) * numerics.NV
            assert got == row[2:], (op, [hex(x) for x in row])

    simulator = Simulator(dut)
    simulator.add_testbench(bench)
    simulator.run()
