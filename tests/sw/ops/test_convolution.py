"""Convolutions by the matrix unit, by SIMD and as products, against a sum over windows."""

import re
from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from openipu.rtl.config import ChipConfig, TileConfig
from openipu.sw.compiler import compile
from openipu.sw.engine import Engine
from openipu.sw.graph import View
from openipu.sw.ops.builder import Builder, OpError, Tensor
from openipu.sw.ops.convolution import convolve

SEED = 5
TOLERANCE = {"float16": 5e-3, "float32": 2e-6}

CASES: dict[str, tuple[Any, Any, dict[str, Any]]] = {
    "3x3": ((1, 16, 5, 6), (24, 16, 3, 3), {"pads": (1, 1, 1, 1)}),
    "strides, few channels": (
        (2, 3, 9, 8), (5, 3, 3, 3), {"strides": (2, 2), "pads": (1, 1, 0, 0)}
    ),
    "1x1": ((1, 16, 5, 5), (20, 16, 1, 1), {}),
    "dilations, groups": (
        (1, 8, 9, 9), (4, 4, 3, 3), {"pads": (2, 2, 2, 2), "dilations": (2, 2), "groups": 2}
    ),
    "one channel": ((1, 1, 8, 8), (3, 1, 5, 5), {"strides": (1, 2)}),
    "more channels than weights": ((1, 160, 3, 3), (3, 160, 2, 2), {}),
    "a line": ((1, 2, 1, 12), (3, 2, 1, 3), {}),
    "depthwise": ((1, 6, 7, 9), (6, 1, 3, 3), {"pads": (1, 1, 1, 1), "groups": 6}),
    "depthwise 2x4": (
        (2, 6, 7, 9), (6, 1, 2, 4),
        {"strides": (2, 1), "pads": (1, 0, 1, 1), "dilations": (1, 2), "groups": 6},
    ),
    "depthwise 1x1": ((1, 5, 4, 3), (5, 1, 1, 1), {"groups": 5}),
    "nothing": ((0, 4, 5, 5), (3, 4, 3, 3), {}),
    "no outputs": ((1, 4, 5, 5), (0, 2, 3, 3), {"groups": 2}),
}  # fmt: skip
MACHINES = {
    **{f"{tiles} tiles": ChipConfig(tiles=tiles) for tiles in (1, 3)},
    "8 outputs": ChipConfig(tile=TileConfig(amp_outputs=8, amp_dot=2, amp_depth=8)),
    "no matrix unit": ChipConfig(tiles=2, tile=TileConfig(amp_outputs=0, banks=32)),
    "neither": ChipConfig(tiles=2, tile=TileConfig(amp_outputs=0, simd=False, banks=32)),
}


def reference(
    x: NDArray[Any], w: NDArray[Any], bias: NDArray[Any], strides: tuple[int, int] = (1, 1),
    pads: tuple[int, int, int, int] = (0, 0, 0, 0), dilations: tuple[int, int] = (1, 1),
    groups: int = 1,
) -> NDArray[Any]:  # fmt: skip
    top, left, bottom, right = pads
    x = np.pad(x.astype(np.float64), ((0, 0), (0, 0), (top, bottom), (left, right)))
    reach = [(size - 1) * apart + 1 for size, apart in zip(w.shape[2:], dilations, strict=True)]
    windows = sliding_window_view(x, reach, axis=(2, 3))
    windows = windows[:, :, :: strides[0], :: strides[1], :: dilations[0], :: dilations[1]]
    parts = [
        np.einsum("nchwij,mcij->nmhw", taken, weights)
        for taken, weights in zip(
            np.split(windows, groups, axis=1), np.split(w.astype(np.float64), groups), strict=True
        )
    ]
    return np.concatenate(parts, axis=1) + bias.astype(np.float64)[:, None, None]


ON_WORKERS = ("strides, few channels", "depthwise", "dilations, groups", "nothing")
"""What is tried where windows are gathered, whose multiplication takes the model long."""


