"""Proofs about who gets a memory bank."""

import pytest
from amaranth.hdl import Assert, Assume, Cat, Cover, Module, Mux, Signal

from openipu.cosim.formal import ProofPlatform, prove
from openipu.rtl.config import KIB, TileConfig
from openipu.rtl.tile.memory import SRAM

pytestmark = pytest.mark.formal
READS = ("send", "table", "host", "load", "pop_0", "pop_1", "fetch")  # in the order of priority
WRITES = ("receive", "host", "push", "store")
BANKS = (2, 3, 8)


class Banks(ProofPlatform):
    """Banks that answer a read with the bank's number and the address."""

    def __init__(self):
        self.banks = []

    def get_sram_bank(self, bank):
        self.banks.append(bank)
        m = Module()
        with m.If(bank.read_en):
            m.d.sync += bank.read_data.eq(bank.index * bank.depth + bank.read_addr)
        return m


def _requests(dut, names, writing):
    """Return en, addr and ok of each port."""
    for name in names:
        en, addr = getattr(dut, f"{name}_en"), getattr(dut, f"{name}_addr")
        if name == "host":
            en = en & (dut.host_write == writing)
        yield en, addr, getattr(dut, f"{name}_ok", None)


def _config(banks):
    return TileConfig(banks=banks, bank_bytes=16 * KIB if banks == 2 else 8 * KIB)


@pytest.mark.parametrize("banks", BANKS)
def test_a_read_is_served_or_refused_for_one_before_it(banks):
    config, platform = _config(banks), Banks()
    words = config.bank_bytes // 8

    def reads(proof):
        m, dut = proof.m, proof.dut
        before = []
        for name, (en, addr, ok) in zip(READS, _requests(dut, READS, 0), strict=True):
            lost = Cat(other & (at // words == addr // words) for other, at in before).any()
            before.append((en, addr))
            served, asked = Signal(name=f"{name}_served"), Signal.like(addr)
            if ok is None:
                m.d.comb += Assume(~(en & lost))  # send and host are never refused
                ok = 1
            else:
                m.d.comb += Assert(ok == ~lost)
            m.d.sync += [served.eq(en & ok), asked.eq(addr)]
            data = dut.host_rdata if name == "host" else getattr(dut, f"{name}_data")
            with m.If(served):
                m.d.comb += [Assert(data == Mux(asked < config.memory_words, asked, 0)),
                             Cover(asked == config.memory_words - 1)]  # fmt: skip

    prove(SRAM(config), reads, depth=3, platform=platform)


@pytest.mark.parametrize("banks", BANKS)
def test_a_write_is_done_or_refused_for_one_before_it(banks):
    config, platform = _config(banks), Banks()
    words = config.bank_bytes // 8

    def writes(proof):
        m, dut = proof.m, proof.dut
        before, wanted = [], [0] * banks
        for name, (en, addr, ok) in zip(WRITES, _requests(dut, WRITES, 1), strict=True):
            lost = Cat(other & (at // words == addr // words) for other, at in before).any()
            before.append((en, addr))
            if ok is None:
                m.d.comb += Assume(~(en & lost))
                ok = 1
            else:
                m.d.comb += Assert(ok == ~lost)
            data = dut.host_wdata if name == "host" else getattr(dut, f"{name}_data")
            strobe = getattr(dut, f"{name}_strobe", 0xFF)
            for index, bank in enumerate(platform.banks):
                mine = en & (addr // words == index)
                wanted[index] |= mine
                with m.If(mine & ok):
                    m.d.comb += [
                        Assert(bank.write_addr == addr % words),
                        Assert(bank.write_strobe == strobe),
                        Assert(bank.write_data == data),
                        Cover(bank.write_strobe.all()),
                    ]
        for bank, want in zip(platform.banks, wanted, strict=True):
            m.d.comb += Assert(want | (bank.write_strobe == 0))

    prove(SRAM(config), writes, depth=2, platform=platform)
