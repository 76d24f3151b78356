"""A tile's memory: its banks and who gets them."""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from openipu.rtl.config import WORD_BYTES, TileConfig
from openipu.rtl.tile.sram_bank import SRAMBank


class SRAM(wiring.Component):
    """The banks of a tile. Each cycle, each bank serves one read and one write.

    Bank = address // words in a bank. Of several requests to one bank's read or write port the one
    with priority is served: reads send, table, host, load, pop_0, pop_1, fetch; writes receive,
    host, push, store. A request that can lose has an `ok`, valid in the cycle of its `en`; send,
    receive and host are never refused (the machine sees to it that they don't meet). Read data is
    valid one cycle after a request that was served, in that cycle only. A read of a word that is
    written in the same cycle returns the old word. An address outside the memory reads 0 and writes
    nothing.

    Parameters
    ----------
    config : TileConfig
        Size of the tile.

    Members
    -------
    tile_id : In(12)
        Constant; handed to the banks.
    fetch_en, fetch_addr : In; fetch_ok, fetch_data : Out
        Instruction fetch. Addresses of all ports count 64-bit words.
    load_en, load_addr : In; load_ok, load_data : Out
        Load of a thread.
    pop_0_en, pop_0_addr, pop_1_en, pop_1_addr : In; pop_0_ok, pop_0_data, ... : Out
        Words of a thread's input streams.
    store_en, store_addr, store_data, store_strobe : In; store_ok : Out
        Store of a thread; one bit of strobe a byte.
    push_en, push_addr, push_data : In; push_ok : Out
        Word of a thread's output stream.
    send_en, send_addr : In; send_data : Out
        Exchange data to the bus.
    table_en, table_addr : In; table_ok, table_data : Out
        Exchange tables.
    receive_en, receive_addr, receive_data, receive_strobe : In
        Exchange data from the bus.
    host_en, host_write, host_addr, host_wdata, host_strobe : In; host_rdata : Out
        The host, reading or writing.
    """

    def __init__(self, config: TileConfig) -> None:
        self.config = config
        addr, word, strobe = In(ceil_log2(config.memory_words)), 64, In(WORD_BYTES)
        super().__init__(
            {
                "tile_id": In(12),
                "fetch_en": In(1),
                "fetch_addr": addr,
                "fetch_ok": Out(1),
                "fetch_data": Out(word),
                "load_en": In(1),
                "load_addr": addr,
                "load_ok": Out(1),
                "load_data": Out(word),
                "pop_0_en": In(1),
                "pop_0_addr": addr,
                "pop_0_ok": Out(1),
                "pop_0_data": Out(word),
                "pop_1_en": In(1),
                "pop_1_addr": addr,
                "pop_1_ok": Out(1),
                "pop_1_data": Out(word),
                "store_en": In(1),
                "store_addr": addr,
                "store_data": In(word),
                "store_strobe": strobe,
                "store_ok": Out(1),
                "push_en": In(1),
                "push_addr": addr,
                "push_data": In(word),
                "push_ok": Out(1),
                "send_en": In(1),
                "send_addr": addr,
                "send_data": Out(word),
                "table_en": In(1),
                "table_addr": addr,
                "table_ok": Out(1),
                "table_data": Out(word),
                "receive_en": In(1),
                "receive_addr": addr,
                "receive_data": In(word),
                "receive_strobe": strobe,
                "host_en": In(1),
                "host_write": In(1),
                "host_addr": addr,
                "host_wdata": In(word),
                "host_strobe": strobe,
                "host_rdata": Out(word),
            }
        )

    def elaborate(self, platform):
        """Compare bank numbers for the `ok`s; each bank takes the first request that names it."""
        m = Module()
        reads = {  # in the order of priority
            "send": (self.send_en, self.send_addr),
            "table": (self.table_en, self.table_addr),
            "host": (self.host_en & ~self.host_write, self.host_addr),
            "load": (self.load_en, self.load_addr),
            "pop_0": (self.pop_0_en, self.pop_0_addr),
            "pop_1": (self.pop_1_en, self.pop_1_addr),
            "fetch": (self.fetch_en, self.fetch_addr),
        }
        writes = {
            "receive": (self.receive_en, self.receive_addr),
            "host": (self.host_en & self.host_write, self.host_addr),
            "push": (self.push_en, self.push_addr),
            "store": (self.store_en, self.store_addr),
        }
        write_data = {
            "receive": (self.receive_data, self.receive_strobe),
            "host": (self.host_wdata, self.host_strobe),
            "push": (self.push_data, (1 << WORD_BYTES) - 1),
            "store": (self.store_data, self.store_strobe),
        }
        read_data = {
            "send": self.send_data,
            "table": self.table_data,
            "host": self.host_rdata,
            "load": self.load_data,
            "pop_0": self.pop_0_data,
            "pop_1": self.pop_1_data,
            "fetch": self.fetch_data,
        }
        m.d.comb += [
            self.table_ok.eq(~self._lost("table", reads)),
            self.load_ok.eq(~self._lost("load", reads)),
            self.pop_0_ok.eq(~self._lost("pop_0", reads)),
            self.pop_1_ok.eq(~self._lost("pop_1", reads)),
            self.fetch_ok.eq(~self._lost("fetch", reads)),
            self.push_ok.eq(~self._lost("push", writes)),
            self.store_ok.eq(~self._lost("store", writes)),
        ]

        banks = [SRAMBank(self.config, index) for index in range(self.config.banks)]
        for index, bank in enumerate(banks):
            m.submodules[f"bank_{index}"] = bank
            m.d.comb += bank.tile_id.eq(self.tile_id)
            condition = m.If
            for en, addr in reads.values():
                with condition(en & (self._bank(addr) == index)):
                    m.d.comb += [bank.read_en.eq(1), bank.read_addr.eq(addr)]
                condition = m.Elif
            condition = m.If
            for name, (en, addr) in writes.items():
                with condition(en & (self._bank(addr) == index)):
                    m.d.comb += [
                        bank.write_addr.eq(addr),
                        bank.write_data.eq(write_data[name][0]),
                        bank.write_strobe.eq(write_data[name][1]),
                    ]
                condition = m.Elif

        for name, (en, addr) in reads.items():
            asked = Signal(len(self._bank(addr)), name=f"{name}_asked")
            with m.If(en):
                m.d.sync += asked.eq(self._bank(addr))
            with m.Switch(asked):
                for index, bank in enumerate(banks):
                    with m.Case(index):
                        m.d.comb += read_data[name].eq(bank.read_data)
        return m

    def _bank(self, addr):
        return addr[ceil_log2(self.config.bank_bytes // WORD_BYTES) :]

    def _lost(self, loser, requests):
        """Whether a request before the loser's names the same bank."""
        before = list(requests)[: list(requests).index(loser)]
        return Cat(
            requests[name][0] & (self._bank(requests[name][1]) == self._bank(requests[loser][1]))
            for name in before
        ).any()
