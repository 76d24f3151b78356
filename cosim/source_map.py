"""Where a pc comes from, as an ELF file's DWARF and symbols tell."""

from bisect import bisect_right
from typing import Any

from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from openipu.cosim.golden.hart import ADDRESS


class SourceMap:
    """From pc to source line and function, as far as the file tells."""

    def __init__(
        self, lines: list[tuple[int, str | None]], functions: list[tuple[int, str]]
    ) -> None:
        # Where two sequences meet, the end of one comes before the start of the other.
        self._lines = sorted(lines, key=lambda pair: (pair[0], pair[1] is not None))
        self._functions = sorted(functions)
        self._line_starts = [address for address, _ in self._lines]
        self._function_starts = [address for address, _ in self._functions]

    @classmethod
    def from_elf(cls, elf: ELFFile) -> "SourceMap":
        """Read the DWARF line tables and the symbols; without DWARF there are only functions."""
        functions = [
            (symbol["st_value"] & ADDRESS, symbol.name)
            for symbol in symbols_of(elf)
            if symbol.name
            and symbol["st_info"]["type"] in ("STT_FUNC", "STT_NOTYPE")
            and isinstance(symbol["st_shndx"], int)
            and elf.get_section(symbol["st_shndx"])["sh_flags"] & 4  # executable
            and not symbol.name.startswith((".L", "$"))
        ]
        try:
            lines = list(_lines(elf))
        except Exception:  # damaged, or newer than the reader: a report without lines then
            lines = []
        return cls(lines, functions)

    def line(self, pc: int) -> str | None:
        """Return `file:line` of a pc."""
        place = bisect_right(self._line_starts, pc & ADDRESS) - 1
        return self._lines[place][1] if place >= 0 else None

    def function(self, pc: int) -> str | None:
        """Return the name of the symbol at or before a pc."""
        place = bisect_right(self._function_starts, pc & ADDRESS) - 1
        return self._functions[place][1] if place >= 0 else None

    def describe(self, pc: int) -> str:
        """Return a pc with what is known of it."""
        known = [self.line(pc), self.function(pc)]
        return f"{pc:#010x}" + (
            f" ({' in '.join(part for part in known if part)})" if any(known) else ""
        )


def symbols_of(elf: ELFFile) -> list[Any]:
    """Return the entries of all symbol tables."""
    return [
        symbol
        for section in elf.iter_sections()
        if isinstance(section, SymbolTableSection)
        for symbol in section.iter_symbols()
    ]


_Row = tuple[int, str | None]


def _lines(elf: ELFFile) -> list[_Row]:
    """Return (address, `file:line`) for each row of the line tables; None ends a sequence."""
    if not elf.has_dwarf_info():
        return []
    dwarf = elf.get_dwarf_info()
    sequences: list[list[_Row]] = []
    for unit in dwarf.iter_CUs():
        program = dwarf.line_program_for_CU(unit)
        if program is None:
            continue
        first = 0 if program["version"] >= 5 else 1  # files are counted from
        rows: list[_Row] = []
        for entry in program.get_entries():
            state = entry.state
            if state is None:
                continue
            text = None
            if not state.end_sequence:
                name = program["file_entry"][state.file - first].name
                text = f"{name.decode(errors='replace')}:{state.line}"
            rows.append((state.address & ADDRESS, text))
            if state.end_sequence:
                sequences.append(rows)
                rows = []
    # The linker leaves functions that it dropped at 0; they would cover what is there.
    second = min((rows[0][0] for rows in sequences if rows[0][0]), default=ADDRESS)
    kept = [rows for rows in sequences if rows[0][0] or rows[-1][0] <= second]
    return [row for rows in kept for row in rows]
