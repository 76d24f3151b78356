"""One result for each element, by streams: whole words of f16 or f32 at a time.

The twins are the SIMD operations of the reference on arrays.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from openipu.cosim.golden import simd
from openipu.cosim.golden.numerics import canonical
from openipu.rtl.isa import SimdOp
from openipu.sw.codelets.codelet import (
    Codelet,
    Derived,
    Field,
    Input,
    Output,
    Scalar,
    register,
)

Array = NDArray[Any]

WORD_BYTES = 8
MOST_WORDS = (1 << 16) - 1  #: that a level of a stream can count
MOST_STEP = (1 << 15) - 1  #: words, from one that a stream reads to the next
DTYPES = {"f16": "float16", "f32": "float32"}
"""Element types that streams compute with, by their name in codelets'."""


def lanes(dtype: str) -> int:
    """Return the elements in a word."""
    return WORD_BYTES // int(np.dtype(dtype).itemsize)


def words(count: int, dtype: str) -> int:
    """Return how many words elements take."""
    return -(-count // lanes(dtype))


def level(count: int, step: int = 1) -> int:
    """Return the register that describes a level of a stream: `count` times, `step` words apart."""
    if not 0 <= count <= MOST_WORDS:
        raise ValueError(f"a stream's level must count up to {MOST_WORDS}, not {count!r}")
    if not -MOST_STEP - 1 <= step <= MOST_STEP:
        raise ValueError(f"a stream must step at most {MOST_STEP} words, not {step!r}")
    return count | (step & 0xFFFF) << 16


def count_and_step(word: Any) -> tuple[int, int]:
    """Return what a register as `level` makes it says."""
    return int(word) & 0xFFFF, int(np.uint32(word).astype(np.int32)) >> 16


def evaluate(op: SimdOp, *operands: Array) -> Array:
    """Return a SIMD operation's results on arrays of one size and dtype."""
    size, kind = operands[0].size, operands[0].dtype
    padded = [np.zeros(-(-size * kind.itemsize // WORD_BYTES), np.uint64) for _ in operands]
    for target, source in zip(padded, operands, strict=True):
        target.view(kind)[:size] = source
    result: Array = simd.evaluate(op, *padded).view(kind)[:size]
    return result


def streamed(name: str, dtype: str, *, apart_from: tuple[str, ...] = ()) -> Field:
    """Return an input that streams read, in banks of its own beside others."""
    return Field(name, Input, dtype, streamed=True, apart_from=apart_from)


def _result(dtype: str) -> Field:
    return Field("y", Output, dtype, streamed=True)


def _level(field: str, dtype: str, name: str = "level") -> Derived:
    """Return the word that describes a field's stream."""
    return Derived(name, lambda **sizes: level(words(sizes[field], dtype)))


def _unary(name: str, short: str, issues: int, function: Callable[[Array], Array]) -> Codelet:
    dtype = DTYPES[short]

    def reference(*, x: Array, y: Array) -> None:
        y[...] = function(x)

    return register(
        Codelet(
            name=f"{name}_{short}",
            fields=(streamed("x", dtype), _result(dtype), _level("x", dtype)),
            source="streams.S",
            reference=reference,
            cycles=lambda x, y: issues + words(x, dtype),
        )
    )


def _bits(operation: Callable[[Array, Any], Array]) -> Callable[[Array], Array]:
    """Return a function that combines each element's bits with those of its sign."""

    def function(x: Array) -> Array:
        pattern = x.view(f"u{x.itemsize}")
        sign = pattern.dtype.type(1 << 8 * x.itemsize - 1)
        return operation(pattern, sign).view(x.dtype)

    return function


def _operation(op: SimdOp) -> Callable[[Array], Array]:
    return lambda x: evaluate(op, x)


_PLAIN = 8
"""Issues of a unary codelet besides one a word."""

_FUNCTIONS = {
    "exponent": SimdOp.H4_EXP, "logarithm": SimdOp.H4_LOG,
    "hyperbolic_tangent": SimdOp.H4_TANH, "logistic": SimdOp.H4_SIGMOID,
    "invert": SimdOp.H4_RECIP, "inverse_square_root": SimdOp.H4_RSQRT,
    "square_root": SimdOp.H4_SQRT,
}  # fmt: skip


def _rectified(short: str) -> Callable[[Array], Array]:
    op = SimdOp.H4_MAX if short == "f16" else SimdOp.S2_MAX
    return lambda x: evaluate(op, x, np.zeros_like(x))


UNARY: dict[tuple[str, str], Codelet] = {
    (codelet.name.removesuffix(f"_{short}"), DTYPES[short]): codelet
    for short in DTYPES
    for codelet in (
        _unary("identity", short, _PLAIN, lambda x: x),
        _unary("relu", short, _PLAIN + 3, _rectified(short)),
        _unary("negate", short, _PLAIN + 3, _bits(np.bitwise_xor)),
        _unary("absolute", short, _PLAIN + 3 + (short == "f16"),
               _bits(lambda pattern, sign: pattern & ~sign)),
        *(
            _unary(name, short, _PLAIN, _operation(op))
            for name, op in (_FUNCTIONS if short == "f16" else {}).items()
        ),
    )
}  # fmt: skip
"""y = function(x), by name and dtype."""


def _binary(name: str, short: str, op: SimdOp) -> tuple[Codelet, Codelet, Codelet]:
    """Make a function of two operands: as they are, with b repeated, with one element b."""
    dtype = DTYPES[short]
    fields = streamed("a", dtype), streamed("b", dtype, apart_from=("a",)), _result(dtype)

    def reference(*, a: Array, b: Array, y: Array) -> None:
        y[...] = evaluate(op, a, np.resize(b, a.size))

    def make(kind: str, issues: int, *derived: Derived) -> Codelet:
        return register(
            Codelet(
                name=f"{name}{kind}_{short}",
                fields=(*fields, _level("a", dtype), *derived),
                source="streams.S",
                reference=reference,
                cycles=lambda a, b, y: issues + words(a, dtype),
            )
        )

    def again(a: int, b: int, **_: int) -> int:
        if b % lanes(dtype):
            raise ValueError(f"{name}_periodic_{short}: b must be whole words, not {b} elements")
        period = words(b, dtype)
        return level(-(-words(a, dtype) // period), 1 - period)

    return (
        make("", 10),
        make("_periodic", 13, _level("b", dtype, "b_level"), Derived("b_again", again)),
        make("_constant", 13),
    )


_OPERATIONS = {
    "add": (SimdOp.H4_ADD, SimdOp.S2_ADD), "subtract": (SimdOp.H4_SUB, SimdOp.S2_SUB),
    "multiply": (SimdOp.H4_MUL, SimdOp.S2_MUL), "maximum": (SimdOp.H4_MAX, SimdOp.S2_MAX),
    "minimum": (SimdOp.H4_MIN, SimdOp.S2_MIN),
}  # fmt: skip

BINARY: dict[tuple[str, str], tuple[Codelet, Codelet, Codelet]] = {
    (name, dtype): _binary(name, short, op)
    for name, ops in _OPERATIONS.items()
    for (short, dtype), op in zip(DTYPES.items(), ops, strict=True)
}
"""y = function(a, b), by name and dtype: with b of a's length, periodic in words, one element."""


def _scaled_add(short: str, op: SimdOp, issues: int) -> Codelet:
    dtype = DTYPES[short]

    def reference(*, a: Array, b: Array, y: Array, factor: Any) -> None:
        y[...] = evaluate(op, a, np.full_like(a, factor), b)

    return register(
        Codelet(
            name=f"scaled_add_{short}",
            fields=(
                streamed("a", dtype), streamed("b", dtype, apart_from=("a",)), _result(dtype),
                Scalar("factor", "f32"), _level("a", dtype),
            ),
            source="streams.S",
            reference=reference,
            cycles=lambda a, b, y, factor: issues + words(a, dtype),
        )
    )  # fmt: skip


SCALED_ADD: dict[str, Codelet] = {
    "float16": _scaled_add("f16", SimdOp.H4_MADD, 13),
    "float32": _scaled_add("f32", SimdOp.S2_MADD, 12),
}
"""y = a * factor + b, rounded once, by dtype."""


def _widen(*, x: Array, y: Array) -> None:
    with np.errstate(invalid="ignore"):
        y[...] = canonical(x.astype(np.float32))


def _narrow(*, x: Array, y: Array) -> None:
    y.view(np.uint16)[...] = simd.narrow(x.view(np.uint32))


def _pairs(field: str) -> tuple[Derived, Derived]:
    """Return how many pairs of f32 words there are in a field, and how many words besides."""
    return (
        Derived("pairs", lambda **sizes: words(sizes[field], "float32") // 2),
        Derived("odd", lambda **sizes: words(sizes[field], "float32") % 2),
    )


WIDEN = register(
    Codelet(
        name="widen",
        fields=(
            streamed("x", "float16"), _result("float32"), _level("x", "float16"),
            _level("y", "float32", "y_level"), *_pairs("y"),
        ),
        source="streams.S",
        reference=_widen,
        cycles=lambda x, y: 12 + words(y, "float32"),
    )
)  # fmt: skip
"""y = x as f32."""

NARROW = register(
    Codelet(
        name="narrow",
        fields=(
            streamed("x", "float32"), _result("float16"), _level("y", "float16"),
            _level("x", "float32", "x_level"), *_pairs("x"),
        ),
        source="streams.S",
        reference=_narrow,
        cycles=lambda x, y: 11 + words(x, "float32"),
    )
)  # fmt: skip
"""y = x as f16, rounded to nearest."""


def _fill(short: str, issues: int) -> Codelet:
    dtype = DTYPES[short]

    def reference(*, y: Array, value: Any) -> None:
        bits = np.asarray([value], np.float32).view(np.uint32)
        if dtype == "float16":
            y.view(np.uint16)[...] = simd.narrow(bits)
        else:
            y.view(np.uint32)[...] = bits

    return register(
        Codelet(
            name=f"fill_{short}",
            fields=(_result(dtype), Scalar("value", "f32"), _level("y", dtype)),
            source="streams.S",
            reference=reference,
            cycles=lambda y, value: issues + words(y, dtype),
        )
    )


FILL: dict[str, Codelet] = {"float16": _fill("f16", 9), "float32": _fill("f32", 8)}
"""y = value, which float16 rounds to nearest, by dtype."""
