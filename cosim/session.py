"""A live simulated chip that Python talks to: load, boot, run to the next rest, look, go on.

One simulator process serves a whole session. Memories are mapped by both sides, so that loading and
reading megabytes takes milliseconds; the simulated host port can do the same (`write_axi`), only
slowly. While nothing is asked for, nothing is simulated.
"""

import shutil
import signal
import socket
import subprocess
import tempfile
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
from amaranth.lib import data
from numpy.typing import NDArray

from openipu.cosim.build import PLAIN, BuildOptions, Simulator
from openipu.cosim.chip import build_chip
from openipu.cosim.errors import (
    CycleLimitError,
    HostPortError,
    SimulationError,
    SimulatorDiedError,
    TrapError,
)
from openipu.rtl.config import ChipConfig
from openipu.rtl.host import control
from openipu.rtl.isa import XTRAP_CODE_SHIFT, Cause, Zone
from openipu.rtl.layouts import EXCHANGE_THREAD, Events
from openipu.rtl.tile import host as tile_host

MEMORY_STRIDE = control.TILE_MEMORY_STEP
"""Bytes from one tile's memory to the next in the shared file; see hdl/openipu_sram_bank.v."""

TRACE_DTYPE = np.dtype(
    [("cycle", "<u8"), ("tile", "<u2"), ("thread", "u1"), ("rd_file", "u1"), ("rd", "u1"),
     ("memory", "u1"), ("unused", "V2"), ("pc", "<u4"), ("address", "<u4"), ("value", "<u8"),
     ("data", "<u8")]
)  # fmt: skip
"""A retired instruction: when, where, and the fields of `layouts.TraceRecord`."""

COUNTERS = tuple(name for name, _ in data.Layout.cast(Events))
"""The names of a tile's counters."""

DEFAULT_MAX_CYCLES = 1_000_000_000
_RUN, _STEP, _RELEASE, _CLEAR_COUNTERS = 1, 2, 4, 8  # CONTROL
_WORDS_PER_REQUEST = 4096
_TILES_SHOWN = 64


@dataclass(frozen=True, kw_only=True)
class Status:
    """Why the chip rests, and what running took.

    Attributes
    ----------
    resting, host_sync, step_rest, all_halted, trapped, zone_mismatch : bool
        The chip's STATUS register.
    zone : int
        `isa.Zone` of the barrier at which it rests.
    cycles, barriers : int
        Chip cycles and barriers passed since `boot`.
    simulated_cycles : int
        Clock cycles that the last `run` or `step` simulated.
    seconds : float
        What that took.
    """

    resting: bool
    host_sync: bool
    step_rest: bool
    all_halted: bool
    trapped: bool
    zone_mismatch: bool
    zone: int
    cycles: int
    barriers: int
    simulated_cycles: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, kw_only=True)
class TilePlace:
    """Where a tile stands: what it does, and the pc of each context with whether it runs."""

    tile: int
    doing: str
    threads: tuple[tuple[int, bool], ...]


