"""From programs to steps: which superstep everything belongs to."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from openipu.rtl.config import ChipConfig
from openipu.sw.compiler.routing import Move, Router
from openipu.sw.compiler.steps import (
    CallStep,
    FunctionStep,
    HostSync,
    IfStep,
    Lowered,
    Phase,
    Piece,
    RepeatStep,
    Step,
    Superstep,
    Transfer,
    WhileStep,
)
from openipu.sw.graph import Graph, GraphError, Variable, View
from openipu.sw.program import (
    Call,
    Copy,
    Execute,
    Function,
    If,
    Program,
    Repeat,
    RepeatWhile,
    Sequence,
)


def lower(graph: Graph, program: Program, config: ChipConfig) -> Lowered:
    """Check a graph and its program against a chip, and lower them.

    Raises GraphError in terms of the graph.
    """
    graph.check()
    for variable in graph.variables.values():
        if variable.size and (highest := int(variable.tiles.max())) >= config.tiles:
            raise GraphError(
                f"variable {variable.name} is mapped to tile {highest}, but the chip has "
                f"{config.tiles} tiles, 0 to {config.tiles - 1}"
            )
    lowering = _Lowering(graph, config)
    builder = _Builder(lowering)
    builder.add(program)
    builder.close()
    steps = (*builder.steps, HostSync(tuple(builder.pending)))
    return Lowered(
        steps, tuple(graph.variables.values()), tuple(lowering.persistent), lowering.staging
    )


@dataclass
class _Open:
    """The superstep that is being put together."""

    name: str
    phases: list[Phase]
    computes: bool = False
    moves: list[Move] = field(default_factory=list)
    transfers: list[Transfer] = field(default_factory=list)
    read: dict[Variable, NDArray[np.bool_]] = field(default_factory=dict)
    written: dict[Variable, NDArray[np.bool_]] = field(default_factory=dict)

    def takes(self, source: View, destination: View) -> bool:
        """Whether a copy may go with those that are there, as if it came after them."""
        return not (
            _any(self.written, source)
            or _any(self.written, destination)
            or _any(self.read, destination)
        )

    def note(self, source: View, destination: View) -> None:
        """Remember what a copy reads and writes."""
        for masks, view in ((self.read, source), (self.written, destination)):
            mask = masks.setdefault(view.variable, np.zeros(view.variable.size, np.bool_))
            mask[view.index] = True


def _any(masks: dict[Variable, NDArray[np.bool_]], view: View) -> bool:
    mask = masks.get(view.variable)
    return mask is not None and bool(mask[view.index].any())


class _Lowering:
    """What all builders share: the compiler's own variables, functions, and regions."""

    def __init__(self, graph: Graph, config: ChipConfig) -> None:
        self.config = config
        self.router = Router(config, set(graph.variables))
        self.persistent: list[Variable] = []
        self.staging: dict[Superstep, tuple[Variable, ...]] = {}
        self._functions: dict[Function, FunctionStep] = {}
        self._slots: dict[str, Variable] = {}

    def function(self, function: Function) -> FunctionStep:
        """Return a function's steps, lowered at its first call."""
        if function not in self._functions:
            builder = _Builder(self)
            builder.add(function.body)
            builder.settle()
            self._functions[function] = FunctionStep(function.name, tuple(builder.steps))
        return self._functions[function]

    def slots(self, dtype: str) -> Variable:
        """Return the variable that brings predicates to all tiles: a bus word on each."""
        if dtype not in self._slots:
            width, tiles = self.router.width(dtype), self.config.tiles
            slots = self.router.variable("predicate", width * tiles, dtype)
            slots.tiles[:] = np.repeat(np.arange(tiles), width)
            self.persistent.append(slots)
            self._slots[dtype] = slots
        return self._slots[dtype]

