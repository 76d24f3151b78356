"""Batches: how large they are, and what joins them."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, helper

from openipu.rtl.config import KIB, ChipConfig, TileConfig
from openipu.sw.compiler import OutOfMemoryError
from openipu.sw.engine import Engine
from openipu.sw.frontends.onnx import Model, ModelError, check, load
from openipu.sw.model import batch_for, batches_join, compile_model, fit_model, predict

DIGITS = Path(__file__).resolve().parents[2] / "examples" / "digits" / "digits_mlp.onnx"


def total() -> Model:
    """Return a model of the sum over all samples."""
    graph = helper.make_graph(
        [helper.make_node("ReduceSum", ["x"], ["y"], keepdims=0)],
        "total",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", 3])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [])],
    )
    opset = [helper.make_opsetid("", 13)]
    return check(helper.make_model(graph, opset_imports=opset, ir_version=8))


@pytest.mark.parametrize(("samples", "batch"), [(1, 1), (63, 63), (64, 64), (65, 64), (1000, 64)])
def test_batch_for(samples: int, batch: int) -> None:
    model = load(DIGITS)
    assert batches_join(model)
    assert batch_for(model, samples) == batch


def test_outputs_of_all_samples_take_one_batch() -> None:
    model = total()
    assert not batches_join(model)
    assert batch_for(model, 100) == 100
    x = {"x": np.arange(15, dtype=np.float32).reshape(5, 3)}
    compiled = compile_model(model, ChipConfig(), batch=5)
    with Engine(compiled.executable) as engine:
        assert predict(engine, compiled, x, 5)["y"] == 105
    compiled = compile_model(model, ChipConfig(), batch=2)
    with Engine(compiled.executable) as engine, pytest.raises(
        ModelError, match=r"^batch must be the number of samples, 5, not 2: an output is of all"
    ):
        predict(engine, compiled, x, 5)


def test_batch_shrinks_until_it_fits() -> None:
    model = load(DIGITS)
    small = ChipConfig(tiles=1, tile=TileConfig(banks=8, bank_bytes=4 * KIB))
    with pytest.raises(OutOfMemoryError):
        compile_model(model, small, batch=64)
    assert fit_model(model, small, 360).batch == 16
    with pytest.raises(OutOfMemoryError, match=r"(?s)tile 0 is out of memory: .*variable x"):
        fit_model(total(), small, 5000)


@pytest.mark.parametrize("batch", [0, -1, 1.5])
def test_batch_must_be_a_count(batch: Any) -> None:
    with pytest.raises(ModelError, match=rf"^batch must be an int from 1 on, not {batch}$"):
        compile_model(load(DIGITS), ChipConfig(), batch=batch)
