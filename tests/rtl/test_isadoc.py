"""The instruction set reference says what the table says."""

from pathlib import Path

import pytest

from openipu.rtl import isadoc
from openipu.rtl.isa import INSTRUCTIONS, Cause, Csr

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "isa.md"


def test_page_is_up_to_date() -> None:
    assert PAGE.read_text() == isadoc.manual(), "docs/reference/isa.md is old: run `make docs`"


@pytest.mark.parametrize("row", INSTRUCTIONS, ids=lambda row: row.name)
def test_every_instruction_has_one_line(row) -> None:
    starts = (f"| `{row.name}` |", f"| `{row.name} ")
    (line,) = (line for line in isadoc.manual().splitlines() if line.startswith(starts))
    encoding = line.split(" | ")[2].replace(" ", "").strip("`")
    assert len(encoding) == 32
    assert int(encoding.replace(".", "0"), 2) == row.match
    assert int(encoding.translate(str.maketrans("01.", "110")), 2) == row.mask


def test_every_register_and_cause_is_listed() -> None:
    text = isadoc.manual()
    for csr in Csr:
        assert f"| {csr:#05x} | `{csr.name.lower()}` |" in text
    for cause in Cause:
        assert f"| {int(cause)} | `{cause.name}` |" in text
