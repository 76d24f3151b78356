import numpy as np
import pytest
from amaranth.sim import Simulator

from openipu.cosim.golden import numerics
from openipu.rtl.config import TileConfig
from openipu.rtl.isa import FdivideOp
from openipu.rtl.tile.fdivide import FloatDivider
from tests.rtl.tile.test_fpu import CORNERS

SEED = 4


@pytest.mark.parametrize("slots", [4, 6])
def test_threads_in_turn_all_get_their_own_result(slots):
    """With operations, operands and modes of their own; `test_divide_root` has the values."""
    dut = FloatDivider(TileConfig(slots=slots))
    rng = np.random.default_rng(SEED)

    def job():
        operands = np.where(
            rng.random(2) < 0.5, rng.integers(0, 1 << 32, 2), rng.choice(CORNERS, 2)
        )
        return FdivideOp(int(rng.integers(2))), int(rng.integers(5)), *operands.tolist()

    async def bench(ctx):
        ctx.set(dut.run, 1)
        ctx.set(dut.x_request, 1)
        jobs = [job() for _ in range(slots)]
        done = [0] * slots
        for cycle in range(slots * 400):
            thread = cycle % slots
            op, rm, a, b = jobs[thread]
            for port, value in (
                (dut.x_thread, thread), (dut.x_op, op), (dut.x_rm, rm), (dut.x_a, a), (dut.x_b, b),
            ):  # fmt: skip
                ctx.set(port, value)
            if ctx.get(dut.x_ready):
                wanted = (
                    numerics.fdiv(a, b, rm) if op is FdivideOp.DIV else numerics.fsqrt(a, rm)
                )
                got = ctx.get(dut.x_result), ctx.get(dut.x_flags)
                assert got == wanted, (SEED, op, rm, hex(a), hex(b))
                done[thread] += 1
                jobs[thread] = job()
            await ctx.tick()
        assert min(done) >= 5, done  # nobody starves

    simulator = Simulator(dut)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
