"""Operators and whole models against onnx's reference evaluator in float64, and bad input."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

from openipu.rtl.config import ChipConfig
from openipu.sw.engine import Engine
from openipu.sw.frontends.onnx import Model, ModelError, check, check_inputs, load
from openipu.sw.frontends.onnx_operators import OPERATORS, Node, apply
from openipu.sw.model import batch_for, compile_model, predict
from openipu.sw.ops.builder import Builder, OpError
from tests.sw.frontends import moves, test_onnx_recurrent

SEED = 7
ROOT = Path(__file__).resolve().parents[3]
TOLERANCE = {"float32": (1e-5, 2e-6), "float16": (2e-3, 1e-3), "int32": (0, 0), "int64": (0, 0)}
"""Relative and absolute, by dtype, of results against those of the independent reference."""

Shape = tuple[int | str, ...]


@dataclass
class Case:
    """A model of one node: shapes of its inputs, constant inputs, attributes."""

    operator: str
    inputs: list[Shape]
    constants: list[NDArray[Any]] = field(default_factory=list)
    attributes: dict[str, Any] = field(default_factory=dict)
    opset: int = 17
    output: int = TensorProto.FLOAT
    input: int = TensorProto.FLOAT

    def __str__(self) -> str:
        shapes = [*self.inputs, *(c.shape for c in self.constants)]
        kind = "f16" if self.input == TensorProto.FLOAT16 else ""
        return f"{self.operator}{kind}{shapes}{self.attributes or ''}".replace(" ", "")


def make(
    nodes: list[onnx.NodeProto], inputs: dict[str, Shape], constants: dict[str, NDArray[Any]],
    output: str, opset: int = 17, output_type: int = TensorProto.FLOAT,
    input_type: int = TensorProto.FLOAT,
) -> onnx.ModelProto:  # fmt: skip
    """Return a model with one output, whose shape onnx infers where it can."""
    graph = helper.make_graph(
        nodes,
        "test",
        [helper.make_tensor_value_info(n, input_type, s) for n, s in inputs.items()],
        [helper.make_tensor_value_info(output, output_type, None)],
        [numpy_helper.from_array(value, name) for name, value in constants.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)
    model = onnx.shape_inference.infer_shapes(model)
    shape = model.graph.output[0].type.tensor_type.shape
    if not model.graph.output[0].type.tensor_type.HasField("shape"):
        shape.dim.add().dim_param = "unknown"
    return model


def proto_of(case: Case) -> onnx.ModelProto:
    inputs = {f"x{i}": shape for i, shape in enumerate(case.inputs)}
    constants = {f"c{i}": value for i, value in enumerate(case.constants)}
    node = helper.make_node(
        case.operator, [*inputs, *constants], ["y"], name="the_node", **case.attributes
    )
    return make([node], inputs, constants, "y", case.opset, case.output, case.input)


def run(
    model: Model, arrays: dict[str, NDArray[Any]], config: ChipConfig, backend: str = "golden"
) -> dict[str, NDArray[Any]]:
    inputs, samples = check_inputs(model, arrays)
    compiled = compile_model(model, config, batch=batch_for(model, samples))
    with Engine(compiled.executable, backend, compare=backend != "golden") as engine:
        outputs = predict(engine, compiled, inputs, samples)
        if engine.scoreboard:
            assert engine.scoreboard.mismatches == 0, engine.scoreboard.first
    return outputs


def assert_close(got: NDArray[Any], wanted: NDArray[Any]) -> None:
    assert got.shape == wanted.shape
    relative, absolute = TOLERANCE[got.dtype.name]
    np.testing.assert_allclose(got, wanted, relative, absolute, err_msg=f"seed {SEED}")


def reference(proto: onnx.ModelProto, arrays: dict[str, NDArray[Any]]) -> NDArray[Any]:
    """Return the first output, computed in float64: from float32 values, but with its precision."""
    wide = onnx.ModelProto()
    wide.CopyFrom(proto)
    for tensor in wide.graph.initializer:
        if tensor.data_type in (TensorProto.FLOAT, TensorProto.FLOAT16):
            value = numpy_helper.to_array(tensor).astype(np.float64)
            tensor.CopyFrom(numpy_helper.from_array(value, tensor.name))
    values = {name: array.astype(np.float64) for name, array in arrays.items()}
    with np.errstate(all="ignore"):
        (result, *_) = ReferenceEvaluator(wide).run(None, values)
    return np.asarray(result)


def i64(*values: int) -> NDArray[np.int64]:
    return np.array(values, np.int64)


def f32(*shape: int) -> NDArray[np.float32]:
    return np.random.default_rng(SEED).normal(size=shape).astype(np.float32)


CASES = [
    *(Case(name, [("N", 5, 3)]) for name in ("Abs", "Exp", "Neg", "Relu", "Sigmoid", "Tanh")),
    Case("Reciprocal", [(17,)]), Case("Identity", [(3, 2)]), Case("Relu", [()]),
    *(Case(name, [(13, 7), (13, 7)]) for name in ("Add", "Sub", "Mul", "Max", "Min")),
    *(Case(name, [(6, 5), (5,)]) for name in ("Add", "Sub", "Mul")),
    Case("Sub", [(5,), (6, 5)]), Case("Add", [(4, 1), (1, 5)]), Case("Mul", [(64, 9)], [f32()]),
    Case("Add", [(64, 9)], [f32(9)]), Case("Sub", [], [f32(3, 4), f32(4)]),
    Case("Add", [(2, 3, 1), (4,)]), Case("Add", [(0, 3), (3,)]), Case("Mul", [(90, 2), (90, 1)]),
    Case("Sum", [(5,), (5,), (5,)]), Case("Max", [(2, 5), (5,), (2, 1)]),
    Case("Gemm", [("N", 6)], [f32(6, 4), f32(4)]),
    Case("Gemm", [("N", 6)], [f32(4, 6), f32(4)], {"transB": 1, "alpha": 0.5, "beta": 2.0}),
    Case("Gemm", [(6, 5), (6, 4)], [], {"transA": 1}),
    Case("Gemm", [(3, 5), (4, 5), (3, 1)], [], {"transB": 1, "alpha": 0.25, "beta": 0.5}),
    Case("Gemm", [(3, 5)], [f32(5, 4), f32()]), Case("Gemm", [(1, 400)], [f32(400, 3)]),
    Case("MatMul", [(37, 11)], [f32(11, 13)]), Case("MatMul", [(5, 8), (8, 6)]),
    Case("MatMul", [(2, 3, 4), (2, 4, 5)]), Case("MatMul", [(7,), (7, 3)]),
    Case("MatMul", [(3, 7), (7,)]), Case("MatMul", [(7,), (7,)]),
    Case("MatMul", [(2, 3, 4)], [f32(4, 5)]), Case("MatMul", [(3, 1, 2, 4), (2, 4, 2)]),
    Case("MatMul", [(3, 0)], [f32(0, 2)]), Case("MatMul", [(0, 3)], [f32(3, 2)]),
    Case("Reshape", [(6, 4)], [i64(2, -1, 4)]), Case("Reshape", [("N", 6)], [i64(0, 3, 2)]),
    Case("Flatten", [(3, 4, 5)]), Case("Flatten", [(3, 4, 5)], [], {"axis": 0}),
    Case("Flatten", [(3, 4, 5)], [], {"axis": -1}),
    Case("Transpose", [(7, 11)]), Case("Transpose", [(2, 3, 5)], [], {"perm": [2, 0, 1]}),
    Case("Transpose", [("N", 3)], [], {"perm": [0, 1]}), Case("Transpose", [(70, 65)]),
    Case("ReduceSum", [(5, 6, 7)], [i64(1)]), Case("ReduceSum", [(5, 6, 7)], [i64(-1, 0)]),
    Case("ReduceSum", [(5, 6)], [], {"keepdims": 0}), Case("ReduceSum", [(40, 9)], [i64(0)]),
    Case("ReduceSum", [(5, 6)], [], {"noop_with_empty_axes": 1}),
    Case("ReduceSum", [(5, 6)], [], {"axes": [1], "keepdims": 0}, opset=11),
    Case("ReduceSum", [(3, 0)], [i64(1)]),
    Case("ReduceMax", [(5, 6)], [], {"axes": [1]}), Case("ReduceMin", [(5, 6)], [], {"axes": [0]}),
    Case("ReduceMean", [(5, 6)], [], {"axes": [0]}),
    Case("Softmax", [("N", 10)]), Case("Softmax", [(3, 4, 5)], [], {"axis": 1}),
    Case("Softmax", [(1, 1)]),
    Case("ArgMax", [(5, 10)], [], {"axis": 1, "keepdims": 0}, output=TensorProto.INT64),
    Case("ArgMax", [(5, 10)], output=TensorProto.INT64),
    Case("Constant", [], [], {"value_floats": [1.0, 2.0]}),
    Case("Constant", [], [], {"value": numpy_helper.from_array(f32(2, 2))}),
    Case("Squeeze", [(1, 5, 1)], [i64(0)]), Case("Squeeze", [(1, 5, 1)]),
    Case("Unsqueeze", [(5, 2)], [i64(0, -1)]),
]  # fmt: skip


def half(*args: Any, **changes: Any) -> Case:
    """Return a case whose inputs and output are float16."""
    return Case(*args, **{"input": TensorProto.FLOAT16, "output": TensorProto.FLOAT16} | changes)


def f16(*shape: int) -> NDArray[np.float16]:
    return f32(*shape).astype(np.float16)


CASES += [
    *(half(name, [("N", 5, 3)]) for name in ("Abs", "Exp", "Log", "Neg", "Relu", "Sigmoid", "Sqrt",
                                             "Tanh", "Reciprocal")),
    *(half(name, [(13, 7), (13, 7)]) for name in ("Add", "Sub", "Mul", "Max", "Min")),
    *(half("Add", [(64, width)], [f16(width)]) for width in (1, 2, 4, 9, 12)),
    half("Mul", [(64, 9)], [f16()]), half("Sub", [(5,), (6, 5)]), half("Add", [(0, 3), (3,)]),
    half("MatMul", [(5, 8)], [f16(8, 6)]),
    half("Gemm", [(3, 5), (4, 5), (3, 1)], [], {"transB": 1, "alpha": 0.25, "beta": 0.5}),
    half("ReduceSum", [(5, 6, 7)], [i64(1)]), half("Softmax", [("N", 10)]),
    half("ReduceMean", [(5, 6)], [], {"axes": [0]}), half("Transpose", [(7, 11)]),
    half("ArgMax", [(5, 10)], output=TensorProto.INT64), half("Reshape", [(6, 4)], [i64(8, 3)]),
    *(half("Cast", [(5, count)], [], {"to": TensorProto.FLOAT}, output=TensorProto.FLOAT)
      for count in (1, 2, 3, 4, 7)),
    *(Case("Cast", [(5, count)], [], {"to": TensorProto.FLOAT16}, output=TensorProto.FLOAT16)
      for count in (1, 2, 3, 4, 7)),
    Case("Cast", [(5, 3)], [], {"to": TensorProto.FLOAT}),
    half("Softmax", [("N", 12)]), half("Softmax", [(3, 8, 5)], [], {"axis": 1}),
    half("ReduceMean", [(7, 16)], [], {"axes": [-1]}),
]  # fmt: skip


def norms(make: Callable[..., NDArray[Any]], case: Callable[..., Case]) -> Iterator[Case]:
    """Return normalisations with rows of whole words and others."""
    positive = np.abs(make(6)) + make(6).dtype.type(0.1)
    for size in (12, 5):
        yield case("LayerNormalization", [(3, 4, size)], [make(size), make(size)])
        yield case("LayerNormalization", [("N", 4, size)], [make(4, size)], {"axis": 1})
        yield case("InstanceNormalization", [(2, 6, 3, size)], [make(6), make(6)])
        yield case("GroupNormalization", [(2, 6, size)], [make(6), make(6)], {"num_groups": 3},
                   opset=21)  # fmt: skip
        yield case("BatchNormalization", [(2, 6, size)], [make(6), make(6), make(6), positive])
    yield case("BatchNormalization", [("N", 6)], [make(6), make(6), make(6), positive],
               {"epsilon": 1e-3, "momentum": 0.5})  # fmt: skip


CASES += [*norms(f32, Case), *norms(f16, half)]


CASES += [
    Case("Conv", [(2, 3, 7, 6)], [f32(4, 3, 3, 3), f32(4)], {"auto_pad": "SAME_UPPER"}),
    Case("Conv", [(1, 4, 6, 9)], [f32(6, 2, 2, 3)], {"group": 2, "strides": [2, 1],
                                                    "pads": [1, 0, 0, 2]}),
    Case("Conv", [(1, 3, 11)], [f32(2, 3, 4)], {"dilations": [2], "pads": [1, 2]}),
    Case("Conv", [(1, 6, 5, 5)], [f32(6, 1, 3, 3)], {"group": 6, "kernel_shape": [3, 3]}),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=str)
def test_operator(case: Case) -> None:
    proto = proto_of(case)
    model = check(proto)
    random = np.random.default_rng(SEED)
    arrays = {
        port.name: random.normal(
            size=[9 if isinstance(size, str) else size for size in port.shape]
        ).astype(port.dtype)
        for port in model.inputs
    }
    if case.operator in ("Log", "Sqrt"):
        arrays = {name: np.abs(value) for name, value in arrays.items()}
    wanted = reference(proto, arrays)
    for tiles in (1, 3, 16):
        assert_close(run(model, arrays, ChipConfig(tiles=tiles))["y"], wanted)
    assert_close(run(model, arrays, ChipConfig(tiles=4), "iss")["y"], wanted)


def test_softmax_of_older_opsets_joins_dimensions() -> None:
    """The reference evaluator doesn't; operator specification, Softmax-11."""
    model = check(proto_of(Case("Softmax", [(2, 3, 4)], opset=11)))
    x = f32(2, 3, 4)
    e = np.exp(x.astype(np.float64)).reshape(2, 12)
    wanted = (e / e.sum(axis=1, keepdims=True)).reshape(2, 3, 4)
    assert_close(run(model, {"x0": x}, ChipConfig())["y"], wanted)


