"""A load for the tile's other workers while a plain program runs on one.

What the workers do takes turns at every unit that they share with the program: fetches and accesses
in a bank, both dividers, multiplier and floating point.
"""

from openipu.cosim.program import Assembler
from openipu.rtl.config import TileConfig

__all__ = ["BUSY_BYTES", "busy_load"]

BUSY_BYTES = 1024
"""What the load takes at the end of the memory."""

_WORKERS, _DATA = 512, 960  # offsets of the workers' code and data
_ENTRY, _ARGUMENT, _ADDRESS = 5, 6, 10


def busy_load(tile: TileConfig, hart: int, entry: int) -> tuple[int, bytes]:
    """Return an address and the bytes to put there, for the supervisor to boot at that address.

    It starts all other workers on an endless loop, then the worker `hart` at `entry`.
    """
    base = tile.memory_bytes - BUSY_BYTES
    boss = Assembler(base)
    boss.constant(_ENTRY, base + _WORKERS)
    boss.constant(_ARGUMENT, base + _DATA)
    for worker in range(tile.slots):
        if worker != hart:
            boss.emit("xstart", imm=worker, rs1=_ENTRY, rs2=_ARGUMENT)
    boss.constant(_ENTRY, entry)
    boss.emit("xstart", imm=hart, rs1=_ENTRY)
    boss.emit("xwait")

    load = Assembler(base + _WORKERS)
    load.constant(6, 0x4049_0FDB)  # pi
    load.emit("fmv.w.x", rd=1, rs1=6)
    loop = load.here
    load.emit("lw", rd=7, rs1=_ADDRESS)
    load.emit("add", rd=6, rs1=6, rs2=7)
    load.emit("mul", rd=7, rs1=6, rs2=6)
    load.emit("divu", rd=8, rs1=6, rs2=7)
    load.emit("fcvt.s.w", rd=2, rs1=8)
    load.emit("fmadd.s", rd=3, rs1=2, rs2=1, rs3=1)
    load.emit("fdiv.s", rd=4, rs1=1, rs2=3)
    load.emit("fsqrt.s", rd=5, rs1=3)
    load.emit("fcvt.h.s", rd=6, rs1=5)
    load.emit("fsh", rs1=_ADDRESS, rs2=6, imm=4)
    load.emit("sw", rs1=_ADDRESS, rs2=8)
    load.emit("jal", imm=loop - load.here)
    return base, boss.code.ljust(_WORKERS, b"\0") + load.code.ljust(BUSY_BYTES - _WORKERS, b"\0")
