"""Operations: any tile count, uneven and empty sizes, what is split and what is copied."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from openipu.rtl.config import KIB, ChipConfig, TileConfig
from openipu.sw.compiler import compile
from openipu.sw.engine import Engine
from openipu.sw.graph import View
from openipu.sw.ops.builder import Builder, OpError, Tensor, split
from openipu.sw.ops.elementwise import binary, fill, unary
from openipu.sw.ops.matmul import matmul, plan
from openipu.sw.ops.rearrange import transpose
from openipu.sw.ops.reduce import argmax, reduce
from openipu.sw.ops.softmax import softmax
from openipu.sw.program import Copy

TILES = (1, 2, 3, 7, 64)
SIZES = (0, 1, 2, 13, 64, 65)


def values(*shape: int) -> NDArray[np.float32]:
    return np.random.default_rng(3).normal(size=shape).astype(np.float32)


def evaluate(builder: Builder, result: Tensor, **inputs: NDArray[Any]) -> NDArray[Any]:
    executable = compile(builder.graph, builder.program, builder.config)
    with Engine(executable) as engine:
        for name, array in inputs.items():
            engine.write(name, array)
        engine.run()
        assert isinstance(result.data, View)
        return result.read(engine.read(result.data.variable).reshape(-1))


def copies(builder: Builder) -> int:
    return sum(isinstance(step, Copy) for step in builder.steps)


@pytest.mark.parametrize("count", SIZES)
@pytest.mark.parametrize("parts", TILES)
def test_split(count: int, parts: int) -> None:
    ranges = split(count, parts)
    assert [i for a, b in ranges for i in range(a, b)] == list(range(count))
    sizes = [b - a for a, b in ranges]
    assert len(sizes) == min(count, parts)
    assert not sizes or max(sizes) - min(sizes) <= 1


@pytest.mark.parametrize("tiles", TILES)
def test_what_an_operand_has_several_times_is_computed_once(tiles: int) -> None:
    builder = Builder(ChipConfig(tiles=tiles))
    x = values(3, 5)
    index = np.array([[2, 0, 2], [2, 2, 0]])
    result = unary(builder, "negate", builder.input("x", x.shape)[index], name="y")
    assert isinstance(result.data, View)
    assert result.data.variable.size == 10
    np.testing.assert_array_equal(evaluate(builder, result, x=x), -x[index])


@pytest.mark.parametrize("tiles", TILES)
@pytest.mark.parametrize("size", SIZES)
def test_elementwise(tiles: int, size: int) -> None:
    builder = Builder(ChipConfig(tiles=tiles))
    x, y = values(size, 3), values(3)
    a = builder.input("a", x.shape)
    b = binary(builder, "subtract", a, Tensor("y", y), name="b")
    result = unary(builder, "relu", b, name="c")
    assert copies(builder) == 0, "operands are where they are used"
    wanted = np.maximum(x - y, 0)
    np.testing.assert_array_equal(evaluate(builder, result, a=x), wanted)


@pytest.mark.parametrize("tiles", TILES)
@pytest.mark.parametrize(("m", "k", "n"), [
    (1, 1, 1), (13, 7, 11), (0, 3, 2), (3, 0, 2), (3, 2, 0), (64, 5, 1), (1, 5, 64), (5, 64, 3),
])  # fmt: skip
def test_matmul(tiles: int, m: int, k: int, n: int) -> None:
    x, w, bias = values(m, k), values(k, n), values(n)
    wanted = x.astype(np.float64) @ w + bias
    for constant in (True, False):
        builder = Builder(ChipConfig(tiles=tiles))
        right = Tensor("w", w) if constant else builder.input("w", w.shape)
        left = builder.input("x", x.shape)
        result = matmul(builder, left, right, Tensor("bias", bias), name="y")
        inputs = {"x": x} if constant else {"x": x, "w": w}
        np.testing.assert_allclose(
            evaluate(builder, result, **inputs), wanted, 1e-5, 1e-5
        )


@pytest.mark.parametrize("tiles", TILES)
def test_reductions(tiles: int) -> None:
    x = values(13, 5)
    wide = x.astype(np.float64)
    for axes, wanted in (((0,), wide.sum(0)), ((1,), wide.sum(1)), ((0, 1), wide.sum())):
        builder = Builder(ChipConfig(tiles=tiles))
        result = reduce(builder, "reduce_sum", builder.input("x", x.shape), axes, keep=False,
                        name="y")  # fmt: skip
        np.testing.assert_allclose(evaluate(builder, result, x=x), wanted, 1e-5, 1e-6)
    for axis in (0, 1):
        builder = Builder(ChipConfig(tiles=tiles))
        result = argmax(builder, builder.input("x", x.shape), axis, keep=True, name="y")
        np.testing.assert_array_equal(
            evaluate(builder, result, x=x), x.argmax(axis, keepdims=True)
        )


@pytest.mark.parametrize("tiles", TILES)
@pytest.mark.parametrize("count", [1, 31, 64, 65, 1001, 2048])
def test_few_results_of_many_elements(tiles: int, count: int) -> None:
    x = values(3, count)
    for function, wanted in (("reduce_sum", x.astype(np.float64).sum(1)), ("reduce_max", x.max(1))):
        builder = Builder(ChipConfig(tiles=tiles))
        result = reduce(builder, function, builder.input("x", x.shape), (1,), keep=True, name="y")
        np.testing.assert_allclose(
            evaluate(builder, result, x=x), wanted[:, None], 1e-5, 1e-4 * (function == "reduce_sum")
        )
        # By streams; rows of an odd count only into parts that divide it; 1001 is 7 · 11 · 13.
        cut = count == 2048 or (count == 1001 and tiles * builder.workers >= 7 * len(x))
        assert (len(builder.graph.compute_sets) > 1) == cut


@pytest.mark.parametrize("tiles", [1, 7])
@pytest.mark.parametrize("dtype", ["float16", "float32"])
@pytest.mark.parametrize(("shape", "axes"), [
    ((2000,), (0,)), ((2003,), (0,)), ((9001,), (0,)), ((40, 5, 8), (0, 1, 2)), ((50, 24), (1,)),
    ((3, 1024), (1,)), ((9, 7), (1,)), ((40, 24), (0,)), ((600, 8), (0,)), ((6, 80, 4), (0, 1)),
    ((5, 6), (0,)), ((4, 8, 12), (1,)), ((0, 4), (0,)), ((4, 0), (1,)), ((1,), (0,)),
])  # fmt: skip
def test_reductions_by_streams(
    tiles: int, dtype: str, shape: tuple[int, ...], axes: tuple[int, ...]
) -> None:
    x = (values(*shape) + np.float32(0.5)).astype(dtype)
    wide = x.astype(np.float64)
    close = 2e-3 if dtype == "float16" else 2e-5
    count = max(1, int(np.prod([shape[axis] for axis in axes])))
    for function, factor in (("sum", 1.0), ("sum", 1 / count), ("max", 1.0), ("min", 1.0)):
        builder = Builder(ChipConfig(tiles=tiles))
        result = reduce(builder, f"reduce_{function}", builder.input("x", shape, dtype), axes,
                        keep=True, factor=factor, name="y")  # fmt: skip
        assert result.dtype == dtype
        start = {"sum": {}, "max": {"initial": -np.inf}, "min": {"initial": np.inf}}[function]
        wanted = getattr(wide, function)(axes, keepdims=True, **start) * factor
        np.testing.assert_allclose(
            evaluate(builder, result, x=x), wanted, close, close * np.sqrt(count) * factor
        )


@pytest.mark.parametrize("tiles", TILES)
@pytest.mark.parametrize("shape", [(), (0, 3), (5,), (7, 9), (64, 33)])
def test_fill(tiles: int, shape: tuple[int, ...]) -> None:
    plain = TileConfig(simd=False, amp_outputs=0)
    for dtype, tile in (
        ("float16", TileConfig()), ("float32", TileConfig()), ("float32", plain)
    ):  # fmt: skip
        builder = Builder(ChipConfig(tiles=tiles, tile=tile))
        result = evaluate(builder, fill(builder, shape, 0.1, dtype, name="y"))
        np.testing.assert_array_equal(result, np.full(shape, 0.1, dtype))
    with pytest.raises(OpError, match=r"^y: there is no fill of float16$"):
        fill(builder, shape, 0.1, "float16", name="y")


@pytest.mark.parametrize("tiles", [1, 7])
@pytest.mark.parametrize("dtype", ["float16", "float32"])
@pytest.mark.parametrize("shape", [(9, 12), (3, 8, 5), (1, 4), (5, 7), (2, 8196), (0, 4)])
def test_argmax(tiles: int, dtype: str, shape: tuple[int, ...]) -> None:
    x = values(*shape).astype(dtype)
    for axis in range(1, len(shape)):
        builder = Builder(ChipConfig(tiles=tiles))
        result = argmax(builder, builder.input("x", shape, dtype), axis, keep=False, name="y")
        np.testing.assert_array_equal(evaluate(builder, result, x=x), x.argmax(axis))


@pytest.mark.parametrize("dtype", ["float16", "float32"])
@pytest.mark.parametrize("columns", [7, 8])  # of which streams do the latter
def test_argmax_passes_nans_over(dtype: str, columns: int) -> None:
    x = values(5, columns).astype(dtype)
    x[0, 0] = x[1, :3] = x[1, -1] = x[2, 4] = x[3, :] = np.nan
    x[4, :] = -np.inf
    builder = Builder(ChipConfig(tiles=1))
    result = argmax(builder, builder.input("x", x.shape, dtype), 1, keep=False, name="y")
    expected = np.where(np.isnan(x), -np.inf, x).argmax(1)
    np.testing.assert_array_equal(evaluate(builder, result, x=x), expected)


def test_reductions_without_simd() -> None:
    builder = Builder(ChipConfig(tiles=1, tile=TileConfig(simd=False, amp_outputs=0)))
    x = values(30, 8)
    a = builder.input("a", x.shape)
    result = reduce(builder, "reduce_sum", a, (1,), keep=False, factor=0.125, name="y")
    np.testing.assert_allclose(evaluate(builder, result, a=x), x.mean(1), 1e-5, 1e-6)


def test_a_sum_of_halves_beyond_their_range() -> None:
    builder = Builder(ChipConfig(tiles=1))
    x = np.full(8192, 100, np.float16)
    a = builder.input("a", x.shape, "float16")
    mean = reduce(builder, "reduce_sum", a, (0,), keep=True, factor=1 / 8192, name="y")
    assert evaluate(builder, mean, a=x) == 100


@pytest.mark.parametrize("tiles", TILES)
def test_softmax_of_a_transposed_operand(tiles: int) -> None:
    x = values(9, 17)
    builder = Builder(ChipConfig(tiles=tiles))
    moved = transpose(builder, builder.input("x", x.shape), [1, 0], name="t")
    result = softmax(builder, moved, 0, name="y")
    e = np.exp(x.T.astype(np.float64) - x.T.max(0))
    np.testing.assert_allclose(evaluate(builder, result, x=x), e / e.sum(0), 1e-5, 1e-7)


def test_special_values_pass() -> None:
    x = np.array([np.inf, -np.inf, np.nan, -0.0, 1e-45, 3e38], np.float32)
    builder = Builder(ChipConfig(tiles=1))
    a = builder.input("a", x.shape)
    result = evaluate(builder, binary(builder, "add", a, a, name="b"), a=x)
    np.testing.assert_array_equal(result, np.array([np.inf, -np.inf, np.nan, 0, 3e-45, np.inf],
                                                   np.float32))  # fmt: skip
    assert np.signbit(result[3])


class TestPlan:
    def test_uses_all_tiles(self) -> None:
        chosen = plan(Builder(ChipConfig(tiles=16)), 1, 64, 64, 64)
        assert chosen.blocks == 16
        assert chosen.depth == 1

    def test_more_tiles_cost_less(self) -> None:
        costs = [plan(Builder(ChipConfig(tiles=n)), 1, 64, 64, 64).cycles for n in (1, 4, 16)]
        assert costs == sorted(costs, reverse=True)

    def test_depth_is_split_where_there_is_nothing_else(self) -> None:
        chosen = plan(Builder(ChipConfig(tiles=8)), 1, 1, 4096, 1)
        assert (chosen.rows, chosen.columns) == (1, 1)
        assert chosen.depth > 1

    def test_blocks_fit(self) -> None:
        """Columns cost least here, but then each tile would need all of x."""
        tile = TileConfig(banks=4, bank_bytes=8 * KIB)
        chosen = plan(Builder(ChipConfig(tiles=16, tile=tile)), 1, 64, 128, 64)
        rows, columns = -(-64 // chosen.rows), -(-64 // chosen.columns)
        depth = -(-128 // chosen.depth)
        words = rows * depth + depth * columns + rows * columns
        assert 4 * words < 0.6 * tile.memory_bytes

    def test_worker_blocks_of_one_product_add_up(self) -> None:
        builder = Builder(ChipConfig(tiles=4))
        x = builder.input("x", (33, 20))
        matmul(builder, x, Tensor("w", values(20, 29)), name="y")
        (compute_set,) = builder.graph.compute_sets.values()
        assert sum(v.fields["y"].size for v in compute_set.vertices) == 33 * 32  # whole blocks
        assert {v.tile for v in compute_set.vertices} == {0, 1, 2, 3}


class TestErrors:
    builder = Builder(ChipConfig())
    x = builder.input("x", (2, 3))

    def test_dtype(self) -> None:
        whole = self.builder.input("whole", (2,), "int32")
        message = r"^y: operands must be float32 or float16, not int32 \(whole\)$"
        with pytest.raises(OpError, match=message):
            unary(self.builder, "relu", whole, name="y")
        for result in (
            lambda: matmul(self.builder, whole, whole, name="y"),
            lambda: reduce(self.builder, "reduce_sum", whole, (0,), keep=True, name="y"),
            lambda: softmax(self.builder, whole, 0, name="y"),
        ):
            with pytest.raises(OpError, match=r"must be float32 or float16, not int32"):
                result()

    def test_function(self) -> None:
        with pytest.raises(ValueError, match=r"^function must be one of absolute, .*, not 'log'$"):
            unary(self.builder, "log", self.x, name="y")
        with pytest.raises(ValueError, match=r"^function must be one of reduce_sum, .*'mean'$"):
            reduce(self.builder, "mean", self.x, (0,), keep=True, name="y")

    def test_axis(self) -> None:
        with pytest.raises(OpError, match=r"^y: axis must be from -2 to 1, not 2$"):
            reduce(self.builder, "reduce_sum", self.x, (2,), keep=True, name="y")
        with pytest.raises(OpError, match=r"^y: axis must be from -2 to 1, not -3$"):
            argmax(self.builder, self.x, -3, keep=True, name="y")
        with pytest.raises(OpError, match=r"^y: the operand must have dimensions, not be"):
            softmax(self.builder, self.builder.input("scalar", ()), 0, name="y")

    def test_bias(self) -> None:
        with pytest.raises(OpError, match=r"^y: the bias must have shape \(4,\), not \(3,\)$"):
            matmul(self.builder, self.x, Tensor("w", values(3, 4)), Tensor("b", values(3)),
                   name="y")  # fmt: skip

    def test_perm(self) -> None:
        with pytest.raises(
            OpError, match=r"^y: perm must be an order of the 2 dimensions, not \[0, 0\]$"
        ):
            transpose(self.builder, self.x, [0, 0], name="y")

    def test_empty_argmax(self) -> None:
        empty = self.builder.input("empty", (2, 0))
        with pytest.raises(OpError, match=r"^y: the dimension must not be empty"):
            argmax(self.builder, empty, 1, keep=True, name="y")
