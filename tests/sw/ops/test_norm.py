"""Normalisations against float64 NumPy: tiles, types, rows that streams can and can't read."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from openipu.rtl.config import ChipConfig, TileConfig
from openipu.sw.ops.builder import Builder, OpError, Tensor
from openipu.sw.ops.norm import batch_norm, group_norm, layer_norm
from tests.sw.ops.test_ops import evaluate

WHERE = pytest.mark.parametrize(("config", "dtype"), [
    (ChipConfig(tiles=1), "float16"), (ChipConfig(tiles=7), "float16"),
    (ChipConfig(tiles=1), "float32"), (ChipConfig(tiles=7), "float32"),
    (ChipConfig(tiles=2, tile=TileConfig(simd=False, amp_outputs=0)), "float32"),
], ids=["f16-1", "f16-7", "f32-1", "f32-7", "f32-plain"])  # fmt: skip
TOLERANCE = {"float32": 2e-6, "float16": 4e-3}
"""Of elements around 1: some roundings of the type."""


def elements(dtype: str, *shape: int, seed: int = 3) -> NDArray[Any]:
    return np.random.default_rng(seed).normal(2, 3, shape).astype(dtype)


def normal(x: NDArray[Any], axes: tuple[int, ...], epsilon: float) -> NDArray[np.float64]:
    wide = x.astype(np.float64)
    mean, variance = wide.mean(axes, keepdims=True), wide.var(axes, keepdims=True)
    result: NDArray[np.float64] = (wide - mean) / np.sqrt(variance + epsilon)
    return result


def close(found: NDArray[Any], expected: NDArray[np.float64], scale: NDArray[Any]) -> None:
    most = TOLERANCE[found.dtype.name] * (1 + float(np.abs(scale).max(initial=0)))
    np.testing.assert_allclose(found.astype(np.float64), expected, rtol=most, atol=most)


@WHERE
@pytest.mark.parametrize(
    ("shape", "axis"), [((5, 16), -1), ((3, 7), 1), ((2, 3, 4, 5), 2), ((4, 1), 1), ((0, 4), 1)]
)
def test_layer_norm(config: ChipConfig, dtype: str, shape: tuple[int, ...], axis: int) -> None:
    x = elements(dtype, *shape)
    axis %= len(shape)
    scale, bias = (elements(dtype, *shape[axis:], seed=seed) for seed in (4, 5))
    axes = tuple(range(axis, len(shape)))
    for factor, summand, epsilon in ((scale, bias, 1e-5), (scale, None, 0.5), (None, None, 0.5)):
        builder = Builder(config)
        result = layer_norm(
            builder, builder.input("x", shape, dtype),
            None if factor is None else Tensor("scale", factor),
            None if summand is None else Tensor("bias", summand),
            axis=axis, epsilon=epsilon, name="y",
        )  # fmt: skip
        expected = normal(x, axes, epsilon) * (1 if factor is None else factor)
        expected = expected + (0 if summand is None else summand)
        if isinstance(result.data, np.ndarray) or not x.size:
            assert result.shape == shape
        else:
            close(evaluate(builder, result, x=x), expected, scale)


@WHERE
@pytest.mark.parametrize("groups", [1, 3, 6])
def test_group_norm(config: ChipConfig, dtype: str, groups: int) -> None:
    for size, count in ((4, 6), (5, groups)):
        x = elements(dtype, 2, 6, size)
        scale, bias = (elements(dtype, count, seed=seed) for seed in (4, 5))
        builder = Builder(config)
        result = group_norm(builder, builder.input("x", x.shape, dtype), groups,
                            Tensor("scale", scale), Tensor("bias", bias), name="y")  # fmt: skip
        expected = normal(x.reshape(2, groups, -1), (2,), 1e-5).reshape(x.shape)
        factor, summand = (np.repeat(p, 6 // count)[:, None] for p in (scale, bias))
        close(evaluate(builder, result, x=x), expected * factor + summand, scale)


@WHERE
@pytest.mark.parametrize("shape", [(3, 6), (2, 6, 4), (2, 6, 3, 3)])
def test_batch_norm(config: ChipConfig, dtype: str, shape: tuple[int, ...]) -> None:
    x = elements(dtype, *shape)
    scale, bias, mean = (elements(dtype, 6, seed=seed) for seed in (4, 5, 6))
    variance = np.abs(elements(dtype, 6, seed=7)) + np.dtype(dtype).type(0.5)
    builder = Builder(config)
    result = batch_norm(builder, builder.input("x", shape, dtype), scale, bias, mean, variance,
                        name="y")  # fmt: skip
    s, b, m, v = (
        p.astype(np.float64).reshape(6, *([1] * (len(shape) - 2)))
        for p in (scale, bias, mean, variance)
    )
    expected = (x.astype(np.float64) - m) / np.sqrt(v + 1e-5) * s + b
    close(evaluate(builder, result, x=x), expected, 10 * scale)


class TestErrors:
    builder = Builder(ChipConfig(tiles=1))
    x = builder.input("x", (2, 6, 4))
    one = Tensor("one", np.ones(6, np.float32))

    def test_scale_broadcasts(self) -> None:
        rule = r"^y: scale and bias must broadcast to \(4,\), not be \(6,\)$"
        with pytest.raises(OpError, match=rule):
            layer_norm(self.builder, self.x, self.one, None, name="y")

    @pytest.mark.parametrize("groups", [0, 4])
    def test_groups_divide_channels(self, groups: int) -> None:
        rule = f"^y: groups must divide the 6 channels, not be {groups}$"
        with pytest.raises(OpError, match=rule):
            group_norm(self.builder, self.x, groups, self.one, self.one, name="y")

    def test_there_are_channels(self) -> None:
        rule = r"^y: the operand must have batch and channels, not shape \(6,\)$"
        with pytest.raises(OpError, match=rule):
            group_norm(self.builder, self.x[0, :, 0], 1, self.one, self.one, name="y")

    def test_parameters_are_of_channels(self) -> None:
        good, bad = np.ones(6, np.float32), np.ones(4, np.float32)
        with pytest.raises(OpError, match=r"^y: parameters must have shape \(6,\), not \(4,\)$"):
            batch_norm(self.builder, self.x, good, bad, good, good, name="y")
