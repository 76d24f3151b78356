"""LSTM and GRU against onnx's reference evaluator in float64, every output."""

from typing import Any

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

from openipu.rtl.config import ChipConfig
from openipu.sw.compiler import compile
from openipu.sw.engine import Engine
from openipu.sw.frontends.onnx import ModelError, check, import_model
from openipu.sw.graph import View

SEED = 9
TOLERANCE = {"float16": 6e-3, "float32": 3e-6}
GATES = {"LSTM": 4, "GRU": 3}


def model_of(
    operator: str, dtype: str, steps: int, batch: int, inputs: int, units: int,
    changes: dict[str, Any], states: int,
) -> tuple[onnx.ModelProto, dict[str, NDArray[Any]]]:  # fmt: skip
    random = np.random.default_rng(SEED)
    gates = GATES[operator]
    kind = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
    shapes = {"w": (1, gates * units, inputs), "r": (1, gates * units, units),
              "b": (1, 2 * gates * units)}  # fmt: skip
    constants = {name: (random.normal(size=s) / 3).astype(dtype) for name, s in shapes.items()}
    names = ["h", "c"][:states]
    arrays = {"x": random.normal(size=(steps, batch, inputs)).astype(dtype)} | {
        name: random.normal(size=(1, batch, units)).astype(dtype) for name in names
    }
    outputs = ["y", "y_h", *(["y_c"] if operator == "LSTM" else [])]
    attributes: dict[str, Any] = {"hidden_size": units} | changes
    if operator == "GRU":
        attributes = {"linear_before_reset": 1} | attributes
    node = helper.make_node(operator, ["x", "w", "r", "b", "", *names], outputs, **attributes)
    graph = helper.make_graph(
        [node], "test",
        [helper.make_tensor_value_info(n, kind, a.shape) for n, a in arrays.items()],
        [helper.make_tensor_value_info(n, kind, None) for n in outputs],
        [numpy_helper.from_array(value, name) for name, value in constants.items()],
    )  # fmt: skip
    proto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    return onnx.shape_inference.infer_shapes(proto), arrays


def in_float64(proto: onnx.ModelProto, arrays: dict[str, NDArray[Any]]) -> list[Any]:
    wide = onnx.ModelProto()
    wide.CopyFrom(proto)
    for tensor in wide.graph.initializer:
        value = numpy_helper.to_array(tensor).astype(np.float64)
        tensor.CopyFrom(numpy_helper.from_array(value, tensor.name))
    for value in (*wide.graph.input, *wide.graph.output):
        value.type.tensor_type.elem_type = TensorProto.DOUBLE
    return list(ReferenceEvaluator(wide).run(
        None, {name: array.astype(np.float64) for name, array in arrays.items()}
    ))  # fmt: skip


@pytest.mark.parametrize("dtype", ["float16", "float32"])
@pytest.mark.parametrize(
    ("operator", "steps", "batch", "inputs", "units", "changes", "tiles"),
    [
        ("LSTM", 3, 1, 5, 8, {}, 1),
        ("LSTM", 2, 1, 40, 24, {"direction": "reverse"}, 3),
        ("LSTM", 2, 3, 4, 12, {}, 2),
        ("LSTM", 2, 2, 3, 5, {}, 1),
        ("GRU", 3, 1, 5, 8, {}, 1),
        ("GRU", 2, 1, 40, 24, {}, 3),
        ("GRU", 2, 3, 4, 12, {}, 2),
        ("GRU", 2, 2, 3, 5, {}, 1),
    ],
)
def test_recurrent(
    operator: str, dtype: str, steps: int, batch: int, inputs: int, units: int,
    changes: dict[str, Any], tiles: int,
) -> None:  # fmt: skip
    states = 2 if operator == "LSTM" else 1
    proto, arrays = model_of(operator, dtype, steps, batch, inputs, units, changes, states)
    imported = import_model(check(proto), ChipConfig(tiles=tiles))
    executable = compile(imported.graph, imported.program, ChipConfig(tiles=tiles))
    with Engine(executable, "iss", compare=True) as engine:
        for name, array in arrays.items():
            engine.write(name, array)
        engine.run()
        assert engine.scoreboard
        assert engine.scoreboard.mismatches == 0, f"seed {SEED}: {engine.scoreboard.first}"
        found = []
        for tensor in imported.outputs.values():
            assert isinstance(tensor.data, View)
            found.append(tensor.read(engine.read(tensor.data.variable).reshape(-1)))
    if changes:  # the reference knows only forward: time turned round
        turned = arrays | {"x": arrays["x"][::-1]}
        proto.graph.node[0].attribute.remove(
            next(a for a in proto.graph.node[0].attribute if a.name == "direction")
        )
        y, *rest = in_float64(proto, turned)
        wanted = [y[::-1], *rest]
    else:
        wanted = in_float64(proto, arrays)
    for got, want in zip(found, wanted, strict=True):
        assert got.shape == want.shape
        np.testing.assert_allclose(got, want, 0, TOLERANCE[dtype], err_msg=f"seed {SEED}")


@pytest.mark.parametrize(
    ("operator", "changes", "message"),
    [
        ("LSTM", {"direction": "bidirectional"}, "direction must be forward or reverse"),
        ("LSTM", {"hidden_size": 3}, "hidden_size must be that of the weights, 4"),
        ("LSTM", {"clip": 1.0}, "attribute clip is not supported"),
        ("GRU", {"linear_before_reset": 0}, "linear_before_reset must be 1, not 0"),
    ],
)
def test_mistakes(operator: str, changes: dict[str, Any], message: str) -> None:
    proto, _ = model_of(operator, "float32", 1, 1, 2, 4, changes, 1)
    with pytest.raises(ModelError, match=message):
        import_model(check(proto), ChipConfig(tiles=1))
