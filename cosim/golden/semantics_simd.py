"""What the SIMD and the random-number instructions do; adds to `semantics.SEMANTICS`.

The operations are those of `simd`, on ints: a call of NumPy takes longer than a whole instruction
here. Floats are Python's, of 64 bits: sums and products of f16 are exact in them, and those of f32
are so near that a second rounding, by `struct`, gives what one would.
"""

import struct
from collections.abc import Callable, Sequence

from openipu.cosim.golden import functions, random, scalar
from openipu.cosim.golden.hart import Hart, TrapError
from openipu.cosim.golden.operands import operands, result
from openipu.cosim.golden.scalar import RNE
from openipu.cosim.golden.semantics import Action, Fields, define
from openipu.cosim.golden.simd import BEYOND, BOX, HALF_INFINITY, HALF_NAN, LEAST_NORMAL
from openipu.rtl.isa import Cause, Op, RandomOp, SimdOp, Unit

MASK = 0xFFFF_FFFF_FFFF_FFFF
LANE = {4: 0xFFFF, 2: 0xFFFF_FFFF}  #: all ones, by the number of lanes
KIND = {4: "e", 2: "f"}  #: how `struct` calls a float

Operation = Callable[[int, int, int, int], int]

_unpack = {lanes: struct.Struct(f"<{lanes}{kind}").unpack for lanes, kind in KIND.items()}
_pack = {lanes: struct.Struct(f"<{lanes}{kind}").pack for lanes, kind in KIND.items()}
_lane = {lanes: struct.Struct(f"<{kind}") for lanes, kind in KIND.items()}
_canonical = {4: struct.pack("<H", HALF_NAN), 2: struct.pack("<I", scalar.NAN)}


def _floats(lanes: int, word: int) -> tuple[float, ...]:
    return _unpack[lanes](word.to_bytes(8, "little"))


def _rounded(lanes: int, value: float) -> bytes:
    """Return the pattern of one lane."""
    if value != value:
        return _canonical[lanes]
    try:
        return _lane[lanes].pack(value)
    except OverflowError:  # what would round to infinity
        return _lane[lanes].pack(float("inf") if value > 0 else float("-inf"))


def _word(lanes: int, values: Sequence[float]) -> int:
    """Round floats to lanes."""
    try:
        packed = _pack[lanes](*values)
    except OverflowError:
        packed = b"".join(_rounded(lanes, value) for value in values)
    else:
        if any(value != value for value in values):
            packed = b"".join(_rounded(lanes, value) for value in values)
    return int.from_bytes(packed, "little")


def _binary(lanes: int, function: Callable[[float, float], float]) -> Operation:
    def run(a: int, b: int, c: int, random: int) -> int:
        return _word(lanes, list(map(function, _floats(lanes, a), _floats(lanes, b))))

    return run


def _compare(lanes: int, holds: Callable[[float, float], bool]) -> Operation:
    ones = LANE[lanes]

    def run(a: int, b: int, c: int, random: int) -> int:
        masks = [
            ones if holds(x, y) else 0
            for x, y in zip(_floats(lanes, a), _floats(lanes, b), strict=True)
        ]
        return _join(masks)

    return run


def _join(patterns: Sequence[int]) -> int:
    """Return four or two patterns as one word, the first in the lowest bits."""
    if len(patterns) == 2:
        return patterns[0] | patterns[1] << 32
    return patterns[0] | patterns[1] << 16 | patterns[2] << 32 | patterns[3] << 48


def _split(lanes: int, word: int) -> list[int]:
    width = 64 // lanes
    return [word >> shift & LANE[lanes] for shift in range(0, 64, width)]


def _pick(lanes: int, a: int, b: int, greater: bool) -> int:
    """Return the lesser or greater of two patterns; -0 < +0; a NaN only where both are."""
    sign = LANE[lanes] + 1 >> 1
    infinity = HALF_INFINITY if lanes == 4 else scalar.INFINITY
    if a & ~sign > infinity:
        if b & ~sign > infinity:
            return HALF_NAN if lanes == 4 else scalar.NAN
        return b
    if b & ~sign > infinity:
        return a
    order_a = a ^ LANE[lanes] if a & sign else a | sign
    order_b = b ^ LANE[lanes] if b & sign else b | sign
    return b if (order_b > order_a) == greater else a


def _choose(lanes: int, greater: bool) -> Operation:
    def run(a: int, b: int, c: int, random: int) -> int:
        pairs = zip(_split(lanes, a), _split(lanes, b), strict=True)
        return _join([_pick(lanes, x, y, greater) for x, y in pairs])

    return run


def _greatest(lanes: int) -> Operation:
    box = BOX if lanes == 4 else 0

    def run(a: int, b: int, c: int, random: int) -> int:
        best, *others = _split(lanes, a)
        for other in others:
            best = _pick(lanes, best, other, True)
        return best | box

    return run


def _to_odd(product: float, addend: float) -> float:
    """Return the sum such that a further rounding gives what a single one would."""
    total = product + addend
    if total - total:  # infinite, or a NaN
        return total
    back = total - product
    lost = (product - (total - back)) + (addend - back)
    if lost:
        (bits,) = struct.unpack("<q", struct.pack("<d", total))
        if not bits & 1:
            bits += 1 if (lost > 0) == (total > 0) else -1
            (total,) = struct.unpack("<d", struct.pack("<q", bits))
    return total


def _h4_madd(a: int, b: int, c: int, random: int) -> int:
    triples = zip(_floats(4, a), _floats(4, b), _floats(4, c), strict=True)
    return _word(4, [_to_odd(x * y, z) for x, y, z in triples])


