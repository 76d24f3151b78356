"""Compiled programs on the instruction-level model, and what their steps mean, in NumPy."""

import numpy as np
import pytest

from openipu.cosim.golden.iss import ChipISS
from openipu.rtl.config import ChipConfig, TileConfig
from openipu.sw.codelets.copy_words import copy_words
from openipu.sw.compiler import compile
from openipu.sw.compiler.steps import (
    CallStep,
    HostSync,
    IfStep,
    RepeatStep,
    Superstep,
    WhileStep,
)
from openipu.sw.graph import Graph
from openipu.sw.program import Call, Copy, Execute, If, Repeat, RepeatWhile, Sequence


class Machine:
    """A compiled program, loaded into the instruction-level model with random memory."""

    def __init__(self, graph, program, config, seed=0):
        self.executable = exe = compile(graph, program, config)
        self.chip = ChipISS(config)
        rng = np.random.default_rng(seed)
        self.chip.broadcast(0, rng.bytes(config.tile.memory_bytes))
        for address, data in exe.common:
            self.chip.broadcast(address, data)
        for tile, image in enumerate(exe.images):
            for address, data in image:
                self.chip.load(tile, address, data)
        self.chip.boot(exe.entry)

    def read(self, variable):
        result = np.zeros(variable.size, variable.dtype)
        for region in self.executable.regions(variable):
            data = self.chip.read(region.tile, region.address, variable.item_bytes * region.count)
            result[region.first : region.first + region.count] = np.frombuffer(
                data, variable.dtype
            )
        return result

    def write(self, variable, value):
        flat = np.ascontiguousarray(value, variable.dtype).reshape(-1)
        for region in self.executable.regions(variable):
            part = flat[region.first : region.first + region.count]
            self.chip.load(region.tile, region.address, part.tobytes())


def run_steps(steps, values):
    """Run steps on flat arrays by variable, as `steps.py` defines them."""

    def phases(listed):
        for phase in listed:
            for vertex in phase:
                fields = {
                    name: values[view.variable][slice(*view.interval)]
                    for name, view in vertex.fields.items()
                }
                vertex.codelet.reference(**fields, **vertex.tables, **vertex.scalars)

    for step in steps:
        match step:
            case Superstep():
                phases(step.phases)
                sent = [values[t.source.variable][t.source.first :][: t.source.count].copy()
                        for t in step.transfers]  # fmt: skip
                for transfer, data in zip(step.transfers, sent, strict=True):
                    for piece in transfer.destinations:
                        values[piece.variable][piece.first : piece.end] = data
            case HostSync():
                phases(step.phases)
            case RepeatStep(count=count, body=body):
                for _ in range(count):
                    run_steps(body, values)
            case WhileStep(predicate=predicate, body=body):
                while values[predicate.variable][predicate.index].all():
                    run_steps(body, values)
            case IfStep(predicate=predicate, then=then, else_=else_):
                chosen = values[predicate.variable][predicate.index].all()
                run_steps(then if chosen else else_, values)
            case CallStep(function=function):
                run_steps(function.body, values)


def run_program(program, values):
    """Run a program on flat arrays by variable, as `program.py` defines it."""
    match program:
        case Sequence(steps=steps):
            for step in steps:
                run_program(step, values)
        case Execute(compute_set=compute_set):
            for vertex in compute_set.vertices:
                fields = {
                    name: values[view.variable][slice(*view.interval)]
                    for name, view in vertex.fields.items()
                }
                vertex.codelet.reference(**fields, **vertex.tables, **vertex.scalars)
        case Copy(source=source, destination=destination):
            data = values[source.variable][source.index.reshape(-1)]
            values[destination.variable][destination.index.reshape(-1)] = data
        case Repeat(count=count, body=body):
            for _ in range(count):
                run_program(body, values)
        case RepeatWhile(predicate=predicate, body=body):
            while values[predicate.variable][predicate.index[0]]:
                run_program(body, values)
        case If(predicate=predicate, then=then, else_=else_):
            chosen = values[predicate.variable][predicate.index[0]]
            run_program(then if chosen else else_, values)
        case Call(function=function):
            run_program(function.body, values)


def check(graph, program, config, runs=1, seed=0):
    """Run a program on the model; it, the steps, and the program must mean the same."""
    machine = Machine(graph, program, config, seed)
    for number in range(runs):
        if number:
            machine.chip.release()
        known = machine.executable.layout.regions
        by_steps = {variable: machine.read(variable) for variable in known}
        by_program = {variable: array.copy() for variable, array in by_steps.items()}
        status = machine.chip.run(50_000_000)
        assert status.host_sync, status
        run_steps(machine.executable.steps, by_steps)
        run_program(program, by_program)
        for variable in graph.variables.values():
            if variable.temporary:
                continue
            real = machine.read(variable)
            for what, values in (("program", by_program), ("steps", by_steps)):
                np.testing.assert_array_equal(
                    real, values[variable], f"{variable.name}, {what}, seed {seed}, run {number}"
                )
    return machine


@pytest.fixture
def run():
    """`check` itself: graph, program, config, runs=1, seed=0 -> Machine."""
    return check


@pytest.fixture
def small():
    """A function that returns a small chip: tiles, then fields of TileConfig and ChipConfig."""

    def make(tiles, *, exchange_latency=4, **tile):
        sizes = {"banks": 4, "bank_bytes": 8192} | tile
        return ChipConfig(
            tiles=tiles, exchange_latency=exchange_latency, tile=TileConfig(**sizes)
        )

    return make


@pytest.fixture
def graph():
    return Graph()


@pytest.fixture
def rows(graph):
    """Ten words on each of four tiles."""
    variable = graph.variable("rows", (4, 10), "uint32")
    for tile in range(4):
        variable[tile].map(tile)
    return variable


@pytest.fixture
def execute(graph, rows):
    """Move the first half of tile 0's row to its second."""
    compute_set = graph.compute_set("cs")
    compute_set.add(copy_words, 0, source=rows[0, :5], destination=rows[0, 5:])
    return Execute(compute_set)
