"""The graph-level golden model: control flow, transfers, what a barrier reports."""

from pathlib import Path

import numpy as np
import pytest

from openipu.cosim.golden.graph import GraphGolden, source_of
from openipu.rtl.config import ChipConfig
from openipu.sw.codelets.elementwise import BINARY
from openipu.sw.compiler import Executable, compile
from openipu.sw.engine import Engine
from openipu.sw.graph import Graph
from openipu.sw.program import (
    Call,
    Copy,
    Execute,
    Function,
    If,
    Program,
    Repeat,
    RepeatWhile,
    Sequence,
)

ROOT = Path(__file__).resolve().parents[3]


class Counter:
    """A graph with `total` on two tiles, which `bump` adds `step` to, and flags."""

    def __init__(self) -> None:
        self.graph = graph = Graph()
        self.total = graph.constant("total", np.zeros(6, np.float32))
        self.sum = graph.variable("sum", (6,))
        self.step = graph.constant("step", np.arange(6, dtype=np.float32))
        for variable in (self.total, self.sum, self.step):
            variable[:4].map(0)
            variable[4:].map(1)
        add = graph.compute_set("add")
        for tile, part in ((0, slice(0, 4)), (1, slice(4, 6))):
            add.add(
                BINARY["add"], tile, name=f"add{tile}", a=self.total[part], b=self.step[part],
                y=self.sum[part],
            )  # fmt: skip
        self.bump: Program = Sequence(Execute(add), Copy(self.sum, self.total))
        self.on = graph.constant("on", np.ones(1, np.uint32)).map(1)
        self.off = graph.constant("off", np.zeros(1, np.uint32)).map(1)

    def compile(self, program: Program) -> Executable:
        return compile(self.graph, program, ChipConfig(tiles=2))


def bumps(program: Program, counter: Counter) -> float:
    """Return how often the program bumps, by the golden model; the ISS must agree."""
    executable = counter.compile(program)
    with Engine(executable, "iss", compare=True) as engine:
        engine.run()
        total = engine.read("total")
        assert engine.scoreboard and engine.scoreboard.mismatches == 0, engine.scoreboard
        # and once more, from what the first run left
        engine.run()
        assert engine.scoreboard.mismatches == 0, engine.scoreboard.first
        np.testing.assert_array_equal(engine.read("total"), 2 * total)
    golden = GraphGolden(executable)
    golden.run()
    np.testing.assert_array_equal(golden.read(counter.total), total)
    np.testing.assert_array_equal(total, total[1] * np.arange(6))
    return float(total[1])


def test_sequence() -> None:
    counter = Counter()
    assert bumps(Sequence(counter.bump, counter.bump), counter) == 2


@pytest.mark.parametrize("count", [0, 1, 2, 7])
def test_repeat(count: int) -> None:
    counter = Counter()
    assert bumps(Repeat(count, counter.bump), counter) == count


def test_nested_repeat_and_call() -> None:
    counter = Counter()
    call = Call(Function("f", Repeat(3, counter.bump)))
    assert bumps(Sequence(call, Repeat(2, Sequence(call, counter.bump)), call), counter) == 14


def test_if() -> None:
    counter = Counter()
    two = Sequence(counter.bump, counter.bump)
    program = Sequence(If(counter.on, two, counter.bump), If(counter.off, two, counter.bump))
    assert bumps(program, counter) == 3


def test_while() -> None:
    counter = Counter()
    go = counter.graph.constant("go", np.array([1, 1, 1, 0], np.uint32)).map(0)
    head = counter.graph.constant("head", np.ones(1, np.uint32)).map(0)
    start = Copy(counter.on, head)
    shift = Copy(go[1:], go[:3])
    refill = Copy(counter.graph.constant("full", np.array([1, 1, 1, 0], np.uint32)).map(1), go)
    loop = RepeatWhile(head, Sequence(counter.bump, shift, Copy(go[:1], head)))
    assert bumps(Sequence(refill, start, loop), counter) == 3


def test_barrier_reports_what_was_written() -> None:
    counter = Counter()
    golden = GraphGolden(counter.compile(Sequence(counter.bump, counter.bump)))
    names = []
    while not (barrier := golden.step()).host:
        for region in barrier.regions:
            names.append((region.tile, region.vertex, region.field))
            raw = golden.memory[region.tile, region.address :][: region.expected.nbytes]
            assert raw.tobytes() == region.expected.tobytes()
    assert (0, "add0", "y") in names
    assert (1, "add1", "y") in names


def test_mismatch_is_named() -> None:
    counter = Counter()
    executable = counter.compile(counter.bump)
    with Engine(executable, "iss", compare=True) as engine:
        engine.write("step", np.arange(6, dtype=np.float32))
        tile, address = executable.place(counter.step, 5)
        engine._backend.machine.load(tile, address, np.float32(7).tobytes())  # type: ignore[attr-defined]
        engine.run()
        board = engine.scoreboard
    assert board and board.first and board.mismatches >= 1
    text = str(board.first)
    assert "superstep 0, tile 1, vertex add1, field y[1]" in text
    assert "(5.0)" in text and "(7.0)" in text
    assert "firmware/codelets/elementwise.c:" in text


@pytest.mark.parametrize(
    ("source", "name"),
    [("elementwise.c", "relu"), ("matmul.c", "matmul_nn"), ("elementwise.c", "add")],
)
def test_source_of(source: str, name: str) -> None:
    place = source_of(source, name)
    line = (ROOT / place.split(":")[0]).read_text().splitlines()[int(place.split(":")[1]) - 1]
    assert name in line and ("void" in line or line[0].isupper())


def test_source_of_a_codelet_outside_of_the_package() -> None:
    outside = ROOT / "examples" / "codelet" / "squared_error.S"
    path, line = source_of(str(outside), "squared_error_f16").split(":")
    assert path == str(outside)
    assert outside.read_text().splitlines()[int(line) - 1].split()[:2] == [
        "codelet", "squared_error_f16"
    ]  # fmt: skip
