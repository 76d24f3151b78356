import random

import pytest
from amaranth.sim import Simulator

from openipu.rtl.config import TileConfig
from openipu.rtl.isa import MemoryOp
from openipu.rtl.tile.load_store import LoadStore

SIZE = {MemoryOp.BYTE: 1, MemoryOp.HALF: 2, MemoryOp.WORD: 4, MemoryOp.BYTE_UNSIGNED: 1,
        MemoryOp.HALF_UNSIGNED: 2, MemoryOp.HALF_BOXED: 2}  # fmt: skip
CONFIG = TileConfig(banks=3, bank_bytes=8192)


def run(bench):
    dut = LoadStore(CONFIG)

    async def process(ctx):
        await bench(ctx, dut)

    simulator = Simulator(dut)
    simulator.add_testbench(process)
    simulator.run()


@pytest.mark.parametrize("op", MemoryOp)
def test_store_lanes(op):
    async def bench(ctx, dut):
        ctx.set(dut.x_op, op)
        ctx.set(dut.x_data, 0x8899_AABB)
        for low in range(8):
            ctx.set(dut.x_base, 0x1000)
            ctx.set(dut.x_offset, low)
            await ctx.delay(1e-9)
            size = SIZE[op]
            assert ctx.get(dut.x_misaligned) == bool(low % size)
            if low % size:
                continue
            assert ctx.get(dut.x_word) == 0x200
            assert ctx.get(dut.x_store_strobe) == (1 << size) - 1 << low
            stored = 0x8899_AABB & (1 << 8 * size) - 1
            data = ctx.get(dut.x_store_data)
            assert (data >> 8 * low) & ((1 << 8 * size) - 1) == stored
            assert ctx.get(dut.x_stored) == stored

    run(bench)


@pytest.mark.parametrize("op", MemoryOp)
def test_load_extension(op):
    seed = random.randrange(1 << 32)
    print(f"seed {seed}")
    rng = random.Random(seed)
    words = [0, (1 << 64) - 1, 0x8000_7FFF_80FF_017F, *(rng.getrandbits(64) for _ in range(20))]

    async def bench(ctx, dut):
        ctx.set(dut.m_op, op)
        for word in words:
            for low in range(0, 8, SIZE[op]):
                ctx.set(dut.m_word, word)
                ctx.set(dut.m_low, low)
                await ctx.delay(1e-9)
                value = word >> 8 * low & (1 << 8 * SIZE[op]) - 1
                if op in (MemoryOp.BYTE, MemoryOp.HALF) and value >> (8 * SIZE[op] - 1):
                    value -= 1 << 8 * SIZE[op]
                if op is MemoryOp.HALF_BOXED:
                    value |= 0xFFFF_0000
                assert ctx.get(dut.m_value) == value & 0xFFFF_FFFF

    run(bench)


@pytest.mark.parametrize(
    ("base", "offset", "outside"),
    [
        (0, 0, False),
        (CONFIG.memory_bytes - 4, 0, False),
        (CONFIG.memory_bytes - 4, 4, True),
        (0, -4, True),
        (4, -4, False),
        (0x8000_0000, 8, False),
        (0x8000_0000, -4, True),
        (0x8000_0000 + CONFIG.memory_bytes, 0, True),
        (0x4000_0000, 0, True),
    ],
)
def test_the_end_of_the_memory_and_its_alias(base, offset, outside):
    async def bench(ctx, dut):
        ctx.set(dut.x_op, MemoryOp.WORD)
        ctx.set(dut.x_base, base)
        ctx.set(dut.x_offset, offset & 0xFFFF_FFFF)
        await ctx.delay(1e-9)
        assert ctx.get(dut.x_outside) == outside
        assert ctx.get(dut.x_address) == (base + offset) & 0xFFFF_FFFF

    run(bench)
