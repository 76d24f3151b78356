"""A tile's end of the exchange: what it sends and stores in which cycle, as its tables say."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from openipu.rtl.config import WORD_BYTES, TileConfig
from openipu.rtl.isa import Cause
from openipu.rtl.layouts import bus_word
from openipu.rtl.tile.table_walker import TableWalker


class ExchangePort(wiring.Component):
    """The exchange sequencer: a send and a receive table, walked in lock-step with all tiles.

    Cycle 0 is the cycle of `release`. A send word at cycle t is read from memory in t and on
    `bus_out` in t+2. A receive word at cycle t is stored in t, from `bus_in`; `select` names its
    source `exchange_latency` - 2 cycles before. The tables are read alternately, send in even
    cycles. All causes of traps are in `isa.Cause`; a trap stops the port until it is armed again.

    Parameters
    ----------
    config : TileConfig
        Size of the tile.
    exchange_latency : int
        Cycles from a word's read to its storage at the other end, 3 to 16.

    Members
    -------
    run : In(1)
        Low: reset.
    freeze : In(1)
        High: nothing happens.
    arm, arm_send, arm_receive : In
        Byte addresses of the tables that the next release starts; 0 for none.
    release : In(1)
        Cycle 0, for one cycle.
    busy : Out(1)
        From cycle 0 of an armed exchange until both tables are over.
    cycle : Out(32)
        The cycle since the release; stands still when the exchange is over.
    send_*, table_*, receive_*
        Ports to `SRAM`, which see.
    bus_out : Out(bus_word), bus_in : In(bus_word), select : Out(12)
        Own bus; what the multiplexer brings; the tile it is to listen to.
    trap, trap_cause, trap_cycle, trap_value : Out
        `trap` for one cycle, the others valid with it.
    sent, received : Out(1)
        A word is read for sending, is stored.
    """

    def __init__(self, config: TileConfig, exchange_latency: int) -> None:
        self.config = config
        self.lead = exchange_latency - 2
        addr = Out(ceil_log2(config.memory_words))
        super().__init__(
            {
                "run": In(1),
                "freeze": In(1),
                "arm": In(1),
                "arm_send": In(32),
                "arm_receive": In(32),
                "release": In(1),
                "busy": Out(1),
                "cycle": Out(32),
                "send_en": Out(1),
                "send_addr": addr,
                "send_data": In(64),
                "table_en": Out(1),
                "table_addr": addr,
                "table_ok": In(1),
                "table_data": In(64),
                "receive_en": Out(1),
                "receive_addr": addr,
                "receive_data": Out(64),
                "receive_strobe": Out(WORD_BYTES),
                "bus_out": Out(bus_word(config.bus_bits)),
                "bus_in": In(bus_word(config.bus_bits)),
                "select": Out(12),
                "trap": Out(1),
                "trap_cause": Out(32),
                "trap_cycle": Out(32),
                "trap_value": Out(32),
                "sent": Out(1),
                "received": Out(1),
            }
        )

    def elaborate(self, platform):
        """Two walkers; the receive walker runs ahead, so its words wait in a line for the bus."""
        m = Module()
        wide = self.config.bus_bits == 64
        m.submodules.send = send = TableWalker(self.config, lead=0)
        m.submodules.receive = receive = TableWalker(self.config, lead=self.lead)
        armed = Signal()
        running = Signal()
        stopped = Signal()
        start = Signal()
        go = Signal()
        m.d.comb += [
            start.eq(self.release & armed & ~stopped & ~self.freeze),
            go.eq(running & ~stopped & ~self.freeze),
            self.busy.eq(start | running),
        ]
        for walker, base in ((send, self.arm_send), (receive, self.arm_receive)):
            m.d.comb += [
                walker.arm.eq(self.arm),
                walker.base.eq(base),
                walker.clear.eq(~self.run),
                walker.release.eq(start),
                walker.advance.eq(go),
                walker.fetched.eq(self.table_data),
            ]

        # Tables: turns go by the cycle once there is one.
        turn = Signal()
        mine = Mux(start | running, self.cycle[0], turn)
        pointer = Signal(31)
        want = Signal()
        m.d.sync += turn.eq(~turn)
        m.d.comb += [
            want.eq(Mux(mine, receive.want, send.want) & ~stopped & ~self.freeze),
            pointer.eq(Mux(mine, receive.pointer, send.pointer)),
            self.table_en.eq(want & ~self._outside(pointer)),
            self.table_addr.eq(pointer // WORD_BYTES),
            send.grant.eq(self.table_en & ~mine),
            receive.grant.eq(self.table_en & mine),
        ]

        # Send.
        send_pointer = send.address * 4
        send_outside = self._outside(send_pointer, self.config.bus_bytes)
        m.d.comb += [
            self.send_en.eq(send.word & ~send_outside),
            self.send_addr.eq(send_pointer // WORD_BYTES),
            self.sent.eq(self.send_en),
        ]
        read = Signal()
        half = Signal()
        sent = self.send_data if wide else self.send_data.word_select(half, 32)
        m.d.sync += [
            read.eq(self.send_en),
            half.eq(send.address[0]),
            self.bus_out.valid.eq(read),
            self.bus_out.data.eq(Mux(read, sent, 0)),
        ]

        # Receive.
        word, address, source = receive.word, receive.address, receive.source
        waiting = []
        for i in range(self.lead):
            before = Cat(word, address, source)
            word = Signal(name=f"word_{i}")
            address = Signal(20, name=f"address_{i}")
            source = Signal(12, name=f"source_{i}")
            m.d.sync += Cat(word, address, source).eq(before)
            waiting.append(word)
            with m.If(self.arm | ~self.run):
                m.d.sync += word.eq(0)
        due = word & go
        receive_pointer = address * 4
        receive_outside = self._outside(receive_pointer, self.config.bus_bytes)
        m.d.comb += [
            self.select.eq(receive.source),
            self.receive_en.eq(due & ~receive_outside & self.bus_in.valid),
            self.receive_addr.eq(receive_pointer // WORD_BYTES),
            self.receive_data.eq(self.bus_in.data.replicate(64 // self.config.bus_bits)),
            self.receive_strobe.eq(0xFF if wide else Mux(address[0], 0xF0, 0x0F)),
            self.received.eq(self.receive_en),
        ]

        with m.If(self.arm):
            m.d.sync += [
                armed.eq((self.arm_send != 0) | (self.arm_receive != 0)),
                running.eq(0),
                stopped.eq(0),
                self.cycle.eq(0),
            ]
        with m.Elif(start):
            m.d.sync += [armed.eq(0), running.eq(1), self.cycle.eq(1)]
        with m.Elif(go):
            over = send.ended & receive.ended & ~Cat(waiting).any()
            m.d.sync += [running.eq(~over), self.cycle.eq(self.cycle + 1)]

        with m.If(~self.run):
            m.d.sync += [armed.eq(0), running.eq(0), stopped.eq(0), self.cycle.eq(0)]

        # Traps; of several in one cycle the first in this list is told.
        now = self.cycle
        condition = m.If
        for happens, cause, cycle, value in (
            (want & self._outside(pointer), Cause.EXCHANGE_OUTSIDE, now, pointer),
            (self.table_en & ~self.table_ok, Cause.TABLE_CLASH, now, pointer),
            (send.late, Cause.TABLE_LATE, now, send.head_pointer),
            (receive.late, Cause.TABLE_LATE, now, receive.head_pointer),
            (send.word & send_outside, Cause.EXCHANGE_OUTSIDE, now, send_pointer),
            (receive.early, Cause.SILENT_BUS, receive.gap + 1, receive.source),
            (due & receive_outside, Cause.EXCHANGE_OUTSIDE, now, receive_pointer),
            (due & ~self.bus_in.valid, Cause.SILENT_BUS, now, source),
        ):
            with condition(happens):
                m.d.comb += [
                    self.trap.eq(1),
                    self.trap_cause.eq(cause.value),
                    self.trap_cycle.eq(cycle),
                    self.trap_value.eq(value),
                ]
                m.d.sync += stopped.eq(1)
            condition = m.Elif
        return m

    def _outside(self, pointer, align=WORD_BYTES):
        """Whether a byte address is outside the memory or not aligned."""
        return (pointer >= self.config.memory_bytes) | (pointer & (align - 1)).any()
