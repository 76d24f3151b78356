from itertools import pairwise

import numpy as np
import pytest

from openipu.rtl.config import ChipConfig, TileConfig
from openipu.sw.codelets.copy_words import copy_words
from openipu.sw.codelets.streams import BINARY
from openipu.sw.compiler import BankError, OutOfMemoryError, compile
from openipu.sw.compiler.link import COMPACT_ALIGNMENT, STACK_BYTES
from openipu.sw.graph import Graph
from openipu.sw.program import Copy, Execute, Sequence

ADD = BINARY["add", "float32"][0]


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
    assert used["vertices"] == 4 + 16
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


class TestApart:
    """Fields that instructions read at once: a and b of `add_f32`."""

    BANK = 8192

    def program(self, sizes, count):
        """Add the first `count` elements of a and b, which have such sizes; x lies between."""
        graph = Graph()
        a, x, b, y = (
            graph.variable(name, size).map(0)
            for name, size in zip("axby", sizes, strict=True)
        )
        compute_set = graph.compute_set("sum")
        compute_set.add(ADD, 0, a=a[:count], b=b[:count], y=y[:count])
        return graph, Execute(compute_set), (a, x, b, y)

    def banks(self, exe, variable, count):
        address = exe.place(variable, 0)[1]
        return set(range(address // self.BANK, (address + 4 * count - 1) // self.BANK + 1))

    def test_they_get_different_banks_and_others_the_gap(self, small):
        graph, program, (a, x, b, y) = self.program((100, 50, 300, 100), 100)
        exe = compile(graph, program, small(1, banks=5), strict=True)
        assert exe.conflicts == []
        assert not self.banks(exe, a, 100) & self.banks(exe, b, 100)
        assert exe.place(x, 0)[1] == exe.place(a, 0)[1] + 400
        assert exe.place(y, 0)[1] == exe.place(a, 0)[1] + 600, "in front of b"
        used = exe.memory_by_category(0)
        end = exe.place(b, 0)[1] + 1200
        assert sum(used.values()) == end, "the gap is reported too"

    def test_code_is_never_in_a_bank_with_variables(self, small):
        graph, program, variables = self.program((100, 1, 100, 100), 100)
        exe = compile(graph, program, small(1), strict=True)
        code = exe.memory_by_category(0)["code"]
        for variable in variables:
            assert min(self.banks(exe, variable, 1)) > code // self.BANK

    def test_where_there_is_no_room_it_is_told(self, small):
        graph, program, (a, _, b, _) = self.program((1500, 1, 300, 100), 100)
        config = small(1, banks=2)
        exe = compile(graph, program, config)
        line = (
            "tile 0, sum/add_f32[0]: b (400 bytes of b) and a (400 bytes of a) share one of the "
            "banks of 8,192 bytes"
        )
        assert exe.conflicts == [line]
        assert self.banks(exe, a, 100) & self.banks(exe, b, 100)
        with pytest.raises(BankError) as caught:
            compile(graph, program, config, strict=True)
        assert str(caught.value) == (
            f"there are no different banks for what is read at the same time:\n  {line}"
        )

    def test_parts_of_one_variable_stay_together(self, small):
        graph = Graph()
        a, y = (graph.variable(name, 100).map(0) for name in "ay")
        compute_set = graph.compute_set("sum")
        compute_set.add(ADD, 0, a=a[:10], b=a[10:20], y=y[:10])
        assert len(compile(graph, Execute(compute_set), small(1)).conflicts) == 1

    def test_temporaries_keep_apart_too(self, small):
        graph = Graph()
        a, b, y = (graph.variable(name, 10, temporary=True).map(0) for name in "aby")
        compute_set = graph.compute_set("sum")
        compute_set.add(ADD, 0, a=a, b=b, y=y)
        exe = compile(graph, Execute(compute_set), small(1, banks=5), strict=True)
        assert not self.banks(exe, a, 10) & self.banks(exe, b, 10)
