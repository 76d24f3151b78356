"""The matrix unit: step by step as its instructions have it, and for whole matrices.

What is added to what, and in which order, is the hardware's: docs/developer/machine.md, "AMP".
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from openipu.cosim.golden.numerics import canonical
from openipu.cosim.golden.simd import narrow
from openipu.rtl.config import TileConfig
from openipu.rtl.isa import AmpOp

Singles = NDArray[np.float32]

HALVES = (AmpOp.H, AmpOp.H_PARTIAL, AmpOp.H_NARROW, AmpOp.H_PARTIAL_NARROW)
SINGLES = (AmpOp.S, AmpOp.S_PARTIAL)
MULTIPLY = (*HALVES, *SINGLES)
PARTIAL = (AmpOp.H_PARTIAL, AmpOp.H_PARTIAL_NARROW, AmpOp.S_PARTIAL)
OUT = (AmpOp.OUT, AmpOp.OUT_NARROW)
NARROW = (AmpOp.OUT_NARROW, AmpOp.H_NARROW, AmpOp.H_PARTIAL_NARROW)


class Plan(NamedTuple):
    """What an instruction would do, by the state of its context."""

    takes_a: bool  #: the first operand is consumed
    takes_b: bool  #: the second
    gives: bool  #: there is a result
    overruns: bool  #: a row would end with results of the one before left


class _Context:
    """One context's row: counters, and numbers for each output."""

    def __init__(self, outputs: int, groups: int, pointer: int) -> None:
        self.groups = groups
        self.pointer = pointer
        self.group = 0
        self.half = 0
        self.begun = False  # whether there was a step since xampset
        self.given = 0  # outputs that have their partials
        self.taken = outputs  # results that are no more there
        self.accumulators: Singles = np.zeros(outputs, np.float32)
        self.partials: Singles = np.zeros(outputs, np.float32)
        self.results: Singles = np.zeros(outputs, np.float32)


class Amp:
    """The matrix unit of a tile.

    Operands and results are 64-bit words as ints. The outputs that the hardware computes side by
    side are the elements of arrays here.
    """

    def __init__(self, config: TileConfig) -> None:
        self.outputs, self.depth, self.dot = config.amp_outputs, config.amp_depth, config.amp_dot
        self._contexts_count = config.contexts
        self._weights = np.zeros((self.depth, self.outputs), np.uint64)
        self._halves = np.zeros((self.depth, self.outputs, 4), np.float32)
        self._singles = self._weights.view(np.float32).reshape(self.depth, self.outputs, 2)
        self.reset()

    def reset(self) -> None:
        """Put all contexts into the state after `xampset` with 1 and 0; the weights stay."""
        self._contexts = [_Context(self.outputs, 1, 0) for _ in range(self._contexts_count)]

    def is_legal(self, op: AmpOp, a: int, b: int, output: int) -> bool:
        """Tell whether the instruction is legal with such operands."""
        if op is AmpOp.SET:
            return 1 <= a <= self.depth and b % 2 == 0 and b < self.depth * self.outputs
        return op is not AmpOp.PAIR or (output % 2 == 0 and output < self.outputs)

    def plan(self, context: int, op: AmpOp) -> Plan:
        """Return what the instruction would do now."""
        row = self._contexts[context]
        fresh = op in MULTIPLY and not row.begun
        wants = fresh or row.given < self.outputs
        group_ends = row.half == 1 or not self._halves_group(op)
        left = self.outputs - row.taken
        gives = left > 0 and (op in OUT or op in MULTIPLY)
        if gives:
            left -= min(left, 4 if op in NARROW else 2)
        ends = op in MULTIPLY and group_ends and row.group == row.groups - 1
        return Plan(
            takes_a=op in (AmpOp.LOAD, AmpOp.PAIR)
            or (op is AmpOp.IN and wants)
            or (op in MULTIPLY and group_ends),
            takes_b=op in (AmpOp.LOAD, AmpOp.PAIR) or (op in PARTIAL and wants),
            gives=gives,
            overruns=(ends or op is AmpOp.TURN) and left > 0,
        )

    def execute(self, context: int, op: AmpOp, a: int = 0, b: int = 0, output: int = 0) -> int:
        """Do what the instruction does, which is legal and doesn't overrun; return its result.

        For SET, `a` and `b` are rs1 and rs2.
        """
        row = self._contexts[context]
        if op is AmpOp.SET:
            self._contexts[context] = _Context(self.outputs, a, b)
            return 0
        if op is AmpOp.LOAD:
            self._load(row, a, b)
            return 0
        if op is AmpOp.IN:
            self._put(row, a)
            return 0
        if op in OUT:
            return self._take(row, op)
        if not row.begun:
            row.begun = True
            row.accumulators, row.partials = row.partials, np.zeros_like(row.partials)
            row.given = 0
        if op is AmpOp.PAIR:
            self._pair(row, a, b, output)
            return 0
        if op is AmpOp.TURN:
            self._end(row)
            return 0
        if op in PARTIAL:
            self._put(row, b)
        value = self._take(row, op)
        self._multiply(row, op, a)
        return value

    def _halves_group(self, op: AmpOp) -> bool:
        """Tell whether a group takes two steps."""
        return op in SINGLES or (op in HALVES and self.dot == 2)

    def _load(self, row: _Context, a: int, b: int) -> None:
        group, output = divmod(row.pointer, self.outputs)
        pair = slice(output, output + 2)
        self._weights[group, pair] = a, b
        with np.errstate(invalid="ignore"):
            self._halves[group, pair] = self._weights[group, pair].view(np.float16).reshape(2, 4)
        row.pointer = (row.pointer + 2) % (self.depth * self.outputs)

    def _put(self, row: _Context, word: int) -> None:
        if row.given < self.outputs:
            row.partials[row.given : row.given + 2] = _elements(word, np.float32)
            row.given += 2

    def _take(self, row: _Context, op: AmpOp) -> int:
        count = 4 if op in NARROW else 2
        taken = row.results[row.taken : row.taken + count]
        row.taken = min(row.taken + count, self.outputs)
        if op in NARROW:
            bits = narrow(taken.view(np.uint32))
            return sum(int(element) << 16 * i for i, element in enumerate(bits))
        return sum(int(element) << 32 * i for i, element in enumerate(taken.view(np.uint32)))

    def _multiply(self, row: _Context, op: AmpOp, a: int) -> None:
        half, halves = row.half, self._halves_group(op)
        with np.errstate(all="ignore"):
            if op in SINGLES:
                addend = self._singles[row.group, :, half] * _elements(a, np.float32)[half]
            else:
                products = self._halves[row.group] * _elements(a, np.float16).astype(np.float32)
                addend = dot4(products) if not halves else dot2(products[:, 2 * half :][:, :2])
            row.accumulators = canonical(row.accumulators + addend)
        row.half = 1 - half if halves else 0
        if not row.half:
            row.group += 1
            if row.group == row.groups:
                self._end(row)

    def _pair(self, row: _Context, a: int, b: int, output: int) -> None:
        pair = slice(output, output + 2)
        inputs = np.array((a, b), np.uint64).view(np.float16).reshape(2, 4)
        with np.errstate(all="ignore"):
            products = self._halves[row.group, pair] * inputs.astype(np.float32)
            row.accumulators[pair] = canonical(row.accumulators[pair] + dot4(products))
        row.half = 0
        row.group = (row.group + 1) % row.groups

    def _end(self, row: _Context) -> None:
        row.results, row.accumulators = row.accumulators, row.partials
        row.partials = np.zeros_like(row.partials)
        row.given = row.taken = row.group = row.half = 0


