"""The decoder, derived from the instruction table."""

from amaranth.hdl import Cat, Const, Module, Signal, unsigned
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from openipu.rtl.config import TileConfig
from openipu.rtl.isa import INSTRUCTIONS, OP_BITS, STREAMS, Class, File, Immediate, Unit

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
        kind = Signal(Immediate)
        pairs, unit, rd_file = Signal(len(SOURCES)), Signal(Unit), Signal(File)
        m.d.comb += [self.decoded.rd.eq(self.word[7:12]), self.decoded.pairs.eq(pairs)]
        m.d.comb += [self.decoded.unit.eq(unit), self.decoded.rd_file.eq(rd_file)]
        with m.Switch(self.word):
            for row in INSTRUCTIONS:
                if not self.config.executes(row.unit):
                    continue
                with m.Case(_pattern(row.match, row.mask)):
                    m.d.comb += [
                        unit.eq(row.unit),
                        self.decoded.op.eq(row.op.value),
                        rd_file.eq(row.rd),
                        self.decoded.rs1_file.eq(row.rs1),
                        self.decoded.rs2_file.eq(row.rs2),
                        self.decoded.rounds.eq(row.rounds),
                        self.decoded.counted_as.eq(row.counted_as),
                        kind.eq(row.immediate),
                        pairs.eq(
                            Cat(file is File.PAIR for file in (row.rs1, row.rs2, row.rs3))
                        ),
                    ]
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
        with m.Switch(kind):
            for name, value in spread.items():
                with m.Case(name):
                    m.d.comb += self.decoded.immediate.eq(value)
        m.d.comb += self.decoded.has_immediate.eq(kind != Immediate.NONE)
        self._streams(m, pairs, rd_file)
        return m

    def _streams(self, m, pairs, rd_file):
        """Which operands are streams; an odd number that is none is illegal, as `isa` says."""
        *inputs, (out, _) = STREAMS.items()
        decoded, rd, illegal = self.decoded, self.word[7:12], Signal()
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


def _pattern(match: int, mask: int) -> str:
    """Return 32 characters 0, 1 or - for an encoding."""
    return "".join(
        str(match >> bit & 1) if mask >> bit & 1 else "-" for bit in range(31, -1, -1)
    )
