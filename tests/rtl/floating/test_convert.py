import random

import numpy as np
from amaranth.sim import Simulator

from openipu.cosim.golden import numerics
from openipu.rtl.floating.common import BIAS, SUM_BITS, Special
from openipu.rtl.floating.convert import FromInteger, ToInteger

SEED = 8
LATENCY = 2


def stream(dut, vectors, sample):
    """Set ports by name, one vector a cycle; return what `sample` sees two edges later."""
    results = []

    async def bench(ctx):
        for cycle in range(len(vectors) + LATENCY):
            if cycle < len(vectors):
                for name, value in vectors[cycle].items():
                    ctx.set(getattr(dut, name), value)
            if cycle >= LATENCY:
                results.append(sample(ctx))
            await ctx.tick()

    simulator = Simulator(dut)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
    return results


def test_integers_are_exact():
    rng = random.Random(SEED)
    corners = [0, 1, 2, 0x7FFF_FFFF, 0x8000_0000, 0x8000_0001, 0xFFFF_FFFF]
    patterns = corners + [rng.getrandbits(32) >> rng.randrange(32) for _ in range(200)]
    vectors = [{"x_i": i, "x_signed": signed} for i in patterns for signed in (0, 1)]
    dut = FromInteger()

    def sample(ctx):
        exact = dut.w_exact
        assert ctx.get(exact.special) == Special.NONE
        last = ctx.get(exact.exponent) - BIAS - SUM_BITS + 1
        value, rest = divmod(ctx.get(exact.significand), 1 << -last)
        assert not rest
        return -value if ctx.get(exact.negative) else value

    for vector, got in zip(vectors, stream(dut, vectors, sample), strict=True):
        i = vector["x_i"]
        assert got == (i - (1 << 32) if vector["x_signed"] and i >> 31 else i), (SEED, vector)


def test_to_integers():
    """Around the integers' ends and around one half, in every mode."""
    rng = random.Random(SEED)
    ends = [0x3E80_0000, 0x3F00_0000, 0x3F80_0000, 0x4F00_0000, 0x4F80_0000, 0x4FFF_FFFF]
    magnitudes = [end + step for end in ends for step in (-2, -1, 0, 1, 2)]
    magnitudes += [0, 1, 0x7F_FFFF, 0x7F7F_FFFF, 0x7F80_0000, 0x7F80_0001, 0x7FC0_0000]
    magnitudes += [rng.randrange(118, 162) << 23 | rng.getrandbits(23) for _ in range(100)]
    magnitudes += [rng.randrange(1, 1 << 10) * 0x20_0000 + 0x3F00_0000 for _ in range(20)]
    magnitudes = [x for x in magnitudes if x < 1 << 31]
    vectors = [
        {"x_a": sign << 31 | magnitude, "x_signed": signed, "x_rm": rm}
        for magnitude in magnitudes
        for sign in (0, 1)
        for signed in (0, 1)
        for rm in range(5)
    ]
    dut = ToInteger()
    results = stream(
        dut, vectors, lambda ctx: (ctx.get(dut.w_result), ctx.get(dut.w_flags.as_value()))
    )
    a = np.array([v["x_a"] for v in vectors], np.uint32)
    rm = np.array([v["x_rm"] for v in vectors])
    signed = np.array([v["x_signed"] for v in vectors])
    bits, flags = numerics.fcvt_w_s(a, rm)
    unsigned_bits, unsigned_flags = numerics.fcvt_wu_s(a, rm)
    bits, flags = np.where(signed, bits, unsigned_bits), np.where(signed, flags, unsigned_flags)
    for vector, got, *wanted in zip(vectors, results, bits.tolist(), flags.tolist(), strict=True):
        assert got == tuple(wanted), (SEED, vector, hex(vector["x_a"]))
