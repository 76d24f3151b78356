"""No instruction of the table without a program that tries it, semantics, and documentation."""

from pathlib import Path

import numpy as np
import pytest

from openipu.cosim.golden.iss import ChipISS
from openipu.cosim.golden.semantics import SEMANTICS
from openipu.cosim.instruction_program import TABLE, instruction_program
from openipu.rtl.config import ChipConfig, TileConfig
from openipu.rtl.isa import INSTRUCTIONS, Unit, decode

CONFIG = ChipConfig(tiles=1, tile=TileConfig(banks=4, bank_bytes=16384))
MANUAL = Path(__file__).resolve().parents[2] / "docs" / "reference" / "isa.md"
ELSEWHERE = {
    "xtrap": "tests/cosim/test_instructions.py::test_xtrap_goes_to_the_host",
}
"""Instructions that no program can try, and the test that does."""


@pytest.mark.parametrize("row", INSTRUCTIONS, ids=lambda row: row.name)
def test_an_instruction_has_a_program(row):
    if row.name in ELSEWHERE:
        file, _, function = ELSEWHERE[row.name].partition("::")
        assert f"def {function}(" in (MANUAL.parents[2] / file).read_text()
        return
    program = instruction_program(row, CONFIG, entries=1)
    words = np.frombuffer(program.image[:TABLE], np.uint32)
    assert row in {decode(int(word)) for word in np.unique(words)}


@pytest.mark.parametrize("row", INSTRUCTIONS, ids=lambda row: row.name)
def test_an_instruction_has_semantics(row):
    ChipISS(CONFIG)  # which needs the modules that define semantics
    assert (row.unit, row.op) in SEMANTICS


@pytest.mark.parametrize("row", INSTRUCTIONS, ids=lambda row: row.name)
def test_an_instruction_is_documented(row):
    starts = (f"| `{row.name}` |", f"| `{row.name} ")
    lines = [line for line in MANUAL.read_text().splitlines() if line.startswith(starts)]
    assert len(lines) == 1
    assert row.text in lines[0].replace("\\|", "|")


def test_every_unit_has_instructions():
    assert {row.unit for row in INSTRUCTIONS} == set(Unit) - {Unit.ILLEGAL}


def test_no_semantics_for_what_is_not_in_the_table():
    assert {(row.unit, row.op) for row in INSTRUCTIONS} >= SEMANTICS.keys()
