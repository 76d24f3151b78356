"""Operands of SIMD operations, for tests."""

import numpy as np

from openipu.rtl.floating.format import F16, F32
from openipu.rtl.isa import SimdOp
from tests.rtl.patterns import corners, random_operands, words_of

FORMS = {
    "a": dict.fromkeys((SimdOp.NARROW, SimdOp.NARROW_RANDOM), F32),
    "b": dict.fromkeys((SimdOp.NARROW, SimdOp.NARROW_RANDOM), F32),
    "c": dict.fromkeys((SimdOp.H4_SUM, SimdOp.H4_DOT), F32),
}
"""Formats of operands that aren't those of the operation's name (f16 where it has none)."""


def _form(op, operand):
    return FORMS[operand].get(op, F32 if op.name.startswith("S2") else F16)


def random_vectors(rng, op, count):
    """Return `count` words a, b, c and random bits that suit the operation."""
    columns = {}
    drawn = {
        form: words_of(random_operands(rng, form, count * 64 // form.width), form)
        for form in {_form(op, operand) for operand in "abc"}
    }
    for place, operand in enumerate("abc"):
        columns[operand] = drawn[_form(op, operand)][place]
    return columns | {"random": rng.integers(0, 1 << 64, count, dtype=np.uint64)}


def corner_vectors(rng, op):
    """Return all pairs of corners in the lanes of a and b; other operands are drawn from corners.

    The lanes are filled in a random order, so that sums of lanes meet many neighbours.
    """
    first, second = corners(_form(op, "a")), corners(_form(op, "b"))
    a, b = (grid.ravel() for grid in np.meshgrid(first, second))
    order = rng.permutation(len(a))
    count = len(a) * _form(op, "a").width // 64
    order = order[: count * 64 // _form(op, "a").width]
    form_c = _form(op, "c")
    c = rng.choice(corners(form_c), count * 64 // form_c.width)
    return {
        "a": words_of(a[order], _form(op, "a")),
        "b": words_of(b[order], _form(op, "b")),
        "c": words_of(c, form_c),
        "random": rng.integers(0, 1 << 64, count, dtype=np.uint64),
    }
