"""The codelets that the compiler uses for copies within a tile that rearrange elements."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from openipu.sw.codelets.codelet import Codelet, Field, InOut, Input, Scalar, register

_LOOPS = ("step", "row", "plane")
"""What each side has a scalar for, in bytes."""


def scalars(
    counts: tuple[int, ...], source: tuple[int, ...], destination: tuple[int, ...], unit: int
) -> dict[str, int]:
    """Return the scalars of a vertex, given the counts of its loops, the innermost first.

    `source` and `destination` are how far apart what a loop copies begins, in units of so many
    bytes. What isn't given counts 1.
    """
    missing = 3 - len(counts)
    counts = counts + (1,) * missing
    result: dict[str, int] = dict(zip(("count", "rows", "planes"), counts, strict=True))
    for side, steps in (("source", source), ("destination", destination)):
        end = 0
        for of, count, step in zip(_LOOPS, counts, steps + (0,) * missing, strict=True):
            result[f"{side}_{of}"] = (step - end) * unit
            end = step * count
    return result


def _offsets(counts: tuple[int, ...], steps: tuple[int, ...]) -> NDArray[np.int64]:
    """Return where each element is, in the order that they are copied in."""
    offsets, end = np.zeros(1, np.int64), 0
    for count, step in zip(counts, steps, strict=True):
        apart = end + step
        offsets = (np.arange(count)[:, None] * apart + offsets).reshape(-1)
        end = count * apart
    return offsets


def _codelet(name: str, dtype: str, unit: str) -> Codelet:
    size = np.dtype(unit).itemsize

    def reference(
        *, source: NDArray[Any], destination: NDArray[Any], count: Any, rows: Any, planes: Any,
        **steps: Any,
    ) -> None:  # fmt: skip
        counts = int(count), int(rows), int(planes)
        from_, to = (
            _offsets(counts, tuple(int(steps[f"{side}_{of}"]) // size for of in _LOOPS))
            for side in ("source", "destination")
        )
        destination.view(unit)[to] = source.view(unit)[from_]

    def cycles(
        source: int, destination: int, count: int, rows: int, planes: int,
        source_step: int, source_row: int, destination_step: int, **_: int,
    ) -> int:  # fmt: skip
        fours, rest = divmod(count, 4)
        gathers, scatters = source_step != size, destination_step != size
        if not scatters and gathers and count * source_step + source_row == size:
            blocks, single = divmod(rows, 4)
            block, row = 9 + 40 * fours + 13 * rest, 6 + 13 * fours + 4 * rest
            return 25 + planes * (8 + blocks * block + single * row)
        if gathers and scatters:
            fours, rest = 0, count
        row = 6 + (13 if gathers or scatters else 10) * fours + 4 * rest
        return 19 + gathers + planes * (5 + rows * row)

    return register(
        Codelet(
            name=name,
            fields=(
                Field("source", Input, dtype), Field("destination", InOut, dtype),
                Scalar("count"), Scalar("rows"), Scalar("planes"),
                *(Scalar(f"source_{of}", "i32") for of in _LOOPS),
                *(Scalar(f"destination_{of}", "i32") for of in _LOOPS),
            ),
            source="copy_nest.S",
            reference=reference,
            cycles=cycles,
        )
    )  # fmt: skip


copy_nest_words = _codelet("copy_nest_words", "uint32", "uint32")
"""Elements of `source`, from its first on, to `destination`, in three nested loops.

`planes` planes have `rows` rows of `count` elements each. On both sides elements are `step` bytes
apart; from the end of a row, a step behind its last element, it is `row` bytes to the next row, and
from there after the last row of a plane `plane` more to the next plane. Counts are 1 or more. The
fields are all that lies between the first element and the last; what isn't copied to is left alone.
"""

copy_nest_halves = _codelet("copy_nest_halves", "float16", "uint16")
"""The same for elements of two bytes."""

copy_nest_pairs = _codelet("copy_nest_pairs", "float16", "uint32")
"""The same for pairs of such elements that are whole words on both sides; `count` is of pairs."""
