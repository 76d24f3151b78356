import random

import pytest
from amaranth.hdl import Fragment, Module
from amaranth.sim import Simulator

from openipu.rtl.config import TileConfig
from openipu.rtl.tile.memory import SRAM
from openipu.rtl.tile.sram_bank import SRAMBank

READERS = ("send", "table", "host", "load", "pop_0", "pop_1", "fetch")
WRITERS = ("receive", "host", "push", "store")
KIB = 1024


def simulate(dut, bench):
    simulator = Simulator(dut)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()


class Model:
    """The memory, in Python: one dictionary and the rule of who goes first."""

    def __init__(self, config):
        self.bank_words = config.bank_bytes // 8
        self.words = {}

    def cycle(self, reads, writes):
        """Take name -> addr and name -> (addr, data, strobe); return oks and name -> data."""
        ok, data, taken = {}, {}, set()
        for name in READERS:
            if name in reads:
                bank = reads[name] // self.bank_words
                ok[name] = bank not in taken
                if ok[name]:
                    data[name] = self.words.get(reads[name], 0)
                taken.add(bank)
        taken = set()
        for name in WRITERS:
            if name in writes:
                addr, value, strobe = writes[name]
                bank = addr // self.bank_words
                ok[name] = bank not in taken
                if ok[name]:
                    old = self.words.get(addr, 0)
                    for byte in range(8):
                        if strobe >> byte & 1:
                            mask = 0xFF << 8 * byte
                            old = old & ~mask | value & mask
                    self.words[addr] = old
                taken.add(bank)
        return ok, data


@pytest.mark.parametrize(
    ("banks", "bank_bytes"),
    [(2, 8 * KIB), (3, 8 * KIB), (8, 2 * KIB), (17, 2 * KIB), (64, 2 * KIB), (16, 64 * KIB)],
)
def test_random_traffic_matches_model(banks, bank_bytes):
    config = TileConfig(banks=banks, bank_bytes=bank_bytes)
    dut = SRAM(config)
    seed = random.randrange(1 << 32)
    print(f"seed {seed}")
    rng = random.Random(seed)
    model = Model(config)
    bank_words = bank_bytes // 8
    # Few banks and few words in each, so that clashes and repeated addresses are frequent.
    some = [
        bank * bank_words + offset
        for bank in {0, 1, banks - 2, banks - 1}
        for offset in (0, 1, bank_words - 1)
    ]

    async def bench(ctx):
        expected = {}
        for _ in range(400):
            # send, receive and the host never meet, in the machine.
            host = rng.choice([None, None, "read", "write"])
            reads = {
                name: rng.choice(some)
                for name in READERS
                if name != "host" and rng.random() < 0.6
                if not (host and name in ("send", "table"))
            }
            writes = {
                name: (
                    rng.choice(some),
                    rng.getrandbits(64),
                    255 if name == "push" else rng.choice([255, rng.getrandbits(8)]),
                )
                for name in ("receive", "push", "store")
                if rng.random() < 0.6 and not (host and name == "receive")
            }
            for name in READERS:
                if name == "host":
                    continue
                ctx.set(getattr(dut, f"{name}_en"), name in reads)
                ctx.set(getattr(dut, f"{name}_addr"), reads.get(name, rng.choice(some)))
            for name in ("receive", "push", "store"):
                addr, value, strobe = writes.get(name, (rng.choice(some), 0, 255))
                ctx.set(getattr(dut, f"{name}_en"), name in writes)
                ctx.set(getattr(dut, f"{name}_addr"), addr)
                ctx.set(getattr(dut, f"{name}_data"), value)
                if name != "push":
                    ctx.set(getattr(dut, f"{name}_strobe"), strobe)
            addr, value, strobe = rng.choice(some), rng.getrandbits(64), rng.getrandbits(8)
            ctx.set(dut.host_en, host is not None)
            ctx.set(dut.host_write, host == "write")
            ctx.set(dut.host_addr, addr)
            ctx.set(dut.host_wdata, value)
            ctx.set(dut.host_strobe, strobe)
            if host == "read":
                reads["host"] = addr
            if host == "write":
                writes["host"] = (addr, value, strobe)

            for name, word in expected.items():
                signal = dut.host_rdata if name == "host" else getattr(dut, f"{name}_data")
                assert ctx.get(signal) == word, (seed, name)
            ok, expected = model.cycle(reads, writes)
            for name in ("table", "load", "pop_0", "pop_1", "fetch", "push", "store"):
                if name in ok:
                    assert ctx.get(getattr(dut, f"{name}_ok")) == ok[name], (seed, name)
            await ctx.tick()

    simulate(dut, bench)


def test_read_returns_old_word():
    dut = SRAM(TileConfig())

    async def bench(ctx):
        ctx.set(dut.store_en, 1)
        ctx.set(dut.store_addr, 5)
        ctx.set(dut.store_strobe, 255)
        ctx.set(dut.store_data, 1)
        await ctx.tick()
        ctx.set(dut.store_data, 2)
        ctx.set(dut.load_en, 1)
        ctx.set(dut.load_addr, 5)
        await ctx.tick()
        assert ctx.get(dut.load_data) == 1
        ctx.set(dut.store_en, 0)
        await ctx.tick()
        assert ctx.get(dut.load_data) == 2

    simulate(dut, bench)


def test_outside_reads_zero_and_writes_nothing():
    dut = SRAM(TileConfig(banks=3, bank_bytes=8 * KIB))
    outside = 3 * 1024 + 7

    async def bench(ctx):
        ctx.set(dut.store_en, 1)
        ctx.set(dut.store_addr, outside)
        ctx.set(dut.store_strobe, 255)
        ctx.set(dut.store_data, 1)
        await ctx.tick()
        ctx.set(dut.store_en, 0)
        ctx.set(dut.load_en, 1)
        for addr in (outside, 7, 1024 + 7, 2048 + 7):
            ctx.set(dut.load_addr, addr)
            await ctx.tick()
            assert ctx.get(dut.load_data) == 0

    simulate(dut, bench)


def test_platform_replaces_banks():
    config = TileConfig(banks=3, bank_bytes=8 * KIB)
    seen = []

    class Platform:
        def get_sram_bank(self, bank):
            seen.append(bank)
            return Module()

    Fragment.get(SRAM(config), Platform())
    assert [bank.index for bank in seen] == [0, 1, 2]
    assert {bank.depth for bank in seen} == {1024}


def test_banks_memory_is_marked():
    marks = []

    class Platform:
        def get_memory(self, memory):
            marks.append(memory.attrs["openipu_sram_bank"])
            return Module()

    Fragment.get(SRAMBank(TileConfig(), 6), Platform())
    assert marks == [6]
