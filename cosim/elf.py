"""ELF files: what to load, and running a plain bare-metal program.

A plain program is what public RISC-V test suites build: it runs on one hart, and says that it is
done by writing to the symbol `tohost`: 1 for success, another odd number for failure number
value >> 1. Addresses may have bit 31 set, which the machine ignores.
"""

import struct
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from enum import Enum
from io import BytesIO
from os import PathLike
from pathlib import Path
from typing import Protocol

from elftools.elf.descriptions import describe_e_machine
from elftools.elf.elffile import ELFFile

from openipu.cosim.busy import BUSY_BYTES, busy_load
from openipu.cosim.errors import CycleLimitError, TrapError
from openipu.cosim.golden.hart import ADDRESS
from openipu.cosim.golden.iss import ChipISS
from openipu.cosim.source_map import SourceMap, symbols_of
from openipu.rtl.config import KIB, ChipConfig, TileConfig
from openipu.rtl.isa import Cause

__all__ = [
    "ELF_CONFIG", "MAX_CYCLES", "ElfError", "ElfResult", "Outcome", "Program", "Segment",
    "SourceMap", "describe_trap", "load", "run_elf",
]  # fmt: skip

ELF_CONFIG = ChipConfig(tiles=1, tile=TileConfig(banks=16, bank_bytes=64 * KIB))
"""The machine that plain programs run on unless told otherwise: one tile with 1 MiB."""

MAX_CYCLES = 20_000_000
_POLL = 2000, 200_000  # cycles between looks at tohost: at first, and at most
_HART = 0  # the context that runs a plain program


class ElfError(Exception):
    """A file that can't be loaded or run; the message says why, in the user's words."""


@dataclass(frozen=True)
class Segment:
    """Bytes to load at `address`, zeros behind them up to `size`; bit 31 is gone already."""

    address: int
    data: bytes
    size: int


@dataclass(frozen=True)
class Program:
    """A RISC-V executable, checked; `entry` and `symbols` as in the file."""

    path: str
    entry: int
    segments: list[Segment]
    symbols: dict[str, int]
    source: SourceMap = field(repr=False)


def load(path: str | PathLike[str]) -> Program:
    """Read an executable for RV32; raises ElfError for anything else."""
    name = str(path)
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise ElfError(f"{name} can't be read: {error.strerror}") from None
    if content[:4] != b"\x7fELF":
        raise ElfError(f"{name} must be an ELF file, but doesn't begin like one")
    try:
        return _load(name, content)
    except ElfError:
        raise
    except Exception as error:  # a damaged file makes the reader fail in any way
        raise ElfError(f"{name} is truncated or damaged: {error}") from None


def _load(name: str, content: bytes) -> Program:
    if len(content) < 52:  # an ELF32 header
        raise ElfError(f"{name} is truncated: it ends within the ELF header")
    if content[4] != 1:
        raise ElfError(f"{name} must be a 32-bit ELF file, not a 64-bit one")
    if content[5] != 1:
        raise ElfError(f"{name} must be little-endian, not big-endian")
    elf = ELFFile(BytesIO(content))
    header = elf.header
    if header["e_machine"] != "EM_RISCV":
        raise ElfError(
            f"{name} must be for RISC-V, not for {describe_e_machine(header['e_machine'])}"
        )
    if header["e_type"] != "ET_EXEC":
        kind = {"ET_REL": "an object file, not linked", "ET_DYN": "a shared object"}
        raise ElfError(
            f"{name} must be an executable, linked to fixed addresses; "
            f"it is {kind.get(header['e_type'], 'something else')}"
        )
    size = len(content)
    tables = (
        ("program headers", header["e_phoff"] + header["e_phnum"] * header["e_phentsize"]),
        ("section headers", header["e_shoff"] + header["e_shnum"] * header["e_shentsize"]),
    )
    for what, end in tables:
        if end > size:
            raise ElfError(f"{name} is truncated: it has {size} bytes, its {what} end at {end}")
    segments = []
    for segment in elf.iter_segments("PT_LOAD"):
        end = segment["p_offset"] + segment["p_filesz"]
        if end > size:
            raise ElfError(
                f"{name} is truncated: it has {size} bytes, the segment for "
                f"{segment['p_paddr']:#x} ends at {end}"
            )
        if segment["p_memsz"]:
            segments.append(
                Segment(segment["p_paddr"] & ADDRESS, segment.data(), segment["p_memsz"])
            )
    if not segments:
        raise ElfError(f"{name} has nothing to load")
    symbols = {symbol.name: symbol["st_value"] for symbol in symbols_of(elf) if symbol.name}
    return Program(name, header["e_entry"], segments, symbols, SourceMap.from_elf(elf))


