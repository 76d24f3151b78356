"""Products of matrices by the matrix unit, for rows that streams can read from anywhere.

`y = bias + x . w`, for as many columns as the matrix unit has outputs at a time (a *block*), with
the inputs of a row in *segments*, each at most as many words as there are weights for. The rows of
x and what they consist of are tables: a matrix product has a row after another, a convolution has
windows, and both are the same to the tile.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from openipu.cosim.golden import amp
from openipu.rtl.config import TileConfig
from openipu.sw.codelets.arithmetic import store
from openipu.sw.codelets.codelet import (
    Codelet,
    Derived,
    Field,
    Output,
    Scalar,
    Table,
    register,
)
from openipu.sw.codelets.streams import (
    MOST_STEP,
    WORD_BYTES,
    count_and_step,
    lanes,
    level,
    streamed,
)

Array = NDArray[Any]
Words = NDArray[np.uint32]

SEGMENT_WORDS, ROWS_WORDS, RUN_WORDS = 10, 4, 2
"""Words of what is in the tables."""


@dataclass(frozen=True)
class Segment:
    """Words of a row: `runs` times `words` that follow each other, `distance` words apart.

    `offset` is that of the first word in the row, `row_distance` the way from row to row within a
    run, both in words.
    """

    offset: int
    words: int
    row_distance: int
    runs: int = 1
    distance: int = 0

    @property
    def groups(self) -> int:
        """How many words there are."""
        return self.words * self.runs

    @property
    def steps(self) -> tuple[int, int, int]:
        """Words from the last of a level of its stream to the next: within, of runs, of rows."""
        last = (self.runs - 1) * self.distance + self.words - 1
        return 1, self.distance - self.words + 1, self.row_distance - last

    @property
    def fits(self) -> bool:
        """Tell whether a stream can step so far."""
        return max(map(abs, self.steps)) <= MOST_STEP


def steps(dtype: str, config: TileConfig) -> int:
    """Return the steps of the matrix unit for a word."""
    return 1 if dtype == "float16" and config.amp_dot == 4 else 2


def least_words(dtype: str, config: TileConfig) -> int:
    """Return the fewest words that a segment may have, so that the sums get in and out in time."""
    return -(-(config.amp_outputs // 2) // steps(dtype, config))


def most_rows(config: TileConfig) -> int:
    """Return how many rows a worker can do at once: the step back over their sums fits 16 bits."""
    return (1 << 16) // config.amp_outputs


def segment_table(segments: Sequence[Segment], dtype: str, config: TileConfig) -> list[int]:
    """Return the codelets' table `segments`: for each worker all of them."""
    table = []
    for worker in range(config.slots):
        end = 0
        for segment in segments:
            within, between, to_next = segment.steps
            pairs = segment.groups * config.amp_outputs // 2
            share = -(-pairs // config.slots)
            first = min(worker * share, pairs)
            loads = min(share, pairs - first)
            begin, end = end, end + pairs
            table += [
                segment.offset * WORD_BYTES,
                level(segment.words, within),
                level(segment.runs, between),
                level(0, to_next),
                segment.groups,
                segment.groups * steps(dtype, config),
                end * WORD_BYTES,
                level(loads),
                (begin + first) * WORD_BYTES,
                2 * first if loads else 0,
            ]
    return table


def row_table(workers: Sequence[Sequence[tuple[int, int]]]) -> list[int]:
    """Return the codelets' table `rows`: for each worker its runs, as (offset in bytes, rows)."""
    table: list[int] = []
    first, at = 0, ROWS_WORDS * len(workers)
    for runs in workers:
        count = sum(rows for _, rows in runs)
        end = at + RUN_WORDS * len(runs)
        table += [first, count, 4 * at, 4 * end]
        first, at = first + count, end
    return [*table, *(word for runs in workers for run in runs for word in run)]


def _offsets(segment: Words, rows: Words) -> NDArray[np.int64]:
    """Return where the words of each row are, (rows, groups), in words."""
    (words, step), (runs, between), (_, to_next) = map(count_and_step, segment[1:4])
    distance = (words - 1) * step + between
    row = np.arange(runs)[:, None] * distance + np.arange(words) * step
    row_distance = (runs - 1) * distance + (words - 1) * step + to_next
    starts = []
    for worker in range(int(rows[2]) // 4 // ROWS_WORDS):
        _, _, at, end = rows[ROWS_WORDS * worker :][:ROWS_WORDS] // 4
        for offset, count in rows[at:end].reshape(-1, RUN_WORDS).tolist():
            starts.append(offset // WORD_BYTES + np.arange(count) * row_distance)
    first = int(segment[0]) // WORD_BYTES
    return np.concatenate(starts)[:, None] + row.reshape(-1) + first


def _reference(
    *, x: Array, even: Array, odd: Array, bias: Array, sums: Array, y: Array, rows: Words,
    segments: Words, segments_bytes: np.uint32, blocks: np.uint32, dot: np.uint32,
) -> None:  # fmt: skip
    each = lanes(x.dtype.name)
    outputs = bias.size // int(blocks)
    words, result = x.reshape(-1, each), y.reshape(-1, bias.size)
    listed = segments[: int(segments_bytes) // 4].reshape(-1, SEGMENT_WORDS)
    inputs = [words[_offsets(segment, rows)] for segment in listed]
    block_pairs = int(listed[-1][6]) // WORD_BYTES
    for block in range(int(blocks)):
        columns = slice(block * outputs, (block + 1) * outputs)
        total = bias[columns]
        for number, (segment, taken) in enumerate(zip(listed, inputs, strict=True)):
            groups, end = int(segment[4]), int(segment[6]) // WORD_BYTES + block * block_pairs
            weights = np.stack([
                part.reshape(-1, each)[end - groups * outputs // 2 : end]
                .reshape(groups, outputs // 2, each)
                for part in (even, odd)
            ], axis=2).reshape(groups, outputs, each)  # fmt: skip
            total = amp.matmul(
                taken.reshape(len(taken), -1),
                weights.transpose(0, 2, 1).reshape(groups * each, outputs),
                total,
                int(dot),
            )
            if number < len(listed) - 1:
                sums.reshape(-1, outputs)[...] = total
        store(result[:, columns], total)


SETUP_ISSUES, BLOCK_ISSUES, SEGMENT_ISSUES, RUN_ISSUES = 43, 12, 31, 10


def _cycles(
    narrow: int, *, rows: Words, segments: Words, segments_bytes: int, blocks: int, **_: Any
) -> int:
    """Return the cost of the worker that has the most to do; a word of y is `narrow` of sums."""
    listed = segments[: int(segments_bytes) // 4].reshape(-1, SEGMENT_WORDS)
    sums = int(listed[0][6]) // WORD_BYTES // int(listed[0][4])  # words of them for a row
    most = 0
    for worker in range(int(rows[2]) // 4 // ROWS_WORDS):
        _, count, at, end = rows[ROWS_WORDS * worker :][:ROWS_WORDS].tolist()
        runs = (end - at) // 4 // RUN_WORDS
        fixed = SEGMENT_ISSUES + 2 * sums + runs * RUN_ISSUES
        each = [
            fixed + count_and_step(segment[7])[0] + count * int(segment[5]) for segment in listed
        ]
        most = max(most, sum(each))
    return SETUP_ISSUES + int(blocks) * (BLOCK_ISSUES + most - sums + sums // narrow)


def _matrix(name: str, dtype: str, result: str) -> Codelet:
    size = int(np.dtype(result).itemsize)

    def y_step(bias: int, **_: Any) -> int:
        return bias * size

    def y_level(bias: int, blocks: int, **_: Any) -> int:
        return level(0, (bias - bias // int(blocks)) * size // WORD_BYTES + 1)

    return register(
        Codelet(
            name=name,
            fields=(
                streamed("x", dtype),
                streamed("even", dtype),
                streamed("odd", dtype, apart_from=("even",)),
                streamed("bias", "float32", apart_from=("x",)),
                Field("sums", Output, "float32", streamed=True, apart_from=("x",)),
                Field("y", Output, result, streamed=True),
                Table("rows"),
                Table("segments"),
                Scalar("segments_bytes"),
                Scalar("blocks"),
                Scalar("dot"),
                Derived("y_step", y_step),
                Derived("y_level", y_level),
            ),
            source="matrix.S",
            reference=_reference,
            cycles=partial(_cycles, 4 // size),
            team=True,
        )
    )


MATRIX: dict[tuple[str, str], Codelet] = {
    ("float16", "float16"): _matrix("matrix_f16", "float16", "float16"),
    ("float16", "float32"): _matrix("matrix_f16_f32", "float16", "float32"),
    ("float32", "float32"): _matrix("matrix_f32", "float32", "float32"),
}
"""y (rows, columns) = bias (columns) + x . w, by the types of x and y.

`even` and `odd` are the weights' words of even and odd outputs: for each block and segment, for
each word of the segment, for each output. `sums` has room for the rows of a block where there is
more than one segment. `segments_bytes` is the size of a worker's part of `segments`; `dot` is the
matrix unit's.
"""


def pack(w: Array, config: TileConfig, segments: Sequence[int]) -> tuple[Array, Array]:
    """Return `even` and `odd` for weights w (words, lanes, columns), the words in segments' order.

    `segments` are their words; columns are whole blocks. For indices it works just as well.
    """
    outputs = config.amp_outputs
    _, each, columns = w.shape
    ends = np.cumsum([0, *segments])
    parts = [
        w[ends[s] : ends[s + 1], :, b : b + outputs].transpose(0, 2, 1)
        for b, s in product(range(0, columns, outputs), range(len(segments)))
    ]
    empty = np.zeros((0, each), w.dtype)
    even, odd = (
        np.concatenate([empty, *(part[:, start::2].reshape(-1, each) for part in parts)])
        for start in (0, 1)
    )
    return even.reshape(-1), odd.reshape(-1)
