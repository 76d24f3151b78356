"""Products of a group and their sum."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from openipu.rtl.amp.product import CHUNK, Product, Unpack
from openipu.rtl.amp.product_sum import ProductSum
from openipu.rtl.floating.add import Add

SHIFTS = {4: (0, CHUNK, CHUNK, 2 * CHUNK), 2: (0, CHUNK)}
"""Where the chunks' products (see `Unpack`) are in the product of two f32 significands."""


class Dot(wiring.Component):
    """Adds `dot` f16 products, or has one f32 product, in three stages, one a cycle.

    Parameters
    ----------
    dot : int
        2: x0*w0 + x1*w1. 4: (x0*w0 + x1*w1) + (x2*w2 + x3*w3).

    Members
    -------
    m_significands, m_factors : In
        The input, from `Unpack`.
    m_weights : In(64), m_single : In(1), m_half : In(1)
        See `Unpack`.
    z_sum : Out(32)
        Three clock edges later.
    """

    def __init__(self, dot: int) -> None:
        self.dot = dot
        width = CHUNK if dot == 4 else 2 * CHUNK
        super().__init__(
            {
                "m_significands": In(width).array(dot),
                "m_factors": In(Product).array(dot),
                "m_weights": In(64),
                "m_single": In(1),
                "m_half": In(1),
                "z_sum": Out(32),
            }
        )

    def elaborate(self, platform):
        """Multiply in m, add the pairs of products in w, add what that gives in y."""
        m = Module()
        m.submodules.unpack = unpack = Unpack(self.dot, weights=True)
        m.d.comb += [
            unpack.word.eq(self.m_weights),
            unpack.single.eq(self.m_single),
            unpack.half.eq(self.m_half),
        ]
        w_single = Signal()
        m.d.sync += w_single.eq(self.m_single)
        w_significands, w_products = [], []
        for index, significand in enumerate(unpack.significands):
            width = len(significand) + len(self.m_significands[index])
            w_significand = Signal(width, name=f"w_significand_{index}")
            w_product = Signal(Product, name=f"w_product_{index}")
            m.d.sync += [
                w_significand.eq(self.m_significands[index] * significand),
                w_product.eq(
                    self.m_factors[index].as_value() + unpack.factors[index].as_value()
                ),
            ]
            w_significands.append(w_significand)
            w_products.append(w_product)

        y_sums = []
        for index in range(0, self.dot, 2):
            part = ProductSum(() if index else SHIFTS[self.dot])
            m.submodules[f"sum_{index}"] = part
            for k in range(2):
                m.d.comb += [
                    part.significands[k].eq(w_significands[index + k]),
                    part.products[k].eq(w_products[index + k]),
                ]
            if not index:
                m.d.comb += part.single.eq(w_single)
                for chunk, w_significand in zip(part.chunks, w_significands, strict=True):
                    m.d.comb += chunk.eq(w_significand)
            y_sum = Signal(32, name=f"y_sum_{index}")
            m.d.sync += y_sum.eq(part.result)
            y_sums.append(y_sum)

        if self.dot == 2:
            m.d.sync += self.z_sum.eq(y_sums[0])
        else:
            m.submodules.add = add = Add()
            y_single = Signal()
            m.d.comb += [add.a.eq(y_sums[0]), add.b.eq(y_sums[1])]
            m.d.sync += [
                y_single.eq(w_single),
                self.z_sum.eq(Mux(y_single, y_sums[0], add.result)),
            ]
        return m
