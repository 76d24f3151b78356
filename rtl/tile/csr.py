"""Control and status registers, traps to a thread's own handler, floating-point flags."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from openipu.rtl.config import TileConfig
from openipu.rtl.isa import MISA_VALUE, MSTATUS_CONSTANT, Csr, CsrOp
from openipu.rtl.tile.per_context import PerContext

MIE, MPIE = 3, 7  # bits of mstatus


class CSRFile(wiring.Component):
    """The CSRs of all contexts, see `openipu.rtl.isa.Csr`. Everything is in stage x but the flags.

    Parameters
    ----------
    config : TileConfig
        Size of the tile.

    Members
    -------
    run : In(1)
        Low: reset.
    tile_id : In(12)
        For mhartid.
    x_thread : In
        Whose registers.
    x_access : In(1), x_op : In(CsrOp), x_number : In(12), x_source : In(5), x_value : In(32)
        An instruction is a CSR instruction; its operation, CSR, rs1 field and rs1.
    x_read : Out(32)
        The CSR's value.
    x_illegal : Out(1)
        There is no such CSR, or it is read-only; valid with x_access.
    x_retire : In(1)
        The instruction in x, whatever it is, retires: the CSR is written, minstret counts.
    x_frm : Out(3)
        The thread's rounding mode.
    x_trap, x_mret : In(1), x_pc, x_cause, x_trap_value : In(32)
        A trap is taken to mtvec; mret retires.
    x_vector, x_return : Out(32)
        mtvec and mepc.
    w_flags_en : In(1), w_thread : In, w_flags : In(5)
        Flags that a floating-point instruction raises.
    """

    def __init__(self, config: TileConfig) -> None:
        self.config = config
        thread = In(ceil_log2(config.contexts))
        super().__init__(
            {
                "run": In(1),
                "tile_id": In(12),
                "x_thread": thread,
                "x_access": In(1),
                "x_op": In(CsrOp),
                "x_number": In(12),
                "x_source": In(5),
                "x_value": In(32),
                "x_read": Out(32),
                "x_illegal": Out(1),
                "x_retire": In(1),
                "x_frm": Out(3),
                "x_trap": In(1),
                "x_mret": In(1),
                "x_pc": In(32),
                "x_cause": In(32),
                "x_trap_value": In(32),
                "x_vector": Out(32),
                "x_return": Out(32),
                "w_flags_en": In(1),
                "w_thread": thread,
                "w_flags": In(5),
            }
        )

    def elaborate(self, platform):
        """Small memories by context; one multiplexer to read, one decoder to write."""
        m = Module()

        def per_context(name, width):
            m.submodules[name] = register = PerContext(self.config, width)
            m.d.comb += [register.clear.eq(~self.run), register.thread.eq(self.x_thread)]
            return register

        mtvec = per_context("mtvec", 32)
        mepc = per_context("mepc", 32)
        mcause = per_context("mcause", 32)
        mtval = per_context("mtval", 32)
        mscratch = per_context("mscratch", 32)
        interrupt = per_context("interrupt", 2)  # MIE, MPIE
        frm = per_context("frm", 3)
        minstret = per_context("minstret", 64)
        fflags = Signal(data.ArrayLayout(5, 1 << len(self.x_thread)))
        x_fflags = Signal(5)
        mcycle = Signal(64)
        m.d.sync += mcycle.eq(Mux(self.run, mcycle + 1, 0))
        m.d.comb += [
            minstret.write.eq(self.x_retire),
            minstret.next.eq(minstret.value + 1),
            x_fflags.eq(fflags[self.x_thread]),
            self.x_frm.eq(frm.value),
            self.x_vector.eq(mtvec.value),
            self.x_return.eq(mepc.value),
        ]

        mstatus = Cat(Const(0, MIE), interrupt.value[0], Const(0, MPIE - MIE - 1),
                      interrupt.value[1], Const(0, 31 - MPIE))  # fmt: skip
        values = {
            Csr.FFLAGS: x_fflags,
            Csr.FRM: frm.value,
            Csr.FCSR: Cat(x_fflags, frm.value),
            Csr.MSTATUS: mstatus | MSTATUS_CONSTANT,
            Csr.MISA: MISA_VALUE,
            Csr.MTVEC: mtvec.value,
            Csr.MSCRATCH: mscratch.value,
            Csr.MEPC: mepc.value,
            Csr.MCAUSE: mcause.value,
            Csr.MTVAL: mtval.value,
            Csr.MHARTID: Cat(self.x_thread, Const(0, 4 - len(self.x_thread)), self.tile_id),
        }
        for low, high, counter in (
            (Csr.MCYCLE, Csr.MCYCLEH, mcycle),
            (Csr.CYCLE, Csr.CYCLEH, mcycle),
            (Csr.TIME, Csr.TIMEH, mcycle),
            (Csr.MINSTRET, Csr.MINSTRETH, minstret.value),
            (Csr.INSTRET, Csr.INSTRETH, minstret.value),
        ):
            values |= {low: counter[:32], high: counter[32:]}
        exists = Signal()
        with m.Switch(self.x_number):
            for number in Csr:
                with m.Case(number):
                    m.d.comb += [exists.eq(1), self.x_read.eq(values.get(number, 0))]

        immediate = Cat(self.x_source, Const(0, 27))
        operand = Signal(32)
        written = Signal(32)
        writes = Signal()
        m.d.comb += operand.eq(Mux(self.x_op.as_value()[2], immediate, self.x_value))
        with m.Switch(self.x_op.as_value()[:2]):
            with m.Case(CsrOp.WRITE.value):
                m.d.comb += [written.eq(operand), writes.eq(1)]
            with m.Case(CsrOp.SET.value):
                m.d.comb += [written.eq(self.x_read | operand), writes.eq(self.x_source != 0)]
            with m.Default():
                m.d.comb += [written.eq(self.x_read & ~operand), writes.eq(self.x_source != 0)]
        read_only = self.x_number[10:12].all()
        m.d.comb += self.x_illegal.eq(~exists | (writes & read_only))

        # A retiring floating-point instruction of another thread may raise flags in the same cycle.
        with m.If(self.w_flags_en):
            m.d.sync += fflags[self.w_thread].eq(fflags[self.w_thread] | self.w_flags)
        with m.If(self.x_access & self.x_retire & writes):
            with m.Switch(self.x_number):
                with m.Case(Csr.FFLAGS):
                    m.d.sync += fflags[self.x_thread].eq(written)
                with m.Case(Csr.FRM):
                    m.d.comb += [frm.write.eq(1), frm.next.eq(written)]
                with m.Case(Csr.FCSR):
                    m.d.sync += fflags[self.x_thread].eq(written)
                    m.d.comb += [frm.write.eq(1), frm.next.eq(written[5:])]
                with m.Case(Csr.MSTATUS):
                    m.d.comb += [
                        interrupt.write.eq(1),
                        interrupt.next.eq(Cat(written[MIE], written[MPIE])),
                    ]
                for number, register in (
                    (Csr.MSCRATCH, mscratch), (Csr.MCAUSE, mcause), (Csr.MTVAL, mtval),
                ):  # fmt: skip
                    with m.Case(number):
                        m.d.comb += [register.write.eq(1), register.next.eq(written)]
                for number, register in ((Csr.MTVEC, mtvec), (Csr.MEPC, mepc)):
                    with m.Case(number):
                        m.d.comb += [
                            register.write.eq(1),
                            register.next.eq(Cat(Const(0, 2), written[2:])),
                        ]
        with m.If(self.x_trap):
            m.d.comb += [
                mepc.write.eq(1),
                mepc.next.eq(self.x_pc),
                mcause.write.eq(1),
                mcause.next.eq(self.x_cause),
                mtval.write.eq(1),
                mtval.next.eq(self.x_trap_value),
                interrupt.write.eq(1),
                interrupt.next.eq(Cat(Const(0, 1), interrupt.value[0])),
            ]
        with m.If(self.x_mret):
            m.d.comb += [
                interrupt.write.eq(1),
                interrupt.next.eq(Cat(interrupt.value[1], Const(1, 1))),
            ]
        with m.If(~self.run):
            m.d.sync += fflags.eq(0)
        return m
