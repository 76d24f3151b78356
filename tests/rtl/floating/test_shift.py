import random

import pytest
from amaranth.sim import Simulator

from openipu.rtl.floating.shift import JammingShifter, LeadingZeros, LeftShifter

SEED = 4
WIDTHS = [2, 3, 8, 31, 32, 33, 52]


def check(dut, width, cases):
    """Compare outputs with `cases`, rows of (value, amount or None, expected)."""

    async def bench(ctx):
        for value, amount, wanted in cases:
            ctx.set(dut.value, value)
            if amount is not None:
                ctx.set(dut.amount, amount)
            got = ctx.get(dut.count if amount is None else dut.result)
            assert got == wanted, (SEED, width, hex(value), amount, hex(got), hex(wanted))

    simulator = Simulator(dut)
    simulator.add_testbench(bench)
    simulator.run()


def values(width):
    rng = random.Random(SEED)
    single = [1 << bit for bit in range(width)]
    return [0, (1 << width) - 1, *single, *(rng.getrandbits(width) >> rng.randrange(width)
                                            for _ in range(20))]  # fmt: skip


@pytest.mark.parametrize("width", WIDTHS)
def test_leading_zeros(width):
    greatest = (1 << (width - 1).bit_length()) - 1
    cases = [(v, None, width - v.bit_length() if v else greatest) for v in values(width)]
    check(LeadingZeros(width), width, cases)


@pytest.mark.parametrize("width", WIDTHS)
def test_left_shifter(width):
    amounts = range(1 << (width - 1).bit_length())
    mask = (1 << width) - 1
    cases = [(v, amount, v << amount & mask) for v in values(width)[:40] for amount in amounts]
    check(LeftShifter(width), width, cases)


@pytest.mark.parametrize("width", WIDTHS)
def test_jamming_shifter(width):
    amounts = range(1 << (width - 1).bit_length())
    cases = [
        (v, amount, v >> amount | bool(v & (1 << amount) - 1))
        for v in values(width)[:40]
        for amount in amounts
    ]
    check(JammingShifter(width), width, cases)
