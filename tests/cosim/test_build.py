"""Tests of openipu.cosim.build."""

import subprocess

import pytest
from rich.console import Console

from openipu.cosim.build import BuildError, BuildOptions, Design, Simulator, build, build_root, keep

COUNTER = """\
module counter(input clk, input rst, output reg [7:0] count);
  initial count = 0;
  always @(posedge clk) count <= rst ? 8'd0 : count + 8'dSTEP;
endmodule
"""
QUIET = Console(quiet=True)


def counter(step=1):
    return Design(top="counter", files={"counter.v": COUNTER.replace("STEP", str(step))})


@pytest.fixture
def root(tmp_path, monkeypatch):
    monkeypatch.setenv("OPENIPU_BUILD", str(tmp_path / "kept"))
    return tmp_path / "kept"


def test_a_build_is_kept_by_content(root, monkeypatch):
    first = build(counter(), console=QUIET)
    assert first.seconds > 0
    assert first.executable.exists()
    assert not list(root.glob("*/*.gch"))

    def run(*arguments, **options):
        raise AssertionError("nothing must be compiled")

    monkeypatch.setattr("openipu.cosim.build._Log.run", run)
    second = build(counter(), console=QUIET)
    assert (second.executable, second.seconds) == (first.executable, 0)
    for other in (counter(step=2), Design(top="counter", files=counter().files, clock=None)):
        with pytest.raises(AssertionError, match="compiled"):
            build(other, console=QUIET)
    with pytest.raises(AssertionError, match="compiled"):
        build(counter(), BuildOptions(coverage=True), console=QUIET)


def test_wrong_verilog_is_reported_and_not_kept(root):
    broken = Design(top="counter", files={"counter.v": "module counter(input clk); endmodul"})
    with pytest.raises(BuildError) as caught:
        build(broken, console=QUIET)
    message = str(caught.value)
    assert message.startswith("Verilating counter failed (exit 1):\n%Error: ")
    assert "counter.v:1" in message
    log = message.rpartition("the whole log: ")[2]
    assert "syntax error" in subprocess.run(["cat", log], capture_output=True, text=True).stdout
    assert not [path for path in root.iterdir() if path.is_dir()]


@pytest.mark.parametrize("tool", ["g++", "make", "perl"])
def test_a_missing_tool_is_named(root, monkeypatch, tool):
    monkeypatch.setattr("shutil.which", lambda name: None if name == tool else f"/usr/bin/{name}")
    monkeypatch.setattr("openipu.cosim.build._compiler_version", lambda: "")
    with pytest.raises(BuildError) as caught:
        build(counter(step=3), console=QUIET)
    assert str(caught.value) == (
        f"building a simulator needs {tool}, which isn't on PATH; "
        "on Debian and Ubuntu: apt-get install g++ make perl"
    )


def test_a_path_with_spaces(tmp_path, monkeypatch):
    monkeypatch.setenv("OPENIPU_BUILD", str(tmp_path / "a b"))
    with pytest.raises(BuildError, match=r"^make can't build in a path with spaces, '.*a b"):
        build(counter(), console=QUIET)


def test_build_root(monkeypatch, tmp_path):
    monkeypatch.setenv("OPENIPU_BUILD", str(tmp_path))
    assert build_root() == tmp_path
    monkeypatch.delenv("OPENIPU_BUILD")
    assert build_root().parts[-2:] == ("build", "cosim")


def test_what_fails_is_not_kept(root):
    def fail(directory):
        (directory / "half").touch()
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        keep("thing", fail)
    assert not (root / "thing").exists()
    assert keep("thing", lambda directory: None) == (root / "thing", True)
    assert keep("thing", fail) == (root / "thing", False)


def test_python_without_a_shared_library(monkeypatch, tmp_path):
    monkeypatch.setattr("find_libpython.find_libpython", lambda: None)
    with pytest.raises(BuildError, match=r"^co-simulation needs Python's shared library"):
        Simulator(executable=tmp_path / "sim", top="top").environment("tests")
