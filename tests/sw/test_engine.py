"""Running compiled programs: inputs and outputs, reports, what stops a run."""

import re

import numpy as np
import pytest

from openipu.cosim.errors import CycleLimitError, SimulationError
from openipu.rtl.config import ChipConfig
from openipu.sw.compiler import Executable, compile
from openipu.sw.engine import Engine
from openipu.sw.ops.builder import Builder
from openipu.sw.ops.elementwise import unary


@pytest.fixture(scope="module")
def executable() -> Executable:
    """Return a program y = -|x|, on the chip that other tests have a simulator of, too."""
    builder = Builder(ChipConfig())
    x = builder.input("x", (4, 3))
    unary(builder, "negate", unary(builder, "absolute", x, name="a"), name="y")
    return compile(builder.graph, builder.program, builder.config)


X = np.array([[1, -2, 3], [0, -0.0, 5], [7, -8, 9], [1, 2, -3]], np.float32)


@pytest.mark.parametrize("backend", ["golden", "iss", "rtl"])
def test_runs_again_and_again(executable: Executable, backend: str) -> None:
    with Engine(executable, backend) as engine:
        for factor in (1, 2, -3):
            engine.write("x", X * np.float32(factor))
            engine.run()
            np.testing.assert_array_equal(engine.read("y"), -np.abs(X) * abs(factor))
        assert engine.report.runs == 3
        assert engine.report.supersteps == 3 * 3  # two compute sets and the host's barrier


@pytest.mark.parametrize("backend", ["iss", "rtl"])
def test_report_of_a_comparison_counts_the_same(executable: Executable, backend: str) -> None:
    calls: list[int] = []
    with Engine(executable, backend, compare=True, superstep=lambda: calls.append(1)) as engine:
        for _ in range(2):
            engine.write("x", X)
            engine.run()
        assert engine.scoreboard
        assert engine.report.supersteps == engine.scoreboard.supersteps == len(calls) == 6
        assert engine.scoreboard.words == 2 * (2 * X.size)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (np.zeros((4, 3)), "x must be float32 [4, 3], not float64 [4, 3]"),
        (np.zeros((3, 4), np.float32), "x must be float32 [4, 3], not float32 [3, 4]"),
    ],
)
def test_values_must_fit(executable: Executable, values: np.ndarray, message: str) -> None:
    with Engine(executable) as engine:
        with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
            engine.write("x", values)
        with pytest.raises(ValueError, match=r"^variable must be one of x, a, y, not 'z'$"):
            engine.read("z")


def test_options_must_fit(executable: Executable) -> None:
    with pytest.raises(ValueError, match=r"^backend must be one of golden, iss, rtl, not 'fpga'$"):
        Engine(executable, "fpga")
    with pytest.raises(ValueError, match=r"^compare needs the backend iss or rtl"):
        Engine(executable, "golden", compare=True)


@pytest.mark.parametrize("backend", ["iss", "rtl"])
def test_cycle_limit_says_who_is_where(executable: Executable, backend: str) -> None:
    with Engine(executable, backend, max_cycles=5) as engine:
        engine.write("x", X)
        with pytest.raises(CycleLimitError, match=r"(?s)limit of 5 cycles:.*tile"):
            engine.run()


@pytest.mark.parametrize("backend", ["iss", "rtl"])
def test_trap_names_the_source_line(executable: Executable, backend: str) -> None:
    with Engine(executable, backend) as engine:
        engine.write("x", X)
        chip = engine._backend
        # A vertex of tile 1 gets a pointer to nowhere.
        vertices = executable.vertices[1]
        address = next(a for a, v in vertices.items() if v.codelet.name == "negate_f32")
        chip.machine.load(1, address, b"\xf0\xff\xff\x7f")  # type: ignore[attr-defined]
        with pytest.raises(
            SimulationError,
            match=r"(?s)tile 1, thread \d, pc 0x\w+ \(streams\.S:\d+ in negate_f32\): .*0x7ffffff",
        ):
            engine.run()
