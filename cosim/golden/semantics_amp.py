"""What the matrix unit's instructions do; adds to `semantics.SEMANTICS`."""

from openipu.cosim.golden.amp import MULTIPLY
from openipu.cosim.golden.hart import Hart, TrapError
from openipu.cosim.golden.operands import operands, result
from openipu.cosim.golden.semantics import Action, Fields, define
from openipu.rtl.isa import AmpOp, Cause, Unit


@define(Unit.AMP, *AmpOp)
def _amp(i: Fields) -> Action:
    operation = AmpOp(i.row.op)

    def run(hart: Hart) -> None:
        amp, context = hart.amp, hart.context
        if not amp.is_legal(operation, hart.x[i.rs1], hart.x[i.rs2], i.imm):
            raise TrapError(Cause.ILLEGAL, i.word)
        plan = amp.plan(context, operation)
        streams = {"takes_a": plan.takes_a, "takes_b": plan.takes_b, "gives": plan.gives}
        reads_a = plan.takes_a or operation in MULTIPLY  # read at each step, popped at the last
        a, b, _ = operands(hart, i, reads_a=reads_a, reads_b=plan.takes_b, gives=plan.gives)
        if plan.overruns:
            raise TrapError(Cause.AMP_OVERRUN, i.word)
        result(hart, i, amp.execute(context, operation, a, b, i.imm), **streams)

    return run
