from typing import Any

import numpy as np
import pytest

from openipu.rtl.config import ChipConfig, TileConfig
from openipu.sw.codelets.copy_words import copy_words
from openipu.sw.compiler import compile
from openipu.sw.compiler.liveness import lifetimes
from openipu.sw.compiler.lowering import lower
from openipu.sw.graph import Graph
from openipu.sw.program import Call, Copy, Execute, Function, If, Repeat, Sequence

CONFIG = ChipConfig(tiles=2, tile=TileConfig(banks=4, bank_bytes=8192))


@pytest.fixture
def temporary(graph):
    """A function that makes temporary variables of 10 words on a tile."""

    def make(name, tile=0):
        return graph.variable(name, 10, "uint32", temporary=True).map(tile)

    return make


def lives(graph, program):
    found: dict[Any, Any] = lifetimes(lower(graph, program, CONFIG))
    return {variable.name.split(".")[0]: life for variable, life in found.items()}


@pytest.fixture
def move(graph):
    """A function that makes an Execute which copies between variables of tile 0."""

    def make(source, destination):
        compute_set = graph.compute_set("cs")
        compute_set.add(copy_words, 0, source=source, destination=destination)
        return Execute(compute_set)

    return make


def test_from_first_to_last_use(graph, temporary, move):
    a, b, c = (temporary(name) for name in "abc")
    x = graph.variable("x", 10, "uint32").map(0)
    program = Sequence(move(x, a), move(a, b), move(b, c), move(c, x))
    assert lives(graph, program) == {"a": (0, 2), "b": (2, 4), "c": (4, 6)}


def test_transfers(graph, temporary):
    a, b, x = temporary("a"), temporary("b", 1), graph.variable("x", 10, "uint32").map(0)
    assert lives(graph, Sequence(Copy(a, b), Copy(b, x))) == {"a": (1, 1), "b": (1, 3)}
    assert lives(graph, Copy(a, b)) == {"a": (1, 1), "b": (1, 2)}


def test_staging_lives_until_the_next_phases(graph):
    x = graph.variable("x", 10, "uint32").map(0)
    y = graph.variable("y", 10, "uint32").map(1)
    copy = Copy(x[1:], y[:9])
    found = lifetimes(lower(graph, Sequence(copy, Repeat(2, copy)), CONFIG))
    assert sorted(found.values()) == [(1, 2), (5, 6)]


def test_loops_keep_what_they_use(graph, temporary, move):
    a, b, c = (temporary(name) for name in "abc")
    inner = Repeat(2, Sequence(move(a, b), move(b, c)))
    program = Sequence(move(c, a), Repeat(2, Sequence(move(a, c), inner)), move(c, c))
    assert lives(graph, program) == {"a": (0, 8), "b": (2, 8), "c": (0, 8)}


def test_functions_keep_what_they_use_for_good(graph, temporary, move):
    a, b = temporary("a"), temporary("b")
    function = Function("f", move(a, a))
    program = Sequence(move(b, b), Call(function), move(b, b), Call(function))
    assert lives(graph, program) == {"a": (0, 8), "b": (0, 4)}


def test_both_branches_count(graph, temporary, move):
    a, b = temporary("a"), temporary("b")
    flag = graph.variable("flag", (), "int32").map(0)
    program = If(flag, move(a, a), move(b, b))
    assert lives(graph, program) == {"a": (2, 2), "b": (4, 4)}, "after the broadcast"


def test_a_chain_needs_two_places(graph, run):
    """Of twenty variables, each made from the one before, two are in use at once."""
    x = graph.constant("x", np.arange(100), "uint32").map(0)
    y = graph.variable("y", 100, "uint32").map(0)
    chain = [graph.variable(f"t{i}", 100, "uint32", temporary=True).map(0) for i in range(20)]
    compute_sets = []
    for source, destination in zip([x, *chain], [*chain, y], strict=True):
        compute_sets.append(graph.compute_set("cs"))
        compute_sets[-1].add(copy_words, 0, source=source, destination=destination)
    exe = run(graph, Sequence(*map(Execute, compute_sets)), CONFIG).executable
    assert exe.memory_by_category(0)["temporaries"] == 2 * 400


def test_what_nobody_uses_has_a_place(graph, temporary):
    unused = temporary("unused")
    assert compile(graph, Sequence(), CONFIG).regions(unused)[0].count == 10


def random_program(rng, kept, temporaries, valid, functions, depth):
    """Return a program that reads no temporary variable before writing all of it."""
    steps: list[Any] = []
    for _ in range(int(rng.integers(2, 7))):
        kind = int(rng.integers(10)) if depth else 0
        below = (rng, kept, temporaries, valid, functions, depth - 1)
        if kind < 6:
            sources = [*kept, *valid]
            source = sources[int(rng.integers(len(sources)))]
            if rng.integers(2):
                destination = temporaries[int(rng.integers(len(temporaries)))]
                valid.append(destination)
                shift = int(rng.integers(destination.size))
                steps.append(Copy(source[np.roll(np.arange(source.size), shift)], destination))
            else:
                destination = kept[int(rng.integers(len(kept)))]
                first = int(rng.integers(destination.size))
                size = int(rng.integers(destination.size - first + 1))
                steps.append(Copy(source[:size], destination[first : first + size]))
        elif kind < 8:
            steps.append(Repeat(int(rng.integers(1, 4)), random_program(*below)))
        else:
            if not functions or rng.integers(2):
                # It may be called where nothing is valid, and must not count on more.
                body = random_program(rng, kept, temporaries, [], functions, depth - 1)
                functions.append(Function(f"f{len(functions)}", body))
            called = functions[int(rng.integers(len(functions)))]
            steps.append(Call(called))
    return Sequence(*steps)


@pytest.mark.parametrize("seed", range(25))
def test_random(seed, run):
    rng = np.random.default_rng(seed)
    graph = Graph()
    tiles = int(rng.integers(1, 4))
    dtype = str(rng.choice(["uint32", "float16"]))

    def variable(name, temporary):
        made = graph.variable(name, 24, dtype, temporary=temporary)
        at = 0
        while at < made.size:
            end = at + int(rng.integers(1, 13))
            made[at:end].map(int(rng.integers(tiles)))
            at = end
        return made

    kept = [variable(f"kept{i}", False) for i in range(3)]
    temporaries = [variable(f"t{i}", True) for i in range(12)]
    program = random_program(rng, kept, temporaries, [], [], 3)
    config = ChipConfig(tiles=tiles, tile=TileConfig(bus_bits=int(rng.choice([32, 64]))))
    print("seed", seed, config)
    run(graph, program, config, runs=2, seed=seed)
