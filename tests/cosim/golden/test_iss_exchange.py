"""The model's exchange against the RTL's: random tables, right ones and wrong ones."""

import random

import pytest

from openipu.cosim.errors import TrapError
from openipu.cosim.golden.iss import ChipISS
from openipu.cosim.program import Assembler
from openipu.cosim.session import Session
from openipu.rtl.config import ChipConfig, TileConfig
from openipu.rtl.host import control
from openipu.rtl.isa import Cause
from openipu.rtl.layouts import EXCHANGE_THREAD, ExchangeEntry
from openipu.rtl.tile import host as tile_host

CONFIG = ChipConfig(tiles=3, tile=TileConfig(banks=4, bank_bytes=16384, trace=True))
MEMORY, BANK = CONFIG.tile.memory_bytes, CONFIG.tile.bank_bytes
SEND, RECEIVE = BANK, BANK + 0x400  # bank 1; data in bank 2, results in bank 3
DATA, RESULT = 2 * BANK, 3 * BANK


def entry(gap, count, address, stride=1, source=0):
    fields = {"gap": gap, "count": count, "address": address // 4, "stride": stride}
    bits = ExchangeEntry.const(fields | {"source": source}).as_value().value
    return bits.to_bytes(8, "little")


def program():
    code = Assembler(0)
    code.constant(5, SEND)
    code.constant(6, RECEIVE)
    code.emit("xarm", rs1=5, rs2=6)
    code.emit("xsync")
    code.emit("xend")
    return code.code


def sends(pick, *, wild):
    """Return a table, and the cycles in which it sends: (first, count)."""
    table, spans, cycle = b"", [], 0
    for _ in range(pick.randrange(12)):
        count = pick.randrange(0, 7)
        gap = pick.randrange(0 if count else 2, 6)
        if wild and pick.random() < 0.6:
            gap, count = pick.choice(((0, 1), (1, 1), (0, 2), (1, 0)))
        elif gap + count < 2:
            gap += 2
        base = pick.choice((DATA,) * 12 + (0, BANK, MEMORY - 16)) if wild else DATA
        stride = pick.choice((-1, 0, 1, 3))
        table += entry(gap, count, base + 8 * pick.randrange(32, 64), stride)
        if count:
            spans.append((cycle + gap + 1, count))
        cycle += gap + count
    return table, spans


def receives(pick, spans, *, wild):
    """Return a table that listens to some of the spans, (first, count, tile)."""
    table, last = b"", 0
    for first, count, source in sorted(spans):
        first += CONFIG.exchange_latency
        gap = first - last - 1
        if gap < 0 or gap + count < 2 or pick.random() < 0.3:
            continue
        if wild and pick.random() < 0.1:
            gap += 1
        address = RESULT + 8 * pick.randrange(32, 64)
        if wild and pick.random() < 0.05:
            address = MEMORY - 8
        table += entry(gap, count, address, pick.choice((-1, 1, 2)), source)
        last += gap + count
    return table


def tables(seed, *, wild):
    """Return each tile's memory content: (tile, address, bytes)."""
    pick = random.Random(seed)
    content, spans = [], []
    for tile in range(CONFIG.tiles):
        table, mine = sends(pick, wild=wild and pick.random() < 0.3)
        spans += [(*span, tile) for span in mine]
        content.append((tile, SEND, table.ljust(0x400, b"\0")))
        content.append((tile, DATA, pick.randbytes(2048)))
        content.append((tile, RESULT, bytes(2048)))
    for tile in range(CONFIG.tiles):
        table = receives(pick, spans, wild=wild and pick.random() < 0.3)
        content.append((tile, RECEIVE, table.ljust(0x400, b"\0")))
    return content


def run(machine, content):
    """Return what the tiles hold after, or None if there was a trap."""
    machine.broadcast(0, program().ljust(MEMORY, b"\0"))
    for piece in content:
        machine.load(*piece)
    machine.boot()
    try:
        machine.run(100_000)
    except TrapError:
        return None
    return [machine.read(tile, 0, MEMORY) for tile in range(CONFIG.tiles)]


@pytest.fixture(scope="module")
def session():
    with Session(CONFIG) as session:
        yield session


@pytest.mark.parametrize("seed", range(40))
def test_right_tables_leave_the_same_memory(session, seed):
    content = tables(seed, wild=False)
    model = ChipISS(CONFIG)
    expected = run(model, content)
    assert expected is not None, model.tiles
    assert run(session, content) == expected


def test_wrong_tables_trap_at_the_same_place(session):
    seen = set()
    for seed in range(100, 300):
        content = tables(seed, wild=True)
        model = ChipISS(CONFIG)
        expected = run(model, content)
        got = run(session, content)
        if expected is not None:
            assert got == expected, f"seed {seed}"
            continue
        assert got is None, f"seed {seed}: {[tile.trap for tile in model.tiles]}"
        for number, tile in enumerate(model.tiles):
            if tile.trap is not None:
                trap = tile.trap
                assert trap_registers(session, number) == (
                    EXCHANGE_THREAD, trap.cause, trap.pc, trap.value
                ), f"seed {seed}: {trap}"  # fmt: skip
                seen.add(trap.cause)
    assert seen == {
        Cause.SILENT_BUS, Cause.TABLE_CLASH, Cause.TABLE_LATE, Cause.EXCHANGE_OUTSIDE
    }  # fmt: skip


def trap_registers(session, tile):
    """Return thread, cause, pc and value that the tile latched."""
    base = control.TILE_REGISTERS + tile * control.TILE_REGISTERS_STEP
    trap, where = (
        int.from_bytes(session.read_axi(base + offset, 8), "little")
        for offset in (tile_host.TRAP, tile_host.TRAP_WHERE)
    )
    return trap >> 32 & 15, trap & 0xFFFF_FFFF, where & 0xFFFF_FFFF, where >> 32
