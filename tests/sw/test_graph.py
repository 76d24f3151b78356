import re

import numpy as np
import pytest

from openipu.sw.codelets.codelet import Codelet, Field, InOut, Input, Output, Scalar
from openipu.sw.codelets.streams import UNARY
from openipu.sw.graph import Graph, GraphError

SCALE = Codelet(
    "scale",
    (Field("x", Input), Field("y", Output), Scalar("n", "u32"), Scalar("f", "f32")),
    "scale.c",
    lambda x, y, n, f: None,
    lambda x, y, n, f: x,
)
ADD_INTO = Codelet(
    "add_into",
    (Field("x", Input), Field("y", InOut)),
    "add_into.c",
    lambda x, y: None,
    lambda x, y: 0,
)


def exactly(text):
    return f"^{re.escape(text)}$"


@pytest.fixture
def graph():
    return Graph()


@pytest.fixture
def rows(graph):
    """Two rows of four elements, each on its tile."""
    variable = graph.variable("rows", (2, 4))
    variable[0].map(0)
    variable[1].map(1)
    return variable


@pytest.mark.parametrize("shape", [(), (0,), (1,), 7, (3, 0, 2), (2, 3, 4)])
def test_variable_sizes(graph, shape):
    variable = graph.variable("v", shape, "int32")
    expected = np.zeros(shape)
    assert variable.shape == expected.shape == variable.all.shape
    assert variable.size == expected.size
    assert variable.map(3).mapping == ([(3, 0, variable.size)] if variable.size else [])


def test_views_index_as_numpy_does(graph):
    variable = graph.variable("v", (4, 5, 6))
    flat = np.arange(120).reshape(4, 5, 6)
    for view, expected in (
        (variable[1], flat[1]),
        (variable[1:3, ::-2, 4], flat[1:3, ::-2, 4]),
        (variable[..., None, 2], flat[..., None, 2]),
        (variable.all.transpose(2, 0, 1)[3], flat.transpose(2, 0, 1)[3]),
        (variable.all.transpose(), flat.T),
        (variable.reshape(10, 12)[7, 3:5], flat.reshape(10, 12)[7, 3:5]),
        (variable[0, 0, 0:1].broadcast_to(3), np.broadcast_to(flat[0, 0, 0:1], 3)),
        (variable[np.array([3, 1])], flat[[3, 1]]),
    ):
        np.testing.assert_array_equal(view.index, expected)


def test_intervals(graph):
    variable = graph.variable("v", (4, 5))
    assert variable.all.intervals == [(0, 20)]
    assert variable[1:3].interval == (5, 15)
    assert variable[:, 1:3].intervals == [(1, 3), (6, 8), (11, 13), (16, 18)]
    assert variable.flat[::-1][:3].intervals == [(19, 20), (18, 19), (17, 18)]
    assert variable[0, 0:1].broadcast_to(2).intervals == [(0, 1), (0, 1)]
    assert variable[2:2].intervals == []
    assert variable[2:2].interval == (0, 0)
    assert repr(variable[:, 1:3]) == "v[1:3, 6:8, 11:13, ...]"
    with pytest.raises(
        GraphError,
        match=exactly("v: the elements must be contiguous, not the 2 pieces of v[1:3, 6:8]"),
    ):
        variable[:2, 1:3].interval  # noqa: B018


def test_mapping(rows):
    assert rows.mapping == [(0, 0, 4), (1, 4, 8)]
    rows[:, 1:3].map(5)
    assert rows.mapping == [(0, 0, 1), (5, 1, 3), (0, 3, 4), (1, 4, 5), (5, 5, 7), (1, 7, 8)]


def test_constants_keep_a_copy(graph):
    value = np.arange(6, dtype=np.float32)
    variable = graph.constant("c", value)
    value[0] = 9
    assert variable.dtype == "float32"
    assert variable.initial.tolist() == [0, 1, 2, 3, 4, 5]
    assert graph.constant("d", [1, 2], "uint32").initial.dtype == np.uint32


