"""The model's contexts, CSRs, traps and threads; `test_instructions` has the instructions."""

import re

import numpy as np
import pytest

from openipu.cosim.golden.iss import TileISS, TrapReport
from openipu.cosim.golden.memory import Memory
from openipu.cosim.golden.semantics import SEMANTICS
from openipu.cosim.golden.trace import LOAD, STORE, TRACE_DTYPE
from openipu.rtl.config import TileConfig
from openipu.rtl.isa import (
    INSTRUCTIONS,
    MISA_VALUE,
    MSTATUS_CONSTANT,
    Cause,
    Csr,
    File,
    encode,
)

CONFIG = TileConfig(slots=4, banks=2, bank_bytes=8192)
BOSS = CONFIG.supervisor
END = encode("xend")


def li(rd, value):
    low = (value & 0xFFF ^ 0x800) - 0x800
    return [
        encode("lui", rd=rd, imm=(value - low) & 0xFFFF_F000),
        encode("addi", rd=rd, rs1=rd, imm=low),
    ]


def tile(*words, at=0, thread=0, tile_id=0, tracing=False):
    """Return a tile that has run the words."""
    model = TileISS(CONFIG, tile_id, tracing=tracing)
    put(model, at, *words)
    model.boot(at, thread)
    model.run(10_000)
    return model


def put(model, address, *words):
    model.memory.write(address, b"".join(word.to_bytes(4, "little") for word in words))


@pytest.mark.parametrize("row", INSTRUCTIONS, ids=lambda row: row.name)
def test_every_instruction_means_something(row):
    assert (row.unit, row.op) in SEMANTICS


def test_nothing_else_means_something():
    assert set(SEMANTICS) == {(row.unit, row.op) for row in INSTRUCTIONS}


def test_x0_stays_zero_and_writes_to_it_are_not_traced():
    model = tile(encode("addi", rd=0, imm=5), encode("add", rd=1), END, tracing=True)
    assert model.harts[0].x[0] == model.harts[0].x[1] == 0
    assert model.trace(0)[0]["rd_file"] == File.NONE.value


def test_trace_records():
    words = [
        encode("addi", rd=5, imm=-2), encode("sh", rs1=0, rs2=5, imm=256),
        encode("flw", rd=7, rs1=0, imm=256), END,
    ]  # fmt: skip
    trace = tile(*words, thread=2, tracing=True).trace(2)
    assert trace.dtype == TRACE_DTYPE
    x, f = File.X.value, File.F.value
    assert [tuple(int(v) for v in record) for record in trace] == [
        (2, 0, x, 5, 0xFFFF_FFFE, 0, 0, 0),
        (2, 4, 0, 0, 0, STORE, 256, 0xFFFE),
        (2, 8, f, 7, 0x0000_FFFE, LOAD, 256, 0),
        (2, 12, 0, 0, 0, 0, 0, 0),
    ]


def test_bit_31_of_addresses_is_ignored():
    words = [*li(5, 0x8000_0100), *li(6, 77), encode("sw", rs1=5, rs2=6),
             encode("lw", rd=7, imm=256), END]  # fmt: skip
    model = TileISS(CONFIG, tracing=True)
    put(model, 0, *words)
    model.boot(0x8000_0000, 0)
    model.run(100)
    assert model.halted and model.trap is None
    assert model.harts[0].x[7] == 77
    assert model.trace(0)["pc"].tolist() == [0x8000_0000 + 4 * i for i in range(len(words))]
    assert model.trace(0)[4]["address"] == 0x8000_0100


def test_a_store_changes_the_code():
    new = encode("addi", rd=9, imm=42)
    model = tile(*li(5, new), encode("sw", rs2=5, imm=16), encode("fence.i"), 0, END)
    assert model.trap is None
    assert model.harts[0].x[9] == 42


