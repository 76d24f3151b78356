"""Recurrent layers: LSTM and GRU, a step after another.

A step's sums before the gates are one matrix product. Where the cells are computed by SIMD, their
columns are in the order in which a cell takes them, so that nothing moves between the two.
"""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from openipu.sw.codelets.codelet import Codelet
from openipu.sw.codelets.recurrent import DTYPE, GATES, GRU_CELL, LANES, LSTM_CELL
from openipu.sw.ops.builder import Builder, Index, OpError, Tensor, check_floats
from openipu.sw.ops.elementwise import binary, unary
from openipu.sw.ops.matmul import matmul

State = tuple[Tensor, ...]


def lstm_cell(builder: Builder, gates: Tensor, c: Tensor, *, name: str) -> tuple[Tensor, Tensor]:
    """Return the next h and c of units c (batch, units), given i, f, g, o (batch, units, 4)."""
    if _by_simd(builder, gates, c, name):
        state = _cells(builder, LSTM_CELL, gates, c, "c", "state", 2, name)
        return state[1].reshape(*c.shape), state[0].reshape(*c.shape)
    apply = _elementwise(builder, name)
    i, f, g, o = (gates[..., gate] for gate in range(GATES))
    kept = apply("multiply", apply("logistic", f), c)
    new = apply("multiply", apply("logistic", i), apply("hyperbolic_tangent", g))
    c = apply("add", kept, new)
    return apply("multiply", apply("logistic", o), apply("hyperbolic_tangent", c)), c


def gru_cell(builder: Builder, gates: Tensor, h: Tensor, *, name: str) -> Tensor:
    """Return the next h (batch, units), given z, r, x, a (batch, units, 4).

    It is n + sigmoid(z) * (h - n), where n = tanh(x + sigmoid(r) * a).
    """
    if _by_simd(builder, gates, h, name):
        return _cells(builder, GRU_CELL, gates, h, "h", "y", 1, name)[0].reshape(*h.shape)
    apply = _elementwise(builder, name)
    z, r, x, a = (gates[..., gate] for gate in range(GATES))
    n = apply("add", x, apply("multiply", apply("logistic", r), a))
    n = apply("hyperbolic_tangent", n)
    return apply("add", n, apply("multiply", apply("logistic", z), apply("subtract", h, n)))


def _elementwise(builder: Builder, name: str) -> Callable[..., Tensor]:
    """Return a function that adds an elementwise operation of one or two operands."""

    def apply(function: str, *operands: Tensor) -> Tensor:
        return (unary if len(operands) == 1 else binary)(builder, function, *operands, name=name)

    return apply


def _by_simd(builder: Builder, gates: Tensor, state: Tensor, name: str) -> bool:
    check_floats(name, gates, state)
    if len(state.shape) != 2 or gates.shape != (*state.shape, GATES):
        raise OpError(f"{name}: the gates must be (batch, units, {GATES}) for a state "
                      f"(batch, units), not {gates.shape} for {state.shape}")  # fmt: skip
    units = state.shape[1]
    return builder.config.tile.simd and state.dtype == DTYPE and units % LANES == 0 < state.size


def _cells(
    builder: Builder, codelet: Codelet, gates: Tensor, state: Tensor, before: str, after: str,
    count: int, name: str,
) -> Tensor:  # fmt: skip
    """Return `count` results of each cell (count, cells)."""
    words = state.size // LANES
    by_words = gates.reshape(words, LANES, GATES).transpose(0, 2, 1)
    flat = state.reshape(words, LANES)
    positions = np.arange(count * state.size).reshape(count, words, LANES)
    shares = builder.shares(words)
    inputs = builder.local(name, [(tile, by_words[a:b]) for tile, a, b in shares], aligned=True)
    states = builder.local(name, [(tile, flat[a:b]) for tile, a, b in shares], aligned=True)
    places: list[tuple[int, Index]] = [(tile, positions[:, a:b]) for tile, a, b in shares]
    result, outputs = builder.result(name, (count, state.size), DTYPE, places)
    compute_set = builder.compute_set(name)
    for (tile, *_), taken, old, new in zip(shares, inputs, states, outputs, strict=True):
        fields: dict[str, Any] = {"gates": taken, before: old, after: new.reshape(-1)}
        compute_set.add(codelet, tile, **fields)
    return result


