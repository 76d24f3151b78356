"""The integer unit: arithmetic, and the decisions and targets of branches."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from openipu.rtl.isa import AluOp, BranchOp


class ALU(wiring.Component):
    """32-bit integer operations, combinational.

    Members
    -------
    op : In(AluOp)
        What to do.
    a, b : In(32)
        rs1; rs2 or the immediate.
    pc : In(32)
        Of the instruction.
    result : Out(32)
        Valid in the same cycle.
    """

    op: In(AluOp)
    a: In(32)
    b: In(32)
    pc: In(32)
    result: Out(32)

    def elaborate(self, platform):
        """One case an operation."""
        m = Module()
        a, b = self.a, self.b
        shift = b[:5]
        results = {
            AluOp.ADD: a + b,
            AluOp.SUB: a - b,
            AluOp.SLL: a << shift,
            AluOp.SLT: a.as_signed() < b.as_signed(),
            AluOp.SLTU: a < b,
            AluOp.XOR: a ^ b,
            AluOp.SRL: a >> shift,
            AluOp.SRA: a.as_signed() >> shift,
            AluOp.OR: a | b,
            AluOp.AND: a & b,
            AluOp.LUI: b,
            AluOp.AUIPC: self.pc + b,
        }
        with m.Switch(self.op):
            for op, value in results.items():
                with m.Case(op):
                    m.d.comb += self.result.eq(value)
        return m


class Branch(wiring.Component):
    """Whether a branch or jump is taken, and where to, combinational.

    Members
    -------
    op : In(BranchOp)
        Condition or jump.
    a, b : In(32)
        rs1, rs2.
    pc, immediate : In(32)
        Of the instruction.
    taken : Out(1)
        The thread goes on at `target`.
    target : Out(32)
        Valid with taken.
    """

    op: In(BranchOp)
    a: In(32)
    b: In(32)
    pc: In(32)
    immediate: In(32)
    taken: Out(1)
    target: Out(32)

    def elaborate(self, platform):
        """One case a condition."""
        m = Module()
        a, b = self.a, self.b
        equal, less, below = a == b, a.as_signed() < b.as_signed(), a < b
        conditions = {
            BranchOp.EQ: equal,
            BranchOp.NE: ~equal,
            BranchOp.LT: less,
            BranchOp.GE: ~less,
            BranchOp.LTU: below,
            BranchOp.GEU: ~below,
            BranchOp.JAL: 1,
            BranchOp.JALR: 1,
        }
        with m.Switch(self.op):
            for op, value in conditions.items():
                with m.Case(op):
                    m.d.comb += self.taken.eq(value)
        jalr = self.op == BranchOp.JALR
        target = Signal(32)
        m.d.comb += [
            target.eq(Mux(jalr, a, self.pc) + self.immediate),
            self.target.eq(Cat(target[0] & ~jalr, target[1:])),
        ]
        return m
