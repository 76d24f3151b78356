"""ONNX models: read, check, and turn into a graph and a program."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from google.protobuf.message import DecodeError
from numpy.typing import NDArray
from onnx import helper, numpy_helper

from openipu.rtl.config import ChipConfig
from openipu.sw.frontends.onnx_operators import OPERATORS, Node, apply
from openipu.sw.graph import Graph
from openipu.sw.ops.builder import Builder, Tensor
from openipu.sw.program import Program

DTYPES = {
    "float32": "float32", "float16": "float16", "int32": "int32", "int64": "int32",
    "uint32": "uint32",
}  # fmt: skip
"""Element types of inputs, and what they are on the tiles."""

MIN_OPSET = 7


class ModelError(ValueError):
    """A model can't be read or isn't supported; the message says which rule it breaks."""


@dataclass(frozen=True)
class Port:
    """An input or output as the model declares it: sizes are ints, or a str where left open."""

    name: str
    shape: tuple[int | str, ...]
    dtype: str

    def __str__(self) -> str:
        return f"{self.name}: {self.dtype} [{', '.join(map(str, self.shape))}]"


@dataclass(frozen=True)
class Model:
    """An ONNX model that has been checked.

    Attributes
    ----------
    proto : ModelProto
    name : str
        For messages.
    inputs, outputs : tuple of Port
        Initialisers aren't inputs.
    batch : str or None
        The one size that is left open, which is the first of every input that has it.
    """

    proto: onnx.ModelProto
    name: str
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    batch: str | None


@dataclass(frozen=True)
class Imported:
    """A model as graph and program. `outputs` are in the model's order."""

    model: Model
    graph: Graph
    program: Program
    inputs: dict[str, Tensor]
    outputs: dict[str, Tensor]
    batch: int


def load(path: str | Path) -> Model:
    """Read and check a model file.

    Raises ModelError for what is no valid model or uses something unsupported.
    """
    file = Path(path)
    if not file.is_file():
        raise ModelError(f"{file}: {'a folder' if file.is_dir() else 'there is no such file'}")
    try:
        proto = onnx.load(file)
    except DecodeError:
        raise ModelError(f"{file} is no ONNX model, or a truncated one") from None
    except Exception as error:  # whatever external data does
        raise ModelError(f"{file} can't be read: {error}") from None
    return check(proto, str(file))


def check(proto: onnx.ModelProto, name: str = "model") -> Model:
    """Check a model; raises ModelError."""
    if not proto.ByteSize() or not proto.HasField("graph"):
        raise ModelError(f"{name} is no ONNX model, or a truncated one")
    try:
        onnx.checker.check_model(proto)
    except (onnx.checker.ValidationError, TypeError, ValueError) as error:
        raise ModelError(f"{name} is not a valid ONNX model: {_first_line(error)}") from None
    opset = next((o.version for o in proto.opset_import if o.domain in ("", "ai.onnx")), 0)
    if opset < MIN_OPSET:
        raise ModelError(f"{name}: the opset must be {MIN_OPSET} or newer, not {opset}")
    constants = {tensor.name for tensor in proto.graph.initializer}
    inputs = tuple(_port(name, v) for v in proto.graph.input if v.name not in constants)
    outputs = tuple(_port(name, v) for v in proto.graph.output)
    for index, node in enumerate(proto.graph.node):
        supported = node.domain in ("", "ai.onnx") and node.op_type in OPERATORS
        if not supported:
            raise ModelError(
                f"{name}: node {node_name(node, index)} has the operator "
                f"{f'{node.domain}.' if node.domain else ''}{node.op_type}, which is not "
                f"supported; supported are {', '.join(sorted(OPERATORS))}"
            )
    sizes = dict.fromkeys(s for port in inputs for s in port.shape if isinstance(s, str))
    batch: str | None = next(iter(sizes), None)
    for port in inputs:
        for axis, size in enumerate(port.shape):
            if isinstance(size, str) and (size != batch or axis):
                raise ModelError(
                    f"{name}: only the first size of an input may be left open, and only under "
                    f"one name, not {size!r} of {port}"
                )
    return Model(proto, name, inputs, outputs, batch)


