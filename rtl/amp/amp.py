"""The matrix unit (AMP)."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from openipu.rtl.amp.control import MULTIPLY, Control
from openipu.rtl.amp.datapath import STAGES, Datapath
from openipu.rtl.config import TileConfig
from openipu.rtl.isa import AmpOp


class AMP(wiring.Component):
    """Executes the matrix unit's instructions, as docs/developer/machine.md, "AMP", has it.

    Takes one instruction a cycle; those of one context are at least 4 cycles apart.

    Parameters
    ----------
    config : TileConfig
        Size of the tile; `amp_outputs` mustn't be 0.

    Members
    -------
    run : In(1)
        Low: all contexts are as after `xampset` with 1 and 0. The weights stay.
    x_thread : In, x_op : In(AmpOp)
        The instruction.
    x_en : In(1)
        It retires; without it, nothing changes.
    x_a, x_b : In(64)
        vs1 and vs2.
    x_set, x_set_pointer : In(32)
        rs1 and rs2 of `xampset`.
    x_output : In(5)
        The immediate of `xamppair`.
    x_takes_a, x_takes_b : Out(1)
        vs1, vs2 is consumed; combinational from `x_thread` and `x_op`, as the next four.
    x_multiplies : Out(1)
        vs1 is read, even if it isn't consumed.
    x_gives : Out(1)
        There is a result to push.
    x_illegal : Out(1)
        The operands make the instruction illegal.
    x_overrun : Out(1)
        A row would end with results of the one before left.
    w_result : Out(64)
        For vd, two clock edges later; 0 if there is none.
    """

    def __init__(self, config: TileConfig) -> None:
        self.config = config
        super().__init__(
            {
                "run": In(1),
                "x_thread": In(ceil_log2(config.contexts)),
                "x_op": In(AmpOp),
                "x_en": In(1),
                "x_a": In(64),
                "x_b": In(64),
                "x_set": In(32),
                "x_set_pointer": In(32),
                "x_output": In(5),
                "x_takes_a": Out(1),
                "x_takes_b": Out(1),
                "x_multiplies": Out(1),
                "x_gives": Out(1),
                "x_illegal": Out(1),
                "x_overrun": Out(1),
                "w_result": Out(64),
            }
        )

    def elaborate(self, platform):
        """Control decides, the datapath computes."""
        m = Module()
        m.submodules.control = control = Control(self.config)
        m.submodules.datapath = datapath = Datapath(self.config)
        for name in ("run", "x_thread", "x_op", "x_en", "x_set", "x_set_pointer", "x_output"):
            m.d.comb += getattr(control, name).eq(getattr(self, name))
        for name in ("x_takes_a", "x_takes_b", "x_gives", "x_illegal", "x_overrun"):
            m.d.comb += getattr(self, name).eq(getattr(control, name))

        with m.Switch(self.x_op):
            with m.Case(*MULTIPLY):
                m.d.comb += self.x_multiplies.eq(1)
        x_en = Signal()
        busy = Signal(STAGES - 1)
        m.d.sync += busy.eq(Cat(x_en, busy[:-1]))
        m.d.comb += [
            x_en.eq(self.x_en & (self.x_op != AmpOp.SET)),
            datapath.enable.eq(x_en | busy.any()),
            datapath.x_en.eq(x_en),
            datapath.x_command.eq(control.x_command),
            datapath.x_a.eq(self.x_a),
            datapath.x_b.eq(Mux(self.x_op == AmpOp.IN, self.x_a, self.x_b)),
            self.w_result.eq(datapath.w_result),
        ]
        return m
