"""Tests of openipu.cosim.session on the real chip."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from openipu.cosim.bench import busy_program
from openipu.cosim.build import BuildOptions
from openipu.cosim.chip import build_chip
from openipu.cosim.errors import (
    CycleLimitError,
    HostPortError,
    SimulationError,
    SimulatorDiedError,
    TrapError,
)
from openipu.cosim.session import Session
from openipu.rtl.config import PRESETS
from openipu.rtl.host import control
from openipu.rtl.isa import Cause, Zone, encode

CONFIG = PRESETS["test"].replace(tiles=5)
MEMORY = CONFIG.tile.memory_bytes
END = encode("xend")
ABANDONED = """
from openipu.cosim.session import Session
from openipu.rtl.config import PRESETS
session = Session(PRESETS["test"].replace(tiles=5))
session.broadcast(0, (0x6F).to_bytes(4, "little"))  # jal x0, 0
session.boot()
print(session._process.pid, session._directory, flush=True)
session.run()
"""


def sync(zone):
    return encode("xsync", imm=zone.value)


def program(*words):
    return np.array(words, np.uint32)


@pytest.fixture(scope="module")
def simulator():
    return build_chip(CONFIG)


@pytest.fixture(scope="module")
def shared(simulator):
    with Session(CONFIG, simulator=simulator) as session:
        yield session


@pytest.fixture
def session(shared):
    shared.reset()
    shared.memory[:] = 0
    return shared


class TestMemory:
    def test_both_paths_leave_the_same_state(self, session):
        seed = 1
        pick = np.random.default_rng(seed)
        for tile in range(CONFIG.tiles):
            for _ in range(8):
                size = int(pick.integers(1, 700))
                address = int(pick.integers(0, MEMORY - size))
                content = pick.bytes(size)
                session.load(tile, address, content)
                bulk = session.memory.copy()
                session.memory[tile] = 0
                session.load(tile, 0, bulk[tile, :address].tobytes())
                session.load(tile, address + size, bulk[tile, address + size :].tobytes())
                host = control.TILE_MEMORY + tile * control.TILE_MEMORY_STEP + address
                session.write_axi(host, content)
                assert np.array_equal(session.memory, bulk), f"seed {seed}"
                assert session.read_axi(host, size) == session.read(tile, address, size) == content

    def test_broadcast(self, session):
        content = np.arange(10, dtype=np.float32)
        session.broadcast(0x100, content)
        bulk = session.memory.copy()
        session.memory[:] = 0
        session.write_axi(control.BROADCAST + 0x100, content)
        assert np.array_equal(session.memory, bulk)
        assert session.read(4, 0x100, 40) == content.tobytes()

    def test_bulk_loading_is_fast(self, session):
        content = bytes(range(256)) * (MEMORY // 256)
        start = time.perf_counter()
        total = 0
        while total < 4 << 20:
            for tile in range(CONFIG.tiles):
                session.load(tile, 0, content)
                assert session.read(tile, 0, MEMORY) == content
                total += MEMORY
        assert time.perf_counter() - start < 2

    @pytest.mark.parametrize(
        ("tile", "address", "size"),
        [(0, MEMORY, 1), (0, -1, 1), (0, MEMORY - 4, 5), (0, 0, MEMORY + 1)],
    )
    def test_outside_the_memory(self, session, tile, address, size):
        with pytest.raises(ValueError, match=r"^address and size must lie in the tile's 0x8000 by"):
            session.load(tile, address, bytes(size))

    @pytest.mark.parametrize("tile", [-1, CONFIG.tiles])
    def test_outside_the_chip(self, session, tile):
        with pytest.raises(ValueError, match=rf"^tile must be from 0 to 4, not {tile}$"):
            session.read(tile, 0, 1)

    def test_a_refused_access(self, session):
        message = r"^host port: read at 0x50000000 got DECERR \(no window\)$"
        with pytest.raises(HostPortError, match=message):
            session.read_axi(0x5000_0000, 8)


class TestRunning:
    def test_from_host_sync_to_the_end(self, session):
        session.broadcast(
            0,
            program(
                encode("lw", rd=5, imm=0x100),
                encode("addi", rd=5, rs1=5, imm=1),
                encode("sw", rs2=5, imm=0x104),
                sync(Zone.HOST),
                encode("lw", rd=5, imm=0x100),
                encode("sw", rs2=5, imm=0x108),
                END,
            ),
        )
        session.load(3, 0x100, np.array([41], np.uint32))
        session.boot()
        status = session.run()
        assert status.resting and status.host_sync and status.zone == Zone.HOST.value
        assert session.read(3, 0x104, 4) == (42).to_bytes(4, "little")
        assert session.read(2, 0x104, 4) == (1).to_bytes(4, "little")
        session.load(3, 0x100, np.array([77], np.uint32))
        session.release()
        status = session.run()
        assert status.all_halted and status.barriers == 1
        assert 0 < status.cycles == session.cycles
        assert session.read(3, 0x108, 4) == (77).to_bytes(4, "little")
        with pytest.raises(SimulationError, match=r"^the program has ended on all tiles; boot"):
            session.run()
        with pytest.raises(SimulationError, match=r"^release must follow a rest at a barrier$"):
            session.release()

    def test_supersteps(self, session):
        session.broadcast(0, program(*[sync(Zone.CHIP)] * 3, sync(Zone.HOST), END))
        session.boot()
        for barriers in range(3):
            status = session.step()
            assert status.step_rest and not status.host_sync and status.barriers == barriers
        assert session.run().host_sync
        assert session.run().all_halted

    def test_boot_starts_again(self, session):
        session.broadcast(0, program(sync(Zone.HOST), END))
        for _ in range(2):
            session.boot()
            assert session.run().host_sync

    def test_a_worker_boots(self, session):
        session.broadcast(
            0x40, program(encode("csrrs", rd=5, imm=0xF14), encode("sw", rs2=5, imm=0x100), END)
        )
        session.boot(0x40, thread=2)
        assert session.run().all_halted
        assert session.read(4, 0x100, 4) == (4 << 4 | 2).to_bytes(4, "little")

    def test_boot_comes_first(self, session):
        with pytest.raises(SimulationError, match=r"^boot must be called before the chip can run$"):
            session.run()

    def test_wrong_arguments(self, session):
        with pytest.raises(ValueError, match=r"^thread must be from 0 to 6, not 7$"):
            session.boot(thread=7)
        session.boot()
        with pytest.raises(ValueError, match=r"^max_cycles must be an int from 1 on, not 0$"):
            session.run(0)

    def test_the_cycle_limit_says_where_all_are(self, session):
        session.broadcast(0, program(sync(Zone.CHIP), END))
        session.load(2, 0, program(encode("jal", imm=0)))
        session.load(4, 0, program(END))
        session.boot()
        with pytest.raises(CycleLimitError) as caught:
            session.run(500)
        assert str(caught.value) == (
            "no rest within the limit of 500 cycles:\n"
            "  tile 0-1, 3: waits at a barrier of zone CHIP; supervisor at 0x4\n"
            "  tile 2: computes; supervisor at 0x0\n"
            "  tile 4: halted; no thread runs"
        )
        with pytest.raises(CycleLimitError):  # and it goes on
            session.run(300)
        assert session.last_cycles >= 300
        place = session.where()[2]
        assert (place.tile, place.doing) == (2, "computes")
        assert [runs for _, runs in place.threads] == [False] * 6 + [True]

    def test_a_trap_says_who_and_why(self, session):
        session.broadcast(0, program(encode("jal", imm=0)))
        code = program(encode("lui", rd=5, imm=0x1000), encode("lw", rd=6, rs1=5, imm=0x7FC))
        session.load(1, 0x20, code)
        session.load(1, 0, program(encode("jal", imm=0x20)))
        session.load(1, 0x28, program(encode("addi", rd=5, imm=3), encode("lw", rd=6, rs1=5)))
        session.boot()
        with pytest.raises(TrapError) as caught:
            session.run()
        error = caught.value
        assert (error.tile, error.thread, error.pc) == (1, 6, 0x2C)
        assert (error.cause, error.value) == (Cause.LOAD_MISALIGNED, 3)
        assert str(error) == "tile 1, thread 6, pc 0x2c: load address misaligned, value 0x3"

    def test_an_explicit_trap(self, session):
        session.broadcast(0, program(encode("addi", rd=5, imm=9), encode("xtrap", rs1=5, imm=4)))
        session.boot()
        with pytest.raises(TrapError, match=r"^tile 0, thread 6, pc 0x4: explicit trap \(code 4\)"):
            session.run()

    def test_barriers_of_different_zones(self, session):
        session.broadcast(0, program(sync(Zone.CHIP), END))
        session.load(0, 0, program(sync(Zone.HOST), END))
        session.boot()
        with pytest.raises(TrapError, match=r"^tiles wait at barriers of different zones\n  ti"):
            session.run()

    def test_counters(self, session):
        session.broadcast(0, program(encode("mul", rd=5), encode("add", rd=5), END))
        session.boot()
        session.run()
        counters = session.counters(1)
        assert (counters["muldiv"], counters["integer"], counters["system"]) == (1, 1, 1)
        assert sum(v for k, v in session.counters(0).items() if k in ("memory", "float")) == 0

    def test_trace(self, session):
        session.trace()
        session.broadcast(
            0, program(encode("addi", rd=5, imm=7), encode("sw", rs2=5, imm=0x104), END)
        )
        session.boot()
        session.run()
        records = session.trace()
        for tile in range(CONFIG.tiles):
            mine = records[records["tile"] == tile]
            assert list(mine["pc"]) == [0, 4, 8]
            assert set(mine["thread"]) == {CONFIG.tile.supervisor}
            assert (mine["rd"][0], mine["value"][0]) == (5, 7)
            assert (mine["memory"][1], mine["address"][1], mine["data"][1]) == (2, 0x104, 7)
            assert np.all(np.diff(mine["cycle"].astype(int)) >= 4)
        assert session.trace().size == 0

    def test_progress_is_reported(self, simulator):
        seen = []
        with Session(CONFIG, simulator=simulator, progress=seen.append) as session:
            session.broadcast(0, program(encode("jal", imm=0)))
            session.boot()
            with pytest.raises(CycleLimitError):
                session.run(100_000)
        assert seen and seen == sorted(seen) and seen[-1] <= 100_000


class TestProcess:
    def test_close_leaves_nothing(self, simulator):
        session = Session(CONFIG, simulator=simulator)
        process, directory = session._process, session._directory
        assert process.poll() is None and directory.exists()
        session.close()
        assert process.poll() == 0 and not directory.exists()
        session.close()
        with pytest.raises(SimulationError, match=r"^the session is closed$"):
            session.status()

    def test_a_dead_simulator_is_reported(self, simulator):
        with Session(CONFIG, simulator=simulator) as session:
            session.broadcast(0, program(encode("jal", imm=0)))
            session.boot()
            os.kill(session._process.pid, signal.SIGSEGV)
            with pytest.raises(SimulatorDiedError, match=r"^the simulator ended by itself \(signa"):
                session.run()
            assert not session._directory.exists()

    def test_an_interrupt_ends_the_simulator(self, simulator):
        def interrupt(cycles):
            raise KeyboardInterrupt

        session = Session(CONFIG, simulator=simulator, progress=interrupt)
        session.broadcast(0, program(encode("jal", imm=0)))
        session.boot()
        with pytest.raises(KeyboardInterrupt):
            session.run()
        assert session._process.poll() is not None and not session._directory.exists()

    def test_the_simulator_does_not_outlive_its_session(self, simulator):
        command = [sys.executable, "-c", ABANDONED]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as owner:
            assert owner.stdout is not None
            pid, directory = owner.stdout.readline().split()
            os.kill(int(pid), 0)  # it is there
            owner.kill()
        for _ in range(100):
            if not os.path.exists(f"/proc/{pid}/exe"):  # gone, or nobody has asked for its end
                break
            time.sleep(0.05)
        else:
            pytest.fail("the simulator still runs")
        shutil.rmtree(directory)

    def test_two_at_once(self, simulator, session):
        with Session(CONFIG, simulator=simulator) as other:
            other.load(0, 0, b"other")
            session.load(0, 0, b"this!")
            assert other.read_axi(control.TILE_MEMORY, 5) == b"other"
            assert session.read_axi(control.TILE_MEMORY, 5) == b"this!"

    def test_waves_need_a_simulator_for_them(self, simulator, tmp_path):
        with pytest.raises(ValueError, match=r"^waves needs a simulator built with"):
            Session(CONFIG, simulator=simulator, waves=tmp_path / "x.fst")

    def test_coverage_needs_a_simulator_for_it(self, simulator, tmp_path):
        with pytest.raises(ValueError, match=r"^coverage needs a simulator built with"):
            Session(CONFIG, simulator=simulator, coverage=tmp_path / "x.dat")


@pytest.mark.slow
def test_waves(tmp_path):
    config = PRESETS["test"].replace(tiles=1)
    path = tmp_path / "x.fst"
    with Session(config, BuildOptions(waves=True), waves=path) as session:
        session.broadcast(0, program(encode("addi", rd=5, imm=7), sync(Zone.HOST), END))
        session.boot()
        session.run()
        assert list(session.trace()["pc"]) == [0, 4]
    assert path.stat().st_size > 1000


@pytest.mark.slow
def test_memories_in_verilog_or_outside_make_no_difference():
    """The same program, loaded and read through the host port, with both kinds of memory."""
    images = []
    for backdoor in (True, False):
        with Session(CONFIG, simulator=build_chip(CONFIG, backdoor=backdoor)) as session:
            code = busy_program(CONFIG.tile.slots)
            session.write_axi(control.BROADCAST, bytes(0x800))
            session.write_axi(control.BROADCAST, code)
            session.boot()
            with pytest.raises(CycleLimitError):
                session.run(3000)
            session.write_axi(control.CONTROL, bytes(8))  # stop
            base = control.TILE_MEMORY + 4 * control.TILE_MEMORY_STEP
            images.append(session.read_axi(base, 0x800))
    assert images[0] == images[1]
    assert re.search(rb"[^\0]", images[0][0x400:])
