"""Convolutions of pictures, split over tiles by their estimated cost.

The matrix unit multiplies windows as it does rows of a matrix: a tile has its part of the padded
picture with the channels of a pixel together, and tables say where windows begin and what they
consist of. Where that can't be, windows are gathered and multiplied as a matrix.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from math import ceil, prod

import numpy as np

from openipu.rtl.config import TileConfig
from openipu.sw.codelets.matrix import MATRIX, Segment, least_words, row_table, segment_table
from openipu.sw.codelets.streams import lanes, words
from openipu.sw.ops import matrix
from openipu.sw.ops.builder import Builder, Index, OpError, Tensor, check_floats, split
from openipu.sw.ops.depthwise import depthwise
from openipu.sw.ops.elementwise import binary, cast
from openipu.sw.ops.matmul import MEMORY_SHARE, matmul, parts_of
from openipu.sw.ops.rearrange import pad
from openipu.sw.ops.windows import Windows

Range = tuple[int, int]


def convolve(
    builder: Builder, x: Tensor, w: Tensor, bias: Tensor | None = None, *,
    strides: tuple[int, int] = (1, 1), pads: tuple[int, int, int, int] = (0, 0, 0, 0),
    dilations: tuple[int, int] = (1, 1), groups: int = 1, name: str,
) -> Tensor:  # fmt: skip
    """Return the convolution of x (n, c, h, w) with w (m, c / groups, kh, kw), plus bias (m).

    The result is (n, m, oh, ow), of x's type. `pads` are zeros above, left, below and right.
    """
    check_floats(name, x, w, *([bias] if bias else []))
    if len(x.shape) != 4 or len(w.shape) != 4:
        raise OpError(f"{name}: operands must have 4 dimensions, not {x.shape} and {w.shape}")
    channels, outputs = x.shape[1], w.shape[0]
    if groups < 1:
        raise OpError(f"{name}: groups must be 1 or more, not {groups}")
    if channels != w.shape[1] * groups or outputs % groups:
        raise OpError(
            f"{name}: the weights must be of (a multiple of {groups}, {channels} / {groups}) "
            f"channels for {groups} groups, not {w.shape[:2]}"
        )
    if bias is not None and bias.shape != (outputs,):
        raise OpError(f"{name}: the bias must have shape ({outputs},), not {bias.shape}")
    try:
        windows = Windows((x.shape[2], x.shape[3]), (w.shape[2], w.shape[3]),
                          strides, pads, dilations)  # fmt: skip
    except ValueError as error:
        raise OpError(f"{name}: {error}") from None
    config = builder.config.tile
    if not x.size or not w.size:
        return _by_products(builder, x, w, bias, windows, groups, name=name)
    taps = w.shape[2] * w.shape[3]
    if channels == groups == outputs and config.simd and taps > 1:
        return depthwise(builder, x, w, bias, windows, name=name)
    layout = _layout(windows, w.shape[1], x.dtype, config)
    if layout is None:
        return _by_products(builder, x, w, bias, windows, groups, name=name)
    start = cast(
        builder, bias or Tensor("zeros", np.zeros(outputs, np.float32)), "float32", name=name
    )
    return _by_windows(builder, x, w, start, windows, groups, layout, name=name)


def _by_products(
    builder: Builder, x: Tensor, w: Tensor, bias: Tensor | None, windows: Windows, groups: int, *,
    name: str,
) -> Tensor:  # fmt: skip
    """Gather the windows as rows of a matrix for each group."""
    (n, channels), outputs, (rows, columns) = x.shape[:2], w.shape[0], windows.size
    top, left, bottom, right = windows.pads
    flat = x
    if any(windows.pads):
        flat = pad(builder, x, [(0, 0), (0, 0), (top, bottom), (left, right)], name=name)
    where = np.arange(flat.size).reshape(flat.shape)[
        :, :, windows.positions(0)[:, :, None, None], windows.positions(1)
    ]  # n, channels, rows, kh, columns, kw
    each, depth = channels // groups, prod(w.shape[1:])
    where = where.reshape(n, groups, each, *where.shape[2:]).transpose(1, 0, 3, 5, 2, 4, 6)
    taken = flat.reshape(-1)[where.reshape(groups, n * rows * columns, depth)]
    weights = w.reshape(groups, outputs // groups, depth).transpose(0, 2, 1)
    alone = groups == 1
    result = matmul(builder, taken[0] if alone else taken, weights[0] if alone else weights,
                    bias if alone else None, name=name)  # fmt: skip
    result = result.reshape(groups, n, rows, columns, outputs // groups)
    result = result.transpose(1, 0, 4, 2, 3).reshape(n, outputs, rows, columns)
    if alone or bias is None:
        return result
    return binary(builder, "add", result, bias.reshape(outputs, 1, 1), name=f"{name}/bias")


@dataclass(frozen=True)
class _Layout:
    """How a tile has pictures: words for the channels of a pixel, whether streams reach all."""

    windows: Windows
    dtype: str
    config: TileConfig
    pixel_words: int

    @property
    def row_distance(self) -> int:
        """Words from a window to the one beside it."""
        return self.windows.strides[1] * self.pixel_words

    def pitch(self, columns: int) -> int:
        """Return the words of a line of the picture under `columns` windows."""
        return self.windows.extent(1, columns) * self.pixel_words

    def segments(self, columns: int) -> list[Segment] | None:
        """Return what windows consist of; None where streams or the matrix unit can't do it."""
        (kh, kw), (dy, dx) = self.windows.kernel, self.windows.dilations
        line, down = self.pixel_words, dy * self.pitch(columns)
        if dx == 1 or kw == 1:  # a line of the window is one piece
            starts, line, count, distance = [0], kw * line, kh, down
        else:
            starts, count, distance = [down * y for y in range(kh)], kw, dx * line
        depth = self.config.amp_depth
        found = []
        for start in starts:
            if line > depth:
                found += [
                    Segment(start + number * distance + first, end - first, self.row_distance)
                    for number in range(count) for first, end in matrix.cut(line, self.config)
                ]  # fmt: skip
                continue
            for first, end in split(count, ceil(count / (depth // line))):
                found.append(Segment(start + first * distance, line, self.row_distance,
                                     end - first, distance))  # fmt: skip
        enough = least_words(self.dtype, self.config)
        fits = all(enough <= s.groups and s.fits for s in found)
        return found if fits else None

    def runs(self, rows: int, columns: int, widest: int) -> list[matrix.Run]:
        """Return a tile's windows, those together that follow each other at one distance."""
        down = self.windows.strides[0] * self.pitch(widest)
        if down == columns * self.row_distance:
            return [(0, rows * columns)]
        return [(row * down, columns) for row in range(rows)]

    def issues(self, rows: int, columns: int, outputs: int) -> int:
        """Return the estimated issues for the windows of a tile."""
        segments = self.segments(columns)
        assert segments is not None
        table = segment_table(segments, self.dtype, self.config)
        shares = matrix.share(self.runs(rows, columns, columns), self.row_distance, self.config)
        return MATRIX[self.dtype, self.dtype].issues(
            {},
            {"blocks": matrix.columns_of(outputs, self.config) // self.config.amp_outputs,
             "segments_bytes": matrix.segments_bytes(table, self.config)},
            {"rows": np.array(row_table(shares), np.uint32),
             "segments": np.array(table, np.uint32)},
        )  # fmt: skip


def _layout(windows: Windows, channels: int, dtype: str, config: TileConfig) -> _Layout | None:
    """Return the layout with the fewest words for a pixel that can be computed."""
    if not matrix.computes(config, dtype):
        return None
    least = words(channels, dtype)
    for pixel_words in range(least, least + config.amp_depth + 1):
        layout = _Layout(windows, dtype, config, pixel_words)
        if layout.segments(windows.size[1]) is not None:
            return layout
    return None


@dataclass(frozen=True)
class _Part:
    """What a tile computes: of which picture and group, which outputs, rows and columns."""

    tile: int
    picture: int
    group: int
    outputs: Range
    rows: Range
    columns: Range


def _plan(
    builder: Builder, layout: _Layout, pictures: int, groups: int, outputs: int
) -> tuple[int, int, int]:
    """Return in how many parts to cut the rows, columns and outputs of a group.

    The cost is that of the busiest tile, as of a matrix product. Where nothing fits, the split with
    the smallest parts is returned; the compiler then says what is too much.
    """
    tiles, tile = builder.tiles, builder.config.tile
    windows, size = layout.windows, np.dtype(layout.dtype).itemsize
    height, width = windows.size
    jobs = pictures * groups
    share = max(1, tiles // jobs)
    depth = windows.kernel[0] * windows.kernel[1] * layout.pixel_words * lanes(layout.dtype)
    candidates = []
    for p, c, q in product(parts_of(height, share), parts_of(width, share),
                           parts_of(ceil(outputs / tile.amp_outputs), share)):  # fmt: skip
        if p * c * q > share or (c > 1 and p < height):
            continue
        rows, columns = ceil(height / p), ceil(width / c)
        most = matrix.columns_of(ceil(ceil(outputs / tile.amp_outputs) / q) * tile.amp_outputs,
                                 tile)  # fmt: skip
        if layout.segments(columns) is None:
            continue
        count = ceil(jobs * p * c * q / tiles)
        taken = windows.extent(0, rows) * layout.pitch(columns) * lanes(layout.dtype)
        elements = count * (taken + rows * columns * most) + depth * most
        cost = count * layout.issues(rows, columns, most) * tile.slots
        cost += ceil(count * taken * size / tile.bus_bytes)
        excess = elements if elements * size > tile.memory_bytes * MEMORY_SHARE else 0
        candidates.append((excess, cost, p, c, q))
    return min(candidates)[2:]


def _parts(
    builder: Builder, plan: tuple[int, int, int], size: Range, pictures: int, groups: int,
    outputs: int,
) -> Iterator[_Part]:  # fmt: skip
    rows, columns, blocks = plan
    grain = builder.config.tile.amp_outputs
    each = split(ceil(outputs / grain), blocks)
    cut = product(range(pictures), range(groups), split(size[0], rows), split(size[1], columns),
                  [(a * grain, min(b * grain, outputs)) for a, b in each])  # fmt: skip
    for number, (picture, group, down, along, chosen) in enumerate(cut):
        yield _Part(number % builder.tiles, picture, group, chosen, down, along)


def _by_windows(
    builder: Builder, x: Tensor, w: Tensor, bias: Tensor, windows: Windows, groups: int,
    layout: _Layout, *, name: str,
) -> Tensor:  # fmt: skip
    config, dtype = builder.config.tile, x.dtype
    pictures, channels = x.shape[0], w.shape[1]
    outputs, (height, width) = w.shape[0] // groups, windows.size
    chosen = _plan(builder, layout, pictures, groups, outputs)
    parts = list(_parts(builder, chosen, windows.size, pictures, groups, outputs))
    widest = max(part.columns[1] - part.columns[0] for part in parts)
    segments = layout.segments(widest)
    assert segments is not None
    taken = layout.pixel_words * lanes(dtype)

    # Windows that a tile computes with more than one part of the weights are there once.
    pixels: dict[tuple[int, int, int, Range, Range], Index] = {}
    needed: dict[tuple[int, int, Range], matrix.Weights] = {}
    x_positions = np.arange(x.size).reshape(x.shape)
    w_positions = np.arange(w.size).reshape(groups, outputs, *w.shape[1:])
    positions = np.arange(pictures * groups * outputs * height * width)
    positions = positions.reshape(pictures, groups, outputs, height, width)
    places = []
    for part in parts:
        of = part.group
        source = (part.tile, part.picture, of, part.rows, part.columns)
        if source not in pixels:
            planes = x_positions[part.picture, of * channels : (of + 1) * channels]
            covered = windows.covered(planes, part.rows, part.columns).transpose(1, 2, 0)
            size = len(covered), windows.extent(1, widest), taken
            pixels[source] = matrix.padded(covered, *size).reshape(-1)
        first, end = part.outputs
        columns = matrix.columns_of(end - first, config)
        if (part.tile, of, part.outputs) not in needed:
            weights = w_positions[of, first:end].transpose(2, 3, 1, 0)
            weights = matrix.padded(weights, *weights.shape[:2], taken, columns)
            needed[part.tile, of, part.outputs] = matrix.Weights(
                part.tile,
                weights.reshape(-1, lanes(dtype), columns),
                matrix.padded(of * outputs + np.arange(first, end), columns),
            )
        block = positions[part.picture, of, first:end, slice(*part.rows), slice(*part.columns)]
        block = block.reshape(end - first, -1).T
        places.append((part.tile, matrix.padded(block, len(block), columns)))
    inputs = dict(zip(
        pixels,
        builder.arranged(name, x, [(tile, index) for (tile, *_), index in pixels.items()]),
        strict=True,
    ))  # fmt: skip
    packed = matrix.packed(builder, name, w, bias, list(needed.values()), segments)
    numbers = {key: number for number, key in enumerate(needed)}
    shape = (pictures, groups * outputs, height, width)
    result, blocks = builder.result(name, shape, dtype, places)
    jobs = []
    for part, y in zip(parts, blocks, strict=True):
        (first, end), (left, right) = part.rows, part.columns
        jobs.append(matrix.Job(
            part.tile, inputs[part.tile, part.picture, part.group, part.rows, part.columns],
            layout.runs(end - first, right - left, widest),
            numbers[part.tile, part.group, part.outputs], y,
        ))  # fmt: skip
    matrix.multiply(builder, builder.compute_set(name), jobs, segments, packed)
    return result
