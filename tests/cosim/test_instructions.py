"""Each instruction with corner values: the RTL against the golden model."""

import numpy as np
import pytest

from openipu.cosim.instruction_program import instruction_program
from openipu.cosim.lockstep import on_model
from openipu.rtl.config import ChipConfig, TileConfig
from openipu.rtl.isa import INSTRUCTIONS, decode

CONFIG = ChipConfig(tiles=1, tile=TileConfig(banks=4, bank_bytes=16384, trace=True))
TRIED = [row for row in INSTRUCTIONS if row.name != "xtrap"]


@pytest.mark.parametrize("row", INSTRUCTIONS, ids=lambda row: row.name)
def test_programs_execute_their_instruction(row):
    program = instruction_program(row, CONFIG, entries=12)
    trace, memory = on_model(program)
    words = np.frombuffer(memory, np.uint32)[(trace["pc"] & 0x7FFF_FFFF) // 4]
    executed = {decode(int(word)) for word in words}
    if row.name == "xtrap":
        assert row not in executed
    elif row.name in ("ecall", "ebreak"):
        assert decode(0x3020_0073) in executed  # it came back from its handler
    else:
        assert row in executed
