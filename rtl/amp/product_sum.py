"""The sum of two f16 products, or one f32 product, rounded to f32."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal, signed
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from openipu.rtl.amp.product import CHUNK, Product
from openipu.rtl.floating.format import F16, F32
from openipu.rtl.floating.normalise import Normalise

HALF_BITS = 2 * F16.precision
SINGLE_BITS = 2 * F32.precision
BELOW = 29
"""Bits below an f16 product. Exponents differ by more only where the greater one is of two normal
factors; then the other product is a mere trace. (A factor that is subnormal or zero has the least
exponent, so that the exponents differ by no more than those of the other factors.)"""
WIDTH = HALF_BITS + BELOW + 1
"""Of the sum: its top bit is for the carry."""

# From the scale of a product to the biased exponent of the sum's top bit. A significand of
# precision p is worth 2**(scale - bias - p + 1), and a product's top bit is bit 2p - 1.
HALF_SCALE = F32.bias + 2 - 2 * F16.bias
SINGLE_SCALE = 2 - F32.bias

FAR = F32.precision + 1  # nothing is left of a significand shifted so far, but to be rounded down


class ProductSum(wiring.Component):
    """Adds two exact products of f16, or rounds one of f32, to nearest even. Combinational.

    Parameters
    ----------
    shifts : tuple of int
        In f32, the product is the sum of the chunks' products, each shifted to the left so far.
        None: there is no f32.

    Members
    -------
    single : In(1)
        The product is an f32 one.
    significands : In, two
        Products of f16 significands.
    products : In(Product), two
        In f32 only the first.
    chunks : In, one for each shift
        Products of chunks of f32 significands.
    result : Out(32)
        f32; a NaN is canonical.
    """

    def __init__(self, shifts: tuple[int, ...] = ()) -> None:
        self.shifts = shifts
        members = {
            "significands": In(HALF_BITS).array(2),
            "products": In(Product).array(2),
            "result": Out(F32.width),
        }
        if shifts:
            width = CHUNK + (CHUNK if len(shifts) == 4 else F32.precision)
            members |= {"single": In(1), "chunks": In(width).array(len(shifts))}
        super().__init__(members)

    def elaborate(self, platform):
        """Add, normalise, round; f32 takes part from the second step on."""
        m = Module()
        first = self.products[0]
        total = Signal(WIDTH)
        negative = Signal()
        infinite = Signal()
        nan = Signal()
        top = Signal(signed(F32.exponent_bits + 3))  # the biased exponent of the sum's top bit
        self._add(m, total, top, negative, infinite, nan)
        if self.shifts:
            product = Signal(SINGLE_BITS)
            parts = [c.shift_left(s) for c, s in zip(self.chunks, self.shifts, strict=True)]
            m.d.comb += product.eq(sum(parts, Const(0)))
            with m.If(self.single):
                m.d.comb += [
                    total.eq(product.shift_left(WIDTH - 1 - SINGLE_BITS)),
                    top.eq(first.scale + SINGLE_SCALE),
                    negative.eq(first.negative),
                    infinite.eq(first.special != 0),
                    nan.eq((first.special != 0) & (product == 0)),
                ]

        m.submodules.normalise = normalise = Normalise(WIDTH)
        exponent = Signal(signed(F32.exponent_bits + 3))
        m.d.comb += [normalise.value.eq(total), exponent.eq(top - normalise.count)]
        # The significand, the first bit below it, and whether there are more.
        cut = WIDTH - F32.precision - 1
        normal = Signal(F32.precision + 2)
        m.d.comb += normal.eq(Cat(normalise.result[:cut].any(), normalise.result[cut:]))
        below = 2
        if self.shifts:
            # Products of f32 may be less than the least normal number.
            shift = Signal(FAR.bit_length())
            aligned = Signal(len(normal) + FAR)
            m.d.comb += [
                shift.eq(Mux(exponent < 1, Mux(exponent < 1 - FAR, FAR, 1 - exponent), 0)),
                aligned.eq(normal.shift_left(FAR) >> shift),
            ]
            normal, below = aligned, below + FAR
        kept, half, rest = normal[below:], normal[below - 1], normal[: below - 1].any()

        # The implicit bit of a normal number adds the one that is missing in `field`; a carry out
        # of the fraction goes to the exponent by itself.
        field = Signal(F32.exponent_bits + 2)
        rounded = Signal(F32.fraction_bits + len(field))
        infinity = F32.infinity[:-1]
        m.d.comb += [
            field.eq(Mux((exponent < 1) | ~normalise.result[-1], 0, exponent - 1)),
            rounded.eq(field.shift_left(F32.fraction_bits) + kept + (half & (rest | kept[0]))),
        ]
        with m.If(nan):
            m.d.comb += self.result.eq(F32.nan)
        with m.Elif(infinite | (rounded >= infinity.value if self.shifts else 0)):
            m.d.comb += self.result.eq(Cat(infinity, negative))
        with m.Else():
            m.d.comb += self.result.eq(Cat(rounded[: len(infinity)], negative))
        return m

    def _add(self, m, total, top, negative, infinite, nan):
        """Add the f16 products."""
        first, second = self.products
        swap = Signal()
        subtract = Signal()
        turned = Signal()
        high_scale = Signal(len(first.scale))
        low_scale = Signal(len(first.scale))
        high = Signal(WIDTH)
        low = Signal(HALF_BITS)
        aligned = Signal(WIDTH)
        distance = Signal(F16.exponent_bits + 1)
        m.d.comb += [
            swap.eq(first.scale < second.scale),
            high_scale.eq(Mux(swap, second.scale, first.scale)),
            low_scale.eq(Mux(swap, first.scale, second.scale)),
            high.eq(Mux(swap, self.significands[1], self.significands[0]).shift_left(BELOW)),
            low.eq(Mux(swap, self.significands[0], self.significands[1])),
            distance.eq(high_scale - low_scale),
            aligned.eq(Mux(distance > BELOW, low != 0, low.shift_left(BELOW) >> distance)),
            subtract.eq(first.negative ^ second.negative),
            turned.eq(subtract & (high < aligned)),
            top.eq(high_scale + HALF_SCALE),
        ]
        infinities = first.special != 0, second.special != 0
        m.d.comb += [
            total.eq(
                Mux(
                    subtract,
                    Mux(turned, aligned - high, high - aligned)[:WIDTH],
                    high + aligned,
                )
            ),
            infinite.eq(infinities[0] | infinities[1]),
            nan.eq(
                (infinities[0] & (self.significands[0] == 0))
                | (infinities[1] & (self.significands[1] == 0))
                | (infinities[0] & infinities[1] & subtract)
            ),
        ]
        # A difference of zero is +0.
        with m.If(infinite):
            m.d.comb += negative.eq(Mux(infinities[0], first.negative, second.negative))
        with m.Elif(subtract):
            m.d.comb += negative.eq(
                (Mux(swap, second.negative, first.negative) ^ turned) & (total != 0)
            )
        with m.Else():
            m.d.comb += negative.eq(first.negative)
