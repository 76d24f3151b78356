import os
import random
import re
import shutil
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from openipu.cosim.elf import ElfError, Outcome, SourceMap, describe_trap, load, run_elf
from openipu.cosim.errors import TrapError
from openipu.rtl.config import ChipConfig, TileConfig
from openipu.rtl.isa import Cause

PROGRAMS = Path(__file__).parent / "programs"
CACHE = Path(__file__).parents[2] / "build" / "zig-cache"
SHARED = ChipConfig(tiles=1, tile=TileConfig(banks=4, bank_bytes=16384, trace=True))
SMALL = ChipConfig(tiles=1, tile=TileConfig(banks=2, bank_bytes=8192))


def compile_program(name, directory, *, base=0x8000_0000, options=()):
    path, script = directory / f"{name}.elf", directory / "link.ld"
    script.write_text((PROGRAMS / "link.ld").read_text().replace("BASE", hex(base)))
    subprocess.run(
        [
            sys.executable, "-m", "ziglang", "cc", "-target", "riscv32-freestanding-none",
            "-mcpu=generic_rv32+m+f+zfhmin+zicsr-c-d-a", "-mabi=ilp32f", "-nostdlib", "-static",
            "-g", f"-Wl,-T,{script}", *options,
            str(PROGRAMS / f"{name}.S"), "-o", str(path),
        ],
        check=True,
        env=os.environ | {"ZIG_GLOBAL_CACHE_DIR": str(CACHE), "ZIG_LOCAL_CACHE_DIR": str(CACHE)},
    )  # fmt: skip
    return path


@pytest.fixture(scope="module")
def elf(tmp_path_factory):
    """Compile a program once for each base."""
    directory, made = tmp_path_factory.mktemp("elf"), {}

    def get(name, base=0x8000_0000):
        if (name, base) not in made:
            folder = directory / f"{base:x}"
            folder.mkdir(exist_ok=True)
            made[name, base] = compile_program(name, folder, base=base)
        return made[name, base]

    return get


@pytest.fixture(params=["iss", "rtl"])
def run(request):
    """Return `run_elf` for a backend, on the chip that other tests have a simulator of, too."""
    return lambda path, **options: run_elf(
        path, backend=request.param, **{"config": SHARED, **options}
    )


@pytest.mark.parametrize("base", [0, 0x8000_0000], ids=hex)
@pytest.mark.parametrize("name", ["arithmetic", "divide", "environment", "float", "half"])
@pytest.mark.parametrize("busy", [False, True], ids=["alone", "among busy workers"])
def test_programs_pass(elf, run, name, base, busy):
    result = run(elf(name, base), busy=busy, max_cycles=200_000)
    assert (result.outcome, result.message) == (Outcome.PASSED, "passed")


@pytest.mark.parametrize(
    ("name", "outcome", "message"),
    [
        ("failing", Outcome.FAILED, "failed: number 23"),
        ("halting", Outcome.HALTED, "the program ended without a write to tohost"),
        ("trapping", Outcome.TRAPPED, r"tile 0, thread 0, pc 0x80000004 .* misaligned, value 0x3"),
        ("endless", Outcome.LIMIT, r"no end within 9000 cycles: thread 0 at 0x80000000 \(.*\)"),
    ],
)
def test_other_ends_among_busy_workers(elf, run, name, outcome, message):
    result = run(elf(name), busy=True, max_cycles=9000)
    assert result.outcome is outcome
    assert re.fullmatch(message, result.message)


@pytest.mark.slow
def test_a_program_passes_on_the_default_chip(elf):
    assert run_elf(elf("arithmetic")).outcome is Outcome.PASSED


def test_a_failure_has_its_number(elf, run):
    result = run(elf("failing"), max_cycles=200_000)
    assert (result.outcome, result.number) == (Outcome.FAILED, 23)
    assert result.message == "failed: number 23"


