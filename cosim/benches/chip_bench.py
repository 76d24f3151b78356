"""The chip through its host port: address map, bursts, errors, running, stepping, trapping."""

from typing import Any

import cocotb
import numpy as np

from openipu.cosim.benches.host import Host, load_constant, program, sync
from openipu.rtl.host import control
from openipu.rtl.isa import Cause, Zone, encode
from openipu.rtl.tile import host as tile_host

SLVERR, DECERR = 2, 3
RUN, STEP, RELEASE, CLEAR_COUNTERS = 1, 2, 4, 8
RESTING, HOST_SYNC, STEP_REST, ALL_HALTED, TRAPPED, ZONE_MISMATCH = (1 << i for i in range(6))


async def started(dut: Any) -> Host:
    """Return the host of a chip that was reset."""
    host = Host(dut)
    await host.reset()
    return host


@cocotb.test()
async def identification(dut: Any) -> None:
    """ID and SIZE say what the configuration says."""
    host = await started(dut)
    tile = host.config.tile
    assert (await host.read(control.ID, 8))[1] == b"openipu1"
    expected = tile.memory_bytes << 32 | tile.slots << 24 | tile.bus_bits << 16 | host.config.tiles
    assert await host.register(control.SIZE) == expected
    assert await host.register(control.STATUS) & RESTING


@cocotb.test()
async def memory_bursts(dut: Any) -> None:
    """Writes of any alignment and length change those bytes and no others."""
    host = await started(dut)
    size = 2048
    bases = {t: host.random.randrange(0, host.config.tile.memory_bytes - size, 8)
             for t in range(host.config.tiles)}  # fmt: skip
    model = {}
    for tile, base in bases.items():
        model[tile] = bytearray(host.random.randbytes(size))
        assert await host.write(host.tile_memory(tile) + base, bytes(model[tile])) == 0
    for _ in range(60):
        tile = host.random.choice(list(bases))
        start = host.random.randrange(size)
        content = host.random.randbytes(host.random.randint(1, min(300, size - start)))
        model[tile][start : start + len(content)] = content
        assert await host.write(host.tile_memory(tile) + bases[tile] + start, content) == 0
    for tile, base in bases.items():
        assert await host.memory(tile, base, size) == bytes(model[tile]), f"tile {tile}"
        start, count = 3 + tile, 77
        found = await host.memory(tile, base + start, count)
        assert found == bytes(model[tile][start : start + count])


@cocotb.test()
async def broadcast(dut: Any) -> None:
    """A broadcast write reaches all tiles; a broadcast read is an error."""
    host = await started(dut)
    content = host.random.randbytes(100)
    assert await host.write(control.BROADCAST + 0x123, content) == 0
    for tile in range(host.config.tiles):
        assert await host.memory(tile, 0x123, 100) == content
    response, _ = await host.read(control.BROADCAST, 8)
    assert response == SLVERR


@cocotb.test()
async def errors(dut: Any) -> None:
    """Addresses where nothing is are refused, and change nothing."""
    host = await started(dut)
    config = host.config
    await host.write(control.BROADCAST, bytes(64))
    beyond = host.tile_memory(config.tiles)
    for address, expected in (
        (0x5000_0000, DECERR),
        (beyond, SLVERR),
        (host.tile_memory(0) + config.tile.memory_bytes, SLVERR),
        (host.tile_registers(config.tiles), SLVERR),
    ):
        assert (await host.read(address, 8))[0] == expected, f"read {address:#x}"
        assert await host.write(address, b"x" * 8) == expected, f"write {address:#x}"
    for tile in range(config.tiles):
        assert await host.memory(tile, 0, 64) == bytes(64)
    assert (await host.read(control.ID, 8))[1] == b"openipu1"


