import os
import subprocess
import sys

import numpy as np
import pytest
from elftools.elf.elffile import ELFFile

from openipu.rtl.isa import INSTRUCTIONS, encode
from openipu.sw.compiler import headers
from openipu.sw.compiler.link import _FLAGS, build_root


@pytest.mark.parametrize("name", headers.HEADERS)
def test_committed_headers_are_what_would_be_made(name):
    assert (headers.INCLUDE / name).read_text() == headers.HEADERS[name](), (
        "run python -m openipu.sw.compiler.headers"
    )


def test_main_writes_all(tmp_path):
    headers.main(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == set(headers.HEADERS)


def code_of(path, tmp_path, env):
    """Compile a file and return the words of its .text section."""
    made = tmp_path / "a.o"
    flags = [flag for flag in _FLAGS if not flag.startswith(("-Wl", "-nostd", "-static"))]
    command = [sys.executable, "-m", "ziglang", "cc", *flags, "-g0", f"-I{headers.INCLUDE.parent}",
               "-c", str(path), "-o", str(made)]  # fmt: skip
    subprocess.run(command, check=True, env=env)
    with made.open("rb") as file:
        sections = [s for s in ELFFile(file).iter_sections() if s.name.startswith(".text")]
        code = b"".join(section.data() for section in sections)
    return [int.from_bytes(code[i : i + 4], "little") for i in range(0, len(code), 4)]


@pytest.fixture
def env():
    root = str(build_root() / "zig")
    return os.environ | {"ZIG_GLOBAL_CACHE_DIR": root, "ZIG_LOCAL_CACHE_DIR": root}


def operands(row, random):
    """Return an instruction's operands as text and as arguments of `encode`."""
    texts, fields = [], {}
    for name in row.syntax.split(", ") if row.syntax else []:
        number = int(random.integers(31))
        place = {"d": "rd", "1": "rs1", "2": "rs2", "3": "rs3"}.get(name[-1])
        if name[0] == "v":
            streams = {"out": 5} if place == "rd" else {"in0": 1, "in1": 3}
            text = str(random.choice([f"f{number & 30}", *streams]))
            fields[place] = streams.get(text, number & 30)
        elif name[0] in "rf" and place:
            text = f"{'x' if name[0] == 'r' else 'f'}{number}"
            fields[place] = number
        else:
            text = str(number)
            fields["imm"] = number
        texts.append(text)
    return ", ".join(texts), fields


def test_assembler_macros_give_the_tables_encodings(tmp_path, env):
    random = np.random.default_rng(5)
    source = tmp_path / "a.S"
    lines, expected = [], []
    for row in [row for row in INSTRUCTIONS if row.extension == "Xipu"] * 3:
        text, fields = operands(row, random)
        lines.append(f"{row.name} {text}")
        expected.append(encode(row.name, **fields))
    source.write_text(
        '#include "openipu/isa.h"\n.section .text.test, "ax"\n' + "\n".join(lines) + "\n"
    )
    assert code_of(source, tmp_path, env) == expected, "seed 5"


def test_vertex_offsets(tmp_path, env):
    """An assembler codelet finds each field of its vertex where the compiler puts it."""
    source = tmp_path / "a.S"
    source.write_text(
        '#include "openipu/codelet.h"\ncodelet test\nlw t0, fill.y_length(a0)\n'
        "lw t1, fill.value(a0)\nlw t2, matmul_nt.depth(a0)\nret\nend test\n"
    )
    t0, a0 = 5, 10
    assert code_of(source, tmp_path, env) == [
        encode("lw", rd=t0, rs1=a0, imm=4),
        encode("lw", rd=t0 + 1, rs1=a0, imm=8),
        encode("lw", rd=t0 + 2, rs1=a0, imm=36),
        encode("jalr", rs1=1),
    ]


def test_c_macros(tmp_path, env):
    source = tmp_path / "a.c"
    source.write_text('#include "openipu/isa.h"\nvoid f(int a) { xtrap(7, a); xend(); }\n')
    words = code_of(source, tmp_path, env)
    a0 = 10
    custom_0 = 0x0B
    assert [word for word in words if word & 0x7F == custom_0] == [
        encode("xtrap", imm=7, rs1=a0),
        encode("xend"),
    ]
