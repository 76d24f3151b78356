"""Run a compiled model with progress on the console, and say what came out of it."""

import json
import zipfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn
from rich.table import Table

from openipu.cosim.scoreboard import Mismatch
from openipu.cosim.session import DEFAULT_MAX_CYCLES
from openipu.sw.engine import Engine, Report
from openipu.sw.errors import UsageError
from openipu.sw.frontends.onnx import check_inputs
from openipu.sw.model import CompiledModel, predict

Arrays = dict[str, NDArray[Any]]


@dataclass(frozen=True, kw_only=True)
class Result:
    """What a run gave: `mismatches`, `words` and `first` are None where nothing was compared."""

    outputs: Arrays
    samples: int
    predictions: NDArray[Any]
    right: int | None
    report: Report
    mismatches: int | None
    words: int | None
    first: Mismatch | None

    @property
    def accuracy(self) -> float | None:
        """Share of the predictions that agree with the labels, if there are labels."""
        return None if self.right is None else self.right / self.samples

    @property
    def cycles_per_second(self) -> float | None:
        """Simulated clock cycles a second, if a clock was simulated."""
        report = self.report
        return report.simulated_cycles / report.seconds if report.seconds else None

    def as_json(self) -> dict[str, Any]:
        """Return the figures for scripts."""
        phases = [{"tile": t, **asdict(p)} for t, p in enumerate(self.report.phases)]
        return {
            "samples": self.samples,
            "accuracy": self.accuracy,
            "predictions": self.predictions.tolist(),
            "supersteps": self.report.supersteps,
            "mismatches": self.mismatches,
            "words_compared": self.words,
            "first_mismatch": str(self.first) if self.first else None,
            "cycles": self.report.cycles,
            "phases": phases,
            "simulated_cycles_per_second": self.cycles_per_second,
        }


def load_arrays(path: Path) -> Arrays:
    """Return the arrays of an .npz file, by name. Raises UsageError."""
    if not path.is_file():
        raise UsageError(f"{path}: {'a folder' if path.is_dir() else 'there is no such file'}")
    try:
        loaded = np.load(path, allow_pickle=False)
        if isinstance(loaded, np.ndarray):
            raise UsageError(f"{path} must be an .npz file, with one array per input, not .npy")
        with loaded:
            return {name: loaded[name] for name in loaded.files}
    except (ValueError, OSError, EOFError, zipfile.BadZipFile) as error:
        raise UsageError(f"{path} is no valid .npz file: {error}") from None


def run_model(
    compiled: CompiledModel,
    arrays: Mapping[str, NDArray[Any]],
    *,
    backend: str,
    compare: bool = False,
    labels: NDArray[Any] | None = None,
    waves: Path | None = None,
    max_cycles: int = DEFAULT_MAX_CYCLES,
    console: Console | None = None,
) -> Result:
    """Run all samples. Raises the user's errors (`openipu.sw.errors`)."""
    inputs, samples = check_inputs(compiled.model, arrays)
    if labels is not None and labels.shape != (samples,):
        raise UsageError(f"labels must have shape [{samples}], not {list(labels.shape)}")
    progress = Progress(
        SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(),
        TextColumn("samples{task.fields[note]}"),
        console=console or Console(stderr=True), transient=True,
    )  # fmt: skip
    with progress:
        task = progress.add_task(f"running on {backend}", total=samples, note="")
        engine = Engine(
            compiled.executable, backend, compare=compare, waves=waves, max_cycles=max_cycles,
            progress=lambda cycles: progress.update(task, note=f", cycle {cycles:,}"),
            superstep=lambda: progress.update(
                task, note=f", {engine.report.supersteps} supersteps compared"
            ),
        )  # fmt: skip
        with engine:
            outputs = predict(
                engine, compiled, inputs, samples,
                progress=lambda done: progress.update(task, completed=done),
            )  # fmt: skip
    board = engine.scoreboard
    predictions = predictions_of(outputs[compiled.model.outputs[0].name])
    right = None
    if labels is not None:
        if predictions.shape != labels.shape:
            raise UsageError(
                f"labels need one prediction for each, but output "
                f"{compiled.model.outputs[0]} gives {list(predictions.shape)}"
            )
        right = int((predictions == labels).sum())
    return Result(
        outputs=outputs,
        samples=samples,
        predictions=predictions,
        right=right,
        report=engine.report,
        mismatches=board.mismatches if board else None,
        words=board.words if board else None,
        first=board.first if board else None,
    )


def predictions_of(output: NDArray[Any]) -> NDArray[Any]:
    """Return what a model predicts: the class with the greatest score, or the output itself."""
    if output.ndim > 1 and output.shape[-1] > 1 and output.dtype.kind == "f":
        return np.asarray(output.argmax(axis=-1))
    return output.reshape(-1) if output.ndim > 1 and output.shape[-1] == 1 else output


def show(result: Result, console: Console) -> None:
    """Print a result: the comparison, the speed, and where the tiles' cycles went."""
    report = result.report
    if result.right is not None:
        console.print(
            f"accuracy: {result.right} of {result.samples} ({result.right / result.samples:.2%})"
        )
    runs = counted(report.runs, "run")
    console.print(f"supersteps: {report.supersteps:,} in {runs} of the program")
    if result.mismatches is not None:
        console.print(
            f"compared with golden: {result.words:,} elements after "
            f"{counted(report.supersteps, 'superstep')}, {result.mismatches:,} mismatches"
        )
    if result.first:
        console.print(f"first mismatch: {result.first}", markup=False, highlight=False)
    if report.cycles:
        console.print(f"cycles: {report.cycles:,}")
    if result.cycles_per_second:
        console.print(f"speed: {result.cycles_per_second:,.0f} simulated cycles/s")
    if report.phases:
        console.print(phase_table(report))


def counted(number: int, noun: str) -> str:
    """Return a number with its noun, which gets an s unless it is one."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def phase_table(report: Report) -> Table:
    """Return where the tiles' cycles went, up to 32 tiles."""
    table = Table("tile", title="cycles", title_justify="left")
    for name in ("compute", "exchange", "sync"):
        table.add_column(name, justify="right")
    for tile, phases in enumerate(report.phases[:32]):
        table.add_row(str(tile), *(f"{v:,}" for v in asdict(phases).values()))
    if len(report.phases) > 32:
        table.add_row(f"({len(report.phases) - 32} more)", "", "", "")
    return table


def write_json(path: Path | None, content: Mapping[str, Any]) -> None:
    """Write figures to a file, if one is wanted."""
    if path is not None:
        path.write_text(json.dumps(content, indent=2) + "\n")
