import random
from fractions import Fraction

from amaranth.sim import Simulator

from openipu.cosim.golden import scalar
from openipu.cosim.golden.scalar import INFINITY, NAN, ONE, RDN, RNE, SIGN
from openipu.rtl.floating.common import BIAS, SUM_BITS, Special
from openipu.rtl.floating.fma import FusedMultiplyAdd
from openipu.rtl.isa import FpuOp

SEED = 7
LATENCY = 2

VALUES = {
    FpuOp.ADD: lambda a, b, c: a + b,
    FpuOp.SUB: lambda a, b, c: a - b,
    FpuOp.MUL: lambda a, b, c: a * b,
    FpuOp.MADD: lambda a, b, c: a * b + c,
    FpuOp.MSUB: lambda a, b, c: a * b - c,
    FpuOp.NMSUB: lambda a, b, c: -(a * b) + c,
    FpuOp.NMADD: lambda a, b, c: -(a * b) - c,
}


def run(vectors):
    """Send a vector (op, rm, a, b, c) each cycle; return (special, negative, exponent, sum)s."""
    dut = FusedMultiplyAdd()
    results = []

    async def bench(ctx):
        for cycle in range(len(vectors) + LATENCY):
            if cycle < len(vectors):
                op, rm, a, b, c = vectors[cycle]
                ctx.set(dut.x_op, op)
                ctx.set(dut.x_rm, rm)
                ctx.set(dut.x_a, a)
                ctx.set(dut.x_b, b)
                ctx.set(dut.x_c, c)
            if cycle >= LATENCY:
                exact = dut.w_exact
                results.append(
                    (
                        ctx.get(exact.special),
                        ctx.get(exact.negative),
                        ctx.get(exact.exponent),
                        ctx.get(exact.significand),
                    )
                )
            await ctx.tick()

    simulator = Simulator(dut)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
    return results


def value(bits):
    significand, exponent = scalar.unpack(bits)
    return Fraction(significand) * Fraction(2) ** exponent


def test_the_sum_is_exact_but_for_its_last_bit():
    rng = random.Random(SEED)

    def operand(near):
        if rng.random() < 0.5:
            exponent = min(max((near >> 23 & 255) + rng.randrange(-3, 4), 0), 254)
        else:
            exponent = rng.choice((0, 0, 1, 254, rng.randrange(255)))
        fraction = rng.choice((0, 1, 0x7F_FFFF, rng.getrandbits(23), rng.getrandbits(23)))
        return rng.getrandbits(1) << 31 | exponent << 23 | fraction

    vectors = []
    for op in VALUES:
        for _ in range(250):
            a = operand(ONE)
            b = operand(rng.choice((ONE, a)))
            vectors.append((op, rng.randrange(5), a, b, operand(rng.choice((a, b, ONE)))))
    rng.shuffle(vectors)
    odd = 0
    for vector, (special, negative, exponent, significand) in zip(
        vectors, run(vectors), strict=True
    ):
        op, _, *operands = vector
        where = (SEED, op, *map(hex, operands))
        wanted = VALUES[op](*map(value, operands))
        unit = Fraction(2) ** (exponent - BIAS - SUM_BITS + 1)
        got = significand * unit * (-1 if negative else 1)
        assert special == Special.NONE, where
        assert exponent >= 1, where
        if got == wanted:
            continue
        # Something was lost: an odd last bit stands for it, below what rounding looks at, be that
        # 25 bits or fewer of a subnormal result.
        assert significand & 1, where
        assert abs(got - wanted) < unit, where
        assert significand.bit_length() >= 26 or exponent - (SUM_BITS - 26) <= 1, where
        odd += 1
    assert odd > 100


def test_zeros_keep_their_signs():
    rows = [
        (FpuOp.ADD, RNE, 0, 0, 0, 0),
        (FpuOp.ADD, RNE, SIGN, SIGN, 0, 1),
        (FpuOp.ADD, RNE, 0, SIGN, 0, 0),
        (FpuOp.ADD, RDN, 0, SIGN, 0, 1),
        (FpuOp.SUB, RDN, ONE, ONE, 0, 1),
        (FpuOp.SUB, RNE, ONE, ONE, 0, 0),
        (FpuOp.SUB, RNE, SIGN, 0, 0, 1),
        (FpuOp.MUL, RNE, SIGN, ONE, 0, 1),
        (FpuOp.MUL, RDN, SIGN, SIGN | ONE, SIGN, 0),
        (FpuOp.MADD, RNE, SIGN, ONE, SIGN, 1),
        (FpuOp.MADD, RNE, SIGN, ONE, 0, 0),
        (FpuOp.NMADD, RNE, 0, ONE, 0, 1),
        (FpuOp.NMSUB, RDN, ONE, ONE, ONE, 1),
    ]
    for row, result in zip(rows, run([row[:5] for row in rows]), strict=True):
        special, negative, _, significand = result
        assert (special, significand, negative) == (Special.NONE, 0, row[5]), row


def test_a_zero_product_leaves_the_addend_alone():
    huge, small = 0x7F7F_FFFF, 0x1234_5678
    rows = [(0, huge, small), (SIGN, huge, small | SIGN), (huge, 0, 1), (0, ONE, 0x80_0001)]
    results = run([(FpuOp.MADD, RNE, *row) for row in rows])
    for (_, _, c), (_, negative, exponent, significand) in zip(rows, results, strict=True):
        got = significand * Fraction(2) ** (exponent - BIAS - SUM_BITS + 1)
        assert (-got if negative else got) == value(c), hex(c)


def test_special_operands():
    quiet, signalling, minus = NAN | 1, NAN ^ 0x40_0001, INFINITY | SIGN
    nothing, nan, invalid = None, Special.NAN, Special.INVALID
    rows = [
        (FpuOp.ADD, INFINITY, ONE, 0, Special.INFINITE, 0),
        (FpuOp.ADD, ONE, minus, 0, Special.INFINITE, 1),
        (FpuOp.ADD, INFINITY, minus, 0, invalid, nothing),
        (FpuOp.SUB, INFINITY, INFINITY, 0, invalid, nothing),
        (FpuOp.SUB, INFINITY, minus, 0, Special.INFINITE, 0),
        (FpuOp.ADD, quiet, ONE, signalling, nan, nothing),  # an add has no third operand
        (FpuOp.ADD, ONE, signalling, 0, invalid, nothing),
        (FpuOp.MUL, minus, SIGN | ONE, quiet, Special.INFINITE, 0),
        (FpuOp.MUL, INFINITY, 0, 0, invalid, nothing),
        (FpuOp.MADD, INFINITY, 0, quiet, invalid, nothing),
        (FpuOp.MADD, quiet, 0, INFINITY, nan, nothing),
        (FpuOp.MADD, INFINITY, ONE, minus, invalid, nothing),
        (FpuOp.MADD, INFINITY, quiet, minus, nan, nothing),
        (FpuOp.MSUB, INFINITY, ONE, minus, Special.INFINITE, 0),
        (FpuOp.NMSUB, INFINITY, ONE, minus, Special.INFINITE, 1),
        (FpuOp.NMADD, ONE, ONE, INFINITY, Special.INFINITE, 1),
    ]
    results = run([(op, RNE, a, b, c) for op, a, b, c, _, _ in rows])
    for row, (special, negative, _, _) in zip(rows, results, strict=True):
        assert special == row[4], row
        assert row[5] is None or negative == row[5], row