def import_model(model: Model, config: ChipConfig, *, batch: int = 1) -> Imported:
    """Turn a model into a graph for a machine, with `batch` for the size that it leaves open.

    Raises ModelError.
    """
    if not isinstance(batch, int) or batch < 1:
        raise ModelError(f"batch must be an int from 1 on, not {batch!r}")
    builder = Builder(config)
    values: dict[str, Tensor] = {}
    for tensor in model.proto.graph.initializer:
        values[tensor.name] = Tensor(tensor.name, _narrow(numpy_helper.to_array(tensor)))
    inputs = {}
    for port in model.inputs:
        shape = tuple(batch if isinstance(size, str) else size for size in port.shape)
        if port.dtype not in DTYPES:
            raise ModelError(
                f"{model.name}: inputs must be of {', '.join(DTYPES)}, not {port.dtype} ({port})"
            )
        inputs[port.name] = values[port.name] = builder.input(
            port.name, shape, DTYPES[port.dtype]
        )
    opset = next(o.version for o in model.proto.opset_import if o.domain in ("", "ai.onnx"))
    for index, proto in enumerate(model.proto.graph.node):
        node = Node(
            name=node_name(proto, index),
            operator=proto.op_type,
            attributes={a.name: _attribute(a) for a in proto.attribute},
            inputs=[values[name] if name else None for name in proto.input],
            opset=opset,
        )
        try:
            results = apply(builder, node)
        except ValueError as error:
            raise ModelError(
                f"{model.name}: node {node.name} ({node.operator}): {error}"
            ) from None
        for name, result in zip(proto.output, results, strict=False):
            values[name] = result
        for name in proto.output[len(results) :]:
            if name:
                raise ModelError(
                    f"{model.name}: node {node.name} ({node.operator}): output {name} is one "
                    f"that is not supported"
                )
    outputs = {port.name: values[port.name] for port in model.outputs}
    return Imported(model, builder.graph, builder.program, inputs, outputs, batch)


def check_inputs(
    model: Model, arrays: Mapping[str, NDArray[Any]]
) -> tuple[dict[str, NDArray[Any]], int]:
    """Return the model's inputs from `arrays`, converted, and the number of samples.

    That is the size left open, or 1. Arrays of other names are ignored unless an input is missing.
    Raises ModelError with what is expected and what was given.
    """
    expected = "; ".join(map(str, model.inputs)) or "none"
    samples: int | None = None
    chosen = {}
    for port in model.inputs:
        if port.name not in arrays:
            given = ", ".join(arrays) or "nothing"
            raise ModelError(
                f"input {port.name} is missing: the model's inputs are {expected}; given are "
                f"{given}"
            )
        array = np.asarray(arrays[port.name])
        fits = len(array.shape) == len(port.shape) and all(
            isinstance(want, str) or want == got
            for want, got in zip(port.shape, array.shape, strict=True)
        )
        if not fits:
            raise ModelError(f"input must be {port}, not of shape {list(array.shape)}")
        if array.dtype.name != port.dtype:
            raise ModelError(f"input must be {port}, not {array.dtype.name}")
        if port.shape and isinstance(port.shape[0], str):
            if samples is not None and samples != array.shape[0]:
                raise ModelError(
                    f"inputs must agree about {model.batch}, but {port.name} has "
                    f"{array.shape[0]} and another {samples}"
                )
            samples = array.shape[0]
        chosen[port.name] = _narrow(array)
    if samples == 0:
        raise ModelError(f"there must be at least 1 sample, not 0 ({expected})")
    return chosen, samples or 1


def node_name(node: onnx.NodeProto, index: int) -> str:
    """Return a node's name, or one made of its operator and position."""
    return node.name or f"{node.op_type.lower()}_{index}"


def _first_line(error: Exception) -> str:
    return next((line.strip() for line in str(error).splitlines() if line.strip()), "")


def _port(model: str, value: onnx.ValueInfoProto) -> Port:
    if not value.type.HasField("tensor_type"):
        raise ModelError(f"{model}: {value.name} must be a tensor")
    tensor = value.type.tensor_type
    dtype = helper.tensor_dtype_to_np_dtype(tensor.elem_type).name if tensor.elem_type else ""
    shape = tuple(
        dim.dim_value if dim.HasField("dim_value") else dim.dim_param or "?"
        for dim in tensor.shape.dim
    )
    return Port(value.name, shape, dtype)


def _attribute(attribute: onnx.AttributeProto) -> Any:
    value = helper.get_attribute_value(attribute)
    if isinstance(value, onnx.TensorProto):
        return _narrow(numpy_helper.to_array(value))
    return value.decode() if isinstance(value, bytes) else value


def _narrow(array: NDArray[Any]) -> NDArray[Any]:
    """Return int64 as int32, as the tiles have it, where the values fit."""
    if array.dtype != np.int64 or not array.size:
        return array.astype(np.int32) if array.dtype == np.int64 else array
    limits = np.iinfo(np.int32)
    if array.min() < limits.min or array.max() > limits.max:
        return array.clip(limits.min, limits.max).astype(np.int32)
    return array.astype(np.int32)
