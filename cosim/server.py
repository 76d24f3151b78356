"""The simulator's side of a session: a cocotb test that does what the other side asks.

Requests are tuples (method, arguments) on the connection that OPENIPU_CONNECTION names; a reply is
("done", result), ("error", message) or, while the chip runs, ("progress", cycles). The simulation
stands still while the server waits for a request. The memories and the trace don't come this way:
both sides map the same files.
"""

import ctypes
import logging
import os
import time
import warnings
from multiprocessing.connection import Connection
from typing import Any

import cocotb
from cocotb.handle import LogicObject
from cocotb.simtime import get_sim_time
from cocotb.triggers import FallingEdge, First, RisingEdge, Timer

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # written for cocotb 1; docs/decisions/ has why it's used
    from cocotbext.axi import AxiBus, AxiMaster

STEPS_PER_CYCLE = 2  # see hdl/main.cpp
_CHUNK_SECONDS = 0.25  # how often a running server reports progress
_START_CYCLES = 64  # in which a chip that is told to go on stops resting
_CONTROL = 0x10


@cocotb.test()
async def serve(dut: Any) -> None:
    """Serve one session, until it is closed or the other side is gone."""
    warnings.filterwarnings("ignore", category=DeprecationWarning, module=r"cocotbext\.")
    connection = Connection(int(os.environ["OPENIPU_CONNECTION"]))
    server = Server(dut, connection)
    await server.reset()
    connection.send(("done", None))
    while True:
        try:
            method, arguments = connection.recv()
        except EOFError:
            return
        if method == "close":
            connection.send(("done", None))
            return
        try:
            reply = ("done", await getattr(server, method)(*arguments))
        except Exception as error:
            reply = ("error", f"{type(error).__name__}: {error}")
        connection.send(reply)


class Server:
    """Drives the chip `dut`; each public method is a request."""

    def __init__(self, dut: Any, connection: Connection) -> None:
        self.rst: LogicObject = dut.rst
        self.resting: LogicObject = dut.resting
        self.connection = connection
        self.rises = RisingEdge(self.resting)
        self.chunk = 1000  # cycles
        self.flush_trace = ctypes.CDLL(None).openipu_trace_flush
        self.axi = AxiMaster(AxiBus.from_prefix(dut, "s_axi"), dut.clk, dut.rst)
        for interface in (self.axi.write_if, self.axi.read_if):
            interface.log.setLevel(logging.ERROR)
        logging.getLogger("cocotb").setLevel(logging.WARNING)

    async def reset(self) -> None:
        """Hold the chip in reset for some cycles; memories keep what they hold."""
        self.rst.value = 1
        await Timer(8 * STEPS_PER_CYCLE, "step")
        self.rst.value = 0
        await Timer(8 * STEPS_PER_CYCLE, "step")

    async def write(self, address: int, data: bytes) -> int:
        """Write to the host port; return the AXI response."""
        return int((await self.axi.write(address, data)).resp)

    async def read(self, address: int, size: int) -> tuple[int, bytes]:
        """Read from the host port; return the AXI response and the data."""
        reply = await self.axi.read(address, size)
        return int(reply.resp), bytes(reply.data)

    async def read_words(self, addresses: list[int]) -> list[int]:
        """Read 64-bit registers."""
        words = []
        for address in addresses:
            response, data = await self.read(address, 8)
            if response:
                raise RuntimeError(f"reading {address:#x} got the AXI response {response}")
            words.append(int.from_bytes(data, "little"))
        # The last instruction before a rest leaves the pipeline after it, and is there by now.
        self.flush_trace()
        return words

    async def go(self, control: int, max_cycles: int) -> tuple[bool, int, float]:
        """Write CONTROL and wait until the chip rests again or `max_cycles` are over.

        Return whether it rests, the cycles simulated and the seconds that took.
        """
        steps, seconds = _now(), time.perf_counter()
        falls = cocotb.start_soon(_edge(FallingEdge(self.resting)))
        if await self.write(_CONTROL, control.to_bytes(8, "little")):
            raise RuntimeError("the chip refused a write to CONTROL")
        if not falls.done():
            await First(falls.complete, Timer(_START_CYCLES * STEPS_PER_CYCLE, "step"))
            falls.cancel()
        rests = await self._rest(max_cycles)
        self.flush_trace()
        return rests, (_now() - steps) // STEPS_PER_CYCLE, time.perf_counter() - seconds

    async def wait(self, max_cycles: int) -> tuple[bool, int, float]:
        """Wait as `go` does, for a chip that runs already."""
        steps, seconds = _now(), time.perf_counter()
        rests = await self._rest(max_cycles)
        self.flush_trace()
        return rests, (_now() - steps) // STEPS_PER_CYCLE, time.perf_counter() - seconds

    async def _rest(self, max_cycles: int) -> bool:
        end = _now() + max_cycles * STEPS_PER_CYCLE
        start = _now()
        while self.resting.value == 0:
            left = (end - _now()) // STEPS_PER_CYCLE
            if left <= 0:
                return False
            chunk = min(left, self.chunk)
            began = time.perf_counter()
            await First(Timer(chunk * STEPS_PER_CYCLE, "step"), self.rises)
            if self.resting.value == 0 and chunk == self.chunk:
                took = time.perf_counter() - began
                self.chunk = max(1000, min(2 * chunk, int(chunk * _CHUNK_SECONDS / (took + 1e-9))))
                self.connection.send(("progress", (_now() - start) // STEPS_PER_CYCLE))
        return True


async def _edge(trigger: FallingEdge) -> None:
    await trigger


def _now() -> int:
    return int(get_sim_time("step"))
