"""Compares memory of the RTL with what the golden reference says it must hold, bit for bit."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, kw_only=True)
class Region:
    """A piece of one tile's memory with its expected content.

    Attributes
    ----------
    tile : int
    address : int
        Byte address of the first element.
    expected : ndarray
        What must be there, in C order.
    vertex, field : str
        Who wrote it, for the report.
    source : str
        Where that is written down, as `file:line`.
    """

    tile: int
    address: int
    expected: NDArray[Any]
    vertex: str
    field: str
    source: str = ""


@dataclass(frozen=True)
class Mismatch:
    """One element that differs: which, where, and both values (`found` in the RTL's memory)."""

    superstep: int
    region: Region
    index: tuple[int, ...]
    expected: Any
    found: Any

    def __str__(self) -> str:
        """Say all of that in a few lines."""
        region = self.region
        index = ", ".join(map(str, self.index))
        shape = np.atleast_1d(region.expected).shape
        address = region.address + region.expected.itemsize * int(
            np.ravel_multi_index(self.index, shape)
        )
        text = (
            f"superstep {self.superstep}, tile {region.tile}, vertex {region.vertex}, "
            f"field {region.field}[{index}] at {address:#x}:\n"
            f"  expected {_both(self.expected)}\n"
            f"  rtl has  {_both(self.found)}"
        )
        return f"{text}\n  written by {region.source}" if region.source else text


class Scoreboard:
    """Counts comparisons and remembers the first mismatch.

    Attributes
    ----------
    supersteps : int
        Supersteps compared.
    words : int
        Elements compared.
    mismatches : int
        Elements that differ in at least one bit.
    first : Mismatch or None
        The first of them.
    """

    def __init__(self) -> None:
        self.supersteps = 0
        self.words = 0
        self.mismatches = 0
        self.first: Mismatch | None = None

    def check(
        self, superstep: int, memory: NDArray[np.uint8], regions: Iterable[Region]
    ) -> Mismatch | None:
        """Compare regions after a superstep with `memory`, (tiles, bytes), as `Session.memory`.

        Return the first mismatch of this superstep, or None. NaNs and zeros are compared by their
        bits like everything else.
        """
        self.supersteps += 1
        here: Mismatch | None = None
        for region in regions:
            expected = np.atleast_1d(np.ascontiguousarray(region.expected))
            raw = memory[region.tile, region.address : region.address + expected.nbytes]
            if raw.size != expected.nbytes:
                raise ValueError(
                    f"region must lie in the tile's {memory.shape[1]:#x} bytes, not "
                    f"{region.address:#x} and {expected.nbytes:#x} more ({region.field})"
                )
            wanted = expected.reshape(-1).view(np.uint8)
            self.words += expected.size
            if np.array_equal(raw, wanted):
                continue
            wrong = (raw != wanted).reshape(expected.size, expected.itemsize).any(axis=1)
            self.mismatches += int(wrong.sum())
            if here is None:
                index = np.unravel_index(int(wrong.argmax()), expected.shape)
                found = raw.copy().view(expected.dtype).reshape(expected.shape)
                here = Mismatch(
                    superstep=superstep,
                    region=region,
                    index=tuple(int(i) for i in index),
                    expected=expected[index],
                    found=found[index],
                )
        self.first = self.first or here
        return here


def _both(value: Any) -> str:
    """Return a scalar as its bits and as its value."""
    bits = int.from_bytes(np.asarray(value).tobytes(), "little")
    return f"{bits:#0{2 + 2 * value.dtype.itemsize}x} ({value})"
