import os
import subprocess
import sys

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


def test_assembler_macros_give_the_tables_encodings(tmp_path, env):
    source = tmp_path / "a.S"
    source.write_text(
        '#include "openipu/isa.h"\n.section .text.test, "ax"\n'
        "xend\nxstart 5, a0, a1\nxwait\nxsync ZONE_HOST\nxarm s0, s1\nxtrap 31, t0\n"
    )
    assert code_of(source, tmp_path, env) == [
        encode("xend"),
        encode("xstart", imm=5, rs1=10, rs2=11),
        encode("xwait"),
        encode("xsync", imm=2),
        encode("xarm", rs1=8, rs2=9),
        encode("xtrap", imm=31, rs1=5),
    ]
    named = {row.name for row in INSTRUCTIONS if row.extension == "Xipu"}
    assert named == {"xend", "xstart", "xwait", "xsync", "xarm", "xtrap"}, "extend this test"


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
