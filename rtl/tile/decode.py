"""The decoder, derived from the instruction table."""

from itertools import groupby

from amaranth.hdl import Cat, Const, Module, Signal, unsigned
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from openipu.rtl.config import TileConfig
from openipu.rtl.isa import (
    INSTRUCTIONS,
    OP_BITS,
    STREAMS,
    Class,
    File,
    Immediate,
    Instruction,
    Unit,
)

_OPCODE_BITS = 7
SOURCES = {"a": 15, "b": 20, "c": 27}  # where the numbers of rs1, rs2 and rs3 begin


class Decoded(data.Struct):
    """What the execute stage needs to know of an instruction."""

    unit: Unit
    op: unsigned(OP_BITS)
    """The unit's operation, an enum of `openipu.rtl.isa`."""
    rd_file: File
    rs1_file: File
    rs2_file: File
    rd: unsigned(5)
    immediate: unsigned(32)
    """Sign-extended, or zero-extended where the format says so."""
    has_immediate: unsigned(1)
    rounds: unsigned(1)
    """Bits 14:12 are a rounding mode."""
    pairs: unsigned(3)
    """Which sources (a, b, c) are register pairs or streams."""
    pops: data.ArrayLayout(3, 2)
    """For each input stream, which sources are its next word."""
    pushes: unsigned(1)
    """The result goes to the output stream."""
    counted_as: Class


class _Row(data.Struct):
    """What the table alone says of an instruction; zeros for what is in no row."""

    unit: Unit
    op: unsigned(OP_BITS)
    rd_file: File
    rs1_file: File
    rs2_file: File
    immediate: Immediate
    rounds: unsigned(1)
    pairs: unsigned(3)
    counted_as: Class


class Decoder(wiring.Component):
    """Decodes an instruction word, combinationally. What is no instruction has Unit.ILLEGAL.

    Parameters
    ----------
    config : TileConfig
        Which units the tile has.

    Members
    -------
    word : In(32)
        Instruction.
    decoded : Out(Decoded)
        Valid in the same cycle.
    """

    word: In(32)
    decoded: Out(Decoded)

    def __init__(self, config: TileConfig) -> None:
        self.config = config
        super().__init__()

    def elaborate(self, platform):
        """One case for each row of the table, one for each way to hold an immediate."""
        m = Module()
        decoded = self.decoded
        row = Signal(_Row)
        self._look_up(m, row)
        for field in "unit op rd_file rs1_file rs2_file rounds pairs counted_as".split():
            m.d.comb += decoded[field].eq(row[field])
        m.d.comb += decoded.rd.eq(self.word[7:12])
        word, sign = self.word, self.word[31]
        spread = {
            Immediate.I: Cat(word[20:32], sign.replicate(20)),
            Immediate.S: Cat(word[7:12], word[25:32], sign.replicate(20)),
            Immediate.B: Cat(
                Const(0, 1), word[8:12], word[25:31], word[7], sign.replicate(20)
            ),
            Immediate.U: Cat(Const(0, 12), word[12:32]),
            Immediate.J: Cat(
                Const(0, 1), word[21:31], word[20], word[12:20], sign.replicate(12)
            ),
            Immediate.SHIFT: word[20:25],
            Immediate.RD: word[7:12],
        }
        with m.Switch(row.immediate):
            for name, value in spread.items():
                with m.Case(name):
                    m.d.comb += decoded.immediate.eq(value)
        m.d.comb += decoded.has_immediate.eq(row.immediate != Immediate.NONE)
        self._streams(m, row.pairs, row.rd_file)
        return m

    def _look_up(self, m, row):
        """Find the table's row: by opcode, then by the other bits.

        Yosys compares each case with each one before it, and does so again for each signal that
        is assigned: short lists and one signal keep that a matter of seconds.
        """
        rows = [row for row in INSTRUCTIONS if self.config.executes(row.unit)]
        rows.sort(key=_opcode)
        with m.Switch(self.word[:_OPCODE_BITS]):
            for opcode, same in groupby(rows, _opcode):
                with m.Case(opcode), m.Switch(self.word[_OPCODE_BITS:]):
                    for known in same:
                        with m.Case(_pattern(known)):
                            m.d.comb += row.eq(_row(known))

    def _streams(self, m, pairs, rd_file):
        """Which operands are streams; an odd number that is none is illegal, as `isa` says."""
        *inputs, (out, _) = STREAMS.items()
        decoded, rd = self.decoded, self.word[7:12]
        illegal = Signal()
        bad = (rd_file == File.PAIR) & rd[0] & (rd != out)
        for index, low in enumerate(SOURCES.values()):
            number = self.word[low : low + 5]
            known = Const(0, 1)
            for register, stream in inputs:
                m.d.comb += decoded.pops[stream][index].eq(pairs[index] & (number == register))
                known = known | (number == register)
            bad = bad | (pairs[index] & number[0] & ~known)
        m.d.comb += [
            illegal.eq(bad),
            decoded.pushes.eq((rd_file == File.PAIR) & (rd == out)),
        ]
        with m.If(illegal):
            m.d.comb += decoded.unit.eq(Unit.ILLEGAL)


def _opcode(row: Instruction) -> int:
    return row.match & (1 << _OPCODE_BITS) - 1


def _pattern(row: Instruction) -> str:
    """Return 0, 1 or - for each bit of an encoding but the opcode's, highest first."""
    return "".join(
        str(row.match >> bit & 1) if row.mask >> bit & 1 else "-"
        for bit in range(31, _OPCODE_BITS - 1, -1)
    )


def _row(row: Instruction) -> data.Const:
    return _Row.const(
        {
            "unit": row.unit,
            "op": row.op.value,
            "rd_file": row.rd,
            "rs1_file": row.rs1,
            "rs2_file": row.rs2,
            "immediate": row.immediate,
            "rounds": row.rounds,
            "pairs": sum(
                (file is File.PAIR) << index
                for index, file in enumerate((row.rs1, row.rs2, row.rs3))
            ),
            "counted_as": row.counted_as,
        }
    )
