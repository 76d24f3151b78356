from contextlib import ExitStack

import numpy as np
import pytest

from openipu.cosim.golden.semantics import fields_of
from openipu.cosim.golden.trace import FIELDS
from openipu.cosim.lockstep import LockstepError, compare, on_model, on_session, run_seeds
from openipu.cosim.program import Assembler, Program
from openipu.cosim.random_program import random_program
from openipu.cosim.session import Session
from openipu.rtl.config import ChipConfig, TileConfig
from openipu.rtl.isa import INSTRUCTIONS, Cause, File, Unit, decode, encode

SMALL = ChipConfig(tiles=1, tile=TileConfig(banks=2, bank_bytes=8192))


@pytest.mark.parametrize("slots", [4, 5, 6, 7, 8])
@pytest.mark.parametrize("bus_bits", [32, 64])
def test_programs_end_for_any_size(slots, bus_bits):
    tile = SMALL.tile.replace(slots=slots, bus_bits=bus_bits)
    config = SMALL.replace(tile=tile, exchange_latency=3 + slots)
    assert run_seeds(on_model, config, range(3)) > 3000


def test_programs_are_the_same_for_the_same_seed():
    assert random_program(7, SMALL) == random_program(7, SMALL)
    assert random_program(7, SMALL).image != random_program(8, SMALL).image


