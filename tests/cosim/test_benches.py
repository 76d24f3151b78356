"""The cocotb benches, on simulators built as users' are."""

import pytest

from openipu.cosim.benches.runner import run_bench
from openipu.cosim.chip import build_chip, build_tile
from openipu.rtl.config import PRESETS

CONFIG = PRESETS["test"].replace(tiles=5)


@pytest.mark.parametrize("name", ["chip", "exchange"])
def test_chip(name):
    results = run_bench(build_chip(CONFIG), f"openipu.cosim.benches.{name}_bench", CONFIG)
    assert results, "the bench has no tests"
    for result in results:
        assert not result.failure, f"{result.name}\n{result.failure}"


def test_tile():
    config = PRESETS["small"]
    results = run_bench(build_tile(config), "openipu.cosim.benches.tile_bench", config)
    assert results, "the bench has no tests"
    for result in results:
        assert not result.failure, f"{result.name}\n{result.failure}"
