"""Selecting by position and by size: any tile count, dtype and axis, against NumPy."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from openipu.rtl.config import ChipConfig, TileConfig
from openipu.sw.codelets.greatest import TOP_K_STREAMED
from openipu.sw.codelets.top_k import TOP_K
from openipu.sw.ops.builder import Builder, OpError
from openipu.sw.ops.gather import gather, top_k
from tests.sw.ops.test_ops import evaluate

PLAIN = TileConfig(simd=False, amp_outputs=0)


def elements(dtype: str, *shape: int) -> NDArray[Any]:
    random = np.random.default_rng(3)
    if dtype == "int32":
        return random.integers(-(1 << 31), 1 << 31, shape, np.int32)
    return random.normal(size=shape).astype(dtype)


@pytest.mark.parametrize("tiles", [1, 7])
@pytest.mark.parametrize("tile", [TileConfig(), PLAIN], ids=["simd", "plain"])
@pytest.mark.parametrize("dtype", ["float16", "float32", "int32"])
def test_gather(tiles: int, tile: TileConfig, dtype: str) -> None:
    for shape, axis, size in (((5, 8), 0, (3,)), ((4, 9, 3), 1, (2, 4)), ((6, 100), -1, (7,))):
        x = elements(dtype, *shape)
        rows = shape[axis]
        index = np.random.default_rng(4).integers(-rows, rows, size).astype(np.int32)
        builder = Builder(ChipConfig(tiles=tiles, tile=tile))
        result = gather(builder, builder.input("x", shape, dtype),
                        builder.input("i", size, "int32"), axis, name="y")  # fmt: skip
        found = evaluate(builder, result, x=x, i=index)
        np.testing.assert_array_equal(found, np.take(x, index, axis))


def test_gather_of_what_is_not_there() -> None:
    x, index = elements("float32", 4, 6), np.array([4, -5, 1, -1, -(1 << 31)], np.int32)
    builder = Builder(ChipConfig(tiles=2))
    a, i = builder.input("x", x.shape), builder.input("i", index.shape, "int32")
    result = evaluate(builder, gather(builder, a, i, 0, name="y"), x=x, i=index)
    np.testing.assert_array_equal(result, [0 * x[0], 0 * x[0], x[1], x[3], 0 * x[0]])


@pytest.mark.parametrize("tiles", [1, 7])
@pytest.mark.parametrize("tile", [TileConfig(), PLAIN], ids=["simd", "plain"])
@pytest.mark.parametrize("dtype", ["float16", "float32"])
@pytest.mark.parametrize("smallest", [False, True])
def test_top_k(tiles: int, tile: TileConfig, dtype: str, smallest: bool) -> None:
    for shape, axis, k in (((9, 13), 1, 4), ((8, 3, 5), 0, 8), ((1, 40), 1, 1), ((0, 4), 1, 2)):
        x = elements(dtype, *shape)
        if x.size:
            x.reshape(-1)[::5] = np.nan
            x.reshape(-1)[1::7] = -0.0  # equal to those that are +0
            x.reshape(-1)[2::9] = 0.0
        builder = Builder(ChipConfig(tiles=tiles, tile=tile))
        a = builder.input("x", shape, dtype)
        values, where = top_k(builder, a, k, axis, smallest=smallest, name="y")
        order = np.argsort(x if smallest else -x, axis, kind="stable").take(range(k), axis)
        np.testing.assert_array_equal(evaluate(builder, where, x=x), order)
        found = evaluate(builder, values, x=x)
        expected = np.take_along_axis(x, order, axis)
        np.testing.assert_array_equal(found.view(f"u{x.itemsize}"),
                                      expected.view(f"u{x.itemsize}"))  # fmt: skip


def test_top_k_of_more_than_a_stream_counts() -> None:
    x = elements("float16", 1, 8200)
    builder = Builder(ChipConfig(tiles=1))
    _, where = top_k(builder, builder.input("x", x.shape, "float16"), 2, 1, name="y")
    found = evaluate(builder, where, x=x)
    np.testing.assert_array_equal(found, np.argsort(-x, 1, kind="stable")[:, :2])


@pytest.mark.parametrize(("dtype", "k", "streamed"), [
    ("float32", 5, True), ("float32", 20, False), ("float16", 5, True), ("float16", 40, False),
    ("float16", 3000, True),
])  # fmt: skip
def test_top_k_by_what_is_faster(dtype: str, k: int, streamed: bool) -> None:
    x = elements(dtype, 1, 3000)
    builder = Builder(ChipConfig(tiles=1))
    _, where = top_k(builder, builder.input("x", x.shape, dtype), k, 1, name="y")
    (vertex,) = builder.graph.compute_sets["y"].vertices
    assert vertex.codelet in (TOP_K_STREAMED if streamed else TOP_K).values()
    assert builder.graph.variables["y/keys"].temporary
    found = evaluate(builder, where, x=x)
    np.testing.assert_array_equal(found, np.argsort(-x, 1, kind="stable")[:, :k])


class TestErrors:
    builder = Builder(ChipConfig(tiles=1))
    x = builder.input("x", (3, 4))

    def test_indices_are_whole_numbers(self) -> None:
        with pytest.raises(OpError, match=r"^y: indices must be int32, not float32$"):
            gather(self.builder, self.x, self.x, 0, name="y")

    @pytest.mark.parametrize("k", [0, 5])
    def test_k_is_at_most_the_size(self, k: int) -> None:
        rule = f"^y: k must be from 1 to the dimension's size 4, not {k}$"
        with pytest.raises(OpError, match=rule):
            top_k(self.builder, self.x, k, 1, name="y")
