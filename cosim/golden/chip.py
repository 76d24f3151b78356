"""The instruction-level model of a chip: tiles, barrier, exchange, and what the host sees."""

from dataclasses import dataclass, field

from openipu.cosim.golden.exchange import exchange
from openipu.cosim.golden.hart import State, TrapReport
from openipu.cosim.golden.tile import TileISS
from openipu.rtl.config import ChipConfig
from openipu.rtl.isa import Zone


@dataclass(frozen=True)
class Status:
    """Why the chip rests: at least one of these, or the limit of `run` was reached (`limit`)."""

    host_sync: bool = False
    step_rest: bool = False
    all_halted: bool = False
    zone_mismatch: bool = False
    limit: bool = False
    traps: list[TrapReport] = field(default_factory=list)

    @property
    def trapped(self) -> bool:
        """Whether a tile trapped."""
        return bool(self.traps)


class ChipISS:
    """A chip that executes machine code. `step`: rest at every barrier, not only the host's.

    `instructions` counts what was issued since `boot`, `barriers` the barriers passed.
    """

    def __init__(self, config: ChipConfig, *, tracing: bool = False) -> None:
        self.config = config
        self.step = False
        self.tiles = [TileISS(config.tile, tile, tracing=tracing) for tile in range(config.tiles)]
        self.instructions = 0
        self.barriers = 0
        self._rests = False

    def read(self, tile: int, address: int, length: int) -> bytes:
        """Return `length` bytes of a tile's memory."""
        return self.tiles[tile].memory.read(address, length)

    def write(self, tile: int, address: int, data: bytes) -> None:
        """Write bytes into a tile's memory."""
        self.tiles[tile].memory.write(address, data)

    def broadcast(self, address: int, data: bytes) -> None:
        """Write the same bytes into every tile's memory."""
        for tile in self.tiles:
            tile.memory.write(address, data)

    def boot(self, pc: int = 0, thread: int | None = None) -> None:
        """Reset the chip and start a context (the supervisor by default) of every tile."""
        self.instructions = self.barriers = 0
        self._rests = False
        for tile in self.tiles:
            tile.boot(pc, self.config.tile.supervisor if thread is None else thread)

    def release(self) -> None:
        """Let the chip go on, after a rest at a barrier; the next `run` does so."""
        if not self._rests or len(self._zones()) > 1:
            raise ValueError("release must follow a rest at a barrier")
        self._pass_barrier()

    def run(self, max_instructions: int = 1_000_000_000) -> Status:
        """Run until the chip rests, or has issued that many instructions more."""
        left = max_instructions
        while True:
            if not any(tile.trap for tile in self.tiles):
                for tile in self.tiles:
                    left -= self._run_tile(tile, left)
            traps = [tile.trap for tile in self.tiles if tile.trap]
            if traps:
                return Status(traps=traps)
            if all(tile.halted for tile in self.tiles):
                return Status(all_halted=True)
            if not all(tile.halted or tile.waiting for tile in self.tiles):
                return Status(limit=True)
            zones = self._zones()
            if self.step or Zone.HOST in zones or len(zones) > 1:
                self._rests = True
                return Status(
                    host_sync=zones == {Zone.HOST},
                    step_rest=self.step,
                    zone_mismatch=len(zones) > 1,
                )
            self._pass_barrier()

    def _run_tile(self, tile: TileISS, limit: int) -> int:
        done = tile.run(limit)
        self.instructions += done
        return done

    def _zones(self) -> set[Zone]:
        """Return the zones that the tiles wait at; halted tiles take part in any."""
        return {tile.supervisor.zone for tile in self.tiles if not tile.halted}

    def _pass_barrier(self) -> None:
        self._rests = False
        self.barriers += 1
        waiting = [tile for tile in self.tiles if tile.supervisor.state is State.SYNC]
        exchange(self.config, self.tiles)
        if not any(tile.trap for tile in self.tiles):
            for tile in waiting:
                tile.supervisor.state = State.RUNNING