def test_a_trap_names_place_and_cause(elf, run):
    result = run(elf("trapping"), max_cycles=200_000)
    assert result.outcome is Outcome.TRAPPED
    assert result.message == (
        "tile 0, thread 0, pc 0x80000004 (trapping.S:8 in culprit): "
        "load address misaligned, value 0x3"
    )


def test_an_endless_program_reports_where_it_is(elf, run):
    result = run(elf("endless"), max_cycles=5000)
    assert result.outcome is Outcome.LIMIT
    assert result.cycles >= 5000
    assert result.message == (
        "no end within 5000 cycles: thread 0 at 0x80000000 (endless.S:4 in _start)"
    )


def test_a_program_may_end_without_tohost(elf, run):
    result = run(elf("halting"), max_cycles=200_000)
    assert result.outcome is Outcome.HALTED
    assert result.message == "the program ended without a write to tohost"


def test_signature(elf, run, tmp_path):
    file = tmp_path / "signature"
    result = run(elf("arithmetic"), max_cycles=200_000, signature=file)
    expected = ["0000000e", "ffffff88", "fffffff4", "deadffef"]
    assert result.signature == expected
    assert file.read_text() == "\n".join(expected) + "\n"


def test_progress_grows(elf, run):
    seen = []
    run(elf("endless"), max_cycles=50_000, progress=seen.append)
    assert len(seen) > 2 and seen == sorted(seen) and seen[-1] >= 50_000


def test_missing_signature_is_named(elf, run, tmp_path):
    with pytest.raises(ElfError, match=r"no symbol begin_signature and end_signature$"):
        run(elf("float"), signature=tmp_path / "signature")


def test_a_signature_that_cannot_be_written(elf, tmp_path):
    with pytest.raises(ElfError, match=r"nowhere/signature can't be written: No such file"):
        run_elf(elf("arithmetic"), backend="iss", signature=tmp_path / "nowhere" / "signature")


def damaged(elf, tmp_path, change):
    content = bytearray(elf("float").read_bytes())
    path = tmp_path / "bad.elf"
    changed = change(content)
    path.write_bytes(content if changed is None else changed)
    return path


def put(offset, kind, value):
    def change(content):
        struct.pack_into(kind, content, offset, value)

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda content: b"", r"must be an ELF file, but doesn't begin like one$"),
        (lambda content: b"int main() {}", r"must be an ELF file, but doesn't begin like one$"),
        (lambda content: content[:30], r"is truncated: it ends within the ELF header$"),
        (lambda content: content[:100], r"is truncated: it has 100 bytes, its \w+ headers end at"),
        (lambda content: content[:-40], r"is truncated: it has \d+ bytes, its section headers end"),
        (put(4, "B", 2), r"must be a 32-bit ELF file, not a 64-bit one$"),
        (put(5, "B", 2), r"must be little-endian, not big-endian$"),
        (put(18, "<H", 62), r"must be for RISC-V, not for .*X86-64"),
        (put(18, "<H", 40), r"must be for RISC-V, not for ARM$"),
        (put(16, "<H", 1), r"must be an executable, .*it is an object file, not linked$"),
        (put(16, "<H", 3), r"must be an executable, .*it is a shared object$"),
        (put(44, "<H", 0), r"has nothing to load$"),
        (put(52 + 4, "<I", 1 << 20), r"is truncated: .* the segment for 0x80000000 ends at"),
        (put(50, "<H", 999), r"is truncated or damaged: "),
    ],
)
def test_bad_files_are_named(elf, tmp_path, change, message):
    with pytest.raises(ElfError, match=rf"^.*bad\.elf {message}"):
        load(damaged(elf, tmp_path, change))


def test_a_file_that_is_not_there():
    with pytest.raises(ElfError, match=r"^nowhere\.elf can't be read: No such file"):
        load("nowhere.elf")


def test_every_truncation_is_an_elf_error(elf, tmp_path):
    content = elf("float").read_bytes()
    path = tmp_path / "cut.elf"
    for length in range(0, len(content), 97):
        path.write_bytes(content[:length])
        with pytest.raises(ElfError):
            load(path)


