"""Loads and stores: addresses, strobes and alignment."""

from amaranth.hdl import Cat, Const, Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from openipu.rtl.config import WORD_BYTES, TileConfig
from openipu.rtl.isa import MemoryOp


class LoadStore(wiring.Component):
    """Turns a thread's accesses into those of the memory, and loaded words into register values.

    Parameters
    ----------
    config : TileConfig
        Size of the tile.

    Members
    -------
    x_op : In(MemoryOp)
        Width.
    x_base, x_offset : In(32)
        The address is their sum.
    x_data : In(32)
        To store.
    x_address : Out(32)
        The byte address, as the thread gave it.
    x_misaligned, x_outside : Out(1)
        What is wrong with it; bit 31 does not count.
    x_word : Out
        Memory word of the address.
    x_store_data : Out(64), x_store_strobe : Out(8)
        For the memory's store port.
    x_stored : Out(32)
        What is stored, zero-extended.
    m_op : In(MemoryOp), m_low : In(3), m_word : In(64)
        Width, low bits of the address, and the word that arrived.
    m_value : Out(32)
        For the register, extended.
    """

    def __init__(self, config: TileConfig) -> None:
        self.config = config
        super().__init__(
            {
                "x_op": In(MemoryOp),
                "x_base": In(32),
                "x_offset": In(32),
                "x_data": In(32),
                "x_address": Out(32),
                "x_misaligned": Out(1),
                "x_outside": Out(1),
                "x_word": Out(ceil_log2(config.memory_words)),
                "x_store_data": Out(64),
                "x_store_strobe": Out(WORD_BYTES),
                "x_stored": Out(32),
                "m_op": In(MemoryOp),
                "m_low": In(3),
                "m_word": In(64),
                "m_value": Out(32),
            }
        )

    def elaborate(self, platform):
        """Shift by bytes, both ways."""
        m = Module()
        address = self.x_address
        m.d.comb += [
            address.eq(self.x_base + self.x_offset),
            self.x_word.eq(address[3:31]),
            self.x_outside.eq(address[:31] >= self.config.memory_bytes),
        ]
        with m.Switch(self.x_op):
            with m.Case(MemoryOp.WORD):
                m.d.comb += [
                    self.x_misaligned.eq(address[:2] != 0),
                    self.x_stored.eq(self.x_data),
                    self.x_store_data.eq(self.x_data.replicate(2)),
                    self.x_store_strobe.eq(0b1111 << (address[2] << 2)),
                ]
            with m.Case(MemoryOp.HALF, MemoryOp.HALF_UNSIGNED, MemoryOp.HALF_BOXED):
                m.d.comb += [
                    self.x_misaligned.eq(address[0]),
                    self.x_stored.eq(self.x_data[:16]),
                    self.x_store_data.eq(self.x_data[:16].replicate(4)),
                    self.x_store_strobe.eq(0b11 << (address[1:3] << 1)),
                ]
            with m.Default():
                m.d.comb += [
                    self.x_stored.eq(self.x_data[:8]),
                    self.x_store_data.eq(self.x_data[:8].replicate(8)),
                    self.x_store_strobe.eq(1 << address[:3]),
                ]

        byte = self.m_word.word_select(self.m_low, 8)
        half = self.m_word.word_select(self.m_low[1:], 16)
        word = self.m_word.word_select(self.m_low[2], 32)
        with m.Switch(self.m_op):
            with m.Case(MemoryOp.BYTE):
                m.d.comb += self.m_value.eq(byte.as_signed())
            with m.Case(MemoryOp.BYTE_UNSIGNED):
                m.d.comb += self.m_value.eq(byte)
            with m.Case(MemoryOp.HALF):
                m.d.comb += self.m_value.eq(half.as_signed())
            with m.Case(MemoryOp.HALF_UNSIGNED):
                m.d.comb += self.m_value.eq(half)
            with m.Case(MemoryOp.HALF_BOXED):
                m.d.comb += self.m_value.eq(Cat(half, Const(0xFFFF, 16)))
            with m.Default():
                m.d.comb += self.m_value.eq(word)
        return m
