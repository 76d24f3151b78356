"""Retirement records, as the RTL's trace port gives them."""

from collections.abc import Callable, Iterable

import numpy as np
from amaranth.lib import data
from numpy.typing import NDArray

from openipu.cosim.golden.hart import MASK, NOWHERE, Hart
from openipu.cosim.golden.operands import OUT
from openipu.cosim.golden.semantics import STORES, Fields, fields_of
from openipu.rtl.isa import STREAMS, File, Unit, decode
from openipu.rtl.layouts import TraceRecord

Record = tuple[int, int, int, int, int, int, int, int]

FIELDS = tuple(name for name, _ in data.Layout.cast(TraceRecord) if name != "valid")
"""The fields of `layouts.TraceRecord` that tell something about a retired instruction."""

TRACE_DTYPE = np.dtype(
    [(name, np.uint64 if name in ("value", "data") else np.uint32) for name in FIELDS]
)
"""A trace is an array of this: thread, pc, rd_file, rd, value, memory, address, data."""

LOAD, STORE = 1, 2  # the record's `memory`


def trace_array(records: Iterable[Record]) -> NDArray[np.void]:
    """Return records as a structured array of `TRACE_DTYPE`."""
    return np.array(list(records), TRACE_DTYPE)


class Observers(dict[int, Callable[[Hart], Callable[[], Record]]]):
    """From instruction word to its observer.

    An observer looks at the hart before the instruction, and returns what gives the record after.
    """

    def __missing__(self, word: int) -> Callable[[Hart], Callable[[], Record]]:
        self[word] = observer = _observer(word)
        return observer


def _observer(word: int) -> Callable[[Hart], Callable[[], Record]]:
    row = decode(word)
    if row is None:  # never asked for its record
        return lambda hart: lambda: (0, 0, 0, 0, 0, 0, 0, 0)
    i = fields_of(row, word)
    if row.rd is File.PAIR:
        return _pair_observer(i)
    file = File.NONE if i.rd == NOWHERE else row.rd
    memory = {Unit.LOAD: LOAD, Unit.STORE: STORE}.get(row.unit, 0)
    bits = (1 << (8 << STORES[row.op])) - 1 if memory == STORE else 0

    def observe(hart: Hart) -> Callable[[], Record]:
        pc = hart.pc
        address = hart.x[i.rs1] + i.imm & MASK if memory else 0
        stored = (hart.f if row.rs2 is File.F else hart.x)[i.rs2] & bits if bits else 0

        def record() -> Record:
            if file is File.NONE:
                return hart.context, pc, 0, 0, 0, memory, address, stored
            value = (hart.f if file is File.F else hart.x)[i.rd]
            return hart.context, pc, file.value, i.rd, value, memory, address, stored

        return record

    return observe


def _pair_observer(i: Fields) -> Callable[[Hart], Callable[[], Record]]:
    """Return the observer of an instruction that writes a pair or pushes a word."""
    pushes = i.rd in STREAMS

    def observe(hart: Hart) -> Callable[[], Record]:
        pc, stream = hart.pc, hart.streams[OUT]
        address, pushed = stream.address, stream.pushed

        def record() -> Record:
            if not pushes:
                value = hart.f[i.rd] | hart.f[i.rd + 1] << 32
                return hart.context, pc, File.PAIR.value, i.rd, value, 0, 0, 0
            if stream.pushed == pushed:
                return hart.context, pc, 0, 0, 0, 0, 0, 0
            return hart.context, pc, 0, 0, 0, STORE, address, hart.views[3][address >> 3]

        return record

    return observe
