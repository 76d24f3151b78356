"""What the instructions of Xipu do; adds to `semantics.SEMANTICS`."""

from openipu.cosim.golden.hart import Hart, Pause, State, TrapError
from openipu.cosim.golden.semantics import Action, Fields, define
from openipu.rtl.isa import XTRAP_CODE_SHIFT, Cause, ThreadOp, Unit, Zone


def _for_supervisor(i: Fields, act: Action) -> Action:
    """Return `act`, behind a check that the hart is the supervisor."""

    def run(hart: Hart) -> None:
        if not hart.supervisor:
            raise TrapError(Cause.ILLEGAL, i.word)
        act(hart)

    return run


@define(Unit.THREAD, ThreadOp.END)
def _end(i: Fields) -> Action:
    def run(hart: Hart) -> None:
        hart.state = State.IDLE
        hart.pc += 4
        raise Pause(retired=True)

    return run


@define(Unit.THREAD, ThreadOp.START)
def _start(i: Fields) -> Action:
    def run(hart: Hart) -> None:
        if i.imm >= hart.slots:
            raise TrapError(Cause.ILLEGAL, i.word)
        worker = hart.siblings[i.imm]
        if worker.state is State.RUNNING:
            raise Pause(retired=False)
        worker.start(hart.x[i.rs1])
        worker.x[10] = hart.x[i.rs2]
        hart.pc += 4

    return _for_supervisor(i, run)


@define(Unit.THREAD, ThreadOp.WAIT)
def _wait(i: Fields) -> Action:
    def run(hart: Hart) -> None:
        if any(worker.state is State.RUNNING for worker in hart.siblings[: hart.slots]):
            raise Pause(retired=False)
        hart.pc += 4

    return _for_supervisor(i, run)


@define(Unit.THREAD, ThreadOp.MEET)
def _meet(i: Fields) -> Action:
    def run(hart: Hart) -> None:
        if hart.supervisor:
            raise TrapError(Cause.ILLEGAL, i.word)
        if hart.free:
            hart.free = False
        else:
            hart.arrived = True
            running = [w for w in hart.siblings[: hart.slots] if w.state is State.RUNNING]
            if not all(worker.arrived for worker in running):
                raise Pause(retired=False)
            for worker in running:
                worker.arrived, worker.free = False, worker is not hart
        hart.pc += 4

    return run


@define(Unit.THREAD, ThreadOp.SYNC)
def _sync(i: Fields) -> Action:
    zone = next((zone for zone in Zone if zone.value == i.imm), None)

    def run(hart: Hart) -> None:
        if zone is None:
            raise TrapError(Cause.ILLEGAL, i.word)
        hart.zone = zone
        hart.state = State.SYNC
        hart.pc += 4
        raise Pause(retired=True)

    return _for_supervisor(i, run)


@define(Unit.THREAD, ThreadOp.ARM)
def _arm(i: Fields) -> Action:
    def run(hart: Hart) -> None:
        hart.armed = hart.x[i.rs1], hart.x[i.rs2]
        hart.pc += 4

    return _for_supervisor(i, run)


@define(Unit.THREAD, ThreadOp.TRAP)
def _trap(i: Fields) -> Action:
    def run(hart: Hart) -> None:
        raise TrapError(Cause.EXPLICIT | i.imm << XTRAP_CODE_SHIFT, hart.x[i.rs1])

    return run