def test_every_operator_has_a_case() -> None:
    tested = {case.operator for case in CASES + moves.CASES} | set(moves.RANDOM)
    tested |= set(test_onnx_recurrent.GATES)
    assert tested == set(OPERATORS)


def network() -> onnx.ModelProto:
    """Return layers of which each needs the one before in another place."""
    nodes = [
        helper.make_node("MatMul", ["x", "w1"], ["a"]),
        helper.make_node("Add", ["a", "b1"], ["b"]),
        helper.make_node("Tanh", ["b"], ["c"]),
        helper.make_node("Transpose", ["c"], ["d"]),
        helper.make_node("MatMul", ["w2", "d"], ["e"]),
        helper.make_node("Transpose", ["e"], ["f"]),
        helper.make_node("Sub", ["f", "f2"], ["g"]),
        helper.make_node("ReduceMax", ["g"], ["f2b"], axes=[1]),
        helper.make_node("Mul", ["g", "f2b"], ["h"]),
        helper.make_node("Softmax", ["h"], ["y"], axis=-1),
    ]
    constants = {"w1": f32(13, 17), "b1": f32(17), "w2": f32(11, 17), "f2": f32(11)}
    return make(nodes, {"x": ("N", 13)}, constants, "y")


@pytest.mark.parametrize("tiles", [1, 2, 5, 7, 64])
def test_network(tiles: int) -> None:
    proto = network()
    x = {"x": np.random.default_rng(SEED).normal(size=(19, 13)).astype(np.float32)}
    assert_close(run(check(proto), x, ChipConfig(tiles=tiles))["y"], reference(proto, x))


