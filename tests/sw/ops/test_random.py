"""Random numbers: where they lie, that they repeat when they should, and messages."""

import re

import numpy as np
import pytest
from numpy.typing import NDArray

from openipu.rtl.config import ChipConfig, TileConfig
from openipu.sw.compiler import compile
from openipu.sw.engine import Engine
from openipu.sw.graph import View
from openipu.sw.ops.builder import Builder, OpError, Tensor
from openipu.sw.ops.random import random_fill

PLAIN = TileConfig(simd=False, amp_outputs=0)


def runs(builder: Builder, result: Tensor, times: int, backend: str = "golden") -> NDArray:
    executable = compile(builder.graph, builder.program, builder.config)
    assert isinstance(result.data, View)
    found = []
    with Engine(executable, backend, compare=backend != "golden") as engine:
        for _ in range(times):
            engine.run()
            found.append(result.read(engine.read(result.data.variable).reshape(-1)))
        assert not engine.scoreboard or engine.scoreboard.mismatches == 0
    return np.array(found)


def make(tiles: int, shape: tuple[int, ...], dtype: str, seed: int, tile: TileConfig | None = None,
         **more) -> tuple[Builder, Tensor]:  # fmt: skip
    builder = Builder(ChipConfig(tiles=tiles, tile=tile or TileConfig()))
    return builder, random_fill(builder, shape, dtype, seed, name="y", **more)


@pytest.mark.parametrize("tiles", [1, 3])
@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("size", [0, 1, 5, 13, 64])
def test_sizes(tiles: int, dtype: str, size: int) -> None:
    for kind in ("uniform", "normal", "bernoulli"):
        found = runs(*make(tiles, (size,), dtype, 1, kind=kind), 2, "iss")
        assert found.shape == (2, size)
        assert found.dtype == dtype


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_distributions(dtype: str) -> None:
    """Means and deviations of 20,000 numbers, within five standard errors."""
    size = 20_000
    for kind, mean, deviation in (
        ("uniform", 0.5, 12**-0.5), ("normal", 0, 1), ("bernoulli", 0.3, 0.21**0.5),
    ):  # fmt: skip
        found = runs(*make(2, (size,), dtype, 7, kind=kind, probability=0.3), 1)
        values = found.astype(np.float64)
        assert abs(values.mean() - mean) < 5 * deviation / size**0.5
        assert abs(values.std() - deviation) < 5 * deviation / size**0.5
        if kind == "uniform":
            assert values.min() >= 0
            assert values.max() < 1
        elif kind == "bernoulli":
            assert set(np.unique(values)) == {0, 1}


def test_repeats_when_loaded_and_differs_between_runs() -> None:
    first, again, other = (runs(*make(2, (100,), "float32", seed), 2) for seed in (3, 3, 4))
    np.testing.assert_array_equal(first, again)
    assert len(np.unique([*first, *other])) > 390, "of 400; runs, seeds and vertices differ"


def test_without_random_instructions() -> None:
    for kind in ("uniform", "normal", "bernoulli"):
        plain = runs(*make(1, (50,), "float32", 9, PLAIN, kind=kind), 2, "iss")
        np.testing.assert_array_equal(plain, runs(*make(1, (50,), "float32", 9, kind=kind), 2))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"dtype": "int32"}, "y: random numbers must be float32 or float16, not int32"),
        ({"seed": -1}, "y: the seed must be a whole number from 0 on, not -1"),
        ({"probability": 1.5}, "y: the probability must be from 0 to 1, not 1.5"),
        ({"dtype": "float16", "tile": PLAIN}, "y: float16 needs a tile with simd"),
        ({"kind": "gamma"}, "kind must be one of bernoulli, normal, uniform, not 'gamma'"),
    ],
)
def test_messages(changes, message: str) -> None:
    kind = OpError if message.startswith("y:") else ValueError
    with pytest.raises(kind, match=f"^{re.escape(message)}$"):
        make(**{"tiles": 1, "shape": (3,), "dtype": "float32", "seed": 1} | changes)
