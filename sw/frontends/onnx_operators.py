"""The ONNX operators that are supported, each as operations of `openipu.sw.ops`.

An operator gets its node with the inputs as tensors; it takes the attributes that it knows with
`Node.take`, and whatever is left is reported as unsupported.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import TensorProto

from openipu.sw.graph import View
from openipu.sw.ops.builder import Builder, OpError, Tensor
from openipu.sw.ops.convolution import convolve
from openipu.sw.ops.elementwise import binary, cast, unary
from openipu.sw.ops.gather import gather, top_k
from openipu.sw.ops.matmul import matmul
from openipu.sw.ops.norm import batch_norm, group_norm, layer_norm
from openipu.sw.ops.pooling import Window, pool
from openipu.sw.ops.random import random_fill
from openipu.sw.ops.rearrange import concatenate, pad, reshape, transpose
from openipu.sw.ops.recurrent import gru, lstm
from openipu.sw.ops.reduce import argmax, reduce
from openipu.sw.ops.softmax import softmax


@dataclass
class Node:
    """A node of a model. `known` are the attributes that the operator has asked for."""

    name: str
    operator: str
    attributes: dict[str, Any]
    inputs: list[Tensor | None]
    opset: int
    known: list[str] = field(default_factory=list)

    def take(self, name: str, default: Any) -> Any:
        """Return an attribute."""
        self.known.append(name)
        return self.attributes.get(name, default)

    def input(self, index: int) -> Tensor:
        """Return an input that must be there."""
        value = self.optional(index)
        if value is None:
            raise OpError(f"input {index} must be given")
        return value

    def optional(self, index: int) -> Tensor | None:
        """Return an input that may be left out."""
        return self.inputs[index] if index < len(self.inputs) else None

    def constant(self, index: int) -> NDArray[Any] | None:
        """Return an optional input that must be known when the model is compiled."""
        value = self.optional(index)
        if value is None:
            return None
        if isinstance(value.data, View):
            raise OpError(f"input {index} ({value.name}) must be a constant")
        return value.data


def apply(builder: Builder, node: Node) -> list[Tensor]:
    """Add a node to the graph and return its outputs.

    Raises OpError, with what is supported where an attribute is not.
    """
    operator = OPERATORS[node.operator]
    result = operator(builder, node)
    unknown = [name for name in node.attributes if name not in node.known]
    if unknown:
        known = ", ".join(node.known) or "none"
        raise OpError(f"attribute {unknown[0]} is not supported; supported are {known}")
    return [result] if isinstance(result, Tensor) else list(result)


def _unary(function: str) -> Callable[[Builder, Node], Tensor]:
    return lambda builder, node: unary(builder, function, node.input(0), name=node.name)


def _binary(function: str) -> Callable[[Builder, Node], Tensor]:
    return lambda builder, node: binary(
        builder, function, node.input(0), node.input(1), name=node.name
    )


def _variadic(function: str) -> Callable[[Builder, Node], Tensor]:
    def apply_all(builder: Builder, node: Node) -> Tensor:
        result = node.input(0)
        for index in range(1, len(node.inputs)):
            result = binary(builder, function, result, node.input(index), name=node.name)
        return result

    return apply_all


def _gemm(builder: Builder, node: Node) -> Tensor:
    a, b, c = node.input(0), node.input(1), node.optional(2)
    alpha, beta = float(node.take("alpha", 1.0)), float(node.take("beta", 1.0))
    if len(a.shape) != 2 or len(b.shape) != 2:
        raise OpError(f"A and B must be matrices, not {a.shape} and {b.shape}")
    a = a.transpose() if node.take("transA", 0) else a
    b = b.transpose() if node.take("transB", 0) else b
    columns = b.shape[1]
    if c is not None:
        shape = (a.shape[0], columns)
        try:
            fits = np.broadcast_shapes(c.shape, shape) == shape
        except ValueError:
            fits = False
        if not fits:
            raise OpError(f"C must broadcast to {shape}, not {c.shape}")
        c = _times(builder, c, beta, node.name)
    if alpha != 1:
        b = _times(builder, b, alpha, node.name)
    # A row of sums starts from the bias; any other C is added afterwards.
    fused = c is not None and c.size in (1, columns) and (not c.shape or c.shape[-1] == c.size)
    bias = c.reshape(-1).broadcast_to(columns) if c is not None and fused else None
    result = matmul(builder, a, b, bias, name=node.name)
    return result if c is None or fused else binary(builder, "add", result, c, name=node.name)


def _times(builder: Builder, x: Tensor, factor: float, name: str) -> Tensor:
    if factor == 1:
        return x
    if not isinstance(x.data, View):
        return Tensor(x.name, x.data * x.data.dtype.type(factor))
    scale = Tensor("factor", np.asarray(factor, x.dtype))
    return binary(builder, "multiply", x, scale, name=f"{name}/scaled")


def _reshape(builder: Builder, node: Node) -> Tensor:
    x, wanted = node.input(0), node.constant(1)
    if node.take("allowzero", 0):
        raise OpError("attribute allowzero must be 0")
    if wanted is None:
        raise OpError("input 1, the shape, must be given")
    sizes = [int(size) for size in wanted]
    if any(size == 0 and axis >= len(x.shape) for axis, size in enumerate(sizes)):
        raise OpError(f"shape {sizes} copies a dimension that {x.shape} doesn't have")
    sizes = [x.shape[axis] if size == 0 else size for axis, size in enumerate(sizes)]
    return reshape(x, sizes, name=node.name)


def _flatten(builder: Builder, node: Node) -> Tensor:
    x = node.input(0)
    axis = _axis(node.take("axis", 1), len(x.shape), last=True)
    return x.reshape(prod(x.shape[:axis]), prod(x.shape[axis:]))


def _axis(axis: int, rank: int, *, last: bool = False) -> int:
    top = rank if last else rank - 1
    if not -rank <= axis <= top:
        raise OpError(f"axis must be from {-rank} to {top}, not {axis}")
    return axis + rank if axis < 0 else axis


def _transpose(builder: Builder, node: Node) -> Tensor:
    x = node.input(0)
    perm = node.take("perm", list(range(len(x.shape)))[::-1])
    return transpose(builder, x, list(perm), name=node.name)


def _axes(node: Node) -> list[int] | None:
    """Return the axes, which newer opsets have as an input and older ones as an attribute."""
    axes = node.take("axes", None)
    if axes is None and (given := node.constant(1)) is not None:
        axes = given.reshape(-1).tolist()
    return None if axes is None else [int(axis) for axis in axes]


def _reduce(function: str, mean: bool = False) -> Callable[[Builder, Node], Tensor]:
    def apply_reduce(builder: Builder, node: Node) -> Tensor:
        x, axes = node.input(0), _axes(node)
        keep = bool(node.take("keepdims", 1))
        if not axes:
            if node.take("noop_with_empty_axes", 0):
                return x
            axes = list(range(len(x.shape)))
        count = prod(x.shape[_axis(axis, len(x.shape))] for axis in axes)
        factor = 1.0 / max(count, 1) if mean else 1.0
        return reduce(builder, function, x, axes, keep=keep, factor=factor, name=node.name)

    return apply_reduce


def _softmax(builder: Builder, node: Node) -> Tensor:
    x = node.input(0)
    if node.opset >= 13:
        return softmax(builder, x, node.take("axis", -1), name=node.name)
    # Before, everything from the axis on was one dimension.
    axis = _axis(node.take("axis", 1), len(x.shape))
    rows = x.reshape(prod(x.shape[:axis]), prod(x.shape[axis:]))
    return softmax(builder, rows, 1, name=node.name).reshape(*x.shape)


def _layer_norm(builder: Builder, node: Node) -> Tensor:
    if node.take("stash_type", TensorProto.FLOAT) != TensorProto.FLOAT:
        raise OpError("attribute stash_type must be FLOAT")
    return layer_norm(
        builder, node.input(0), node.input(1), node.optional(2), axis=node.take("axis", -1),
        epsilon=node.take("epsilon", 1e-5), name=node.name,
    )  # fmt: skip


def _group_norm(builder: Builder, node: Node) -> Tensor:
    if node.take("stash_type", TensorProto.FLOAT) != TensorProto.FLOAT:
        raise OpError("attribute stash_type must be FLOAT")
    return group_norm(
        builder, node.input(0), node.take("num_groups", 0), node.input(1), node.input(2),
        epsilon=node.take("epsilon", 1e-5), name=node.name,
    )  # fmt: skip


def _instance_norm(builder: Builder, node: Node) -> Tensor:
    x = node.input(0)
    if len(x.shape) < 3:
        raise OpError(f"the operand must have batch, channels and more, not shape {x.shape}")
    return group_norm(
        builder, x, x.shape[1], node.input(1), node.input(2),
        epsilon=node.take("epsilon", 1e-5), name=node.name,
    )  # fmt: skip


def _batch_norm(builder: Builder, node: Node) -> Tensor:
    node.take("momentum", 0.9)  # for training
    if node.take("training_mode", 0):
        raise OpError("attribute training_mode must be 0")
    if not node.take("spatial", 1):
        raise OpError("attribute spatial must be 1")
    parameters = []
    for index in range(1, 5):
        parameter = node.constant(index)
        if parameter is None:
            raise OpError(f"input {index} must be given")
        parameters.append(parameter)
    scale, bias, mean, variance = parameters
    return batch_norm(
        builder, node.input(0), scale, bias, mean, variance,
        epsilon=node.take("epsilon", 1e-5), name=node.name,
    )  # fmt: skip


def _argmax(builder: Builder, node: Node) -> Tensor:
    if node.take("select_last_index", 0):
        raise OpError("attribute select_last_index must be 0")
    axis, keep = node.take("axis", 0), bool(node.take("keepdims", 1))
    return argmax(builder, node.input(0), axis, keep=keep, name=node.name)


_CAST_TO = {TensorProto.FLOAT: "float32", TensorProto.FLOAT16: "float16"}


def _cast(builder: Builder, node: Node) -> Tensor:
    to = node.take("to", TensorProto.UNDEFINED)
    if to not in _CAST_TO:
        known = ", ".join(map(TensorProto.DataType.Name, _CAST_TO))
        raise OpError(f"attribute to must be {known}, not {to}")
    return cast(builder, node.input(0), _CAST_TO[to], name=node.name)


def _constant(builder: Builder, node: Node) -> Tensor:
    for name, dtype in (
        ("value", None), ("value_float", np.float32), ("value_floats", np.float32),
        ("value_int", np.int32), ("value_ints", np.int32),
    ):  # fmt: skip
        value = node.take(name, None)
        if value is not None:
            return Tensor(node.name, np.asarray(value, dtype))
    raise OpError(f"one of the attributes {', '.join(node.known)} must be given")


def _squeeze(builder: Builder, node: Node) -> Tensor:
    x, axes = node.input(0), _axes(node)
    rank = len(x.shape)
    if axes is None:
        axes = [axis for axis, size in enumerate(x.shape) if size == 1]
    gone = {_axis(axis, rank) for axis in axes}
    if any(x.shape[axis] != 1 for axis in gone):
        raise OpError(f"the dimensions {sorted(gone)} must have size 1, but the shape is {x.shape}")
    return x.reshape(*(size for axis, size in enumerate(x.shape) if axis not in gone))


def _unsqueeze(builder: Builder, node: Node) -> Tensor:
    x, axes = node.input(0), _axes(node) or []
    rank = len(x.shape) + len(axes)
    new = {_axis(axis, rank) for axis in axes}
    old = iter(x.shape)
    return x.reshape(*(1 if axis in new else next(old) for axis in range(rank)))


def _pads(node: Node, sizes: Sequence[int], kernel: Sequence[int], strides: Sequence[int],
          dilations: Sequence[int]) -> list[int]:  # fmt: skip
    """Return the padding of windows: first before each dimension, then behind each."""
    rank = len(sizes)
    pads, auto = list(node.take("pads", [0] * 2 * rank)), node.take("auto_pad", "NOTSET")
    for what, values, count, least in (
        ("strides", strides, rank, 1), ("dilations", dilations, rank, 1),
        ("pads", pads, 2 * rank, 0),
    ):  # fmt: skip
        if len(values) != count or min(values, default=least) < least:
            raise OpError(
                f"attribute {what} must be {count} numbers from {least} up, not {list(values)}"
            )
    if auto not in ("SAME_UPPER", "SAME_LOWER"):
        return pads
    for axis, (size, taken, stride, dilation) in enumerate(
        zip(sizes, kernel, strides, dilations, strict=True)
    ):
        covered = (-(-size // stride) - 1) * stride + (taken - 1) * dilation + 1
        whole = max(covered - size, 0)
        small, large = whole // 2, whole - whole // 2
        before, after = (small, large) if auto == "SAME_UPPER" else (large, small)
        pads[axis], pads[rank + axis] = before, after
    return pads


def _convolution(builder: Builder, node: Node) -> Tensor:
    x, w, bias = node.input(0), node.input(1), node.optional(2)
    rank = len(x.shape) - 2
    if rank not in (1, 2) or len(w.shape) != len(x.shape):
        raise OpError(f"X and W must have 3 or 4 dimensions, not {x.shape} and {w.shape}")
    sizes, kernel = x.shape[2:], w.shape[2:]
    named = node.take("kernel_shape", kernel)
    if tuple(named) != kernel:
        raise OpError(f"attribute kernel_shape must be that of W, not {list(named)}")
    strides = list(node.take("strides", [1] * rank))
    dilations = list(node.take("dilations", [1] * rank))
    pads = _pads(node, sizes, kernel, strides, dilations)
    if rank == 1:  # a picture of one line
        x, w = x.reshape(*x.shape[:2], 1, *sizes), w.reshape(*w.shape[:2], 1, *kernel)
        strides, dilations, pads = [1, *strides], [1, *dilations], [0, pads[0], 0, pads[1]]
    top, left, bottom, right = pads
    result = convolve(
        builder, x, w, bias, strides=(strides[0], strides[1]), pads=(top, left, bottom, right),
        dilations=(dilations[0], dilations[1]), groups=node.take("group", 1), name=node.name,
    )  # fmt: skip
    return result if rank == 2 else result.reshape(*result.shape[:2], result.shape[3])


def _top_k(builder: Builder, node: Node) -> tuple[Tensor, Tensor]:
    k = node.constant(1) if node.opset >= 10 else np.asarray(node.take("k", 0))
    if k is None:
        raise OpError("input 1, k, must be given")
    node.take("sorted", 1)  # the results are, whether that is asked for or not
    return top_k(
        builder, node.input(0), int(k.reshape(-1)[0]), node.take("axis", -1),
        smallest=not node.take("largest", 1), name=node.name,
    )  # fmt: skip


def _pool(kind: str) -> Callable[[Builder, Node], Tensor]:
    def apply_pool(builder: Builder, node: Node) -> Tensor:
        x = node.input(0)
        rank = len(x.shape) - 2
        sizes = node.take("kernel_shape", [])
        if len(sizes) != rank:
            raise OpError(f"attribute kernel_shape must have {rank} sizes, not {list(sizes)}")
        strides = node.take("strides", [1] * rank)
        dilations = node.take("dilations", [1] * rank)
        pads = _pads(node, x.shape[2:], sizes, strides, dilations)
        ceil = bool(node.take("ceil_mode", 0))
        padded = kind == "mean" and bool(node.take("count_include_pad", 0))
        if kind == "max":
            node.take("storage_order", 0)  # concerns only the indices, which aren't supported
        windows = [
            Window(*sizes_of, ceil=ceil, padded=padded)
            for sizes_of in zip(sizes, strides, pads[:rank], pads[rank:], dilations, strict=True)
        ]
        return pool(builder, kind, x, windows, name=node.name)

    return apply_pool


def _global_pool(kind: str) -> Callable[[Builder, Node], Tensor]:
    def apply_pool(builder: Builder, node: Node) -> Tensor:
        x = node.input(0)
        windows = [Window(size) for size in x.shape[2:]]
        return pool(builder, kind, x, windows, name=node.name)

    return apply_pool


def _concat(builder: Builder, node: Node) -> Tensor:
    parts = [node.input(index) for index in range(len(node.inputs))]
    return concatenate(builder, parts, node.take("axis", 1), name=node.name)


def _whole(node: Node, name: str, index: int) -> list[int] | None:
    """Return whole numbers that newer opsets have as an input and older ones as an attribute."""
    value = node.take(name, None)
    if value is None and (given := node.constant(index)) is not None:
        value = given.reshape(-1).tolist()
    return None if value is None else [int(number) for number in value]


def _slice(builder: Builder, node: Node) -> Tensor:
    x = node.input(0)
    starts, ends = _whole(node, "starts", 1), _whole(node, "ends", 2)
    if starts is None or ends is None:
        raise OpError("starts and ends must be given")
    axes = _whole(node, "axes", 3)
    axes = list(range(len(starts))) if axes is None else axes
    steps = _whole(node, "steps", 4) or [1] * len(starts)
    chosen = [slice(None)] * len(x.shape)
    for start, end, axis, step in zip(starts, ends, axes, steps, strict=True):
        chosen[_axis(axis, len(x.shape))] = slice(start, end, step)
    return x[tuple(chosen)]


def _pad(builder: Builder, node: Node) -> Tensor:
    x = node.input(0)
    pads, axes = _whole(node, "pads", 1), _whole(node, "axes", 3)
    if pads is None:
        raise OpError("pads must be given")
    rank = len(x.shape)
    axes = list(range(rank)) if axes is None else [_axis(axis, rank) for axis in axes]
    if len(pads) != 2 * len(axes):
        raise OpError(f"pads must have {2 * len(axes)} numbers, not {len(pads)}")
    widths = [(0, 0)] * rank
    for number, axis in enumerate(axes):
        widths[axis] = pads[number], pads[len(axes) + number]
    given = node.constant(2)
    value = node.take("value", 0.0) if given is None or not given.size else given.reshape(-1)[0]
    mode = node.take("mode", "constant")
    return pad(builder, x, widths, mode=mode, value=value, name=node.name)


def _random(kind: str, shift: tuple[str, float], width: Callable[[Node], float]) -> Any:
    """Return an operator: random numbers times `width`, plus the attribute `shift`."""

    def apply_random(builder: Builder, node: Node) -> Tensor:
        seed, to = node.take("seed", None), node.take("dtype", TensorProto.FLOAT)
        if seed is None:
            raise OpError("attribute seed must be given")
        if to not in _CAST_TO:
            known = ", ".join(map(TensorProto.DataType.Name, _CAST_TO))
            raise OpError(f"attribute dtype must be {known}, not {to}")
        bits = int(np.float32(seed).view(np.uint32))  # whatever number it is
        shape = list(node.take("shape", []))
        dtype = _CAST_TO[to]
        result = random_fill(builder, shape, dtype, bits, kind=kind, name=node.name)
        result = _times(builder, result, width(node), node.name)
        base = float(node.take(*shift))
        if base == 0:
            return result
        added = Tensor("shift", np.asarray(base, dtype))
        return binary(builder, "add", result, added, name=f"{node.name}/shifted")

    return apply_random


_DIRECTIONS = {
    "forward": (False,), "reverse": (True,), "bidirectional": (False, True)
}  # fmt: skip
"""Whether a layer's runs go backwards."""


