"""Operands of the instructions that know 64-bit ones: register pairs and streams."""

from collections.abc import Iterable

from openipu.cosim.golden.hart import MASK, Hart, TrapError
from openipu.cosim.golden.semantics import Fields
from openipu.rtl.isa import STREAMS, Cause, File

OUT = 2  #: the stream that is written


def _read(hart: Hart, file: File, number: int) -> int:
    if file is File.PAIR:
        if number in STREAMS:
            return hart.streams[STREAMS[number]].peek()
        return hart.f[number] | hart.f[number + 1] << 32
    if file is File.NONE:
        return 0
    return (hart.f if file is File.F else hart.x)[number]


def _inputs(i: Fields, *, takes_a: bool, takes_b: bool) -> set[int]:
    """Return the streams that the instruction pops."""
    sources = ((i.row.rs1, i.rs1, takes_a), (i.row.rs2, i.rs2, takes_b), (i.row.rs3, i.rs3, True))
    return {
        STREAMS[number]
        for file, number, takes in sources
        if file is File.PAIR and number in STREAMS and takes
    }


def _pushes(i: Fields, *, gives: bool) -> bool:
    return gives and i.row.rd is File.PAIR and STREAMS.get(i.rd) == OUT


def _check(hart: Hart, streams: Iterable[int]) -> None:
    for number in streams:
        if hart.streams[number].finished:
            raise TrapError(Cause.STREAM_FINISHED, number)
    for number in streams:
        if hart.streams[number].outside:
            cause = Cause.STORE_OUTSIDE if number == OUT else Cause.LOAD_OUTSIDE
            raise TrapError(cause, hart.streams[number].address)


def operands(
    hart: Hart, i: Fields, *, reads_a: bool = True, reads_b: bool = True, gives: bool = True
) -> tuple[int, int, int]:
    """Return the values of the three sources, 0 for none, without popping.

    `reads_a` and `reads_b` tell whether the words of rs1 and rs2 are wanted, `gives` whether there
    will be one to push. Raises TrapError if the streams can't do that.
    """
    popped = sorted(_inputs(i, takes_a=reads_a, takes_b=reads_b))
    _check(hart, [*popped, OUT] if _pushes(i, gives=gives) else popped)
    row = i.row
    return (
        _read(hart, row.rs1, i.rs1),
        _read(hart, row.rs2, i.rs2),
        _read(hart, row.rs3, i.rs3),
    )


def result(
    hart: Hart, i: Fields, value: int, *, takes_a: bool = True, takes_b: bool = True,
    gives: bool = True,
) -> None:  # fmt: skip
    """Write the result, pop and push, and go to the next instruction. `operands` has checked."""
    for number in _inputs(i, takes_a=takes_a, takes_b=takes_b):
        hart.streams[number].move()
    if i.row.rd is File.PAIR:
        if i.rd not in STREAMS:
            hart.f[i.rd] = value & MASK
            hart.f[i.rd + 1] = value >> 32
        elif gives:
            hart.streams[OUT].store(value)
            hart.streams[OUT].move()
    elif i.row.rd is File.F:
        hart.f[i.rd] = value & MASK
    hart.pc += 4
