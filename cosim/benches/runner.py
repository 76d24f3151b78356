"""Runs cocotb modules on a built simulator."""

import json
import os
import subprocess
import tempfile
import xml.etree.ElementTree as ElementTree
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from openipu.cosim.build import Simulator
from openipu.rtl.config import ChipConfig, TileConfig

_CONFIG = "OPENIPU_BENCH_CONFIG"
_TIMEOUT = 600  # seconds


class BenchError(Exception):
    """A bench could not run to its end; the message has the end of the simulator's output."""


@dataclass(frozen=True)
class BenchResult:
    """A cocotb test: its name, and what is wrong, or an empty text."""

    name: str
    failure: str


def run_bench(
    simulator: Simulator,
    module: str,
    config: ChipConfig,
    environment: Mapping[str, str] | None = None,
) -> list[BenchResult]:
    """Run the tests of a module, which gets `config` from `bench_config`; return their results.

    The seed is cocotb's: set COCOTB_RANDOM_SEED to repeat a run, which prints it. Raises BenchError
    if the simulator ends early.
    """
    with tempfile.TemporaryDirectory(prefix="openipu-bench-") as directory:
        results = Path(directory) / "results.xml"
        variables = simulator.environment(module) | {
            "COCOTB_RESULTS_FILE": str(results),
            "OPENIPU_CHECK_BLOCKS": "1",
            _CONFIG: json.dumps(asdict(config)),
        }
        done = subprocess.run(
            [simulator.executable], cwd=directory, env=variables | dict(environment or {}),
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            timeout=_TIMEOUT, check=False,
        )  # fmt: skip
        if not results.exists():
            tail = "\n".join(done.stdout.splitlines()[-60:])
            raise BenchError(f"bench {module} ended early (exit {done.returncode}):\n{tail}")
        cases = list(ElementTree.parse(results).getroot().iter("testcase"))
    return [
        BenchResult(
            name := case.get("name", ""),
            "" if case.find("failure") is None else _output_of(name, done.stdout),
        )
        for case in cases
    ]


def _output_of(test: str, output: str) -> str:
    """Return what a test printed, the seed included."""
    seed = [line for line in output.splitlines() if "Seeding" in line]
    start = output.find(f".{test} (")
    end = output.find(" running ", start)
    return "\n".join([*seed, *output[start:end].splitlines()[-60:]])


def bench_config() -> ChipConfig:
    """Return the configuration of the chip that is simulated; for use in a bench."""
    fields = json.loads(os.environ[_CONFIG])
    return ChipConfig(**fields | {"tile": TileConfig(**fields["tile"])})