@pytest.mark.parametrize(("case", "machine", "dtype"), [
    (case, machine, dtype)
    for case, machine, dtype in product(CASES, MACHINES, ("float16", "float32"))
    if MACHINES[machine].tile.amp_outputs or case in ON_WORKERS
    if MACHINES[machine].tile.simd or dtype == "float32"
])  # fmt: skip
def test_convolution(case: str, machine: str, dtype: str) -> None:
    config = MACHINES[machine]
    random = np.random.default_rng(SEED)
    shape, weights, options = CASES[case]
    x, w, bias = (random.normal(size=s).astype(dtype) for s in (shape, weights, weights[0]))
    builder = Builder(config)
    source = builder.input("x", shape, dtype)
    result = convolve(builder, source, Tensor("w", w), Tensor("b", bias), name="y", **options)
    executable = compile(builder.graph, builder.program, config)
    with Engine(executable, "iss", compare=True) as engine:
        engine.write("x", x)
        engine.run()
        assert engine.scoreboard
        assert engine.scoreboard.mismatches == 0, f"seed {SEED}: {engine.scoreboard.first}"
        assert isinstance(result.data, View)
        found = result.read(engine.read(result.data.variable).reshape(-1))
    wanted = reference(x, w, bias, **options)
    assert found.shape == wanted.shape
    scale = 1 + np.abs(wanted).max(initial=0)
    np.testing.assert_allclose(found, wanted, 0, TOLERANCE[dtype] * scale)


def test_mistakes() -> None:
    builder = Builder(ChipConfig(tiles=1))
    x = builder.input("x", (1, 4, 5, 5))

    def wrong(message: str, *shape: int, **options: Any) -> None:
        with pytest.raises(OpError, match=message):
            convolve(builder, x, Tensor("w", np.zeros(shape, np.float32)), name="y", **options)

    wrong(r"y: operands must have 4 dimensions, not \(1, 4, 5, 5\) and \(3, 4\)", 3, 4)
    wrong(r"channels for 1 groups, not \(3, 5\)", 3, 5, 1, 1)
    wrong(r"channels for 2 groups, not \(3, 2\)", 3, 2, 1, 1, groups=2)
    wrong("the window of 6 x 1 must fit into the padded picture, not be larger than its 5 x 5",
          3, 4, 6, 1)  # fmt: skip
    wrong(r"groups must be 1 or more, not 0", 3, 4, 1, 1, groups=0)
    whole = "must be 2 whole numbers from 1 up, not "
    for option in ("strides", "dilations"):
        for values in ((0, 1), (1,), (1, 1, 1), (1.5, 1)):
            message = f"^y: {option} {whole}{re.escape(str(list(values)))}$"
            wrong(message, 3, 4, 1, 1, **{option: values})
    wrong(r"^y: pads must be 4 whole numbers from 0 up, not \[-1, 0, 0, 0\]$",
          3, 4, 1, 1, pads=(-1, 0, 0, 0))  # fmt: skip
    with pytest.raises(OpError, match=r"^y: operands must be of one type, not float32 and"):
        convolve(builder, x, Tensor("w", np.zeros((3, 4, 1, 1), np.float16)), name="y")


def test_far_apart() -> None:
    """Of a large picture, a part has only as many channels as streams can step over."""
    builder = Builder(ChipConfig(tiles=1))
    x = builder.input("x", (1, 18, 300, 16), "float16").transpose(0, 3, 1, 2)
    w = Tensor("w", np.ones((16, 1, 2, 2), np.float16))
    convolve(builder, x, w, dilations=(16, 1), groups=16, name="y")
    (compute_set,) = builder.graph.compute_sets.values()
    reaches = {
        sum(each.scalars[f"kernel_{step}"].item() for step in ("row_step", "column_step"))
        for each in compute_set.vertices
    }
    assert reaches == {16 * 300 * 4 + 4}
    with pytest.raises(OpError, match=r"^y: windows must lie within 32,767 words of a tile's"):
        wide = builder.input("wide", (1, 4, 1, 33_000), "float16")
        convolve(builder, wide, Tensor("w", np.ones((4, 1, 1, 2), np.float16)), groups=4, name="y")
