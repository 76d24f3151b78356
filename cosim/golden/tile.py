"""The instruction-level model of one tile: its memory, its contexts, and who runs when."""

import numpy as np
from numpy.typing import NDArray

from openipu.cosim.golden import (  # they register their instructions
    semantics_amp,  # noqa: F401
    semantics_float,  # noqa: F401
    semantics_simd,  # noqa: F401
    semantics_stream,  # noqa: F401
    semantics_thread,  # noqa: F401
)
from openipu.cosim.golden.amp import Amp
from openipu.cosim.golden.hart import ADDRESS, Hart, Pause, State, TrapError, TrapReport
from openipu.cosim.golden.memory import Memory
from openipu.cosim.golden.semantics import ActionCache
from openipu.cosim.golden.trace import Observers, Record, trace_array
from openipu.rtl.config import TileConfig
from openipu.rtl.isa import Cause

QUANTUM = 20_000
"""Instructions after which another thread gets its turn, so that a thread that waits for another
one's store can't stop the model."""


class TileISS:
    """A tile that executes machine code, one thread after another.

    Each thread runs until it ends, waits, meets the barrier, or has had `QUANTUM` instructions;
    then comes the next context, the supervisor last. What threads do to each other between those
    points isn't defined, in the hardware neither. `tracing` keeps a record of each instruction
    that retires, as the RTL's trace port does, for `trace()`.
    """

    def __init__(self, config: TileConfig, tile_id: int = 0, *, tracing: bool = False) -> None:
        self.config = config
        self.tile_id = tile_id
        self.tracing = tracing
        self.memory = Memory(config)
        self.amp = Amp(config)
        self.harts = [
            Hart(tile_id, context, config.slots, self.memory, self.amp)
            for context in range(config.contexts)
        ]
        for hart in self.harts:
            hart.siblings = self.harts
        self.supervisor = self.harts[config.supervisor]
        self.trap: TrapReport | None = None
        self._actions = ActionCache(config)
        self._observers = Observers()
        self._records: list[list[Record]] = [[] for _ in self.harts]

    def boot(self, pc: int, thread: int) -> None:
        """Reset all but the registers and the memory, and start one context."""
        self.trap = None
        self._records = [[] for _ in self.harts]
        self.amp.reset()
        for hart in self.harts:
            hart.reset()
        self.harts[thread].start(pc)

    @property
    def halted(self) -> bool:
        """Whether no thread runs or waits."""
        return all(hart.state is State.IDLE for hart in self.harts)

    @property
    def waiting(self) -> bool:
        """Whether the supervisor is at a barrier, and all workers are done."""
        return self.supervisor.state is State.SYNC and not self._running()

    def trace(self, thread: int) -> NDArray[np.void]:
        """Return what a thread retired since `boot`, in order, as `trace.TRACE_DTYPE`."""
        return trace_array(self._records[thread])

    def stop(self, trap: TrapReport) -> None:
        """Latch a trap to the host, unless there is one already."""
        self.trap = self.trap or trap

    def run(self, limit: int) -> int:
        """Run at most `limit` instructions; return how many issued.

        Returns early when the tile is halted or at a barrier, or when it trapped.
        """
        left = limit
        while left > 0 and not self.trap and (running := self._running()):
            for hart in running:
                if hart.state is State.RUNNING and left > 0 and not self.trap:
                    left -= self._run_thread(hart, min(left, QUANTUM))
        return limit - left

    def _running(self) -> list[Hart]:
        return [hart for hart in self.harts if hart.state is State.RUNNING]

    def _run_thread(self, hart: Hart, limit: int) -> int:
        """Run one thread up to its next pause; return the instructions that it issued."""
        done = 0
        while done < limit:
            retired = hart.retired
            try:
                if self.tracing:
                    self._run_traced(hart, limit - done)
                else:
                    self._run_fast(hart, limit - done)
                done += hart.retired - retired
            except Pause as pause:
                hart.retired += pause.retired
                if pause.retired and hart.pc - 4 == hart.loop_last:
                    hart.repeat()
                # A replay costs its issue, so that a wait that never ends comes to the limit.
                return done + hart.retired - retired + (not pause.retired)
            except TrapError as trap:
                done += hart.retired - retired + 1
                if not hart.take(trap):
                    hart.state = State.IDLE
                    self.stop(
                        TrapReport(self.tile_id, hart.context, trap.cause, hart.pc, trap.value)
                    )
                    break
        return done

    def _run_fast(self, hart: Hart, limit: int) -> None:
        actions, words, memory_bytes = self._actions, self.memory.views[2], hart.memory_bytes
        for _ in range(limit):
            pc = hart.pc
            address = pc & ADDRESS
            if address >= memory_bytes:
                raise TrapError(Cause.FETCH_OUTSIDE, pc)
            actions[words[address >> 2]](hart)
            hart.retired += 1
            if pc == hart.loop_last:
                hart.repeat()

    def _run_traced(self, hart: Hart, limit: int) -> None:
        records = self._records[hart.context]
        for _ in range(limit):
            pc = hart.pc
            if pc & ADDRESS >= hart.memory_bytes:
                raise TrapError(Cause.FETCH_OUTSIDE, pc)
            word = self.memory.views[2][(pc & ADDRESS) >> 2]
            action = self._actions[word]
            record = self._observers[word](hart)
            try:
                action(hart)
            except Pause as pause:
                if pause.retired:
                    records.append(record())
                raise
            records.append(record())
            hart.retired += 1
            if pc == hart.loop_last:
                hart.repeat()
