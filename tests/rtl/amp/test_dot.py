"""Products and their sum against NumPy."""

import numpy as np
import pytest
from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from openipu.cosim import vectors
from openipu.cosim.golden.amp import dot2, dot4
from openipu.cosim.golden.numerics import canonical
from openipu.rtl.amp.dot import Dot
from openipu.rtl.amp.product import Unpack
from openipu.rtl.floating.format import F16, F32
from tests.rtl.patterns import corners, random_operands

SEED = 23
LATENCY = 3


class Group(wiring.Component):
    """A `Dot` with its input as a word."""

    def __init__(self, dot):
        self.dot = dot
        super().__init__(
            {"x": In(64), "w": In(64), "single": In(1), "half": In(1), "sum": Out(32)}
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.unpack = unpack = Unpack(self.dot, weights=False)
        m.submodules.dot = dot = Dot(self.dot)
        m.d.comb += [
            unpack.word.eq(self.x),
            unpack.single.eq(self.single),
            unpack.half.eq(self.half),
            dot.m_weights.eq(self.w),
            dot.m_single.eq(self.single),
            dot.m_half.eq(self.half),
            self.sum.eq(dot.z_sum),
        ]
        for index in range(self.dot):
            m.d.comb += [
                dot.m_significands[index].eq(unpack.significands[index]),
                dot.m_factors[index].eq(unpack.factors[index]),
            ]
        return m


def wanted(dot, x, w, single, half):
    rows = np.arange(len(x))
    with np.errstate(all="ignore"):
        singles = x.view(np.float32).reshape(-1, 2) * w.view(np.float32).reshape(-1, 2)
        factors = (word.view(np.float16).reshape(-1, 4).astype(np.float32) for word in (x, w))
        halves = np.multiply(*factors)
        if dot == 4:
            sums = dot4(halves)
        else:
            sums = dot2(halves.reshape(-1, 2, 2)[rows, half])
    return canonical(np.where(single == 1, singles[rows, half], sums)).view(np.uint32)


def check(dot, x, w, rng):
    single, half = rng.integers(0, 2, (2, len(x)))
    got = vectors.verilate(Group(dot), latency=LATENCY)(x=x, w=w, single=single, half=half)["sum"]
    expected = wanted(dot, x, w, single, half)
    wrong = np.nonzero(got != expected)[0]
    shown = [
        f"{x[k]:#018x} * {w[k]:#018x}, single {single[k]}, half {half[k]}: "
        f"{got[k]:#x}, not {expected[k]:#x}"
        for k in wrong[:10]
    ]
    assert not len(wrong), "\n".join([f"seed {SEED}: {len(wrong)} of {len(x)}", *shown])


def words(rng, count):
    """Return pairs of words: of f16 or f32, corners among them, products that cancel too."""
    halves = [a.astype(np.uint16) for a in random_operands(rng, F16, 4 * count, 2)]
    singles = [a.astype(np.uint32) for a in random_operands(rng, F32, 2 * count, 2)]
    # In some words, the second product is about the negative of the first.
    for a in halves:
        lanes = a.reshape(count, 4)
        lanes[: count // 4, 1] = lanes[: count // 4, 0] ^ rng.integers(0, 4, count // 4)
    halves[0].reshape(count, 4)[: count // 4, 1] ^= 0x8000
    chosen = rng.random(count) < 0.6
    return [
        np.where(chosen, h.view(np.uint64), s.view(np.uint64))
        for h, s in zip(halves, singles, strict=True)
    ]


@pytest.mark.parametrize("dot", [2, 4])
def test_random_words(dot):
    rng = np.random.default_rng(SEED)
    x, w = words(rng, 40_000)
    check(dot, x, w, rng)


@pytest.mark.parametrize("dot", [2, 4])
def test_corners(dot):
    rng = np.random.default_rng(SEED)
    parts = [], []
    for form, kind in ((F16, np.uint16), (F32, np.uint32)):
        for words_of_form, axis in zip(parts, np.meshgrid(*2 * [corners(form)]), strict=True):
            patterns = axis.ravel().astype(kind)
            words_of_form.append(np.resize(patterns, 8 * len(patterns)).view(np.uint64))
    x, w = map(np.concatenate, parts)
    check(dot, x, w, rng)


@pytest.mark.slow
@pytest.mark.parametrize("dot", [2, 4])
def test_many_random_words(dot):
    rng = np.random.default_rng(SEED + 1)
    x, w = words(rng, 2_100_000)  # half of them f16, half f32
    check(dot, x, w, rng)
