"""The demo, on fewer images."""

import json
from pathlib import Path

import pytest
from rich.console import Console

from examples.digits import demo


def test_demo(tmp_path: Path) -> None:
    console = Console(record=True, width=100)
    assert demo.demo(4, 16, tmp_path / "demo.json", console)
    text = console.export_text()
    for part in ("16 of 16", "0 mismatches", "compute", "exchange", "simulated cycles/s"):
        assert part in text
    found = json.loads((tmp_path / "demo.json").read_text())
    assert found["mismatches"] == 0
    assert found["equal_to_onnx"] == 16
    assert abs(found["golden_accuracy"] - found["onnx_accuracy"]) <= 0.005


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--tiles", "0"], "error: ChipConfig tiles must be from 1 to 2048, not 0"),
        (["--images", "361"], "error: images must be from 1 to 360, not 361"),
    ],
)
def test_mistakes(
    arguments: list[str], message: str, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.setattr("sys.argv", ["demo.py", *arguments])
    assert demo.main() == 1
    assert message in capsys.readouterr().out
