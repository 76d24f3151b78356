"""Operators that move or select elements against onnx's reference evaluator."""

import numpy as np
import pytest
from onnx.reference import ReferenceEvaluator

from openipu.rtl.config import ChipConfig
from openipu.sw.frontends.onnx import ModelError, check
from openipu.sw.model import compile_model
from tests.sw.frontends.moves import CASES, TOP, Case, floats, i64
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
        (Case("GlobalMaxPool", [floats(1, 2, 3, 3, 3)]),
         r"a picture must have 1 or 2 dimensions, not the shape \(1, 2, 3, 3, 3\)$"),
    ],
    ids=str,
)  # fmt: skip
def test_unsupported(case: Case, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        compile_model(check(case.model()), ChipConfig(), batch=1)

