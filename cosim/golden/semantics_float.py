"""What the floating-point instructions do; adds to `semantics.SEMANTICS`."""

from collections.abc import Callable

from openipu.cosim.golden import scalar
from openipu.cosim.golden.hart import MASK, Hart
from openipu.cosim.golden.scalar import BOX, SIGN, Result
from openipu.cosim.golden.semantics import Action, Fields, define, signed
from openipu.rtl.isa import FdivideOp, File, FpuOp, Op, Unit

# Each operation takes the three sources (those that the instruction has) and the rounding mode,
# and gives the result and its flags.
OPERATIONS: dict[Op, Callable[[int, int, int, int], Result]] = {
    FpuOp.ADD: lambda a, b, c, rm: scalar.add(a, b, rm),
    FpuOp.SUB: lambda a, b, c, rm: scalar.sub(a, b, rm),
    FpuOp.MUL: lambda a, b, c, rm: scalar.mul(a, b, rm),
    FpuOp.MADD: scalar.fma,
    FpuOp.MSUB: lambda a, b, c, rm: scalar.fma(a, b, c ^ SIGN, rm),
    FpuOp.NMSUB: lambda a, b, c, rm: scalar.fma(a ^ SIGN, b, c, rm),
    FpuOp.NMADD: lambda a, b, c, rm: scalar.fma(a ^ SIGN, b, c ^ SIGN, rm),
    FpuOp.SGNJ: lambda a, b, c, rm: (a & ~SIGN | b & SIGN, 0),
    FpuOp.SGNJN: lambda a, b, c, rm: (a & ~SIGN | ~b & SIGN, 0),
    FpuOp.SGNJX: lambda a, b, c, rm: (a ^ b & SIGN, 0),
    FpuOp.MIN: lambda a, b, c, rm: scalar.minimum(a, b),
    FpuOp.MAX: lambda a, b, c, rm: scalar.maximum(a, b),
    FpuOp.EQ: lambda a, b, c, rm: scalar.equal(a, b),
    FpuOp.LT: lambda a, b, c, rm: scalar.less(a, b),
    FpuOp.LE: lambda a, b, c, rm: scalar.less_equal(a, b),
    FpuOp.CLASS: lambda a, b, c, rm: (scalar.classify(a), 0),
    FpuOp.CVT_W_S: lambda a, b, c, rm: scalar.to_integer(a, rm, is_signed=True),
    FpuOp.CVT_WU_S: lambda a, b, c, rm: scalar.to_integer(a, rm, is_signed=False),
    FpuOp.CVT_S_W: lambda a, b, c, rm: scalar.from_integer(signed(a), rm),
    FpuOp.CVT_S_WU: lambda a, b, c, rm: scalar.from_integer(a, rm),
    FpuOp.MV_X_W: lambda a, b, c, rm: (a, 0),
    FpuOp.MV_W_X: lambda a, b, c, rm: (a, 0),
    FpuOp.CVT_S_H: lambda a, b, c, rm: scalar.widen(a),
    FpuOp.CVT_H_S: lambda a, b, c, rm: scalar.narrow(a, rm),
    FpuOp.MV_X_H: lambda a, b, c, rm: ((a & 0xFFFF ^ 0x8000) - 0x8000 & MASK, 0),
    FpuOp.MV_H_X: lambda a, b, c, rm: (a | BOX, 0),
    FdivideOp.DIV: lambda a, b, c, rm: scalar.div(a, b, rm),
    FdivideOp.SQRT: lambda a, b, c, rm: scalar.sqrt(a, rm),
}


@define(Unit.FPU, *(op for op in OPERATIONS if isinstance(op, FpuOp)))
@define(Unit.FDIVIDE, *FdivideOp)
def _float(i: Fields) -> Action:
    operate, rounds, from_integer = OPERATIONS[i.row.op], i.row.rounds, i.row.rs1 is File.X
    to_integer = i.row.rd is File.X

    def run(hart: Hart) -> None:
        rm = hart.rounding(i.rm, i.word) if rounds else 0
        f = hart.f
        a = hart.x[i.rs1] if from_integer else f[i.rs1]
        result, flags = operate(a, f[i.rs2], f[i.rs3], rm)
        hart.fflags |= flags
        if to_integer:
            hart.x[i.rd] = result
        else:
            f[i.rd] = result
        hart.pc += 4

    return run
