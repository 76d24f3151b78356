"""Nests: what is found, and that any pattern of moves gives NumPy's bytes."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from openipu.rtl.config import ChipConfig
from openipu.sw.codelets.copy_nest import copy_nest_halves, copy_nest_pairs, copy_nest_words
from openipu.sw.compiler import lowering
from openipu.sw.compiler.nests import Ints, Nest, find
from openipu.sw.graph import Graph
from openipu.sw.program import Copy, Program
from tests.sw.compiler.conftest import run_program, run_steps

lower: Any = lowering.lower  #: what kind each step is, the tests say


def moves(index: Ints) -> tuple[Ints, Ints, Ints]:
    """Return source, destination and count of the runs that gather elements in this order."""
    index = index.reshape(-1)
    firsts = np.flatnonzero(np.append(True, np.diff(index) != 1))
    return index[firsts], firsts, np.diff(np.append(firsts, index.size))


def nests(index: Ints, item_bytes: int = 4) -> list[Nest]:
    return find(*moves(index), item_bytes)


def apply(nest: Nest, source: NDArray[Any], destination: NDArray[Any]) -> None:
    """Copy as the codelet's twin does."""
    nest.codelet.reference(
        source=source[nest.source : nest.source + nest.source_count],
        destination=destination[nest.destination : nest.destination + nest.destination_count],
        **nest.scalars,
    )


GRID = np.arange(5 * 6 * 7 * 8).reshape(5, 6, 7, 8)


@pytest.mark.parametrize(
    ("index", "counts"),
    [
        (GRID[0, 0].T, [8, 7]),  # transposed
        (GRID[0].transpose(2, 1, 0), [8, 7, 6]),
        (GRID[:, 1:4, 1:5, 2:7], [5, 3, 4, 5]),  # runs of 5
        (GRID[0, :, ::2, 3], [6, 4]),
        (np.repeat(GRID[0, 0, :, 0], 3), [7, 3]),
        (GRID[0, 0, ::2, ::2], [4, 4]),
    ],
)
def test_regular_patterns_are_as_few_nests_as_loops_allow(index: Ints, counts: list[int]) -> None:
    found = nests(index)
    assert len(found) == np.prod(counts[:-3], dtype=int)
    for nest in found:
        assert sorted(count for count, _, _ in nest.loops) == sorted(counts[-3:])
    assert [nest.end for nest in found[:-1]] == [nest.first for nest in found[1:]]
    assert (found[0].first, found[-1].end) == (0, len(moves(index)[0]))


def test_two_moves_are_no_nest() -> None:
    assert nests(np.arange(10)) == []
    assert nests(np.array([4, 6])) == []
    assert len(nests(np.array([4, 6, 8]))) == 1


def test_runs_of_different_lengths_are_apart() -> None:
    index = np.concatenate([GRID[0, 0, :4, :3].reshape(-1), GRID[1, 1, :4, :5].reshape(-1)])
    loops = [sorted(count for count, _, _ in nest.loops) for nest in nests(index)]
    assert loops == [[3, 4], [4, 5]]


def test_a_lone_element_takes_none_from_the_next_row() -> None:
    index = np.concatenate([[300], GRID[0, 0].T.reshape(-1)])
    (nest,) = nests(index)
    assert (nest.first, nest.end) == (1, 57)


def test_steps_back_in_the_source_are_none() -> None:
    assert nests(np.arange(20)[::-1]) == []


@pytest.mark.parametrize(
    ("index", "codelet"),
    [
        (GRID[0, :, :4, 2:6], copy_nest_pairs),
        (GRID[0, :, :4, 1:5], copy_nest_halves),
        (GRID[0, :, :4, 2:5], copy_nest_halves),
    ],
)
def test_even_runs_of_halves_go_by_pairs(index: Ints, codelet: Any) -> None:
    (nest,) = nests(index, 2)
    assert nest.codelet is codelet
    assert nests(index)[0].codelet is copy_nest_words


def test_the_inner_loop_is_the_cheapest() -> None:
    """Rows of three that lie apart in the source are copied by columns."""
    (nest,) = nests(np.arange(3 * 100).reshape(3, 100).T)
    assert [count for count, _, _ in nest.loops] == [100, 3]


