"""Write the C headers that say what Python says: `python -m openipu.sw.compiler.headers`."""

import sys
from pathlib import Path

from openipu import firmware
from openipu.rtl.isa import (
    INSTRUCTIONS,
    OPCODE,
    STREAMS,
    Cause,
    Csr,
    File,
    Immediate,
    Instruction,
    Zone,
)
from openipu.sw.codelets.codelet import (
    DTYPES,
    SCALAR_DTYPES,
    Codelet,
    Derived,
    Field,
    Scalar,
    Table,
    all_codelets,
)
from openipu.sw.compiler.nodes import Offset

INCLUDE = Path(firmware.__file__).parent / "include" / "openipu"

_NOTICE = """\
// Made by `python -m openipu.sw.compiler.headers`; change that, not this.

#pragma once
"""


def isa_header() -> str:
    """Return `isa.h`: the Xipu instructions, CSR numbers, trap causes and barrier zones."""
    rows = [row for row in INSTRUCTIONS if row.extension == "Xipu"]
    lines = [_NOTICE, "#ifdef __ASSEMBLER__", "// streams, where an instruction takes 64 bits"]
    lines += [
        f"#define {name} f{register}"
        for register, name in zip(STREAMS, ("in0", "in1", "out"), strict=True)
    ]
    lines += [line for row in rows for line in _macro(row)]
    lines += ["#else", *(line for row in rows for line in _function(row)), "#endif", ""]
    lines += [f"#define CSR_{csr.name} {csr.value:#05x}" for csr in Csr] + [""]
    lines += [f"#define CAUSE_{cause.name} {cause.value}" for cause in Cause] + [""]
    lines += [f"#define ZONE_{zone.name} {zone.value}" for zone in Zone]
    return "\n".join(lines) + "\n"


def _operands(row: Instruction) -> list[str]:
    return row.syntax.split(", ") if row.syntax else []


def _encoding(row: Instruction, operands: dict[str, str]) -> str:
    """Return the `.insn` line; an immediate goes where the table says."""
    number = next((text for name, text in operands.items() if name[0] not in "rfv"), "0")
    x_zero = f"x{number}" if row.immediate is Immediate.RD else "x0"
    rd, rs1, rs2, rs3 = (
        next((operands[prefix + field] for prefix in "rfv" if prefix + field in operands), zero)
        for field, zero in (("d", x_zero), ("s1", "x0"), ("s2", "x0"), ("s3", "x0"))
    )
    opcode, funct3, funct7 = row.match & OPCODE, row.match >> 12 & 7, row.match >> 25
    if row.immediate is Immediate.I:
        return f".insn i {opcode:#x}, {funct3}, {rd}, {rs1}, {number}"
    if row.rs3 is not File.NONE:
        return f".insn r4 {opcode:#x}, {funct3}, {funct7 & 3}, {rd}, {rs1}, {rs2}, {rs3}"
    return f".insn r {opcode:#x}, {funct3}, {funct7}, {rd}, {rs1}, {rs2}"


def _macro(row: Instruction) -> list[str]:
    names = _operands(row)
    head = f".macro {row.name}" + "".join(f" {name}," for name in names).rstrip(",")
    encoding = _encoding(row, {name: f"\\{name}" for name in names})
    return [f"// {row.text}", head, f"    {encoding}", ".endm"]


def _function(row: Instruction) -> list[str]:
    """Return a C macro that issues the instruction; all memory accesses stay before or after it.

    C knows nothing of pairs and streams, so there is none for instructions on f registers.
    """
    names = _operands(row)
    if any(name[0] in "fv" for name in names):
        return []
    registers = [name for name in names if name.startswith("rs")]
    numbers = [name for name in names if name not in registers]
    places = {name: f"%{i}" for i, name in enumerate(registers)}
    places |= {name: f'" #{name} "' for name in numbers}
    inputs = ", ".join(f'"r"({name})' for name in registers)
    return [
        f"// {row.text}",
        f"#define {row.name}({', '.join(names)}) \\",
        f'    __asm__ volatile("{_encoding(row, places)}" :: {inputs} : "memory")',
    ]


def program_header() -> str:
    """Return `program.h`: what is where in a node of the tile's program."""
    lines = [_NOTICE, *(f"#define NODE_{name} {int(v)}" for name, v in Offset.__members__.items())]
    return "\n".join(lines) + "\n"


def vertices_header() -> str:
    """Return `vertices.h`: the struct and the prototype of each codelet.

    For the assembler, `CODELET.FIELD` is a field's offset.
    """
    codelets = all_codelets().values()
    lines = [_NOTICE, "#ifdef __ASSEMBLER__"]
    lines += [line for codelet in codelets for line in _offsets(codelet)]
    lines += ["#else", "#include <stdint.h>"]
    lines += [line for codelet in codelets for line in ("", *_struct(codelet))]
    return "\n".join([*lines, "#endif"]) + "\n"


def _offsets(codelet: Codelet) -> list[str]:
    pointed: tuple[Field | Table, ...] = (*codelet.vectors, *codelet.tables)
    names = [name for item in pointed for name in (item.name, f"{item.name}_length")]
    words: tuple[Scalar | Derived, ...] = (*codelet.scalars, *codelet.derived)
    names += [item.name for item in words]
    return [f".set {codelet.name}.{name}, {4 * index}" for index, name in enumerate(names)]


def _struct(codelet: Codelet) -> list[str]:
    lines = [f"struct {codelet.name}_vertex {{"]
    for item in codelet.vectors:
        const = "" if item.kind.writes else "const "
        lines.append(f"    {const}{DTYPES[item.dtype]} *{item.name};")
        lines.append(f"    uint32_t {item.name}_length;")
    for table in codelet.tables:
        lines += [f"    const uint32_t *{table.name};", f"    uint32_t {table.name}_length;"]
    lines += [f"    {SCALAR_DTYPES[item.dtype][1]} {item.name};" for item in codelet.scalars]
    lines += [f"    uint32_t {item.name};" for item in codelet.derived]
    return [*lines, "};", f"void {codelet.name}(const struct {codelet.name}_vertex *v);"]


HEADERS = {"isa.h": isa_header, "program.h": program_header, "vertices.h": vertices_header}
"""The headers and what makes their text."""


def main(directory: Path = INCLUDE) -> None:
    """Write all headers into a directory."""
    for name, text in HEADERS.items():
        (directory / name).write_text(text())


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
