"""Codelets that move or select elements: against their twins, and their estimates over shapes."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from openipu.rtl.config import ChipConfig, TileConfig
from openipu.sw.codelets.codelet import Codelet, all_codelets
from openipu.sw.codelets.copy_nest import scalars
from openipu.sw.codelets.pooling import run_words
from openipu.sw.codelets.streams import lanes, words
from tests.sw.codelets.test_codelets import (
    ELSEWHERE,
    SEED,
    Case,
    check_estimates,
    equals_twin,
    halves,
    values,
)

CODELETS = [codelet for codelet in all_codelets().values() if codelet.source in ELSEWHERE]
TRANSPOSE = [c for c in all_codelets().values() if c.source == "rearrange.c"]


def elements(random: np.random.Generator, count: int, dtype: str) -> NDArray[Any]:
    """Return elements with special values and any pattern among them."""
    if dtype == "float16":
        return halves(random, count)
    return values(random, count).view(dtype)


def gather(random: np.random.Generator, codelet: Codelet) -> Iterator[Case]:
    dtype = codelet.vectors[0].dtype
    unit = 1 if codelet.source == "gather.c" else 8 // np.dtype(dtype).itemsize
    for rows, columns, count in ((1, 1, 1), (5, 3, 0), (5, 4, 9), (17, 11, 20), (3, 0, 2)):
        index = random.integers(-rows, rows, count)
        if count > 3:
            index[:4] = rows, -rows - 1, -(1 << 31), (1 << 31) - 1
        table = elements(random, rows * columns * unit, dtype)
        yield Case(
            {"table": table, "index": index.astype(np.int32)},
            {"y": count * columns * unit}, {"rows": rows, "columns": columns * unit},
        )  # fmt: skip


def arg_max(random: np.random.Generator, codelet: Codelet) -> Iterator[Case]:
    """Rows with the greatest anywhere, also twice or with NaNs, and without any above -infinity."""
    dtype = codelet.vectors[0].dtype
    make, each = halves if dtype == "float16" else values, lanes(dtype)
    for rows, width in ((0, 1), (1, 1), (3, 2), (7, 5), (2, 101), (1, 2048)):
        wild = make(random, rows * width * each)
        few = random.choice(np.array([-np.inf, np.nan, -0.0, 0.0, 1.0], dtype), wild.size)
        low = random.choice(np.array([-np.inf, np.nan], dtype), wild.size)
        for x in (wild, few, low):
            yield Case({"x": x}, {"y": rows}, {"columns": width * each})


def top(codelet: Codelet, x: NDArray[Any], rows: int, columns: int, k: int, smallest: int) -> Case:
    by_words = codelet.source == "greatest.S"
    keys = words(columns, str(x.dtype)) * lanes(str(x.dtype)) if by_words else k
    return Case({"x": x}, {"y": rows * k, "index": rows * k, "keys": keys},
                {"columns": columns, "k": k, "smallest": smallest})  # fmt: skip


def top_k(random: np.random.Generator, codelet: Codelet) -> Iterator[Case]:
    """Elements of any kind with equal ones, and rows with few above -infinity or below infinity."""
    dtype = codelet.vectors[0].dtype
    for rows, columns, k in ((1, 1, 1), (0, 3, 2), (3, 7, 2), (2, 50, 50), (4, 33, 5), (2, 12, 9)):
        x = elements(random, rows * columns, dtype)
        x[columns // 2 :: 3] = x[0] if x.size else 0  # equal ones
        few = random.choice(np.array([-np.inf, np.inf, np.nan, -0.0, 0.0], dtype), x.size)
        for smallest in (0, 1):
            for each in (x, few):
                yield top(codelet, each, rows, columns, k, smallest)


def greatest(random: np.random.Generator, codelet: Codelet) -> Iterator[Case]:
    if codelet.name.startswith("arg_max"):
        return arg_max(random, codelet)
    return top_k(random, codelet)


def picture(
    random: np.random.Generator, codelet: Codelet, size: tuple[int, int, int],
    window: tuple[int, int], stride: int, *, wild: bool,
) -> Case:  # fmt: skip
    """Return a vertex for whole windows of x (rows, columns, words), a run for each row of y."""
    dtype = codelet.vectors[0].dtype
    each = 8 // np.dtype(dtype).itemsize
    rows, columns, channels = size
    pixels = (columns - window[1]) // stride + 1
    starts = range(0, rows - window[0] + 1, stride)
    runs = [
        run_words(
            start * columns * channels, window[1], window[0], pixels,
            apart=(channels, columns * channels, stride * channels),
            y=number * pixels * channels, factor=1 / (window[0] * window[1]),
        )
        for number, start in enumerate(starts)
    ]  # fmt: skip
    count = rows * columns * channels * each
    x = elements(random, count, dtype) if wild else random.normal(size=count).astype(dtype)
    table = np.array(runs, np.uint32).reshape(-1)
    return Case({"x": x}, {"y": len(runs) * pixels * channels * each},
                {"words": channels, "runs": table})  # fmt: skip


def pooling(random: np.random.Generator, codelet: Codelet) -> Iterator[Case]:
    for size, window, stride in (
        ((1, 1, 1), (1, 1), 1), ((4, 6, 2), (2, 2), 2), ((5, 7, 1), (3, 3), 1),
        ((5, 7, 3), (3, 2), 2), ((7, 7, 1), (7, 7), 1), ((2, 9, 1), (1, 2), 3),
    ):  # fmt: skip
        for wild in (False, True):
            yield picture(random, codelet, size, window, stride, wild=wild)
    yield Case({"x": elements(random, 8, codelet.vectors[0].dtype)}, {"y": 0},
               {"words": 1, "runs": np.zeros(0, np.uint32)})  # fmt: skip


def random_numbers(
    random: np.random.Generator, codelet: Codelet, counts: tuple[int, ...] = (0, 1, 2, 5, 8, 51)
) -> Iterator[Case]:
    for count in counts:
        for probability in (0.25, 0.7) if codelet.scalars else (None,):
            scalars = {} if probability is None else {"probability": probability}
            state = random.integers(0, 1 << 32, 4, np.uint32)
            yield Case({"state": state}, {"y": count}, scalars)


def nest(
    random: np.random.Generator, codelet: Codelet, counts: tuple[int, ...],
    source: tuple[int, ...], destination: tuple[int, ...],
) -> Case:  # fmt: skip
    """Return a vertex of three loops, in units of its elements or pairs of them."""
    dtype = codelet.vectors[0].dtype
    unit = 2 if codelet.name == "copy_nest_halves" else 4
    sizes = (
        (1 + sum((count - 1) * step for count, step in zip(counts, steps, strict=True)))
        * unit // np.dtype(dtype).itemsize
        for steps in (source, destination)
    )  # fmt: skip
    x, y = (elements(random, size, dtype) for size in sizes)
    return Case({"source": x, "destination": y}, {}, scalars(counts, source, destination, unit))


def nests(random: np.random.Generator, codelet: Codelet) -> Iterator[Case]:
    for counts, source, destination in (
        ((1,), (1,), (1,)), ((9,), (1,), (1,)), ((3,), (1,), (5,)), ((6,), (3,), (1,)),
        ((7,), (0,), (2,)), ((5, 4), (1, 7), (1, 6)), ((5, 4), (4, 1), (1, 6)),
        ((8, 3), (1, 9), (3, 1)), ((8, 3), (2, 17), (3, 1)), ((4, 3, 2), (1, 4, 0), (1, 6, 20)),
        ((2, 5, 3), (15, 1, 5), (1, 2, 10)), ((3, 2, 5), (0, 1, 0), (25, 75, 1)),
        ((4, 2, 3), (7, 1, 28), (2, 9, 18)),
        # Blocks of four rows: with none, some and no elements or rows left over.
        ((4, 4), (4, 1), (1, 4)), ((3, 5), (6, 1), (1, 3)), ((9, 3, 2), (3, 1, 30), (1, 9, 30)),
        ((6, 11, 2), (11, 1, 0), (1, 7, 80)), ((8, 8, 1), (9, 1, 5), (1, 8, 3)),
    ):  # fmt: skip
        yield nest(random, codelet, counts, source, destination)


MAKE = {
    "copy_nest.S": nests, "gather.S": gather, "gather.c": gather, "greatest.S": greatest,
    "pooling.S": pooling, "pooling.c": pooling, "random.S": random_numbers,
    "random.c": random_numbers, "top_k.c": top_k,
}  # fmt: skip
"""Vertices to test the codelets of a source with."""


def cases(codelet: Codelet) -> list[Case]:
    return list(MAKE[codelet.source](np.random.default_rng(SEED), codelet))


@pytest.mark.parametrize("codelet", CODELETS, ids=lambda codelet: codelet.name)
def test_iss_equals_twin(codelet: Codelet) -> None:
    equals_twin("iss", ChipConfig(tiles=1), {codelet.name: cases(codelet)})


def test_rtl_equals_twin() -> None:
    config = ChipConfig(tile=TileConfig(banks=24))  # as in test_codelets.py: one simulator
    equals_twin("rtl", config, {codelet.name: cases(codelet) for codelet in CODELETS})


def sweep(codelet: Codelet) -> Iterator[Case]:
    """Shapes to check an estimate at, with elements and indices in no particular order."""
    random = np.random.default_rng(SEED)
    first = codelet.vectors[0].dtype
    each = 8 // np.dtype(first).itemsize
    match codelet.source:
        case "copy_nest.S":
            for counts in ((1, 1, 1), (3, 1, 9), (8, 5, 4), (31, 20, 1), (2, 3, 60)):
                sizes = counts[0], counts[0] * counts[1]
                for steps in ((1, *sizes), (counts[1], 1, sizes[1]), (3, 2, 0)):
                    for to in ((1, *sizes), (2, 2 * sizes[0], 2 * sizes[1])):
                        yield nest(random, codelet, counts, steps, to)
        case "gather.S" | "gather.c":
            for count, columns in ((1, 1), (2, 7), (30, 1), (30, 16), (100, 3)):
                table = elements(random, 20 * columns * each, first)
                index = random.integers(0, 20, count).astype(np.int32)
                yield Case({"table": table, "index": index}, {"y": count * columns * each},
                           {"rows": 20, "columns": columns * each})  # fmt: skip
        case "pooling.S" | "pooling.c":
            for size, window, stride in (
                ((1, 1, 1), (1, 1), 1), ((16, 16, 1), (2, 2), 2), ((8, 9, 2), (3, 3), 1),
                ((9, 6, 3), (2, 3), 1), ((8, 8, 2), (8, 8), 1),
            ):  # fmt: skip
                yield picture(random, codelet, size, window, stride, wild=False)
        case "rearrange.c":
            for rows, columns in ((1, 1), (4, 8), (7, 5), (33, 35), (64, 64)):
                x = np.zeros(rows * columns, first)
                yield Case({"x": x}, {"y": x.size},
                           {"rows": rows, "columns": columns, "step": columns})  # fmt: skip
        case "random.S" | "random.c":
            yield from random_numbers(random, codelet, (0, 1, 2, 50, 199))
        case "greatest.S" if codelet.name.startswith("arg_max"):
            yield from arg_max(random, codelet)
        case "greatest.S":
            for rows, columns, k in ((0, 1, 1), (1, 1, 1), (1, 20, 1), (8, 50, 20), (9, 39, 5),
                                     (2, 3, 3), (3, 1001, 2)):  # fmt: skip
                x = random.normal(size=rows * columns).astype(first)
                yield top(codelet, x, rows, columns, k, columns % 2)
        case "top_k.c":
            for rows, columns, k in ((1, 1, 1), (100, 20, 1), (100, 40, 5), (50, 50, 20)):
                x = random.normal(size=rows * columns).astype(first)
                yield top(codelet, x, rows, columns, k, 0)


@pytest.mark.parametrize("source", sorted({codelet.source for codelet in CODELETS}))
def test_estimates_on_rtl(source: str) -> None:
    check_estimates({c.name: list(sweep(c)) for c in CODELETS if c.source == source})


def test_estimates_of_large_transposes_on_rtl() -> None:
    check_estimates({codelet.name: list(sweep(codelet)) for codelet in TRANSPOSE})
