"""What a program is lowered to: supersteps with their vertices and transfers, and control flow.

Both code generation and the golden backend work from this tree, so what it means is defined here.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from openipu.sw.graph import Variable, Vertex, View

Phase = tuple[Vertex, ...]
"""Vertices that run at the same time."""


@dataclass(frozen=True)
class Piece:
    """Elements `first` to `first + count - 1` of a variable, all on one tile."""

    variable: Variable
    first: int
    count: int
    tile: int

    @property
    def end(self) -> int:
        """The element after the last."""
        return self.first + self.count


@dataclass(frozen=True)
class Transfer:
    """A piece that goes over the exchange from its tile to every destination.

    All pieces have the same count and begin at a bus word; of its last bus word only the counted
    elements matter. No tile has two of the destinations.
    """

    source: Piece
    destinations: tuple[Piece, ...]


@dataclass(frozen=True, eq=False)
class Step:
    """A node of the tree. It belongs to every tile of the chip."""


@dataclass(frozen=True, eq=False)
class Superstep(Step):
    """Compute, meet the barrier, exchange.

    On each tile the vertices of a phase run at the same time, and phase comes after phase. Then
    comes the barrier of the whole chip, then all transfers at once: each reads what was there at
    the barrier.
    """

    name: str
    phases: tuple[Phase, ...]
    transfers: tuple[Transfer, ...] = ()

    @property
    def vertices(self) -> Iterator[Vertex]:
        """All vertices, phase after phase."""
        for phase in self.phases:
            yield from phase


@dataclass(frozen=True, eq=False)
class HostSync(Step):
    """Finish the phases, then rest until the host lets the chip go on."""

    phases: tuple[Phase, ...] = ()


@dataclass(frozen=True, eq=False)
class RepeatStep(Step):
    """Run the body `count` times, once at least."""

    count: int
    body: tuple[Step, ...]


@dataclass(frozen=True, eq=False)
class WhileStep(Step):
    """Run the body as long as the predicate is not zero.

    `predicate` has one element for each tile, on that tile; all are equal whenever it is looked at.
    """

    predicate: View
    body: tuple[Step, ...]


@dataclass(frozen=True, eq=False)
class IfStep(Step):
    """Run `then` if the predicate (as for `WhileStep`) is not zero, `else_` otherwise."""

    predicate: View
    then: tuple[Step, ...]
    else_: tuple[Step, ...]


@dataclass(frozen=True, eq=False)
class FunctionStep:
    """What several `CallStep`s run."""

    name: str
    body: tuple[Step, ...]


@dataclass(frozen=True, eq=False)
class CallStep(Step):
    """Run a function."""

    function: FunctionStep


@dataclass(frozen=True, eq=False)
class Lowered:
    """A lowered program.

    `steps` end with a HostSync, after which they begin anew. `variables` are the graph's;
    `persistent` are the compiler's own that keep their values, `staging` those that only one
    superstep uses, from its exchange to the next barrier.
    """

    steps: tuple[Step, ...]
    variables: tuple[Variable, ...]
    persistent: tuple[Variable, ...] = ()
    staging: dict[Superstep, tuple[Variable, ...]] = field(default_factory=dict)


def walk(steps: Iterable[Step]) -> Iterator[Step]:
    """Yield every step of a tree once, those of functions at their first call."""
    seen: set[FunctionStep] = set()

    def visit(steps: Iterable[Step]) -> Iterator[Step]:
        for step in steps:
            yield step
            match step:
                case RepeatStep(body=body) | WhileStep(body=body):
                    yield from visit(body)
                case IfStep(then=then, else_=else_):
                    yield from visit(then)
                    yield from visit(else_)
                case CallStep(function=function) if function not in seen:
                    seen.add(function)
                    yield from visit(function.body)

    return visit(steps)
