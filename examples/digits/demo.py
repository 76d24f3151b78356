"""Read handwritten digits on the RTL, compared with the reference after every superstep.

    python examples/digits/demo.py [--tiles 4] [--images 64] [--json FILE]
"""

import argparse
import sys
from pathlib import Path

import numpy as np
from onnx.reference import ReferenceEvaluator
from rich.console import Console

from openipu.rtl.config import ChipConfig
from openipu.sw.errors import USER_ERRORS, UsageError
from openipu.sw.frontends.onnx import load
from openipu.sw.model import batch_for, compile_model
from openipu.sw.runner import load_arrays, run_model, show, write_json

FOLDER = Path(__file__).parent
MODEL = FOLDER / "digits_mlp.onnx"


def demo(tiles: int, images: int, json: Path | None, console: Console) -> bool:
    """Run the demo and return whether everything is as it should be."""
    try:
        config = ChipConfig(tiles=tiles)
    except ValueError as error:
        raise UsageError(str(error)) from None
    arrays = load_arrays(FOLDER / "digits_test.npz")
    if not 1 <= images <= len(arrays["pixels"]):
        raise UsageError(f"images must be from 1 to {len(arrays['pixels'])}, not {images}")
    labels = arrays.pop("labels")
    pixels = arrays["pixels"]
    (logits,) = ReferenceEvaluator(str(MODEL)).run(None, {"pixels": pixels})
    expected = np.asarray(logits).argmax(axis=1)

    model = load(MODEL)
    compiled = compile_model(model, config, batch=batch_for(model, images))
    console.print(f"[bold]{MODEL.name} on {tiles} tiles of RTL, {images} images[/]")
    result = run_model(
        compiled, {"pixels": pixels[:images]}, backend="rtl", compare=True,
        labels=labels[:images],
    )  # fmt: skip
    same = int((result.predictions == expected[:images]).sum())
    right = int((expected[:images] == labels[:images]).sum())
    console.print("predictions:", "".join(map(str, result.predictions)), highlight=False)
    console.print("onnx's     :", "".join(map(str, expected[:images])), highlight=False)
    console.print(f"equal to those of onnx's reference evaluator: {same} of {images}")
    console.print(f"accuracy of onnx's reference evaluator: {right} of {images}")
    show(result, console)

    everything = run_model(compiled, arrays, backend="golden", labels=labels)
    reference = float((expected == labels).mean())
    console.print(
        f"all {len(labels)} images on golden: accuracy {everything.accuracy:.2%}, "
        f"onnx's reference evaluator {reference:.2%}"
    )
    write_json(json, result.as_json() | {
        "equal_to_onnx": same, "golden_accuracy": everything.accuracy,
        "onnx_accuracy": reference,
    })  # fmt: skip
    return result.mismatches == 0 and same == images


def main() -> int:
    """Run the demo from the command line."""
    parser = argparse.ArgumentParser(description="Read handwritten digits on the RTL.")
    parser.add_argument("--tiles", type=int, default=4, help="tiles of the chip (4)")
    parser.add_argument("--images", type=int, default=64, help="images to read (64)")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    chosen = parser.parse_args()
    console = Console()
    try:
        return 0 if demo(chosen.tiles, chosen.images, chosen.json, console) else 1
    except USER_ERRORS as error:
        console.print(f"error: {error}", markup=False)
        return 1


if __name__ == "__main__":
    sys.exit(main())