def test_batches_join() -> None:
    """More samples than a batch, the last batch not full."""
    model = load(ROOT / "examples/digits/digits_mlp.onnx")
    pixels = np.load(ROOT / "examples/digits/digits_test.npz")["pixels"][:100]
    inputs, samples = check_inputs(model, {"pixels": pixels})
    compiled = compile_model(model, ChipConfig(tiles=3), batch=32)
    with Engine(compiled.executable) as engine:
        logits = predict(engine, compiled, inputs, samples)["logits"]
        assert engine.report.runs == 4
    assert logits.shape == (100, 10)
    assert_close(logits, reference(model.proto, {"pixels": pixels}))


def one(operator: str, **changes: Any) -> onnx.ModelProto:
    fields: dict[str, Any] = {"inputs": [(2, 3)]} | changes
    return proto_of(Case(operator, **fields))


@pytest.mark.parametrize(
    ("proto", "message"),
    [
        (one("Erf"), r"node the_node has the operator Erf, which is not supported; supported are "
                     r"Abs, Add, .*Unsqueeze$"),
        (one("Gelu", opset=20), r"node the_node has the operator Gelu, which is not supported"),
        (one("Relu", opset=6), r"the opset must be 7 or newer, not 6$"),
        (onnx.ModelProto(), r"is no ONNX model, or a truncated one$"),
        (make([helper.make_node("Relu", ["z"], ["y"])], {"x": (1,)}, {}, "y"),
         r"is not a valid ONNX model: .*z"),
        (one("Relu", inputs=[("N", "M")]), r"only the first size of an input may be left open"),
        (one("Relu", inputs=[(2, "N")]), r"only the first size of an input may be left open"),
    ],
)  # fmt: skip
def test_unsupported_models(proto: onnx.ModelProto, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        check(proto)


@pytest.mark.parametrize(
    ("proto", "message"),
    [
        (one("ArgMax", attributes={"select_last_index": 1}, output=TensorProto.INT64),
         r"node the_node \(ArgMax\): attribute select_last_index must be 0$"),
        (one("Softmax", attributes={"axis": 4}),
         r"node the_node \(Softmax\): the_node: axis must be from -2 to 1, not 4$"),
        (one("LayerNormalization", constants=[f32(3)], attributes={"axis": 2}),
         r"the_node: axis must be from -2 to 1, not 2$"),
        (one("InstanceNormalization", constants=[f32(3), f32(3)]),
         r"the operand must have batch, channels and more, not shape \(2, 3\)$"),
        (one("GroupNormalization", constants=[f32(3), f32(3)], attributes={"num_groups": 2},
             opset=21), r"groups must divide the 3 channels, not be 2$"),
        (one("GroupNormalization", constants=[f32(2), f32(3)], attributes={"num_groups": 3},
             opset=21), r"scale and bias must have shape \(3,\) or \(3,\), not \(2,\)$"),
        (one("BatchNormalization", constants=[f32(2)] * 4),
         r"parameters must have shape \(3,\), not \(2,\)$"),
        (one("BatchNormalization", constants=[f32(3)] * 4, attributes={"training_mode": 1}),
         r"attribute training_mode must be 0$"),
        (one("Add", inputs=[(2, 3), (4,)]),
         r"shapes must broadcast together, not \(2, 3\) and \(4,\)$"),
        (one("MatMul", inputs=[(2, 3), (4, 5)]),
         r"shapes must fit a matrix product, not \(2, 3\) and \(4, 5\)$"),
        (one("Gemm", inputs=[(2, 3), (3, 5), (3,)]), r"C must broadcast to \(2, 5\), not \(3,\)$"),
        (one("Reshape", constants=[i64(4, 2)]), r"\(2, 3\) can't be reshaped to \(4, 2\)$"),
        (one("Constant", inputs=[], attributes={"sparse_value": helper.make_sparse_tensor(
            numpy_helper.from_array(f32(1), "v"), numpy_helper.from_array(i64(0), "i"), [2])}),
         r"one of the attributes value, .* must be given$"),
    ],
)  # fmt: skip
def test_unsupported_nodes(proto: onnx.ModelProto, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        compile_model(check(proto), ChipConfig(), batch=1)


def test_unsupported_attribute_is_named_with_those_that_are() -> None:
    # A valid model has none that the operator doesn't know, so what is missing is taken away.
    node = helper.make_node("Softmax", ["x0"], ["y"], name="n", axis=1)
    builder = Builder(ChipConfig())
    x = builder.input("x0", (2, 3))
    with pytest.raises(OpError, match=r"^attribute beta is not supported; supported are axis$"):
        apply(builder, Node(node.name, "Softmax", {"axis": 1, "beta": 2}, [x], 17))


class TestInputs:
    model = check(one("Relu", inputs=[("N", 3)]))

    @pytest.mark.parametrize(
        ("arrays", "message"),
        [
            ({}, "input x0 is missing: the model's inputs are x0: float32 [N, 3]; given are "
                 "nothing"),
            ({"y": f32(2, 3)}, "input x0 is missing: the model's inputs are x0: float32 [N, 3]; "
                               "given are y"),
            ({"x0": f32(2, 4)}, "input must be x0: float32 [N, 3], not of shape [2, 4]"),
            ({"x0": f32(3)}, "input must be x0: float32 [N, 3], not of shape [3]"),
            ({"x0": np.zeros((2, 3))}, "input must be x0: float32 [N, 3], not float64"),
            ({"x0": f32(0, 3)}, "there must be at least 1 sample, not 0 (x0: float32 [N, 3])"),
        ],
    )  # fmt: skip
    def test_message(self, arrays: dict[str, NDArray[Any]], message: str) -> None:
        with pytest.raises(ModelError, match=f"^{re.escape(message)}$"):
            check_inputs(self.model, arrays)

    def test_samples_must_agree(self) -> None:
        model = check(one("Add", inputs=[("N", 3), ("N", 3)]))
        with pytest.raises(
            ModelError, match=r"^inputs must agree about N, but x1 has 4 and another 2$"
        ):
            check_inputs(model, {"x0": f32(2, 3), "x1": f32(4, 3)})


def test_files(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"none\.onnx: there is no such file$"):
        load(tmp_path / "none.onnx")
    whole = (ROOT / "examples/digits/digits_mlp.onnx").read_bytes()
    for content in (whole[:-100], b"not a model", b""):
        (tmp_path / "bad.onnx").write_bytes(content)
        with pytest.raises(ModelError, match=r"bad\.onnx is no(t a valid)? ONNX model"):
            load(tmp_path / "bad.onnx")
