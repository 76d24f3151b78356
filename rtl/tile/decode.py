"""The decoder, derived from the instruction table."""

from amaranth.hdl import Cat, Const, Module, Signal, unsigned
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from openipu.rtl.isa import INSTRUCTIONS, Class, File, Immediate, Unit


class Decoded(data.Struct):
    """What the execute stage needs to know of an instruction."""

    unit: Unit
    op: unsigned(5)
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
    counted_as: Class


class Decoder(wiring.Component):
    """Decodes an instruction word, combinationally. What is no instruction has Unit.ILLEGAL.

    Members
    -------
    word : In(32)
        Instruction.
    decoded : Out(Decoded)
        Valid in the same cycle.
    """

    word: In(32)
    decoded: Out(Decoded)

    def elaborate(self, platform):
        """One case for each row of the table, one for each way to hold an immediate."""
        m = Module()
        kind = Signal(Immediate)
        m.d.comb += self.decoded.rd.eq(self.word[7:12])
        with m.Switch(self.word):
            for row in INSTRUCTIONS:
                with m.Case(_pattern(row.match, row.mask)):
                    m.d.comb += [
                        self.decoded.unit.eq(row.unit),
                        self.decoded.op.eq(row.op.value),
                        self.decoded.rd_file.eq(row.rd),
                        self.decoded.rs1_file.eq(row.rs1),
                        self.decoded.rs2_file.eq(row.rs2),
                        self.decoded.rounds.eq(row.rounds),
                        self.decoded.counted_as.eq(row.counted_as),
                        kind.eq(row.immediate),
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
        return m


def _pattern(match: int, mask: int) -> str:
    """Return 32 characters 0, 1 or - for an encoding."""
    return "".join(
        str(match >> bit & 1) if mask >> bit & 1 else "-" for bit in range(31, -1, -1)
    )
