"""Programs: what to execute, in which order, and what to copy between tiles.

A program is a tree of these nodes. Nodes are immutable, and the same node may occur in several
places. Each may carry a name for reports.
"""

from dataclasses import dataclass, field

import numpy as np

from openipu.sw.graph import ComputeSet, GraphError, Variable, View


@dataclass(frozen=True, eq=False)
class Program:
    """A node."""

    name: str = field(default="", kw_only=True)


@dataclass(frozen=True, eq=False, init=False)
class Sequence(Program):
    """Nodes one after another: `Sequence(a, b, c)`."""

    steps: tuple[Program, ...]

    def __init__(self, *steps: Program, name: str = "") -> None:
        for step in steps:
            _check_program("Sequence step", step)
        object.__setattr__(self, "steps", steps)
        object.__setattr__(self, "name", name)


@dataclass(frozen=True, eq=False)
class Execute(Program):
    """Run all vertices of a compute set."""

    compute_set: ComputeSet

    def __post_init__(self) -> None:
        if not isinstance(self.compute_set, ComputeSet):
            raise TypeError(f"Execute needs a ComputeSet, not {self.compute_set!r}")


@dataclass(frozen=True, eq=False, init=False)
class Copy(Program):
    """Copy elements, in order, from one view to another of the same size and dtype.

    All elements are read before any is written. Elements of the source may repeat (a broadcast),
    those of the destination may not. A whole Variable stands for its view.
    """

    source: View
    destination: View

    def __init__(
        self, source: View | Variable, destination: View | Variable, *, name: str = ""
    ) -> None:
        views = []
        for what, value in (("source", source), ("destination", destination)):
            view = value.all if isinstance(value, Variable) else value
            if not isinstance(view, View):
                raise TypeError(f"Copy {what} must be a Variable or View, not {value!r}")
            views.append(view)
        read, written = views
        if read.size != written.size or read.dtype != written.dtype:
            raise GraphError(
                f"Copy must have source and destination of one size and dtype, not "
                f"{read.size} {read.dtype} of {read.variable.name} and "
                f"{written.size} {written.dtype} of {written.variable.name}"
            )
        if np.unique(written.index).size != written.size:
            raise GraphError(
                "Copy destination must name each element once, but some of "
                f"{written.variable.name} repeat"
            )
        object.__setattr__(self, "source", read)
        object.__setattr__(self, "destination", written)
        object.__setattr__(self, "name", name)


@dataclass(frozen=True, eq=False)
class Repeat(Program):
    """Run the body `count` times; 0 is allowed."""

    count: int
    body: Program

    def __post_init__(self) -> None:
        if not isinstance(self.count, int) or isinstance(self.count, bool):
            raise TypeError(f"Repeat count must be an int, not {self.count!r}")
        if not 0 <= self.count < 1 << 32:
            raise ValueError(f"Repeat count must be from 0 to 2**32-1, not {self.count!r}")
        _check_program("Repeat body", self.body)


@dataclass(frozen=True, eq=False, init=False)
class RepeatWhile(Program):
    """Run the body as long as the predicate is not zero; it is looked at before each run."""

    predicate: View
    body: Program

    def __init__(self, predicate: View | Variable, body: Program, *, name: str = "") -> None:
        _check_program("RepeatWhile body", body)
        object.__setattr__(self, "predicate", _predicate("RepeatWhile", predicate))
        object.__setattr__(self, "body", body)
        object.__setattr__(self, "name", name)


@dataclass(frozen=True, eq=False, init=False)
class If(Program):
    """Run `then` if the predicate is not zero, `else_` (by default nothing) otherwise."""

    predicate: View
    then: Program
    else_: Program

    def __init__(
        self,
        predicate: View | Variable,
        then: Program,
        else_: Program | None = None,
        *,
        name: str = "",
    ) -> None:
        otherwise = Sequence() if else_ is None else else_
        _check_program("If then", then)
        _check_program("If else_", otherwise)
        object.__setattr__(self, "predicate", _predicate("If", predicate))
        object.__setattr__(self, "then", then)
        object.__setattr__(self, "else_", otherwise)
        object.__setattr__(self, "name", name)


@dataclass(frozen=True, eq=False)
class Function:
    """A program that several `Call`s share: its code is on the tiles once."""

    name: str
    body: Program

    def __post_init__(self) -> None:
        _check_program("Function body", self.body)


@dataclass(frozen=True, eq=False)
class Call(Program):
    """Run a function."""

    function: Function

    def __post_init__(self) -> None:
        if not isinstance(self.function, Function):
            raise TypeError(f"Call needs a Function, not {self.function!r}")


def _check_program(what: str, value: object) -> None:
    if not isinstance(value, Program):
        raise TypeError(f"{what} must be a program node, not {value!r}")


def _predicate(what: str, value: View | Variable) -> View:
    view = value.all if isinstance(value, Variable) else value
    if not isinstance(view, View):
        raise TypeError(f"{what} predicate must be a Variable or View, not {value!r}")
    if view.size != 1 or view.dtype not in ("int32", "uint32"):
        raise GraphError(
            f"{what} predicate must be one element of int32 or uint32, not {view.size} of "
            f"{view.dtype} ({view.variable.name})"
        )
    return view.reshape(1)
