"""Programs to compare implementations with, and the little assembler that writes them."""

import random
from dataclasses import dataclass

from openipu.rtl.config import ChipConfig
from openipu.rtl.isa import Csr, encode

# Registers with a purpose in all of these programs; the instructions under test write others.
RETURN = 26  #: where the handler goes on after a fetch outside
HANDLER = 27  #: the trap handler's own
HIGH_DATA = 28  #: the thread's data, with bit 31 set
SCRATCH = 29
DATA = 30
COUNTER = 31
WRITABLE = range(RETURN)

CORNERS = (
    0, 1, 2, 3, 31, 32, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0xFFFF, 0x7FFF_FFFF, 0x8000_0000,
    0x8000_0001, 0xFFFF_FFFE, 0xFFFF_FFFF, 0x5555_5555, 0xAAAA_AAAA,
    # as f32: least and greatest subnormals and normals, ones, infinities, NaNs, integer limits
    0x007F_FFFF, 0x0080_0000, 0x8080_0000, 0x3F80_0000, 0xBF80_0000, 0x3F80_0001, 0x3F7F_FFFF,
    0x3F00_0000, 0x4B00_0000, 0x4F00_0000, 0xCF00_0000, 0x4F80_0000, 0x7F7F_FFFF, 0xFF7F_FFFF,
    0x7F80_0000, 0xFF80_0000, 0x7F80_0001, 0x7FC0_0000, 0xFFC0_0001,
    # as f16 in an f register, and f32 where f16 begins and ends
    0xFFFF_0001, 0xFFFF_83FF, 0xFFFF_0400, 0xFFFF_3C00, 0xFFFF_FBFF, 0xFFFF_7C00, 0xFFFF_7C01,
    0x3300_0000, 0x3380_0000, 0xB87F_FFFF, 0x477F_EFFF, 0x477F_F000,
)  # fmt: skip
"""Operands that are more likely to go wrong than others."""

COMPARABLE_CSRS = (
    Csr.FFLAGS, Csr.FRM, Csr.FCSR, Csr.MSTATUS, Csr.MISA, Csr.MIE, Csr.MSTATUSH, Csr.MSCRATCH,
    Csr.MEPC, Csr.MCAUSE, Csr.MTVAL, Csr.MIP, Csr.MINSTRET, Csr.MINSTRETH, Csr.MCOUNTINHIBIT,
    Csr.INSTRET, Csr.INSTRETH, Csr.MVENDORID, Csr.MARCHID, Csr.MIMPID, Csr.MHARTID, Csr.MCONFIGPTR,
)  # fmt: skip
"""CSRs that a program may write, or try to, and whose values don't depend on timing."""


@dataclass(frozen=True)
class Program:
    """A program for a chip of one tile; `name` tells it (and its seed) in reports.

    `image` is the tile's memory from address 0 on; boot `thread` at 0.
    """

    name: str
    config: ChipConfig
    image: bytes
    thread: int


def corner_or_random(pick: random.Random) -> int:
    """Return a 32-bit pattern, a nasty one half of the time."""
    if pick.random() < 0.5:
        return pick.choice(CORNERS)
    return pick.getrandbits(32) >> pick.choice((0, 0, 0, 8, 16, 24))


class Assembler:
    """Collects instructions in `words`, which lie at `base`."""

    def __init__(self, base: int) -> None:
        self.base = base
        self.words: list[int] = []

    @property
    def here(self) -> int:
        """The address of the next instruction."""
        return self.base + 4 * len(self.words)

    @property
    def code(self) -> bytes:
        """The instructions so far, as they lie in memory."""
        return b"".join(word.to_bytes(4, "little") for word in self.words)

    def emit(
        self, name: str, *, rd: int = 0, rs1: int = 0, rs2: int = 0, rs3: int = 0, imm: int = 0,
        rm: int = 7,
    ) -> None:  # fmt: skip
        """Append an instruction."""
        self.words.append(encode(name, rd=rd, rs1=rs1, rs2=rs2, rs3=rs3, imm=imm, rm=rm))

    def constant(self, rd: int, value: int) -> None:
        """Load a constant into an x register."""
        low = (value & 0xFFF ^ 0x800) - 0x800
        self.emit("lui", rd=rd, imm=value - low & 0xFFFF_F000)
        self.emit("addi", rd=rd, rs1=rd, imm=low)

    def handler(self) -> None:
        """Set a trap handler, which goes on after the instruction; where a fetch did, at RETURN."""
        at = len(self.words)
        self.words.append(0)
        start = self.here
        for number in (Csr.MSTATUS, Csr.MTVAL, Csr.MCAUSE):
            self.emit("csrrs", rd=HANDLER, imm=number)
        self.emit("addi", rd=HANDLER, rs1=HANDLER, imm=-1)
        self.emit("beq", rs1=HANDLER, imm=20)
        self.emit("csrrs", rd=HANDLER, imm=Csr.MEPC)
        self.emit("addi", rd=HANDLER, rs1=HANDLER, imm=4)
        self.emit("csrrw", rs1=HANDLER, imm=Csr.MEPC)
        self.emit("mret")
        self.emit("csrrw", rd=HANDLER, rs1=RETURN, imm=Csr.MEPC)
        self.emit("mret")
        self.words[at] = encode("jal", imm=self.here - start + 4)
        self.constant(SCRATCH, start)
        self.emit("csrrw", rs1=SCRATCH, imm=Csr.MTVEC)


def place(image: bytearray, base: int, content: bytes, end: int) -> None:
    """Put content into an image; ValueError if it goes beyond `end`."""
    if base + len(content) > end:
        raise ValueError(f"program must fit below {end:#x}, not end at {base + len(content):#x}")
    image[base : base + len(content)] = content
