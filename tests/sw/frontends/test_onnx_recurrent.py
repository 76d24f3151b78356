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
    changes: dict[str, Any], states: int, other: dict[str, tuple[int, ...]] | None = None,
) -> tuple[onnx.ModelProto, dict[str, NDArray[Any]]]:  # fmt: skip
    random = np.random.default_rng(SEED)
    gates = GATES[operator]
    kind = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
    runs = 1 + (changes.get("direction") == "bidirectional")
    shapes = {"w": (runs, gates * units, inputs), "r": (runs, gates * units, units),
              "b": (runs, 2 * gates * units), "x": (steps, batch, inputs)}  # fmt: skip
    names = ["h", "c"][:states]
    shapes |= dict.fromkeys(names, (runs, batch, units)) | (other or {})
    values = {name: random.normal(size=shape) for name, shape in shapes.items()}
    constants = {name: (values[name] / 3).astype(dtype) for name in ("w", "r", "b")}
    arrays = {name: values[name].astype(dtype) for name in ("x", *names)}
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


def reference(
    proto: onnx.ModelProto, arrays: dict[str, NDArray[Any]], direction: str
) -> list[NDArray[Any]]:
    """Return the outputs by runs forward, which is all that the evaluator knows."""
    alone = onnx.ModelProto()
    alone.CopyFrom(proto)
    attributes = alone.graph.node[0].attribute
    for attribute in [a for a in attributes if a.name == "direction"]:
        attributes.remove(attribute)
    backwards = {"forward": [False], "reverse": [True], "bidirectional": [False, True]}[direction]
    found = []
    for run, backward in enumerate(backwards):
        for mine, given in zip(alone.graph.initializer, proto.graph.initializer, strict=True):
            value = numpy_helper.to_array(given)[run : run + 1]
            mine.CopyFrom(numpy_helper.from_array(value, given.name))
        own = {name: a if name == "x" else a[run : run + 1] for name, a in arrays.items()}
        if backward:
            own["x"] = own["x"][::-1]
        y, *rest = in_float64(alone, own)
        found.append([y[::-1] if backward else y, *rest])
    ys, *states = zip(*found, strict=True)
    return [np.concatenate(ys, axis=1), *(np.concatenate(each) for each in states)]


@pytest.mark.parametrize("dtype", ["float16", "float32"])
@pytest.mark.parametrize(
    ("operator", "steps", "batch", "inputs", "units", "changes", "tiles"),
    [
        ("LSTM", 3, 1, 5, 8, {}, 1),
        ("LSTM", 2, 1, 40, 24, {"direction": "reverse"}, 3),
        ("LSTM", 2, 3, 4, 12, {}, 2),
        ("LSTM", 2, 2, 3, 5, {}, 1),
        ("LSTM", 3, 2, 4, 8, {"direction": "bidirectional"}, 2),
        ("GRU", 3, 1, 5, 8, {}, 1),
        ("GRU", 2, 1, 40, 24, {}, 3),
        ("GRU", 2, 3, 4, 12, {}, 2),
        ("GRU", 2, 2, 3, 5, {}, 1),
        ("GRU", 2, 1, 4, 8, {"direction": "bidirectional"}, 1),
        ("GRU", 2, 1, 5, 8, {"linear_before_reset": 0}, 1),
        ("GRU", 2, 3, 4, 5, {"linear_before_reset": 0, "direction": "reverse"}, 2),
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
    wanted = reference(proto, arrays, changes.get("direction", "forward"))
    for got, want in zip(found, wanted, strict=True):
        assert got.shape == want.shape
        np.testing.assert_allclose(got, want, 0, TOLERANCE[dtype], err_msg=f"seed {SEED}")


@pytest.mark.parametrize(
    ("operator", "changes", "message"),
    [
        ("LSTM", {"direction": "sideways"}, "direction must be forward, reverse, bidirectional"),
        ("LSTM", {"hidden_size": 3}, "hidden_size must be that of the weights, 4"),
        ("LSTM", {"clip": 1.0}, "attribute clip is not supported"),
    ],
)
def test_mistakes(operator: str, changes: dict[str, Any], message: str) -> None:
    proto, _ = model_of(operator, "float32", 1, 1, 2, 4, changes, 1)
    with pytest.raises(ModelError, match=message):
        import_model(check(proto), ChipConfig(tiles=1))


@pytest.mark.parametrize(("changes", "message"), [
    ({"w": (1, 16, 2)}, r"input 1 must be of 2 directions, not \(1, 16, 2\)"),
    ({"r": (3, 16, 4)}, r"input 2 must be of 2 directions, not \(3, 16, 4\)"),
    ({"b": (1, 32)}, r"input 3 must be of 2 directions, not \(1, 32\)"),
    ({"h": (1, 1, 4)}, r"input 5 must have shape \(2, 1, 4\), not \(1, 1, 4\)"),
    ({"c": (2, 1, 3)}, r"input 6 must have shape \(2, 1, 4\), not \(2, 1, 3\)"),
])  # fmt: skip
def test_shapes(changes: dict[str, tuple[int, ...]], message: str) -> None:
    direction = {"direction": "bidirectional"}
    proto, _ = model_of("LSTM", "float32", 1, 1, 2, 4, direction, 2, changes)
    with pytest.raises(ModelError, match=message):
        import_model(check(proto), ChipConfig(tiles=1))
