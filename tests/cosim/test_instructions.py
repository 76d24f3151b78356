"""Each instruction with corner values: the RTL against the golden model."""

import numpy as np
import pytest

from openipu.cosim.errors import TrapError
from openipu.cosim.golden.iss import ChipISS
from openipu.cosim.instruction_program import A, instruction_program
from openipu.cosim.lockstep import compare, on_model, on_session
from openipu.cosim.program import Assembler
from openipu.cosim.session import Session
from openipu.rtl.config import ChipConfig, TileConfig
from openipu.rtl.isa import INSTRUCTIONS, Cause, Unit, decode
from openipu.rtl.layouts import ExchangeEntry

CONFIG = ChipConfig(tiles=1, tile=TileConfig(banks=4, bank_bytes=16384, trace=True))
TRIED = [row for row in INSTRUCTIONS if row.name != "xtrap"]


@pytest.mark.parametrize("row", INSTRUCTIONS, ids=lambda row: row.name)
def test_programs_execute_their_instruction(row):
    program = instruction_program(row, CONFIG, entries=12)
    trace, memory = on_model(program)
    words = np.frombuffer(memory, np.uint32)[(trace["pc"] & 0x7FFF_FFFF) // 4]
    executed = {decode(int(word)) for word in words}
    if row.name == "xtrap":
        assert row not in executed
    elif row.name in ("ecall", "ebreak"):
        assert decode(0x3020_0073) in executed  # it came back from its handler
    else:
        assert row in executed


@pytest.fixture(scope="module")
def session():
    with Session(CONFIG) as session:
        yield session


@pytest.mark.parametrize("row", TRIED, ids=lambda row: row.name)
def test_rtl_agrees_with_the_model(session, row):
    program = instruction_program(row, CONFIG, entries=300)
    assert compare(program, *on_session(session)(program)) > 1000 or row.unit is Unit.THREAD


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("row", TRIED, ids=lambda row: row.name)
def test_rtl_agrees_with_the_model_for_long(session, row, seed):
    program = instruction_program(row, CONFIG, entries=2400, seed=seed)
    compare(program, *on_session(session)(program))


@pytest.mark.parametrize("code", [0, 1, 31])
@pytest.mark.parametrize("value", [0, 0xFFFF_FFFF, 0x1234_5678])
@pytest.mark.parametrize("thread", [0, 3, CONFIG.tile.supervisor])
def test_xtrap_goes_to_the_host(session, code, value, thread):
    assembler = Assembler(0x40)
    assembler.handler()  # which isn't asked
    assembler.constant(A, value)
    assembler.emit("xtrap", rs1=A, imm=code)
    traps = []
    for machine in (session, ChipISS(CONFIG)):
        machine.load(0, 0x40, assembler.code)
        machine.boot(0x40, thread)
        with pytest.raises(TrapError) as error:
            machine.run(10_000)
        traps.append(vars(error.value))
    assert traps[0] == traps[1]
    assert traps[0] == {
        "tile": 0, "thread": thread, "pc": assembler.here - 4, "cause": Cause.EXPLICIT,
        "code": code, "value": value,
    }  # fmt: skip


def test_a_push_that_meets_the_exchange_in_its_bank_traps(session):
    """Only the RTL knows when: a worker pushes all the time while the tile receives words."""
    bank = CONFIG.tile.bank_bytes
    code, words = 0x100, 200
    worker = Assembler(code)
    worker.constant(A, 3 * bank)
    worker.constant(A + 1, 1 << 16 | 1000)
    worker.emit("xstream", imm=2, rs1=A, rs2=A + 1)
    worker.emit("xrpt", rs1=A, imm=1)  # until the stream is finished, at least
    worker.emit("xvor", rd=5, rs1=2, rs2=2)
    boss = Assembler(0)
    boss.constant(A, code)
    boss.emit("xstart", rs1=A)
    boss.constant(A, bank)
    boss.constant(A + 1, bank + 64)
    boss.emit("xarm", rs1=A, rs2=A + 1)
    boss.emit("xsync")
    boss.emit("xend")
    for gap, address, table in ((0, 2 * bank, bank), (4, 3 * bank + 8192, bank + 64)):
        fields = {"gap": gap, "count": words, "address": address // 4, "stride": 1}
        entry = int(ExchangeEntry.const(fields).as_value().value)
        session.load(0, table, entry.to_bytes(8, "little").ljust(64, b"\0"))
    session.load(0, 0, boss.code.ljust(code, b"\0") + worker.code)
    session.boot(0, CONFIG.tile.supervisor)
    with pytest.raises(TrapError) as error:
        session.run(10_000)
    assert error.value.cause == Cause.STREAM_CLASH
    assert 3 * bank <= error.value.value < 3 * bank + 8192
