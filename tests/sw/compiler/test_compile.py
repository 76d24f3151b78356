import numpy as np
import pytest

from openipu.sw.codelets.copy_words import copy_words
from openipu.sw.graph import Graph
from openipu.sw.program import Call, Copy, Execute, Function, If, Repeat, RepeatWhile, Sequence


def spread(variable, rng, tiles):
    """Map a variable to random tiles in random runs."""
    at = 0
    while at < variable.size:
        end = min(variable.size, at + int(rng.integers(1, 12)))
        variable.flat[at:end].map(int(rng.integers(tiles)))
        at = end
    return variable


def random_copy(rng, variables):
    """Return a copy between random elements: runs, strides, permutations, broadcasts."""
    source, destination = (variables[i].flat for i in rng.integers(len(variables), size=2))
    match rng.integers(5):
        case 0:
            size = int(rng.integers(1, min(source.size, destination.size) + 1))
            a = int(rng.integers(source.size - size + 1))
            b = int(rng.integers(destination.size - size + 1))
            return Copy(source[a : a + size], destination[b : b + size])
        case 1:
            size = min(source.size, destination.size) // 3
            return Copy(source[: 3 * size : 3], destination[1 : 2 * size + 1 : 2])
        case 2:
            size = int(rng.integers(1, min(source.size, destination.size) + 1))
            return Copy(
                source[rng.integers(source.size, size=size)],
                destination[rng.permutation(destination.size)[:size]],
            )
        case 3:
            element = int(rng.integers(source.size))
            return Copy(source[element : element + 1].broadcast_to(destination.size), destination)
        case _:
            size = min(source.size, destination.size)
            return Copy(source[:size][::-1], destination[:size])


def random_execute(rng, graph, variables):
    """Return a compute set of copies within tiles that don't collide."""
    compute_set = graph.compute_set("move")
    read, written = rng.permutation(len(variables))[:2]
    source, destination = variables[read], variables[written]
    for tile, first, end in destination.mapping:
        for other, start, stop in source.mapping:
            size = min(end - first, stop - start)
            if other == tile and rng.integers(3):
                compute_set.add(
                    copy_words,
                    tile,
                    source=source.flat[start : start + size],
                    destination=destination.flat[first : first + size],
                )
                break
    return Execute(compute_set)


def random_program(rng, graph, variables, flags, functions, depth):
    """Return a random program; each loop with a predicate takes the next flag."""
    steps = []
    for _ in range(int(rng.integers(1, 6))):
        kind = int(rng.integers(10)) if depth else int(rng.integers(6))
        below = (rng, graph, variables, flags, functions, depth - 1)
        match kind:
            case 0 | 1 | 2 | 3:
                steps.append(random_copy(rng, variables))
            case 4 | 5:
                steps.append(random_execute(rng, graph, variables))
            case 6:
                steps.append(Repeat(int(rng.integers(0, 4)), random_program(*below)))
            case 7:
                # The flag is a queue: the body shifts the next number in, until a zero comes.
                flag = flags.pop()
                shift = Copy(flag[1:], flag[:-1])
                steps.append(RepeatWhile(flag[0], Sequence(random_program(*below), shift)))
            case 8:
                chosen = flags[int(rng.integers(len(flags)))][int(rng.integers(5))]
                steps.append(If(chosen, random_program(*below), random_program(*below)))
            case _:
                if not functions or rng.integers(2):
                    functions.append(Function(f"f{len(functions)}", random_program(*below)))
                steps.append(Call(functions[int(rng.integers(len(functions)))]))
    return Sequence(*steps)


def random_graph(rng, tiles):
    graph = Graph()
    variables = [
        graph.constant(f"v{i}", rng.integers(1 << 32, size=size, dtype=np.uint32))
        for i, size in enumerate([1, 2, 37, 64, 65])
    ]
    for variable in variables:
        spread(variable, rng, tiles)
    flags = []
    for i in range(100):
        queue = np.zeros(5, np.int32)
        queue[: rng.integers(4)] = 1 << rng.integers(31)
        flags.append(spread(graph.constant(f"flag{i}", queue), rng, tiles))
    return graph, variables, flags


@pytest.mark.parametrize("bus_bits", [32, 64])
@pytest.mark.parametrize("tiles", [1, 2, 3, 4, 7, 16, 64])
def test_random_copies(tiles, bus_bits, run, small):
    seed = tiles * 100 + bus_bits
    rng = np.random.default_rng(seed)
    graph, variables, _ = random_graph(rng, tiles)
    program = Sequence(*(random_copy(rng, variables) for _ in range(25)))
    latency = int(rng.integers(3, 17))
    run(graph, program, small(tiles, exchange_latency=latency, bus_bits=bus_bits), seed=seed)


def run_random(seed, run, small):
    rng = np.random.default_rng(seed)
    tiles = int(rng.choice([1, 2, 3, 4, 5, 8]))
    graph, variables, flags = random_graph(rng, tiles)
    program = random_program(rng, graph, variables, flags, [], 3)
    config = small(
        tiles,
        exchange_latency=int(rng.integers(3, 17)),
        bus_bits=int(rng.choice([32, 64])),
        slots=int(rng.integers(4, 9)),
        banks=16,
    )
    print("seed", seed, config)
    run(graph, program, config, runs=2, seed=seed)


@pytest.mark.parametrize("seed", range(12))
def test_random_programs(seed, run, small):
    run_random(seed, run, small)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1000, 1200))
def test_many_random_programs(seed, run, small):
    run_random(seed, run, small)