def _runs(node: Node, gates: int) -> list[dict[str, Any]]:
    """Return what the runs of a recurrent layer have in common; weights by gate, as arrays."""
    x = node.input(0)
    weights = [node.constant(number) for number in (1, 2, 3)]
    w, r, bias = weights
    if w is None or r is None:
        raise OpError("inputs 1 and 2, the weights, must be given")
    direction = node.take("direction", "forward")
    if direction not in _DIRECTIONS or node.take("layout", 0):
        raise OpError(
            f"attribute direction must be {', '.join(_DIRECTIONS)}, and layout 0"
        )
    if node.optional(4) is not None:
        raise OpError("input 4, the lengths of sequences, must not be given")
    units = r.shape[2]
    if node.take("hidden_size", units) != units:
        raise OpError(f"attribute hidden_size must be that of the weights, {units}")
    backwards = _DIRECTIONS[direction]
    for number, given in enumerate(weights, 1):
        if given is not None and len(given) != len(backwards):
            raise OpError(
                f"input {number} must be of {len(backwards)} directions, not {given.shape}"
            )
    if bias is None:
        bias = np.zeros((len(backwards), 2 * gates * units), w.dtype)
    start = _start(node, 5, len(backwards), x, units)
    return [
        {
            "x": x, "w": w[i].reshape(gates, units, -1), "r": r[i].reshape(gates, units, units),
            "bias": bias[i].reshape(2, gates, units), "h": start[i], "reverse": backward,
        }
        for i, backward in enumerate(backwards)
    ]  # fmt: skip


