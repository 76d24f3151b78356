"""The suite that says "works", in about a minute once a simulator is built: a model on all
backends, equal to each other bit for bit and to onnx within rounding."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx.reference import ReferenceEvaluator

from openipu.rtl.config import ChipConfig
from openipu.sw.model import compile_model
from openipu.sw.runner import run_model

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "digits"
DATA = np.load(FOLDER / "digits_test.npz")
PIXELS, LABELS = DATA["pixels"], DATA["labels"]
_outputs: Any = ReferenceEvaluator(str(FOLDER / "digits_mlp.onnx")).run(None, {"pixels": PIXELS})
LOGITS = _outputs[0]


def test_whole_test_split_on_golden() -> None:
    compiled = compile_model(FOLDER / "digits_mlp.onnx", ChipConfig(), batch=64)
    result = run_model(compiled, {"pixels": PIXELS}, backend="golden", labels=LABELS)
    assert result.accuracy is not None
    assert abs(result.accuracy - (LOGITS.argmax(axis=1) == LABELS).mean()) <= 0.005
    np.testing.assert_allclose(result.outputs["logits"], LOGITS, 1e-5, 1e-5)


@pytest.mark.parametrize(("backend", "images"), [("iss", 6), ("rtl", 64)])
def test_every_superstep_equals_golden(backend: str, images: int) -> None:
    compiled = compile_model(FOLDER / "digits_mlp.onnx", ChipConfig(), batch=images)
    result = run_model(compiled, {"pixels": PIXELS[:images]}, backend=backend, compare=True)
    assert result.mismatches == 0, result.first
    assert result.predictions.tolist() == LOGITS[:images].argmax(axis=1).tolist()
    if backend == "rtl":
        assert len(result.report.phases) == 4
        for phases in result.report.phases:
            assert phases.compute + phases.exchange + phases.sync == result.report.cycles
            assert phases.compute > 0.5 * result.report.cycles
            assert phases.exchange > 100
