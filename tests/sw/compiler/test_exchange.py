import numpy as np
import pytest

from openipu.rtl.config import ChipConfig, TileConfig
from openipu.rtl.layouts import ExchangeEntry
from openipu.sw.compiler.exchange import LIMIT, Entry, encode, schedule, table_bytes
from openipu.sw.compiler.steps import Piece, Transfer
from openipu.sw.graph import Variable

VARIABLE = Variable("v", (1 << 16,), "float32")


def transfer(source, destinations, elements, first=0):
    return Transfer(
        Piece(VARIABLE, first, elements, source),
        tuple(Piece(VARIABLE, 1000 * first + tile, elements, tile) for tile in destinations),
    )


def expand(table):
    """Return (cycle, piece, word of it, source) of each bus word, checking the table's rules."""
    result, cycle = [], 0
    for number, entry in enumerate(table):
        assert 0 <= entry.gap <= LIMIT and 0 <= entry.count <= LIMIT
        if number + 1 < len(table):
            assert entry.gap + entry.count >= 2, "the next entry can't be fetched in time"
        cycle += entry.gap
        for word in range(entry.count):
            cycle += 1
            result.append((cycle, entry.piece, entry.skip + word, entry.source))
    return result


def verify(transfers, config):
    """Check a schedule word by word; return it."""
    made = schedule(transfers, config)
    sent = {}  # (cycle, tile): piece, word
    for tile, table in made.send.items():
        for cycle, piece, word, _ in expand(table):
            assert (cycle, tile) not in sent
            sent[cycle, tile] = piece, word
    arrived = []
    for tile, table in made.receive.items():
        cycles = set()
        for cycle, piece, word, source in expand(table):
            assert piece.tile == tile
            assert cycle not in cycles
            cycles.add(cycle)
            from_, from_word = sent[cycle - config.exchange_latency, source]
            assert from_word == word
            arrived.append((from_, piece, word))
            assert cycle < made.cycles
    bus = config.tile.bus_bytes
    expected = [
        (t.source, piece, word)
        for t in transfers
        for piece in t.destinations
        for word in range(-(-4 * t.source.count // bus))
    ]


    def order(one):
        return one[1].first, one[1].tile, one[2]

    assert sorted(arrived, key=order) == sorted(expected, key=order)
    assert made.cycles >= made.bound
    return made


def chip(tiles, **options):
    return ChipConfig(tiles=tiles, tile=TileConfig(bus_bits=options.pop("bus_bits", 64)), **options)


def test_nothing():
    made = schedule([], chip(4))
    assert (made.send, made.receive, made.cycles, made.bound) == ({}, {}, 0, 0)


@pytest.mark.parametrize("elements", [1, 2, 3, 4, 5, 2 * LIMIT - 1, 2 * LIMIT, 2 * LIMIT + 1,
                                      2 * LIMIT + 2, 2 * LIMIT + 3, 20000])  # fmt: skip
def test_lengths(elements):
    made = verify([transfer(0, [1], elements)], chip(2, exchange_latency=5))
    assert made.cycles == made.bound == max(2, -(-elements // 2)) + 1 + 5


def test_long_waits_are_cut():
    """A tile that hears something late waits for longer than one entry can say."""
    for extra in range(-3, 4):
        transfers = [transfer(0, [1], 2 * (LIMIT + extra), 2), transfer(0, [1, 2], 2, 1)]
        verify(transfers, chip(3))
        verify([transfer(0, [1], 5 * LIMIT, 2), *transfers], chip(3, bus_bits=32))


def test_broadcast_takes_as_long_as_one_receiver():
    assert verify([transfer(3, range(16), 100)], chip(16)).cycles == 50 + 1 + 4


def test_two_words_to_one_tile_come_one_after_another():
    made = verify([transfer(1, [0], 20, 1), transfer(2, [0], 20, 2)], chip(3))
    assert made.cycles == 20 + 1 + 4


def test_disjoint_transfers_happen_at_once():
    made = verify([transfer(t, [t ^ 1], 20) for t in range(8)], chip(8))
    assert made.cycles == 10 + 1 + 4


@pytest.mark.parametrize("seed", range(30))
def test_random(seed):
    rng = np.random.default_rng(seed)
    tiles = int(rng.choice([2, 3, 8, 20]))
    transfers = []
    for i in range(int(rng.integers(1, 120))):
        listeners = rng.permutation(tiles)[: int(rng.choice([1, 1, 1, 2, tiles]))]
        size = int(rng.choice([1, 2, 3, 8, 30, 61]))
        transfers.append(transfer(int(rng.integers(tiles)), listeners.tolist(), size, i))
    latency = int(rng.integers(3, 17))
    config = chip(tiles, bus_bits=int(rng.choice([32, 64])), exchange_latency=latency)
    verify(transfers, config)


def test_close_to_the_bound():
    """Unicast traffic without structure."""
    rng = np.random.default_rng(1)
    worst = 0.0
    for _ in range(10):
        transfers = [
            transfer(int(a), [int(b)], int(size), i)
            for i, (a, b, size) in enumerate(
                zip(*rng.integers(32, size=(2, 600)), rng.integers(1, 65, size=600), strict=True)
            )
        ]
        made = verify(transfers, chip(32))
        worst = max(worst, made.cycles / made.bound)
    assert worst < 1.1


def test_encoding():
    piece = Piece(VARIABLE, 0, 8, 3)
    word = encode(Entry(5, 4, piece, 0, source=7), 0x1238, receiving=True)
    fields = ExchangeEntry.from_bits(word)
    assert (fields.gap, fields.count, fields.address, fields.stride, fields.source) == (
        5, 4, 0x1238 // 4, 1, 7,
    )  # fmt: skip
    assert ExchangeEntry.from_bits(encode(Entry(5, 4, piece, 0, 7), 8, receiving=False)).source == 0
    assert encode(Entry(9, 0), 0, receiving=True) == 9
    assert table_bytes((Entry(9, 0),)) == 16
