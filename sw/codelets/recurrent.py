"""The cells of recurrent networks in f16: from the sums before the gates to the next state.

Gates lie by words: for each four units, a word of each of the four gates.
"""


import numpy as np
from numpy.typing import NDArray

from openipu.rtl.isa import SimdOp
from openipu.sw.codelets.codelet import Codelet, Derived, Field, Input, Output, register
from openipu.sw.codelets.streams import evaluate, lanes, level

Halves = NDArray[np.float16]

DTYPE = "float16"
LANES = lanes(DTYPE)
GATES = 4


def _gates(gates: Halves) -> list[Halves]:
    """Return each gate's elements."""
    words = gates.reshape(-1, GATES, LANES)
    return [np.ascontiguousarray(words[:, gate]).reshape(-1) for gate in range(GATES)]


def _lstm(*, gates: Halves, c: Halves, state: Halves) -> None:
    i, f, g, o = _gates(gates)
    i, f, o = (evaluate(SimdOp.H4_SIGMOID, x) for x in (i, f, o))
    new = evaluate(SimdOp.H4_MUL, i, evaluate(SimdOp.H4_TANH, g))
    result = state.reshape(2, -1)
    result[0] = evaluate(SimdOp.H4_MADD, f, c, new)
    result[1] = evaluate(SimdOp.H4_MUL, o, evaluate(SimdOp.H4_TANH, result[0].copy()))


def _gru(*, gates: Halves, h: Halves, y: Halves) -> None:
    z, r, x, again = _gates(gates)
    n = evaluate(SimdOp.H4_MADD, evaluate(SimdOp.H4_SIGMOID, r), again, x)
    n = evaluate(SimdOp.H4_TANH, n)
    z = evaluate(SimdOp.H4_SIGMOID, z)
    y[...] = evaluate(SimdOp.H4_MADD, z, evaluate(SimdOp.H4_SUB, h, n), n)


def _level(field: str, name: str = "level") -> Derived:
    return Derived(name, lambda **sizes: level(sizes[field] // LANES))


_GATES = Field("gates", Input, DTYPE, streamed=True)
_FIRST = ("gates",)

LSTM_CELL = register(
    Codelet(
        name="lstm_cell",
        fields=(
            _GATES,
            Field("c", Input, DTYPE, streamed=True, apart_from=_FIRST),
            Field("state", Output, DTYPE, streamed=True),
            _level("gates", "gates_level"),
            _level("c"),
            Derived("both", lambda *, c, **_: level(2, c // LANES)),
            Derived("next", lambda *, c, **_: level(c // LANES, 1 - c // LANES)),
        ),
        source="recurrent.S",
        reference=_lstm,
        cycles=lambda gates, c, state: 14 + 9 * (c // LANES),
    )
)
"""state (2, units): c = sigmoid(f) * c + sigmoid(i) * tanh(g), then h = sigmoid(o) * tanh(c).

`gates` are i, f, g, o. Units are in whole words, at least one.
"""

GRU_CELL = register(
    Codelet(
        name="gru_cell",
        fields=(
            _GATES,
            Field("h", Input, DTYPE, streamed=True, apart_from=_FIRST),
            Field("y", Output, DTYPE, streamed=True),
            _level("gates", "gates_level"),
            _level("h"),
        ),
        source="recurrent.S",
        reference=_gru,
        cycles=lambda gates, h, y: 11 + 7 * (h // LANES),
    )
)
"""y = n + sigmoid(z) * (h - n), where n = tanh(x + sigmoid(r) * a); `gates` are z, r, x, a."""
