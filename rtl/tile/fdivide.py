"""The floating-point divider, one for all threads of a tile."""

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from openipu.rtl.config import TileConfig
from openipu.rtl.floating.divide_root import DivideRoot
from openipu.rtl.isa import FdivideOp
from openipu.rtl.tile.claim import Claim


class FloatDivider(wiring.Component):
    """Divides and takes roots, for one thread after the other (see `Claim`).

    Members
    -------
    run : In(1)
        Low: reset.
    x_request : In(1), x_thread : In, x_op : In(FdivideOp), x_rm : In(3), x_a, x_b : In(32)
        An operation, the same at each replay.
    x_crowded : In(1)
        All workers run, so that the supervisor can't.
    x_ready : Out(1)
        The request has its result; combinational.
    x_result : Out(32), x_flags : Out(5)
        Result and exceptions, valid with x_ready.
    """

    def __init__(self, config: TileConfig) -> None:
        self.config = config
        super().__init__(
            {
                "run": In(1),
                "x_request": In(1),
                "x_thread": In(ceil_log2(config.contexts)),
                "x_op": In(FdivideOp),
                "x_rm": In(3),
                "x_a": In(32),
                "x_b": In(32),
                "x_crowded": In(1),
                "x_ready": Out(1),
                "x_result": Out(32),
                "x_flags": Out(5),
            }
        )

    def elaborate(self, platform):
        """Start the arithmetic for whose turn it is."""
        m = Module()
        m.submodules.claim = claim = Claim(self.config)
        m.submodules.arithmetic = arithmetic = DivideRoot()
        for name in ("run", "x_request", "x_thread", "x_crowded"):
            m.d.comb += getattr(claim, name).eq(getattr(self, name))
        m.d.comb += [
            claim.busy.eq(arithmetic.busy),
            arithmetic.start.eq(claim.x_start),
            arithmetic.op.eq(self.x_op),
            arithmetic.rm.eq(self.x_rm),
            arithmetic.a.eq(self.x_a),
            arithmetic.b.eq(self.x_b),
            self.x_ready.eq(claim.x_ready),
            self.x_result.eq(arithmetic.result),
            self.x_flags.eq(arithmetic.flags),
        ]
        return m
