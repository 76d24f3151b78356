"""The example model: the script reproduces the committed files, and the model is a good one."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx.reference import ReferenceEvaluator

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "digits"


@pytest.fixture(scope="module")
def split() -> tuple[np.ndarray, np.ndarray]:
    with np.load(FOLDER / "digits_test.npz") as file:
        return file["pixels"], file["labels"]


def test_training_reproduces_the_committed_files(tmp_path: Path) -> None:
    command = [sys.executable, "-W", "error", str(FOLDER / "train.py"), "--out", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for name in ("digits_mlp.onnx", "digits_test.npz"):
        assert (tmp_path / name).read_bytes() == (FOLDER / name).read_bytes(), f"{name} differs"


def test_test_split(split: tuple[np.ndarray, np.ndarray]) -> None:
    pixels, labels = split
    assert (pixels.shape, pixels.dtype) == ((360, 64), np.float32)
    assert (labels.shape, labels.dtype) == ((360,), np.int64)
    assert pixels.min() == 0.0 and pixels.max() == 1.0
    assert set(labels.tolist()) == set(range(10))


def test_model_is_what_the_demo_expects() -> None:
    model = onnx.load(FOLDER / "digits_mlp.onnx")
    assert [node.op_type for node in model.graph.node] == ["Gemm", "Relu", "Gemm"]
    shapes = {tensor.name: tuple(tensor.dims) for tensor in model.graph.initializer}
    assert list(shapes.values()) == [(32, 64), (32,), (10, 32), (10,)]
    assert {t.data_type for t in model.graph.initializer} == {onnx.TensorProto.FLOAT}
    (pixels,), (logits,) = model.graph.input, model.graph.output
    assert (pixels.name, logits.name) == ("pixels", "logits")
    for value, size in ((pixels, 64), (logits, 10)):
        batch, features = value.type.tensor_type.shape.dim
        assert batch.dim_param == "N" and features.dim_value == size


def test_accuracy_under_the_onnx_reference(split: tuple[np.ndarray, np.ndarray]) -> None:
    pixels, labels = split
    reference = ReferenceEvaluator(str(FOLDER / "digits_mlp.onnx"))
    (logits,) = reference.run(None, {"pixels": pixels})
    accuracy = np.mean(np.argmax(logits, axis=1) == labels)
    assert accuracy >= 0.95, f"accuracy is {accuracy:.3f}"
