"""Tests of openipu.cosim.coverage: of the report, and, slow, of a run."""

import re
from collections import Counter

import pytest

from openipu.cosim import coverage
from openipu.cosim.coverage import (
    NO_REASON,
    Point,
    collect,
    page,
    programs,
    read_points,
    reason_of,
    shares,
    uncovered,
)  # fmt: skip
from openipu.cosim.coverage_reasons import REASONS

ALU = Point("core.alu", "toggle", "a[3]:0->1")
DOT = Point("core.amp.datapath.dot_0", "toggle", "a[3]:0->1")
FMA = Point("core.fpu.fma", "line", "if (x) begin if, 2")
TILE = Point("", "toggle", "halted:1->0")


def record(module, page, what, count, line=1, file="openipu_tile.v"):
    keys = {"f": file, "l": line, "n": 3, "page": f"{page}/{module}", "o": what, "h": "top.x"}
    return "C '" + "".join(f"\1{k}\2{v}" for k, v in keys.items()) + f"' {count}\n"


def test_points_of_the_tile_are_read():
    lines = [
        "# SystemC::Coverage-3\n",
        record("openipu_tile.core.alu$12", "v_toggle", "a[3]:0->1", 5),
        record("openipu_tile.core.alu$12", "v_toggle", "__02412[3]:0->1", 5),
        record("openipu_tile.core.fpu.fma", "v_branch", "if", 0, line=2),
        record("openipu_tile.core.fpu.fma", "v_branch", "if", 0, line=3),
        record("openipu_amp_datapath.dot_0", "v_toggle", "a[3]:0->1", 2, file="units.v"),
        record("openipu_tile", "v_toggle", "halted:1->0", 1),
        record("openipu_tile", "v_toggle", "x___05Fy$7:1->0", 1),
        record("openipu_chip", "v_toggle", "clk:0->1", 9),
        record("openipu_tile", "v_toggle", "clk:0->1", 9, file="trace.v"),
        record("openipu_tile_block", "v_toggle", "clk:0->1", 9),
    ]
    tile = ["module a;", "  if (x) begin", "  if (\\$auto$verilog_backend$6 ) begin end"]
    verilog = {"openipu_tile.v": tile, "units.v": []}
    mangled = Point("", "toggle", "x__y$7:1->0")
    assert list(read_points(lines, verilog)) == [
        (ALU, 5), (FMA, 0), (DOT, 2), (TILE, 1), (mangled, 1),
    ]  # fmt: skip


def test_units():
    assert [point.unit for point in (ALU, FMA, TILE)] == ["core.alu", "core.fpu", "tile"]
    assert Point("memory.bank_3", "line", "1 block").unit == "memory"
    assert Point("core", "line", "1 block").unit == "core"


def test_shares():
    points = {ALU: 3, Point("core.alu", "toggle", "a[3]:1->0"): 0, FMA: 0, TILE: 1}
    assert shares(points) == [
        ("core.alu", ["0", "-", "2", "50.0%"]),
        ("core.fpu", ["1", "0.0%", "0", "-"]),
        ("tile", ["0", "-", "1", "100.0%"]),
        ("all", ["1", "0.0%", "3", "66.7%"]),
    ]


def test_what_is_uncovered_has_a_reason_or_is_shown_as_having_none(monkeypatch):
    monkeypatch.setattr(coverage, "REASONS", {r"core\.alu:a.*": "constant"})
    assert reason_of(ALU) == "constant"
    assert reason_of(FMA) == NO_REASON
    points = Counter({ALU: 0, FMA: 0, TILE: 1})
    text = page(points, "a run")
    assert "| constant | 0 | 1 |" in text
    assert f"| {NO_REASON} | 1 | 0 |" in text
    assert uncovered(points) == (
        f"{NO_REASON}\tline\tcore.fpu.fma:if (x) begin if, 2\n"
        "constant\ttoggle\tcore.alu:a[3]:0->1\n"
    )


def test_reasons_that_nothing_needs_are_found(monkeypatch):
    reasons = {r"core\.alu:a.*": "constant", r"core\.alu:b.*": "constant", "": "the tile"}
    monkeypatch.setattr(coverage, "REASONS", reasons)
    assert coverage.needless({ALU: 0, TILE: 1}) == [r"core\.alu:b.*", ""]


def test_reasons_are_patterns():
    for pattern, reason in REASONS.items():
        re.compile(pattern)
        assert reason and "|" not in reason


def test_programs_are_those_of_instructions_and_random_ones():
    chosen = programs(2, 40)
    assert chosen[-2:] == [("", 40), ("", 41)]
    assert ("h4add", 0) in chosen and ("xtrap", 0) not in chosen


@pytest.mark.slow
def test_a_run(tmp_path):
    points = collect([("add", 0), ("", 3)], tmp_path)
    adds = [count for point, count in points.items() if point.unit == "core.alu"]
    assert sum(count > 0 for count in adds) > len(adds) / 2
    assert {point.kind for point in points} == {"line", "toggle"}
    assert not list(tmp_path.iterdir())
