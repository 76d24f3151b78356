"""Every codelet against its NumPy twin, bit for bit, and its estimate against the RTL."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import numpy as np
import pytest
from elftools.elf.elffile import ELFFile
from numpy.typing import NDArray

from openipu.cosim.golden.graph import source_of
from openipu.cosim.session import Session
from openipu.cosim.source_map import SourceMap
from openipu.rtl.config import ChipConfig, TileConfig
from openipu.sw.codelets.codelet import Codelet, all_codelets
from openipu.sw.codelets.matrix import Segment, pack, row_table, segment_table
from openipu.sw.codelets.matvec import work_table
from openipu.sw.codelets.streams import lanes
from openipu.sw.compiler import Executable, compile
from openipu.sw.compiler.codegen import JOB_ISSUES
from openipu.sw.engine import Engine
from openipu.sw.graph import Graph
from openipu.sw.kernels_bench import CONFIG
from openipu.sw.ops.matrix import segments_bytes, segments_of, share
from openipu.sw.program import Execute, Sequence

SEED = 20260701
SPECIAL = np.array(
    [0x0000_0000, 0x8000_0000, 0x0000_0001, 0x8000_0001, 0x007F_FFFF, 0x0080_0000, 0x8080_0000,
     0x3F80_0000, 0xBF80_0000, 0x3F7F_FFFF, 0x7F7F_FFFF, 0xFF7F_FFFF, 0x7F80_0000, 0xFF80_0000,
     0x7FC0_0000, 0xFFC0_0000, 0x7FA0_0001, 0x42B1_7218, 0xC2CF_F1B5, 0x3F10_0000, 0x0020_0000,
     0x7E80_0000, 0x7F00_0000, 0x33FF_FFFF],
    np.uint32,
).view(np.float32)  # fmt: skip
"""Zeros, subnormals, ones, the largest, infinities, NaNs (one signalling), edges of functions."""


@dataclass
class Case:
    """A vertex: its input arrays, the lengths of its outputs, its scalars."""

    inputs: dict[str, NDArray[Any]]
    outputs: dict[str, int]
    scalars: dict[str, Any] = field(default_factory=dict)


def values(random: np.random.Generator, count: int, *, wild: bool = True) -> NDArray[np.float32]:
    """Return ordinary values, and if `wild` special ones and any pattern among them."""
    result = random.normal(size=count).astype(np.float32) * np.float32(4)
    if wild and count:
        pick = random.random(count)
        patterns = random.integers(0, 1 << 32, count, np.uint32).view(np.float32)
        result = np.where(pick < 0.3, random.choice(SPECIAL, count), result)
        result = np.where(pick > 0.8, patterns, result)
    return result


def unary(random: np.random.Generator) -> Iterator[Case]:
    for count in (0, 1, 2, 7, 100):
        yield Case({"x": values(random, count)}, {"y": count})
    yield Case({"x": SPECIAL}, {"y": SPECIAL.size})
    steps = np.linspace(-110, 110, 200).astype(np.float32)
    yield Case({"x": steps}, {"y": steps.size})


def binary(random: np.random.Generator) -> Iterator[Case]:
    for repeats, period in ((0, 1), (1, 1), (5, 1), (1, 7), (9, 3), (4, 17)):
        count = repeats * period
        yield Case({"a": values(random, count), "b": values(random, period)}, {"y": count})
    a, b = (grid.reshape(-1) for grid in np.meshgrid(SPECIAL, SPECIAL))
    yield Case({"a": a, "b": b}, {"y": a.size})


def matmul(random: np.random.Generator, transposed: bool) -> Iterator[Case]:
    shapes = [(1, 1, 1), (4, 8, 4), (3, 5, 7), (2, 3, 0), (5, 6, 9), (8, 4, 64), (7, 1, 3)]
    for index, (rows, columns, depth) in enumerate(shapes):
        step = columns + index % 3  # the next row of w may lie further away
        size = columns * depth if transposed else max(0, (depth - 1) * step + columns)
        scalars = {"rows": rows, "depth": depth} | ({} if transposed else {"step": step})
        for wild in (False, True):
            inputs = {
                "x": values(random, rows * depth, wild=wild),
                "w": values(random, size if depth else 0, wild=wild),
                "bias": values(random, columns, wild=wild),
            }
            yield Case(inputs, {"y": rows * columns}, scalars)


def reduction(random: np.random.Generator) -> Iterator[Case]:
    for results, count in ((1, 1), (3, 5), (7, 16), (2, 0), (5, 1), (0, 3), (1, 50), (20, 9)):
        for by_result in (True, False):
            step, stride = (count, 1) if by_result else (1, results)
            scalars = {"count": count, "step": step, "stride": stride}
            for wild in (False, True):
                x = values(random, results * count, wild=wild)
                yield Case({"x": x}, {"y": results}, scalars)


def softmax(random: np.random.Generator) -> Iterator[Case]:
    for rows, columns in ((1, 1), (3, 10), (5, 2)):
        for wild in (False, True):
            x = values(random, rows * columns, wild=wild)
            yield Case({"x": x}, {"y": x.size}, {"columns": columns})


def transpose(random: np.random.Generator, make: Callable[..., Any]) -> Iterator[Case]:
    for rows, columns, step in ((1, 1, 1), (3, 4, 4), (5, 2, 7), (9, 11, 12), (0, 4, 4)):
        x = make(random, max(0, (rows - 1) * step + columns))
        scalars = {"rows": rows, "columns": columns, "step": step}
        yield Case({"x": x}, {"y": rows * columns}, scalars)


def fill(random: np.random.Generator) -> Iterator[Case]:
    for count in (0, 1, 9):
        yield Case({}, {"y": count}, {"value": -1.5})


def halves(random: np.random.Generator, count: int) -> NDArray[np.float16]:
    """Return ordinary values with special ones and any pattern among them."""
    result = random.normal(size=count).astype(np.float16) * np.float16(3)
    patterns = random.integers(0, 1 << 16, count, np.uint16).view(np.float16)
    return np.where(random.random(count) < 0.4, patterns, result)


def streams(random: np.random.Generator, codelet: Codelet) -> Iterator[Case]:
    if codelet.name.startswith("fill"):
        for value in (1.1, -0.0, 1e-7, 1e6, np.inf, np.nan, -2.5):
            for count in (0, 1, 2, 3, 4, 9, 255):
                yield Case({}, {"y": count}, {"value": value})
        return
    first = codelet.vectors[0]
    make = halves if first.dtype == "float16" else values
    one_word = 4 if first.dtype == "float16" else 2
    for count in (0, 1, 2, 3, 4, 5, 7, 8, 9, 100, 255):
        inputs = {first.name: make(random, count)}
        if len(codelet.vectors) == 2:
            yield Case(inputs, {"y": count})
        elif "constant" in codelet.name:
            yield Case(inputs | {"b": make(random, 1)}, {"y": count})
        elif "periodic" in codelet.name:
            for words in (1, 2, 3):
                yield Case(inputs | {"b": make(random, words * one_word)}, {"y": count})
        else:
            scalars = {"factor": random.normal()} if codelet.scalars else {}
            yield Case(inputs | {"b": make(random, count)}, {"y": count}, scalars)


def reduce_streams(random: np.random.Generator, codelet: Codelet) -> Iterator[Case]:
    dtype = codelet.vectors[0].dtype
    make, each = halves if dtype == "float16" else values, lanes(dtype)
    factor = {"factor": random.normal()} if "sum" in codelet.name else {}
    if codelet.name == "sum_halves":
        for words in (1, 2, 100):
            for wild in (False, True):
                pair = {n: make(random, words * each) if wild else np.ones(words * each, dtype)
                        for n in ("x", "other")}  # fmt: skip
                yield Case(pair, {"y": 1})
    elif "rows" in codelet.name:
        shapes = [(1, n) for n in (0, 1, 2, 3, 4, 5, 7, 101)]
        shapes += [(rows, n * each) for rows in (0, 1, 3, 6) for n in (0, 1, 2, 25)]
        for rows, columns in shapes:
            x = make(random, rows * columns)
            yield Case({"x": x}, {"y": rows}, factor)
            yield Case({"x": np.sort(np.abs(x))[::-1].copy()}, {"y": rows}, factor)
    else:
        for count, columns, more in ((0, 4, 0), (1, 1, 3), (2, 7, 1), (5, 12, 0), (33, 8, 8)):
            if codelet.name == "sum_columns_f16_f32":
                columns *= 4  # whole words of x
            stride = -(-columns // each) * each + each * more
            x = make(random, max(count - 1, 0) * stride + columns if count else 0)
            yield Case({"x": x}, {"y": columns}, {"count": count, "stride": stride} | factor)
        yield Case({"x": make(random, 0)}, {"y": 0}, {"count": 3, "stride": each} | factor)


def rows(random: np.random.Generator, codelet: Codelet) -> Iterator[Case]:
    dtype = codelet.vectors[0].dtype
    make = halves if dtype == "float16" else values
    each = lanes(dtype) if codelet.source == "rows.S" else 3
    for count, words in ((0, 1), (1, 1), (3, 2), (5, 9), (2, 40)):
        columns = words * each
        scalars = {"columns": columns} | (
            {"share": 1 / columns, "epsilon": 1e-5} if "normalise" in codelet.name else {}
        )
        x = make(random, count * columns)
        tame = np.where(np.abs(x) < 100, x, x.dtype.type(1))
        for array in (x, tame, np.ones_like(x)):
            yield Case({"x": array}, {"y": x.size}, scalars)


def matrix(random: np.random.Generator, codelet: Codelet) -> Iterator[Case]:
    """Matrices of one and of several segments and blocks, then windows, for the default tile."""
    tile, dtype = TileConfig(), codelet.vectors[0].dtype
    make, each = halves if dtype == "float16" else values, lanes(dtype)
    pictures: tuple[tuple[list[Segment], list[tuple[int, int]], int, int], ...] = (
        ([Segment(0, 8, 8)], [(0, 1)], 8, 16),
        (segments_of(40, 40, tile), [(0, 7)], 7 * 40, 32),
        (segments_of(32, 32, tile), [(0, 20)], 20 * 32, 16),
        ([Segment(0, 5, 3, runs=2, distance=20), Segment(40, 9, 3)], [(0, 5), (60, 9)], 140, 32),
    )
    for segments, runs, size, columns in pictures:
        groups = [segment.groups for segment in segments]
        rows = sum(count for _, count in runs)
        weights = make(random, sum(groups) * each * columns).reshape(sum(groups), each, columns)
        even, odd = pack(weights, tile, groups)
        tables = {
            "rows": row_table(share(runs, segments[0].row_distance, tile)),
            "segments": segment_table(segments, dtype, tile),
        }
        yield Case(
            {"x": make(random, size * each), "even": even, "odd": odd,
             "bias": values(random, columns)},
            {"sums": rows * tile.amp_outputs * (len(segments) > 1), "y": rows * columns},
            {"blocks": columns // tile.amp_outputs, "dot": tile.amp_dot,
             "segments_bytes": segments_bytes(tables["segments"], tile)}
            | {name: np.array(table, np.uint32) for name, table in tables.items()},
        )  # fmt: skip


def matvec(random: np.random.Generator) -> Iterator[Case]:
    """Rows in one part and in more, for the default tile."""
    tile = TileConfig()
    for parts, groups, blocks in ((1, 3, 1), (2, 17, 9), (4, 1, 4), (8, 32, 2)):
        rows = blocks * tile.amp_outputs // parts
        taken = parts * groups * 4
        yield Case(
            {"x": halves(random, taken), "bias": values(random, rows),
             "even": halves(random, rows // 2 * taken), "odd": halves(random, rows // 2 * taken)},
            {"sums": rows, "y": rows},
            {"parts": parts, "groups": groups, "outputs": tile.amp_outputs,
             "work": np.array(work_table(blocks, parts, groups, tile), np.uint32)},
        )  # fmt: skip


def recurrent(random: np.random.Generator, codelet: Codelet) -> Iterator[Case]:
    _, before, after = (item.name for item in codelet.vectors)
    for words in (1, 2, 9, 100):
        yield Case(
            {"gates": halves(random, 16 * words), before: halves(random, 4 * words)},
            {after: 4 * words * (2 if after == "state" else 1)},
        )


def depthwise(random: np.random.Generator, codelet: Codelet) -> Iterator[Case]:
    """Windows of 3 x 3, or of other sizes, beside each other and apart."""
    dtype = codelet.vectors[0].dtype
    make, each = halves if dtype == "float16" else values, lanes(dtype)
    kernels = ((3, 3),) if "_9_" in codelet.name else ((1, 2), (2, 1), (3, 4))
    for kernel, (rows, columns), along, apart in product(
        kernels, ((1, 1), (2, 5)), (1, 2), (1, 3)
    ):
        pitch = 40
        last = (rows - 1) * pitch + (columns - 1) * along
        last += (kernel[0] - 1) * pitch + (kernel[1] - 1) * apart
        taps = kernel[0] * kernel[1]
        yield Case(
            {"x": make(random, (last + 1) * each), "w": make(random, taps * each),
             "bias": make(random, each)},
            {"y": rows * columns * each},
            {"rows": rows, "columns": columns, "row_step": pitch, "column_step": along,
             "kernel_rows": kernel[0], "kernel_columns": kernel[1], "kernel_row_step": pitch,
             "kernel_column_step": apart},
        )  # fmt: skip


def cases(codelet: Codelet) -> list[Case]:
    """Return the vertices to test a codelet with."""
    random = np.random.default_rng(SEED)
    match codelet.source:
        case "matmul.c":
            return list(matmul(random, codelet.name == "matmul_nt"))
        case "streams.S":
            return list(streams(random, codelet))
        case "matrix.S":
            return list(matrix(random, codelet))
        case "matvec.S":
            return list(matvec(random))
        case "recurrent.S":
            return list(recurrent(random, codelet))
        case "depthwise.S":
            return list(depthwise(random, codelet))
        case "rows.S" | "normalise.c":
            return list(rows(random, codelet))
        case "reduce_streams.S":
            return list(reduce_streams(random, codelet))
        case "reduce.c":
            return list(reduction(random))
        case "softmax.c":
            return list(softmax(random))
        case "rearrange.c":
            return list(transpose(random, halves if "halves" in codelet.name else values))
        case "copy_words.c" | "copy_halves.c":
            kind = np.dtype(codelet.vectors[0].dtype)
            raw = [random.bytes(n * kind.itemsize) for n in (0, 1, 4, 9, 32)]
            data = [np.frombuffer(each, kind) for each in raw]
            return [Case({"source": d}, {"destination": d.size}) for d in data]
    if codelet.name == "fill":
        return list(fill(random))
    return list(binary(random) if "b" in {f.name for f in codelet.vectors} else unary(random))


ELSEWHERE = {"copy_nest.S", "gather.S", "gather.c", "greatest.S", "pooling.S", "pooling.c",
             "random.S", "random.c", "top_k.c"}  # fmt: skip
"""Sources whose codelets are tested in test_moves.py."""

# Those that programs are tested with; tests of the compiler may register others.
CODELETS = [
    codelet
    for codelet in all_codelets().values()
    if not source_of(codelet.source, codelet.name).startswith("tests")
    and codelet.source not in ELSEWHERE
]


def build(
    config: ChipConfig, chosen: dict[str, list[Case]], *, alone: bool = False
) -> Executable:
    """Return a program with a compute set for each codelet, if `alone` for each case."""
    graph = Graph()
    steps = []
    for name, listed in chosen.items():
        codelet = all_codelets()[name]
        compute_set = graph.compute_set(name)
        for number, case in enumerate(listed):
            if alone and number:
                steps.append(Execute(compute_set))
                compute_set = graph.compute_set(name)
            tile = number % config.tiles
            fields: dict[str, Any] = dict(case.scalars)
            for item in codelet.vectors:
                label = f"{name}.{number}.{item.name}"
                if item.name in case.inputs:
                    fields[item.name] = graph.constant(label, case.inputs[item.name])
                else:
                    fields[item.name] = graph.variable(label, case.outputs[item.name], item.dtype)
                fields[item.name].map(tile)
            compute_set.add(codelet, tile, **fields)
        steps.append(Execute(compute_set))
    return compile(graph, Sequence(*steps), config)


def equals_twin(backend: str, config: ChipConfig, chosen: dict[str, list[Case]]) -> None:
    """Check a backend against the twins, bit for bit, with a superstep for each codelet."""
    with Engine(build(config, chosen), backend, compare=True) as engine:
        engine.run()
    assert engine.scoreboard
    assert engine.scoreboard.words > 0
    assert engine.scoreboard.supersteps == len(chosen) + 1
    assert engine.scoreboard.mismatches == 0, f"seed {SEED}: {engine.scoreboard.first}"


@pytest.mark.parametrize("codelet", CODELETS, ids=lambda codelet: codelet.name)
def test_iss_equals_twin(codelet: Codelet) -> None:
    equals_twin("iss", ChipConfig(tiles=1), {codelet.name: cases(codelet)})


def test_rtl_equals_twin() -> None:
    config = ChipConfig(tile=TileConfig(banks=24))
    equals_twin("rtl", config, {codelet.name: cases(codelet) for codelet in CODELETS})


def estimated(codelet: Codelet, lengths: dict[str, int], case: Case) -> int:
    """Return the estimated issues of a vertex."""
    tables = {table.name: case.scalars[table.name] for table in codelet.tables}
    scalars = {scalar.name: case.scalars[scalar.name] for scalar in codelet.scalars}
    return codelet.issues(lengths, scalars, tables)


def durations(executable: Executable, trace: NDArray[np.void], team: bool) -> list[int]:
    """Return the cycles from each job's first instruction to its end, in order."""
    with executable.elf.open("rb") as file:
        source = SourceMap.from_elf(ELFFile(file))
    pcs = np.unique(trace["pc"])
    main = [int(pc) for pc in pcs if source.function(int(pc)) == "worker_main"]
    workers = trace[trace["thread"] != executable.config.tile.supervisor]
    starts = workers["cycle"][workers["pc"] == min(main)].astype(np.int64)
    ends = workers["cycle"][workers["pc"] == max(main)].astype(np.int64)
    if team:  # they meet, so what the last one to start takes counts
        count = executable.config.tile.slots
        starts, ends = starts.reshape(-1, count).max(axis=1), ends.reshape(-1, count).max(axis=1)
    found: list[int] = (ends - starts + executable.config.tile.slots).tolist()
    return found


