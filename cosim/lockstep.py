"""Comparison of what the RTL retired, instruction by instruction, with the golden model."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from openipu.cosim.errors import SimulationError
from openipu.cosim.golden.iss import ChipISS
from openipu.cosim.golden.trace import FIELDS, LOAD, STORE
from openipu.cosim.program import Program
from openipu.cosim.random_program import random_program
from openipu.cosim.session import Session
from openipu.rtl.config import ChipConfig
from openipu.rtl.isa import File, disassemble

Trace = NDArray[np.void]
Runner = Callable[[Program], tuple[Trace, bytes]]
"""Runs a program and returns its trace, the threads mixed as they retired, and the memory after.
The trace has at least the fields of `golden.trace.TRACE_DTYPE`."""

MAX_CYCLES = 5_000_000


class LockstepError(AssertionError):
    """The machine and its model disagree; the message says where and about what."""


@dataclass(frozen=True)
class Mismatch:
    """The first record of a thread that differs; None where a side has no more records."""

    thread: int
    index: int
    got: Trace | None
    expected: Trace | None


def first_mismatch(got: Trace, expected: Trace) -> Mismatch | None:
    """Compare two traces of one thread."""
    both = min(len(got), len(expected))
    differs = np.zeros(both, bool)
    for name in FIELDS:
        differs |= got[name][:both] != expected[name][:both]
    if not differs.any() and len(got) == len(expected):
        return None
    index = int(differs.argmax()) if differs.any() else both
    longer = got if index < len(got) else expected
    return Mismatch(
        int(longer[index]["thread"]),
        index,
        got[index] if index < len(got) else None,
        expected[index] if index < len(expected) else None,
    )


def describe(record: Trace | None) -> str:
    """Return a record as text."""
    if record is None:
        return "nothing more"
    parts = [f"pc {int(record['pc']):#010x}"]
    if record["rd_file"] != File.NONE.value:
        letter = "f" if record["rd_file"] == File.F.value else "x"
        parts.append(f"{letter}{record['rd']} = {int(record['value']):#010x}")
    if record["memory"] == LOAD:
        parts.append(f"load at {int(record['address']):#010x}")
    if record["memory"] == STORE:
        parts.append(f"store {int(record['data']):#x} at {int(record['address']):#010x}")
    return ", ".join(parts)


def on_model(program: Program) -> tuple[Trace, bytes]:
    """Run a program on the golden model, as a `Runner`; threads come one after another."""
    iss = _run_model(program)
    traces = [iss.tiles[0].trace(thread) for thread in range(program.config.tile.contexts)]
    return np.concatenate(traces), iss.read(0, 0, program.config.tile.memory_bytes)


def on_session(session: Session) -> Runner:
    """Return the runner of a simulated chip of one tile, which has a trace port."""

    def run(program: Program) -> tuple[Trace, bytes]:
        session.load(0, 0, program.image)
        session.boot(0, program.thread)
        try:
            session.run(MAX_CYCLES)
        except SimulationError as error:
            session.boot()  # stops what runs still, so that the next program's trace is its own
            session.status()
            session.trace()
            raise LockstepError(f"{program.name}: the RTL doesn't halt: {error}") from None
        return session.trace(), session.read(0, 0, program.config.tile.memory_bytes)

    return run


def _run_model(program: Program) -> ChipISS:
    iss = ChipISS(program.config, tracing=True)
    iss.load(0, 0, program.image)
    iss.boot(0, program.thread)
    try:
        iss.run(MAX_CYCLES)
    except SimulationError as error:
        raise LockstepError(f"{program.name}: the golden model doesn't halt: {error}") from None
    return iss


def compare(program: Program, trace: Trace, memory: bytes) -> int:
    """Compare a run with the golden model's; return how many instructions retired.

    Raises LockstepError at the first difference.
    """
    iss = _run_model(program)
    retired = 0
    for thread in range(program.config.tile.contexts):
        mine = trace[trace["thread"] == thread]
        mismatch = first_mismatch(mine, iss.tiles[0].trace(thread))
        retired += len(mine)
        if mismatch is not None:
            raise LockstepError(_report(program, iss, mismatch))
    model = iss.read(0, 0, len(memory))
    if memory != model:
        at = next(i for i in range(0, len(memory), 4) if memory[i : i + 4] != model[i : i + 4])
        got, expected = (int.from_bytes(m[at : at + 4], "little") for m in (memory, model))
        raise LockstepError(
            f"{program.name}: memory at {at:#x} is {got:#010x}, expected {expected:#010x}"
        )
    return retired


def _report(program: Program, iss: ChipISS, mismatch: Mismatch) -> str:
    config, record = program.config, mismatch.expected
    if record is None:
        record = mismatch.got
    assert record is not None
    pc = int(record["pc"])
    at = pc & 0x7FFF_FFFC
    word = int.from_bytes(iss.read(0, at, 4), "little") if at < config.tile.memory_bytes else 0
    return (
        f"{program.name}, {config}: thread {mismatch.thread}, instruction {mismatch.index}, "
        f"pc {pc:#010x}: {disassemble(word, pc)}\n"
        f"  got      {describe(mismatch.got)}\n"
        f"  expected {describe(mismatch.expected)}"
    )


def run_seeds(runner: Runner, config: ChipConfig, seeds: range) -> int:
    """Run the random programs of these seeds in lock-step; return the instructions compared."""
    return sum(
        compare(program, *runner(program))
        for program in (random_program(seed, config) for seed in seeds)
    )
