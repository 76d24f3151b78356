"""Run a compiled program on a backend: the golden reference, the ISS, or the RTL."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
from elftools.elf.elffile import ELFFile
from numpy.typing import NDArray

from openipu.cosim.build import BuildOptions
from openipu.cosim.elf import describe_trap
from openipu.cosim.errors import SimulationError, TrapError
from openipu.cosim.golden.graph import GraphGolden
from openipu.cosim.golden.iss import ChipISS
from openipu.cosim.scoreboard import Scoreboard
from openipu.cosim.session import COUNTERS, DEFAULT_MAX_CYCLES, Session
from openipu.cosim.source_map import SourceMap
from openipu.sw.compiler import Executable
from openipu.sw.graph import Variable

BACKENDS = ("golden", "iss", "rtl")

_ISSUES = COUNTERS[: COUNTERS.index("sent")]
"""Counters of which exactly one counts in every cycle."""


@dataclass(frozen=True, kw_only=True)
class Phases:
    """Where a tile's cycles went: `sync` is waiting at barriers, `exchange` runs after them."""

    compute: int
    exchange: int
    sync: int


@dataclass(kw_only=True)
class Report:
    """What running took, summed over all runs.

    `cycles` are chip cycles of the RTL, instructions of the busiest tile on the ISS, and 0 on
    golden. `simulated_cycles` and `seconds` are what the simulator spent. `phases` are per tile,
    for the RTL only.
    """

    runs: int = 0
    supersteps: int = 0
    cycles: int = 0
    simulated_cycles: int = 0
    seconds: float = 0.0
    phases: list[Phases] = field(default_factory=list)


class Backend(ABC):
    """A chip that an executable has been loaded into."""

    def __init__(self, executable: Executable) -> None:
        self.executable = executable
        self.report = Report()

    @abstractmethod
    def write(self, variable: Variable, values: NDArray[Any]) -> None:
        """Set a variable's elements (flat), while the chip rests."""

    @abstractmethod
    def read(self, variable: Variable) -> NDArray[Any]:
        """Return a variable's elements (flat), while the chip rests."""

    @abstractmethod
    def run(self) -> None:
        """Run the program once, to the host's barrier."""

    def close(self) -> None:
        """Free what the backend holds."""
        return  # nothing, unless a subclass says so


class GoldenBackend(Backend):
    """The graph-level golden model."""

    def __init__(self, executable: Executable) -> None:
        super().__init__(executable)
        self.golden = GraphGolden(executable)

    def write(self, variable: Variable, values: NDArray[Any]) -> None:
        """Set a variable's elements (flat)."""
        self.golden.write(variable, values)

    def read(self, variable: Variable) -> NDArray[Any]:
        """Return a variable's elements (flat)."""
        return self.golden.read(variable)

    def run(self) -> None:
        """Run the program once."""
        self.report.supersteps += self.golden.run()
        self.report.runs += 1


class MachineBackend(Backend):
    """A chip that executes the compiled code: the RTL's simulator, or the ISS.

    With `compare`, the golden model runs beside it, and after each superstep everything that it
    wrote is compared on every tile.

    Attributes
    ----------
    scoreboard : Scoreboard or None
    """

    def __init__(
        self, executable: Executable, machine: Session | ChipISS, *, compare: bool, max_cycles: int
    ) -> None:
        super().__init__(executable)
        self.machine = machine
        self.max_cycles = max_cycles
        self.golden = GraphGolden(executable) if compare else None
        self.scoreboard = Scoreboard() if compare else None
        self.superstep: Callable[[], None] = lambda: None
        for address, content in executable.common:
            machine.broadcast(address, content)
        for tile, image in enumerate(executable.images):
            for address, content in image:
                machine.load(tile, address, content)
        machine.boot(executable.entry)

    @property
    def memory(self) -> NDArray[np.uint8]:
        """The tiles' memories, (tiles, bytes)."""
        if isinstance(self.machine, Session):
            return self.machine.memory
        return np.stack(
            [np.frombuffer(tile.memory.bytes, np.uint8) for tile in self.machine.tiles]
        )

    def write(self, variable: Variable, values: NDArray[Any]) -> None:
        """Set a variable's elements (flat)."""
        for region in self.executable.regions(variable):
            part = values[region.first : region.first + region.count]
            self.machine.load(region.tile, region.address, part.tobytes())
        if self.golden:
            self.golden.write(variable, values)

    def read(self, variable: Variable) -> NDArray[Any]:
        """Return a variable's elements (flat)."""
        values = np.empty(variable.size, variable.dtype)
        for region in self.executable.regions(variable):
            raw = self.machine.read(
                region.tile, region.address, variable.item_bytes * region.count
            )
            part = np.frombuffer(raw, variable.dtype)
            values[region.first : region.first + region.count] = part
        return values

    def run(self) -> None:
        """Run the program once, to the host's barrier.

        Raises TrapError, with the source line, CycleLimitError, and SimulationError where the
        program doesn't take the steps that it should.
        """
        try:
            resting = self._compare() if self.golden else self._run()
        except TrapError as error:
            raise SimulationError(self._describe(error)) from error
        if not resting:
            raise SimulationError("the program ended instead of waiting for the host")
        self.report.runs += 1
        if isinstance(self.machine, Session):
            self.report.phases = self._phases(self.machine)

    def close(self) -> None:
        """End the simulator."""
        if isinstance(self.machine, Session):
            self.machine.close()

    def _run(self) -> bool:
        before = self._barriers
        status = self.machine.run(self.max_cycles)
        self._count(status)
        self.report.supersteps += status.barriers - before + 1
        self._barriers = status.barriers + 1  # the host's, which the next run passes
        return status.host_sync

    _barriers = 0

    def _compare(self) -> bool:
        assert self.golden and self.scoreboard
        while True:
            status = self.machine.step(self.max_cycles)
            self._count(status)
            barrier = self.golden.step()
            self.scoreboard.check(self.scoreboard.supersteps, self.memory, barrier.regions)
            self.report.supersteps += 1
            self.superstep()
            if barrier.host != status.host_sync:
                there = "the host's barrier" if status.host_sync else "a barrier between tiles"
                raise SimulationError(
                    f"after superstep {self.report.supersteps} ({barrier.name}) the machine is at "
                    f"{there}, and the reference is not"
                )
            if barrier.host:
                return True

    def _count(self, status: Any) -> None:
        self.report.cycles = status.cycles
        self.report.simulated_cycles += getattr(status, "simulated_cycles", 0)
        self.report.seconds += getattr(status, "seconds", 0.0)

    def _phases(self, session: Session) -> list[Phases]:
        """Return where the tiles' cycles went, without those in which the chip rested."""
        total = session.cycles
        phases = []
        for tile in range(self.executable.config.tiles):
            counters = session.counters(tile)
            resting = sum(counters[name] for name in _ISSUES) - total
            exchange = counters["exchange"]
            sync = max(0, counters["sync"] - resting)
            phases.append(Phases(compute=total - exchange - sync, exchange=exchange, sync=sync))
        return phases

    def _describe(self, error: TrapError) -> str:
        """Return a trap with its source line, and with the vertex that ran where that is known."""
        return describe_trap(error, self._source)

    @cached_property
    def _source(self) -> SourceMap:
        with self.executable.elf.open("rb") as file:
            return SourceMap.from_elf(ELFFile(file))


