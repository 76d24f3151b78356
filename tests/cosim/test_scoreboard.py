"""Tests of openipu.cosim.scoreboard."""

import re

import numpy as np
import pytest

from openipu.cosim.scoreboard import Region, Scoreboard


def region(expected, tile=1, address=0x20):
    return Region(
        tile=tile, address=address, expected=expected, vertex="Linear[3]", field="out",
        source="linear.c:12",
    )  # fmt: skip


@pytest.fixture
def memory():
    return np.zeros((2, 0x100), np.uint8)


def put(memory, region, values):
    raw = np.ascontiguousarray(values).reshape(-1).view(np.uint8)
    memory[region.tile, region.address : region.address + raw.size] = raw


@pytest.mark.parametrize(
    "values",
    [
        np.arange(6, dtype=np.float32).reshape(2, 3),
        np.array([], np.float32),
        np.float32(3.5),
        np.array([1, 2, 3], np.int8),
        np.array([np.nan, -0.0, np.inf], np.float32),
        np.array([1.0, 2.0], np.float16),
    ],
    ids=["2d", "empty", "scalar", "bytes", "special", "half"],
)
def test_equal_memory(memory, values):
    board, expected = Scoreboard(), region(np.asarray(values))
    put(memory, expected, values)
    assert board.check(0, memory, [expected]) is None
    assert (board.supersteps, board.words, board.mismatches) == (1, np.size(values), 0)
    assert board.first is None


def test_a_mismatch_says_what_and_where(memory):
    board, expected = Scoreboard(), region(np.arange(6, dtype=np.float32).reshape(2, 3))
    wrong = expected.expected.copy()
    wrong[1, 0] = -2.5
    wrong[1, 2] = 9
    put(memory, expected, wrong)
    found = board.check(7, memory, [expected])
    assert found is board.first
    assert str(found) == (
        "superstep 7, tile 1, vertex Linear[3], field out[1, 0] at 0x2c:\n"
        "  expected 0x40400000 (3.0)\n"
        "  rtl has  0xc0200000 (-2.5)\n"
        "  written by linear.c:12"
    )
    assert (board.words, board.mismatches) == (6, 2)


def test_bits_count_not_values(memory):
    board, expected = Scoreboard(), region(np.array([0.0], np.float32))
    put(memory, expected, np.array([-0.0], np.float32))
    found = board.check(0, memory, [expected])
    assert found is not None
    assert "0x80000000 (-0.0)" in str(found)


def test_the_first_of_all_supersteps_is_kept(memory):
    board = Scoreboard()
    good, bad = region(np.array([0, 0])), region(np.array([1, 0]), tile=0)
    assert board.check(0, memory, [good]) is None
    first = board.check(1, memory, [good, bad])
    second = board.check(2, memory, [bad])
    assert first is not None and second is not None
    assert board.first is first
    assert (board.supersteps, board.words, board.mismatches) == (3, 8, 2)


def test_a_region_outside_memory(memory):
    with pytest.raises(ValueError, match=r"^region must lie in the tile's 0x100 bytes, not 0xfc"):
        Scoreboard().check(0, memory, [region(np.zeros(2, np.float32), address=0xFC)])


def test_a_scalar_is_a_field_of_one_element(memory):
    found = Scoreboard().check(0, memory, [region(np.asarray(np.float32(1)))])
    assert re.search(r"field out\[0\] at 0x20", str(found))