def test_programs_use_every_instruction_that_retires():
    seen = set()
    for seed in range(12):
        trace, memory = on_model(random_program(seed, SMALL))
        words = np.frombuffer(memory, np.uint32)[(trace["pc"] & 0x7FFF_FFFF) // 4]
        seen |= {decode(int(word)) for word in np.unique(words)}
    assert {row.name for row in set(INSTRUCTIONS) - seen} <= {"ecall", "ebreak", "xtrap"}


@pytest.mark.parametrize("field", FIELDS)
def test_a_difference_in_any_field_is_found(field):
    program = random_program(3, SMALL)
    trace, memory = on_model(program)
    thread = trace["thread"] == 2
    index = 50
    place = np.flatnonzero(thread)[index]
    trace[place][field] = trace[place][field] ^ 1
    with pytest.raises(LockstepError) as error:
        compare(program, trace, memory)
    message = str(error.value)
    assert message.startswith("seed 3, ChipConfig(")
    if field != "thread":
        assert f"thread 2, instruction {index}, pc 0x" in message


def test_the_report_shows_both_records_and_the_instruction():
    program = random_program(3, SMALL)
    trace, memory = on_model(program)
    boss = SMALL.tile.supervisor
    place = np.flatnonzero((trace["thread"] == boss) & (trace["rd_file"] == 1))[100]
    trace[place]["value"] = wrong = trace[place]["value"] ^ 0x8000_0000
    with pytest.raises(LockstepError) as error:
        compare(program, trace, memory)
    first, got, expected = str(error.value).splitlines()
    pc = int(trace[place]["pc"])
    word = int.from_bytes(memory[pc & 0x7FFF_FFFF :][:4], "little")
    row = decode(word)
    assert row is not None
    assert f"pc {pc:#010x}: {row.name}" in first
    assert f"x{fields_of(row, word).rd} = {wrong:#010x}" in got
    assert f"= {wrong ^ 0x8000_0000:#010x}" in expected


@pytest.mark.parametrize("got, missing", [("nothing more", True), ("pc ", False)])
def test_a_missing_record_is_found(got, missing):
    program = random_program(3, SMALL)
    trace, memory = on_model(program)
    last = np.flatnonzero(trace["thread"] == 2)[-1]
    changed = np.delete(trace, last) if missing else np.insert(trace, last, trace[last])
    with pytest.raises(LockstepError, match=f"got      {got}"):
        compare(program, changed, memory)


def test_a_difference_in_memory_is_found():
    program = random_program(3, SMALL)
    trace, memory = on_model(program)
    changed = memory[:-1] + bytes([memory[-1] ^ 1])
    with pytest.raises(LockstepError, match=r"^seed 3: memory at 0x3ffc is 0x\w+, expected 0x"):
        compare(program, trace, changed)


# The first is what other tests use too, so its simulator is built once.
SIX = ChipConfig(tiles=1, tile=TileConfig(banks=4, bank_bytes=16384, trace=True))
FOUR = ChipConfig(
    tiles=1,
    exchange_latency=7,
    tile=TileConfig(
        slots=4, banks=2, bank_bytes=8192, bus_bits=32, amp_outputs=4, amp_dot=2, amp_depth=8,
        trace=True,
    ),
)  # fmt: skip
PLAIN = ChipConfig(
    tiles=1,
    exchange_latency=3,
    tile=TileConfig(slots=5, banks=16, bank_bytes=2048, simd=False, amp_outputs=0, trace=True),
)
RTL = {"six slots": SIX, "four slots": FOUR, "neither SIMD nor AMP": PLAIN}
MORE = RTL | {
    f"{slots} slots, {banks} banks, SIMD {simd}, AMP {outputs} x {dot} x {depth}": ChipConfig(
        tiles=1,
        exchange_latency=latency,
        tile=TileConfig(
            slots=slots, banks=banks, bank_bytes=bank, bus_bits=bus, simd=simd,
            amp_outputs=outputs, amp_dot=dot, amp_depth=depth, trace=True,
        ),
    )
    for slots, banks, bank, bus, latency, simd, outputs, dot, depth in (
        (5, 16, 2048, 64, 3, True, 16, 2, 16),
        (7, 3, 8192, 32, 3, True, 0, 4, 32),
        (8, 5, 8192, 64, 16, True, 32, 4, 64),
        (6, 64, 2048, 32, 5, False, 8, 4, 8),
    )
}  # fmt: skip
CHUNK = 500  #: programs of a slow test


@pytest.fixture(scope="module")
def rtl():
    """Return the runner of a configuration; its session lasts."""
    with ExitStack() as stack:
        runners = {}

        def get(config):
            if config not in runners:
                runners[config] = on_session(stack.enter_context(Session(config)))
            return runners[config]

        yield get


@pytest.mark.parametrize("ten", range(5))
@pytest.mark.parametrize("config", RTL.values(), ids=RTL)
def test_rtl_agrees_with_the_model(rtl, config, ten):
    assert run_seeds(rtl(config), config, range(10 * ten, 10 * ten + 10)) > 10_000


@pytest.mark.parametrize("config", RTL.values(), ids=RTL)
@pytest.mark.parametrize("delay", [0, 1, 3])
def test_workers_get_the_divider_from_a_supervisor_that_cannot_issue(rtl, config, delay):
    """With four slots the supervisor's division can start in the last cycle before all are busy."""
    worker = Assembler(0x400)
    worker.words += [encode("addi")] * 10
    for _ in range(20):
        worker.emit("div", rd=6, rs1=10, rs2=10)
    worker.emit("xend")
    boss = Assembler(0)
    boss.constant(5, worker.base)
    for number in range(config.tile.slots):
        boss.emit("xstart", imm=number, rs1=5, rs2=5)
    boss.words += [encode("addi")] * delay + [encode("divu", rd=7, rs1=5, rs2=5)]
    boss.emit("xwait")
    boss.emit("xend")
    image = boss.code.ljust(worker.base, b"\0") + worker.code
    program = Program(
        "divisions", config, image.ljust(config.tile.memory_bytes, b"\0"), config.tile.supervisor
    )
    compare(program, *rtl(config)(program))


UNSUPPORTED = [
    row for row in INSTRUCTIONS if row.unit in (Unit.SIMD, Unit.RANDOM, Unit.AMP)
]


def unsupported_program(config):
    """Return a program of a worker that tries them all, and the words it tries."""
    assembler = Assembler(0)
    assembler.handler()
    start = len(assembler.words)
    for row in UNSUPPORTED:
        numbers = [4 if file is File.PAIR else 0 for file in (row.rd, row.rs1, row.rs2, row.rs3)]
        rd, rs1, rs2, rs3 = numbers
        assembler.emit(row.name, rd=rd, rs1=rs1, rs2=rs2, rs3=rs3)
    words = assembler.words[start:]
    assembler.emit("xend")
    image = assembler.code.ljust(config.tile.memory_bytes, b"\0")
    return Program("unsupported", config, image, 0), words


def illegal_words(trace):
    """Return the words of which the handler, at 4, read that they are illegal."""
    values, causes = (trace["value"][trace["pc"] == at] for at in (8, 12))
    return [int(v) for v, cause in zip(values, causes, strict=True) if cause == Cause.ILLEGAL]


def test_what_a_tile_has_not_traps(rtl):
    program, words = unsupported_program(PLAIN)
    trace, memory = rtl(PLAIN)(program)
    assert illegal_words(trace) == words
    compare(program, trace, memory)


@pytest.mark.parametrize("simd", [False, True])
@pytest.mark.parametrize("outputs", [0, 4])
def test_only_what_a_tile_has_not_traps(simd, outputs):
    tile = PLAIN.tile.replace(simd=simd, amp_outputs=outputs)
    program, words = unsupported_program(PLAIN.replace(tile=tile))
    trace, _ = on_model(program)
    wanted = [
        word for row, word in zip(UNSUPPORTED, words, strict=True)
        if not (outputs if row.unit is Unit.AMP else simd)
    ]  # fmt: skip
    set_rows = encode("xampset")  # of no groups, which is illegal anyway
    assert [w for w in illegal_words(trace) if w != set_rows] == [
        w for w in wanted if w != set_rows
    ]


@pytest.mark.slow
@pytest.mark.parametrize("config", MORE.values(), ids=MORE)
def test_rtl_agrees_with_the_model_for_long(rtl, config):
    assert run_seeds(rtl(config), config, range(1000, 1000 + CHUNK)) > 400_000


@pytest.mark.slow
@pytest.mark.parametrize("chunk", range(50))
def test_rtl_agrees_with_the_model_for_very_long(rtl, chunk):
    """Of 25,000 programs, four in five mix everything, on all seven contexts."""
    first = 10_000 + CHUNK * chunk
    assert run_seeds(rtl(SIX), SIX, range(first, first + CHUNK)) > 400_000
