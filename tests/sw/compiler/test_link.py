import re
import shutil

import pytest

from openipu.rtl.config import TileConfig
from openipu.rtl.isa import decode
from openipu.sw.codelets.codelet import Codelet, Field, Input, all_codelets, lookup
from openipu.sw.codelets.copy_words import copy_words
from openipu.sw.compiler import link as linking
from openipu.sw.compiler.errors import CompileError
from openipu.sw.compiler.link import link


@pytest.fixture
def build(tmp_path, monkeypatch):
    """Link one codelet given as C code; returns a function."""
    root = tmp_path / "firmware"
    shutil.copytree(linking._ROOT, root)
    monkeypatch.setattr(linking, "_ROOT", root)
    caches = linking.build_root() / "zig"
    caches.mkdir(parents=True, exist_ok=True)
    monkeypatch.setenv("OPENIPU_BUILD", str(tmp_path / "build"))
    (tmp_path / "build" / "firmware").mkdir(parents=True)
    (tmp_path / "build" / "firmware" / "zig").symlink_to(caches)  # the C compiler's own parts

    def make(code):
        (root / "codelets" / "test.c").write_text(
            "#include <stdint.h>\n"
            "struct test_vertex { const float *x; uint32_t x_length; };\n" + code
        )
        fields = (Field("x", Input),)
        return link([Codelet("test", fields, "test.c", lambda x: None, lambda x: 1)], TileConfig())

    return make


HEAD = "void test(const struct test_vertex *v) "


def test_segments_and_symbols():
    tile = TileConfig(banks=4, bank_bytes=8192)
    made = link([copy_words, copy_words], tile)
    assert made.entry == made.symbols["_start"] == 0
    assert made.segments[0][0] == 0
    assert made.code_bytes == sum(len(data) for _, data in made.segments)
    assert made.data_address == 8192
    assert made.stacks_bytes == 6 * linking.STACK_BYTES
    assert made.end == made.stacks_address + made.stacks_bytes
    assert 0 < made.symbols["copy_words"] < made.code_bytes
    assert made.elf.parent == linking.build_root()


def test_compact():
    made = link([copy_words], TileConfig(), compact=True)
    assert made.data_address - made.code_bytes < linking.COMPACT_ALIGNMENT
    assert made.end < 4096


def test_second_time_is_from_the_cache(build, monkeypatch):
    first = build(HEAD + "{ (void)v; }")
    monkeypatch.setattr("subprocess.run", None)
    assert build(HEAD + "{ (void)v; }") == first


@pytest.mark.parametrize("slots", [4, 5, 6, 7, 8])
def test_every_number_of_slots(slots):
    made = link([copy_words], TileConfig(slots=slots))
    for name in ("op_run", "op_sync", "op_exchange"):
        assert f"{name}_{slots}" in made.symbols
        assert f"{name}_{slots + 1}" not in made.symbols


def test_all_codelets_compile():
    """Every codelet that there is, in one image."""
    made = link(all_codelets().values(), TileConfig())
    assert all(name in made.symbols for name in all_codelets())


def test_read_only_data(build):
    made = build(
        "static const float table[3] = {1, 2, 3};\n" + HEAD
        + '{ __asm__ volatile("" :: "r"(&table[v->x_length])); }'
    )  # fmt: skip
    assert made.data_bytes >= 12
    assert [address for address, _ in made.segments][-1] == made.data_address


@pytest.mark.parametrize(
    ("expression", "instruction"),
    [
        ("x[0] / x[1]", "fdiv.s"),
        ("__builtin_sqrtf(x[0])", "fsqrt.s"),
        ("(float)*(const _Float16 *)(x + 1)", "fcvt.s.h"),
        ("(_Float16)x[0]", "fcvt.h.s"),
    ],
)
def test_the_compiler_uses_the_instructions(build, expression, instruction):
    made = build(HEAD + "{ const float *x = v->x; ((float *)v->x)[0] = " + expression + "; }")
    code = dict(made.segments)[0]
    at = made.symbols["test"]
    words = [int.from_bytes(code[k : k + 4], "little") for k in range(at, at + 32, 4)]
    assert instruction in [row.name for row in map(decode, words) if row]


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ('{ (void)v; __asm__ volatile(".word 0"); }',
         "^test uses the instruction word 0x00000000, which the machine doesn't have$"),
        ("{ (void)v; return 1; }", "(?s)^the firmware can't be built:.*test.c:3"),
        ("{ volatile float a[40]; a[v->x_length] = 1; }",
         "(?s)^the firmware can't be built:.*stack frame size"),
        ("{ static float total; total += v->x[0]; ((float *)v->x)[0] = total; }",
         "(?s)^the firmware can't be built:.*a codelet must not have global variables: its "
         "vertices run at the same time"),
        ("{ ((float *)v->x)[0] = (float)((double)v->x[0] * v->x[1] + v->x[2]); }",
         "(?s)^the firmware can't be built:.*undefined symbol: __muldf3"),
    ],
)  # fmt: skip
def test_errors(build, code, text):
    with pytest.raises(CompileError, match=text):
        build(HEAD + code)


@pytest.mark.parametrize("source", ["nothing.c", "/nowhere/nothing.c"])
def test_missing_source(source):
    missing = Codelet("nothing", (), source, lambda: None, lambda: 1)
    message = (
        "the source of codelet nothing must be a file, by its absolute path or under "
        f"firmware/codelets/, not {source!r}"
    )
    with pytest.raises(CompileError, match=f"^{re.escape(message)}$"):
        link([missing], TileConfig())


def test_a_header_beside_a_source_outside_of_the_package(tmp_path):
    source, header = tmp_path / "outside.c", tmp_path / "value.h"
    source.write_text('#include "value.h"\nint outside(void) { return VALUE; }\n')
    outside = Codelet("outside", (), str(source), lambda: None, lambda: 1)
    for value in (1234, 1111):
        header.write_text(f"#define VALUE {value}\n")
        made = link([outside], TileConfig())
        code, at = dict(made.segments)[0], made.symbols["outside"]
        assert int.from_bytes(code[at : at + 4], "little") >> 20 == value  # li a0, VALUE


@pytest.mark.parametrize(
    ("name", "config", "text"),
    [
        ("exponent_f16", TileConfig(simd=False), "exponent_f16 uses h4exp"),
        ("scaled_add_f32", TileConfig(simd=False), "scaled_add_f32 uses s2splat"),
    ],
)
def test_instructions_that_the_tile_has_not(name, config, text):
    link([lookup(name)], config.replace(simd=True))
    with pytest.raises(CompileError, match=f"^{text}, which the machine doesn't have$"):
        link([lookup(name)], config)
