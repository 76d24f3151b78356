"""What can go wrong with an instruction, and the record of the first trap that goes to the host."""

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from openipu.rtl.config import TileConfig
from openipu.rtl.isa import (
    OP_BITS,
    TO_HOST,
    XTRAP_CODE_SHIFT,
    Cause,
    StreamOp,
    SystemOp,
    ThreadOp,
    Unit,
)
from openipu.rtl.layouts import EXCHANGE_THREAD, TrapRecord
from openipu.rtl.tile.streams import OUT


class Traps(wiring.Component):
    """Decides in stage x whether the instruction traps, and where to.

    Parameters
    ----------
    config : TileConfig
        Size of the tile.

    Members
    -------
    run : In(1)
        Low: the record is cleared.
    x_valid, x_outside : In(1)
        There is an instruction; it could not be fetched.
    x_unit : In(Unit), x_op : In(OP_BITS), x_code : In(5)
        What it is; the code of an xtrap.
    x_illegal : In(1)
        The execute stage finds it illegal, although it is in the table.
    x_misaligned_target, x_misaligned, x_address_outside : In(1)
        Of a taken jump's target; of the load's or store's address.
    x_in_loop, x_bad_length : In(1), x_length : In(12)
        The instruction is in its thread's loop; the length of an xrpt, and that it can't be.
    x_stream_finished, x_stream_outside : In(1), x_stream : In(2), x_stream_address : In(32)
        What is wrong with a stream that the instruction uses, which one, and where its word is.
    x_overrun : In(1)
        The matrix unit's results are still there.
    x_thread : In, x_pc, x_word, x_target, x_address, x_a : In(32)
        What the record wants to know.
    x_vector : In(32)
        The thread's mtvec.
    x_trap : Out(1)
        The instruction traps, and so does not retire.
    x_to_thread, x_to_host : Out(1)
        To the thread's own handler, or to the host, which ends the thread.
    x_cause, x_value : Out(32)
        Valid with x_trap.
    exchange_trap : In(1), exchange_cause, exchange_cycle, exchange_value : In(32)
        The exchange port's trap.
    record : Out(TrapRecord)
        The first trap to the host.
    """

    def __init__(self, config: TileConfig) -> None:
        self.config = config
        super().__init__(
            {
                "run": In(1),
                "x_valid": In(1),
                "x_outside": In(1),
                "x_unit": In(Unit),
                "x_op": In(OP_BITS),
                "x_code": In(5),
                "x_illegal": In(1),
                "x_misaligned_target": In(1),
                "x_misaligned": In(1),
                "x_address_outside": In(1),
                "x_in_loop": In(1),
                "x_bad_length": In(1),
                "x_length": In(12),
                "x_stream_finished": In(1),
                "x_stream_outside": In(1),
                "x_stream": In(2),
                "x_stream_address": In(32),
                "x_overrun": In(1),
                "x_thread": In(ceil_log2(config.contexts)),
                "x_pc": In(32),
                "x_word": In(32),
                "x_target": In(32),
                "x_address": In(32),
                "x_a": In(32),
                "x_vector": In(32),
                "x_trap": Out(1),
                "x_to_thread": Out(1),
                "x_to_host": Out(1),
                "x_cause": Out(32),
                "x_value": Out(32),
                "exchange_trap": In(1),
                "exchange_cause": In(32),
                "exchange_cycle": In(32),
                "exchange_value": In(32),
                "record": Out(TrapRecord),
            }
        )

    def elaborate(self, platform):
        """The causes in the order of their priority."""
        m = Module()
        load, store = self.x_unit == Unit.LOAD, self.x_unit == Unit.STORE
        system, thread = self.x_unit == Unit.SYSTEM, self.x_unit == Unit.THREAD
        stream = self.x_unit == Unit.STREAM
        repeat = Signal()
        m.d.comb += repeat.eq(stream & (self.x_op == StreamOp.REPEAT.value))
        open_stream = stream & (self.x_op == StreamOp.OPEN.value)
        mret = system & (self.x_op == SystemOp.MRET.value)
        jumps = repeat | mret | (self.x_unit == Unit.BRANCH)
        writes = self.x_stream == OUT
        explicit = Signal()
        m.d.comb += explicit.eq(thread & (self.x_op == ThreadOp.TRAP.value))
        address = self.x_address
        causes = (
            (self.x_outside, Cause.FETCH_OUTSIDE, self.x_pc),
            ((self.x_unit == Unit.ILLEGAL) | self.x_illegal, Cause.ILLEGAL, self.x_word),
            (jumps & self.x_in_loop, Cause.LOOP_BRANCH, self.x_word),
            (repeat & self.x_bad_length, Cause.LOOP_LENGTH, self.x_length),
            (open_stream & (self.x_a[:3] != 0), Cause.STREAM_MISALIGNED, self.x_a),
            (self.x_stream_finished, Cause.STREAM_FINISHED, self.x_stream),
            (self.x_stream_outside & ~writes, Cause.LOAD_OUTSIDE, self.x_stream_address),
            (self.x_stream_outside & writes, Cause.STORE_OUTSIDE, self.x_stream_address),
            (self.x_overrun, Cause.AMP_OVERRUN, self.x_word),
            (system & (self.x_op == SystemOp.EBREAK.value), Cause.BREAKPOINT, self.x_pc),
            (system & (self.x_op == SystemOp.ECALL.value), Cause.ECALL, 0),
            (explicit, Cause.EXPLICIT, self.x_a),
            (self.x_misaligned_target, Cause.FETCH_MISALIGNED, self.x_target),
            (load & self.x_misaligned, Cause.LOAD_MISALIGNED, address),
            (store & self.x_misaligned, Cause.STORE_MISALIGNED, address),
            (load & self.x_address_outside, Cause.LOAD_OUTSIDE, address),
            (store & self.x_address_outside, Cause.STORE_OUTSIDE, address),
        )
        found = Signal()
        condition = m.If
        for happened, cause, value in causes:
            with condition(happened):
                m.d.comb += [found.eq(1), self.x_cause.eq(cause), self.x_value.eq(value)]
                if cause is Cause.EXPLICIT:
                    m.d.comb += self.x_cause[XTRAP_CODE_SHIFT:].eq(self.x_code)
            condition = m.Elif
        code = self.x_cause[:XTRAP_CODE_SHIFT]
        to_host = (code >= TO_HOST.start) & (code < TO_HOST.stop)
        goes_home = (self.x_vector != 0) & ~to_host
        m.d.comb += [
            self.x_trap.eq(self.x_valid & found),
            self.x_to_thread.eq(self.x_trap & goes_home),
            self.x_to_host.eq(self.x_trap & ~goes_home),
        ]

        with m.If(~self.run):
            m.d.sync += self.record.eq(0)
        with m.Elif(~self.record.valid):
            with m.If(self.x_to_host):
                m.d.sync += [
                    self.record.valid.eq(1),
                    self.record.thread.eq(self.x_thread),
                    self.record.cause.eq(self.x_cause),
                    self.record.pc.eq(self.x_pc),
                    self.record.value.eq(self.x_value),
                ]
            with m.Elif(self.exchange_trap):
                m.d.sync += [
                    self.record.valid.eq(1),
                    self.record.thread.eq(EXCHANGE_THREAD),
                    self.record.cause.eq(self.exchange_cause),
                    self.record.pc.eq(self.exchange_cycle),
                    self.record.value.eq(self.exchange_value),
                ]
        return m
