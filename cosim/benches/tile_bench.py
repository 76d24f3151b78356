"""A tile by itself, port by port and cycle by cycle."""

import random
from typing import Any

import cocotb
import numpy as np
from cocotb.triggers import ClockCycles, RisingEdge
from numpy.typing import NDArray

from openipu.cosim.benches.host import load_constant, program, sync
from openipu.cosim.benches.runner import bench_config
from openipu.rtl.isa import Cause, Zone, encode
from openipu.rtl.layouts import ExchangeEntry, HostRequest
from openipu.rtl.tile import host as tile_host

TILE = 5


class Bench:
    """Drives the ports of tile number `TILE`.

    Ports are sampled as the tile's neighbours would: right before the clock rises.
    """

    def __init__(self, dut: Any) -> None:
        self.dut = dut
        self.config = bench_config()
        self.random = random.Random(cocotb.RANDOM_SEED)
        self.edge = RisingEdge(dut.clk)

    async def reset(self) -> None:
        """Reset the tile, everything off."""
        for name in "run freeze boot_pc clear_counters sync_release bus_in host".split():
            getattr(self.dut, name).value = 0
        self.dut.tile_id.value = TILE
        self.dut.boot_thread.value = self.config.tile.supervisor
        self.dut.rst.value = 1
        await ClockCycles(self.dut.clk, 4)
        self.dut.rst.value = 0
        await self.edge

    def request(self, **fields: int) -> None:
        """Put a request on the host port; without fields, none."""
        packed = HostRequest.const(fields).as_bits() if fields else 0
        self.dut.host.value = packed

    async def write(self, address: int, content: NDArray[Any], **fields: int) -> None:
        """Write whole words, one a cycle."""
        raw = content.tobytes()
        raw += bytes(-len(raw) % 8)
        for word in np.frombuffer(raw, np.uint64):
            self.request(
                **{"valid": 1, "write": 1, "tile": TILE, "address": address, "data": int(word),
                   "strobe": 0xFF} | fields
            )  # fmt: skip
            await self.edge
            address += 8
        self.request()

    async def read(self, address: int, **fields: int) -> int | None:
        """Read a word; return it, or None without an answer. Checks the answer's cycle."""
        self.request(**{"valid": 1, "tile": TILE, "address": address} | fields)
        await self.edge
        self.request()
        answers = []
        for _ in range(4):
            await self.edge
            answers.append(int(self.dut.host_response.value))
        assert answers[0] == answers[2] == answers[3] == 0, "an answer lasts one cycle"
        return answers[1] >> 1 if answers[1] & 1 else None

    async def until(self, name: str, value: int = 1, limit: int = 500) -> int:
        """Wait until an output has a value; return the cycles that took."""
        port = getattr(self.dut, name)
        for cycle in range(limit):
            await self.edge
            if int(port.value) == value:
                return cycle
        raise AssertionError(f"{name} is not {value} within {limit} cycles")

    async def start(self, *words: int) -> None:
        """Load a program at 0 and run it."""
        await self.write(0, program(*words))
        self.dut.run.value = 1

    async def release(self) -> None:
        """Pulse sync_release."""
        self.dut.sync_release.value = 1
        await self.edge
        self.dut.sync_release.value = 0


async def fresh(dut: Any) -> Bench:
    """Return a bench whose tile was reset."""
    bench = Bench(dut)
    await bench.reset()
    return bench


@cocotb.test()
async def host_memory(dut: Any) -> None:
    """Reads are answered two cycles later; requests to other tiles are not; broadcasts are."""
    bench = await fresh(dut)
    last = bench.config.tile.memory_bytes - 8
    values = [bench.random.getrandbits(64) for _ in range(4)]
    for address, value in zip((0, 8, 0x800, last), values, strict=True):
        await bench.write(address, np.array([value], np.uint64))
    for address, value in zip((0, 8, 0x800, last), values, strict=True):
        assert await bench.read(address) == value
    await bench.write(0, np.array([1], np.uint64), tile=TILE + 1)
    assert await bench.read(0) == values[0]
    assert await bench.read(0, tile=TILE + 1) is None
    await bench.write(0, np.array([2], np.uint64), tile=0, broadcast=1)
    assert await bench.read(0) == 2
    await bench.write(0, np.array([0x1122_3344_5566_7788], np.uint64), strobe=0b1010_0000)
    assert await bench.read(0) == 0x1100_3300_0000_0002


@cocotb.test()
async def barrier(dut: Any) -> None:
    """The supervisor raises sync_request until the release, with the zone that it names."""
    bench = await fresh(dut)
    await bench.start(
        sync(Zone.HOST), encode("sw", rs1=0, rs2=0, imm=0x100), sync(Zone.POD), encode("xend")
    )
    for zone in (Zone.HOST, Zone.POD):
        await bench.until("sync_request")
        assert int(dut.sync_zone.value) == zone.value
        await ClockCycles(dut.clk, 20)
        assert int(dut.sync_request.value) == 1, "it waits for the release"
        await bench.release()
        await bench.until("sync_request", 0, limit=3)
    await bench.until("halted")
    assert int(dut.trapped.value) == 0


