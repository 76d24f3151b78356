"""Numbers taken apart, so that the same small multipliers serve f16 and f32."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal, unsigned
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from openipu.rtl.floating.format import F16, F32

CHUNK = F32.precision // 2
"""An f32 significand is multiplied in chunks of so many bits; an f16 one fits into one."""


class Product(data.Struct):
    """All of a number, or of a product, but its significand.

    A product's is the sum of its factors', taken as integers. Special is what isn't finite: an
    infinity, or with significand 0 a NaN, as infinity times 0 is then, too.
    """

    scale: unsigned(F32.exponent_bits + 1)
    """Of a number: the biased exponent of the significand's top bit, at least 1."""
    negative: unsigned(1)
    carry: unsigned(1)
    """Means nothing."""
    special: unsigned(2)
    """Not 0: special."""


class Unpack(wiring.Component):
    """Takes a word apart into the factors of one step. Combinational.

    Parameters
    ----------
    dot : int
        Multipliers: 4 or 2.
    weights : bool
        Whether these are the weights: of the two factors' chunks in f32, each multiplier has
        another combination.

    Members
    -------
    word : In(64)
    single : In(1)
        It is two f32, else four f16.
    half : In(1)
        The half that is meant, where a step takes one only.
    significands : Out, one for each multiplier
    factors : Out(Product), one for each multiplier
        In f32 only the first.
    """

    def __init__(self, dot: int, *, weights: bool) -> None:
        self.dot = dot
        # Chunks of an f32, the lower one first, by multiplier; None is the whole of it.
        self.chunks = {
            (4, False): (0, 0, 1, 1), (4, True): (0, 1, 0, 1), (2, False): (None, None),
            (2, True): (0, 1),
        }[dot, weights]  # fmt: skip
        width = CHUNK if self.chunks[0] is not None else F32.precision
        super().__init__(
            {
                "word": In(64),
                "single": In(1),
                "half": In(1),
                "significands": Out(width).array(dot),
                "factors": Out(Product).array(dot),
            }
        )

    def elaborate(self, platform):
        """Both formats side by side."""
        m = Module()
        chosen = Signal(32)
        m.d.comb += chosen.eq(self.word.word_select(self.half, 32))
        single_significand, single_factor = _unpack(m, F32, chosen, "single")
        halves = self.word if self.dot == 4 else chosen
        for index, chunk in enumerate(self.chunks):
            half = halves.word_select(index, F16.width)
            significand, factor = _unpack(m, F16, half, f"half_{index}")
            part = single_significand
            if chunk is not None:
                part = part.word_select(chunk, CHUNK)
            if not index:
                factor = Mux(self.single, single_factor, factor)
            m.d.comb += [
                self.significands[index].eq(Mux(self.single, part, significand)),
                self.factors[index].eq(factor),
            ]
        return m


def _unpack(m, form, bits, name):
    """Return significand and factor of a number."""
    number = form(bits)
    significand = Signal(form.precision, name=f"significand_{name}")
    special = Signal(name=f"special_{name}")
    finite_or_infinite = ~special | (number.fraction == 0)
    m.d.comb += [
        special.eq(number.exponent.all()),
        significand.eq(Mux(finite_or_infinite, number.significand, 0)),
    ]
    padding = Const(0, F32.exponent_bits + 1 - form.exponent_bits)
    return significand, Cat(number.scale, padding, number.sign, Const(0, 1), special)