def _start(node: Node, number: int, runs: int, x: Tensor, units: int) -> Tensor:
    """Return a state before the first step (runs, batch, units), 0 if it isn't given."""
    shape = runs, x.shape[1], units
    given = node.optional(number)
    if given is None:
        return Tensor("zeros", np.zeros(shape, x.dtype))
    if given.shape != shape:
        raise OpError(f"input {number} must have shape {shape}, not {given.shape}")
    return given


def _joined(
    builder: Builder, runs: Sequence[tuple[list[Tensor], tuple[Tensor, ...]]], name: str
) -> tuple[Tensor, ...]:
    """Return what runs have after each step (steps, runs, batch, units), and their last states."""
    steps = [h.reshape(1, *h.shape) for each in zip(*(all_h for all_h, _ in runs), strict=True)
             for h in each]  # fmt: skip
    y = concatenate(builder, steps, 0, name=f"{name}/steps")
    last = [
        states[0].reshape(1, *states[0].shape) if len(states) == 1 else
        concatenate(builder, [s.reshape(1, *s.shape) for s in states], 0, name=f"{name}/last")
        for states in zip(*(states for _, states in runs), strict=True)
    ]  # fmt: skip
    return y.reshape(-1, len(runs), *y.shape[1:]), *last


def _lstm(builder: Builder, node: Node) -> tuple[Tensor, ...]:
    listed = _runs(node, 4)
    if node.optional(7) is not None:
        raise OpError("input 7, peepholes, must not be given")
    order = [0, 2, 3, 1]  # of i, o, f, c the ones that we have as i, f, g, o
    found = []
    starts = _start(node, 6, len(listed), listed[0]["x"], listed[0]["r"].shape[1])
    for i, run in enumerate(listed):
        for name in ("w", "r"):
            run[name] = run[name][order]
        run["bias"] = run["bias"].sum(axis=0, dtype=run["bias"].dtype)[order]
        last, steps, c = lstm(builder, **run, c=starts[i], name=node.name)
        found.append((steps, (last, c)))
    return _joined(builder, found, node.name)


