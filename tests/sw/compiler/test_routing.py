from typing import Any

from openipu.rtl.config import ChipConfig, TileConfig
from openipu.sw.codelets.copy_words import copy_halves
from openipu.sw.compiler import lowering
from openipu.sw.program import Copy, Sequence

lower: Any = lowering.lower  #: what kind each step is, the tests say


def chip(tiles=4, bus_bits=64):
    return ChipConfig(tiles=tiles, tile=TileConfig(bus_bits=bus_bits))


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
    assert sorted(vertex.fields["x"].interval for vertex in phase)[-1][1] == 1000


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


def test_elements_of_two_bytes(graph):
    """A bus word has four of them, and the workers copy by halves."""
    a = graph.variable("a", 40, "float16").map(0)
    b = graph.variable("b", 40, "float16").map(1)
    lowered = lower(graph, Copy(a[4:24], b[8:28]), chip())
    assert not lowered.staging
    step, end = lower(graph, Copy(a[3:5], b[2:4]), chip()).steps
    assert [(t.source.first, t.source.count) for t in step.transfers] == [(0, 5)]
    assert [vertex.codelet for vertex in end.phases[0]] == [copy_halves]