class _Builder:
    """Builds the steps of one sequence."""

    def __init__(self, lowering: _Lowering) -> None:
        self.lowering = lowering
        self.steps: list[Step] = []
        self.pending: list[Phase] = []  #: what the tiles have yet to do by themselves
        self.open: _Open | None = None

    def add(self, program: Program) -> None:
        """Lower a program to the end of the steps."""
        match program:
            case Sequence(steps=steps):
                for step in steps:
                    self.add(step)
            case Execute(compute_set=compute_set):
                self.close()
                phases = [*self.pending, tuple(compute_set.vertices)]
                self.pending = []
                self.open = _Open(program.name or compute_set.name, phases, computes=True)
            case Copy():
                self._copy(program)
            case Repeat(count=count, body=body):
                if count == 1:
                    self.add(body)
                elif count:
                    self.settle()
                    self.steps.append(RepeatStep(count, self._block(body)))
            case RepeatWhile(predicate=predicate, body=body):
                view = self._broadcast(predicate)
                self.settle()
                self.steps.append(WhileStep(view, self._block(body, predicate)))
            case If(predicate=predicate, then=then, else_=else_):
                view = self._broadcast(predicate)
                self.settle()
                self.steps.append(IfStep(view, self._block(then), self._block(else_)))
            case Call(function=function):
                self.settle()
                self.steps.append(CallStep(self.lowering.function(function)))
            case _:
                raise TypeError(f"a program must be made of the nodes there are, not {program!r}")

    def close(self) -> None:
        """End the superstep that is being put together."""
        if self.open is None:
            return
        now, self.open = self.open, None
        barrier = now.computes or bool(now.transfers)
        route = self.lowering.router.route(now.name, now.moves, barrier=barrier)
        transfers = (*now.transfers, *route.transfers)
        if now.computes or transfers:
            superstep = Superstep(now.name, tuple(now.phases), transfers)
            self.steps.append(superstep)
            self.pending = []
            if route.staging:
                self.lowering.staging[superstep] = route.staging
        else:
            self.pending = now.phases
        if route.after:
            self.pending.append(route.after)

    def settle(self) -> None:
        """End the superstep, and leave nothing pending: the next step is not one of them."""
        self.close()
        if self.pending:
            self.steps.append(Superstep("copy", tuple(self.pending)))
            self.pending = []

    def _block(self, body: Program, predicate: View | None = None) -> tuple[Step, ...]:
        """Lower a body by itself, with the predicate's broadcast at its end."""
        builder = _Builder(self.lowering)
        builder.add(body)
        if predicate is not None:
            builder._broadcast(predicate)
        builder.settle()
        return tuple(builder.steps)

    def _copy(self, copy: Copy) -> None:
        source, destination = copy.source, copy.destination
        same = source.variable is destination.variable
        if same and np.intersect1d(source.index, destination.index).size:
            # All is read before anything is written: go through a variable of its own.
            name = f"{source.variable.name}.copy"
            between = self.lowering.router.variable(name, source.size, source.dtype)
            between.tiles[:] = source.variable.tiles[source.index.reshape(-1)]
            self.lowering.persistent.append(between)
            self._copy(Copy(source.reshape(-1), between.all, name=copy.name))
            self._copy(Copy(between.all, destination.reshape(-1), name=copy.name))
            return
        name = copy.name or f"copy {source.variable.name} to {destination.variable.name}"
        now = self._open_for(name, source, destination)
        now.moves += self.lowering.router.moves(copy)

    def _open_for(self, name: str, source: View, destination: View) -> _Open:
        """Return the superstep that a copy goes to."""
        if self.open is not None and not self.open.takes(source, destination):
            self.close()
        if self.open is None:
            self.open, self.pending = _Open(name, self.pending), []
        self.open.note(source, destination)
        return self.open

    def _broadcast(self, predicate: View) -> View:
        """Bring a predicate to every tile; return it as the steps want it."""
        if self.lowering.config.tiles == 1:
            return predicate
        width = self.lowering.router.width(predicate.dtype)
        variable, element = predicate.variable, int(predicate.index[0])
        offset = (element - int(self.lowering.router.regions(variable)[element])) % width
        slots = self.lowering.slots(predicate.dtype)
        here = slots[offset::width]
        now = self._open_for(f"predicate {variable.name}", predicate, slots.all)
        count = offset + 1  # from the start of the bus word that it is in
        source = Piece(variable, element - offset, count, int(variable.tiles[element]))
        tiles = range(self.lowering.config.tiles)
        now.transfers.append(
            Transfer(source, tuple(Piece(slots, t * width, count, t) for t in tiles))
        )
        return here
