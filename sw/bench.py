"""Measure: `python -m openipu.sw.bench [--out build/bench.json] [--no-builds]`.

Prints tables and writes one flat object of named figures.
"""

import argparse
import sys
from pathlib import Path
from time import perf_counter

import numpy as np
from rich.console import Console
from rich.table import Table

from openipu.cosim.bench import measure
from openipu.rtl.config import ChipConfig
from openipu.sw import kernels_bench
from openipu.sw.compiler import compile
from openipu.sw.engine import Engine
from openipu.sw.errors import USER_ERRORS
from openipu.sw.graph import Graph
from openipu.sw.model import DEFAULT_BATCH, compile_model, predict
from openipu.sw.ops.builder import Builder, Tensor
from openipu.sw.ops.matmul import matmul
from openipu.sw.program import Execute, Repeat
from openipu.sw.runner import load_arrays, write_json

TEXTS = {
    "cosim_cycles_per_second_4_tiles": "simulated cycles/s, 4 busy tiles",
    "cosim_tile_cycles_per_second_4_tiles": "tile-cycles/s, 4 busy tiles",
    "raw_verilator_cycles_per_second": "the same in a bare C++ loop, cycles/s",
    "cosim_over_raw_verilator": "co-simulation over bare loop",
    "build_s_4_tiles": "building the simulator of 4 tiles, s",
    "build_s_64_tiles": "building the simulator of 64 tiles, s",
    "superstep_overhead_4": "superstep with nothing to compute, 4 tiles, cycles",
    "matmul_cycles_per_mac": "f32 matmul 64 x 64 x 64 on 4 tiles, tile-cycles per multiply-add",
    "golden_images_per_second": "digits model on golden, images/s",
    "launch_cycles": "from a worker's start to its codelet's first instruction, cycles",
    "launch_back_cycles": "from the last worker's end to the supervisor's next instruction, cycles",
    "bank_replays": "issues lost to bank conflicts in all kernels",
}
"""What is measured, by the names in the JSON file."""


def superstep_overhead(tiles: int = 4) -> float:
    """Return the cycles of a superstep with an empty compute set, sync and loop included."""
    config = ChipConfig(tiles=tiles)
    cycles = []
    for count in (10, 110):
        graph = Graph()
        body = Execute(graph.compute_set("empty"))
        executable = compile(graph, Repeat(count, body), config)
        with Engine(executable, "rtl") as engine:
            engine.run()
            cycles.append(engine.report.cycles)
    return (cycles[1] - cycles[0]) / 100


def matmul_cycles(size: int = 64) -> float:
    """Return tile-cycles per multiply-add of a square product on 4 tiles."""
    builder = Builder(ChipConfig())
    random = np.random.default_rng(1)
    x = builder.input("x", (size, size))
    weights = random.normal(size=(size, size)).astype(np.float32)
    matmul(builder, x, Tensor("w", weights), name="product")
    executable = compile(builder.graph, builder.program, builder.config)
    with Engine(executable, "rtl") as engine:
        engine.write("x", random.normal(size=(size, size)).astype(np.float32))
        engine.run()
        return engine.report.cycles * builder.tiles / size**3


def golden_rate(folder: Path, seconds: float = 2.0) -> float:
    """Return images a second of the digits model on the golden backend, 4 tiles."""
    pixels = load_arrays(folder / "digits_test.npz")["pixels"]
    compiled = compile_model(folder / "digits_mlp.onnx", ChipConfig(), batch=DEFAULT_BATCH)
    done = 0
    with Engine(compiled.executable) as engine:
        predict(engine, compiled, {"pixels": pixels}, len(pixels))
        start = perf_counter()
        while (spent := perf_counter() - start) < seconds:
            predict(engine, compiled, {"pixels": pixels}, len(pixels))
            done += len(pixels)
    return done / spent


def bench(*, builds: bool, console: Console) -> dict[str, float]:
    """Measure everything, and print what was measured of kernels."""
    measured = []
    for kernel in kernels_bench.KERNELS:
        with console.status(f"measuring {kernel.name} on the RTL"):
            measured.append(kernels_bench.measure(kernel))
    console.print(kernels_bench.table(measured))
    figures = kernels_bench.figures(measured)
    with console.status("measuring the golden backend"):
        figures["golden_images_per_second"] = golden_rate(Path("examples/digits"))
    with console.status("measuring programs on the RTL"):
        figures["superstep_overhead_4"] = superstep_overhead()
        figures["matmul_cycles_per_mac"] = matmul_cycles()
    with console.status("measuring the co-simulation" + (" and its builds" if builds else "")):
        figures |= measure(builds=builds)
    return figures


def table(figures: dict[str, float]) -> Table:
    """Return the figures as a table, in the order of `TEXTS`."""
    result = Table("what", "name in bench.json")
    result.add_column("", justify="right")
    for name, text in TEXTS.items():
        if name in figures:
            value = figures[name]
            shown = f"{value:,.0f}" if value >= 1000 else f"{value:.4g}"
            result.add_row(text, name, shown)
    return result


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(prog="openipu.sw.bench", description="Measure openipu.")
    parser.add_argument("--out", type=Path, default=Path("build/bench.json"))
    parser.add_argument("--no-builds", action="store_true", help="don't time building simulators")
    chosen = parser.parse_args()
    console = Console()
    try:
        figures = bench(builds=not chosen.no_builds, console=console)
    except USER_ERRORS as error:
        console.print(f"error: {error}", markup=False)
        return 1
    console.print(table(figures))
    chosen.out.parent.mkdir(parents=True, exist_ok=True)
    write_json(chosen.out, figures)
    console.print(f"written to {chosen.out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
