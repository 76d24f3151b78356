"""One context of a tile as the programmer sees it: registers, streams, loop, CSRs and traps."""

from dataclasses import dataclass
from enum import Enum

from openipu.cosim.golden import random
from openipu.cosim.golden.amp import Amp
from openipu.cosim.golden.memory import Memory
from openipu.cosim.golden.streams import Stream
from openipu.rtl.isa import (
    MISA_VALUE,
    MSTATUS_CONSTANT,
    MSTATUS_WRITABLE,
    TO_HOST,
    Cause,
    Csr,
    Zone,
)

MASK = 0xFFFF_FFFF
ADDRESS = 0x7FFF_FFFF  #: the address bits that count: bit 31 is ignored
NOWHERE = 32  #: the index of the register that writes to x0 go to
CAUSE_BITS = 0xFF  #: above them an explicit trap has its code

_ZERO: set[int] = {
    Csr.MIE, Csr.MSTATUSH, Csr.MCOUNTINHIBIT, Csr.MIP, Csr.MVENDORID, Csr.MARCHID, Csr.MIMPID,
    Csr.MCONFIGPTR,
}  # fmt: skip
_CYCLES: set[int] = {Csr.MCYCLE, Csr.CYCLE, Csr.TIME}
_CYCLES_HIGH: set[int] = {Csr.MCYCLEH, Csr.CYCLEH, Csr.TIMEH}
_RETIRED: set[int] = {Csr.MINSTRET, Csr.INSTRET}
_RETIRED_HIGH: set[int] = {Csr.MINSTRETH, Csr.INSTRETH}
_READ_ONLY = 0xC00  # and above
_WRITABLE: dict[int, int] = {  # and which bits
    Csr.MSTATUS: MSTATUS_WRITABLE, Csr.MTVEC: MASK - 3, Csr.MSCRATCH: MASK, Csr.MEPC: MASK - 3,
    Csr.MCAUSE: MASK, Csr.MTVAL: MASK,
}  # fmt: skip


class TrapError(Exception):
    """What an instruction raises instead of retiring."""

    def __init__(self, cause: int, value: int) -> None:
        super().__init__(cause, value)
        self.cause = cause
        self.value = value


class Pause(Exception):
    """The thread can't or needn't go on now.

    `retired` tells whether the instruction that said so is done, or comes again.
    """

    def __init__(self, *, retired: bool) -> None:
        super().__init__(retired)
        self.retired = retired


class State(Enum):
    """What a context does."""

    IDLE = 0
    RUNNING = 1
    SYNC = 2  #: the supervisor, at a barrier


@dataclass(frozen=True)
class TrapReport:
    """A trap to the host: the fields of `layouts.TrapRecord`, and the tile."""

    tile: int
    thread: int
    cause: int
    pc: int
    value: int


class Hart:
    """A context of tile number `tile`, whose memory and matrix unit it shares with its `siblings`.

    `x` and `f` hold bit patterns as unsigned ints; `x[NOWHERE]` takes writes to x0. A loop runs
    from `loop_first` to `loop_last` (-1: none runs) as often as `loop_left` says, the iteration
    that runs included. `random` is the state of the random numbers. A worker has `arrived` where
    the workers meet, or is `free` to go on from there. The supervisor leaves in
    `zone` the barrier that it waits at, and in `armed` the exchange's tables (send, receive).
    """

    def __init__(self, tile: int, context: int, slots: int, memory: Memory, amp: Amp) -> None:
        self.tile = tile
        self.context = context
        self.slots = slots
        self.supervisor = context == slots
        self.memory_bytes = len(memory.bytes)
        self.views = memory.views
        self.siblings: list[Hart] = []
        self.memory = memory
        self.amp = amp
        self.x = [0] * (NOWHERE + 1)
        self.f = [0] * 32
        self.reset()

    def reset(self) -> None:
        """Stop, and reset the CSRs; the registers keep what they have."""
        self.state = State.IDLE
        self.zone = Zone.CHIP
        self.armed: tuple[int, int] | None = None
        self.pc = 0
        self.retired = 0
        self.fflags = 0
        self.frm = 0
        self._csr: dict[int, int] = dict.fromkeys(_WRITABLE, 0)
        self.streams = [Stream(self.memory) for _ in range(3)]
        self.loop_first = self.loop_left = 0
        self.loop_last = -1
        self.random = random.start(self.read_csr(Csr.MHARTID))
        self.arrived = self.free = False

    def start(self, pc: int) -> None:
        """Run from `pc`, in no loop."""
        self.pc = pc & MASK
        self.loop_last = -1
        self.state = State.RUNNING

    def repeat(self) -> None:
        """Go on after the last instruction of the loop's body."""
        self.loop_left -= 1
        if self.loop_left:
            self.pc = self.loop_first
        else:
            self.loop_last = -1

    def check_no_loop(self, word: int) -> None:
        """Trap if the instruction, which may not be in a loop's body, is in one."""
        if self.loop_first <= self.pc <= self.loop_last:
            raise TrapError(Cause.LOOP_BRANCH, word)

    def read_csr(self, number: int) -> int:
        """Return a CSR; KeyError if there is none of that number."""
        if number in self._csr:
            constant = MSTATUS_CONSTANT if number == Csr.MSTATUS else 0
            return self._csr[number] | constant
        if number in _ZERO:
            return 0
        if number in _RETIRED:
            return self.retired & MASK
        if number in _RETIRED_HIGH:
            return self.retired >> 32
        if number in _CYCLES:  # a nominal time: nothing but this thread's issues, all without wait
            return self.retired * self.slots & MASK
        if number in _CYCLES_HIGH:
            return self.retired * self.slots >> 32
        others: dict[int, int] = {
            Csr.FFLAGS: self.fflags,
            Csr.FRM: self.frm,
            Csr.FCSR: self.frm << 5 | self.fflags,
            Csr.MISA: MISA_VALUE,
            Csr.MHARTID: self.tile * 16 + self.context,
        }
        return others[number]

    def write_csr(self, number: int, value: int) -> None:
        """Write a CSR; KeyError if it may not be written."""
        if number >= _READ_ONLY:
            raise KeyError(number)
        if number in _WRITABLE:
            self._csr[number] = value & _WRITABLE[number]
        elif number == Csr.FFLAGS:
            self.fflags = value & 31
        elif number == Csr.FRM:
            self.frm = value & 7
        elif number == Csr.FCSR:
            self.frm, self.fflags = value >> 5 & 7, value & 31

    def rounding(self, mode: int, word: int) -> int:
        """Return the rounding mode that an instruction's field asks for."""
        if mode == 7:
            mode = self.frm
        if mode > 4:
            raise TrapError(Cause.ILLEGAL, word)
        return mode

    def take(self, trap: TrapError) -> bool:
        """Go to the context's trap handler; return False if it has none for this trap."""
        vector = self._csr[Csr.MTVEC]
        if not vector or trap.cause & CAUSE_BITS in TO_HOST:
            return False
        status = self._csr[Csr.MSTATUS]
        self._csr.update({
            Csr.MEPC: self.pc & MASK - 3, Csr.MCAUSE: trap.cause, Csr.MTVAL: trap.value,
            Csr.MSTATUS: (status & 1 << 3) << 4,
        })  # fmt: skip
        self.pc = vector
        return True

    def leave(self) -> None:
        """Return from the trap handler (mret)."""
        status = self._csr[Csr.MSTATUS]
        self._csr[Csr.MSTATUS] = (status & 1 << 7) >> 4 | 1 << 7
        self.pc = self._csr[Csr.MEPC]