def _s2_madd(a: int, b: int, c: int, random: int) -> int:
    triples = zip(_split(2, a), _split(2, b), _split(2, c), strict=True)
    return _join([scalar.fma(x, y, z, RNE)[0] for x, y, z in triples])


def _f32(value: float) -> float:
    """Round to f32."""
    (rounded,) = _lane[2].unpack(_rounded(2, value))
    return float(rounded)


def _sum(c: int, *terms: float) -> int:
    """Return c + ((t0 + t1) + (t2 + t3)), or c + (t0 + t1), each sum rounded to f32."""
    sums = list(terms)
    while len(sums) > 1:
        sums = [_f32(x + y) for x, y in zip(sums[::2], sums[1::2], strict=True)]
    return int.from_bytes(_rounded(2, _floats(2, c)[0] + sums[0]), "little")


def _h4_dot(a: int, b: int, c: int, random: int) -> int:
    pairs = zip(_floats(4, a), _floats(4, b), strict=True)
    return _sum(c, *(x * y for x, y in pairs))


def _narrow_random(bits: int, random: int) -> int:
    """Return one f32 pattern as f16; see `simd.narrow_random`."""
    magnitude, sign = bits & 0x7FFF_FFFF, bits >> 31 << 15
    if magnitude >= BEYOND:
        return HALF_NAN if magnitude > scalar.INFINITY else sign | HALF_INFINITY
    exponent = magnitude >> 23
    significand = magnitude & 0x7F_FFFF | (0x80_0000 if exponent else 0)
    places = significand << 3 >> max(LEAST_NORMAL - exponent, 0)
    result = (places + random >> 16) + (max(exponent - LEAST_NORMAL, 0) << 10)
    return sign | min(result, HALF_INFINITY - 1)


OPERATIONS: dict[Op, Operation] = {
    SimdOp.H4_MADD: _h4_madd,
    SimdOp.S2_MADD: _s2_madd,
    SimdOp.AND: lambda a, b, c, random: a & b,
    SimdOp.OR: lambda a, b, c, random: a | b,
    SimdOp.XOR: lambda a, b, c, random: a ^ b,
    SimdOp.ANDN: lambda a, b, c, random: a & ~b,
    SimdOp.SELECT: lambda a, b, c, random: a & b | ~a & c,
    SimdOp.NARROW: lambda a, b, c, random: _word(4, _floats(2, a) + _floats(2, b)),
    SimdOp.NARROW_RANDOM: lambda a, b, c, random: _join(
        list(map(_narrow_random, _split(2, a) + _split(2, b), _split(4, random)))
    ),
    SimdOp.WIDEN_LOW: lambda a, b, c, random: _word(2, _floats(4, a)[:2]),
    SimdOp.WIDEN_HIGH: lambda a, b, c, random: _word(2, _floats(4, a)[2:]),
    SimdOp.H4_SPLAT: lambda a, b, c, random: (a & 0xFFFF) * 0x0001_0001_0001_0001,
    SimdOp.S2_SPLAT: lambda a, b, c, random: (a & 0xFFFF_FFFF) * 0x0000_0001_0000_0001,
    SimdOp.H4_SUM: lambda a, b, c, random: _sum(c, *_floats(4, a)),
    SimdOp.S2_SUM: lambda a, b, c, random: _sum(c, *_floats(2, a)),
    SimdOp.H4_DOT: _h4_dot,
}
"""Each operation as a function of the operands a, b, c and the random bits."""

for _lanes, _name in ((4, "H4"), (2, "S2")):
    OPERATIONS |= {
        SimdOp[f"{_name}_ADD"]: _binary(_lanes, lambda x, y: x + y),
        SimdOp[f"{_name}_SUB"]: _binary(_lanes, lambda x, y: x - y),
        SimdOp[f"{_name}_MUL"]: _binary(_lanes, lambda x, y: x * y),
        SimdOp[f"{_name}_EQ"]: _compare(_lanes, lambda x, y: x == y),
        SimdOp[f"{_name}_LT"]: _compare(_lanes, lambda x, y: x < y),
        SimdOp[f"{_name}_LE"]: _compare(_lanes, lambda x, y: x <= y),
        SimdOp[f"{_name}_MIN"]: _choose(_lanes, greater=False),
        SimdOp[f"{_name}_MAX"]: _choose(_lanes, greater=True),
        SimdOp[f"{_name}_GREATEST"]: _greatest(_lanes),
    }


def _function(op: SimdOp) -> Operation:
    def run(a: int, b: int, c: int, random: int) -> int:
        return int.from_bytes(functions.evaluate(op, _split(4, a)).tobytes(), "little")

    return run


OPERATIONS |= {op: _function(op) for op in functions.FUNCTIONS}


@define(Unit.SIMD, *OPERATIONS)
def _simd(i: Fields) -> Action:
    operate, takes_random = OPERATIONS[i.row.op], i.row.op is SimdOp.NARROW_RANDOM

    def run(hart: Hart) -> None:
        a, b, c = operands(hart, i)
        bits = random.advance(hart.random) if takes_random else 0
        result(hart, i, operate(a, b, c, bits))

    return run


@define(Unit.RANDOM, RandomOp.NEXT)
def _next(i: Fields) -> Action:
    def run(hart: Hart) -> None:
        operands(hart, i)
        result(hart, i, random.advance(hart.random))

    return run


@define(Unit.RANDOM, RandomOp.SEED)
def _seed(i: Fields) -> Action:
    def run(hart: Hart) -> None:
        if i.imm > 1:
            raise TrapError(Cause.ILLEGAL, i.word)
        hart.random[i.imm] = hart.x[i.rs2] << 32 | hart.x[i.rs1]
        hart.pc += 4

    return run
