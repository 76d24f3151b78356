"""Depthwise convolutions, by SIMD: a word has some channels of a pixel."""

from dataclasses import dataclass
from itertools import product
from math import ceil

import numpy as np

from openipu.sw.codelets.depthwise import DEPTHWISE, DEPTHWISE_9
from openipu.sw.codelets.streams import MOST_STEP, lanes
from openipu.sw.ops.builder import Builder, Index, OpError, Tensor, split
from openipu.sw.ops.matmul import parts_of
from openipu.sw.ops.matrix import padded
from openipu.sw.ops.windows import Windows

Range = tuple[int, int]


@dataclass(frozen=True)
class _Part:
    """What a tile computes: which words of channels and which rows of a picture."""

    tile: int
    picture: int
    words: Range
    rows: Range


def depthwise(
    builder: Builder, x: Tensor, w: Tensor, bias: Tensor | None, windows: Windows, *, name: str
) -> Tensor:
    """Return the convolution of each channel of x (n, c, h, w) with its own w (c, 1, kh, kw).

    A kernel has at least 2 elements. Sums are of x's type, each step rounded once.
    """
    (pictures, channels), dtype = x.shape[:2], x.dtype
    height, width = windows.size
    size = lanes(dtype)
    most = _most_words(windows)
    if not most:
        raise OpError(f"{name}: windows must lie within {MOST_STEP:,} words of a tile's memory")
    parts = _parts(builder, pictures, ceil(channels / size), height, most)
    bias = bias or Tensor("zeros", np.zeros(channels, dtype))

    def elements(words: Range) -> slice:
        return slice(words[0] * size, min(words[1] * size, channels))

    x_positions = np.arange(x.size).reshape(x.shape)
    w_positions = np.arange(w.size).reshape(channels, -1)
    pixels, weights, biases = [], [], []
    for part in parts:
        count = part.words[1] - part.words[0]
        covered = windows.covered(
            x_positions[part.picture, elements(part.words)], part.rows, (0, width)
        ).transpose(1, 2, 0)
        pixels.append((part.tile, padded(covered, *covered.shape[:2], count * size).reshape(-1)))
        for word in range(*part.words):
            chosen = elements((word, word + 1))
            elements_of = w_positions[chosen].T
            weights.append((part.tile, padded(elements_of, len(elements_of), size).reshape(-1)))
            biases.append((part.tile, padded(np.arange(channels)[chosen], size)))
    inputs = builder.arranged(name, x, pixels)
    taps_there = iter(builder.arranged(f"{name}/weights", w, weights))
    biases_there = iter(builder.arranged(f"{name}/bias", bias, biases))

    positions = np.arange(pictures * channels * height * width).reshape(
        pictures, channels, height, width
    )
    codelet = (DEPTHWISE_9 if windows.kernel[0] * windows.kernel[1] == 9 else DEPTHWISE)[dtype]
    pieces = []
    places: list[tuple[int, Index]] = []
    for part, source in zip(parts, inputs, strict=True):
        step = part.words[1] - part.words[0]
        pitch = windows.extent(1, width) * step
        kernels = [(next(taps_there), next(biases_there)) for _ in range(step)]
        for word, (first, end) in _shares(builder, step, part.rows):
            start = word * size + (first - part.rows[0]) * windows.strides[0] * pitch * size
            taps, first_sum = kernels[word]
            chosen = elements((part.words[0] + word, part.words[0] + word + 1))
            block = positions[part.picture, chosen, first:end].transpose(1, 2, 0)
            places.append((part.tile, padded(block, end - first, width, size)))
            pieces.append((part.tile, source[start:], taps, first_sum, step, pitch, end - first))
    result, outputs = builder.result(name, positions.shape, dtype, places)
    compute_set = builder.compute_set(name)
    (down, along), (down_apart, apart) = windows.strides, windows.dilations
    for (tile, source, taps, first_sum, step, pitch, rows), y in zip(pieces, outputs, strict=True):
        reach = (rows - 1) * down * pitch + (windows.kernel[0] - 1) * down_apart * pitch
        reach += ((width - 1) * along + (windows.kernel[1] - 1) * apart) * step + 1
        compute_set.add(
            codelet, tile, x=source[: reach * size], w=taps, bias=first_sum, y=y.reshape(-1),
            rows=rows, columns=width, row_step=down * pitch, column_step=along * step,
            kernel_rows=windows.kernel[0], kernel_columns=windows.kernel[1],
            kernel_row_step=down_apart * pitch, kernel_column_step=apart * step,
        )  # fmt: skip
    return result


def _most_words(windows: Windows) -> int:
    """Return the most words of channels that a pixel may have, so that streams can step so far."""
    (rows, columns), (down, along) = windows.kernel, windows.dilations
    lines = max(rows - 1, 1) * down * windows.extent(1, windows.size[1])
    pixels = max(lines + (columns - 1) * along, windows.strides[1])
    return MOST_STEP // pixels if rows * columns <= MOST_STEP else 0


def _parts(builder: Builder, pictures: int, words: int, rows: int, most: int) -> list[_Part]:
    """Return how the tiles share the work: evenly, and with as few lines needed twice as can be.

    A part has at most `most` words of channels.
    """
    share = max(1, builder.tiles // pictures, ceil(words / most))
    _, down, across = min(
        (ceil(words / q) * ceil(rows / p), p, q)
        for p, q in product(parts_of(rows, share), parts_of(words, share))
        if p * q <= share and ceil(words / q) <= most
    )  # fmt: skip
    cut = product(range(pictures), split(words, across), split(rows, down))
    return [_Part(number % builder.tiles, *part) for number, part in enumerate(cut)]


def _shares(builder: Builder, words: int, rows: Range) -> list[tuple[int, Range]]:
    """Return what each vertex of a tile computes: a word's number and which rows."""
    count = rows[1] - rows[0]
    found = []
    for first, end in split(words * count, builder.workers):
        while first < end:
            word, row = divmod(first, count)
            last = min(row + end - first, count)
            found.append((word, (rows[0] + row, rows[0] + last)))
            first += last - row
    return found