@cocotb.test()
async def host_sync(dut: Any) -> None:
    """Tiles run from barrier to barrier; memory is the host's only at a rest."""
    host = await started(dut)
    loop = [
        encode("addi", rd=7, rs1=7, imm=1),
        encode("csrrs", rd=8, rs1=0, imm=0xF14),  # mhartid
        encode("sw", rs1=0, rs2=7, imm=0x100),
        encode("sw", rs1=0, rs2=8, imm=0x104),
        sync(Zone.CHIP),
        *load_constant(9, 2000),
        encode("addi", rd=9, rs1=9, imm=-1),
        encode("bne", rs1=9, rs2=0, imm=-4),
        sync(Zone.HOST),
    ]
    loop.append(encode("jal", rd=0, imm=-4 * len(loop)))
    await host.write(control.BROADCAST, program(*loop))
    await host.boot()
    for turn in (1, 2, 3):
        status = await host.register(control.STATUS)
        assert status & 0x3F == RESTING | HOST_SYNC and status >> 6 == Zone.HOST.value
        assert await host.register(control.BARRIERS) == 2 * turn - 1
        for tile in range(host.config.tiles):
            words = np.frombuffer(await host.memory(tile, 0x100, 8), np.uint32)
            assert list(words) == [turn, tile << 4 | host.config.tile.supervisor]
        await host.set_register(control.CONTROL, RUN | RELEASE)
        assert (await host.read(host.tile_memory(0), 8))[0] == SLVERR  # it runs
        assert await host.register(control.STATUS) & RESTING == 0
        await host.rest(40_000)


@cocotb.test()
async def step_mode(dut: Any) -> None:
    """With step set, each barrier is a rest."""
    host = await started(dut)
    code = program(*[sync(Zone.CHIP)] * 3, encode("xend"))
    await host.write(control.BROADCAST, code)
    await host.boot(step=True)
    for barriers in range(3):
        status = await host.register(control.STATUS)
        assert status & 0x3F == RESTING | STEP_REST
        assert await host.register(control.BARRIERS) == barriers
        await host.go(RUN | STEP | RELEASE)
    status = await host.register(control.STATUS)
    assert status & (RESTING | ALL_HALTED) == RESTING | ALL_HALTED
    assert await host.register(control.BARRIERS) == 3


@cocotb.test()
async def counters(dut: Any) -> None:
    """Retired instructions are counted by class, and cleared on request."""
    host = await started(dut)
    code = program(
        *load_constant(5, 0x1234_5678),
        encode("sw", rs1=0, rs2=5, imm=0x100),
        encode("mul", rd=6, rs1=5, rs2=5),
        encode("fadd.s", rd=1, rs1=1, rs2=1),
        encode("jal", rd=0, imm=4),
        encode("xend"),
    )
    await host.write(control.BROADCAST, code)
    await host.set_register(control.CONTROL, CLEAR_COUNTERS)
    await host.boot()
    for tile in range(host.config.tiles):
        base = host.tile_registers(tile) + tile_host.COUNTERS
        counts = [await host.register(base + 8 * i) for i in range(8)]
        # integer, branch, memory, muldiv, float, vector, matrix, system
        assert counts == [2, 1, 1, 1, 1, 0, 0, 1]
    await host.set_register(control.CONTROL, CLEAR_COUNTERS)
    base = host.tile_registers(0) + tile_host.COUNTERS
    assert [await host.register(base + 8 * i) for i in range(8)] == [0] * 8


@cocotb.test()
async def trap(dut: Any) -> None:
    """A trap in one tile stops the chip and tells which tile, thread, pc, cause and value."""
    host = await started(dut)
    culprit = host.random.randrange(host.config.tiles)
    await host.write(control.BROADCAST, program(encode("jal", rd=0, imm=0)))  # for ever
    bad = program(encode("addi", rd=5, imm=0x77), encode("xtrap", rs1=5, imm=9))
    await host.write(host.tile_memory(culprit), bad)
    await host.boot()
    status = await host.register(control.STATUS)
    assert status & (RESTING | TRAPPED) == RESTING | TRAPPED
    assert await host.register(control.TRAP_TILE) == culprit
    base = host.tile_registers(culprit)
    cause = await host.register(base + tile_host.TRAP)
    assert cause == host.config.tile.supervisor << 32 | Cause.EXPLICIT | 9 << 8
    assert await host.register(base + tile_host.TRAP_WHERE) == 0x77 << 32 | 4
    # Started anew, the trap is gone.
    await host.write(control.BROADCAST, program(encode("xend")))
    await host.boot()
    assert await host.register(control.STATUS) & (TRAPPED | ALL_HALTED) == ALL_HALTED


@cocotb.test()
async def zone_mismatch(dut: Any) -> None:
    """Tiles that meet at barriers of different zones are reported."""
    host = await started(dut)
    await host.write(control.BROADCAST, program(sync(Zone.CHIP), encode("xend")))
    await host.write(host.tile_memory(0), program(sync(Zone.HOST), encode("xend")))
    await host.boot()
    assert await host.register(control.STATUS) & ZONE_MISMATCH
