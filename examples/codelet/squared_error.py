"""A codelet of one's own, in C and in assembly: y = (a - b)**2 * weight.

    python examples/codelet/squared_error.py [--dtype float16] [--backend iss]

Runs it on all workers of a tile and compares with the reference; docs/user/codelets.md explains it.
"""

import argparse
import sys
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from openipu.rtl.config import ChipConfig
from openipu.rtl.isa import SimdOp
from openipu.sw.codelets.arithmetic import quiet, store
from openipu.sw.codelets.codelet import Codelet, Derived, Field, Input, Output, Scalar
from openipu.sw.codelets.streams import evaluate, level, words
from openipu.sw.compiler import Executable, compile
from openipu.sw.engine import BACKENDS, Engine
from openipu.sw.graph import Graph
from openipu.sw.program import Execute

FOLDER = Path(__file__).resolve().parent

Array = NDArray[Any]


def _in_f32(*, a: Array, b: Array, y: Array, weight: np.float32) -> None:
    with quiet():
        d = a - b
        store(y, d * d * weight)


def _in_f16(*, a: Array, b: Array, y: Array, weight: np.float32) -> None:
    with quiet():
        factor = np.full_like(a, weight)
    d = evaluate(SimdOp.H4_SUB, a, b)
    square = evaluate(SimdOp.H4_MUL, d, d)
    y[...] = evaluate(SimdOp.H4_MUL, square, factor)


CODELETS = {
    "float32": Codelet(
        name="squared_error_f32",
        fields=(Field("a", Input), Field("b", Input), Field("y", Output), Scalar("weight", "f32")),
        source=str(FOLDER / "squared_error.c"),
        reference=_in_f32,
        cycles=lambda a, b, y, weight: 14 + 10 * y,
    ),
    "float16": Codelet(
        name="squared_error_f16",
        fields=(
            Field("a", Input, "float16", streamed=True),
            Field("b", Input, "float16", streamed=True, apart_from=("a",)),
            Field("y", Output, "float16", streamed=True),
            Scalar("weight", "f32"),
            Derived("level", lambda a, b, y, weight: level(words(y, "float16"))),
        ),
        source=str(FOLDER / "squared_error.S"),
        reference=_in_f16,
        cycles=lambda a, b, y, weight: 13 + 3 * words(y, "float16"),
    ),
}


def build(dtype: str, count: int, config: ChipConfig) -> Executable:
    """Compile a program with one vertex for each worker of tile 0, `count` elements each."""
    graph = Graph()
    workers = config.tile.slots
    a, b, y = (graph.variable(name, (workers, count), dtype).map(0) for name in "aby")
    compute_set = graph.compute_set("error")
    for worker in range(workers):
        compute_set.add(CODELETS[dtype], 0, a=a[worker], b=b[worker], y=y[worker], weight=0.5)
    return compile(graph, Execute(compute_set), config, strict=True)


def run(executable: Executable, backend: str, a: Array, b: Array) -> Array:
    """Run on a backend. Raises AssertionError where it differs from the reference."""
    with Engine(executable, backend, compare=backend != "golden") as engine:
        engine.write("a", a)
        engine.write("b", b)
        engine.run()
        if engine.scoreboard:
            assert not engine.scoreboard.mismatches, str(engine.scoreboard.first)
        print(f"{backend}: {engine.report.supersteps} supersteps, {engine.report.cycles} cycles")
        return engine.read("y")


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="Run the codelet squared_error.")
    parser.add_argument("--dtype", choices=sorted(CODELETS), default="float16")
    parser.add_argument("--backend", choices=BACKENDS, default="iss")
    parser.add_argument("--count", type=int, default=1000, help="of each worker, whole words")
    chosen = parser.parse_args()

    config = ChipConfig(tiles=1)
    executable = build(chosen.dtype, chosen.count, config)
    for step, estimate in executable.estimates.items():
        print(f"estimated: {step.name} computes for {estimate.compute} cycles")
    random = np.random.default_rng(1)
    shape = config.tile.slots, chosen.count
    a, b = (random.normal(size=shape).astype(chosen.dtype) for _ in range(2))
    y = run(executable, chosen.backend, a, b)
    exact = (a.astype(np.float64) - b) ** 2 * 0.5
    print(f"greatest error: {np.abs(y - exact).max():.2g}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
