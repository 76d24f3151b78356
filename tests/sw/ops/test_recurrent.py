"""LSTM and GRU by the builder: what they refuse, and layers of nothing; values: with ONNX."""

import re
from typing import Any

import numpy as np
import pytest

from openipu.rtl.config import ChipConfig
from openipu.sw.ops.builder import Builder, OpError
from openipu.sw.ops.recurrent import gru, lstm, lstm_cell

SHAPES: dict[str, tuple[int, ...]] = {
    "x": (3, 2, 5), "w": (4, 8, 5), "r": (4, 8, 8), "bias": (4, 8), "h": (2, 8), "c": (2, 8)
}  # fmt: skip


def layer(dtypes: dict[str, str], **changes: tuple[int, ...]) -> None:
    """Build an LSTM and a GRU with operands of these shapes."""
    builder = Builder(ChipConfig(tiles=1))
    shapes = SHAPES | changes
    w, r, bias = (np.zeros(shapes[n], dtypes.get(n, "float32")) for n in ("w", "r", "bias"))
    x, h, c = (builder.input(n, shapes[n], dtypes.get(n, "float32")) for n in "xhc")
    gru(builder, x, w, r, bias, h, name="y")
    lstm(builder, x, w, r, bias, h, c, name="y")


@pytest.mark.parametrize(("changes", "message"), [
    ({"x": (3, 5)}, "x and r must have 3 dimensions, not (3, 5) and (4, 8, 8)"),
    ({"r": (32,)}, "x and r must have 3 dimensions, not (3, 2, 5) and (32,)"),
    ({"w": (3, 8, 5)}, "w must have shape (4, 8, 5), not (3, 8, 5)"),
    ({"r": (4, 8, 7)}, "r must have shape (4, 8, 8), not (4, 8, 7)"),
    ({"bias": (32,)}, "bias must have shape (4, 8), not (32,)"),
    ({"h": (1, 8)}, "h must have shape (2, 8), not (1, 8)"),
    ({"c": (2, 7)}, "c must have shape (2, 8), not (2, 7)"),
])  # fmt: skip
def test_shapes(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(OpError, match=f"^y: {re.escape(message)}$"):
        layer({}, **changes)


@pytest.mark.parametrize("name", ["w", "r", "bias", "h"])
def test_types(name: str) -> None:
    with pytest.raises(OpError, match=r"^y: operands must be of one type, not float32 and"):
        layer({name: "float16"})


def test_gates() -> None:
    builder = Builder(ChipConfig(tiles=1))
    gates, c = builder.input("gates", (2, 4, 8)), builder.input("c", (2, 8))
    message = r"^y: the gates must be \(batch, units, 4\) .*, not \(2, 4, 8\) for \(2, 8\)$"
    with pytest.raises(OpError, match=message):
        lstm_cell(builder, gates, c, name="y")


def test_nothing() -> None:
    layer({}, w=(4, 0, 5), r=(4, 0, 0), bias=(4, 0), h=(2, 0), c=(2, 0))
    layer({}, x=(0, 2, 5))
    layer({}, x=(3, 0, 5), h=(0, 8), c=(0, 8))
