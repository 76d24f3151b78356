"""Code generation: a tile's program, workers' jobs, vertices and exchange tables, as blocks.

Blocks are made first, when their sizes are known but no address is; they refer to each other as
objects. When everything has its place, `TileCode.encode` writes them.
"""

import heapq
import struct
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from openipu.rtl.config import ChipConfig
from openipu.sw.compiler.errors import CompileError
from openipu.sw.compiler.exchange import Entry, Schedule, encode, table_bytes
from openipu.sw.compiler.nodes import SIZES, Offset
from openipu.sw.compiler.steps import (
    CallStep,
    FunctionStep,
    HostSync,
    IfStep,
    Phase,
    RepeatStep,
    Step,
    Superstep,
    WhileStep,
)
from openipu.sw.graph import Variable, Vertex, View

JOB_ISSUES = 3
"""What a worker issues besides its job's code."""

LIST_ISSUES, CALL_ISSUES = 4, 5
"""What a list takes, and each vertex on it besides its codelet's code."""

START_CYCLES = 9
"""What starting one more worker takes the supervisor."""

Find = Callable[[Variable, int], tuple[int, int]]
"""Tile and byte address of an element of a variable."""


@dataclass(eq=False)
class Block:
    """Words in a tile's memory. `address` is its first byte's, once it has a place."""

    address: int = field(default=-1, init=False)

    category = "program"
    alignment = 4

    @property
    def size(self) -> int:
        """Size in bytes."""
        raise NotImplementedError

    def encode(self, context: "Context") -> bytes:
        """Return the bytes, now that every address is known."""
        raise NotImplementedError


@dataclass(frozen=True)
class Context:
    """What blocks need to know to be written."""

    tile: int
    symbols: Mapping[str, int]
    find: Find
    bus_bytes: int

    def address(self, variable: Variable, element: int) -> int:
        """Return the byte address of an element that must be on this tile."""
        tile, address = self.find(variable, element)
        assert tile == self.tile, f"{variable.name}[{element}] is on tile {tile}, not {self.tile}"
        return address


@dataclass(eq=False)
class JobBlock(Block):
    """What a worker can do: the code's address, then what the code gets the address of."""

    category = "vertices"

    @property
    def job(self) -> int:
        """The address that the worker gets."""
        return self.address + 4


@dataclass(eq=False)
class VertexBlock(JobBlock):
    """A vertex: its codelet, its struct, and its tables."""

    vertex: Vertex

    @property
    def size(self) -> int:
        """Size in bytes."""
        tables = sum(4 * words.size for words in self.vertex.tables.values())
        return 4 + self.vertex.codelet.struct_bytes + tables

    def encode(self, context: Context) -> bytes:
        """Return the codelet, pointers and lengths, scalars, derived words, then the tables."""
        words = bytearray(struct.pack("<I", context.symbols[self.vertex.codelet.name]))
        codelet, scalars = self.vertex.codelet, self.vertex.scalars
        for item in codelet.vectors:
            view = self.vertex.fields[item.name]
            pointer = 0
            if view.size:
                pointer = context.address(view.variable, view.interval[0])
            words += struct.pack("<II", pointer, view.size)
        pointer = self.job + codelet.struct_bytes
        tables = [self.vertex.tables[table.name] for table in codelet.tables]
        for table in tables:
            words += struct.pack("<II", pointer, table.size)
            pointer += 4 * table.size
        for scalar in codelet.scalars:
            words += scalars[scalar.name].tobytes()
        lengths = {name: view.size for name, view in self.vertex.fields.items()}
        numbers = {name: value.item() for name, value in scalars.items()}
        for derived in codelet.derived:
            try:
                words += struct.pack("<I", derived.value(**lengths, **numbers))
            except ValueError as error:
                raise CompileError(f"{self.vertex.name} ({codelet.name}): {error}") from None
        return bytes(words) + b"".join(table.tobytes() for table in tables)


@dataclass(eq=False)
class ListBlock(JobBlock):
    """Vertices that one worker runs one after another."""

    vertices: list[VertexBlock]

    @property
    def size(self) -> int:
        """Size in bytes."""
        return 4 * len(self.vertices) + 8

    def encode(self, context: Context) -> bytes:
        """Return the code that runs lists, the vertices, then 0."""
        words = [context.symbols["run_list"], *(block.job for block in self.vertices), 0]
        return struct.pack(f"<{len(words)}I", *words)


@dataclass(eq=False)
class TableBlock(Block):
    """A send or receive table."""

    entries: tuple[Entry, ...]
    receiving: bool
    category = "exchange tables"
    alignment = 8

    @property
    def size(self) -> int:
        """Size in bytes."""
        return table_bytes(self.entries)

    def encode(self, context: Context) -> bytes:
        """Return the entries and the end."""
        words = []
        for entry in self.entries:
            address = 0
            if entry.piece is not None:
                address = context.address(entry.piece.variable, entry.piece.first)
                address += entry.skip * context.bus_bytes
            words.append(encode(entry, address, receiving=self.receiving))
        return struct.pack(f"<{len(words) + 1}Q", *words, 0)


