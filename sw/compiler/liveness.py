"""When temporary variables are in use, so that some can have the same memory.

The program's text is numbered: superstep k's phases have time 2k, its transfers 2k+1. What a
loop's body uses is in use during all of the outermost loop, but for staging buffers, which are
filled right before they are read. What a function uses is in use during all of the program.
"""

from collections.abc import Iterable

from openipu.sw.compiler.steps import (
    CallStep,
    FunctionStep,
    HostSync,
    IfStep,
    Lowered,
    Phase,
    RepeatStep,
    Step,
    Superstep,
    WhileStep,
)
from openipu.sw.graph import Variable

Lifetime = tuple[int, int]
"""First and last time at which something is in use."""


def lifetimes(lowered: Lowered) -> dict[Variable, Lifetime]:
    """Return when each temporary variable and staging buffer that the program uses is in use."""
    analysis = _Analysis(lowered)
    analysis.visit(lowered.steps)
    whole = 0, analysis.time
    return analysis.found | dict.fromkeys(analysis.everywhere, whole)


class _Analysis:
    def __init__(self, lowered: Lowered) -> None:
        self.time = 0
        self.found: dict[Variable, Lifetime] = {}
        self.everywhere: set[Variable] = set()  #: used in functions
        self._staging = {v for variables in lowered.staging.values() for v in variables}
        self._loops: list[set[Variable]] = []  #: what each surrounding loop has used
        self._functions: set[FunctionStep] = set()
        self._depth = 0  #: of functions

    def visit(self, steps: Iterable[Step]) -> None:
        """Number some steps, and note what they use."""
        for step in steps:
            match step:
                case Superstep(phases=phases):
                    self._phases(phases)
                    for transfer in step.transfers:
                        self._use(transfer.source.variable, self.time + 1)
                        for piece in transfer.destinations:
                            self._use(piece.variable, self.time + 1)
                            self._use(piece.variable, self.time + 2)  # seen at the next barrier
                    self.time += 2
                case HostSync(phases=phases):
                    self._phases(phases)
                    self.time += 2
                case RepeatStep(body=body):
                    self._loop(body)
                case WhileStep(predicate=predicate, body=body):
                    self._loop(body, predicate.variable)
                case IfStep(predicate=predicate, then=then, else_=else_):
                    self._use(predicate.variable, self.time)
                    self.visit(then)
                    self.visit(else_)
                case CallStep(function=function) if function not in self._functions:
                    self._functions.add(function)
                    self._depth += 1
                    self.visit(function.body)
                    self._depth -= 1

    def _phases(self, phases: tuple[Phase, ...]) -> None:
        for phase in phases:
            for vertex in phase:
                for view in vertex.fields.values():
                    self._use(view.variable, self.time)

    def _loop(self, body: tuple[Step, ...], predicate: Variable | None = None) -> None:
        start = self.time
        self._loops.append(set())
        if predicate is not None:
            self._use(predicate, start)
        self.visit(body)
        for variable in self._loops.pop():
            self._use(variable, start)
            self._use(variable, self.time)

    def _use(self, variable: Variable, time: int) -> None:
        staging = variable in self._staging
        if variable.temporary or staging:
            first, last = self.found.get(variable, (time, time))
            self.found[variable] = min(first, time), max(last, time)
            if self._depth:
                self.everywhere.add(variable)
            elif self._loops and not staging:
                self._loops[-1].add(variable)