def test_damage_is_an_elf_error_or_harmless(elf, tmp_path):
    content = elf("float").read_bytes()
    path = tmp_path / "damaged.elf"
    pick = random.Random(5)
    raised = 0
    for number in range(300):
        changed = bytearray(content)
        # The header, the program headers, or anything.
        end = (52, 52 + 5 * 32, len(content))[number % 3]
        for _ in range(pick.randint(1, 3)):
            changed[pick.randrange(4, end)] = pick.choice((0, 1, 0xFF, pick.getrandbits(8)))
        path.write_bytes(changed)
        try:
            run_elf(path, backend="iss", max_cycles=60)
        except ElfError:
            raised += 1
    assert raised > 50


def test_a_program_that_does_not_fit(elf):
    path = elf("arithmetic", 0x8000_3F00)
    with pytest.raises(
        ElfError,
        match=r"doesn't fit: a segment takes 0x3f00 to 0x4\w+ \(without bit 31\), "
        r"the memory ends at 0x4000 \(16 KiB\)$",
    ):
        run_elf(path, backend="iss", config=SMALL)


def test_a_program_that_leaves_no_room_for_busy_workers(elf):
    path = elf("arithmetic", 0x8000_3C00 - 0x40)
    with pytest.raises(
        ElfError,
        match=r"doesn't fit: .* what the busy workers take begins at 0x3c00 \(15 KiB\)$",
    ):
        run_elf(path, backend="iss", config=SMALL, busy=True)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"backend": "fpga"}, r"^backend must be rtl or iss, not 'fpga'$"),
        ({"max_cycles": 0}, r"^max_cycles must be at least 1, not 0$"),
        ({"config": ChipConfig(tiles=2)}, r"^a plain program runs on 1 tile, not 2$"),
    ],
)
def test_bad_arguments(elf, options, message):
    with pytest.raises(ValueError, match=message):
        run_elf(elf("float"), **options)


def test_source_map_finds_lines_and_functions(elf):
    program = load(elf("arithmetic", 0))
    source = program.source
    line = next(
        number
        for number, text in enumerate((PROGRAMS / "arithmetic.S").read_text().splitlines(), 1)
        if "li a2, 77" in text
    )
    pc = program.symbols["function"]
    assert source.line(pc) == source.line(pc | 0x8000_0000) == f"arithmetic.S:{line}"
    assert source.describe(pc) == f"{pc:#010x} (arithmetic.S:{line} in function)"
    assert source.line(pc + 8) is None  # beyond the end of the code
    assert SourceMap([], []).describe(16) == "0x00000010"


def test_a_stripped_file_runs_but_has_no_tohost(elf, tmp_path):
    path = tmp_path / "stripped.elf"
    shutil.copy(elf("halting"), path)
    stripped = compile_program("halting", tmp_path, options=["-s"])
    assert load(stripped).source.line(0) is None
    assert run_elf(stripped, backend="iss").outcome is Outcome.HALTED


@pytest.mark.parametrize(
    ("trap", "text"),
    [
        ((3, 6, 0x20, Cause.EXPLICIT, 7, 5),
         "tile 3, thread 6, pc 0x00000020: explicit trap (code 7), value 0x5"),
        ((1, None, 12, Cause.SILENT_BUS, 0, 2),
         "tile 1, exchange cycle 12: receive from a bus that nobody drives, value 0x2"),
        ((0, 0, 4, Cause.ILLEGAL, 0, 0x4501),
         "tile 0, thread 0, pc 0x00000004: illegal instruction, value 0x4501 "
         "(16 bits long: compile without the C extension)"),
    ],
)  # fmt: skip
def test_traps_as_text(trap, text):
    names = "tile", "thread", "pc", "cause", "code", "value"
    error = TrapError(**dict(zip(names, trap, strict=True)))
    assert describe_trap(error, SourceMap([], [])) == text
