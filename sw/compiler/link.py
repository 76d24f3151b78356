"""Build the firmware: the runtime and the codelets of a program, in one ELF for all tiles."""

import hashlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from importlib import metadata
from pathlib import Path

from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from openipu import firmware
from openipu.rtl.config import TileConfig
from openipu.rtl.isa import decode, pairs_legal
from openipu.sw.codelets.codelet import Codelet
from openipu.sw.compiler.errors import CompileError

STACK_BYTES = 256
"""Stack of a worker. Larger frames than half of it are compile errors."""

COMPACT_ALIGNMENT = 16

_ROOT = Path(firmware.__file__).parent
_RUNTIME = ("start.S", "supervisor.S", "worker.S", "memory.c")
_FLAGS = (
    "-target", "riscv32-freestanding-none", "-mcpu=generic_rv32+m+f+zfhmin+zicsr-c-d-a",
    "-mabi=ilp32f", "-std=c11", "-O2", "-g", "-ffp-contract=off", "-fno-math-errno",
    "-ffreestanding", "-fno-builtin", "-fno-pic", "-mno-relax", "-msmall-data-limit=0",
    "-ffunction-sections", "-fno-asynchronous-unwind-tables", "-fomit-frame-pointer",
    "-fno-jump-tables", "-Wall", "-Wextra", "-Werror",
    f"-Wframe-larger-than={STACK_BYTES // 2}", "-nostdlib", "-static", "-Wl,--gc-sections",
)  # fmt: skip


@dataclass(frozen=True)
class Firmware:
    """The common part of every tile's memory.

    `segments` are (address, bytes) to load; `symbols` are addresses; sizes are in bytes.
    """

    elf: Path
    entry: int
    segments: tuple[tuple[int, bytes], ...]
    symbols: dict[str, int]
    code_bytes: int
    data_address: int
    data_bytes: int
    stacks_address: int
    stacks_bytes: int

    @property
    def end(self) -> int:
        """The first address that is the tile's own: where its program begins."""
        return self.symbols["__program"]


def build_root() -> Path:
    """Return where firmware is kept: under $OPENIPU_BUILD, or `build/` in a checkout."""
    if chosen := os.environ.get("OPENIPU_BUILD"):
        return Path(chosen).absolute() / "firmware"
    if (_ROOT.parent / "pyproject.toml").exists():
        return _ROOT.parent / "build" / "firmware"
    return Path.home() / ".cache" / "openipu" / "firmware"


def link(codelets: Iterable[Codelet], config: TileConfig, *, compact: bool = False) -> Firmware:
    """Compile and link the runtime and codelets, unless that was done before.

    `compact` puts data right behind the code instead of into a bank of its own. Raises CompileError
    with what the C compiler or linker says, or for an instruction that the machine doesn't have.
    """
    used = sorted({codelet.name: codelet for codelet in codelets}.values(), key=lambda c: c.name)
    alignment = COMPACT_ALIGNMENT if compact else config.bank_bytes
    script = "".join(f"EXTERN({codelet.name})\n" for codelet in used)
    script += f"data_alignment = {alignment};\nstack_bytes = {config.slots * STACK_BYTES};\n"
    script += (_ROOT / "runtime" / "link.ld").read_text()
    folder = _ROOT / "codelets"
    for codelet in used:
        if not (folder / codelet.source).is_file():
            raise CompileError(
                f"the source of codelet {codelet.name} must be a file, by its absolute path or "
                f"under firmware/codelets/, not {codelet.source!r}"
            )
    sources = [_ROOT / "runtime" / name for name in _RUNTIME]
    sources += [folder / name for name in sorted({c.source for c in used})]
    # What a source includes: headers of the firmware, and those beside a source that lies outside.
    headers = {*(_ROOT / "include").rglob("*.h")}
    headers |= {header for path in sources for header in path.parent.glob("*.h")}
    flags = [*_FLAGS, f"-DSLOTS={config.slots}", f"-DSTACK_BYTES={STACK_BYTES}"]
    flags.append(f"-DAMP_OUTPUTS={config.amp_outputs}")
    digest = hashlib.sha256(repr((flags, metadata.version("ziglang"), script)).encode())
    for path in [*sources, *sorted(headers)]:
        digest.update(path.read_bytes())
    elf = build_root() / f"{digest.hexdigest()[:20]}.elf"
    if not elf.exists():
        _compile(elf, script, sources, flags)
    _check(elf, config)
    return _read(elf, compact)


def _compile(elf: Path, script: str, sources: list[Path], flags: list[str]) -> None:
    root = elf.parent
    root.mkdir(parents=True, exist_ok=True)
    caches = {name: str(root / "zig") for name in ("ZIG_GLOBAL_CACHE_DIR", "ZIG_LOCAL_CACHE_DIR")}
    with tempfile.TemporaryDirectory(dir=root) as scratch:
        made, linker_script = Path(scratch, "firmware.elf"), Path(scratch, "link.ld")
        linker_script.write_text(script)
        command = [
            sys.executable, "-m", "ziglang", "cc", *flags, "-I", str(_ROOT / "include"),
            "-T", str(linker_script), *map(str, sources), "-o", str(made),
        ]  # fmt: skip
        ran = subprocess.run(command, capture_output=True, text=True, env=os.environ | caches)
        if ran.returncode:
            raise CompileError(f"the firmware can't be built:\n{ran.stderr.strip()}")
        os.replace(made, elf)  # at once, in case that others build the same


@lru_cache(maxsize=64)
def _check(elf: Path, config: TileConfig) -> None:
    """Raise CompileError for an instruction that decodes to nothing, or that the tile hasn't."""
    with elf.open("rb") as file:
        image = ELFFile(file)
        text = image.get_section_by_name(".text")
        table = image.get_section_by_name(".symtab")
        assert text is not None and isinstance(table, SymbolTableSection)
        functions = sorted(
            (int(symbol["st_value"]), str(symbol.name))
            for symbol in table.iter_symbols()
            if symbol["st_info"]["type"] == "STT_FUNC"
        )
        code: bytes = text.data()
        base = int(text["sh_addr"])
    for at in range(0, len(code), 4):
        word = int.from_bytes(code[at : at + 4], "little")
        row = decode(word)
        if row is None or not pairs_legal(row, word) or not config.executes(row.unit):
            name = [name for start, name in functions if start <= base + at][-1]
            what = row.name if row else f"the instruction word {word:#010x}"
            raise CompileError(f"{name} uses {what}, which the machine doesn't have")


@lru_cache(maxsize=64)
def _read(elf: Path, compact: bool) -> Firmware:
    with elf.open("rb") as file:
        image = ELFFile(file)
        table = image.get_section_by_name(".symtab")
        assert isinstance(table, SymbolTableSection)
        symbols = {symbol.name: int(symbol["st_value"]) for symbol in table.iter_symbols()}
        segments = tuple(
            (int(segment["p_paddr"]), segment.data())
            for segment in image.iter_segments()
            if segment["p_type"] == "PT_LOAD" and segment["p_filesz"]
        )
        entry = int(image["e_entry"])
    return Firmware(
        elf=elf,
        entry=entry,
        segments=segments,
        symbols=symbols,
        code_bytes=symbols["__code_end"],
        data_address=symbols["__data"],
        data_bytes=symbols["__stacks"] - symbols["__data"],
        stacks_address=symbols["__stacks"],
        stacks_bytes=symbols["__program"] - symbols["__stacks"],
    )
