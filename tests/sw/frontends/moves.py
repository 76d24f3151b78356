"""Models of operators that move or select elements: several inputs and outputs of any type."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

Array = NDArray[Any]
_random = np.random.default_rng(11)


@dataclass
class Case:
    """A model of one node: values of its inputs, constant inputs, attributes."""

    operator: str
    inputs: list[Array]
    constants: list[Array] = field(default_factory=list)
    attributes: dict[str, Any] = field(default_factory=dict)
    opset: int = 17
    outputs: tuple[int, ...] = ()

    def __str__(self) -> str:
        shapes = [f"{a.dtype.name}{a.shape}" for a in (*self.inputs, *self.constants)]
        return f"{self.operator}{shapes}{self.attributes or ''}".replace(" ", "")

    @property
    def arrays(self) -> dict[str, Array]:
        """The values of the inputs by name."""
        return {f"x{i}": value for i, value in enumerate(self.inputs)}

    def model(self) -> onnx.ModelProto:
        """Return the model."""
        constants = {f"c{i}": value for i, value in enumerate(self.constants)}
        kinds = self.outputs or (helper.np_dtype_to_tensor_dtype(self.inputs[0].dtype),)
        outputs = [f"y{i}" for i in range(len(kinds))]
        node = helper.make_node(
            self.operator, [*self.arrays, *constants], outputs, name="the_node", **self.attributes
        )
        graph = helper.make_graph(
            [node],
            "test",
            [
                helper.make_tensor_value_info(
                    name, helper.np_dtype_to_tensor_dtype(value.dtype), value.shape
                )
                for name, value in self.arrays.items()
            ],
            [
                helper.make_tensor_value_info(name, kind, None)
                for name, kind in zip(outputs, kinds, strict=True)
            ],
            [numpy_helper.from_array(value, name) for name, value in constants.items()],
        )
        opsets = [helper.make_opsetid("", self.opset)]
        model = helper.make_model(graph, opset_imports=opsets, ir_version=8)
        model = onnx.shape_inference.infer_shapes(model)
        for output in model.graph.output:
            if not output.type.tensor_type.HasField("shape"):
                output.type.tensor_type.shape.dim.add().dim_param = "unknown"
        return model


def floats(*shape: int, dtype: str = "float32") -> Array:
    """Return values among which there are equal ones."""
    return (_random.integers(-40, 40, shape) / 4).astype(dtype)


def whole(below: int, *shape: int) -> Array:
    """Return indices into a dimension of size `below`, negative ones among them."""
    return _random.integers(-below, below, shape)


def i64(*values: int) -> Array:
    """Return a constant row of int64."""
    return np.array(values, np.int64)


TOP = (TensorProto.FLOAT, TensorProto.INT64)
TOP16 = (TensorProto.FLOAT16, TensorProto.INT64)

CASES = [
    Case("Gather", [floats(9, 5), whole(9, 7)]), Case("Gather", [floats(9), whole(9, 2, 3)]),
    Case("Gather", [floats(9, 32), whole(9, 7)]), Case("Gather", [floats(9, 0), whole(9, 7)]),
    Case("Gather", [floats(3, 9, 4), whole(9, 2, 3)], [], {"axis": 1}),
    Case("Gather", [floats(9, 64, dtype="float16"), whole(9, 7)]),
    Case("Gather", [floats(4, 9, dtype="float16"), whole(9, 3)], [], {"axis": -1}),
    Case("Gather", [whole(99, 9, 4), whole(9, 13)]), Case("Gather", [floats(9, 4), whole(9, 0)]),
    Case("Gather", [floats(9, 4)], [whole(9, 2, 3)]),
    Case("Gather", [floats(3, 9, 4)], [i64(-1, 2)], {"axis": 1}),
    Case("TopK", [floats(7, 20)], [i64(3)], outputs=TOP),
    Case("TopK", [floats(7, 20)], [i64(20)], {"largest": 0}, outputs=TOP),
    Case("TopK", [floats(8, 3, 5)], [i64(2)], {"axis": 0}, outputs=TOP),
    Case("TopK", [floats(50)], [i64(1)], {"sorted": 0}, outputs=TOP),
    Case("TopK", [floats(5, 9, dtype="float16")], [i64(4)], {"axis": 1}, outputs=TOP16),
    *(Case(kind, [floats(2, channels, 9, 8, dtype=dtype)], [], attributes)
      for kind in ("MaxPool", "AveragePool")
      for dtype, channels in (("float32", 3), ("float16", 5))
      for attributes in (
          {"kernel_shape": [2, 2], "strides": [2, 2]},
          {"kernel_shape": [3, 3], "strides": [2, 1], "pads": [1, 1, 1, 1]},
          {"kernel_shape": [3, 2], "strides": [2, 3], "pads": [0, 1, 1, 0], "ceil_mode": 1},
          {"kernel_shape": [2, 3], "auto_pad": "SAME_UPPER"},
          {"kernel_shape": [9, 8]},
      )),
    Case("MaxPool", [floats(1, 1, 4, 6)], [], {"kernel_shape": [2, 2], "auto_pad": "SAME_LOWER"}),
    Case("MaxPool", [floats(1, 8, 7, 7)], [], {"kernel_shape": [2, 2], "dilations": [3, 2]}),
    Case("MaxPool", [floats(2, 3, 10)], [], {"kernel_shape": [3], "strides": [2]}),
    Case("AveragePool", [floats(2, 3, 10)], [], {"kernel_shape": [4], "pads": [2, 1]}),
    Case("AveragePool", [floats(1, 4, 6, 6)], [],
         {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1], "count_include_pad": 1}),
    *(Case(kind, [floats(2, 7, 5, 6, dtype=dtype)])
      for kind in ("GlobalMaxPool", "GlobalAveragePool") for dtype in ("float32", "float16")),
    Case("MaxPool", [floats(0, 3, 4, 4)], [], {"kernel_shape": [2, 2]}),
    Case("Concat", [floats(3, 5), floats(3, 2)], [], {"axis": 1}),
    Case("Concat", [floats(3, 5), floats(2, 5)], [floats(1, 5)], {"axis": -2}),
    Case("Concat", [floats(3, 5, dtype="float16"), floats(3, 0, dtype="float16")], [], {"axis": 1}),
    Case("Concat", [whole(9, 7)], [whole(9, 2)], {"axis": 0}),
    Case("Slice", [floats(7, 9)], [i64(1, -3), i64(6, 9)]),
    Case("Slice", [floats(7, 9)], [i64(-1), i64(-(1 << 62)), i64(1), i64(-2)]),
    Case("Slice", [floats(7, 9)], [], {"starts": [2], "ends": [99], "axes": [1]}, opset=9),
    Case("Pad", [floats(3, 5)], [i64(1, 0, 2, 3), np.array(2.5, np.float32)]),
    Case("Pad", [floats(3, 5, dtype="float16")], [i64(0, 1, 0, 2)]),
    Case("Pad", [floats(3, 5)], [], {"pads": [0, 1, 1, 0], "value": -1.0}, opset=10),
    *(Case("Pad", [floats(3, 5)], [i64(1, 2, 0, 3)], {"mode": mode})
      for mode in ("edge", "reflect")),
]  # fmt: skip
"""Every operator of these at least once; the inputs are values that tiles compute with exactly."""

RANDOM = {
    "RandomUniform": {"low": -1.0, "high": 3.0},
    "RandomNormal": {"mean": 1.0, "scale": 2.0},
}
"""Operators whose results nothing else can compute, with attributes."""