def test_variable_errors(graph):
    graph.variable("v", 3)
    for error, text, call in (
        (ValueError, "variable name must be new and not empty, not 'v'",
         lambda: graph.variable("v", 3)),
        (ValueError, "variable name must be new and not empty, not ''",
         lambda: graph.variable("", 3)),
        (TypeError, "variable name must be a str, not 7", lambda: graph.variable(7, 3)),
        (ValueError, "variable w: sizes must be 0 or more, not (2, -1)",
         lambda: graph.variable("w", (2, -1))),
        (TypeError, "variable w: shape must be ints, not (2, 1.5)",
         lambda: graph.variable("w", (2, 1.5))),
        (ValueError,
         "variable w: dtype must be one of float32, float16, int32, uint32, not 'float64'",
         lambda: graph.constant("w", 0.5)),
        (TypeError, "tile must be an int, not 1.5", lambda: graph.variable("x", 1).map(1.5)),
        (ValueError, "tile must be 0 or more, not -1", lambda: graph.variable("y", 1).map(-1)),
    ):  # fmt: skip
        with pytest.raises(error, match=exactly(text)):
            call()


def test_vertex(graph, rows):
    compute_set = graph.compute_set("cs")
    vertex = compute_set.add(SCALE, 1, x=rows[1, 1:], y=rows[1, :1], n=3, f=0.5)
    assert vertex.fields["x"].interval == (5, 8)
    assert vertex.scalars == {"n": np.uint32(3), "f": np.float32(0.5)}
    assert type(vertex.scalars["f"]) is np.float32
    assert (vertex.name, vertex.tile, vertex.issues) == ("cs/scale[0]", 1, 3)
    assert compute_set.add(ADD_INTO, 1, x=rows[1, 1:1], y=rows[1, 2:]).issues == 1


def test_vertex_errors(graph, rows):
    compute_set = graph.compute_set("cs")
    whole = graph.variable("whole", 4, "int32").map(0)
    unmapped = graph.variable("unmapped", 4)
    good = {"x": rows[0], "y": rows[0], "n": 1, "f": 1}
    for error, text, tile, changes in (
        (GraphError, "cs/scale[0]: codelet scale has the fields x, y, n, f; given are x, y, "
         "n, f, z",
         0, {"z": 1}),
        (GraphError, "cs/scale[0]: field x must be float32, but whole is int32", 0, {"x": whole}),
        (TypeError, "cs/scale[0]: field x must be a Variable or View, not 3", 0, {"x": 3}),
        (TypeError, "cs/scale[0]: tile must be an int, not '0'", "0", {}),
        (GraphError, "cs/scale[0]: field y must lie on the vertex's tile 0, but element 4 of rows "
         "lies on tile 1", 0, {"y": rows.all}),
        (GraphError, "cs/scale[0]: field x must lie on the vertex's tile 0, but element 0 of "
         "unmapped is not mapped to any tile", 0, {"x": unmapped}),
        (GraphError, "cs/scale[0]: field x: rows: the elements must be contiguous, not the 2 "
         "pieces of rows[0:1, 2:3]", 0, {"x": rows[0, ::2]}),
        (TypeError, "scalar n must be a number, not 'many'", 0, {"n": "many"}),
        (ValueError, "scalar n must be a whole number from 0 to 4294967295, not -1", 0, {"n": -1}),
        (ValueError, "scalar n must be a whole number from 0 to 4294967295, not 0.5",
         0, {"n": 0.5}),
    ):  # fmt: skip
        with pytest.raises(error, match=exactly(text)):
            compute_set.add(SCALE, tile, **good | changes)
    assert not compute_set.vertices


def test_unmapped_elements_are_named(graph):
    graph.variable("v", 5)[1:4].map(2)
    with pytest.raises(
        GraphError,
        match=exactly(
            "variable v: every element must be mapped to a tile; 2 of 5 are not, the first is 0"
        ),
    ):
        graph.check()


