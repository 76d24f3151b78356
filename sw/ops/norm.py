"""Normalisations: of layers, groups of channels, instances, and batches at inference."""

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from openipu.sw.codelets.rows import NORMALISE, NORMALISE_PLAIN
from openipu.sw.ops.builder import Builder, OpError, Tensor, check_floats, dimension
from openipu.sw.ops.elementwise import binary, cast
from openipu.sw.ops.rows import apply, streamable


def layer_norm(
    builder: Builder, x: Tensor, scale: Tensor | None, bias: Tensor | None, *, axis: int = -1,
    epsilon: float = 1e-5, name: str,
) -> Tensor:  # fmt: skip
    """Return x with mean 0 and variance 1 over all dimensions from `axis` on, scaled and shifted.

    `scale` and `bias` broadcast to those dimensions.
    """
    shape = x.shape[dimension(name, axis, len(x.shape)) :]
    for parameter in (scale, bias):
        if parameter is not None and not _broadcasts(parameter.shape, shape):
            raise OpError(
                f"{name}: scale and bias must broadcast to {shape}, not be {parameter.shape}"
            )
    columns = prod(shape)
    return _scaled(
        builder, _normalised(builder, x, columns, epsilon, name), scale, bias, name
    )


def _broadcasts(shape: tuple[int, ...], to: tuple[int, ...]) -> bool:
    try:
        return np.broadcast_shapes(shape, to) == to
    except ValueError:
        return False


def group_norm(
    builder: Builder, x: Tensor, groups: int, scale: Tensor, bias: Tensor, *,
    epsilon: float = 1e-5, name: str,
) -> Tensor:  # fmt: skip
    """Return x (batch, channels, ...) normalised over each of `groups` groups of channels.

    `scale` and `bias` have an element for each channel or for each group. With as many groups as
    channels this is the normalisation of instances.
    """
    channels = _channels(x, name)
    if groups < 1 or channels % groups:
        raise OpError(f"{name}: groups must divide the {channels} channels, not be {groups}")
    factor, summand = (
        _by_channel(_repeated(parameter, groups, channels, name), x)
        for parameter in (scale, bias)
    )
    columns = x.size // max(x.shape[0] * groups, 1)
    normalised = _normalised(builder, x, columns, epsilon, name)
    return _scaled(builder, normalised, factor, summand, name)


def batch_norm(
    builder: Builder, x: Tensor, scale: NDArray[Any], bias: NDArray[Any], mean: NDArray[Any],
    variance: NDArray[Any], *, epsilon: float = 1e-5, name: str,
) -> Tensor:  # fmt: skip
    """Return (x - mean) / sqrt(variance + epsilon) * scale + bias for x (batch, channels, ...).

    The parameters, constants with an element for each channel, become one factor and one summand.
    """
    channels = _channels(x, name)
    for parameter in (scale, bias, mean, variance):
        if parameter.shape != (channels,):
            raise OpError(
                f"{name}: parameters must have shape ({channels},), not {parameter.shape}"
            )
    factor = scale.astype(np.float64) / np.sqrt(variance.astype(np.float64) + epsilon)
    summand = bias.astype(np.float64) - mean.astype(np.float64) * factor
    scaled, shifted = (
        _by_channel(Tensor(label, value.astype(np.dtype(x.dtype))), x)
        for label, value in (("factor", factor), ("summand", summand))
    )
    return _scaled(builder, x, scaled, shifted, name)


def _channels(x: Tensor, name: str) -> int:
    if len(x.shape) < 2:
        raise OpError(f"{name}: the operand must have batch and channels, not shape {x.shape}")
    return x.shape[1]


def _repeated(parameter: Tensor, groups: int, channels: int, name: str) -> Tensor:
    """Return a parameter with an element for each channel."""
    if parameter.shape == (channels,):
        return parameter
    if parameter.shape != (groups,):
        raise OpError(
            f"{name}: scale and bias must have shape ({channels},) or ({groups},), "
            f"not {parameter.shape}"
        )
    wide = parameter.reshape(groups, 1).broadcast_to(groups, channels // groups)
    return wide.reshape(channels)


def _by_channel(parameter: Tensor, x: Tensor) -> Tensor:
    return parameter.reshape(x.shape[1], *([1] * (len(x.shape) - 2)))


def _normalised(builder: Builder, x: Tensor, columns: int, epsilon: float, name: str) -> Tensor:
    """Return x with each `columns` elements that follow each other normalised."""
    check_floats(name, x)
    if not x.size:
        return x
    rows = x.reshape(-1, columns)
    label = f"{name}/normalised"
    scalars = {"columns": columns, "share": 1 / columns, "epsilon": epsilon}
    if streamable(builder, rows):
        result = apply(builder, NORMALISE[x.dtype], rows, columns, name=label, **scalars)
    else:
        wide = cast(builder, rows, "float32", name=f"{label}/float32")
        result = apply(builder, NORMALISE_PLAIN, wide, columns, name=label, **scalars)
        result = cast(builder, result, x.dtype, name=f"{label}/{x.dtype}")
    return result.reshape(*x.shape)


def _scaled(
    builder: Builder, x: Tensor, scale: Tensor | None, bias: Tensor | None, name: str
) -> Tensor:
    """Return x * scale + bias, where those are given and change something."""
    steps: Sequence[tuple[str, Tensor | None, int]] = (("multiply", scale, 1), ("add", bias, 0))
    for function, parameter, neutral in steps:
        if parameter is None:
            continue
        if isinstance(parameter.data, np.ndarray) and (parameter.data == neutral).all():
            continue
        x = binary(builder, function, x, parameter, name=name)
    return x
