"""Pooling of pictures whose channels lie together, and on tiles without SIMD."""

import re
from typing import Any, cast

import numpy as np
import pytest

from openipu.rtl.config import ChipConfig, TileConfig
from openipu.sw.compiler import compile
from openipu.sw.engine import Engine
from openipu.sw.graph import View
from openipu.sw.ops.builder import Builder, OpError, Tensor
from openipu.sw.ops.pooling import Window, pool
from openipu.sw.program import Copy

PLAIN = TileConfig(simd=False, amp_outputs=0)


def by_definition(kind: str, x: np.ndarray, size: int, stride: int) -> np.ndarray:
    """Return pooling of (images, channels, rows, columns) without padding, in float64."""
    views = np.lib.stride_tricks.sliding_window_view(x.astype(np.float64), (size, size), (2, 3))
    windows = views[:, :, ::stride, ::stride]
    return windows.max((4, 5)) if kind == "max" else windows.mean((4, 5))


@pytest.mark.parametrize("kind", ["max", "mean"])
@pytest.mark.parametrize(
    ("tile", "dtype"),
    [(TileConfig(), "float16"), (TileConfig(), "float32"), (PLAIN, "float32")],
    ids=["f16", "f32", "plain"],
)
@pytest.mark.parametrize("tiles", [1, 3, 16])
@pytest.mark.parametrize("together", [True, False])
def test_values(kind: str, tile: TileConfig, dtype: str, tiles: int, together: bool) -> None:
    builder = Builder(ChipConfig(tiles=tiles, tile=tile))
    x = np.random.default_rng(5).normal(size=(2, 8, 9, 10)).astype(dtype)
    if together:
        a = builder.input("a", (2, 9, 10, 8), dtype).transpose(0, 3, 1, 2)
    else:
        a = builder.input("a", x.shape, dtype)
    result = pool(builder, kind, a, [Window(3, 2), Window(3, 2)], name="y")
    if together and tiles == 1:
        assert not any(isinstance(step, Copy) for step in builder.steps), "x is used where it is"
    executable = compile(builder.graph, builder.program, builder.config)
    with Engine(executable, "iss" if tiles == 1 else "golden", compare=tiles == 1) as engine:
        engine.write("a", x.transpose(0, 2, 3, 1) if together else x)
        engine.run()
        assert not engine.scoreboard or engine.scoreboard.mismatches == 0
        assert isinstance(result.data, View)
        got = result.read(engine.read(result.data.variable).reshape(-1))
    tolerance = 1e-3 if dtype == "float16" else 1e-6
    wanted = by_definition(kind, x, 3, 2)
    np.testing.assert_allclose(got, wanted, tolerance, tolerance if kind == "mean" else 0)


def test_special_values() -> None:
    """A NaN loses unless there is nothing else; of zeros the positive one is greater."""
    nan, inf = np.nan, np.inf
    x = np.array([nan, -inf, nan, nan, -0.0, 0.0, inf, nan, -0.0, -0.0], np.float32)
    builder = Builder(ChipConfig())
    a = builder.input("a", (1, 1, x.size))
    result = pool(builder, "max", a, [Window(2, 2)], name="y")
    with Engine(compile(builder.graph, builder.program, builder.config)) as engine:
        engine.write("a", x.reshape(1, 1, -1))
        engine.run()
        assert isinstance(result.data, View)
        got = result.read(engine.read(result.data.variable).reshape(-1)).reshape(-1)
    np.testing.assert_array_equal(got, np.array([-inf, nan, 0, inf, 0], np.float32))
    assert np.signbit(got).tolist() == [True, False, False, False, True]


def test_messages() -> None:
    builder = Builder(ChipConfig(tile=PLAIN))
    x = builder.input("x", (1, 1, 4))
    with pytest.raises(ValueError, match=r"^kind must be one of max, mean, not 'sum'$"):
        pool(builder, "sum", x, [Window(2)], name="y")
    for operand, windows, message in (
        (builder.input("w", (1, 1, 4), "int32"), [Window(2)],
         "y: operands must be float32 or float16, not int32 (w)"),
        (builder.input("h", (1, 1, 4), "float16"), [Window(2)],
         "y: float16 needs a tile with simd"),
        (x, [], "y: a picture must have 1 or 2 dimensions, not the shape (1, 1, 4)"),
        (Tensor("c", np.zeros((1, 1, 4), np.float32)), [Window(2)],
         "y: the operand must not be a constant"),
    ):  # fmt: skip
        with pytest.raises(OpError, match=f"^{re.escape(message)}$"):
            pool(builder, "max", operand, windows, name="y")


@pytest.mark.parametrize(("field", "value", "least"), [
    ("size", 0, 1), ("stride", 0, 1), ("dilation", -1, 1), ("before", -1, 0), ("after", 0.5, 0)
])  # fmt: skip
def test_window_sizes(field: str, value: float, least: int) -> None:
    message = f"^a window's {field} must be a whole number from {least} up, not {value}$"
    with pytest.raises(OpError, match=message):
        Window(**cast(Any, {"size": 2, field: value}))


def test_windows_too_far_apart() -> None:
    builder = Builder(ChipConfig(tiles=1))
    x = builder.input("x", (1, 2, 3, 40_000))
    with pytest.raises(OpError, match=r"^y: windows must lie within 32,767 words of a tile's"):
        pool(builder, "max", x, [Window(2), Window(1)], name="y")
