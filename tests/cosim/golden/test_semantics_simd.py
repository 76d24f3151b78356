"""SIMD and random-number instructions in the instruction-level model."""

import numpy as np
import pytest

from openipu.cosim.golden import random, simd
from openipu.cosim.golden.iss import TileISS
from openipu.rtl.config import TileConfig
from openipu.rtl.isa import Cause, SimdOp, encode

CONFIG = TileConfig(slots=4, banks=2, bank_bytes=8192)
IN0, IN1, OUT = 1, 3, 5  #: streams, as operands
INPUT, OUTPUT = 0x1000, 0x3000
ONES = 0x3C00_3C00_3C00_3C00  #: four times 1.0


def run(*words, f=None, x=None, data=(), tile_id=0, thread=1):
    """Run a thread with those registers and words at INPUT; return the model and the thread."""
    model = TileISS(CONFIG, tile_id)
    code = [*words, encode("xend")]
    model.memory.write(0, b"".join(word.to_bytes(4, "little") for word in code))
    model.memory.write(INPUT, np.array(data, np.uint64).tobytes())
    hart = model.harts[thread]
    for number, value in (x or {}).items():
        hart.x[number] = value
    for number, value in (f or {}).items():
        hart.f[number : number + 2] = value & 0xFFFF_FFFF, value >> 32
    model.boot(0, thread)
    model.run(1000)
    return model, hart


def pair(hart, number):
    return hart.f[number] | hart.f[number + 1] << 32


def words_at(model, address, count):
    return np.frombuffer(model.memory.read(address, 8 * count), np.uint64).tolist()


def streams(count):
    """Open in0 at INPUT and out at OUTPUT for `count` words, by x1 to x3."""
    registers = {1: INPUT, 2: OUTPUT, 3: count | 1 << 16}
    code = [encode("xstream", imm=0, rs1=1, rs2=3), encode("xstream", imm=2, rs1=2, rs2=3)]
    return code, registers


def test_pairs():
    a, b, c = 0x4000_3C00_BC00_0001, ONES, 0x7BFF_0000_8000_3C00
    _, hart = run(encode("h4madd", rd=8, rs1=2, rs2=4, rs3=6), f={2: a, 4: b, 6: c})
    assert pair(hart, 8) == simd.evaluate(SimdOp.H4_MADD, a, b, c)
    assert [pair(hart, n) for n in (2, 4, 6)] == [a, b, c]


def test_scalars():
    """f1 gets a result alone; what is above an f16 operand doesn't matter."""
    f = {2: 0x3C00_4000_BC00_7BFF, 4: 0x1234_5678_ABCD_3555}
    _, hart = run(
        encode("h4greatest", rd=8, rs1=2),
        encode("h4splat", rd=10, rs1=4),
        encode("h4sum", rd=12, rs1=2, rs3=14),
        f=f | {8: 7 << 32, 12: 9 << 32, 14: 0x3F80_0000},
    )
    assert hart.f[8:10] == [0xFFFF_7BFF, 7]
    assert pair(hart, 10) == 0x3555_3555_3555_3555
    assert np.array(hart.f[12], np.uint32).view(np.float32) == 65504 - 1 + 2 + 1 + 1
    assert hart.f[13] == 9


def test_a_stream_named_twice_is_popped_once():
    code, registers = streams(3)
    data = [ONES, 0x4000_4000_4000_4000, 0x4200_4200_4200_4200]
    model, hart = run(*code, *[encode("h4add", rd=OUT, rs1=IN0, rs2=IN0)] * 3, x=registers,
                      data=data)  # fmt: skip
    assert words_at(model, OUTPUT, 3) == [simd.evaluate(SimdOp.H4_ADD, w, w) for w in data]
    assert hart.streams[0].finished


def test_a_trap_changes_nothing():
    code, registers = streams(1)
    start = random.start(0x21)
    model, hart = run(
        *code,
        encode("h4narrowr", rd=OUT, rs1=IN0, rs2=2),
        encode("h4narrowr", rd=OUT, rs1=4, rs2=2),
        x=registers, data=[ONES], tile_id=2,
    )  # fmt: skip
    assert model.trap is not None
    assert (model.trap.cause, model.trap.value) == (Cause.STREAM_FINISHED, 2)
    random.advance(start)
    assert hart.random == start


def test_random_numbers_of_a_thread():
    state = random.start(5 * 16 + 3)
    model, hart = run(
        encode("xrand", rd=2), encode("h4narrowr", rd=4, rs1=6, rs2=8), encode("xrand", rd=10),
        f={6: 0x3F80_1000_BF80_0001, 8: 0x0000_0001_477F_EFFF}, tile_id=5, thread=3,
    )  # fmt: skip
    first, second, third = (random.advance(state) for _ in range(3))
    assert (pair(hart, 2), pair(hart, 10)) == (first, third)
    assert pair(hart, 4) == simd.evaluate(
        SimdOp.NARROW_RANDOM, pair(hart, 6), pair(hart, 8), random=second
    )
    assert hart.random == state
    model.boot(0, 3)
    assert hart.random == random.start(5 * 16 + 3)


def test_random_numbers_to_a_stream():
    code, registers = streams(2)
    model, _ = run(*code, *[encode("xrand", rd=OUT)] * 2, x=registers, thread=0)
    state = random.start(0)
    assert words_at(model, OUTPUT, 2) == [random.advance(state), random.advance(state)]


def test_seeds():
    halves = [encode("xseed", imm=half, rs1=1 + half, rs2=3 + half) for half in (0, 1)]
    _, hart = run(*halves, encode("xrand", rd=2), x={1: 0x11, 2: 0x22, 3: 0x33, 4: 0x44})
    state = [0x33_0000_0011, 0x44_0000_0022]
    assert pair(hart, 2) == random.advance(state)
    assert hart.random == state


@pytest.mark.parametrize("half", [2, 31])
def test_a_half_that_does_not_exist(half):
    model, _ = run(encode("xseed", imm=half))
    assert model.trap is not None
    assert model.trap.cause == Cause.ILLEGAL
