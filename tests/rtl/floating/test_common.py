import random

import numpy as np
from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from amaranth.sim import Simulator

from openipu.cosim.golden import numerics, scalar
from openipu.rtl.floating.common import BIAS, SUM_BITS, Exact, Float32, Round, Special

SEED = 5
UNIT = -BIAS - SUM_BITS + 1  #: the weight of a significand's last bit, less the exponent


def simulate(dut, bench):
    simulator = Simulator(dut)
    simulator.add_testbench(bench)
    simulator.run()


def significands(rng):
    """Yield significands that are random, short, all ones, or near what rounding decides by."""
    while True:
        some = rng.getrandbits(SUM_BITS) >> rng.randrange(SUM_BITS)
        yield some
        kept = rng.getrandbits(24) | 1 << 23
        place = SUM_BITS - 24 - rng.randrange(SUM_BITS - 26)
        half = rng.choice((0, 1 << place - 1, (1 << place) - 1))
        yield (kept << place | half ^ rng.choice((0, 0, 1))) & (1 << SUM_BITS) - 1
        ones = (1 << rng.randrange(1, SUM_BITS)) - 1
        yield ones << rng.randrange(SUM_BITS - ones.bit_length())


def test_rounding_is_that_of_exact_integers():
    dut = Round()
    rng = random.Random(SEED)
    source = significands(rng)

    async def bench(ctx):
        for _ in range(4000):
            significand, negative, rm = next(source), rng.getrandbits(1), rng.randrange(5)
            exponent = rng.choice((1, 2, rng.randrange(1, 60), rng.randrange(1, 384), 254, 255))
            ctx.set(dut.exact.significand, significand)
            ctx.set(dut.exact.exponent, exponent)
            ctx.set(dut.exact.negative, negative)
            ctx.set(dut.rm, rm)
            signed = -significand if negative else significand
            wanted = (
                scalar.pack(signed, exponent + UNIT, rm)
                if significand
                else (scalar.SIGN * negative, 0)
            )
            got = ctx.get(dut.result), ctx.get(dut.flags.as_value())
            assert got == wanted, (SEED, hex(significand), exponent, negative, rm, wanted, got)

    simulate(dut, bench)


def test_tininess_is_detected_after_rounding():
    """Around the least normal number, where a subnormal result has one bit less to round to."""
    dut = Round()
    seen = set()

    async def bench(ctx):
        for exponent in (1, 2, 20):
            place = SUM_BITS - exponent - 24  # of the last of 24 bits, the first just too small
            for kept in (0xFF_FFFD, 0xFF_FFFE, 0xFF_FFFF, 0x100_0000, 0x100_0001):
                for rest in (0, 1, 1 << place - 1, (1 << place - 1) + 1, (1 << place) - 1):
                    for negative in (0, 1):
                        for rm in range(5):
                            significand = kept << place | rest
                            ctx.set(dut.exact.significand, significand)
                            ctx.set(dut.exact.exponent, exponent)
                            ctx.set(dut.exact.negative, negative)
                            ctx.set(dut.rm, rm)
                            signed = -significand if negative else significand
                            wanted = scalar.pack(signed, exponent + UNIT, rm)
                            got = ctx.get(dut.result), ctx.get(dut.flags.as_value())
                            where = (exponent, hex(kept), hex(rest), negative, rm)
                            assert got == wanted, (*where, wanted, got)
                            seen.add(got[1])

    simulate(dut, bench)
    assert seen == {0, scalar.NX, scalar.NX | scalar.UF}


def test_special_results():
    dut = Round()

    async def bench(ctx):
        ctx.set(dut.exact.significand, 3)
        ctx.set(dut.exact.exponent, 383)
        for negative in (0, 1):
            for special, result, flags in (
                (Special.INFINITE, scalar.INFINITY | scalar.SIGN * negative, 0),
                (Special.NAN, scalar.NAN, 0),
                (Special.INVALID, scalar.NAN, scalar.NV),
            ):
                ctx.set(dut.exact.negative, negative)
                ctx.set(dut.exact.special, special)
                assert (ctx.get(dut.result), ctx.get(dut.flags.as_value())) == (result, flags)

    simulate(dut, bench)


class Classes(wiring.Component):
    """The predicates and parts of `Float32`."""

    a: In(32)
    kinds: Out(4)
    scale: Out(8)
    significand: Out(24)
    magnitude: Out(31)

    def elaborate(self, platform):
        m = Module()
        a = Signal(Float32)
        m.d.comb += [
            a.eq(self.a),
            self.kinds.eq(Cat(a.is_zero, a.is_infinite, a.is_nan, a.is_signalling)),
            self.scale.eq(a.scale),
            self.significand.eq(a.significand),
            self.magnitude.eq(a.magnitude),
        ]
        return m


def test_parts_of_a_number():
    dut = Classes()
    patterns = [
        sign | magnitude
        for sign in (0, scalar.SIGN)
        for magnitude in (0, 1, 0x7F_FFFF, 0x80_0000, 0x3F80_0000, 0x7F7F_FFFF, 0x7F80_0000,
                          0x7F80_0001, 0x7FBF_FFFF, 0x7FC0_0000, 0x7FFF_FFFF)
    ]  # fmt: skip
    infinite, zero, signalling, quiet = 0x081, 0x018, 0x100, 0x200

    async def bench(ctx):
        for a in patterns:
            ctx.set(dut.a, a)
            kind = int(numerics.fclass(np.uint32(a))[0])
            wanted = [kind & mask != 0 for mask in (zero, infinite, signalling | quiet, signalling)]
            assert [ctx.get(dut.kinds) >> bit & 1 for bit in range(4)] == wanted, hex(a)
            assert ctx.get(dut.magnitude) == a & ~scalar.SIGN
            significand, exponent = scalar.unpack(a)
            if a & ~scalar.SIGN < scalar.INFINITY:
                assert ctx.get(dut.significand) == abs(significand), hex(a)
                assert ctx.get(dut.scale) == exponent + BIAS + 23, hex(a)

    simulate(dut, bench)


def test_an_exact_value_fits_64_bits():
    """More would cost the simulator words; `Round` needs two bits below those that are kept."""
    assert Exact.size <= 64
    assert SUM_BITS >= 26
