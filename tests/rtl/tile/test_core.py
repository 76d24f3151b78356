"""Which instruction issues when, and what the counters say of it."""

from itertools import pairwise

import pytest

from openipu.rtl.config import ChipConfig, TileConfig
from openipu.rtl.isa import XTRAP_CODE_SHIFT, Cause, Csr, encode
from tests.rtl.tile.tile_bench import run_tile

DATA = 0x2000  # in another bank than the code
END = encode("xend")


def config_of(slots=6):
    return ChipConfig(
        tiles=1,
        tile=TileConfig(
            slots=slots, banks=8, bank_bytes=4 * 1024, simd=False, amp_outputs=0, trace=True
        ),
    )


def image_of(*parts):
    """Return an image from (address, words)."""
    end = max(address + 4 * len(words) for address, words in parts)
    image = bytearray(end)
    for address, words in parts:
        for index, word in enumerate(words):
            image[address + 4 * index : address + 4 * index + 4] = word.to_bytes(4, "little")
    return bytes(image)


def issues_of(run, thread):
    return [
        at for at, r in zip(run.retired_in, run.records, strict=True) if r[0] == thread
    ]


@pytest.mark.parametrize("slots", [4, 5, 6, 7, 8])
def test_supervisor_alone_issues_every_four_cycles(slots):
    config = config_of(slots)
    code = [encode("addi", rd=1, rs1=1, imm=1)] * 20 + [END]
    run = run_tile(config, image_of((0, code)), thread=config.tile.supervisor)
    assert {b - a for a, b in pairwise(issues_of(run, slots))} == {4}
    assert run.halted
    assert run.events["integer"] == 20
    assert run.events["system"] == 1


@pytest.mark.parametrize("slots", [4, 6, 8])
def test_worker_issues_once_a_rotation_whatever_it_does(slots):
    config = config_of(slots)
    body = [
        encode("addi", rd=1, rs1=0, imm=DATA >> 4),
        encode("slli", rd=1, rs1=1, imm=4),
        encode("sw", rs1=1, rs2=1, imm=0),
        encode("lw", rd=2, rs1=1, imm=0),
        encode("mul", rd=3, rs1=2, rs2=2),
        encode("beq", rs1=2, rs2=1, imm=8),
        encode("ebreak"),
        encode("fcvt.s.w", rd=1, rs1=2),
        encode("fmadd.s", rd=1, rs1=1, rs2=1, rs3=1),
        encode("jal", rd=0, imm=8),
        encode("ebreak"),
        END,
    ]
    run = run_tile(config, image_of((0, body)), thread=0)
    assert run.halted, run.trap
    at = issues_of(run, 0)
    assert len(at) == 10
    assert {b - a for a, b in pairwise(at)} == {slots}


@pytest.mark.parametrize("slots", [4, 6, 8])
def test_all_workers_share_the_cycles_and_the_supervisor_waits(slots):
    config = config_of(slots)
    base = 0x400
    supervisor = [
        encode("addi", rd=5, rs1=0, imm=base),
        *(encode("xstart", rs1=5, rs2=5, imm=worker) for worker in range(slots)),
        encode("xwait"),
        END,
    ]
    worker = [encode("addi", rd=1, rs1=10, imm=1)] * 30 + [END]
    run = run_tile(config, image_of((0, supervisor), (base, worker)), thread=slots)
    assert run.halted
    for context in range(slots):
        at = issues_of(run, context)
        assert len(at) == 31
        assert {b - a for a, b in pairwise(at)} == {slots}
        first = next(r for r in run.records if r[0] == context)
        assert first[4] == base + 1  # a0 holds the argument
    assert run.events["replay_fetch"] == run.events["replay_bank"] == 0
    assert issues_of(run, slots)[-1] > max(issues_of(run, w)[-1] for w in range(slots))


