"""What the instructions for streams and loops do; adds to `semantics.SEMANTICS`."""

from openipu.cosim.golden.hart import MASK, Hart, TrapError
from openipu.cosim.golden.semantics import Action, Fields, define
from openipu.rtl.isa import LOOP_BODY, Cause, StreamOp, Unit


@define(Unit.STREAM, StreamOp.OPEN, StreamOp.LEVELS)
def _stream(i: Fields) -> Action:
    opens = i.row.op is StreamOp.OPEN

    def run(hart: Hart) -> None:
        if i.imm >= len(hart.streams):
            raise TrapError(Cause.ILLEGAL, i.word)
        stream, a, b = hart.streams[i.imm], hart.x[i.rs1], hart.x[i.rs2]
        if opens:
            if a & 7:
                raise TrapError(Cause.STREAM_MISALIGNED, a)
            stream.open(a, b)
        else:
            stream.levels(a, b)
        hart.pc += 4

    return run


@define(Unit.STREAM, StreamOp.REPEAT)
def _repeat(i: Fields) -> Action:
    length = i.imm & 0xFFF

    def run(hart: Hart) -> None:
        hart.check_no_loop(i.word)
        if not 1 <= length <= LOOP_BODY:
            raise TrapError(Cause.LOOP_LENGTH, length)
        times = hart.x[i.rs1]
        hart.pc += 4
        if times:
            hart.loop_first, hart.loop_left = hart.pc, times
            hart.loop_last = hart.pc + 4 * (length - 1)
        else:
            hart.loop_last = -1
            hart.pc = hart.pc + 4 * length & MASK

    return run