def _gru(builder: Builder, node: Node) -> tuple[Tensor, ...]:
    listed = _runs(node, 3)
    reset_first = not node.take("linear_before_reset", 0)
    found = []
    for run in listed:
        w, r, bias = run["w"], run["r"], run["bias"]
        run["bias"] = both = bias.sum(axis=0, dtype=bias.dtype)
        if not reset_first:
            run["w"] = np.concatenate([w, np.zeros_like(w[:1])])
            run["r"] = np.concatenate([r[:2], np.zeros_like(r[:1]), r[2:]])
            run["bias"] = np.stack([both[0], both[1], bias[0, 2], bias[1, 2]])
        last, steps = gru(builder, **run, name=node.name)
        found.append((steps, (last,)))
    return _joined(builder, found, node.name)


Outputs = Tensor | tuple[Tensor, ...]

OPERATORS: dict[str, Callable[[Builder, Node], Outputs]] = {
    "Abs": _unary("absolute"),
    "Add": _binary("add"),
    "ArgMax": _argmax,
    "AveragePool": _pool("mean"),
    "BatchNormalization": _batch_norm,
    "Cast": _cast,
    "Concat": _concat,
    "Constant": _constant,
    "Conv": _convolution,
    "Exp": _unary("exponent"),
    "Flatten": _flatten,
    "Gather": lambda builder, node: gather(
        builder, node.input(0), node.input(1), node.take("axis", 0), name=node.name
    ),
    "GRU": _gru,
    "Gemm": _gemm,
    "GlobalAveragePool": _global_pool("mean"),
    "GlobalMaxPool": _global_pool("max"),
    "GroupNormalization": _group_norm,
    "Identity": lambda builder, node: node.input(0),
    "InstanceNormalization": _instance_norm,
    "LSTM": _lstm,
    "LayerNormalization": _layer_norm,
    "Log": _unary("logarithm"),
    "MatMul": lambda builder, node: matmul(
        builder, node.input(0), node.input(1), name=node.name
    ),
    "Max": _variadic("maximum"),
    "MaxPool": _pool("max"),
    "Min": _variadic("minimum"),
    "Mul": _binary("multiply"),
    "Neg": _unary("negate"),
    "Pad": _pad,
    "RandomNormal": _random(
        "normal", ("mean", 0.0), lambda node: float(node.take("scale", 1.0))
    ),
    "RandomUniform": _random(
        "uniform", ("low", 0.0),
        lambda node: float(node.take("high", 1.0)) - float(node.take("low", 0.0)),
    ),
    "Reciprocal": _unary("invert"),
    "ReduceMax": _reduce("reduce_max"),
    "ReduceMean": _reduce("reduce_sum", mean=True),
    "ReduceMin": _reduce("reduce_min"),
    "ReduceSum": _reduce("reduce_sum"),
    "Relu": _unary("relu"),
    "Reshape": _reshape,
    "Sigmoid": _unary("logistic"),
    "Slice": _slice,
    "Softmax": _softmax,
    "Sqrt": _unary("square_root"),
    "Squeeze": _squeeze,
    "Sub": _binary("subtract"),
    "Sum": _variadic("add"),
    "Tanh": _unary("hyperbolic_tangent"),
    "TopK": _top_k,
    "Transpose": _transpose,
    "Unsqueeze": _unsqueeze,
}
"""What each operator does, by name."""
