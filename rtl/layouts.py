"""Every struct that two modules share, each field with its meaning."""

from amaranth.hdl import signed, unsigned
from amaranth.lib import data

EXCHANGE_THREAD = 15
"""The thread number in a trap record that the exchange port, not a thread, wrote."""


class ExchangeEntry(data.Struct):
    """A row of a send or receive table: one aligned 64-bit word. All zero ends the table."""

    gap: unsigned(12)
    """Cycles to wait after the previous entry's last word (or after cycle 0) before the first."""
    count: unsigned(12)
    """Bus words, one a cycle; 0 only waits."""
    address: unsigned(20)
    """Address of the first word in units of 4 bytes; a multiple of the bus width."""
    stride: signed(8)
    """From one word's address to the next, in bus words."""
    source: unsigned(12)
    """Receive: the tile to listen to. Send: zero."""


class TrapRecord(data.Struct):
    """What a tile latches at its first trap to the host, until it is started again."""

    valid: unsigned(1)
    thread: unsigned(4)
    """The context, or `EXCHANGE_THREAD`."""
    cause: unsigned(32)
    """`isa.Cause`; an explicit trap adds its code << `isa.XTRAP_CODE_SHIFT`."""
    pc: unsigned(32)
    """The instruction; for the exchange, the cycle since the barrier's release."""
    value: unsigned(32)
    """Address, instruction word or operand, as `isa.Cause` says."""


class HostRequest(data.Struct):
    """The chip's host port to every tile. One request a cycle at most."""

    valid: unsigned(1)
    write: unsigned(1)
    registers: unsigned(1)
    """1: the tile's registers; 0: its memory."""
    broadcast: unsigned(1)
    """1: every tile takes the write."""
    tile: unsigned(12)
    """The tile that takes it, unless broadcast."""
    address: unsigned(20)
    """Byte address of a 64-bit word in the memory or in the register page."""
    data: unsigned(64)
    strobe: unsigned(8)
    """Which bytes of data to write."""


class HostResponse(data.Struct):
    """A tile's answer to a read, two cycles after the request; all zero otherwise."""

    valid: unsigned(1)
    data: unsigned(64)


class Events(data.Struct):
    """Pulses that the tile's counters add up; each field is one counter."""

    integer: unsigned(1)
    """Retired: integer arithmetic."""
    branch: unsigned(1)
    """Retired: branches and jumps."""
    memory: unsigned(1)
    """Retired: loads and stores."""
    muldiv: unsigned(1)
    """Retired: multiply and divide."""
    float: unsigned(1)
    """Retired: floating point."""
    vector: unsigned(1)
    """Retired: SIMD."""
    matrix: unsigned(1)
    """Retired: matrix unit."""
    system: unsigned(1)
    """Retired: CSR, system and thread instructions."""
    idle: unsigned(1)
    """Issue cycle without a thread to issue."""
    replay_fetch: unsigned(1)
    """Issue lost: the fetch's bank was busy."""
    replay_bank: unsigned(1)
    """Issue lost: the bank of a load, store or input stream was busy."""
    replay_divide: unsigned(1)
    """Issue lost: the divider was not ready."""
    replay_fdivide: unsigned(1)
    """Issue lost: the floating-point divider was not ready."""
    replay_wait: unsigned(1)
    """Issue lost: xwait, xstart or xmeet waited for a worker."""
    sent: unsigned(1)
    """Bus word sent."""
    received: unsigned(1)
    """Bus word stored."""
    sync: unsigned(1)
    """Cycle in which the supervisor waits at a barrier."""
    exchange: unsigned(1)
    """Cycle in which the exchange runs: from the barrier's release to the end of both tables."""


class TraceRecord(data.Struct):
    """One retired instruction, valid in stage w."""

    valid: unsigned(1)
    thread: unsigned(4)
    pc: unsigned(32)
    rd_file: unsigned(2)
    """`isa.File`; NONE also for a write to x0. xstart shows NONE."""
    rd: unsigned(5)
    value: unsigned(64)
    """What was written to rd; 0 for NONE."""
    memory: unsigned(2)
    """0: no access, 1: load, 2: store or word pushed."""
    address: unsigned(32)
    """Byte address of the access, as the thread gave it; 0 for none."""
    data: unsigned(64)
    """A store's data, zero-extended from its width; 0 otherwise."""


def bus_word(bus_bits: int) -> data.StructLayout:
    """Return the layout of an exchange bus: `data` (bus_bits) and `valid`."""
    return data.StructLayout({"data": unsigned(bus_bits), "valid": unsigned(1)})
