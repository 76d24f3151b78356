"""The register files of all contexts."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from openipu.rtl.config import TileConfig


class RegisterFile(wiring.Component):
    """32 registers of 32 bits for each context, in block RAM. Register 0 always reads 0.

    A register number given in stage d has its value in the next cycle, stage x. A write is seen by
    reads that are asked for in later cycles.

    Parameters
    ----------
    config : TileConfig
        Size of the tile.
    reads : int
        Read ports.

    Members
    -------
    d_thread : In, d_numbers : In(5) each
        What to read.
    x_values : Out(32) each
        Its values, one cycle later.
    w_en, w_thread, w_number, w_value : In
        A write.
    """

    def __init__(self, config: TileConfig, *, reads: int) -> None:
        self.config, self.reads = config, reads
        thread = ceil_log2(config.contexts)
        super().__init__(
            {
                "d_thread": In(thread),
                "d_numbers": In(5).array(reads),
                "x_values": Out(32).array(reads),
                "w_en": In(1),
                "w_thread": In(thread),
                "w_number": In(5),
                "w_value": In(32),
            }
        )

    def elaborate(self, platform):
        """One memory with several read ports."""
        m = Module()
        m.submodules.storage = storage = memory.Memory(
            shape=32, depth=32 << len(self.d_thread), init=[]
        )
        write = storage.write_port()
        m.d.comb += [
            write.en.eq(self.w_en),
            write.addr.eq(Cat(self.w_number, self.w_thread)),
            write.data.eq(self.w_value),
        ]
        for index in range(self.reads):
            read = storage.read_port()
            m.d.comb += read.addr.eq(Cat(self.d_numbers[index], self.d_thread))
            is_zero = Signal(name=f"x_zero_{index}")
            m.d.sync += is_zero.eq(self.d_numbers[index] == 0)
            m.d.comb += self.x_values[index].eq(Mux(is_zero, 0, read.data))
        return m


class PairFile(wiring.Component):
    """32 registers of 32 bits for each context, which can also be read and written in pairs.

    A pair is an even register, the low half, and the next one. Timing is that of `RegisterFile`.

    Parameters
    ----------
    config : TileConfig
        Size of the tile.
    reads : int
        Read ports.

    Members
    -------
    d_thread : In, d_numbers : In(5) each
        What to read.
    x_values : Out(32) each
        The registers' values, one cycle later.
    x_pairs : Out(64) each
        The pairs that they belong to.
    w_en, w_thread, w_number : In
        A write.
    w_pair : In(1), w_value : In(64)
        Whether the pair is written, else the low half of `w_value` goes to the register.
    """

    def __init__(self, config: TileConfig, *, reads: int) -> None:
        self.config, self.reads = config, reads
        thread = ceil_log2(config.contexts)
        super().__init__(
            {
                "d_thread": In(thread),
                "d_numbers": In(5).array(reads),
                "x_values": Out(32).array(reads),
                "x_pairs": Out(64).array(reads),
                "w_en": In(1),
                "w_thread": In(thread),
                "w_number": In(5),
                "w_pair": In(1),
                "w_value": In(64),
            }
        )

    def elaborate(self, platform):
        """One memory of pairs with several read ports, whose halves are written separately."""
        m = Module()
        m.submodules.storage = storage = memory.Memory(
            shape=64, depth=16 << len(self.d_thread), init=[]
        )
        write = storage.write_port(granularity=32)
        odd = self.w_number[0]
        m.d.comb += [
            write.en.eq(Mux(self.w_en, Cat(self.w_pair | ~odd, self.w_pair | odd), 0)),
            write.addr.eq(Cat(self.w_number[1:], self.w_thread)),
            write.data.eq(Mux(self.w_pair, self.w_value, self.w_value[:32].replicate(2))),
        ]
        for index in range(self.reads):
            read = storage.read_port()
            x_odd = Signal(name=f"x_odd_{index}")
            m.d.sync += x_odd.eq(self.d_numbers[index][0])
            m.d.comb += [
                read.addr.eq(Cat(self.d_numbers[index][1:], self.d_thread)),
                self.x_pairs[index].eq(read.data),
                self.x_values[index].eq(read.data.word_select(x_odd, 32)),
            ]
        return m
