import itertools
import random

import pytest
from amaranth.sim import Simulator

from openipu.rtl.isa import AluOp, BranchOp
from openipu.rtl.tile.alu import ALU, Branch

MASK = 0xFFFF_FFFF
CORNERS = (0, 1, 2, 31, 32, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF, 0xFFFF_FFFE, 0x1234_5678)


def signed(value):
    return value - (value >> 31 << 32)


def operand_pairs():
    seed = random.randrange(1 << 32)
    print(f"seed {seed}")
    rng = random.Random(seed)
    yield from itertools.product(CORNERS, repeat=2)
    for _ in range(200):
        yield rng.getrandbits(32), rng.getrandbits(32)


def settle(dut, bench):
    simulator = Simulator(dut)
    simulator.add_testbench(bench)
    simulator.run()


ALU_MODEL = {
    AluOp.ADD: lambda a, b, pc: a + b,
    AluOp.SUB: lambda a, b, pc: a - b,
    AluOp.SLL: lambda a, b, pc: a << (b & 31),
    AluOp.SLT: lambda a, b, pc: signed(a) < signed(b),
    AluOp.SLTU: lambda a, b, pc: a < b,
    AluOp.XOR: lambda a, b, pc: a ^ b,
    AluOp.SRL: lambda a, b, pc: a >> (b & 31),
    AluOp.SRA: lambda a, b, pc: signed(a) >> (b & 31),
    AluOp.OR: lambda a, b, pc: a | b,
    AluOp.AND: lambda a, b, pc: a & b,
    AluOp.LUI: lambda a, b, pc: b,
    AluOp.AUIPC: lambda a, b, pc: pc + b,
}

BRANCH_MODEL = {
    BranchOp.EQ: lambda a, b: a == b,
    BranchOp.NE: lambda a, b: a != b,
    BranchOp.LT: lambda a, b: signed(a) < signed(b),
    BranchOp.GE: lambda a, b: signed(a) >= signed(b),
    BranchOp.LTU: lambda a, b: a < b,
    BranchOp.GEU: lambda a, b: a >= b,
    BranchOp.JAL: lambda a, b: True,
    BranchOp.JALR: lambda a, b: True,
}


@pytest.mark.parametrize("op", AluOp)
def test_alu_operation(op):
    dut = ALU()

    async def bench(ctx):
        pc = 0x8000_0100
        ctx.set(dut.op, op)
        ctx.set(dut.pc, pc)
        for a, b in operand_pairs():
            ctx.set(dut.a, a)
            ctx.set(dut.b, b)
            await ctx.delay(1e-9)
            assert ctx.get(dut.result) == ALU_MODEL[op](a, b, pc) & MASK, (hex(a), hex(b))

    settle(dut, bench)


@pytest.mark.parametrize("op", BranchOp)
def test_branch_condition_and_target(op):
    dut = Branch()

    async def bench(ctx):
        pc = 0xFFFF_FFF8
        ctx.set(dut.op, op)
        ctx.set(dut.pc, pc)
        for index, (a, b) in enumerate(operand_pairs()):
            offset = (-4096, -2, 16, 1, 4094)[index % 5] & MASK
            ctx.set(dut.immediate, offset)
            ctx.set(dut.a, a)
            ctx.set(dut.b, b)
            await ctx.delay(1e-9)
            assert ctx.get(dut.taken) == BRANCH_MODEL[op](a, b), (hex(a), hex(b))
            base, clear = (a, 1) if op is BranchOp.JALR else (pc, 0)
            assert ctx.get(dut.target) == (base + offset) & MASK & ~clear

    settle(dut, bench)
