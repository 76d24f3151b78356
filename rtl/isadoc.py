"""The instruction set reference, from the one table: `python -m openipu.rtl.isadoc FILE`."""

import inspect
import re
import sys
from collections.abc import Iterable
from itertools import groupby
from pathlib import Path

from openipu.rtl.isa import (
    CAUSE_TEXT,
    INSTRUCTIONS,
    TO_HOST,
    XTRAP_CODE_SHIFT,
    Cause,
    Csr,
    Instruction,
)

FIELDS = (7, 5, 5, 3, 5, 7)  # bits of funct7, rs2, rs1, funct3, rd, opcode

EXTENSIONS = {
    "I": "RV32I, base integer",
    "M": "M, multiply and divide",
    "Zicsr": "Zicsr, control and status registers",
    "F": "F, single-precision floating point",
    "Zfhmin": "Zfhmin, loads, stores, moves and conversions of f16",
    "Xipu": "Xipu: threads, streams, loops, SIMD, matrix unit",
}

INTRODUCTION = """\
# Instruction set

<!-- Written by `make docs` from rtl/isa.py; a test compares them. Edit the table instead. -->

A tile runs RV32IMF with Zicsr and Zfhmin, and Xipu, openipu's own extension in the custom opcodes.
What the RISC-V manuals define behaves as they say; `fflags` and all rounding modes included. NaN
results are canonical (0x7fc00000, 0x7e00). An f register holds an f16 with ones above it.

Operands `vd`, `vs1`, `vs2` and `vs3` have 64 bits: an even f register (the low half) and the next
one, or a stream: `in0` (as 1) and `in1` (3) are read, `out` (5) is written. How streams, loops,
SIMD and the matrix unit work is told in [the machine](../developer/machine.md).

Encodings are shown as funct7, rs2, rs1, funct3, rd, opcode; a dot is a bit that an operand uses.
**Slots** is the number of the thread's issue slots that an instruction takes, which is what makes
its time: a thread has one slot in every rotation of `slots` cycles (6 unless configured), so an
instruction that takes 1 slot takes 6 cycles, during which the other threads have theirs. There are
no other costs inside a thread: a taken branch, the use of a result just made, and a chain of
multiply-adds all take 1. What takes longer *replays*: the thread issues the same instruction again
at its next slot, and a counter of the cause goes up. **Counter** is the tile's counter that adds up
the instruction when it retires.

"""


def _table(heads: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    lines += ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]
    return "\n".join(lines) + "\n\n"


def _encoding(row: Instruction) -> str:
    bits = "".join(
        str(row.match >> i & 1) if row.mask >> i & 1 else "." for i in range(31, -1, -1)
    )
    parts, start = [], 0
    for width in FIELDS:
        parts.append(bits[start : start + width])
        start += width
    return f"`{' '.join(parts)}`"


def _instructions() -> str:
    text = ""
    rows = sorted(INSTRUCTIONS, key=lambda row: list(EXTENSIONS).index(row.extension))
    for extension, members in groupby(rows, key=lambda row: row.extension):
        text += f"## {EXTENSIONS[extension]}\n\n" + _table(
            ("Instruction", "What it does", "Encoding", "Slots", "Counter"),
            (
                (
                    f"`{row.name} {row.syntax}`".replace(" `", "`"),
                    row.text + (", rounded" if row.rounds and "rounded" not in row.text else ""),
                    _encoding(row),
                    row.timing,
                    row.counted_as.name.lower(),
                )
                for row in members
            ),
        )
    return text


def _cycles() -> str:
    by_timing: dict[str, list[str]] = {}
    for row in INSTRUCTIONS:
        by_timing.setdefault(row.timing, []).append(f"`{row.name}`")
    longest = max(by_timing.values(), key=len)
    return "## Cycle table\n\n" + _table(
        ("Slots", "Instructions"),
        (
            (timing, "all others" if names is longest else ", ".join(names))
            for timing, names in by_timing.items()
        ),
    )


def _csrs() -> str:
    notes = dict(re.findall(r"^    (\w+) = 0x\w+(?:  #: (.*))?$", inspect.getsource(Csr), re.M))
    return (
        "## Control and status registers\n\n"
        + (inspect.getdoc(Csr) or "").replace("\n", " ").replace("  ", "\n\n")
        + "\n\n"
        + _table(
            ("Number", "Name", "Note"),
            ((f"{csr:#05x}", f"`{csr.name.lower()}`", notes[csr.name]) for csr in Csr),
        )
    )


def _causes() -> str:
    return (
        "## Trap causes\n\n"
        "A trap goes to `mtvec` when the thread has set it, except causes "
        f"{TO_HOST.start} to {TO_HOST.stop - 1}; otherwise it stops\nthe chip and the host reads "
        "it. An explicit trap (`xtrap`) shows its code in "
        f"the bits from {XTRAP_CODE_SHIFT} on.\n\n"
        + _table(
            ("Cause", "Name", "Meaning"),
            ((str(int(cause)), f"`{cause.name}`", CAUSE_TEXT[cause]) for cause in Cause),
        )
    )


def manual() -> str:
    """Return the reference as Markdown."""
    return (INTRODUCTION + _instructions() + _cycles() + _csrs() + _causes()).rstrip() + "\n"


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(manual())
