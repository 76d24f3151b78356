"""The runtime, by itself, on the instruction-level model; the compiler's tests use all of it."""

import struct
from itertools import pairwise

import pytest

from openipu.cosim.golden.iss import ChipISS
from openipu.rtl.config import ChipConfig, TileConfig
from openipu.sw.codelets.copy_words import copy_words
from openipu.sw.compiler.link import STACK_BYTES, link

AREA = 0x6000  #: nodes and data of these tests


class Tile:
    """A tile with the firmware and hand-made nodes."""

    def __init__(self, slots=6):
        self.config = TileConfig(slots=slots, banks=4, bank_bytes=8192)
        self.firmware = link([copy_words], self.config, compact=True)
        self.chip = ChipISS(ChipConfig(tiles=1, tile=self.config))
        for address, data in self.firmware.segments:
            self.chip.load(0, address, data)
        self.put(AREA - 8, 0, 0)

    def put(self, address, *words):
        """Write words; a str is the address of a symbol."""
        values = [self.firmware.symbols[w] if isinstance(w, str) else w for w in words]
        self.chip.load(0, address, struct.pack(f"<{len(values)}I", *values))

    def get(self, address, count=1):
        return struct.unpack(f"<{count}I", self.chip.read(0, address, 4 * count))

    def start(self, handler, node):
        self.put(self.firmware.end, handler, node)
        self.chip.boot(self.firmware.entry)
        return self.chip.run(100_000)


def test_host_and_halt():
    tile = Tile()
    tile.put(AREA, "op_halt", 0)
    status = tile.start("op_host", AREA)
    assert status.host_sync
    assert tile.chip.run(100).all_halted


def test_set_and_repeat():
    """A loop of five rounds around a host sync."""
    tile = Tile()
    loop, body, end = AREA + 0x20, AREA + 0x60, AREA + 0x80
    tile.put(AREA, "op_host", body, loop + 16, 5)
    tile.put(body, "op_repeat", loop)
    tile.put(loop, "op_host", body, "op_halt", end)
    rests = 0
    status = tile.start("op_set", AREA)
    while status.host_sync:
        rests += 1
        assert tile.get(loop + 16) == (6 - rests,)
        status = tile.chip.run(1000)
    assert status.all_halted
    assert rests == 5


@pytest.mark.parametrize("value", [0, 1, 0x8000_0000])
def test_if(value):
    tile = Tile()
    yes, no, word = AREA + 0x20, AREA + 0x30, AREA + 0x40
    tile.put(AREA, "op_halt", yes, "op_host", no, word)
    tile.put(word, value)
    assert tile.start("op_if", AREA).host_sync == (not value)


def test_calls_return_to_where_they_came_from():
    tile = Tile()
    function, last, second, end = (AREA + 0x20 * i for i in range(1, 5))
    tile.put(AREA, "op_host", function, "op_call", second, last)
    tile.put(second, "op_host", function, "op_halt", end, last)
    tile.put(function, "op_next", last)
    assert tile.start("op_call", AREA).host_sync
    assert tile.get(last, 2) == (tile.firmware.symbols["op_call"], second)
    assert tile.chip.run(1000).host_sync
    assert tile.chip.run(1000).all_halted


@pytest.mark.parametrize("handler", ["op_run", "op_sync", "op_exchange"])
@pytest.mark.parametrize("slots", [4, 5, 6, 7, 8])
def test_workers_take_their_jobs(handler, slots):
    """Worker k copies k+1 words, each from and to a place of its own."""
    for count in range(1, slots + 1):
        tile = Tile(slots)
        node = AREA + 0x40
        for worker in range(count):
            at = AREA + 0x100 + 0x80 * worker
            tile.put(node - 4 - 4 * worker, at + 4)
            tile.put(at, "copy_words", at + 32, worker + 1, at + 64, worker + 1)
            tile.put(at + 32, *range(100 * worker, 100 * worker + 8), *[7] * 8)
        tile.put(node, "op_host", node + 16, 0, 0)
        assert tile.start(f"{handler}_{count}", node).host_sync
        assert tile.chip.barriers == (handler != "op_run")
        for worker in range(count):
            copied = [100 * worker + i for i in range(worker + 1)]
            at = AREA + 0x100 + 0x80 * worker + 64
            assert tile.get(at, 8) == (*copied, *[7] * (7 - worker))


def test_a_list_may_be_long_and_stacks_are_apart():
    tile = Tile()
    node, at = AREA + 0x40, AREA + 0x100
    tile.put(node - 8, at + 400, at)
    vertex = at + 800
    for i, first in enumerate((at, at + 400)):
        tile.put(first - 4, "run_list", *[vertex] * (20 + i), 0)
    tile.put(vertex - 4, "copy_words", vertex + 16, 0, vertex + 16, 0)
    tile.put(node, "op_halt", 0)
    assert tile.start("op_run_2", node).all_halted
    stacks = [hart.x[2] for hart in tile.chip.tiles[0].harts[:6]]
    base = tile.firmware.stacks_address
    assert stacks == [base + STACK_BYTES * (i + 1) for i in range(6)]
    assert all(stack % 16 == 0 for stack in stacks)


def test_supervisor_is_short():
    """Instructions of the supervisor for an empty superstep: each costs it four cycles."""
    tile = Tile()
    nodes = [AREA + 8 * i for i in range(11)]
    for one, two in pairwise(nodes):
        tile.put(one, "op_sync_0" if two != nodes[-1] else "op_host", two)
    tile.put(nodes[-1], "op_halt", 0)
    tile.start("op_sync_0", nodes[0])
    longer = tile.chip.tiles[0].supervisor.retired
    tile.put(nodes[0], "op_host", nodes[1])
    tile.start("op_sync_0", nodes[0])
    assert longer - tile.chip.tiles[0].supervisor.retired == 9 * 4