def _elements(word: int, kind: type[np.floating[Any]]) -> NDArray[Any]:
    """Return the elements of a 64-bit word, the lowest first."""
    return np.array((word,), np.uint64).view(kind)


def dot2(products: NDArray[Any]) -> NDArray[Any]:
    """Add the two products along the last axis."""
    total: NDArray[Any] = products[..., 0] + products[..., 1]
    return total


def dot4(products: NDArray[Any]) -> NDArray[Any]:
    """Add the four products along the last axis."""
    left, right = dot2(products[..., :2]), dot2(products[..., 2:])
    total: NDArray[Any] = left + right
    return total


def matmul(
    x: NDArray[Any], w: NDArray[Any], partials: Singles | float = 0.0, dot: int = 4
) -> Singles:
    """Return partials + x @ w in f32, added in the order of the matrix unit with `dot` products.

    `x` (..., rows, k) and `w` (..., k, outputs) are both f16, k a multiple of 4, or both f32, k a
    multiple of 2; `partials` (..., rows, outputs) broadcasts. Raises ValueError for other shapes,
    TypeError for other types.
    """
    if x.dtype != w.dtype or x.dtype not in (np.float16, np.float32):
        raise TypeError(f"x and w must be both float16 or both float32, not {x.dtype}, {w.dtype}")
    group = 4 if x.dtype == np.float16 else 2
    k = x.shape[-1]
    if w.shape[-2] != k or k % group:
        raise ValueError(f"x and w must share a multiple of {group}, not {x.shape}, {w.shape}")
    if dot not in (2, 4):
        raise ValueError(f"dot must be 2 or 4, not {dot!r}")
    together = 1 if group == 2 else dot
    x, w = x.astype(np.float32)[..., :, None, :], w.astype(np.float32)
    w = np.swapaxes(w, -1, -2)[..., None, :, :]
    total = np.asarray(partials, np.float32)
    add = {1: lambda products: products[..., 0], 2: dot2, 4: dot4}[together]
    with np.errstate(all="ignore"):
        for first in range(0, k, together):
            part = slice(first, first + together)
            total = total + add(x[..., part] * w[..., part])
    rows, outputs = x.shape[-3], w.shape[-2]
    return canonical(np.broadcast_to(total, (*total.shape[:-2], rows, outputs)))
