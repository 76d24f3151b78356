import numpy as np
import pytest

from openipu.cosim.golden.semantics import fields_of
from openipu.cosim.golden.trace import FIELDS
from openipu.cosim.lockstep import LockstepError, compare, on_model, run_seeds
from openipu.cosim.random_program import random_program
from openipu.rtl.config import ChipConfig, TileConfig
from openipu.rtl.isa import INSTRUCTIONS, decode

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
    program = random_program(1, SMALL)
    trace, memory = on_model(program)
    thread = trace["thread"] == 2
    index = 50
    place = np.flatnonzero(thread)[index]
    trace[place][field] = trace[place][field] ^ 1
    with pytest.raises(LockstepError) as error:
        compare(program, trace, memory)
    message = str(error.value)
    assert message.startswith("seed 1, ChipConfig(")
    if field != "thread":
        assert f"thread 2, instruction {index}, pc 0x" in message


def test_the_report_shows_both_records_and_the_instruction():
    program = random_program(1, SMALL)
    trace, memory = on_model(program)
    place = np.flatnonzero((trace["thread"] == 0) & (trace["rd_file"] == 1))[100]
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
    program = random_program(1, SMALL)
    trace, memory = on_model(program)
    last = np.flatnonzero(trace["thread"] == 1)[-1]
    changed = np.delete(trace, last) if missing else np.insert(trace, last, trace[last])
    with pytest.raises(LockstepError, match=f"got      {got}"):
        compare(program, changed, memory)


def test_a_difference_in_memory_is_found():
    program = random_program(1, SMALL)
    trace, memory = on_model(program)
    changed = memory[:-1] + bytes([memory[-1] ^ 1])
    with pytest.raises(LockstepError, match=r"^seed 1: memory at 0x3ffc is 0x\w+, expected 0x"):
        compare(program, trace, changed)
