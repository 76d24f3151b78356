"""Barriers, exchange and what the host sees of the model."""

import pytest

from openipu.cosim.errors import CycleLimitError, SimulationError, TrapError
from openipu.cosim.golden.iss import ChipISS
from openipu.rtl.config import ChipConfig, TileConfig
from openipu.rtl.isa import Cause, encode
from openipu.rtl.layouts import ExchangeEntry

SEND, RECEIVE, DATA, RESULT = 0x100, 0x200, 0x2000, 0x2100
SYNC, HOST, END = encode("xsync", imm=0), encode("xsync", imm=2), encode("xend")
ARM = [encode("addi", rd=5, imm=SEND), encode("addi", rd=6, imm=RECEIVE),
       encode("xarm", rs1=5, rs2=6)]  # fmt: skip


def config(tiles=2, latency=4, bus_bits=64):
    tile = TileConfig(slots=4, banks=2, bank_bytes=8192, bus_bits=bus_bits)
    return ChipConfig(tiles=tiles, exchange_latency=latency, tile=tile)


def code(*words):
    return b"".join(word.to_bytes(4, "little") for word in words)


def entry(gap, count, address, stride=1, source=0):
    fields = {"gap": gap, "count": count, "address": address // 4, "stride": stride}
    bits = ExchangeEntry.const(fields | {"source": source}).as_value().value
    return bits.to_bytes(8, "little")


def chip(*words, **sizes):
    model = ChipISS(config(**sizes))
    model.broadcast(0, code(*words))
    model.boot()
    return model


def test_a_host_sync_rests_until_run_again():
    model = chip(encode("addi", rd=5, imm=1), HOST, encode("sw", rs2=5, imm=64), END)
    status = model.run()
    assert status.host_sync and status.zone == 2 and not status.all_halted
    assert model.read(1, 64, 4) == bytes(4)
    model.release()
    assert model.run().all_halted
    assert model.read(1, 64, 4) == code(1)
    with pytest.raises(SimulationError, match=r"^release must follow a rest at a barrier$"):
        model.release()


def test_step_rests_at_every_barrier():
    model = chip(SYNC, encode("xsync", imm=1), SYNC, END)
    statuses = [model.step() for _ in range(4)]
    assert [status.step_rest for status in statuses] == [True, True, True, False]
    assert [status.barriers for status in statuses] == [0, 1, 2, 3]
    assert [status.zone for status in statuses] == [0, 1, 0, 0]
    assert statuses[-1].all_halted


def test_halted_tiles_take_part_in_barriers():
    model = chip(SYNC, END, tiles=3)
    model.load(1, 0, code(END))
    assert model.run().all_halted


def test_different_zones_are_a_trap():
    model = chip(SYNC, END)
    model.load(1, 0, code(HOST, END))
    with pytest.raises(TrapError, match="different zones") as error:
        model.run()
    assert error.value.cause is Cause.ZONE_MISMATCH


def test_a_limit_tells_where_the_threads_are_and_run_goes_on():
    model = chip(encode("lw", rd=5, imm=64), encode("beq", rs1=5, imm=-4), END)
    with pytest.raises(CycleLimitError, match=r"(?s)1000 cycles:.*tile 1: computes; thread 4 at"):
        model.run(1000)
    for tile in range(2):
        model.load(tile, 64, code(1))
    assert model.run(1000).all_halted


def test_a_trap_stops_all_tiles():
    model = chip(SYNC, END)
    model.load(1, 0, code(encode("xtrap", imm=5)))
    with pytest.raises(TrapError) as error:
        model.run()
    trap = error.value
    assert (trap.tile, trap.thread, trap.pc, trap.cause, trap.code) == (1, 4, 0, Cause.EXPLICIT, 5)
    assert model.barriers == 0
    with pytest.raises(TrapError):
        model.run()


@pytest.mark.parametrize("latency", [3, 4, 9])
@pytest.mark.parametrize("bus_bits", [32, 64])
def test_tiles_exchange_what_their_tables_say(latency, bus_bits):
    model = chip(*ARM, SYNC, END, latency=latency, bus_bits=bus_bits, tiles=3)
    width = bus_bits // 8
    for tile in range(3):
        model.load(tile, DATA, bytes(range(tile * 64, tile * 64 + 64)))
    # Tile 0: words 0 1 2 at cycles 2 3 4, word 7 at cycle 10; all listen to some of that.
    model.load(0, SEND, entry(1, 3, DATA) + entry(5, 1, DATA + 7 * width))
    model.load(1, RECEIVE, entry(1 + latency, 3, RESULT, stride=2))
    model.load(2, RECEIVE, entry(2 + latency, 2, RESULT, -1) + entry(5, 1, RESULT + 64))
    assert model.run().all_halted

    def word(number):
        return bytes(range(number * width, number * width + width))

    gap = bytes(width)
    assert model.read(1, RESULT, 5 * width) == word(0) + gap + word(1) + gap + word(2)
    assert model.read(2, RESULT - width, 2 * width) == word(2) + word(1)
    assert model.read(2, RESULT + 64, width) == word(7)


def test_a_word_read_and_stored_in_the_same_cycle_is_the_old_one():
    model = chip(*ARM, SYNC, END, latency=4)
    for tile, fill in enumerate((b"a", b"b")):
        model.load(tile, DATA, fill * 64)
        model.load(tile, SEND, entry(0, 8, DATA))
        # Stores at 5.. what is read at 5.. as well.
        model.load(tile, RECEIVE, entry(4, 4, DATA + 32, source=1 - tile))
    assert model.run().all_halted
    assert model.read(0, DATA, 64) == b"a" * 32 + b"b" * 32


def test_an_exchange_is_over_once():
    model = chip(*ARM, SYNC, SYNC, END)
    model.load(0, SEND, entry(0, 1, DATA))
    model.load(1, RECEIVE, entry(4, 1, RESULT))
    model.load(0, DATA, b"12345678")
    model.step()
    model.step()
    assert model.read(1, RESULT, 8) == b"12345678"
    model.load(1, RESULT, bytes(8))
    model.run()
    assert model.read(1, RESULT, 8) == bytes(8)


@pytest.mark.parametrize(
    ("send", "receive", "tile", "cause", "cycle", "value"),
    [
        # Tile 0 sends, tile 1 listens, latency 4.
        (entry(0, 2, DATA), entry(4, 3, RESULT), 1, Cause.SILENT_BUS, 7, 0),
        (entry(0, 2, DATA), entry(5, 1, RESULT, source=1), 1, Cause.SILENT_BUS, 6, 1),
        (entry(0, 2, DATA), entry(5, 1, RESULT, source=77), 1, Cause.SILENT_BUS, 6, 77),
        (entry(0, 2, DATA), entry(1, 1, RESULT), 1, Cause.SILENT_BUS, 2, 0),  # impossibly early
        (entry(3, 2, 0x4000), b"", 0, Cause.EXCHANGE_OUTSIDE, 4, 0x4000),
        (entry(0, 3, 0, stride=-1), b"", 0, Cause.EXCHANGE_OUTSIDE, 2, (1 << 22) - 8),
        (entry(0, 2, DATA + 4), b"", 0, Cause.EXCHANGE_OUTSIDE, 1, DATA + 4),
        (entry(0, 4, 0x3FF0), b"", 0, Cause.EXCHANGE_OUTSIDE, 3, 0x4000),
        (entry(0, 4, DATA), entry(4, 4, 0x3FF0), 1, Cause.EXCHANGE_OUTSIDE, 7, 0x4000),
        (entry(0, 1, DATA) * 9, b"", 0, Cause.TABLE_LATE, 6, SEND + 4 * 8),
        (entry(0, 2, SEND) * 9, b"", 0, Cause.TABLE_CLASH, 4, SEND + 3 * 8),
    ],
)
def test_faults_of_the_exchange(send, receive, tile, cause, cycle, value):
    model = chip(*ARM, SYNC, END)
    model.load(0, SEND, send)
    model.load(1, RECEIVE, receive)
    with pytest.raises(TrapError) as error:
        model.run()
    trap = error.value
    assert (trap.thread, trap.tile, trap.cause, trap.value) == (None, tile, cause, value)
    assert trap.pc == cycle


def test_entries_two_cycles_apart_are_never_late():
    model = chip(*ARM, SYNC, END)
    model.load(0, SEND, (entry(1, 1, DATA) + entry(0, 2, DATA) + entry(2, 0, 0)) * 8)
    model.load(1, RECEIVE, entry(5, 1, RESULT) + (entry(0, 2, RESULT) + entry(3, 1, RESULT)) * 7)
    assert model.run().all_halted


def test_a_table_outside_the_memory():
    words = [encode("lui", rd=5, imm=0x4000), encode("xarm", rs1=5), SYNC, END]
    with pytest.raises(TrapError, match="exchange outside the memory, value 0x4000"):
        chip(*words).run()
