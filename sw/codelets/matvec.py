"""Products of a matrix and a vector by the matrix unit, which takes two words a cycle.

Rows are cut into `parts`, each with a pair of the matrix unit's outputs for itself; the outputs
that this leaves are for the next rows.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from openipu.cosim.golden import amp
from openipu.rtl.config import TileConfig
from openipu.sw.codelets.arithmetic import quiet, store
from openipu.sw.codelets.codelet import (
    Codelet,
    Derived,
    Field,
    Output,
    Scalar,
    Table,
    register,
)
from openipu.sw.codelets.streams import WORD_BYTES, lanes, level, streamed

Array = NDArray[Any]

DTYPE = "float16"
LANES = lanes(DTYPE)
WORK_WORDS = 8
"""Words for each worker in the table."""


def work_table(blocks: int, parts: int, groups: int, config: TileConfig) -> list[int]:
    """Return the codelets' table `work`."""
    pairs = config.amp_outputs // 2
    grain = max(1, LANES // (2 * (pairs // parts)))  # so that workers write whole words of f16
    table = []
    for worker in range(config.slots):
        first_group, group = _share(groups, 1, worker, config.slots)
        first, end = _share(blocks, grain, worker, config.slots)
        rows = pairs // parts
        table += [
            first_group * WORD_BYTES,
            level(group - first_group, 1 - (parts - 1) * groups),
            (group - first_group) * pairs,
            first_group * config.amp_outputs if group > first_group else 0,
            first * rows * parts * groups * WORD_BYTES,
            end - first,
            first * rows * WORD_BYTES,
            (end - first) * rows,
        ]
    return table


def _share(count: int, grain: int, worker: int, workers: int) -> tuple[int, int]:
    grains = -(-count // grain)
    first, end = (-(-number * grains // workers) * grain for number in (worker, worker + 1))
    return min(first, count), min(end, count)


def _reference(
    *, x: Array, even: Array, odd: Array, bias: Array, sums: Array, y: Array, work: Array,
    parts: np.uint32, groups: np.uint32, outputs: np.uint32,
) -> None:  # fmt: skip
    count = int(parts)
    vector = x.reshape(count, int(groups) * LANES)
    total = np.zeros((2, even.size // x.size, count), np.float32)
    for which, rows in enumerate((even, odd)):
        taken = rows.reshape(-1, count, int(groups) * LANES)
        for part in range(count):
            total[which, :, part] = amp.matmul(
                np.ascontiguousarray(taken[:, part]), vector[part][:, None],
                np.zeros(1, np.float32), 4,
            )[:, 0]  # fmt: skip
    with quiet():
        while total.shape[2] > 1:
            total = total[:, :, 0::2] + total[:, :, 1::2]
        store(sums, total[:, :, 0].T)
        store(y, sums + bias)


SETUP_ISSUES, PARTS_ISSUES, BLOCK_ISSUES = 55, 2, 3


def _cycles(
    *, work: Array, parts: int, groups: int, outputs: int, y: int, sums: int, **_: Any
) -> int:
    """Return the cost of the worker that has the most to do."""
    pairs = outputs // 2
    table = work.reshape(-1, WORK_WORDS)
    each = pairs * (groups + 2) + BLOCK_ISSUES + pairs - pairs // parts
    finish = 3 if y == sums else 2
    most = max(int(row[5]) * each + int(row[7]) * finish // 2 for row in table)
    setup = SETUP_ISSUES + PARTS_ISSUES * pairs.bit_length()
    return setup + int(table[:, 2].max()) + most


def _matvec(name: str, result: str) -> Codelet:
    return register(
        Codelet(
            name=name,
            fields=(
                streamed("x", DTYPE),
                streamed("even", DTYPE),
                streamed("odd", DTYPE, apart_from=("even",)),
                streamed("bias", "float32"),
                Field("sums", Output, "float32", streamed=True, apart_from=("bias",)),
                Field("y", Output, result, streamed=True),
                Table("work"),
                Scalar("parts"),
                Scalar("groups"),
                Scalar("outputs"),
                Derived("parts_level", lambda *, parts, groups, **_: level(parts, groups)),
                Derived("again_level", lambda *, parts, groups, outputs, **_: level(
                    outputs // 2 // parts, (1 - parts) * groups)),
                Derived("block_level", lambda *, groups, outputs, **_: level(
                    outputs // 2 * groups)),
            ),
            source="matvec.S",
            reference=_reference,
            cycles=_cycles,
            team=True,
        )
    )  # fmt: skip


MATVEC: dict[str, Codelet] = {
    "float16": _matvec("matvec_f16", "float16"),
    "float32": _matvec("matvec_f16_f32", "float32"),
}
"""y (rows) = bias + w . x, by the type of y; x and w are f16, all else f32.

x is `parts` times `groups` words, `parts` a power of two. `even` and `odd` are the words of even
and odd rows, in whole blocks; `outputs` are the matrix unit's. `sums` is scratch.
"""