def test_compute_sets_get_names_of_their_own(graph):
    assert [graph.compute_set("a").name for _ in range(3)] == ["a", "a.2", "a.3"]


def test_race(graph, rows):
    compute_set = graph.compute_set("cs")
    compute_set.add(SCALE, 0, x=rows[0, :2], y=rows[0, 2:3], n=0, f=0)
    compute_set.add(SCALE, 0, x=rows[0, 1:2], y=rows[0, 3:], n=0, f=0)
    graph.check()
    compute_set.add(ADD_INTO, 0, x=rows[0, 1:3], y=rows[0, 1:2], name="third")
    with pytest.raises(
        GraphError,
        match=exactly(
            "compute set cs: element 1 of rows is written by third (y) and read by cs/scale[1] (x) "
            "at the same time"
        ),
    ):
        graph.check()


def test_race_between_writes(graph, rows):
    compute_set = graph.compute_set("cs")
    for columns in (slice(0, 2), slice(1, 3)):
        compute_set.add(ADD_INTO, 0, x=rows[0, 3:], y=rows[0, columns])
    with pytest.raises(
        GraphError, match=r"element 1 of rows is written by .* and written by .* at the same time$"
    ):
        graph.check()


def test_a_vertex_may_write_what_it_reads(graph, rows):
    graph.compute_set("cs").add(ADD_INTO, 0, x=rows[0], y=rows[0])
    graph.check()


def test_races_are_found_in_random_sets():
    """The sweep must agree with looking at every element."""
    rng = np.random.default_rng(5)
    found = 0
    for number in range(300):
        graph = Graph()
        variable = graph.variable("v", 40).map(0)
        compute_set = graph.compute_set("cs")
        readers, writers = np.zeros((2, 40, 8), bool)
        for vertex in range(int(rng.integers(2, 6))):
            spans = []
            for mask in (readers, writers):
                first = int(rng.integers(40))
                end = min(40, first + int(rng.integers(0, 6)))
                mask[first:end, vertex] = True
                spans.append(variable[first:end])
            compute_set.add(SCALE, 0, x=spans[0], y=spans[1], n=0, f=0)
        others = readers | writers
        race = any(
            writers[element, one] and others[element, two]
            for element in range(40)
            for one in range(8)
            for two in range(8)
            if one != two
        )
        found += race
        try:
            graph.check()
            assert not race, number
        except GraphError:
            assert race, number
    assert 50 < found < 250


class TestStreams:
    """Streamed fields are whole words: those of relu_f16, four elements."""

    def check(self, x: slice, y: slice, split: int = 16) -> None:
        graph = Graph()
        variables = [graph.variable(name, 20, "float16") for name in "xy"]
        for variable in variables:
            variable[:split].map(0)
            variable[split:].map(1)
        compute_set = graph.compute_set("cs")
        relu = UNARY["relu", "float16"]
        compute_set.add(relu, 0, x=variables[0][x], y=variables[1][y])
        graph.check()

    @pytest.mark.parametrize("words", [slice(0, 8), slice(4, 12), slice(8, 16), slice(0, 0)])
    def test_whole_words(self, words: slice) -> None:
        self.check(words, words)

    def test_a_part_of_a_word_may_be_read_or_end_the_region(self) -> None:
        self.check(slice(0, 7), slice(8, 15), split=15)

    def test_start(self) -> None:
        message = (
            "cs/relu_f16[0]: the streamed field x must begin at a multiple of 8 bytes, not be "
            "x[2:6], whose region begins at element 0"
        )
        with pytest.raises(GraphError, match=exactly(message)):
            self.check(slice(2, 6), slice(0, 4))

    def test_end(self) -> None:
        message = (
            "cs/relu_f16[0]: the streamed field y must begin at a multiple of 8 bytes and end at "
            "one, or where its region ends, not be y[0:6], whose region begins at element 0"
        )
        with pytest.raises(GraphError, match=exactly(message)):
            self.check(slice(0, 6), slice(0, 6))
