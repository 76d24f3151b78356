"""What a run is reported as."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from rich.console import Console

from openipu.sw.engine import Phases, Report
from openipu.sw.runner import Result, counted, predictions_of, show

F32 = np.float32


@pytest.mark.parametrize(
    ("output", "wanted"),
    [
        (np.array([[1, 3, 2], [9, 0, 0]], F32), [1, 0]),
        (np.array([[1], [3]], F32), [1, 3]),
        (np.array([[4, 5]], np.int32), [[4, 5]]),
        (np.array([2, 7], np.int32), [2, 7]),
        (np.array(3, F32), 3),
    ],
)
def test_predictions(output: NDArray[Any], wanted: Any) -> None:
    assert predictions_of(output).tolist() == wanted


def test_counted() -> None:
    assert [counted(n, "tile") for n in (0, 1, 2000)] == ["0 tiles", "1 tile", "2,000 tiles"]


def test_report() -> None:
    report = Report(
        runs=1, supersteps=3, cycles=1000, simulated_cycles=2000, seconds=0.5,
        phases=[Phases(compute=800, exchange=150, sync=50)] * 40,
    )  # fmt: skip
    result = Result(
        outputs={}, samples=4, predictions=np.array([1, 2]), right=3, report=report, mismatches=0,
        words=77, first=None,
    )  # fmt: skip
    console = Console(record=True, width=100, quiet=False)
    show(result, console)
    text = console.export_text()
    for part in ("3 of 4 (75.00%)", "3 in 1 run of", "77 elements after 3 supersteps, 0",
                 "4,000 simulated cycles/s", "800", "150", "(8 more)"):  # fmt: skip
        assert part in text, text
    found = result.as_json()
    assert found["accuracy"] == 0.75
    assert found["simulated_cycles_per_second"] == 4000
    assert found["phases"][39] == {"tile": 39, "compute": 800, "exchange": 150, "sync": 50}
