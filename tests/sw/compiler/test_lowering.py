import re
from typing import Any

import numpy as np
import pytest

from openipu.rtl.config import ChipConfig, TileConfig
from openipu.sw.codelets.copy_words import copy_words
from openipu.sw.compiler import lowering
from openipu.sw.compiler.steps import CallStep, HostSync, RepeatStep, Superstep, WhileStep, walk
from openipu.sw.graph import GraphError
from openipu.sw.program import Call, Copy, Function, If, Repeat, RepeatWhile, Sequence

lower: Any = lowering.lower  #: what kind each step is, the tests say


def chip(tiles=4, bus_bits=64):
    return ChipConfig(tiles=tiles, tile=TileConfig(bus_bits=bus_bits))


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


def test_overlapping_copy_goes_through_another_variable(graph, rows):
    lowered = lower(graph, Copy(rows[0, :9], rows[0, 1:]), chip())
    (between,) = lowered.persistent
    assert between.size == 9
    assert between.name == "rows.copy"
    first, second = lowered.steps[0].phases
    assert first[0].fields["y"].variable is between
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
