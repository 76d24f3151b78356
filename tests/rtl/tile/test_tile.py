import random

import pytest

from openipu.cosim.lockstep import compare
from openipu.cosim.random_program import random_program
from openipu.rtl.config import ChipConfig, TileConfig
from tests.rtl.tile.tile_bench import run_tile

KIB = 1024


@pytest.mark.parametrize(
    ("slots", "banks", "bus_bits", "latency", "whole"),
    [
        (4, 9, 32, 3, False),
        (8, 16, 64, 9, False),
        pytest.param(6, 8, 64, 4, True, marks=pytest.mark.slow),
    ],
)
def test_random_program_in_lock_step_with_the_model(slots, banks, bus_bits, latency, whole):
    # Without SIMD and matrix unit it simulates faster.
    tile = TileConfig(
        slots=slots, banks=banks, bank_bytes=2 * KIB, bus_bits=bus_bits, simd=whole,
        amp_outputs=16 if whole else 0, trace=True,
    )  # fmt: skip
    config = ChipConfig(tiles=1, exchange_latency=latency, tile=tile)
    seed = random.randrange(1 << 32)
    print(f"seed {seed}")
    program = random_program(seed, config, instructions=12, rounds=1)
    run = run_tile(config, program.image, thread=program.thread, read_memory=True)
    assert run.halted
    assert compare(program, run.trace, run.memory) == len(run.records) > 0
