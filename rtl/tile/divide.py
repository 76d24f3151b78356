"""The integer divider, one for all threads of a tile."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from openipu.rtl.config import TileConfig
from openipu.rtl.isa import DivideOp


class Divider(wiring.Component):
    """Restoring division, one quotient bit a cycle.

    A request finds the divider idle and starts it, or finds it busy, or is the owner's and finds
    its result ready, which frees the divider. In the first two cases the thread replays.

    Workers come back for their results, but the supervisor only if a slot is free. While all
    workers run, and each might wait for the divider, it is taken away from the supervisor, whose
    division then starts again when it comes.

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
        owned, owner = Signal(), Signal.like(self.x_thread)
        free = Signal()
        left = Signal(range(33))
        quotient, remainder, divisor = Signal(32), Signal(32), Signal(32)
        negate_quotient, negate_remainder = Signal(), Signal()

        signed = (self.x_op == DivideOp.DIV) | (self.x_op == DivideOp.REM)
        negative_a, negative_b = self.x_a[31] & signed, self.x_b[31] & signed
        shifted, difference = Signal(33), Signal(34)
        m.d.comb += [
            free.eq(~owned | (self.x_crowded & (owner == self.config.supervisor))),
            shifted.eq(Cat(quotient[31], remainder)),
            difference.eq(shifted - divisor),
            self.x_ready.eq(
                self.x_request & owned & (owner == self.x_thread) & (left == 0)
            ),
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
        with m.If(~self.run | self.x_ready):
            m.d.sync += [owned.eq(0), left.eq(0)]
        with m.Elif(self.x_request & free):
            m.d.sync += [
                owned.eq(1),
                owner.eq(self.x_thread),
                left.eq(32),
                quotient.eq(Mux(negative_a, -self.x_a, self.x_a)),
                remainder.eq(0),
                divisor.eq(Mux(negative_b, -self.x_b, self.x_b)),
                negate_quotient.eq((negative_a ^ negative_b) & (self.x_b != 0)),
                negate_remainder.eq(negative_a),
            ]
        return m
