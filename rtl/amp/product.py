"""Products of f16 or f32 numbers by the same small multipliers."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal, unsigned
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from openipu.rtl.floating.format import F16, F32

CHUNK = F32.precision // 2
"""An f32 significand is multiplied in chunks of so many bits; an f16 one fits into one."""


class Factor(data.Struct):
    """All of a number but its significand."""

    scale: unsigned(F32.exponent_bits)
    """The biased exponent of the significand's top bit, at least 1."""
    negative: unsigned(1)
    zero: unsigned(1)
    infinite: unsigned(1)
    nan: unsigned(1)


class Product(data.Struct):
    """All of a product but its significand."""

    scale: unsigned(F32.exponent_bits + 1)
    """The sum of the two."""
    negative: unsigned(1)
    infinite: unsigned(1)
    nan: unsigned(1)


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
    factors : Out(Factor), one for each multiplier
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
                "factors": Out(Factor).array(dot),
            }
        )

    def elaborate(self, platform):
        """Both formats side by side."""
        m = Module()
        chosen = Signal(32)
        m.d.comb += chosen.eq(self.word.word_select(self.half, 32))
        single = F32(chosen)
        halves = self.word if self.dot == 4 else chosen
        for index, chunk in enumerate(self.chunks):
            number = F16(halves.word_select(index, F16.width))
            significand = single.significand
            if chunk is not None:
                significand = significand.word_select(chunk, CHUNK)
            m.d.comb += [
                self.significands[index].eq(Mux(self.single, significand, number.significand)),
                self.factors[index].eq(_factor(number)),
            ]
        with m.If(self.single):
            m.d.comb += self.factors[0].eq(_factor(single))
        return m


def _factor(number):
    scale = Cat(number.scale, Const(0, F32.exponent_bits - len(number.scale)))
    return Cat(scale, number.sign, number.is_zero, number.is_infinite, number.is_nan)


def product_of(x, w):
    """Return what belongs to a `Product` from two factors, as bits."""
    return Cat(
        (x.scale + w.scale)[: F32.exponent_bits + 1],
        x.negative ^ w.negative,
        x.infinite | w.infinite,
        x.nan | w.nan | (x.infinite & w.zero) | (x.zero & w.infinite),
    )
