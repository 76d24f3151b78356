"""The tile's floating-point unit."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from openipu.rtl.floating.common import Round, flags_of
from openipu.rtl.floating.compare import Compare
from openipu.rtl.floating.convert import FromInteger, ToInteger
from openipu.rtl.floating.fma import FusedMultiplyAdd
from openipu.rtl.floating.format import F16
from openipu.rtl.floating.half import FromHalf, ToHalf, boxed
from openipu.rtl.isa import FpuOp

ARITHMETIC = (
    FpuOp.ADD, FpuOp.SUB, FpuOp.MUL, FpuOp.MADD, FpuOp.MSUB, FpuOp.NMSUB, FpuOp.NMADD,
)  # fmt: skip
FROM_INTEGER = (FpuOp.CVT_S_W, FpuOp.CVT_S_WU)
TO_INTEGER = (FpuOp.CVT_W_S, FpuOp.CVT_WU_S)


class FPU(wiring.Component):
    """Executes the operations of F, but for divide and square root, and of Zfhmin.

    Takes one operation a cycle, and has its result two clock edges later, valid for one cycle.

    Members
    -------
    x_op : In(FpuOp)
        What to do.
    x_rm : In(3)
        Rounding mode, 0 to 4; the dynamic one is resolved already.
    x_a, x_b, x_c : In(32)
        Operands from f registers.
    x_i : In(32)
        Operand from an x register, for CVT_S_W, CVT_S_WU, MV_W_X and MV_H_X.
    w_result : Out(32)
        For the x or the f register, as the operation has it.
    w_flags : Out(5)
        Exceptions that the operation raised, in the order of fflags.
    """

    x_op: In(FpuOp)
    x_rm: In(3)
    x_a: In(32)
    x_b: In(32)
    x_c: In(32)
    x_i: In(32)
    w_result: Out(32)
    w_flags: Out(5)

    def elaborate(self, platform):
        """Hand the operands to every unit, and choose one's result two cycles later."""
        m = Module()
        m.submodules.fma = fma = FusedMultiplyAdd()
        m.submodules.from_integer = from_integer = FromInteger()
        m.submodules.to_integer = to_integer = ToInteger()
        m.submodules.compare = compare = Compare()
        m.submodules.from_half = from_half = FromHalf()
        m.submodules.to_half = to_half = ToHalf()
        m.submodules.round = rounder = Round()
        m.submodules.round_half = round_half = Round(F16)
        m.d.comb += [
            fma.x_op.eq(self.x_op),
            fma.x_rm.eq(self.x_rm),
            fma.x_a.eq(self.x_a),
            fma.x_b.eq(self.x_b),
            fma.x_c.eq(self.x_c),
            from_integer.x_i.eq(self.x_i),
            from_integer.x_signed.eq(self.x_op == FpuOp.CVT_S_W),
            to_integer.x_a.eq(self.x_a),
            to_integer.x_signed.eq(self.x_op == FpuOp.CVT_W_S),
            to_integer.x_rm.eq(self.x_rm),
            from_half.a.eq(self.x_a),
            to_half.x_a.eq(self.x_a),
            compare.op.eq(self.x_op),
            compare.a.eq(self.x_a),
            compare.b.eq(self.x_b),
            compare.i.eq(self.x_i),
        ]
        widens = self.x_op == FpuOp.CVT_S_H
        m_op = Signal(FpuOp)
        m_rm = Signal(3)
        w_op = Signal(FpuOp)
        w_rm = Signal(3)
        m_compared = Signal(32)
        m_invalid = Signal()
        w_compared = Signal(32)
        w_invalid = Signal()
        m.d.sync += [
            m_op.eq(self.x_op),
            m_rm.eq(self.x_rm),
            m_compared.eq(Mux(widens, from_half.result, compare.result)),
            m_invalid.eq(Mux(widens, from_half.invalid, compare.invalid)),
            w_op.eq(m_op),
            w_rm.eq(m_rm),
            w_compared.eq(m_compared),
            w_invalid.eq(m_invalid),
        ]
        m.d.comb += [
            rounder.rm.eq(w_rm),
            round_half.rm.eq(w_rm),
            round_half.exact.eq(to_half.w_exact),
            self.w_result.eq(w_compared),
            self.w_flags.eq(flags_of(invalid=w_invalid)),
        ]
        with m.Switch(w_op):
            with m.Case(*ARITHMETIC, *FROM_INTEGER):
                m.d.comb += [self.w_result.eq(rounder.result), self.w_flags.eq(rounder.flags)]
            with m.Case(*TO_INTEGER):
                m.d.comb += [
                    self.w_result.eq(to_integer.w_result),
                    self.w_flags.eq(to_integer.w_flags),
                ]
            with m.Case(FpuOp.CVT_H_S):
                m.d.comb += [
                    self.w_result.eq(boxed(round_half.result)),
                    self.w_flags.eq(round_half.flags),
                ]
        with m.Switch(w_op):
            with m.Case(*FROM_INTEGER):
                m.d.comb += rounder.exact.eq(from_integer.w_exact)
            with m.Default():
                m.d.comb += rounder.exact.eq(fma.w_exact)
        return m