def describe_trap(trap: TrapError, source: SourceMap) -> str:
    """Return a trap to the host as a sentence, with the source line where that is known."""
    text = str(trap)
    if trap.thread is not None:
        text = text.replace(f"pc {trap.pc:#x}", f"pc {source.describe(trap.pc)}", 1)
    if trap.cause is Cause.ILLEGAL and trap.value & 3 != 3:
        text += " (16 bits long: compile without the C extension)"
    return text


class Machine(Protocol):
    """What running a plain program needs of `Session` or `ChipISS`."""

    def load(self, tile: int, address: int, content: bytes) -> None:
        """Put bytes into a tile's memory."""
        ...

    def read(self, tile: int, address: int, size: int) -> bytes:
        """Return bytes of a tile's memory, also after a cycle limit."""
        ...

    def boot(self, pc: int = 0, thread: int | None = None) -> None:
        """Choose where the next run starts."""
        ...

    def run(self, max_cycles: int = ...) -> object:
        """Go on to the next rest; raises CycleLimitError and TrapError."""
        ...

    def where(self) -> Sequence["Place"]:
        """Return where each tile stands."""
        ...

    @property
    def cycles(self) -> int:
        """Cycles since the boot."""
        ...


class Place(Protocol):
    """Where a tile stands."""

    @property
    def threads(self) -> tuple[tuple[int, bool], ...]:
        """The pc of each context, and whether it runs."""
        ...


class Outcome(Enum):
    """How a plain program ended."""

    PASSED = "passed"
    FAILED = "failed"
    TRAPPED = "trapped"
    HALTED = "halted"  #: ended without a word to tohost
    LIMIT = "limit"  #: didn't end


@dataclass(frozen=True)
class ElfResult:
    """What became of a plain program: `number` is what a failure reported."""

    outcome: Outcome
    cycles: int
    message: str
    number: int = 0
    signature: list[str] | None = None


def run_elf(
    path: str | PathLike[str],
    *,
    backend: str = "rtl",
    config: ChipConfig = ELF_CONFIG,
    busy: bool = False,
    max_cycles: int = MAX_CYCLES,
    signature: str | PathLike[str] | None = None,
    progress: Callable[[int], None] | None = None,
) -> ElfResult:
    """Run a plain program on context 0 (hart 0) of a chip of one tile.

    `backend` is `rtl` or `iss`. With `busy`, the tile's other workers run something too, all the
    time; their code takes the last `BUSY_BYTES` of the memory. `signature` names a file to write
    the words from `begin_signature` to `end_signature` to. `progress` is called now and then with
    the cycles run. The machine is looked at every so many cycles, so it runs some more than the
    program needs. Raises ElfError for a bad file, ValueError for a bad argument.
    """
    if backend not in ("rtl", "iss"):
        raise ValueError(f"backend must be rtl or iss, not {backend!r}")
    if config.tiles != 1:
        raise ValueError(f"a plain program runs on 1 tile, not {config.tiles!r}")
    if max_cycles < 1:
        raise ValueError(f"max_cycles must be at least 1, not {max_cycles!r}")
    program = load(path)
    _check_fits(program, config.tile, BUSY_BYTES if busy else 0)
    bounds = _signature_bounds(program, config.tile) if signature is not None else None
    with _machine(backend, config) as machine:
        for segment in program.segments:
            machine.load(0, segment.address, segment.data.ljust(segment.size, b"\0"))
        if busy:
            base, code = busy_load(config.tile, _HART, program.entry)
            machine.load(0, base, code)
            machine.boot(base, config.tile.supervisor)
        else:
            machine.boot(program.entry, _HART)
        result = _watch(program, machine, max_cycles, progress)
        if bounds is None or signature is None:
            return result
        content = machine.read(0, bounds[0], bounds[1] - bounds[0])
    lines = [f"{word:08x}" for (word,) in struct.iter_unpack("<I", content)]
    try:
        Path(signature).write_text("".join(line + "\n" for line in lines))
    except OSError as error:
        raise ElfError(f"{signature} can't be written: {error.strerror}") from None
    return replace(result, signature=lines)


