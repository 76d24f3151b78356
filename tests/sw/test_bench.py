"""The measurements of programs; those of the co-simulation are tested with it."""

from pathlib import Path

from rich.console import Console

from openipu.sw.bench import TEXTS, golden_rate, superstep_overhead, table

ROOT = Path(__file__).resolve().parents[2]


def test_golden_rate() -> None:
    assert golden_rate(ROOT / "examples" / "digits", seconds=0.1) > 100


def test_superstep_overhead() -> None:
    """The supervisor's few instructions, four cycles each, and the barrier."""
    assert 20 < superstep_overhead() < 100


def test_table_has_every_figure() -> None:
    console = Console(record=True, width=160)
    console.print(table({name: 1.5 for name in TEXTS}))
    text = console.export_text()
    assert all(name in text for name in TEXTS)
