import itertools
import random
from collections import deque

from amaranth.sim import Simulator

from openipu.rtl.isa import MultiplyOp
from openipu.rtl.tile.multiply import Multiplier

CORNERS = (0, 1, 2, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF, 0xFFFF, 0x1_0000)


def signed(value):
    return value - (value >> 31 << 32)


MODEL = {
    MultiplyOp.MUL: lambda a, b: a * b,
    MultiplyOp.MULH: lambda a, b: signed(a) * signed(b) >> 32,
    MultiplyOp.MULHSU: lambda a, b: signed(a) * b >> 32,
    MultiplyOp.MULHU: lambda a, b: a * b >> 32,
}


def test_one_operation_a_cycle_two_cycles_latency():
    dut = Multiplier()
    seed = random.randrange(1 << 32)
    print(f"seed {seed}")
    rng = random.Random(seed)
    jobs = list(itertools.product(MultiplyOp, CORNERS, CORNERS))
    jobs += [
        (rng.choice(list(MultiplyOp)), rng.getrandbits(32), rng.getrandbits(32))
        for _ in range(500)
    ]
    rng.shuffle(jobs)

    async def bench(ctx):
        in_flight: deque[tuple[MultiplyOp, int, int] | None] = deque([None, None])
        for job in [*jobs, None, None]:
            if job is not None:
                for signal, value in zip((dut.x_op, dut.x_a, dut.x_b), job, strict=True):
                    ctx.set(signal, value)
            in_flight.append(job)
            done = in_flight.popleft()
            if done is not None:
                op, a, b = done
                assert ctx.get(dut.w_result) == MODEL[op](a, b) & 0xFFFF_FFFF, done
            await ctx.tick()

    simulator = Simulator(dut)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
