import re
from typing import Any

import numpy as np
import pytest

from openipu.rtl.config import ChipConfig, TileConfig
from openipu.sw.codelets.copy_words import copy_words
from openipu.sw.compiler import lowering
from openipu.sw.compiler.steps import CallStep, HostSync, RepeatStep, Superstep, WhileStep, walk
from openipu.sw.graph import Graph, GraphError
from openipu.sw.program import Call, Copy, Execute, Function, If, Repeat, RepeatWhile, Sequence

lower: Any = lowering.lower  #: what kind each step is, the tests say


def chip(tiles=4, bus_bits=64):
    return ChipConfig(tiles=tiles, tile=TileConfig(bus_bits=bus_bits))


@pytest.fixture
def graph():
    return Graph()


@pytest.fixture
def rows(graph):
    variable = graph.variable("rows", (4, 10), "uint32")
    for tile in range(4):
        variable[tile].map(tile)
    return variable


@pytest.fixture
def execute(graph, rows):
    compute_set = graph.compute_set("cs")
    compute_set.add(copy_words, 0, source=rows[0, :5], destination=rows[0, 5:])
    return Execute(compute_set)


def kinds(steps):
    return [type(step) for step in steps]


def test_copies_join_the_superstep_before_them(graph, rows, execute):
    copies = [Copy(rows[0], rows[1]), Copy(rows[0], rows[2])]
    lowered = lower(graph, Sequence(execute, *copies), chip())
    step, end = lowered.steps
    assert (step.name, len(step.phases)) == ("cs", 1)
    assert isinstance(end, HostSync) and end.phases == ()
    (transfer,) = step.transfers  # a multicast
    assert [piece.tile for piece in transfer.destinations] == [1, 2]


@pytest.mark.parametrize(
    ("first", "second"),
    [((0, 1), (1, 2)), ((0, 1), (2, 1)), ((1, 2), (0, 1))],
    ids=["read after write", "write after write", "write after read"],
)
def test_copies_that_depend_on_each_other_are_apart(graph, rows, first, second):
    copies = [Copy(rows[a], rows[b]) for a, b in (first, second)]
    assert kinds(lower(graph, Sequence(*copies), chip()).steps) == [Superstep] * 2 + [HostSync]


def test_a_copy_within_a_tile_takes_no_barrier(graph, rows):
    lowered = lower(graph, Copy(rows[0, :5], rows[0, 5:]), chip())
    (end,) = lowered.steps
    (phase,) = end.phases
    assert [vertex.codelet for vertex in phase] == [copy_words]


def test_a_tile_hears_itself_where_there_is_a_barrier_anyway(graph, rows, execute):
    for program in (
        Sequence(execute, Copy(rows[1, :4], rows[1, 4:8])),
        Sequence(Copy(rows[2], rows[3]), Copy(rows[1, :4], rows[1, 4:8])),
    ):
        step, end = lower(graph, program, chip()).steps
        assert end.phases == ()
        assert step.transfers[-1].source.tile == step.transfers[-1].destinations[0].tile == 1


def test_long_copies_within_a_tile_are_shared_by_the_workers(graph):
    a, b = (graph.variable(name, 1000, "uint32").map(0) for name in "ab")
    (phase,) = lower(graph, Copy(a, b), chip()).steps[0].phases
    assert len(phase) == 6
    assert sorted(vertex.fields["source"].interval for vertex in phase)[-1][1] == 1000


def test_aligned_pieces_go_directly(graph, rows):
    lowered = lower(graph, Copy(rows[0, 2:8], rows[1, 4:10]), chip())
    assert not lowered.staging
    assert lowered.steps[-1].phases == ()


def test_unaligned_pieces_are_staged_and_cost_no_barrier(graph, rows):
    lowered = lower(graph, Copy(rows[0, 1:8], rows[1, 2:9]), chip())
    step, end = lowered.steps
    ((buffer,),) = lowered.staging.values()
    (transfer,) = step.transfers
    assert (transfer.source.first, transfer.source.count) == (0, 8)
    assert transfer.destinations[0].variable is buffer
    ((vertex,),) = end.phases
    assert vertex.fields["source"].interval == (1, 8)
    assert vertex.fields["destination"].interval == (12, 19)


def test_nothing_is_staged_on_a_narrow_bus(graph, rows):
    copy = Copy(rows[0, 1:8], rows[1, 2:9])
    assert not lower(graph, copy, chip(bus_bits=32)).staging


