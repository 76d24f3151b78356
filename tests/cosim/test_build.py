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


@pytest.fixture(scope="module")
def shared_root(tmp_path_factory):
    return tmp_path_factory.mktemp("with spaces")


@pytest.fixture
def root(shared_root, monkeypatch):
    monkeypatch.setenv("OPENIPU_BUILD", str(shared_root))
    return shared_root


def test_a_build_is_kept_by_content(root, monkeypatch):
    first = build(counter(), console=QUIET)
    assert first.seconds > 0
    assert first.executable.exists()

    def run(*arguments, **options):
        raise AssertionError("nothing must be compiled")

    monkeypatch.setattr("openipu.cosim.build._Log._run", run)
    second = build(counter(), console=QUIET)
    assert (second.executable, second.seconds) == (first.executable, 0)
    for other in (counter(step=2), Design(top="counter", files=counter().files, clock=None)):
        with pytest.raises(AssertionError, match="compiled"):
            build(other, console=QUIET)
    with pytest.raises(AssertionError, match="compiled"):
        build(counter(), BuildOptions(coverage=True), console=QUIET)


def test_wrong_verilog_is_reported_and_not_kept(root):
    broken = Design(top="broken", files={"broken.v": "module broken(input clk); endmodul"})
    with pytest.raises(BuildError) as caught:
        build(broken, console=QUIET)
    message = str(caught.value)
    assert message.startswith("Verilating broken failed (exit 1):\n%Error: ")
    assert "broken.v:1" in message
    log = message.rpartition("the whole log: ")[2]
    assert "syntax error" in subprocess.run(["cat", log], capture_output=True, text=True).stdout
    assert not list(root.glob("broken-*/"))


def test_a_missing_compiler_is_named(root, monkeypatch):
    monkeypatch.setattr("shutil.which", lambda name: None)
    monkeypatch.setattr("openipu.cosim.build._compiler_version", lambda: "")
    with pytest.raises(BuildError) as caught:
        build(counter(step=3), console=QUIET)
    assert str(caught.value) == (
        "building a simulator needs g++, which isn't on PATH; "
        "on Debian and Ubuntu: apt-get install g++"
    )


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
