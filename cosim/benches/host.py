"""What benches of a whole chip have in common: reset, the host port, programs."""

import logging
import random
import warnings
from typing import Any

import cocotb
import numpy as np
from cocotb.triggers import First, RisingEdge, Timer
from numpy.typing import NDArray

from openipu.cosim.benches.runner import bench_config
from openipu.rtl.host import control
from openipu.rtl.isa import Zone, encode

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # written for cocotb 1
    from cocotbext.axi import AxiBus, AxiMaster


class Host:
    """The host of a chip under test.

    Attributes
    ----------
    config : ChipConfig
    random : Random
        Seeded by cocotb.
    """

    def __init__(self, dut: Any) -> None:
        warnings.filterwarnings("ignore", category=DeprecationWarning, module=r"cocotbext\.")
        self.dut = dut
        self.config = bench_config()
        self.random = random.Random(cocotb.RANDOM_SEED)
        logging.getLogger("cocotb.openipu_chip").setLevel(logging.ERROR)
        self.axi = AxiMaster(AxiBus.from_prefix(dut, "s_axi"), dut.clk, dut.rst)

    async def reset(self) -> None:
        """Reset the chip."""
        self.dut.rst.value = 1
        await Timer(8, "step")
        self.dut.rst.value = 0
        await Timer(8, "step")

    async def write(self, address: int, content: bytes | NDArray[Any]) -> int:
        """Write, return the response."""
        raw = content.tobytes() if isinstance(content, np.ndarray) else content
        return int((await self.axi.write(address, raw)).resp)

    async def read(self, address: int, size: int) -> tuple[int, bytes]:
        """Read, return the response and the data."""
        reply = await self.axi.read(address, size)
        return int(reply.resp), bytes(reply.data)

    async def memory(self, tile: int, address: int, size: int) -> bytes:
        """Read a tile's memory, which must work."""
        response, content = await self.read(self.tile_memory(tile) + address, size)
        assert response == 0, f"tile {tile}, address {address:#x}: response {response}"
        return content

    async def register(self, address: int) -> int:
        """Read a register, which must work."""
        response, content = await self.read(address, 8)
        assert response == 0, f"register {address:#x}: response {response}"
        return int.from_bytes(content, "little")

    async def set_register(self, address: int, value: int) -> None:
        """Write a register, which must work."""
        assert await self.write(address, value.to_bytes(8, "little")) == 0

    def tile_memory(self, tile: int) -> int:
        """Return the host address of a tile's memory."""
        return control.TILE_MEMORY + tile * control.TILE_MEMORY_STEP

    def tile_registers(self, tile: int) -> int:
        """Return the host address of a tile's registers."""
        return control.TILE_REGISTERS + tile * control.TILE_REGISTERS_STEP

    async def boot(self, pc: int = 0, *, step: bool = False) -> None:
        """Start the supervisors at pc."""
        await self.set_register(control.CONTROL, 0)
        await self.set_register(control.BOOT, self.config.tile.supervisor << 32 | pc)
        await self.go(1 | step << 1)

    async def go(self, bits: int) -> None:
        """Write CONTROL and wait for the next rest."""
        await self.set_register(control.CONTROL, bits)
        await self.rest()

    async def rest(self, limit: int = 20_000) -> None:
        """Wait until the chip rests, at most `limit` cycles."""
        await Timer(40, "step")  # it takes some cycles to start
        if self.dut.resting.value == 0:
            timer = Timer(2 * limit, "step")
            reached = await First(timer, RisingEdge(self.dut.resting))
            assert reached is not timer, f"no rest within {limit} cycles"


def program(*words: int) -> NDArray[np.uint32]:
    """Return instruction words as an array."""
    return np.array(words, np.uint32)


def load_constant(rd: int, value: int) -> list[int]:
    """Return the two instructions that put a 32-bit value into a register."""
    low = (value & 0xFFF ^ 0x800) - 0x800
    return [
        encode("lui", rd=rd, imm=value - low & 0xFFFF_F000),
        encode("addi", rd=rd, rs1=rd, imm=low),
    ]


def sync(zone: Zone) -> int:
    """Return the instruction that meets a barrier."""
    return encode("xsync", imm=zone.value)
