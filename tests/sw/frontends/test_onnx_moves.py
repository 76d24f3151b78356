"""Operators that move or select elements against onnx's reference evaluator."""

import numpy as np
import pytest
from onnx import TensorProto
from onnx.reference import ReferenceEvaluator

from openipu.rtl.config import ChipConfig
from openipu.sw.frontends.onnx import ModelError, check
from openipu.sw.model import compile_model
from tests.sw.frontends.moves import CASES, RANDOM, TOP, Case, floats, i64
from tests.sw.frontends.test_onnx import TOLERANCE, run


@pytest.mark.parametrize("case", CASES, ids=str)
def test_operator(case: Case) -> None:
    proto = case.model()
    wanted = [np.asarray(y) for y in ReferenceEvaluator(proto).run(None, case.arrays)]
    model = check(proto)
    runs = [run(model, case.arrays, ChipConfig(tiles=tiles)) for tiles in (1, 3, 16)]
    runs.append(run(model, case.arrays, ChipConfig(tiles=2), "iss"))
    for outputs in runs:
        for result, value in zip(outputs.values(), wanted, strict=True):
            assert result.shape == value.shape
            exact = "Average" not in case.operator
            relative, absolute = (0, 0) if exact else TOLERANCE[result.dtype.name]
            np.testing.assert_allclose(result, value, relative, absolute)


@pytest.mark.parametrize("operator", RANDOM)
@pytest.mark.parametrize("dtype", [TensorProto.FLOAT, TensorProto.FLOAT16])
def test_random_numbers(operator: str, dtype: int) -> None:
    attributes = RANDOM[operator] | {"seed": 3.5, "shape": [4, 500], "dtype": dtype}
    outputs = [
        run(check(Case(operator, [], [], attributes, outputs=(dtype,)).model()), {}, config)["y0"]
        for config in (ChipConfig(tiles=3), ChipConfig(tiles=3))
    ]
    np.testing.assert_array_equal(outputs[0], outputs[1])
    values = outputs[0].astype(np.float64)
    assert values.shape == (4, 500)
    assert abs(values.mean() - 1) < 0.2
    if operator == "RandomUniform":
        assert -1 <= values.min() < values.max() < 3.01
    else:
        assert abs(values.std() - 2) < 0.2


@pytest.mark.parametrize(
    ("case", "message"),
    [
        (Case("Gather", [floats(3, 2)], [i64(1, 3)]), r"indices must be from -3 to 2, not 3$"),
        (Case("Gather", [floats(3, 2)], [i64(1)], {"axis": 2}), r"axis must be from -2 to 1"),
        (Case("TopK", [floats(3, 2)], [i64(3)], outputs=TOP),
         r"k must be from 1 to the dimension's size 2, not 3$"),
        (Case("TopK", [floats(3, 2), np.array([1])], outputs=TOP), r"x1\) must be a constant$"),
        (Case("MaxPool", [floats(1, 2, 3, 3)], [], {"kernel_shape": [4, 1]}),
         r"a window of 4 must fit into 3 and its padding$"),
        (Case("MaxPool", [floats(1, 2, 3, 3)], [], {"kernel_shape": [2, 2], "pads": [0, 0, 0, 3]}),
         r"a window of 2 has no element of 3$"),
        (Case("MaxPool", [floats(1, 2, 3, 3)], [], {
            "kernel_shape": [2, 2], "strides": [0, 1], "auto_pad": "SAME_UPPER"}),
         r"attribute strides must be 2 numbers from 1 up, not \[0, 1\]$"),
        (Case("MaxPool", [floats(1, 2, 3, 3)], [], {"kernel_shape": [2, 2], "pads": [1, 1]}),
         r"attribute pads must be 4 numbers from 0 up, not \[1, 1\]$"),
        (Case("GlobalMaxPool", [floats(1, 2, 3, 3, 3)]),
         r"a picture must have 1 or 2 dimensions, not the shape \(1, 2, 3, 3, 3\)$"),
        (Case("Concat", [floats(2, 3), floats(3, 2)], [], {"axis": 0}),
         r"shapes must be equal but for dimension 0, not \(2, 3\) and \(3, 2\)$"),
        (Case("Pad", [floats(2, 3)], [i64(1, 1)]), r"pads must have 4 numbers, not 2$"),
        (Case("Pad", [floats(0, 3)], [i64(1, 1, 1, 1)], {"mode": "edge"}),
         r"mode edge needs elements, but the shape is \(0, 3\)$"),
        (Case("RandomUniform", [], [], {"shape": [3]}, outputs=(1,)), r"attribute seed must be"),
    ],
    ids=str,
)  # fmt: skip
def test_unsupported(case: Case, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        compile_model(check(case.model()), ChipConfig(), batch=1)

