"""Measure kernels on one tile of the RTL: `python -m openipu.sw.kernels_bench [NAME...]`.

A kernel is an operation of `openipu.sw.ops` at one size, with its operands on the tile. What is
measured are the cycles from the supervisor's start of the first worker to the end of the last one,
by the retirement trace; what they are compared with is a bound that the tile can't beat. Results on
RTL and ISS are compared with the reference, bit for bit.
"""

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from elftools.elf.elffile import ELFFile
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from openipu.cosim.session import Session
from openipu.cosim.source_map import SourceMap
from openipu.rtl.config import ChipConfig, TileConfig
from openipu.rtl.isa import encode
from openipu.sw.compiler import Executable, compile
from openipu.sw.engine import Engine
from openipu.sw.ops.builder import Builder, Tensor
from openipu.sw.ops.convolution import convolve
from openipu.sw.ops.elementwise import binary, scaled_add, unary
from openipu.sw.ops.gather import gather
from openipu.sw.ops.matmul import matmul
from openipu.sw.ops.pooling import Window, pool
from openipu.sw.ops.rearrange import transpose
from openipu.sw.ops.reduce import reduce

CONFIG = ChipConfig(tiles=1, tile=TileConfig(banks=39, trace=True))
"""One tile with the memory of preset gc200."""

Inputs = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class Kernel:
    """What to measure.

    Attributes
    ----------
    name : str
        In `build/bench.json`.
    text : str
        What it is.
    bound : int
        The least cycles that it can take,
    limit : str
        and why.
    build : callable
        Gets a builder and adds the operation; returns values for the inputs.
    """

    name: str
    text: str
    bound: int
    limit: str
    build: Callable[[Builder], Inputs]


@dataclass(frozen=True)
class Measured:
    """A kernel's cycles, and what the compiler had estimated."""

    kernel: Kernel
    cycles: int
    estimate: int
    replays_bank: int
    replays_fetch: int
    launch: int  #: from the first start to the first instruction of a codelet
    back: int  #: from the last worker's end to the supervisor's next instruction

    @property
    def fraction(self) -> float:
        """How much of the bound is reached."""
        return self.kernel.bound / self.cycles


def measure(kernel: Kernel) -> Measured:
    """Run a kernel on RTL and ISS. Raises AssertionError where a result is wrong."""
    builder = Builder(CONFIG)
    inputs = kernel.build(builder)
    executable = compile(builder.graph, builder.program, CONFIG, strict=True)
    with _run(kernel, executable, "iss", inputs):
        pass
    with _run(kernel, executable, "rtl", inputs) as engine:
        assert isinstance(engine.machine, Session)
        trace, counters = engine.machine.trace(), engine.machine.counters(0)
    launch, cycles, back = _phases(executable, trace)
    return Measured(
        kernel,
        cycles,
        _estimate(executable),
        counters["replay_bank"],
        counters["replay_fetch"],
        launch,
        back,
    )


def _estimate(executable: Executable) -> int:
    """Return the cycles from the first start of a worker to the last end, as estimated."""
    *before, last = [each for each in executable.estimates.values() if each.compute]
    return sum(each.cycles for each in before) + last.compute


@contextmanager
def _run(kernel: Kernel, executable: Executable, backend: str, inputs: Inputs) -> Iterator[Engine]:
    with Engine(executable, backend, compare=True) as engine:
        for name, value in inputs.items():
            engine.write(name, value)
        engine.run()
        assert engine.scoreboard is not None
        if engine.scoreboard.mismatches:
            raise AssertionError(f"{kernel.name} on {backend}: {engine.scoreboard.first}")
        yield engine


