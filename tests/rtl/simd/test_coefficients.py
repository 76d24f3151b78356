"""Tests of openipu.rtl.simd.coefficients."""

import pytest

from openipu.rtl.simd import coefficients
from openipu.rtl.simd.coefficients import Curve, Function, tables


def test_size():
    """As the docstring of HalfFunction has it."""
    assert len(tables().pieces) == 400


def test_segments_are_aligned_and_cover_the_table():
    used = set()
    for base, cuts in tables().segments.values():
        assert base % (1 << cuts) == 0
        used.update(range(base, base + (1 << cuts)))
    assert used == set(range(len(tables().pieces)))


def test_like_curves_share_their_pieces():
    segments = tables().segments
    for function in (Function.RECIP, Function.LOG):
        assert segments[Curve(function, False, 1)] == segments[Curve(function, False, 2)]
    assert segments[Curve(Function.EXP, False, 0)] == segments[Curve(Function.EXP, True, 0)]


def test_the_same_each_time():
    first = tables()
    tables.cache_clear()
    assert tables() == first


def test_too_few_cuts(monkeypatch):
    monkeypatch.setattr(coefficients, "MAX_CUTS", 2)
    tables.cache_clear()
    with pytest.raises(ValueError, match=r"^Curve\(.*\) must need no more than 4 pieces$"):
        tables()
