"""Tests of openipu.cosim.area, on a tile of which few units are synthesised."""

import re
from pathlib import Path

import pytest

from openipu.cosim import area
from openipu.cosim.area import Cells, measure, page, units
from openipu.rtl.config import ChipConfig, TileConfig

CONFIG = ChipConfig(
    tile=TileConfig(slots=4, banks=2, bank_bytes=8192, simd=False, amp_outputs=0)
)  # fmt: skip
PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "area.md"


@pytest.fixture(scope="module")
def small():
    return {unit.label: unit for unit in units(CONFIG)}


def test_every_part_of_the_tile_is_listed_once(small):
    assert {"itself", "core itself", "core.alu", "exchange", "memory.bank × 2"} <= set(small)
    assert "memory.bank_1" not in small
    assert "core" not in small
    assert not [name for name in small if name.startswith("core.alu.")]


@pytest.mark.slow
def test_registers_are_counted(small):
    """Of the multiplier: two products' worth of operands, in pipeline registers."""
    cells = measure(small["core.multiplier"])
    assert cells.registers == cells.ff > 32
    assert cells.gates > 1000
    assert cells.mult == 4  # 32 x 32 of 18 x 18
    assert cells.memory_bits == cells.ram == 0


def test_memories_are_counted_for_all_banks(small):
    cells = measure(small["memory.bank × 2"])
    assert cells.memory_bits == CONFIG.tile.memory_bytes * 8
    assert cells.ram >= CONFIG.tile.memory_bytes * 8 / (18 * 1024)
    assert cells.registers == 0


def test_what_is_listed_by_itself_is_not_counted_twice(small):
    whole = "".join(small["core itself"].modules.values())
    assert re.search(r"^module \\tile\.core\.alu", whole, re.M)
    assert "core.multiplier" not in "".join(small["core.alu"].modules)
    assert small["core itself"].boxes == {
        name for name in small["core itself"].modules if name != "tile.core"
    }


def test_the_page_has_the_sum():
    text = page({"one": Cells(gates=1000, ram=1), "two": Cells(gates=2)}, CONFIG, "1.2")
    assert "| one | 1,000 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 1 |" in text
    assert "| **the tile** | 1,002 | 0 |" in text
    assert "Yosys 1.2;" in text


@pytest.mark.slow
def test_the_page_in_the_documentation_has_every_unit():
    rows = re.findall(r"^\| (.*?) \|", PAGE.read_text(), re.M)
    assert rows[1:-1] == [unit.label for unit in units(ChipConfig())]


def test_the_kind_of_a_module():
    assert [area._kind(n) for n in ("a.b_0", "a.b_12", "a.b_h4", "a.b$310", "a.b_1$7")] == [
        "a.b", "a.b", "a.b_h4", "a.b", "a.b",
    ]  # fmt: skip