def _phases(executable: Executable, trace: NDArray[np.void]) -> tuple[int, int, int]:
    """Return the cycles of a worker's launch, from first start to last end, and of the way back.

    Without what the start-up code does.
    """
    with executable.elf.open("rb") as file:
        source = SourceMap.from_elf(ELFFile(file))
    memory = {a + i: b for a, data in executable.common for i, b in enumerate(data)}

    def word(pc: int) -> int:
        return int.from_bytes(bytes(memory[pc + i] for i in range(4)), "little")

    names: dict[int, tuple[str | None, int]] = {
        int(pc): (source.function(int(pc)), word(int(pc))) for pc in np.unique(trace["pc"])
    }
    supervisor = executable.config.tile.supervisor
    starts, ends, firsts, after = [], [], [], []
    for cycle, thread, pc in zip(trace["cycle"], trace["thread"], trace["pc"], strict=True):
        function, code = names[int(pc)]
        if function in ("_start", "worker_setup"):
            continue
        if thread != supervisor:
            if function not in ("worker_main", "run_list"):
                firsts.append(int(cycle))
            elif code == encode("xend"):
                ends.append(int(cycle))
        elif code & 0xFE00_707F == encode("xstart"):
            starts.append(int(cycle))
        else:
            after.append(int(cycle))
    back = min(cycle for cycle in after if cycle > max(ends)) - max(ends)
    return min(firsts) - min(starts), max(ends) - min(starts), back


def _normal(shape: int | tuple[int, ...], dtype: str, seed: int) -> NDArray[Any]:
    return np.random.default_rng(seed).normal(size=shape).astype(dtype)


def _elementwise(
    dtype: str, operation: Callable[..., Tensor], operands: int = 1, count: int = 8192
) -> Callable[[Builder], Inputs]:
    """Return what builds an operation of `operands` inputs of 8,192 elements each."""

    def build(builder: Builder) -> Inputs:
        tensors = [builder.input(f"x{i}", (count,), dtype) for i in range(operands)]
        operation(builder, *tensors, name="y")
        return {f"x{i}": _normal(count, dtype, i) for i in range(operands)}

    return build


def _function(name: str) -> Callable[..., Tensor]:
    return lambda builder, x, name, function=name: unary(builder, function, x, name=name)


ONE_WORD = "one 64-bit instruction a cycle, with a word read and written"
ONE_READ = "a word read a cycle; the matrix unit adds up two, from two banks"

def _product(m: int, k: int, n: int, dtype: str) -> Callable[[Builder], Inputs]:
    """Return what builds a product of an input (m, k) and weights (k, n)."""

    def build(builder: Builder) -> Inputs:
        x = builder.input("x", (m, k), dtype)
        matmul(builder, x, Tensor("w", _normal((k, n), dtype, 1)), name="y")
        return {"x": _normal((m, k), dtype, 0)}

    return build


