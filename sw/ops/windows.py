"""Where the windows of a convolution lie in a picture."""

from dataclasses import dataclass

import numpy as np

from openipu.sw.ops.builder import Index

Pair = tuple[int, int]


def is_whole(value: object, least: int) -> bool:
    """Tell whether a value is a whole number, `least` or more."""
    return isinstance(value, (int, np.integer)) and bool(value >= least)


@dataclass(frozen=True)
class Windows:
    """Windows over a padded picture; pairs are of (rows, columns).

    Attributes
    ----------
    picture, kernel, strides : pair of int
    pads : tuple of int
        Lines added above, on the left, below and on the right.
    dilations : pair of int
        From one element of a window to the next.

    Raises ValueError where no window is possible.
    """

    picture: Pair
    kernel: Pair
    strides: Pair = (1, 1)
    pads: tuple[int, int, int, int] = (0, 0, 0, 0)
    dilations: Pair = (1, 1)

    def __post_init__(self) -> None:
        for what, count, least in (
            ("kernel", 2, 1), ("strides", 2, 1), ("dilations", 2, 1), ("pads", 4, 0)
        ):  # fmt: skip
            value = getattr(self, what)
            if len(value) != count or not all(is_whole(size, least) for size in value):
                raise ValueError(
                    f"{what} must be {count} whole numbers from {least} up, not {list(value)}"
                )
        for axis in (0, 1):
            if self.extent(axis, 1) > self.padded[axis]:
                raise ValueError(
                    f"the window of {self.extent(0, 1)} x {self.extent(1, 1)} must fit into the "
                    f"padded picture, not be larger than its {self.padded[0]} x {self.padded[1]}"
                )

    @property
    def padded(self) -> Pair:
        """Size of the picture with what is added."""
        (height, width), (top, left, bottom, right) = self.picture, self.pads
        return height + top + bottom, width + left + right

    @property
    def size(self) -> Pair:
        """How many windows there are, below and beside each other."""
        rows, columns = (
            (self.padded[axis] - self.extent(axis, 1)) // self.strides[axis] + 1 for axis in (0, 1)
        )
        return rows, columns

    def extent(self, axis: int, count: int) -> int:
        """Return the lines of the padded picture that `count` windows in a row cover."""
        reach = (self.kernel[axis] - 1) * self.dilations[axis]
        return (count - 1) * self.strides[axis] + reach + 1

    def positions(self, axis: int) -> Index:
        """Return where the elements of windows are in the padded picture (windows, kernel)."""
        starts = np.arange(self.size[axis]) * self.strides[axis]
        return starts[:, None] + np.arange(self.kernel[axis]) * self.dilations[axis]

    def covered(self, planes: Index, rows: Pair, columns: Pair) -> Index:
        """Return what the windows of these rows and columns cover of (c, h, w), -1 for padding."""
        lines = []
        for axis, (first, end) in enumerate((rows, columns)):
            start = first * self.strides[axis] - self.pads[axis]
            lines.append(start + np.arange(self.extent(axis, end - first)))
        inside = [(0 <= at) & (at < size) for at, size in zip(lines, self.picture, strict=True)]
        result = np.full((len(planes), *map(len, lines)), -1, np.int64)
        sources = [at[there] for at, there in zip(lines, inside, strict=True)]
        places = [np.flatnonzero(there) for there in inside]
        chosen = np.arange(len(planes))
        result[np.ix_(chosen, *places)] = planes[np.ix_(chosen, *sources)]
        return result