class Session:
    """A simulator process with one chip, as a context manager.

    Parameters
    ----------
    config : ChipConfig
        The chip; its simulator is built unless it is kept.
    options : BuildOptions
        What the simulator can do besides.
    waves : Path, optional
        Write waves (FST) to this file.
    simulator : Simulator, optional
        Use this one, which must be of the same chip.
    progress : callable, optional
        Called with the cycles of the current run, some times a second.

    Attributes
    ----------
    memory : ndarray of uint8, (tiles, memory_bytes)
        The tiles' memories themselves. Valid to touch while the chip rests.
    last_cycles : int
    last_seconds : float
        Clock cycles that the last `run` or `step` simulated, and what that took.

    Raises
    ------
    SimulationError
        And its subclasses, from every method.
    """

    def __init__(
        self,
        config: ChipConfig,
        options: BuildOptions = PLAIN,
        *,
        waves: Path | None = None,
        simulator: Simulator | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> None:
        self.config = config
        self.progress = progress
        self.simulator = simulator or build_chip(config, options)
        if waves is not None and not options.waves:
            raise ValueError("waves needs a simulator built with BuildOptions(waves=True)")
        self._directory = Path(tempfile.mkdtemp(prefix="openipu-"))
        self._log = self._directory / "simulator.log"
        self._trace_read = 0
        self._booted = self._started = False
        self.last_cycles = 0
        self.last_seconds = 0.0
        try:
            self.memory = self._map_memory()
            self._process, self._connection = self._start(waves)
        except BaseException:
            shutil.rmtree(self._directory, ignore_errors=True)
            raise
        self._finalizer = weakref.finalize(
            self, _clean_up, self._process, self._connection, self._directory
        )
        self._reply()  # the server is ready

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
        """End the simulator and remove its files. Waves and coverage are complete after this."""
        if self._finalizer.alive:
            try:
                self._ask("close")
                self._process.wait(timeout=30)
            except (SimulationError, subprocess.TimeoutExpired):
                pass  # it is ended the hard way below
            self._finalizer()

    # Memory.

    def load(self, tile: int, address: int, content: bytes | NDArray[Any]) -> None:
        """Put bytes, or an array's bytes, into a tile's memory at once."""
        raw = _as_bytes(content)
        self._span(tile, address, len(raw))[:] = raw

    def broadcast(self, address: int, content: bytes | NDArray[Any]) -> None:
        """Put the same bytes into every tile's memory at once."""
        raw = _as_bytes(content)
        self._span(0, address, len(raw))
        self.memory[:, address : address + len(raw)] = raw

    def read(self, tile: int, address: int, size: int) -> bytes:
        """Return bytes of a tile's memory."""
        return self._span(tile, address, size).tobytes()

    def write_axi(self, address: int, content: bytes | NDArray[Any]) -> None:
        """Write through the simulated host port; `address` is one of the host's address map."""
        response = self._ask("write", address, _as_bytes(content).tobytes())
        if response:
            raise HostPortError("write", address, response)

    def read_axi(self, address: int, size: int) -> bytes:
        """Read through the simulated host port; `address` is one of the host's address map."""
        response, content = self._ask("read", address, size)
        if response:
            raise HostPortError("read", address, response)
        return bytes(content)

    # Running.

    def reset(self) -> None:
        """Reset the chip. Memories keep what they hold."""
        self._ask("reset")
        self._booted = self._started = False

    def boot(self, pc: int = 0, thread: int | None = None) -> None:
        """Stop the chip, and set the context (by default the supervisor) and pc of the next `run`.

        Counters are cleared.
        """
        thread = self.config.tile.supervisor if thread is None else thread
        if not 0 <= thread < self.config.tile.contexts:
            raise ValueError(
                f"thread must be from 0 to {self.config.tile.contexts - 1}, not {thread!r}"
            )
        self._write_register(control.CONTROL, 0)
        self._write_register(control.BOOT, thread << 32 | pc)
        self._write_register(control.CONTROL, _CLEAR_COUNTERS)
        self._booted, self._started = True, False

    def run(self, max_cycles: int = DEFAULT_MAX_CYCLES) -> Status:
        """Go on to the next rest: a host sync, the end of all tiles, a trap.

        Raises CycleLimitError if none comes within `max_cycles`; another `run` then continues.
        Raises TrapError if a tile traps.
        """
        return self._go(_RUN, max_cycles)

    def step(self, max_cycles: int = DEFAULT_MAX_CYCLES) -> Status:
        """Go on as `run` does, but rest at the next barrier too: one superstep."""
        return self._go(_RUN | _STEP, max_cycles)

    def release(self) -> None:
        """Check that the chip rests at a barrier, which the next `run` or `step` releases."""
        status = self.status()
        if not (status.host_sync or status.step_rest):
            raise SimulationError("release must follow a rest at a barrier")

    def status(self) -> Status:
        """Return why the chip rests, with its counts of cycles and barriers."""
        bits, cycles, barriers = self._registers(
            [control.STATUS, control.CYCLES, control.BARRIERS]
        )
        return Status(
            resting=bool(bits & 1),
            host_sync=bool(bits & 2),
            step_rest=bool(bits & 4),
            all_halted=bool(bits & 8),
            trapped=bool(bits & 16),
            zone_mismatch=bool(bits & 32),
            zone=bits >> 6 & 3,
            cycles=cycles,
            barriers=barriers,
            simulated_cycles=self.last_cycles,
            seconds=self.last_seconds,
        )

    @property
    def cycles(self) -> int:
        """Chip cycles since `boot`."""
        return self._registers([control.CYCLES])[0]

    def counters(self, tile: int) -> dict[str, int]:
        """Return a tile's counters by the names of `layouts.Events`."""
        self._check_tile(tile)
        base = _tile_registers(tile) + tile_host.COUNTERS
        values = self._registers([base + 8 * i for i in range(len(COUNTERS))])
        return dict(zip(COUNTERS, values, strict=True))

    def where(self, tiles: Sequence[int] | None = None) -> list[TilePlace]:
        """Return where tiles (by default all) and their threads stand."""
        chosen = range(self.config.tiles) if tiles is None else tiles
        offsets = [tile_host.STATUS]
        offsets += [tile_host.PC + 8 * context for context in range(self.config.tile.contexts)]
        values = self._registers([_tile_registers(t) + o for t in chosen for o in offsets])
        places = []
        for i, tile in enumerate(chosen):
            status, *pcs = values[i * len(offsets) : (i + 1) * len(offsets)]
            threads = tuple((pc, bool(status >> c & 1)) for c, pc in enumerate(pcs))
            places.append(TilePlace(tile=tile, doing=_doing(status), threads=threads))
        return places

    def trace(self) -> NDArray[np.void]:
        """Return the instructions retired since the last call, as an array of `TRACE_DTYPE`.

        Raises SimulationError if the chip has no trace port.
        """
        if not self.config.tile.trace:
            raise SimulationError("a trace needs a chip with TileConfig(trace=True)")
        path = self._directory / "trace"
        records: NDArray[np.void] = np.fromfile(path, TRACE_DTYPE, offset=self._trace_read)
        self._trace_read += records.nbytes
        return records

    # Inside.

    def _go(self, bits: int, max_cycles: int) -> Status:
        if not self._booted:
            raise SimulationError("boot must be called before the chip can run")
        if not isinstance(max_cycles, int) or max_cycles < 1:
            raise ValueError(f"max_cycles must be an int from 1 on, not {max_cycles!r}")
        if not self._started:
            outcome = self._ask("go", bits, max_cycles)
            self._started = True
        else:
            status = self.status()
            if status.all_halted:
                raise SimulationError("the program has ended on all tiles; boot must come first")
            if status.resting:
                outcome = self._ask("go", bits | _RELEASE, max_cycles)
            else:  # after a cycle limit
                self._write_register(control.CONTROL, bits)
                outcome = self._ask("wait", max_cycles)
        rests, self.last_cycles, self.last_seconds = outcome
        status = self.status()
        if status.trapped or status.zone_mismatch:
            raise self._trap_error(status)
        if not rests:
            raise CycleLimitError(max_cycles, self._place_table())
        return status

    def _trap_error(self, status: Status) -> TrapError:
        (tile,) = self._registers([control.TRAP_TILE])
        base = _tile_registers(tile)
        bits, trap, where = self._registers(
            [base + o for o in (tile_host.STATUS, tile_host.TRAP, tile_host.TRAP_WHERE)]
        )
        if status.zone_mismatch and not bits >> 14 & 1:  # the chip's trap, no tile's
            return TrapError(
                tile=0, thread=None, pc=0, cause=Cause.ZONE_MISMATCH, code=0, value=0,
                detail=self._place_table(),
            )  # fmt: skip
        thread, cause = trap >> 32 & 15, trap & 0xFFFF_FFFF
        return TrapError(
            tile=tile,
            thread=None if thread == EXCHANGE_THREAD else thread,
            pc=where & 0xFFFF_FFFF,
            cause=Cause(cause & (1 << XTRAP_CODE_SHIFT) - 1),
            code=cause >> XTRAP_CODE_SHIFT,
            value=where >> 32,
        )

    def _place_table(self) -> str:
        places = self.where(range(min(self.config.tiles, _TILES_SHOWN)))
        lines = []
        for place in places:
            threads = ", ".join(
                f"{'supervisor' if c == self.config.tile.supervisor else f'worker {c}'} at {pc:#x}"
                for c, (pc, runs) in enumerate(place.threads)
                if runs
            )
            lines.append((f"{place.doing}; {threads or 'no thread runs'}", place.tile))
        table = []
        for text in dict.fromkeys(text for text, _ in lines):
            tiles = [tile for other, tile in lines if other == text]
            table.append(f"  tile {_ranges(tiles)}: {text}")
        if self.config.tiles > _TILES_SHOWN:
            table.append(f"  ({self.config.tiles - _TILES_SHOWN} more tiles not shown)")
        return "\n".join(table)

    def _registers(self, addresses: Sequence[int]) -> list[int]:
        words: list[int] = []
        for i in range(0, len(addresses), _WORDS_PER_REQUEST):
            words += self._ask("read_words", list(addresses[i : i + _WORDS_PER_REQUEST]))
        return words

    def _write_register(self, address: int, value: int) -> None:
        self.write_axi(address, value.to_bytes(8, "little"))

    def _check_tile(self, tile: int) -> None:
        if not 0 <= tile < self.config.tiles:
            raise ValueError(f"tile must be from 0 to {self.config.tiles - 1}, not {tile!r}")

    def _span(self, tile: int, address: int, size: int) -> NDArray[np.uint8]:
        self._check_tile(tile)
        limit = self.config.tile.memory_bytes
        if not (0 <= address and 0 <= size and address + size <= limit):
            raise ValueError(
                f"address and size must lie in the tile's {limit:#x} bytes, "
                f"not {address:#x} and {size:#x}"
            )
        view: NDArray[np.uint8] = self.memory[tile, address : address + size]
        return view

    def _map_memory(self) -> NDArray[np.uint8]:
        path = self._directory / "memory"
        shape = (self.config.tiles, MEMORY_STRIDE)
        mapped = np.memmap(path, np.uint8, "w+", shape=shape)
        return np.asarray(mapped)[:, : self.config.tile.memory_bytes]

    def _start(self, waves: Path | None) -> tuple[subprocess.Popen[bytes], Connection]:
        ours, theirs = socket.socketpair()
        environment = self.simulator.environment("openipu.cosim.server") | {
            "OPENIPU_CONNECTION": str(theirs.fileno()),
            "OPENIPU_MEMORY": str(self._directory / "memory"),
            "COCOTB_RESULTS_FILE": str(self._directory / "results.xml"),
            "COCOTB_LOG_LEVEL": "WARNING",
            "GPI_LOG_LEVEL": "WARNING",
        }
        if self.config.tile.trace:
            (self._directory / "trace").touch()
            environment["OPENIPU_TRACE"] = str(self._directory / "trace")
        arguments = [f"+waves={waves.absolute()}"] if waves else []
        with theirs, self._log.open("wb") as log:
            process = subprocess.Popen(
                [self.simulator.executable, *arguments],
                cwd=self._directory, env=environment, stdin=subprocess.DEVNULL, stdout=log,
                stderr=subprocess.STDOUT, pass_fds=[theirs.fileno()],
                start_new_session=True,  # so that Ctrl-C comes here and not there
            )  # fmt: skip
        return process, Connection(ours.detach())

    def _ask(self, method: str, *arguments: object) -> Any:
        if not self._finalizer.alive:
            raise SimulationError("the session is closed")
        try:
            self._connection.send((method, arguments))
        except OSError:
            self._died()
        return self._reply()

    def _reply(self) -> Any:
        """Wait for a request's result; whatever interrupts that ends the simulator."""
        try:
            while True:
                kind, result = self._connection.recv()
                if kind == "done":
                    return result
                if kind == "error":
                    raise SimulationError(f"in the simulator: {result}")
                if self.progress is not None:
                    self.progress(result)
        except (EOFError, OSError):
            self._died()
        except SimulationError:
            raise
        except BaseException:
            self._finalizer()
            raise

    def _died(self) -> None:
        try:
            code = self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            code = None
        tail = "\n".join(self._log.read_text(errors="replace").splitlines()[-20:])
        self._finalizer()
        raise SimulatorDiedError(code, tail) from None


def _clean_up(
    process: subprocess.Popen[bytes], connection: Connection, directory: Path
) -> None:
    connection.close()
    if process.poll() is None:
        process.send_signal(signal.SIGKILL)
    process.wait()
    shutil.rmtree(directory, ignore_errors=True)


def _as_bytes(content: bytes | NDArray[Any]) -> NDArray[np.uint8]:
    if isinstance(content, np.ndarray):
        return np.ascontiguousarray(content).reshape(-1).view(np.uint8)
    return np.frombuffer(content, np.uint8)


def _tile_registers(tile: int) -> int:
    return control.TILE_REGISTERS + tile * control.TILE_REGISTERS_STEP


def _doing(status: int) -> str:
    """Put a tile's STATUS register into words."""
    if status >> 14 & 1:
        return "trapped"
    if status >> 13 & 1:
        return "halted"
    if status >> 12 & 1:
        return "exchanges"
    if status >> 9 & 1:
        return f"waits at a barrier of zone {Zone(status >> 10 & 3).name}"
    return "computes"


def _ranges(numbers: Sequence[int]) -> str:
    """Return ascending numbers as text: 0-3, 7."""
    parts: list[list[int]] = []
    for number in numbers:
        if parts and parts[-1][-1] == number - 1:
            parts[-1].append(number)
        else:
            parts.append([number])
    return ", ".join(f"{p[0]}-{p[-1]}" if len(p) > 1 else str(p[0]) for p in parts)