def lstm(
    builder: Builder, x: Tensor, w: NDArray[Any], r: NDArray[Any], bias: NDArray[Any], h: Tensor,
    c: Tensor, *, reverse: bool = False, name: str,
) -> tuple[Tensor, list[Tensor], Tensor]:  # fmt: skip
    """Return h after each step of x (steps, batch, inputs), in its order, the last h, and c.

    w (4, units, inputs), r (4, units, units) and bias (4, units) are of the gates i, f, g, o.
    """

    def step(gates: Tensor, state: State) -> State:
        return lstm_cell(builder, gates, state[1], name=name)

    last, all_h = _run(builder, x, w, r, bias, (h, c), step, reverse, name)
    return last[0], all_h, last[1]


def gru(
    builder: Builder, x: Tensor, w: NDArray[Any], r: NDArray[Any], bias: NDArray[Any], h: Tensor, *,
    reverse: bool = False, name: str,
) -> tuple[Tensor, list[Tensor]]:  # fmt: skip
    """Return the last h and h after each step of x (steps, batch, inputs), in its order.

    Of four gates they are z, r, and what x and h give for the new state, as `gru_cell` has it; so w
    is 0 for the last, and r for the one before. Of three they are z, r and the new state: it is
    reset first, h * sigmoid(r) is multiplied.
    """

    def step(gates: Tensor, state: State) -> State:
        return (gru_cell(builder, gates, state[0], name=name),)

    def reset_first(gates: Tensor, state: State) -> State:
        (h,), apply = state, _elementwise(builder, name)
        kept = apply("multiply", apply("logistic", gates[..., 1]), h)
        again = matmul(builder, kept, Tensor("r", r[2].T), name=f"{name}/reset")
        n = apply("hyperbolic_tangent", apply("add", gates[..., 2], again))
        z = apply("logistic", gates[..., 0])
        return (apply("add", n, apply("multiply", z, apply("subtract", h, n))),)

    if len(w) == len(r) == 3:
        masked = np.concatenate([r[:2], np.zeros_like(r[2:])])
        last, all_h = _run(builder, x, w, masked, bias, (h,), reset_first, reverse, name, gates=3)
    else:
        last, all_h = _run(builder, x, w, r, bias, (h,), step, reverse, name)
    return last[0], all_h


def _run(
    builder: Builder, x: Tensor, w: NDArray[Any], r: NDArray[Any], bias: NDArray[Any],
    state: State, step: Callable[[Tensor, State], State], reverse: bool, name: str,
    gates: int = GATES,
) -> tuple[State, list[Tensor]]:  # fmt: skip
    if len(x.shape) != 3 or r.ndim != 3:
        raise OpError(f"{name}: x and r must have 3 dimensions, not {x.shape} and {r.shape}")
    (steps, batch, inputs), units = x.shape, r.shape[1]
    weights = [Tensor("w", w), Tensor("r", r), Tensor("bias", bias)]
    check_floats(name, x, *weights, *state)
    shapes = [(gates, units, inputs), (gates, units, units), (gates, units)]
    shapes += [(batch, units)] * len(state)
    for each, shape in zip([*weights, *state], shapes, strict=True):
        if each.shape != shape:
            raise OpError(f"{name}: {each.name} must have shape {shape}, not {each.shape}")
    grain = LANES if units % LANES == 0 else 1
    by_gate = np.arange(gates * units).reshape(gates, units // grain, grain)
    order = by_gate.transpose(1, 0, 2).reshape(-1)

    def columns(weights: NDArray[Any]) -> NDArray[Any]:
        return weights.reshape(gates * units, weights.shape[2])[order].T

    from_x = matmul(
        builder, x.reshape(steps * batch, inputs), Tensor("w", columns(w)),
        Tensor("bias", bias.reshape(-1)[order]), name=f"{name}/inputs",
    ).reshape(steps, batch, gates * units)  # fmt: skip
    again = Tensor("r", columns(r))
    found: dict[int, Tensor] = {}
    times: Iterable[int] = reversed(range(steps)) if reverse else range(steps)
    for time in times:
        if batch == 1:
            sums = matmul(builder, state[0], again, from_x[time, 0], name=f"{name}/sums")
        else:
            sums = matmul(builder, state[0], again, name=f"{name}/sums")
            sums = binary(builder, "add", sums, from_x[time], name=f"{name}/sums")
        by_unit = sums.reshape(batch, units // grain, gates, grain).transpose(0, 1, 3, 2)
        state = step(by_unit.reshape(batch, units, gates), state)
        found[time] = state[0]
    return state, [found[time] for time in range(steps)]
