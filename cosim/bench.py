"""Measures the co-simulation: its speed beside a bare C++ loop, and what building costs."""

import os
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from openipu.cosim.build import BuildOptions, Simulator
from openipu.cosim.chip import build_chip
from openipu.cosim.errors import CycleLimitError
from openipu.cosim.session import MEMORY_STRIDE, Session
from openipu.rtl.config import ChipConfig
from openipu.rtl.isa import encode

_WORKER = 0x200  # entry of the workers
_DATA = 0x400  # of worker 0; 64 bytes each


def measure(
    *, tiles: int = 4, seconds: float = 1.0, rounds: int = 5, builds: bool = True
) -> dict[str, float]:
    """Return figures by name: cycles and tile-cycles a second, their ratio to the bare loop, build
    seconds at 4 and 64 tiles.

    The busy program (all workers compute, load and store without end) runs in turns through a
    session and in the bare loop, each for about `seconds`, `rounds` times; the best of each counts.
    """  # fmt: skip
    config = ChipConfig(tiles=tiles)
    figures: dict[str, float] = {}
    if builds:
        figures["build_s_4_tiles"] = build_seconds(ChipConfig(tiles=4))
        figures["build_s_64_tiles"] = build_seconds(ChipConfig(tiles=64))
    program = busy_program(config.tile.slots)
    bare = build_chip(config, BuildOptions(bare=True))
    cosim_rates, bare_rates = [], []
    with Session(config) as session:
        session.broadcast(0, program)
        session.boot()
        cycles = int(seconds * _session_rate(session, 20_000))
        for _ in range(rounds):
            cosim_rates.append(_session_rate(session, cycles))
            bare_rates.append(bare_rate(bare, config, program, cycles))
    figures[f"cosim_cycles_per_second_{tiles}_tiles"] = max(cosim_rates)
    figures[f"cosim_tile_cycles_per_second_{tiles}_tiles"] = tiles * max(cosim_rates)
    figures["raw_verilator_cycles_per_second"] = max(bare_rates)
    figures["cosim_over_raw_verilator"] = max(cosim_rates) / max(bare_rates)
    return figures


def busy_program(slots: int) -> NDArray[np.uint32]:
    """Return a program, to be loaded at 0, whose workers compute, load and store for ever."""
    supervisor = [encode("addi", rd=5, imm=_WORKER)]
    for worker in range(slots):
        supervisor += [
            encode("addi", rd=6, imm=_DATA + 64 * worker),
            encode("xstart", imm=worker, rs1=5, rs2=6),
        ]
    supervisor += [encode("xwait"), encode("xend")]
    loop = [
        encode("lw", rd=12, rs1=10, imm=0),
        encode("addi", rd=12, rs1=12, imm=0x123),
        encode("mul", rd=13, rs1=12, rs2=14),
        encode("sw", rs1=10, rs2=13, imm=0),
        encode("flw", rd=1, rs1=10, imm=0),
        encode("fmadd.s", rd=2, rs1=1, rs2=1, rs3=2),
        encode("xor", rd=14, rs1=13, rs2=12),
        encode("slli", rd=15, rs1=14, imm=3),
        encode("sh", rs1=10, rs2=15, imm=8),
    ]
    loop.append(encode("jal", rd=0, imm=-4 * len(loop)))
    program = np.zeros(_WORKER // 4 + len(loop), np.uint32)
    program[: len(supervisor)] = supervisor
    program[_WORKER // 4 :] = loop
    return program


def bare_rate(
    simulator: Simulator, config: ChipConfig, program: NDArray[np.uint32], cycles: int
) -> float:
    """Return the cycles a second of a program in a simulator that is built with `bare`."""
    with tempfile.TemporaryDirectory(prefix="openipu-") as directory:
        path = Path(directory) / "memory"
        memory = np.memmap(path, np.uint8, "w+", shape=(config.tiles, MEMORY_STRIDE))
        memory[:, : program.nbytes] = program.view(np.uint8)
        memory.flush()
        done = subprocess.run(
            [simulator.executable, "0", str(config.tile.supervisor), str(cycles)],
            env=os.environ | {"OPENIPU_MEMORY": str(path)},
            capture_output=True, text=True, check=True,
        )  # fmt: skip
    return float(done.stdout)


def build_seconds(config: ChipConfig) -> float:
    """Return the seconds that building a chip's simulator takes with nothing kept."""
    with _nothing_kept():
        start = time.monotonic()
        build_chip(config)
        return time.monotonic() - start


@contextmanager
def _nothing_kept() -> Iterator[None]:
    before = os.environ.get("OPENIPU_BUILD")
    with tempfile.TemporaryDirectory(prefix="openipu-") as directory:
        os.environ["OPENIPU_BUILD"] = directory
        try:
            yield
        finally:
            if before is None:
                del os.environ["OPENIPU_BUILD"]
            else:
                os.environ["OPENIPU_BUILD"] = before


def _session_rate(session: Session, cycles: int) -> float:
    try:
        session.run(cycles)
    except CycleLimitError:
        pass  # the program never ends
    else:
        raise AssertionError("the busy program must not end")
    return session.last_cycles / session.last_seconds
