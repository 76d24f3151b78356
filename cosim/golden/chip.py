"""The instruction-level model of a chip: tiles, barrier, exchange, and what the host sees.

Its methods are those of `cosim.session.Session`, so that whatever drives the one drives the other.
"""

from dataclasses import dataclass

from openipu.cosim.errors import CycleLimitError, SimulationError, TrapError
from openipu.cosim.golden.exchange import exchange
from openipu.cosim.golden.hart import State, TrapReport
from openipu.cosim.golden.tile import TileISS
from openipu.rtl.config import ChipConfig
from openipu.rtl.isa import XTRAP_CODE_SHIFT, Cause, Zone
from openipu.rtl.layouts import EXCHANGE_THREAD


@dataclass(frozen=True, kw_only=True)
class Status:
    """Why the chip rests; `zone` is that of the barrier. `cycles` and `barriers` are since `boot`.

    The model has no clock: `cycles` counts the instructions of the busiest tile in each superstep.
    """

    host_sync: bool = False
    step_rest: bool = False
    all_halted: bool = False
    zone: int = 0
    cycles: int = 0
    barriers: int = 0


@dataclass(frozen=True, kw_only=True)
class TilePlace:
    """Where a tile stands: what it does, and the pc of each context with whether it runs."""

    tile: int
    doing: str
    threads: tuple[tuple[int, bool], ...]


class ChipISS:
    """A chip that executes machine code."""

    def __init__(self, config: ChipConfig, *, tracing: bool = False) -> None:
        self.config = config
        self.tiles = [TileISS(config.tile, tile, tracing=tracing) for tile in range(config.tiles)]
        self.cycles = 0
        self.barriers = 0
        self._resting = False  # at a barrier

    # Memory.

    def load(self, tile: int, address: int, content: bytes) -> None:
        """Put bytes into a tile's memory."""
        self.tiles[tile].memory.write(address, bytes(content))

    def broadcast(self, address: int, content: bytes) -> None:
        """Put the same bytes into every tile's memory."""
        for tile in self.tiles:
            tile.memory.write(address, bytes(content))

    def read(self, tile: int, address: int, size: int) -> bytes:
        """Return bytes of a tile's memory."""
        return self.tiles[tile].memory.read(address, size)

    # Running.

    def boot(self, pc: int = 0, thread: int | None = None) -> None:
        """Reset the chip and start a context (by default the supervisor) of every tile."""
        self.cycles = self.barriers = 0
        self._resting = False
        for tile in self.tiles:
            tile.boot(pc, self.config.tile.supervisor if thread is None else thread)

    def run(self, max_cycles: int = 1_000_000_000) -> Status:
        """Go on to the next rest: a host sync, or the end of all tiles.

        Raises CycleLimitError if none comes while a tile executes `max_cycles` instructions;
        another `run` then continues. Raises TrapError if a tile traps.
        """
        return self._go(max_cycles, stepping=False)

    def step(self, max_cycles: int = 1_000_000_000) -> Status:
        """Go on as `run` does, but rest at the next barrier too: one superstep."""
        return self._go(max_cycles, stepping=True)

    def release(self) -> None:
        """Check that the chip rests at a barrier, which the next `run` or `step` releases."""
        if not self._resting:
            raise SimulationError("release must follow a rest at a barrier")

    def where(self) -> list[TilePlace]:
        """Return where the tiles and their threads stand."""
        return [
            TilePlace(
                tile=number,
                doing=_doing(tile),
                threads=tuple((hart.pc, hart.state is State.RUNNING) for hart in tile.harts),
            )
            for number, tile in enumerate(self.tiles)
        ]

    def _go(self, max_cycles: int, *, stepping: bool) -> Status:
        left = max_cycles
        if self._resting:
            self._pass_barrier()
        while True:
            self._check_traps()
            spent = max(tile.run(left) for tile in self.tiles)
            left -= spent
            self.cycles += spent
            self._check_traps()
            waiting = [tile for tile in self.tiles if not tile.halted]
            if not waiting:
                return Status(all_halted=True, cycles=self.cycles, barriers=self.barriers)
            if not all(tile.waiting for tile in waiting):
                raise CycleLimitError(max_cycles, self._places())
            zones = {tile.supervisor.zone for tile in waiting}  # halted tiles take part in any
            if len(zones) > 1:
                raise TrapError(
                    tile=0, thread=None, pc=0, cause=Cause.ZONE_MISMATCH, code=0, value=0,
                    detail=self._places(),
                )  # fmt: skip
            (zone,) = zones
            if stepping or zone is Zone.HOST:
                self._resting = True
                return Status(
                    host_sync=zone is Zone.HOST, step_rest=stepping, zone=zone.value,
                    cycles=self.cycles, barriers=self.barriers,
                )  # fmt: skip
            self._pass_barrier()

    def _pass_barrier(self) -> None:
        self._resting = False
        self.barriers += 1
        exchange(self.config, self.tiles)
        if not any(tile.trap for tile in self.tiles):
            for tile in self.tiles:
                if tile.supervisor.state is State.SYNC:
                    tile.supervisor.state = State.RUNNING

    def _check_traps(self) -> None:
        for tile in self.tiles:
            if tile.trap is not None:
                raise _error(tile.trap)

    def _places(self) -> str:
        lines = []
        for place in self.where():
            pcs = enumerate(place.threads)
            threads = [f"thread {context} at {pc:#x}" for context, (pc, runs) in pcs if runs]
            lines.append(
                f"  tile {place.tile}: {place.doing}; {', '.join(threads) or 'no thread runs'}"
            )
        return "\n".join(lines)


def _doing(tile: TileISS) -> str:
    if tile.trap is not None:
        return "trapped"
    if tile.halted:
        return "halted"
    supervisor = tile.supervisor
    if supervisor.state is State.SYNC:
        return f"waits at a barrier of zone {supervisor.zone.value}"
    return "computes"


def _error(trap: TrapReport) -> TrapError:
    return TrapError(
        tile=trap.tile,
        thread=None if trap.thread == EXCHANGE_THREAD else trap.thread,
        pc=trap.pc,
        cause=Cause(trap.cause & (1 << XTRAP_CODE_SHIFT) - 1),
        code=trap.cause >> XTRAP_CODE_SHIFT,
        value=trap.value,
    )