@st.composite
def patterns(draw: st.DrawFn) -> Ints:
    """Return which element of a source goes to each place: pieces of grids, and single ones."""
    pieces = []
    for _ in range(draw(st.integers(1, 4))):
        dimensions = draw(st.lists(st.integers(1, 5), min_size=1, max_size=4))
        steps = draw(
            st.lists(st.integers(-2, 12), min_size=len(dimensions), max_size=len(dimensions))
        )
        grid = np.zeros(dimensions, np.int64)
        for axis, (count, step) in enumerate(zip(dimensions, steps, strict=True)):
            shape = [1] * len(dimensions)
            shape[axis] = count
            grid = grid + (np.arange(count) * step).reshape(shape)
        lone = draw(st.lists(st.integers(0, 299), max_size=3))
        pieces += [np.array(lone, np.int64), grid.reshape(-1) + draw(st.integers(0, 60))]
    return np.concatenate(pieces) % 300


@given(patterns(), st.sampled_from(["uint32", "float16"]), st.integers(1, 7))
@settings(deadline=None, max_examples=60)
def test_nests_and_their_parts_copy_what_the_moves_do(index: Ints, dtype: str, parts: int) -> None:
    item = np.dtype(dtype).itemsize
    source = np.arange(1, 301).astype(dtype)
    first, to, count = moves(index)
    expected = np.zeros(index.size, dtype)
    split, whole = expected.copy(), expected.copy()
    end = 0
    for nest in find(first, to, count, item):
        assert nest.first >= end
        assert nest.end >= nest.first + 3
        end = nest.end
        edges = np.append(to, index.size)[[nest.first, nest.end]]
        expected[slice(*edges)] = source[index[slice(*edges)]]
        apply(nest, source, whole)
        written = np.zeros(index.size, np.int64)
        for part in nest.split(parts):
            once = np.zeros(index.size, dtype)
            apply(part, source, once)
            written += once != 0
            split[once != 0] = once[once != 0]
        assert written.max() == 1  # no two parts write the same
    np.testing.assert_array_equal(whole, expected)
    np.testing.assert_array_equal(split, expected)


@given(
    patterns(), st.sampled_from(["uint32", "float16"]), st.integers(0, 3), st.booleans(),
    st.randoms(use_true_random=False),
)  # fmt: skip
@settings(deadline=None, max_examples=40)
def test_copies_give_the_bytes_of_numpy(
    index: Ints, dtype: str, apart: int, remote: bool, random: Any
) -> None:
    """What isn't copied to stays, and elements beside it on the same tile."""
    graph = Graph()
    a = graph.variable("a", 300, dtype).map(0)
    b = graph.variable("b", index.size * (1 + apart) + 8, dtype).map(int(remote))
    values = {variable: np.arange(variable.size).astype(dtype) for variable in (a, b)}
    start = random.randrange(8)
    destination = b[start : start + index.size * (1 + apart) : 1 + apart]
    program: Program = Copy(a.flat[index], destination)
    lowered = lower(graph, program, ChipConfig(tiles=2))
    by_steps = {variable: array.copy() for variable, array in values.items()}
    for buffers in lowered.staging.values():
        by_steps.update({buffer: np.zeros(buffer.size, dtype) for buffer in buffers})
    run_steps(lowered.steps, by_steps)
    run_program(program, values)
    for variable, array in values.items():
        np.testing.assert_array_equal(by_steps[variable], array)


@pytest.mark.parametrize("dtype", ["uint32", "float16"])
@pytest.mark.parametrize("remote", [False, True])
def test_transposed_on_the_machine(graph, run, small, dtype, remote):
    a = graph.variable("a", (3, 11, 10), dtype).map(0)
    b = graph.variable("b", (11, 10, 4), dtype).map(int(remote))
    machine = run(graph, Copy(a.all.transpose(1, 2, 0), b[:, :, :3]), small(2))
    vertices = [v for step in machine.executable.steps for phase in step.phases for v in phase]
    assert {v.codelet for v in vertices} & {copy_nest_words, copy_nest_halves}
    assert len(vertices) < 20