@pytest.mark.parametrize(
    ("words", "cause", "pc", "value"),
    [
        ([0], Cause.ILLEGAL, 0, 0),
        ([encode("addi", rd=1), 0xFFFF_FFFF], Cause.ILLEGAL, 4, 0xFFFF_FFFF),
        ([encode("ecall")], Cause.ECALL, 0, 0),
        ([encode("addi", rd=1), encode("ebreak")], Cause.BREAKPOINT, 4, 4),
        ([encode("lw", imm=2)], Cause.LOAD_MISALIGNED, 0, 2),
        ([encode("lh", imm=1)], Cause.LOAD_MISALIGNED, 0, 1),
        ([encode("fsw", imm=3)], Cause.STORE_MISALIGNED, 0, 3),
        ([encode("lbu", imm=-1)], Cause.LOAD_OUTSIDE, 0, 0xFFFF_FFFF),
        ([encode("lw", imm=-2)], Cause.LOAD_MISALIGNED, 0, 0xFFFF_FFFE),
        ([*li(5, 16384), encode("sb", rs1=5)], Cause.STORE_OUTSIDE, 8, 16384),
        ([encode("jal", imm=6)], Cause.FETCH_MISALIGNED, 0, 6),
        ([encode("beq", imm=-2)], Cause.FETCH_MISALIGNED, 0, 0xFFFF_FFFE),
        ([*li(5, 0x4000), encode("jalr", rd=1, rs1=5)], Cause.FETCH_OUTSIDE, 0x4000, 0x4000),
        ([encode("csrrs", rd=1, imm=0x7C0)], Cause.ILLEGAL, 0, encode("csrrs", rd=1, imm=0x7C0)),
        ([encode("fadd.s", rm=5)], Cause.ILLEGAL, 0, encode("fadd.s", rm=5)),
        ([encode("csrrwi", rs1=6, imm=Csr.FRM), encode("fcvt.s.w")], Cause.ILLEGAL, 4,
         encode("fcvt.s.w")),
        ([*li(5, 9), encode("xtrap", rs1=5, imm=3)], Cause.EXPLICIT | 3 << 8, 8, 9),
        ([encode("xwait")], Cause.ILLEGAL, 0, encode("xwait")),
        ([encode("xsync")], Cause.ILLEGAL, 0, encode("xsync")),
        ([encode("xarm")], Cause.ILLEGAL, 0, encode("xarm")),
        ([encode("xstart", imm=1)], Cause.ILLEGAL, 0, encode("xstart", imm=1)),
    ],
)  # fmt: skip
def test_traps_of_a_worker_stop_it_without_a_handler(words, cause, pc, value):
    model = tile(*words, END, thread=1, tile_id=7)
    assert model.trap == TrapReport(7, 1, cause, pc, value)
    assert model.harts[1].pc == pc


@pytest.mark.parametrize("word", [encode("xstart", imm=4), encode("xsync", imm=3)])
def test_traps_of_the_supervisor(word):
    assert tile(word, thread=BOSS).trap == TrapReport(0, BOSS, Cause.ILLEGAL, 0, word)


def test_a_trap_changes_nothing_else():
    model = tile(encode("jal", rd=1, imm=6))
    assert model.harts[0].x[1] == 0
    model = tile(encode("csrrw", rd=1, imm=Csr.MHARTID), tile_id=3)
    assert model.trap and model.harts[0].x[1] == 0


def test_a_handler_gets_the_trap_and_returns():
    handler = [
        encode("csrrs", rd=10, imm=Csr.MEPC), encode("csrrs", rd=11, imm=Csr.MCAUSE),
        encode("csrrs", rd=12, imm=Csr.MTVAL), encode("csrrs", rd=13, imm=Csr.MSTATUS),
        encode("addi", rd=14, rs1=10, imm=4), encode("csrrw", rs1=14, imm=Csr.MEPC),
        encode("mret"),
    ]  # fmt: skip
    model = TileISS(CONFIG)
    put(model, 0x100, *handler)
    put(
        model, 0, encode("addi", rd=5, imm=0x103), encode("csrrw", rs1=5, imm=Csr.MTVEC),
        encode("csrrs", rd=6, imm=Csr.MTVEC), encode("csrrsi", rs1=8, imm=Csr.MSTATUS),
        encode("lw", rd=9, imm=17), encode("csrrs", rd=7, imm=Csr.MSTATUS), END,
    )  # fmt: skip
    model.boot(0, 0)
    model.run(100)
    x = model.harts[0].x
    assert model.trap is None
    assert x[6] == 0x100  # direct mode: the low bits are gone
    assert x[10:13] == [16, Cause.LOAD_MISALIGNED, 17]
    assert x[13] == MSTATUS_CONSTANT | 1 << 7  # MIE went to MPIE
    assert x[7] == MSTATUS_CONSTANT | 1 << 7 | 1 << 3


def test_an_explicit_trap_passes_the_handler_by():
    model = tile(encode("addi", rd=5, imm=64), encode("csrrw", rs1=5, imm=Csr.MTVEC),
                 encode("xtrap", imm=1))  # fmt: skip
    assert model.trap == TrapReport(0, 0, Cause.EXPLICIT | 1 << 8, 8, 0)