@contextmanager
def _machine(backend: str, config: ChipConfig) -> Iterator[Machine]:
    if backend == "iss":
        yield ChipISS(config)
        return
    from openipu.cosim.session import Session  # needs a simulator, which the model does not

    with Session(config) as session:
        yield session


def _check_fits(program: Program, tile: TileConfig, taken: int) -> None:
    """Raise ElfError where the program goes beyond the memory, less what is `taken` at its end."""
    size = tile.memory_bytes - taken
    end_of = "the memory ends" if not taken else "what the busy workers take begins"
    for segment in program.segments:
        end = segment.address + max(segment.size, len(segment.data))
        if end > size:
            raise ElfError(
                f"{program.path} doesn't fit: a segment takes {segment.address:#x} to {end:#x} "
                f"(without bit 31), {end_of} at {size:#x} ({size // KIB} KiB)"
            )
    tohost = program.symbols.get("tohost", 0) & ADDRESS
    if tohost + 4 > tile.memory_bytes:
        raise ElfError(f"{program.path}: tohost is at {tohost:#x}, outside the memory")


def _signature_bounds(program: Program, tile: TileConfig) -> tuple[int, int]:
    names = "begin_signature", "end_signature"
    missing = [name for name in names if name not in program.symbols]
    if missing:
        raise ElfError(f"{program.path} has no signature: no symbol {' and '.join(missing)}")
    begin, end = (program.symbols[name] & ADDRESS for name in names)
    if begin % 4 or end % 4 or not begin <= end <= tile.memory_bytes:
        raise ElfError(
            f"{program.path}: the signature must be whole words within the memory, "
            f"not from {begin:#x} to {end:#x}"
        )
    return begin, end


def _watch(
    program: Program, machine: Machine, max_cycles: int, progress: Callable[[int], None] | None
) -> ElfResult:
    """Run until the program says that it is done, stops, or the limit is reached."""
    tohost = program.symbols.get("tohost")
    spent, (step, most) = 0, _POLL
    while spent < max_cycles:
        step = min(step, max_cycles - spent)
        trap, ended = None, False
        try:
            machine.run(step)
            ended = True
        except CycleLimitError:
            pass
        except TrapError as error:
            trap = error
        spent += step
        if progress is not None:
            progress(spent)
        # What was written counts, even if the program came to grief afterwards.
        if tohost is not None:
            value = int.from_bytes(machine.read(0, tohost & ADDRESS, 4), "little")
            if value:
                return _said(value, machine.cycles)
        if spent >= _POLL[0]:  # a busy load has begun and doesn't end when the program does
            ended = ended or not machine.where()[0].threads[_HART][1]
        if trap is not None:
            message = describe_trap(trap, program.source)
            return ElfResult(Outcome.TRAPPED, machine.cycles, message)
        if ended:
            message = "the program ended without a write to tohost"
            return ElfResult(Outcome.HALTED, machine.cycles, message)
        step = min(2 * step, most)
    pc, _ = machine.where()[0].threads[_HART]
    place = f"thread {_HART} at {program.source.describe(pc)}"
    return ElfResult(Outcome.LIMIT, machine.cycles, f"no end within {max_cycles} cycles: {place}")


def _said(value: int, cycles: int) -> ElfResult:
    if value == 1:
        return ElfResult(Outcome.PASSED, cycles, "passed")
    if value & 1:
        return ElfResult(Outcome.FAILED, cycles, f"failed: number {value >> 1}", value >> 1)
    return ElfResult(
        Outcome.FAILED, cycles,
        f"failed: tohost was given {value:#x}, a request that isn't served here",
    )  # fmt: skip
