"""The integer divider, one for all threads of a tile."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from openipu.rtl.config import TileConfig
from openipu.rtl.isa import DivideOp
from openipu.rtl.tile.claim import Claim


class Divider(wiring.Component):
    """Restoring division, one quotient bit a cycle, for one thread after the other (see `Claim`).

    Members
    -------
    run : In(1)
        Low: reset.
    x_request : In(1), x_thread : In, x_op : In(DivideOp), x_a, x_b : In(32)
        A division, the same at each replay.
    x_crowded : In(1)
        All workers run, so that the supervisor can't.
    x_ready : Out(1)
        The request has its result; combinational.
    x_result : Out(32)
        Quotient or remainder, valid with x_ready.
    """

    def __init__(self, config: TileConfig) -> None:
        self.config = config
        super().__init__(
            {
                "run": In(1),
                "x_request": In(1),
                "x_thread": In(ceil_log2(config.contexts)),
                "x_op": In(DivideOp),
                "x_a": In(32),
                "x_b": In(32),
                "x_crowded": In(1),
                "x_ready": Out(1),
                "x_result": Out(32),
            }
        )

    def elaborate(self, platform):
        """Divide magnitudes, set the signs at the end."""
        m = Module()
        m.submodules.claim = claim = Claim(self.config)
        for name in ("run", "x_request", "x_thread", "x_crowded"):
            m.d.comb += getattr(claim, name).eq(getattr(self, name))
        left = Signal(range(33))
        quotient = Signal(32)
        remainder = Signal(32)
        divisor = Signal(32)
        negate_quotient = Signal()
        negate_remainder = Signal()

        signed = (self.x_op == DivideOp.DIV) | (self.x_op == DivideOp.REM)
        negative_a, negative_b = self.x_a[31] & signed, self.x_b[31] & signed
        shifted = Signal(33)
        difference = Signal(34)
        m.d.comb += [
            shifted.eq(Cat(quotient[31], remainder)),
            difference.eq(shifted - divisor),
            claim.busy.eq(left != 0),
            self.x_ready.eq(claim.x_ready),
            self.x_result.eq(
                Mux(
                    (self.x_op == DivideOp.DIV) | (self.x_op == DivideOp.DIVU),
                    Mux(negate_quotient, -quotient, quotient),
                    Mux(negate_remainder, -remainder, remainder),
                )
            ),
        ]
        with m.If(left != 0):
            fits = ~difference[33]
            m.d.sync += [
                left.eq(left - 1),
                remainder.eq(Mux(fits, difference, shifted)),
                quotient.eq(Cat(fits, quotient[:31])),
            ]
        with m.If(claim.x_start):
            m.d.sync += [
                left.eq(32),
                quotient.eq(Mux(negative_a, -self.x_a, self.x_a)),
                remainder.eq(0),
                divisor.eq(Mux(negative_b, -self.x_b, self.x_b)),
                negate_quotient.eq((negative_a ^ negative_b) & (self.x_b != 0)),
                negate_remainder.eq(negative_a),
            ]
        return m