class Engine:
    """An executable on a backend, as a context manager.

    Parameters
    ----------
    executable : Executable
    backend : str
        "golden", "iss" or "rtl".
    compare : bool
        Compare with golden after every superstep; not for golden itself.
    waves : Path, optional
        Write waves (FST) there; for the RTL only.
    max_cycles : int
        The most that one run, or with `compare` one superstep, may take.
    progress : callable, optional
        Called with the cycles of the current run now and then.
    superstep : callable, optional
        Called after every superstep that was compared.
    """

    def __init__(
        self,
        executable: Executable,
        backend: str = "golden",
        *,
        compare: bool = False,
        waves: Path | None = None,
        max_cycles: int = DEFAULT_MAX_CYCLES,
        progress: Callable[[int], None] | None = None,
        superstep: Callable[[], None] | None = None,
    ) -> None:
        if backend not in BACKENDS:
            raise ValueError(f"backend must be one of {', '.join(BACKENDS)}, not {backend!r}")
        if compare and backend == "golden":
            raise ValueError("compare needs the backend iss or rtl: golden is the reference")
        if waves is not None and backend != "rtl":
            raise ValueError(f"waves needs the backend rtl, not {backend}")
        self.executable = executable
        self._backend: Backend
        if backend == "golden":
            self._backend = GoldenBackend(executable)
        else:
            machine: Session | ChipISS
            if backend == "rtl":
                options = BuildOptions(waves=waves is not None)
                machine = Session(executable.config, options, waves=waves, progress=progress)
            else:
                machine = ChipISS(executable.config)
            self._backend = chip = MachineBackend(
                executable, machine, compare=compare, max_cycles=max_cycles
            )
            if superstep is not None:
                chip.superstep = superstep

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the backend."""
        self._backend.close()

    @property
    def report(self) -> Report:
        """What running took so far."""
        return self._backend.report

    @property
    def machine(self) -> Session | ChipISS | None:
        """The chip that executes the program; golden has none."""
        return self._backend.machine if isinstance(self._backend, MachineBackend) else None

    @property
    def scoreboard(self) -> Scoreboard | None:
        """The comparison, if there is one."""
        return self._backend.scoreboard if isinstance(self._backend, MachineBackend) else None

    def write(self, variable: Variable | str, values: NDArray[Any]) -> None:
        """Set a variable, whose shape and dtype the values must have."""
        target = self._variable(variable)
        array = np.asarray(values)
        if array.shape != target.shape or array.dtype.name != target.dtype:
            raise ValueError(
                f"{target.name} must be {target.dtype} {list(target.shape)}, not "
                f"{array.dtype.name} {list(array.shape)}"
            )
        self._backend.write(target, np.ascontiguousarray(array).reshape(-1))

    def read(self, variable: Variable | str) -> NDArray[Any]:
        """Return a variable's value."""
        source = self._variable(variable)
        return self._backend.read(source).reshape(source.shape)

    def run(self) -> None:
        """Run the program once. Raises SimulationError."""
        self._backend.run()

    def _variable(self, variable: Variable | str) -> Variable:
        if isinstance(variable, Variable):
            return variable
        try:
            return self.executable.variables[variable]
        except KeyError:
            known = ", ".join(self.executable.variables)
            raise ValueError(f"variable must be one of {known}, not {variable!r}") from None
