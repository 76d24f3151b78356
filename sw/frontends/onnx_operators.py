"""The ONNX operators that are supported, each as operations of `openipu.sw.ops`.

An operator gets its node with the inputs as tensors; it takes the attributes that it knows with
`Node.take`, and whatever is left is reported as unsupported.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import TensorProto

from openipu.sw.graph import View
from openipu.sw.ops.builder import Builder, OpError, Tensor
from openipu.sw.ops.elementwise import binary, cast, unary
from openipu.sw.ops.matmul import matmul
from openipu.sw.ops.rearrange import reshape, transpose
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
    return [result]


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
        result = reduce(builder, function, x, axes, keep=keep, name=node.name)
        if not mean:
            return result
        count = prod(x.shape[axis] for axis in axes)
        return _times(builder, result, 1.0 / max(count, 1), node.name)

    return apply_reduce


def _softmax(builder: Builder, node: Node) -> Tensor:
    x = node.input(0)
    if node.opset >= 13:
        return softmax(builder, x, node.take("axis", -1), name=node.name)
    # Before, everything from the axis on was one dimension.
    axis = _axis(node.take("axis", 1), len(x.shape))
    rows = x.reshape(prod(x.shape[:axis]), prod(x.shape[axis:]))
    return softmax(builder, rows, 1, name=node.name).reshape(*x.shape)


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


OPERATORS: dict[str, Callable[[Builder, Node], Tensor]] = {
    "Abs": _unary("absolute"),
    "Add": _binary("add"),
    "ArgMax": _argmax,
    "Cast": _cast,
    "Constant": _constant,
    "Exp": _unary("exponent"),
    "Flatten": _flatten,
    "Gemm": _gemm,
    "Identity": lambda builder, node: node.input(0),
    "Log": _unary("logarithm"),
    "MatMul": lambda builder, node: matmul(
        builder, node.input(0), node.input(1), name=node.name
    ),
    "Max": _variadic("maximum"),
    "Min": _variadic("minimum"),
    "Mul": _binary("multiply"),
    "Neg": _unary("negate"),
    "Reciprocal": _unary("invert"),
    "ReduceMax": _reduce("reduce_max"),
    "ReduceMean": _reduce("reduce_sum", mean=True),
    "ReduceMin": _reduce("reduce_min"),
    "ReduceSum": _reduce("reduce_sum"),
    "Relu": _unary("relu"),
    "Reshape": _reshape,
    "Sigmoid": _unary("logistic"),
    "Softmax": _softmax,
    "Sqrt": _unary("square_root"),
    "Squeeze": _squeeze,
    "Sub": _binary("subtract"),
    "Sum": _variadic("add"),
    "Tanh": _unary("hyperbolic_tangent"),
    "Transpose": _transpose,
    "Unsqueeze": _unsqueeze,
}
"""What each operator does, by name."""
