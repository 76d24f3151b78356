import struct

import numpy as np
import pytest

from openipu.rtl.config import ChipConfig
from openipu.sw.codelets.codelet import Codelet, Derived, Field, Input, Output, Scalar
from openipu.sw.codelets.copy_words import copy_words
from openipu.sw.codelets.streams import level
from openipu.sw.compiler import compile
from openipu.sw.compiler.codegen import (
    CALL_ISSUES,
    LIST_ISSUES,
    Context,
    VertexBlock,
    assign,
    initial_bytes,
    work,
)
from openipu.sw.compiler.errors import CompileError
from openipu.sw.graph import Graph
from openipu.sw.program import Execute, Repeat

WORK = Codelet(
    "work",
    (Field("x", Input), Field("y", Output, "int32"), Scalar("cost"), Scalar("low", "i32"),
     Scalar("f", "f32")),
    "work.c",
    lambda **_: None,
    lambda x, y, cost, low, f: cost,
)  # fmt: skip


@pytest.fixture
def vertices():
    """A function that makes vertices of given costs on tile 0."""
    graph = Graph()
    x = graph.variable("x", 8).map(0)
    y = graph.variable("y", 8, "int32").map(0)
    compute_set = graph.compute_set("cs")

    def make(costs):
        return [
            compute_set.add(WORK, 0, x=x[2:5], y=y[:0], cost=cost, low=-2, f=1.5) for cost in costs
        ]

    return make


def test_vertex_struct(vertices):
    (vertex,) = vertices([7])
    context = Context(0, {"work": 0x120}, lambda variable, element: (0, 1000 + 4 * element), 8)
    expected = struct.pack("<IIIIIIif", 0x120, 1008, 3, 0, 0, 7, -2, 1.5)
    block = VertexBlock(vertex)
    assert block.encode(context) == expected
    assert block.size == len(expected)


def test_derived_word_out_of_range():
    far = Codelet(
        "far", (Field("y", Output), Derived("level", lambda y: level(1, y))), "work.c",
        lambda **_: None, lambda y: y,
    )  # fmt: skip
    graph = Graph()
    y = graph.variable("y", 40_000).map(0)
    block = VertexBlock(graph.compute_set("cs").add(far, 0, y=y))
    message = r"^cs\S* \(far\): a stream must step at most 32767 words, not 40000$"
    with pytest.raises(CompileError, match=message):
        block.encode(Context(0, {"far": 0}, lambda variable, element: (0, 0), 8))


@pytest.mark.parametrize("count", [0, 1, 5, 6, 7, 40])
def test_workers_get_equal_shares(vertices, count):
    costs = np.random.default_rng(count).integers(1, 1000, size=count).tolist()
    made = vertices(costs)
    lists = assign(made, 6)
    assert sorted(v.name for listed in lists for v in listed) == sorted(v.name for v in made)
    assert len(lists) == min(count, 6)
    loads = [work(listed) for listed in lists]
    assert loads == sorted(loads)
    if count:
        total = sum(costs) + CALL_ISSUES * count
        assert loads[-1] <= total / len(lists) + LIST_ISSUES + max(costs) + CALL_ISSUES
    if count == 40:
        assert loads[-1] < 1.05 * total / 6


def test_initial_bytes():
    graph = Graph()
    variable = graph.constant("c", np.arange(12, dtype=np.int32).reshape(3, 4).T)
    assert initial_bytes(variable, 2, 3) == np.array([8, 1, 5], np.int32).tobytes()
    assert initial_bytes(graph.variable("v", 3), 0, 3) is None


def test_what_is_the_same_is_there_once():
    """Two executions of one compute set share vertices and lists."""
    graph = Graph()
    v = graph.variable("v", 8, "uint32").map(0)
    compute_set = graph.compute_set("cs")
    compute_set.add(copy_words, 0, source=v[:4], destination=v[4:])
    step = Execute(compute_set)
    config = ChipConfig(tiles=1)
    once, twice = (
        compile(graph, program, config).memory_by_category(0)
        for program in (step, Repeat(3, step))
    )
    assert once["vertices"] == twice["vertices"]
    assert twice["program"] == once["program"] + 16 + 20


def test_vertices_can_be_found_by_address():
    graph = Graph()
    v = graph.variable("v", 8, "uint32").map(0)
    compute_set = graph.compute_set("cs")
    vertex = compute_set.add(copy_words, 0, source=v[:4], destination=v[4:])
    exe = compile(graph, Execute(compute_set), ChipConfig(tiles=2))
    ((address, found),) = exe.vertices[0].items()
    assert found is vertex
    assert exe.vertices[1] == {}
    ((start, image),) = exe.images[0]
    at = exe.place(v, 0)[1]
    assert image[address - start :][:16] == struct.pack("<4I", at, 4, at + 16, 4)
