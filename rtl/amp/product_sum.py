"""The sum of two f16 products, or one f32 product, rounded to f32."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal, signed
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from openipu.rtl.amp.product import CHUNK, Product
from openipu.rtl.floating.format import F16, F32
from openipu.rtl.floating.shift import LeadingZeros

HALF_BITS = 2 * F16.precision
SINGLE_BITS = 2 * F32.precision
BELOW = 29
"""Bits below an f16 product, so that none is lost where the other one, of the greater exponent, has
zeros at the top: one factor, subnormal or zero, then has the least exponent, and exponents differ
by no more than the other factors' do."""
WIDTH = HALF_BITS + BELOW + 1
"""Of the sum: its top bit is for the carry."""
FAR = 63  # more than WIDTH: nothing but a trace is left of what is shifted so far

# From the scale of a product to the biased exponent of the sum's top bit. A significand of
# precision p is worth 2**(scale - bias - p + 1), and a product's top bit is bit 2p - 1.
HALF_SCALE = F32.bias + 2 - 2 * F16.bias
SINGLE_SCALE = 2 - F32.bias


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
        """Align, add or subtract, normalise, round."""
        m = Module()
        first, second = self.products
        low, high = Signal(WIDTH), Signal(WIDTH)
        distance = Signal(FAR.bit_length())
        top = Signal(signed(F32.exponent_bits + 3))  # the exponent of the sum's top bit
        difference = Signal(signed(F32.exponent_bits + 2))
        swap, subtract = Signal(), Signal()
        significands = [s.shift_left(BELOW) for s in self.significands]
        m.d.comb += [
            difference.eq(first.scale - second.scale),
            swap.eq(difference < 0),
            high.eq(Mux(swap, significands[1], significands[0])),
            low.eq(Mux(swap, significands[0], significands[1])),
            distance.eq(Mux(swap, -difference, difference)),
            top.eq(Mux(swap, second.scale, first.scale) + HALF_SCALE),
            subtract.eq(first.negative ^ second.negative),
        ]
        if self.shifts:
            # The product takes the place of the lower addend. Where its exponent is less than the
            # least, it is shifted to that; then nothing is left to normalise.
            product = Signal(SINGLE_BITS)
            exponent = Signal(signed(F32.exponent_bits + 3))
            parts = [c.shift_left(s) for c, s in zip(self.chunks, self.shifts, strict=True)]
            m.d.comb += [
                product.eq(sum(parts, Const(0))),
                exponent.eq(first.scale + SINGLE_SCALE),
            ]
            with m.If(self.single):
                tiny = exponent < 1
                m.d.comb += [
                    high.eq(0),
                    low.eq(product.shift_left(WIDTH - 1 - SINGLE_BITS)),
                    distance.eq(
                        Mux(tiny, Mux(exponent < 1 - FAR, FAR, 1 - exponent), 0)
                    ),
                    top.eq(Mux(tiny, 1, exponent)),
                    subtract.eq(0),
                ]

        aligned, forward, backward = Signal(WIDTH), Signal(WIDTH + 1), Signal(WIDTH)
        shifted, lost = Signal(WIDTH), Signal(WIDTH)
        m.d.comb += [
            shifted.eq(low >> distance),
            lost.eq(low & ~(Const(-1, signed(WIDTH)).as_unsigned() << distance)[:WIDTH]),
            aligned.eq(Cat(shifted[0] | lost.any(), shifted[1:])),
            forward.eq(Mux(subtract, high - aligned, high + aligned)),
            backward.eq(aligned - high),
        ]
        turned = subtract & forward[-1]

        # The leading one goes to the top, but no further than to the least exponent: so the zeros
        # are counted with a one where that is.
        total, limit, normal = Signal(WIDTH), Signal(WIDTH), Signal(WIDTH)
        field = Signal(F32.exponent_bits + 2)
        m.submodules.zeros = zeros = LeadingZeros(WIDTH)
        if self.shifts:
            room = Signal(F32.exponent_bits + 2)
            m.d.comb += [
                room.eq(top - 1),
                limit.eq(Const(1 << WIDTH - 1, WIDTH) >> Mux(room < FAR, room, FAR)[:6]),
            ]
        m.d.comb += [
            total.eq(Mux(turned, backward, forward)),
            zeros.value.eq(total | limit),
            normal.eq((total << zeros.count)[:WIDTH]),
            field.eq(Mux(normal[-1], top - zeros.count, 0)),
        ]

        # A carry out of the fraction goes to the exponent by itself.
        cut = WIDTH - F32.precision
        fraction, half, rest = normal[cut:-1], normal[cut - 1], normal[: cut - 1]
        rounded = Signal(F32.fraction_bits + len(field))
        negative, infinite, nan = Signal(), Signal(), Signal()
        infinity = F32.infinity[:-1]
        overflow = rounded[F32.fraction_bits :] >= F32.max_exponent
        high_negative = Mux(swap, second.negative, first.negative)
        m.d.comb += [
            rounded.eq(Cat(fraction, field) + (half & (rest.any() | fraction[0]))),
            infinite.eq(first.infinite | second.infinite),
            nan.eq(first.nan | second.nan | (first.infinite & second.infinite & subtract)),
            negative.eq(
                Mux(
                    infinite,
                    Mux(first.infinite, first.negative, second.negative),
                    Mux(subtract, (total != 0) & (high_negative ^ turned), first.negative),
                )
            ),
        ]
        if self.shifts:
            with m.If(self.single):
                m.d.comb += [
                    infinite.eq(first.infinite),
                    nan.eq(first.nan),
                    negative.eq(first.negative),
                ]
            m.d.comb += self.result.eq(
                Mux(
                    nan,
                    F32.nan,
                    Cat(Mux(infinite | overflow, infinity, rounded[: len(infinity)]), negative),
                )
            )
        else:
            m.d.comb += self.result.eq(
                Mux(nan, F32.nan, Cat(Mux(infinite, infinity, rounded[: len(infinity)]), negative))
            )
        return m