def test_only_the_ends_of_a_long_piece_are_staged(graph):
    a = graph.variable("a", 100, "uint32").map(0)
    b = graph.variable("b", 100, "uint32").map(1)
    step, end = lower(graph, Copy(a[1:99], b[1:99]), chip()).steps
    assert sorted(t.source.count for t in step.transfers) == [1, 2, 96]
    assert [vertex.fields["source"].size for vertex in end.phases[0]] == [1, 1]


def test_neighbours_are_staged_together(graph):
    """A transposed copy sends each source row once."""
    a = graph.variable("a", (2, 16), "uint32").map(0)
    b = graph.variable("b", (16, 2), "uint32").map(1)
    step, _ = lower(graph, Copy(a.all.transpose(), b), chip()).steps
    assert len(step.transfers) == 1


def test_an_odd_end_may_use_the_padding(graph):
    a = graph.variable("a", 7, "uint32").map(0)
    b = graph.variable("b", 5, "uint32").map(1)
    lowered = lower(graph, Copy(a[2:7], b), chip())
    assert not lowered.staging
    (transfer,) = lowered.steps[0].transfers
    assert transfer.source.count == 5


def test_overlapping_copy_goes_through_another_variable(graph, rows):
    lowered = lower(graph, Copy(rows[0, :9], rows[0, 1:]), chip())
    (between,) = lowered.persistent
    assert between.size == 9
    assert between.name == "rows.copy"
    first, second = lowered.steps[0].phases
    assert first[0].fields["destination"].variable is between
    assert second[0].fields["source"].variable is between


def test_predicates_come_to_every_tile(graph, rows, execute):
    flag = graph.variable("flag", 3, "int32").map(2)
    lowered = lower(graph, RepeatWhile(flag[1], Sequence(execute)), chip())
    before, loop, _ = lowered.steps
    assert isinstance(loop, WhileStep)
    assert loop.predicate.variable.tiles[loop.predicate.index].tolist() == [0, 1, 2, 3]
    last: Any = loop.body[-1]
    for step in (before, last):
        (transfer,) = step.transfers
        assert sorted(piece.tile for piece in transfer.destinations) == [0, 1, 2, 3]
    assert len(loop.body) == 1, "the broadcast goes with the body's last superstep"


def test_predicates_of_one_tile_stay(graph):
    flag = graph.variable("flag", (), "int32").map(0)
    loop, _ = lower(graph, RepeatWhile(flag, Sequence()), chip(1)).steps
    assert loop.predicate.variable is flag


def test_repeat_counts(graph, execute):
    for count, expected in ((0, []), (1, [Superstep]), (2, [RepeatStep])):
        lowered = lower(graph, Repeat(count, execute), chip())
        assert kinds(lowered.steps) == [*expected, HostSync]


def test_functions_are_lowered_once(graph, execute):
    function = Function("f", execute)
    lowered = lower(graph, Sequence(Call(function), Call(function)), chip())
    one, two, _ = lowered.steps
    assert isinstance(one, CallStep) and one.function is two.function
    assert [type(step) for step in walk(lowered.steps)].count(Superstep) == 1


def test_what_is_pending_is_done_before_control_flow(graph, rows, execute):
    flag = graph.variable("flag", (), "int32").map(0)
    local = Copy(rows[0, :5], rows[0, 5:])
    for control in (
        Repeat(2, execute),
        Call(Function("f", execute)),
        If(flag, execute),
    ):
        steps = lower(graph, Sequence(local, control), chip()).steps
        assert [len(step.phases) for step in steps[:-2]].count(1) == 1
    body = lower(graph, Repeat(2, local), chip()).steps[0].body
    assert [len(step.phases) for step in body] == [1]


def test_tiles_must_exist(graph):
    graph.variable("v", 3).map(4)
    message = "variable v is mapped to tile 4, but the chip has 4 tiles, 0 to 3"
    with pytest.raises(GraphError, match=f"^{re.escape(message)}$"):
        lower(graph, Sequence(), chip())


def test_the_graph_is_checked(graph):
    graph.variable("v", 3)
    with pytest.raises(GraphError, match=r"^variable v: every element must be mapped"):
        lower(graph, Sequence(), chip())


def test_foreign_nodes(graph):
    with pytest.raises(TypeError, match=r"^a program must be made of the nodes there are, not 3$"):
        lower(graph, 3, chip())


def test_empty_copies_are_nothing(graph, rows):
    lowered = lower(graph, Copy(rows[0, :0], rows[1, :0]), chip())
    assert kinds(lowered.steps) == [HostSync]
    assert np.all(rows.tiles >= 0)
