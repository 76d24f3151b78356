"""One bank of a tile's memory."""

from amaranth.hdl import Module
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from openipu.rtl.config import WORD_BYTES, TileConfig


class SRAMBank(wiring.Component):
    """`bank_bytes` of memory in 64-bit words, with one read and one write port.

    A read of the word that is written in the same cycle returns the old word.

    A platform with a method `get_sram_bank` has that called with the bank for what to use instead
    (a memory macro, a simulation model): the result is elaborated in the bank's place and connects
    to its members. The `Memory` has the attribute `openipu_sram_bank`, by which `get_memory` can
    tell it from others.

    Parameters
    ----------
    config : TileConfig
        Size of the tile.
    index : int
        The bank's number in the tile.

    Members
    -------
    tile_id : In(12)
        The tile that the bank belongs to, for a replacement that wants to know; constant.
    read_en, read_addr : In
        Word to read.
    read_data : Out(64)
        The word, one cycle later; as it was while read_en is low.
    write_addr, write_data, write_strobe : In
        Word to write and which of its bytes; strobe is 0 in a cycle without a write.
    """

    def __init__(self, config: TileConfig, index: int) -> None:
        self.config = config
        self.index = index
        self.depth = config.bank_bytes // WORD_BYTES
        addr = In(ceil_log2(self.depth))
        super().__init__(
            {
                "tile_id": In(12),
                "read_en": In(1),
                "read_addr": addr,
                "read_data": Out(64),
                "write_addr": addr,
                "write_data": In(64),
                "write_strobe": In(WORD_BYTES),
            }
        )

    def elaborate(self, platform):
        """Use the platform's bank where it has one."""
        if hasattr(platform, "get_sram_bank"):
            return platform.get_sram_bank(self)
        m = Module()
        m.submodules.memory = storage = memory.Memory(
            shape=64, depth=self.depth, init=[], attrs={"openipu_sram_bank": self.index}
        )
        read, write = storage.read_port(), storage.write_port(granularity=8)
        m.d.comb += [
            read.en.eq(self.read_en),
            read.addr.eq(self.read_addr),
            self.read_data.eq(read.data),
            write.en.eq(self.write_strobe),
            write.addr.eq(self.write_addr),
            write.data.eq(self.write_data),
        ]
        return m