def _convolution(channels: int, outputs: int, groups: int = 1) -> Callable[[Builder], Inputs]:
    """Return what builds a 3x3 convolution of a 14x14 picture that has its channels last."""

    def build(builder: Builder) -> Inputs:
        x = builder.input("x", (1, 14, 14, channels), "float16")
        w = _normal((outputs, channels // groups, 3, 3), "float16", 1)
        bias = Tensor("bias", _normal(outputs, "float16", 2))
        convolve(builder, x.transpose(0, 3, 1, 2), Tensor("w", w), bias, pads=(1, 1, 1, 1),
                 groups=groups, name="y")  # fmt: skip
        return {"x": _normal((1, 14, 14, channels), "float16", 0)}

    return build


def _pool(kind: str, size: int, stride: int) -> Callable[[Builder], Inputs]:
    """Return what builds pooling of 32 by 32 pixels of 32 channels, which lie together."""

    def build(builder: Builder) -> Inputs:
        x = builder.input("x", (1, 32, 32, 32), "float16").transpose(0, 3, 1, 2)
        pool(builder, kind, x, [Window(size, stride)] * 2, name="y")
        return {"x": _normal((1, 32, 32, 32), "float16", 0)}

    return build


def _transpose(builder: Builder) -> Inputs:
    transpose(builder, builder.input("x", (64, 192), "float16"), [1, 0], name="y")
    return {"x": _normal((64, 192), "float16", 0)}


def _gather(builder: Builder) -> Inputs:
    table = builder.input("x", (256, 128), "float16")
    gather(builder, table, builder.input("i", (384,), "int32"), 0, name="y")
    index = np.random.default_rng(1).integers(0, 256, 384).astype(np.int32)
    return {"x": _normal((256, 128), "float16", 0), "i": index}


MULTIPLIES = "64 multiply-accumulates of f16 a cycle"

KERNELS = (
    Kernel("gemm_f16_192x256x64", "f16 (192, 256) . (256, 64)", 192 * 256, MULTIPLIES,
           _product(192, 256, 64, "float16")),
    Kernel("gemm_f16_7_rows", "the same with 7 rows for each worker", 42 * 256, MULTIPLIES,
           _product(42, 256, 64, "float16")),
    Kernel("gemm_f16_30_rows", "the same with 30 rows for each worker", 180 * 256, MULTIPLIES,
           _product(180, 256, 64, "float16")),
    Kernel("gemm_f32", "f32 (192, 256) . (256, 64)", 4 * 192 * 256,
           "16 multiply-accumulates of f32 a cycle", _product(192, 256, 64, "float32")),
    Kernel("conv3x3", "f16 3x3, 32 to 32 channels, 14x14, padding included", 14 * 14 * 9 * 16,
           MULTIPLIES, _convolution(32, 32)),
    Kernel("depthwise3x3", "f16 3x3 of 32 channels, 14x14, padding included", 14 * 14 * 9 * 8,
           "4 multiply-accumulates of f16 a cycle", _convolution(32, 32, 32)),
    Kernel("gemv_f16", "f16 (1, 1024) . (1024, 256), as an LSTM has it", 1024 * 256 // 8,
           "two 64-bit words of the matrix read a cycle", _product(1, 1024, 256, "float16")),
    Kernel(
        "add_f16", "a + b, 8,192 f16", 2048, ONE_WORD,
        _elementwise("float16", lambda builder, a, b, name: binary(
            builder, "add", a, b, name=name), 2),
    ),
    Kernel(
        "fma_f32", "a * factor + b, 8,192 f32", 4096, ONE_WORD,
        _elementwise("float32", lambda builder, a, b, name: scaled_add(
            builder, a, 0.3, b, name=name), 2),
    ),
    Kernel("tanh_f16", "tanh, 8,192 f16", 2048, ONE_WORD,
           _elementwise("float16", _function("hyperbolic_tangent"))),
    Kernel("exp_f16", "exp, 8,192 f16", 2048, ONE_WORD,
           _elementwise("float16", _function("exponent"))),
    Kernel("copy_f16", "8,192 f16 to another place of the tile", 2048, ONE_WORD,
           _elementwise("float16", _function("identity"))),
    Kernel("maxpool_f16", "greatest of 2x2, 32x32 pixels of 32 channels, f16", 4 * 256 * 8,
           "one 64-bit word read a cycle", _pool("max", 2, 2)),
    Kernel("transpose_f16", "f16 (64, 192) transposed", 2 * 64 * 192,
           "a load and a store an element", _transpose),
    Kernel("gather_f16", "384 of 256 rows of 128 f16", 384 * 32, ONE_WORD, _gather),
    Kernel("sum_f16", "the sum of 8,192 f16", 2048, ONE_READ,
           _elementwise("float16", lambda builder, x, name: reduce(
               builder, "reduce_sum", x, (0,), keep=False, name=name))),
)  # fmt: skip
"""What is measured."""


def figures(measured: Iterable[Measured]) -> dict[str, float]:
    """Return the fractions of the bounds, and the replays and launch cycles, for bench.json."""
    found = list(measured)
    result: dict[str, float] = {each.kernel.name: each.fraction for each in found}
    result["bank_replays"] = sum(each.replays_bank for each in found)
    result["launch_cycles"] = max(each.launch for each in found)
    result["launch_back_cycles"] = max(each.back for each in found)
    return result


def table(measured: Iterable[Measured]) -> Table:
    """Return what was measured beside its bounds."""
    result = Table("kernel on one tile", "name in bench.json", "what limits it")
    for name in ("bound", "cycles", "reached", "estimated", "replays: bank", "fetch"):
        result.add_column(name, justify="right")
    for each in measured:
        kernel = each.kernel
        result.add_row(
            kernel.text, kernel.name, kernel.limit, f"{kernel.bound:,}", f"{each.cycles:,}",
            f"{each.fraction:.1%}", f"{each.estimate:,}", str(each.replays_bank),
            str(each.replays_fetch),
        )  # fmt: skip
    return result


def main() -> int:
    """Run from the command line; arguments are names of kernels."""
    console = Console(width=160)
    chosen = [kernel for kernel in KERNELS if not sys.argv[1:] or kernel.name in sys.argv[1:]]
    measured = [measure(kernel) for kernel in chosen]
    console.print(table(measured))
    for name, value in figures(measured).items():
        console.print(f"{name}: {value:.4g}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