@pytest.mark.parametrize(
    ("csr", "written", "read"),
    [
        (Csr.FFLAGS, 0xFFFF_FFFF, 31),
        (Csr.FRM, 0xFFFF_FFFF, 7),
        (Csr.FCSR, 0xFFFF_FFFF, 255),
        (Csr.MSTATUS, 0xFFFF_FFFF, MSTATUS_CONSTANT | 0x88),
        (Csr.MSTATUS, 0, MSTATUS_CONSTANT),
        (Csr.MISA, 0, MISA_VALUE),
        (Csr.MTVEC, 0xFFFF_FFFF, 0xFFFF_FFFC),
        (Csr.MSCRATCH, 0xDEAD_BEEF, 0xDEAD_BEEF),
        (Csr.MEPC, 0xFFFF_FFFF, 0xFFFF_FFFC),
        (Csr.MCAUSE, 0xFFFF_FFFF, 0xFFFF_FFFF),
        (Csr.MTVAL, 0x1234_5678, 0x1234_5678),
        (Csr.MINSTRET, 0xFFFF_FFFF, 3),
        (Csr.MINSTRETH, 0xFFFF_FFFF, 0),
        (Csr.MCYCLEH, 0xFFFF_FFFF, 0),
        *((csr, 0xFFFF_FFFF, 0) for csr in (Csr.MIE, Csr.MIP, Csr.MSTATUSH, Csr.MCOUNTINHIBIT)),
    ],
)
def test_csrs_after_a_write(csr, written, read):
    model = tile(*li(5, written), encode("csrrw", rs1=5, imm=csr),
                 encode("csrrs", rd=6, imm=csr), END)  # fmt: skip
    assert model.trap is None
    assert model.harts[0].x[6] == read


@pytest.mark.parametrize("csr", [csr for csr in Csr if csr >= 0xC00])
def test_read_only_csrs(csr):
    assert tile(encode("csrrs", rd=6, imm=csr), END).trap is None
    assert tile(encode("csrrci", rd=6, imm=csr), END).trap is None
    word = encode("csrrs", rs1=5, imm=csr)
    assert tile(word).trap == TrapReport(0, 0, Cause.ILLEGAL, 0, word)


@pytest.mark.parametrize("csr", [csr for csr in Csr if csr < 0xC00])
def test_the_other_csrs_may_be_written(csr):
    assert tile(encode("csrrw", imm=csr), END).trap is None


def test_mhartid_names_tile_and_context():
    model = tile(encode("csrrs", rd=6, imm=Csr.MHARTID), END, thread=BOSS, tile_id=9)
    assert model.harts[BOSS].x[6] == 9 * 16 + BOSS


def test_the_supervisor_starts_workers_and_waits():
    model = TileISS(CONFIG)
    worker = [encode("csrrs", rd=5, imm=Csr.MHARTID), encode("slli", rd=5, rs1=5, imm=2),
              encode("sw", rs1=5, rs2=10, imm=1024), END]  # fmt: skip
    put(model, 0x200, *worker)
    words = li(5, 0x200)
    for number in range(4):
        words.append(encode("addi", rd=6, imm=100 + number))
        words.append(encode("xstart", imm=number, rs1=5, rs2=6))
    # Again: this one is waited for.
    words += [encode("addi", rd=6, imm=7), encode("xstart", imm=2, rs1=5, rs2=6), encode("xwait")]
    words += [encode("lw", rd=7, imm=1024 + 8), END]
    put(model, 0, *words)
    model.boot(0, BOSS)
    model.run(1000)
    assert model.halted
    assert np.frombuffer(model.memory.read(1024, 16), np.uint32).tolist() == [100, 101, 7, 103]
    assert model.supervisor.x[7] == 7


def test_a_wait_that_never_ends_comes_to_the_limit():
    model = TileISS(CONFIG)
    put(model, 0, *li(5, 64), encode("xstart", rs1=5), encode("xwait"), END)
    put(model, 64, encode("jal"))
    model.boot(0, BOSS)
    assert model.run(50_000) == 50_000
    assert not model.halted


def test_a_thread_that_waits_for_a_store_gets_it():
    model = TileISS(CONFIG)
    put(model, 0, *li(5, 64), encode("xstart", rs1=5), encode("lw", rd=6, imm=512),
        encode("beq", rs1=6, imm=-4), END)  # fmt: skip
    put(model, 64, encode("addi", rd=7, imm=1), encode("sw", rs2=7, imm=512), END)
    model.boot(0, BOSS)
    model.run(100_000)
    assert model.halted


def test_boot_resets_csrs_but_not_registers():
    model = tile(encode("addi", rd=5, imm=3), encode("csrrw", rs1=5, imm=Csr.MSCRATCH), END)
    put(model, 0, encode("csrrs", rd=6, imm=Csr.MSCRATCH), END)
    model.boot(0, 0)
    model.run(10)
    assert (model.harts[0].x[5], model.harts[0].x[6]) == (3, 0)


@pytest.mark.parametrize(("address", "length"), [(-1, 4), (16380, 8), (0, 16385)])
def test_the_host_cannot_reach_outside_the_memory(address, length):
    memory = Memory(CONFIG)
    rule = r"^memory access must lie from 0 to 0x4000, not from -?0x\w+ to 0x\w+$"
    with pytest.raises(ValueError, match=rule):
        memory.read(address, length)
    with pytest.raises(ValueError, match=re.compile(rule)):
        memory.write(address, bytes(length))
