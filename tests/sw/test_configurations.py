"""The digits model on the RTL of many machines, equal to golden after every superstep."""

from pathlib import Path

import numpy as np
import pytest

from openipu.rtl.config import KIB, ChipConfig, TileConfig
from openipu.sw.model import compile_model
from openipu.sw.runner import run_model

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "digits"

MACHINES = {
    **{f"{tiles} tiles": ChipConfig(tiles=tiles) for tiles in (1, 3, 7, 16)},
    "4 slots, 32-bit bus": ChipConfig(tile=TileConfig(slots=4, bus_bits=32)),
    "8 slots, 64 KiB, latency 3": ChipConfig(
        exchange_latency=3, tile=TileConfig(slots=8, banks=16, bank_bytes=4 * KIB)
    ),
    "5 slots, 80 KiB, latency 9, 32-bit bus, 3 tiles": ChipConfig(
        tiles=3, exchange_latency=9, tile=TileConfig(slots=5, banks=5, bus_bits=32)
    ),
    "7 slots, 128 KiB in 2 banks, latency 16": ChipConfig(
        tiles=2, exchange_latency=16, tile=TileConfig(slots=7, banks=2, bank_bytes=64 * KIB)
    ),
}


def check(config: ChipConfig, backend: str, images: int) -> None:
    data = np.load(FOLDER / "digits_test.npz")
    compiled = compile_model(FOLDER / "digits_mlp.onnx", config, batch=images)
    result = run_model(
        compiled, {"pixels": data["pixels"][:images]}, backend=backend, compare=True,
        labels=data["labels"][:images],
    )  # fmt: skip
    assert result.mismatches == 0, result.first
    assert result.right == images


@pytest.mark.slow
@pytest.mark.parametrize("name", MACHINES)
def test_rtl(name: str) -> None:
    check(MACHINES[name], "rtl", 64)


@pytest.mark.parametrize("name", MACHINES)
def test_iss(name: str) -> None:
    check(MACHINES[name], "iss", 3)
