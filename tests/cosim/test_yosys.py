"""Tests of openipu.cosim.yosys."""

import pytest

from openipu.cosim.yosys import YosysError, run_yosys


def test_a_script_works_in_its_directory(tmp_path):
    (tmp_path / "and.v").write_text("module m(input a, b, output c); assign c = a & b; endmodule")
    run_yosys("read_verilog and.v\nabc\nwrite_rtlil m.il\n", tmp_path)
    assert (tmp_path / "m.il").read_text().count("cell ") == 1


def test_the_error_is_told(tmp_path):
    with pytest.raises(YosysError, match=r"ERROR: No such command: nonsense"):
        run_yosys("nonsense\n", tmp_path)
