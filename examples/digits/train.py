"""Train the example model: handwritten digits, 64-32-10 with ReLU, and export it to ONNX.

    python examples/digits/train.py [--out FOLDER]

writes `digits_mlp.onnx` (input `pixels` (N, 64) float32 from 0 to 1, output `logits` (N, 10)) and
`digits_test.npz` (the 360 images that training never saw: `pixels` (360, 64) float32 and `labels`
(360,) int64). The data set is scikit-learn's, 1,797 images of 8 x 8 pixels with values 0 to 16.

Both files come out byte for byte the same on every machine: sums are accumulated one element-wise
float64 operation at a time, which IEEE 754 defines exactly, where a BLAS or `np.sum` may choose its
own order; the loss is the squared error, which needs no `exp`; and the random numbers come from
`RandomState`, whose stream NumPy has frozen.
"""

import argparse
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from sklearn.datasets import load_digits

Array = NDArray[np.float64]

TEST_IMAGES = 360
SIZES = (64, 32, 10)
EPOCHS = 40
BATCH = 32
SEED = 0
OPSET = 13  # the newest that Gemm and Relu need
IR_VERSION = 8  # the oldest that goes with it, so that old readers accept the file


def load() -> tuple[Array, NDArray[np.int64], Array, NDArray[np.int64]]:
    """Return pixels (n, 64) from 0 to 1 and labels (n,) to train with, then those to test with."""
    pixels, labels = load_digits(return_X_y=True)
    order = np.random.RandomState(SEED).permutation(len(labels))
    pixels, labels = pixels[order] / 16.0, labels[order].astype(np.int64)
    train, test = slice(TEST_IMAGES, None), slice(TEST_IMAGES)
    return pixels[train], labels[train], pixels[test], labels[test]


def product(a: Array, b: Array) -> Array:
    """Return a (n, k) @ b (k, m), summed in ascending k."""
    total = np.zeros((a.shape[0], b.shape[1]))
    for k in range(b.shape[0]):
        total += a[:, k, None] * b[k]
    return total


def batches(random: np.random.RandomState, count: int) -> Iterator[NDArray[np.int64]]:
    """Yield the image numbers of each mini-batch of all epochs."""
    for _ in range(EPOCHS):
        order = random.permutation(count)
        for start in range(0, count, BATCH):
            yield order[start : start + BATCH]


def gradients(weights: list[Array], x: Array, wanted: Array) -> Iterable[Array]:
    """Return d(mean squared error / 2) / d(each of w1, b1, w2, b2); w is (outputs, inputs)."""
    w1, b1, w2, b2 = weights
    hidden = np.maximum(product(x, w1.T) + b1, 0.0)
    error = (product(hidden, w2.T) + b2 - wanted) / len(x)
    back = product(error, w2) * (hidden > 0.0)
    ones = np.ones((1, len(x)))
    return (
        product(back.T, x), product(ones, back)[0],
        product(error.T, hidden), product(ones, error)[0],
    )  # fmt: skip


def train(pixels: Array, labels: NDArray[np.int64]) -> list[Array]:
    """Return w1 (32, 64), b1 (32,), w2 (10, 32), b2 (10,) after Adam with a falling step."""
    random = np.random.RandomState(SEED)
    weights: list[Array] = []
    for inputs, outputs in pairwise(SIZES):
        bound = np.sqrt(6.0 / inputs)
        weights += [random.uniform(-bound, bound, (outputs, inputs)), np.zeros(outputs)]
    mean = [np.zeros_like(w) for w in weights]
    square = [np.zeros_like(w) for w in weights]
    wanted = np.eye(SIZES[-1])[labels]
    steps = list(batches(random, len(labels)))
    decay_mean = decay_square = 1.0
    for number, batch in enumerate(steps):
        decay_mean *= 0.9
        decay_square *= 0.999
        rate = 0.005 * (1.0 - number / len(steps))
        for i, gradient in enumerate(gradients(weights, pixels[batch], wanted[batch])):
            mean[i] += 0.1 * (gradient - mean[i])
            square[i] += 0.001 * (gradient * gradient - square[i])
            spread = np.sqrt(square[i] / (1.0 - decay_square)) + 1e-8
            weights[i] -= rate * (mean[i] / (1.0 - decay_mean)) / spread
    return weights


def model(weights: list[Array]) -> onnx.ModelProto:
    """Return the network as ONNX in float32: Gemm, Relu, Gemm, with the batch size left open."""
    names = ("hidden.weight", "hidden.bias", "output.weight", "output.bias")
    tensors = [
        numpy_helper.from_array(w.astype(np.float32), name)
        for name, w in zip(names, weights, strict=True)
    ]
    nodes = [
        helper.make_node("Gemm", ["pixels", *names[:2]], ["sums"], "hidden", transB=1),
        helper.make_node("Relu", ["sums"], ["features"], "relu"),
        helper.make_node("Gemm", ["features", *names[2:]], ["logits"], "output", transB=1),
    ]
    graph = helper.make_graph(
        nodes,
        "digits_mlp",
        [helper.make_tensor_value_info("pixels", TensorProto.FLOAT, ["N", SIZES[0]])],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["N", SIZES[-1]])],
        tensors,
    )
    proto = helper.make_model(
        graph,
        opset_imports=[helper.make_opsetid("", OPSET)],
        ir_version=IR_VERSION,
        producer_name="openipu examples/digits/train.py",
    )
    onnx.checker.check_model(proto, full_check=True)
    return proto


def main() -> None:
    """Train, export, and print the accuracy on the test images."""
    parser = argparse.ArgumentParser(description="Train the digits model and export it to ONNX.")
    parser.add_argument(
        "--out", type=Path, default=Path(__file__).parent, help="folder for the two files"
    )
    out: Path = parser.parse_args().out
    pixels, labels, test_pixels, test_labels = load()
    weights = train(pixels, labels)
    (out / "digits_mlp.onnx").write_bytes(model(weights).SerializeToString(deterministic=True))
    np.savez(
        out / "digits_test.npz", pixels=test_pixels.astype(np.float32), labels=test_labels
    )
    w1, b1, w2, b2 = weights
    hidden = np.maximum(product(test_pixels, w1.T) + b1, 0.0)
    right = (product(hidden, w2.T) + b2).argmax(axis=1) == test_labels
    print(f"{int(right.sum())} of {len(right)} test images right ({right.mean():.1%})")


if __name__ == "__main__":
    main()
