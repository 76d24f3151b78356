"""The adder against `numerics`, in f32 and, by all that f32 holds exactly, in f16."""

import numpy as np
import pytest

from openipu.cosim import vectors
from openipu.cosim.golden import numerics
from openipu.rtl.floating.add import Add
from openipu.rtl.floating.format import F16, F32
from tests.rtl.patterns import corners, random_operands

SEED = 11


def wanted(form, a, b):
    if form is F32:
        return numerics.fadd(a, b)[0]
    with np.errstate(all="ignore"):
        total = a.astype(np.uint16).view(np.float16) + b.astype(np.uint16).view(np.float16)
    return np.where(np.isnan(total), np.uint16(0x7E00), total.view(np.uint16))


def check(form, a, b):
    got = vectors.verilate(Add(form), latency=0)(a=a, b=b)["result"]
    expected = wanted(form, a, b)
    wrong = np.nonzero(got != expected)[0]
    shown = [f"{a[k]:#x} + {b[k]:#x}: {got[k]:#x}, not {expected[k]:#x}" for k in wrong[:10]]
    assert not len(wrong), "\n".join([f"seed {SEED}: {len(wrong)} of {len(a)}", *shown])


@pytest.mark.parametrize("form", [F16, F32], ids=["f16", "f32"])
def test_corners(form):
    a, b = np.meshgrid(corners(form), corners(form))
    check(form, a.ravel(), b.ravel())


@pytest.mark.parametrize("form", [F16, F32], ids=["f16", "f32"])
def test_random_operands(form):
    check(form, *random_operands(np.random.default_rng(SEED), form, 200_000, 2))


@pytest.mark.slow
@pytest.mark.parametrize("form", [F16, F32], ids=["f16", "f32"])
def test_many_random_operands(form):
    check(form, *random_operands(np.random.default_rng(SEED), form, 4_000_000, 2))