@dataclass(eq=False)
class NodeBlock(Block):
    """A node of the program (see `nodes`), with the jobs of the workers it starts."""

    handler: str
    next: "NodeBlock | None" = None
    other: "NodeBlock | None" = None
    jobs: list[JobBlock] = field(default_factory=list)
    words: dict[Offset, "int | Block | tuple[NodeBlock, Offset] | View"] = field(
        default_factory=dict
    )

    @property
    def size(self) -> int:
        """Size in bytes."""
        return 4 * len(self.jobs) + SIZES[self.handler]

    @property
    def node(self) -> int:
        """Address that others go to: behind the jobs."""
        return self.address + 4 * len(self.jobs)

    @property
    def symbol(self) -> str:
        """The handler's name in the firmware."""
        starts = self.handler in ("op_run", "op_sync", "op_exchange")
        return f"{self.handler}_{len(self.jobs)}" if starts else self.handler

    def encode(self, context: Context) -> bytes:
        """Return the jobs' addresses, the last worker's first, then the node."""
        words = [0] * (SIZES[self.handler] // 4)
        for successor, op, at in (
            (self.next, Offset.NEXT_OP, Offset.NEXT),
            (self.other, Offset.OTHER_OP, Offset.OTHER),
        ):
            if successor is not None:
                words[op // 4] = context.symbols[successor.symbol]
                words[at // 4] = successor.node
        for offset, word in self.words.items():
            words[offset // 4] = self._value(word, context)
        jobs = [block.job for block in reversed(self.jobs)]
        return struct.pack(f"<{len(jobs) + len(words)}I", *jobs, *words)

    @staticmethod
    def _value(word: "int | Block | tuple[NodeBlock, Offset] | View", context: Context) -> int:
        match word:
            case NodeBlock():
                return word.node
            case Block():
                return word.address
            case View():
                return context.address(word.variable, int(word.index[context.tile]))
            case (block, offset):
                return block.node + offset
            case number:
                return number


def assign(vertices: list[Vertex], workers: int) -> list[list[Vertex]]:
    """Spread vertices over workers: the longest first, each to the worker with the least to do.

    Every worker gets those for a team first, in the same order. Returns the workers that got some,
    the busiest last: the supervisor starts that one first.
    """
    team = [vertex for vertex in vertices if vertex.codelet.team]
    alone = [vertex for vertex in vertices if not vertex.codelet.team]
    heap = [(0, worker) for worker in range(workers if team else min(workers, len(alone)))]
    lists: list[list[Vertex]] = [list(team) for _ in heap]
    for vertex in sorted(alone, key=lambda v: -v.issues):
        load, worker = heapq.heappop(heap)
        lists[worker].append(vertex)
        heapq.heappush(heap, (load + vertex.issues + CALL_ISSUES, worker))
    return sorted(lists, key=work)


def work(vertices: list[Vertex]) -> int:
    """Return the issues that a worker needs for its vertices."""
    calls = LIST_ISSUES + CALL_ISSUES * len(vertices) if len(vertices) > 1 else 0
    return JOB_ISSUES + calls + sum(vertex.issues for vertex in vertices)


def duration(workers: list[list[Vertex]], slots: int) -> int:
    """Return the cycles from the supervisor's first instruction to the end of the last worker."""
    starts = range(len(workers), 0, -1)
    return max(
        START_CYCLES * start + slots * work(vertices)
        for start, vertices in zip(starts, workers, strict=True)
    )


class PhasesByTile:
    """The vertices of each phase, by tile and worker."""

    def __init__(self, workers: int) -> None:
        self._workers = workers
        self._phases: dict[int, tuple[Phase, dict[int, list[list[Vertex]]]]] = {}

    def __getitem__(self, phase: Phase) -> dict[int, list[list[Vertex]]]:
        if id(phase) not in self._phases:  # comparing phases would take their length
            tiles: dict[int, list[Vertex]] = {}
            for vertex in phase:
                tiles.setdefault(vertex.tile, []).append(vertex)
            lists = {tile: assign(listed, self._workers) for tile, listed in tiles.items()}
            self._phases[id(phase)] = phase, lists
        return self._phases[id(phase)][1]


class TileCode:
    """Everything that the compiler generates for one tile."""

    def __init__(
        self,
        tile: int,
        config: ChipConfig,
        steps: tuple[Step, ...],
        schedules: Mapping[Superstep, Schedule],
        phases: PhasesByTile,
    ) -> None:
        self.tile = tile
        self.config = config
        self._schedules = schedules
        self._phases = phases
        self._functions: dict[FunctionStep, tuple[NodeBlock, NodeBlock]] = {}
        self._vertices: dict[Vertex, VertexBlock] = {}
        self._lists: dict[tuple[Vertex, ...], ListBlock] = {}
        self._tables: dict[tuple[Superstep, bool], TableBlock] = {}
        # The first block is where the supervisor starts, the program's first step is next to it.
        self._root = NodeBlock("op_next")
        self._nodes = [self._root]
        self._root.next = self._emit(steps, self._root)

    @property
    def blocks(self) -> Iterator[Block]:
        """All blocks, in the order that they have in memory."""
        yield from self._nodes
        yield from self._lists.values()
        yield from self._vertices.values()
        yield from self._tables.values()

    @property
    def vertices(self) -> dict[int, Vertex]:
        """The vertices by the address of their structs."""
        return {block.job: vertex for vertex, block in self._vertices.items()}

    def place(self, address: int) -> int:
        """Give every block its place from an address on; return the end."""
        for block in self.blocks:
            address = -(-address // block.alignment) * block.alignment
            block.address = address
            address += block.size
        return address

    def encode(self, symbols: Mapping[str, int], find: Find) -> tuple[int, bytes]:
        """Return where all this begins, and its bytes."""
        context = Context(self.tile, symbols, find, self.config.tile.bus_bytes)
        start = self._root.address
        image = bytearray()
        for block in self.blocks:
            image += bytes(block.address - start - len(image))
            image += block.encode(context)
        return start, bytes(image)

    def _node(self, handler: str, next_: NodeBlock | None = None) -> NodeBlock:
        node = NodeBlock(handler, next_)
        self._nodes.append(node)
        return node

    def _emit(self, steps: tuple[Step, ...], then: NodeBlock) -> NodeBlock:
        """Make the nodes of some steps; return the first. They end by going to `then`."""
        for step in reversed(steps):
            then = self._step(step, then)
        return then

    def _step(self, step: Step, then: NodeBlock) -> NodeBlock:
        match step:
            case Superstep():
                return self._superstep(step, then)
            case HostSync(phases=phases):
                return self._runs(list(phases), self._node("op_host", then))
            case RepeatStep(count=count, body=body):
                end = self._node("op_repeat")
                end.other = then
                end.next = self._emit(body, end)
                start = self._node("op_set", end.next)
                start.words = {Offset.ADDRESS: (end, Offset.COUNT), Offset.VALUE: count}
                return start
            case WhileStep(predicate=predicate, body=body):
                head = self._node("op_if")
                head.words[Offset.PREDICATE] = predicate
                head.other = then
                head.next = self._emit(body, head)
                return head
            case IfStep(predicate=predicate, then=yes, else_=no):
                fork = self._node("op_if", self._emit(yes, then))
                fork.words[Offset.PREDICATE] = predicate
                fork.other = self._emit(no, then)
                return fork
            case CallStep(function=function):
                first, last = self._function(function)
                call = self._node("op_call", first)
                call.words[Offset.RETURN] = last
                call.other = then
                return call
        raise TypeError(f"no code for {step!r}")

    def _function(self, function: FunctionStep) -> tuple[NodeBlock, NodeBlock]:
        """Return a function's first node and its last, which op_call tells where to go."""
        if function not in self._functions:
            last = self._node("op_next")
            self._functions[function] = self._emit(function.body, last), last
        return self._functions[function]

    def _superstep(self, step: Superstep, then: NodeBlock) -> NodeBlock:
        phases = [phase for phase in step.phases if self.tile in self._phases[phase]]
        tables = [self._table(step, receiving) for receiving in (False, True)]
        node = self._node("op_exchange" if any(tables) else "op_sync", then)
        if any(tables):
            node.words = {Offset.SEND: tables[0] or 0, Offset.RECEIVE: tables[1] or 0}
        if phases:
            node.jobs = self._jobs(phases[-1])
        return self._runs(phases[:-1], node)

    def _runs(self, phases: list[Phase], then: NodeBlock) -> NodeBlock:
        for phase in reversed(phases):
            if self.tile in self._phases[phase]:
                then = self._node("op_run", then)
                then.jobs = self._jobs(phase)
        return then

    def _jobs(self, phase: Phase) -> list[JobBlock]:
        return [self._job(tuple(listed)) for listed in self._phases[phase][self.tile]]

    def _job(self, vertices: tuple[Vertex, ...]) -> JobBlock:
        for vertex in vertices:
            if vertex not in self._vertices:
                self._vertices[vertex] = VertexBlock(vertex)
        blocks = [self._vertices[vertex] for vertex in vertices]
        if len(blocks) == 1:
            return blocks[0]
        return self._lists.setdefault(vertices, ListBlock(blocks))

    def _table(self, step: Superstep, receiving: bool) -> TableBlock | None:
        schedule = self._schedules[step]
        entries = (schedule.receive if receiving else schedule.send).get(self.tile)
        if not entries:
            return None
        return self._tables.setdefault((step, receiving), TableBlock(entries, receiving))


def initial_bytes(variable: Variable, first: int, count: int) -> bytes | None:
    """Return the bytes of a part of a variable's initial value, or None if it has none."""
    if variable.initial is None:
        return None
    return np.ascontiguousarray(variable.initial).reshape(-1)[first : first + count].tobytes()
