"""Divide and square root against `numerics`: results and flags in all rounding modes."""

import numpy as np
import pytest
from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from amaranth.sim import Simulator

from openipu.cosim import vectors
from openipu.cosim.golden import numerics
from openipu.cosim.golden.scalar import INFINITY, ONE
from openipu.rtl.floating.divide_root import DivideRoot
from openipu.rtl.floating.format import F16, F32, Format
from openipu.rtl.isa import FdivideOp
from tests.rtl.patterns import corners, random_operands

SEED = 12
MODES = np.arange(5)
TRUTH = {
    FdivideOp.DIV: numerics.fdiv,
    FdivideOp.SQRT: lambda a, b, rm: numerics.fsqrt(a, rm),
}


def longest(form):
    """Return how many cycles it is until the result is there."""
    return form.precision + 5


class Again(wiring.Component):
    """Starts the unit as soon as its longest operation would be over."""

    def __init__(self, form: Format) -> None:
        self.form = form
        super().__init__({
            "op": In(FdivideOp), "rm": In(3), "a": In(form.width), "b": In(form.width),
            "busy": Out(1), "result": Out(form.width), "flags": Out(5),
        })  # fmt: skip

    def elaborate(self, platform):
        m = Module()
        m.submodules.unit = unit = DivideRoot(self.form)
        cycle = Signal(range(longest(self.form) + 1))
        m.d.sync += cycle.eq(cycle + 1)
        with m.If(cycle == longest(self.form)):
            m.d.sync += cycle.eq(0)
        for name in ("op", "rm", "a", "b"):
            m.d.comb += getattr(unit, name).eq(getattr(self, name))
        m.d.comb += [
            unit.start.eq(cycle == 0),
            self.busy.eq(unit.busy),
            self.result.eq(unit.result),
            self.flags.eq(unit.flags),
        ]
        return m


def verilate(form):
    return vectors.verilate(Again(form), latency=longest(form), hold=longest(form) + 1)


@pytest.fixture(scope="module")
def run():
    return verilate(F32)


def check(run, op, a, b, rm):
    answers = run(op=op.value, a=a, b=b, rm=rm)
    assert not answers["busy"].any()
    bits, flags = TRUTH[op](a, b, rm)
    wrong = np.nonzero((answers["result"] != bits) | (answers["flags"] != flags))[0]
    shown = [
        f"rm {rm[k]} a={a[k]:#010x} b={b[k]:#010x}: {answers['result'][k]:#010x}, "
        f"flags {answers['flags'][k]}, not {bits[k]:#010x}, flags {flags[k]}"
        for k in wrong[:10]
    ]
    assert not len(wrong), "\n".join(
        [f"{op.name}, seed {SEED}: {len(wrong)} of {len(a)}", *shown]
    )


OPERATIONS = pytest.mark.parametrize("op", FdivideOp, ids=lambda op: op.name)


@OPERATIONS
def test_corners(run, op):
    some = corners(F32).astype(np.uint32)
    seconds = some if op is FdivideOp.DIV else some[:1]
    check(run, op, *(grid.ravel() for grid in np.meshgrid(some, seconds, MODES)))


@OPERATIONS
def test_random_operands(run, op):
    check(run, op, *operands(20_000))


@pytest.mark.slow
@OPERATIONS
def test_many_random_operands(run, op):
    check(run, op, *operands(1_000_000))


def operands(count):
    """Return random dividends, divisors and modes; many quotients are near the least numbers."""
    rng = np.random.default_rng(SEED)
    a, b = random_operands(rng, F32, count, columns=2).astype(np.uint32)
    wanted = rng.integers(-30, 4, count)  # biased exponents of quotients
    divisor = b & 0x807F_FFFF | (127 + rng.integers(-20, 127, count) << 23).astype(np.uint32)
    exponent = (divisor >> 23 & 255).astype(np.int64) - 127 + wanted
    dividend = a & 0x807F_FFFF | (np.clip(exponent, 0, 254) << 23).astype(np.uint32)
    small = rng.random(count) < 0.3
    return np.where(small, dividend, a), np.where(small, divisor, b), rng.integers(0, 5, count)


def test_all_roots_of_another_format():
    """And quotients by some divisors, to nearest as NumPy has them."""
    run = verilate(F16)
    a, b = (
        grid.ravel().astype(np.uint16)
        for grid in np.meshgrid(np.arange(1 << 16), [0x0001, 0x03FF, 0x3555, 0xC200, 0x7BFF])
    )
    with np.errstate(all="ignore"):
        x, y = a.view(np.float16), b.view(np.float16)
        wanted = {FdivideOp.DIV: x / y, FdivideOp.SQRT: np.sqrt(x)}
    for op, values in wanted.items():
        patterns = np.where(np.isnan(values), np.uint16(F16.nan.value), values.view(np.uint16))
        assert np.array_equal(run(op=op.value, a=a, b=b)["result"], patterns), op


@pytest.mark.parametrize(
    ("op", "a", "b", "cycles"),
    [
        (FdivideOp.DIV, ONE, 0x4040_0000, 29),
        (FdivideOp.SQRT, 0x4040_0000, 0, 29),
        (FdivideOp.DIV, 1, 0x4B00_0000, 3),  # nothing of it is left in a subnormal number
        (FdivideOp.DIV, ONE, 0, 3),
        (FdivideOp.SQRT, INFINITY, 0, 3),
    ],
)
def test_cycles(op, a, b, cycles):
    """The operands are needed in the first cycle only, and a start ends what was going on."""
    dut = DivideRoot()

    async def bench(ctx):
        for given in (ONE, a):
            for port, value in ((dut.start, 1), (dut.op, op), (dut.a, given), (dut.b, b)):
                ctx.set(port, value)
            await ctx.tick()
        for port in (dut.start, dut.a, dut.b):
            ctx.set(port, 0)
        taken = 1
        while ctx.get(dut.busy):
            await ctx.tick()
            taken += 1
        assert taken == cycles
        bits, flags = TRUTH[op](a, b, 0)
        assert ctx.get(dut.result) == bits
        assert ctx.get(dut.flags.as_value()) == flags

    simulator = Simulator(dut)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
