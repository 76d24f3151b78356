"""Padding and joining: what ONNX's reference doesn't have, what is copied, and messages."""

import re
from collections.abc import Callable

import numpy as np
import pytest

from openipu.rtl.config import ChipConfig
from openipu.sw.compiler import compile
from openipu.sw.engine import Engine
from openipu.sw.graph import View
from openipu.sw.ops.builder import Builder, OpError, Tensor
from openipu.sw.ops.rearrange import concatenate, pad


@pytest.mark.parametrize("tiles", [1, 3])
@pytest.mark.parametrize(
    ("widths", "wanted"),
    [
        ([(-1, 1), (2, -2)], lambda x: np.pad(x[1:, :-2], [(0, 1), (2, 0)], constant_values=7)),
        ([(-4, 3), (0, 0)], lambda _: np.full((3, 5), 7)),
        ([(0, 0), (0, 0)], lambda x: x),
    ],
)
def test_widths(
    tiles: int, widths: list[tuple[int, int]], wanted: Callable[[np.ndarray], np.ndarray]
) -> None:
    x = np.arange(15, dtype=np.float32).reshape(3, 5)
    builder = Builder(ChipConfig(tiles=tiles))
    result = pad(builder, builder.input("x", x.shape), widths, value=7, name="y")
    with Engine(compile(builder.graph, builder.program, builder.config)) as engine:
        engine.write("x", x)
        for _ in range(2):
            engine.run()
            assert isinstance(result.data, View)
            got = result.read(engine.read(result.data.variable).reshape(-1))
            expected = wanted(x)
            np.testing.assert_array_equal(got, expected)


def test_views_and_constants_need_no_step() -> None:
    builder = Builder(ChipConfig())
    x = builder.input("x", (3, 5))
    assert pad(builder, x, [(1, 1), (2, 0)], mode="wrap", name="y").shape == (5, 7)
    one = Tensor("one", np.ones((2, 3), np.float32))
    joined = concatenate(builder, [one, pad(builder, one, [(1, 0), (0, 0)], name="p")], 0, name="c")
    assert isinstance(joined.data, np.ndarray)
    np.testing.assert_array_equal(joined.data[:, 0], [1, 1, 0, 1, 1])
    edge = pad(builder, one, [(0, 1), (0, 0)], mode="edge", name="e")
    assert isinstance(edge.data, np.ndarray)
    assert edge.data.all()
    assert not builder.steps


def test_messages() -> None:
    builder = Builder(ChipConfig())
    x, half = builder.input("x", (3, 5)), builder.input("h", (3, 5), "float16")
    for apply, message in (
        (lambda: pad(builder, x, [(0, 1)] * 2, mode="odd", name="y"),
         "y: mode must be constant, edge, reflect or wrap, not odd"),
        (lambda: pad(builder, x, [(0, 1)], name="y"), "y: there must be widths for 2 dimensions"),
        (lambda: concatenate(builder, [x, half], 0, name="y"),
         "y: operands must be of one type, not float32 and float16"),
        (lambda: concatenate(builder, [x], 2, name="y"), "y: axis must be from -2 to 1, not 2"),
    ):  # fmt: skip
        with pytest.raises(OpError, match=f"^{re.escape(message)}$"):
            apply()