def test_divisions_replay_and_are_counted():
    config = config_of()
    code = [
        encode("addi", rd=1, rs1=0, imm=100),
        encode("addi", rd=2, rs1=0, imm=7),
        encode("div", rd=3, rs1=1, rs2=2),
        encode("rem", rd=4, rs1=1, rs2=2),
        END,
    ]
    run = run_tile(config, image_of((0, code)), thread=0)
    assert [r[4] for r in run.records[2:4]] == [14, 2]
    rotations = -(-33 // 6)  # until a thread that asks once a rotation finds 32 steps done
    assert run.events["replay_divide"] == 2 * rotations


def test_float_divisions_replay_and_are_counted():
    one, three = 0x3F80_0000, 0x4040_0000
    code = [
        encode("lui", rd=1, imm=one),
        encode("lui", rd=2, imm=three),
        encode("fmv.w.x", rd=1, rs1=1),
        encode("fmv.w.x", rd=2, rs1=2),
        encode("fdiv.s", rd=3, rs1=1, rs2=2),
        encode("fsqrt.s", rd=4, rs1=2, rm=3),
        encode("csrrwi", rd=5, rs1=0, imm=Csr.FFLAGS),
        encode("fdiv.s", rd=6, rs1=1, rs2=7),
        encode("csrrs", rd=8, rs1=0, imm=Csr.FFLAGS),
        END,
    ]
    run = run_tile(config_of(), image_of((0, code)), thread=0)
    assert [r[4] for r in run.records[4:9]] == [0x3EAA_AAAB, 0x3FDD_B3D8, 1, 0x7F80_0000, 8]
    rotations = -(-29 // 6)  # until a thread that asks once a rotation finds 29 cycles over
    assert run.events["replay_fdivide"] == 2 * rotations + 1  # by zero: at the next rotation
    assert run.events["replay_divide"] == 0
    assert run.events["float"] == 5


def test_a_load_from_the_code_bank_costs_a_fetch_and_makes_progress():
    config = config_of()
    base = 0x400
    supervisor = [
        encode("addi", rd=5, rs1=0, imm=base),
        *(encode("xstart", rs1=5, rs2=0, imm=worker) for worker in range(6)),
        encode("xwait"),
        END,
    ]
    worker = [encode("lw", rd=1, rs1=0, imm=base)] * 20 + [END]
    run = run_tile(config, image_of((0, supervisor), (base, worker)), thread=6)
    assert run.halted
    assert run.events["replay_fetch"] > 0
    assert run.events["memory"] == 6 * 20


@pytest.mark.parametrize(
    ("name", "fields", "cause", "value"),
    [
        ("ebreak", {}, Cause.BREAKPOINT, 4),
        ("ecall", {}, Cause.ECALL, 0),
        ("lw", {"rd": 2, "rs1": 1, "imm": 1}, Cause.LOAD_MISALIGNED, 0x11),
        ("lh", {"rd": 2, "rs1": 1, "imm": -17}, Cause.LOAD_MISALIGNED, 0xFFFF_FFFF),
        ("lw", {"rd": 2, "rs1": 1, "imm": -20}, Cause.LOAD_OUTSIDE, 0xFFFF_FFFC),
        ("sw", {"rs1": 1, "rs2": 1, "imm": 2}, Cause.STORE_MISALIGNED, 0x12),
        ("sb", {"rs1": 1, "rs2": 1, "imm": -17}, Cause.STORE_OUTSIDE, 0xFFFF_FFFF),
        ("jalr", {"rd": 2, "rs1": 1, "imm": 2}, Cause.FETCH_MISALIGNED, 0x12),
        ("jal", {"rd": 2, "imm": 6}, Cause.FETCH_MISALIGNED, 10),
        ("xtrap", {"rs1": 1, "imm": 21}, Cause.EXPLICIT | 21 << XTRAP_CODE_SHIFT, 0x10),
        ("xwait", {}, Cause.ILLEGAL, encode("xwait")),
        ("xsync", {"imm": 0}, Cause.ILLEGAL, encode("xsync", imm=0)),
        ("fadd.s", {"rm": 5}, Cause.ILLEGAL, encode("fadd.s", rm=5)),
        ("csrrw", {"imm": 0x7C0}, Cause.ILLEGAL, encode("csrrw", imm=0x7C0)),
        ("csrrw", {"imm": Csr.CYCLE}, Cause.ILLEGAL, encode("csrrw", imm=Csr.CYCLE)),
    ],
)
def test_traps_go_to_the_host(name, fields, cause, value):
    code = [encode("addi", rd=1, rs1=0, imm=0x10), encode(name, **fields), END]
    run = run_tile(config_of(), image_of((0, code)), thread=2)
    assert run.trap == {"valid": 1, "thread": 2, "cause": cause, "pc": 4, "value": value}
    assert len(run.records) == 1  # what traps does not retire


@pytest.mark.parametrize("imm", [6, 7, 30])
def test_a_worker_that_is_not_there(imm):
    word = encode("xstart", rs1=0, rs2=0, imm=imm)
    run = run_tile(config_of(6), image_of((0, [word, END])), thread=6)
    assert run.trap["cause"] == Cause.ILLEGAL
    assert run.trap["value"] == word


def test_running_off_the_memory():
    config = config_of()
    end = config.tile.memory_bytes
    code = [encode("lui", rd=1, imm=end), encode("jalr", rs1=1), END]
    run = run_tile(config, image_of((0, code)), thread=0)
    assert run.trap == {
        "valid": 1, "thread": 0, "cause": Cause.FETCH_OUTSIDE, "pc": end, "value": end,
    }  # fmt: skip


def test_a_handler_takes_the_trap_and_returns():
    handler = 0x100
    code = [
        encode("addi", rd=1, rs1=0, imm=handler),
        encode("csrrw", rs1=1, imm=Csr.MTVEC),
        encode("ecall"),
        encode("addi", rd=3, rs1=0, imm=1),
        END,
    ]
    takes = [
        encode("csrrs", rd=4, imm=Csr.MCAUSE),
        encode("csrrs", rd=5, imm=Csr.MEPC),
        encode("addi", rd=5, rs1=5, imm=4),
        encode("csrrw", rs1=5, imm=Csr.MEPC),
        encode("mret"),
    ]
    run = run_tile(config_of(), image_of((0, code), (handler, takes)), thread=1)
    assert run.halted
    assert not run.trap["valid"]
    values = {r[3]: r[4] for r in run.records if r[2]}
    assert values[4] == Cause.ECALL
    assert values[3] == 1
