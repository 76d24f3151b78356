from itertools import pairwise

import numpy as np
import pytest

from openipu.rtl.config import ChipConfig, TileConfig
from openipu.sw.codelets.copy_words import copy_words
from openipu.sw.compiler import OutOfMemoryError, compile
from openipu.sw.compiler.link import COMPACT_ALIGNMENT, STACK_BYTES
from openipu.sw.graph import Graph
from openipu.sw.program import Copy, Execute, Sequence


def make(words, tiles=2):
    """A graph that sends `words` from tile 0 to tile 1 and copies them there."""
    graph = Graph()
    a = graph.constant("a", np.arange(words), "uint32").map(0)
    b = graph.variable("b", words, "uint32").map(tiles - 1)
    c = graph.variable("c", words, "uint32").map(tiles - 1)
    compute_set = graph.compute_set("cs")
    compute_set.add(copy_words, tiles - 1, source=b, destination=c)
    return graph, Sequence(Copy(a, b), Execute(compute_set))


def test_nothing_overlaps_and_banks_are_kept_apart(run, small):
    graph, program = make(100)
    exe = run(graph, program, small(2)).executable
    bank = exe.config.tile.bank_bytes
    for tile in range(2):
        items = exe.memory(tile)
        for one, two in pairwise(items):
            assert one.address + one.size <= two.address, (one, two)
        assert items[-1].address + items[-1].size <= exe.config.tile.memory_bytes
        banks = {}
        for item in items:
            if item.size and item.category != "alignment":
                apart = item.category in ("code", "variable", "temporaries")
                kind = item.category if apart else "data"
                banks.setdefault(kind, set()).add(item.address // bank)
                banks[kind].add((item.address + item.size - 1) // bank)
        assert not banks["code"] & banks["data"]
        assert not banks["variable"] & (banks["code"] | banks["data"])


def test_what_the_report_says_is_there(small):
    graph, program = make(100)
    exe = compile(graph, program, small(2))
    used = exe.memory_by_category(1)
    assert used["variable b"] == used["variable c"] == 400
    assert used["stacks"] == 6 * STACK_BYTES
    assert used["vertices"] == 16 + 8 + 4
    assert used["exchange tables"] == 16
    assert used["program"] == 8 + 16 + 8 + 4 + 8
    assert "variable b" not in exe.memory_by_category(0)
    variable = exe.variables["b"]
    ((tile, address, first, count),) = exe.regions(variable)
    assert (tile, first, count) == (1, 0, 100)
    assert exe.place(variable, 7) == (1, address + 28)


@pytest.mark.parametrize("slots", [4, 6, 8])
def test_smallest_memory(slots, run):
    """16 KiB in two banks: data moves in with the code."""
    graph, program = make(512)
    tile = TileConfig(banks=2, bank_bytes=8192, slots=slots)
    exe = run(graph, program, ChipConfig(tiles=2, tile=tile)).executable
    used = exe.memory_by_category(1)
    common = [item for item in exe.memory(1) if item.category == "stacks"]
    assert common[0].address < used["code"] + COMPACT_ALIGNMENT + 16
    assert sum(used.values()) - used["alignment"] - 4096 < 4096, "the rest fits in 4 KiB"


@pytest.mark.parametrize(
    ("banks", "bank_bytes"),
    [(2, 8192), (3, 8192), (5, 65536), (8, 2048), (9, 2048), (64, 2048), (64, 16384)],
)
def test_memory_sizes(banks, bank_bytes, run):
    graph, program = make(33)
    tile = TileConfig(banks=banks, bank_bytes=bank_bytes)
    run(graph, program, ChipConfig(tiles=2, tile=tile))


def test_staging_of_different_supersteps_shares_memory(small):
    graph = Graph()
    a = graph.variable("a", 101, "uint32").map(0)
    b = graph.variable("b", 101, "uint32").map(1)
    copies = [Copy(a[1:100], b[2:101]) for _ in range(5)]
    exe = compile(graph, Sequence(*copies), small(2))
    assert exe.memory_by_category(1)["temporaries"] == 400


def test_out_of_memory(small):
    graph, program = make(4096, tiles=3)
    for i in range(12):
        graph.variable(f"big{i}", 200 + i).map(2)
    with pytest.raises(OutOfMemoryError) as caught:
        compile(graph, program, small(3, banks=4))
    error = caught.value
    assert error.tile == 2
    assert error.available == 32768
    assert error.needed == 8192 + 2 * 16384 + sum((4 * (200 + i) + 7) // 8 * 8 for i in range(12))
    lines = str(error).splitlines()
    assert lines[0] == (
        f"tile 2 is out of memory: it needs {error.needed:,} bytes and has 32,768, "
        f"{error.needed - 32768:,} too few. What fills it, in bytes:"
    )
    assert lines[1:3] == ["     16,384  variable b", "     16,384  variable c"]
    assert lines[-1].endswith("  the rest")
    assert sum(int(line.split()[0].replace(",", "")) for line in lines[1:]) == error.needed