def check_estimates(chosen: dict[str, list[Case]]) -> None:
    """Compare estimates with the RTL, which they are within 3 % or 20 cycles of."""
    executable = build(CONFIG, chosen, alone=True)
    team = any(all_codelets()[name].team for name in chosen)
    with Engine(executable, "rtl", compare=True) as engine:
        engine.run()
        assert isinstance(engine.machine, Session)
        measured = durations(executable, engine.machine.trace(), team)
    listed = [(name, case) for name, each in chosen.items() for case in each]
    assert len(measured) == len(listed) > len(chosen)
    for (name, case), cycles in zip(listed, measured, strict=True):
        lengths = {field: array.size for field, array in case.inputs.items()} | case.outputs
        issues = JOB_ISSUES + estimated(all_codelets()[name], lengths, case)
        estimate = CONFIG.tile.slots * issues
        assert abs(estimate - cycles) <= max(20, 0.03 * cycles), (name, lengths, estimate, cycles)


def ordinary(case: Case) -> Case:
    """Return a vertex of the same size, whose values are none that any function has a way for."""
    random = np.random.default_rng(SEED)
    inputs = {}
    for name, x in case.inputs.items():
        size = random.uniform(0.6, 16, x.size) * random.choice([-1, 1], x.size)
        inputs[name] = size.astype(x.dtype)
    return Case(inputs, case.outputs, case.scalars)


def sweep(codelet: Codelet) -> list[Case]:
    """Return vertices of many sizes; values are such that they take the dividers' whole time."""
    listed = cases(codelet)
    if codelet.source.endswith(".c"):  # compiled code often branches by the values
        return [ordinary(case) for case in listed if case.scalars.get("depth") != 0]
    chosen = [*listed[::4], listed[-1]]
    if codelet.source == "rows.S":
        return [c for c in chosen if all(np.isfinite(x).all() for x in c.inputs.values())]
    return chosen


@pytest.mark.parametrize("source", sorted({codelet.source for codelet in CODELETS}))
def test_estimates_on_rtl(source: str) -> None:
    check_estimates({c.name: sweep(c) for c in CODELETS if c.source == source})
