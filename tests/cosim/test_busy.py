import numpy as np
import pytest

from openipu.cosim.busy import BUSY_BYTES, busy_load
from openipu.cosim.golden.iss import TileISS
from openipu.cosim.golden.tile import QUANTUM
from openipu.rtl.config import TileConfig
from openipu.rtl.isa import INSTRUCTIONS, Unit, decode, encode

ENTRY = 0x100


@pytest.mark.parametrize(("slots", "hart"), [(4, 0), (6, 3), (8, 7)])
def test_all_workers_run(slots, hart):
    """One at the entry, the others on the shared units, without end and without a trap."""
    config = TileConfig(slots=slots, banks=2, bank_bytes=8192)
    tile = TileISS(config, tracing=True)
    tile.memory.write(ENTRY, encode("jal").to_bytes(4, "little"))
    base, code = busy_load(config, hart, ENTRY | 0x8000_0000)
    assert len(code) == BUSY_BYTES and base + len(code) == config.memory_bytes
    tile.memory.write(base, code)
    tile.boot(base, config.supervisor)
    tile.run((slots + 1) * QUANTUM)
    assert tile.trap is None
    assert set(tile.trace(hart)["pc"].tolist()) == {ENTRY | 0x8000_0000}
    for worker in set(range(slots)) - {hart}:
        pcs = tile.trace(worker)["pc"]
        assert len(pcs) > 1000
        words = np.frombuffer(code, np.uint32)[(np.unique(pcs) - base) // 4]
        units = {row.unit for row in map(decode, words.tolist()) if row}
        assert units >= {Unit.LOAD, Unit.STORE, Unit.DIVIDE, Unit.FDIVIDE, Unit.FPU, Unit.MULTIPLY}


def test_every_instruction_of_the_load_is_one():
    _, code = busy_load(TileConfig(), 0, ENTRY)
    words = np.frombuffer(code, np.uint32)
    assert {decode(int(word)) for word in words[words != 0]} <= set(INSTRUCTIONS)