@cocotb.test()
async def freeze_and_run(dut: Any) -> None:
    """freeze stops issue; run low resets the threads, and run high starts them again."""
    bench = await fresh(dut)
    await bench.start(
        encode("addi", rd=5, rs1=5, imm=1),
        encode("sw", rs1=0, rs2=5, imm=0x100),
        encode("jal", rd=0, imm=-8),
    )
    await ClockCycles(dut.clk, 100)
    dut.freeze.value = 1
    await ClockCycles(dut.clk, 10)
    frozen = await bench.read(0x100)
    assert frozen is not None and frozen > 3
    await ClockCycles(dut.clk, 50)
    assert await bench.read(0x100) == frozen
    dut.freeze.value = 0
    await ClockCycles(dut.clk, 100)
    dut.run.value = 0
    await ClockCycles(dut.clk, 10)
    stopped = await bench.read(0x100)
    assert stopped is not None and stopped > frozen
    dut.boot_pc.value = 4
    dut.run.value = 1
    await ClockCycles(dut.clk, 50)
    status = await bench.read(tile_host.STATUS, registers=1)
    assert status == 1 << bench.config.tile.supervisor


@cocotb.test()
async def workers(dut: Any) -> None:
    """Each worker gets its argument and runs in its own slot; xwait waits for all."""
    bench = await fresh(dut)
    slots = bench.config.tile.slots
    entry = 0x200
    code = load_constant(5, entry)
    for worker in range(slots):
        code += [encode("addi", rd=6, imm=0x400 + 8 * worker),
                 encode("xstart", imm=worker, rs1=5, rs2=6)]  # fmt: skip
    code += [encode("xwait"), encode("addi", rd=7, imm=1), encode("sw", rs1=0, rs2=7, imm=0x500),
             encode("xend")]  # fmt: skip
    await bench.write(
        entry,
        program(
            encode("csrrs", rd=11, rs1=0, imm=0xF14),
            encode("addi", rd=12, imm=20),
            encode("addi", rd=12, rs1=12, imm=-1),
            encode("bne", rs1=12, rs2=0, imm=-4),
            encode("sw", rs1=10, rs2=11, imm=0),
            encode("xend"),
        ),
    )
    await bench.write(0x500, np.zeros(1, np.uint64))
    await bench.start(*code)
    await bench.until("halted", limit=2000)
    for worker in range(slots):
        word = await bench.read(0x400 + 8 * worker)
        assert word is not None and word & 0xFFFF_FFFF == TILE << 4 | worker
    assert await bench.read(0x500) == 1


@cocotb.test()
async def trap(dut: Any) -> None:
    """An illegal instruction raises `trapped` and is found in the registers."""
    bench = await fresh(dut)
    await bench.start(encode("addi", rd=1, imm=1), 0xFFFF_FFFF)
    await bench.until("trapped")
    supervisor = bench.config.tile.supervisor
    assert await bench.read(tile_host.TRAP, registers=1) == supervisor << 32 | Cause.ILLEGAL
    assert await bench.read(tile_host.TRAP_WHERE, registers=1) == 0xFFFF_FFFF << 32 | 4
    dut.run.value = 0
    await ClockCycles(dut.clk, 4)
    assert int(dut.trapped.value) == 0


@cocotb.test()
async def exchange(dut: Any) -> None:
    """A word sent at cycle t is on the bus at t + 2; one taken from the bus at t is stored."""
    bench = await fresh(dut)
    config = bench.config
    bits, width = config.tile.bus_bits, config.tile.bus_bytes
    data = config.tile.bank_bytes  # bank 1, away from the tables
    words = [bench.random.getrandbits(bits) for _ in range(5)]
    raw = b"".join(word.to_bytes(width, "little") for word in words)
    await bench.write(data, np.frombuffer(raw + bytes(-len(raw) % 8), np.uint8))
    gap, receive_cycle, source = 4, 30, 3
    send = {"gap": gap, "count": len(words), "address": data // 4, "stride": 1, "source": 0}
    into = data + 0x100
    receive = {"gap": receive_cycle - 1, "count": 2, "address": into // 4, "stride": 1,
               "source": source}  # fmt: skip
    for table, fields in ((0x300, send), (0x380, receive)):
        entry = ExchangeEntry.const(fields).as_bits()
        await bench.write(table, np.array([entry, 0], np.uint64))
    await bench.start(
        encode("addi", rd=5, imm=0x300),
        encode("addi", rd=6, imm=0x380),
        encode("xarm", rs1=5, rs2=6),
        sync(Zone.CHIP),
        sync(Zone.HOST),
    )
    await bench.until("sync_request")
    await ClockCycles(dut.clk, 20)
    sent = {}
    valid = 1 << bits
    taken = [bench.random.getrandbits(bits) for _ in range(2)]
    selected = {}
    dut.sync_release.value = 1
    for cycle in range(60):  # cycle 0 has the release
        await bench.edge  # the end of `cycle`: ports are sampled, then driven for the next
        bus = int(dut.bus_out.value)
        if bus & valid:
            sent[cycle] = bus & valid - 1
        selected[cycle] = int(dut.select.value)
        dut.sync_release.value = 0
        word = cycle + 1 - receive_cycle
        dut.bus_in.value = valid | taken[word] if 0 <= word < len(taken) else 0
    first = min(sent)
    assert list(sent.values()) == words
    assert list(sent) == list(range(first, first + len(words)))
    assert first == 1 + gap + 2, f"the first word was on the bus at cycle {first}"
    presented = receive_cycle - (config.exchange_latency - 2)
    assert selected[presented] == selected[presented + 1] == source
    await bench.until("sync_request")
    stored = b""
    while len(stored) < width * len(taken):
        stored += (await bench.read(into + len(stored)) or 0).to_bytes(8, "little")
    assert stored == b"".join(word.to_bytes(width, "little") for word in taken)
