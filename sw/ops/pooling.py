"""Pooling: the greatest element or the mean of each window of a picture.

Outside, pictures are (images, channels, rows, columns), as in ONNX. Tiles compute with the channels
of a pixel together: a word is several channels. An operand that lies so in memory is used as it is,
and the result lies so too. Another is transposed on the tiles that need it, as the result is.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from openipu.sw.codelets.pooling import POOL, POOL_PLAIN, run_words
from openipu.sw.codelets.rearrange import TRANSPOSE
from openipu.sw.graph import STREAM_BYTES, View
from openipu.sw.ops.builder import Builder, Index, OpError, Tensor, check_floats, split
from openipu.sw.ops.windows import is_whole

KINDS = ("max", "mean")

_SHORT_RUNS = 8  # elements; what lies in shorter pieces is transposed


@dataclass(frozen=True)
class Window:
    """The windows along one dimension.

    Attributes
    ----------
    size, stride, dilation : int
    before, after : int
        Elements of padding. Each window must have an element that is none.
    ceil : bool
        The last window may reach over the end of the padding.
    padded : bool
        Means are of elements of the padding too, as zeros.
    """

    size: int
    stride: int = 1
    before: int = 0
    after: int = 0
    dilation: int = 1
    ceil: bool = False
    padded: bool = False

    def __post_init__(self) -> None:
        for what, least in (
            ("size", 1), ("stride", 1), ("dilation", 1), ("before", 0), ("after", 0)
        ):  # fmt: skip
            value = getattr(self, what)
            if not is_whole(value, least):
                raise OpError(f"a window's {what} must be a whole number from {least} up, "
                              f"not {value!r}")  # fmt: skip

    def places(self, length: int) -> list[tuple[int, int, int]]:
        """Return each window of `length` elements: its first one, how many, and of how many means.

        Raises ValueError for a window that has none.
        """
        reach = (self.size - 1) * self.dilation
        free = length + self.before + self.after - reach - 1
        if free < 0:
            raise ValueError(f"a window of {self.size} must fit into {length} and its padding")
        count = (-(-free // self.stride) if self.ceil else free // self.stride) + 1
        if self.ceil and (count - 1) * self.stride >= length + self.before:
            count -= 1
        result = []
        for start in range(-self.before, count * self.stride - self.before, self.stride):
            taken = np.arange(start, start + reach + 1, self.dilation)
            inside = taken[(taken >= 0) & (taken < length)]
            if not inside.size:
                raise ValueError(f"a window of {self.size} has no element of {length}")
            divisor = int((taken < length + self.after).sum()) if self.padded else inside.size
            result.append((int(inside[0]), inside.size, divisor))
        return result


Place = tuple[int, int, int]


@dataclass(frozen=True)
class _Part:
    """What a tile computes: some rows and channel words of one image's result.

    Ranges are (first, end); `source` is the rows of x that it needs.
    """

    tile: int
    image: int
    rows: tuple[int, int]
    source: tuple[int, int]
    words: tuple[int, int]


def pool(
    builder: Builder, kind: str, x: Tensor, windows: Sequence[Window], *, name: str
) -> Tensor:
    """Return the greatest element ("max") or the mean ("mean") of windows of x.

    x is (images, channels, rows, columns), or without rows; there is a `Window` for each dimension
    of the picture. A NaN is greatest only where there is nothing else. Sums are f32.
    """
    if kind not in KINDS:
        raise ValueError(f"kind must be one of {', '.join(KINDS)}, not {kind!r}")
    check_floats(name, x)
    if x.dtype == "float16" and not builder.config.tile.simd:
        raise OpError(f"{name}: float16 needs a tile with simd")
    if len(x.shape) not in (3, 4) or len(windows) != len(x.shape) - 2:
        raise OpError(f"{name}: a picture must have 1 or 2 dimensions, not the shape {x.shape}")
    if len(x.shape) == 3:
        flat = x.reshape(*x.shape[:2], 1, x.shape[2])
        pooled = pool(builder, kind, flat, [Window(1), *windows], name=name)
        return pooled.reshape(*pooled.shape[:2], pooled.shape[3])
    try:
        down, across = (w.places(n) for w, n in zip(windows, x.shape[2:], strict=True))
    except ValueError as error:
        raise OpError(f"{name}: {error}") from None
    if not isinstance(x.data, View):
        raise OpError(f"{name}: the operand must not be a constant")

    images, channels, _, columns = x.shape
    lanes = STREAM_BYTES // np.dtype(x.dtype).itemsize
    parts = _parts(builder, images, -(-channels // lanes), down, windows[0].dilation)
    moved = x.transpose(0, 2, 3, 1)
    together = moved.size >= _SHORT_RUNS * moved.runs
    where = [_positions(x.shape, p.image, p.source, p.words, lanes) for p in parts]
    if together:
        where = [np.moveaxis(block, 0, 2) for block in where]
    sources = builder.arranged(
        name, x, [(p.tile, b.reshape(-1)) for p, b in zip(parts, where, strict=True)]
    )
    if not together:
        sources = _transposed(
            builder, f"{name}/together", [p.tile for p in parts], sources,
            [block.shape[0] for block in where],
        )  # fmt: skip

    jobs = [
        (part, source, rows, words)
        for part, source in zip(parts, sources, strict=True)
        for rows, words in _shares(part, builder.workers)
    ]
    shape = images, channels, len(down), len(across)
    blocks = [_positions(shape, p.image, rows, words, lanes) for p, _, rows, words in jobs]
    tiles = [part.tile for part, *_ in jobs]
    result: Tensor | None = None
    if together:
        result, outputs = builder.result(
            name, shape, x.dtype,
            [(t, np.moveaxis(b, 0, 2).reshape(-1)) for t, b in zip(tiles, blocks, strict=True)],
        )  # fmt: skip
    else:
        outputs = [
            builder.graph.variable(builder.unique(f"{name}/pooled"), b.size, x.dtype).map(t).flat
            for t, b in zip(tiles, blocks, strict=True)
        ]
    codelet = POOL[kind, x.dtype] if builder.config.tile.simd else POOL_PLAIN[kind]
    compute_set = builder.compute_set(name)
    for (part, source, rows, words), output in zip(jobs, outputs, strict=True):
        pixel = part.words[1] - part.words[0]
        runs = []
        for number, row in enumerate(range(*rows)):
            runs += _runs(
                down[row], across, windows, columns, pixel,
                x=((down[row][0] - part.source[0]) * columns * pixel + words[0] - part.words[0]),
                y=number * len(across) * (words[1] - words[0]), words=words[1] - words[0],
                name=name,
            )  # fmt: skip
        compute_set.add(
            codelet, part.tile, x=source, y=output, words=words[1] - words[0],
            runs=np.array(runs, np.uint32).reshape(-1),
        )  # fmt: skip
    if result is not None:
        return result
    kept = [block[: int((block[:, 0, 0] >= 0).sum())] for block in blocks]
    result, planes = builder.result(
        name, shape, x.dtype, [(t, b.reshape(-1)) for t, b in zip(tiles, kept, strict=True)]
    )
    compute_set = builder.compute_set(f"{name}/apart")
    for tile, real, block, source, output in zip(tiles, kept, blocks, outputs, planes, strict=True):
        compute_set.add(
            TRANSPOSE[x.dtype], tile, x=source, y=output,
            rows=real[0].size, columns=len(real), step=len(block),
        )  # fmt: skip
    return result


def _parts(
    builder: Builder, images: int, words: int, down: list[Place], dilation: int
) -> list[_Part]:
    """Divide the work by rows, and by channels where there are fewer rows than tiles."""
    rows = images * len(down)
    groups = min(words, max(1, builder.tiles // max(rows, 1)))
    shares = split(rows, builder.tiles // max(groups, 1))
    parts = []
    for group, channels in enumerate(split(words, max(groups, 1))):
        for number, (first, end) in enumerate(shares):
            for image in range(first // len(down), -(-end // len(down))):
                a, b = (min(max(i - image * len(down), 0), len(down)) for i in (first, end))
                last = max(start + (count - 1) * dilation for start, count, _ in down[a:b])
                source = min(start for start, _, _ in down[a:b]), last + 1
                parts.append(_Part(group * len(shares) + number, image, (a, b), source, channels))
    return parts


def _positions(
    shape: tuple[int, ...], image: int, rows: tuple[int, int], words: tuple[int, int], lanes: int
) -> Index:
    """Return flat positions of (channels, rows, columns), -1 for channels past the last."""
    _, channels, height, width = shape
    c = np.arange(words[0] * lanes, words[1] * lanes)[:, None, None]
    r, w = np.arange(*rows)[:, None], np.arange(width)
    positions: Index = ((image * channels + c) * height + r) * width + w
    return np.where(c < channels, positions, -1)


def _transposed(
    builder: Builder, name: str, tiles: list[int], planes: list[View], channels: list[int]
) -> list[View]:
    """Return each (channels, pixels) as (pixels, channels) on its tile."""
    results = []
    compute_set = builder.compute_set(name)
    for tile, source, count in zip(tiles, planes, channels, strict=True):
        pixels = source.size // count
        target = builder.graph.variable(builder.unique(name), source.size, source.dtype).map(tile)
        for a, b in split(pixels, builder.workers):
            compute_set.add(
                TRANSPOSE[source.dtype], tile, x=source[a : (count - 1) * pixels + b],
                y=target[a * count : b * count], rows=count, columns=b - a, step=pixels,
            )  # fmt: skip
        results.append(target.flat)
    return results


def _shares(part: _Part, workers: int) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Divide a part over workers: its rows, and channel words where there are too few of them."""
    rows, words = part.rows[1] - part.rows[0], part.words[1] - part.words[0]
    return [
        ((part.rows[0] + a, part.rows[0] + b), (part.words[0] + c, part.words[0] + d))
        for a, b in split(rows, workers)
        for c, d in split(words, max(1, workers // rows))
    ]


def _runs(
    row: Place, across: list[Place], windows: Sequence[Window], columns: int, pixel: int, *,
    x: int, y: int, words: int, name: str,
) -> list[list[int]]:  # fmt: skip
    """Return the runs of a row of the result. x and y are where the rows begin, in words."""
    apart = windows[1].dilation * pixel, windows[0].dilation * columns * pixel
    runs: list[list[Place]] = []
    for place in across:
        last = runs[-1] if runs else []
        if last and last[-1][1:] == place[1:] and (
            len(last) == 1 or place[0] - last[-1][0] == last[1][0] - last[0][0]
        ):
            last.append(place)
        else:
            runs.append([place])
    result, done = [], 0
    for run in runs:
        step = (run[1][0] - run[0][0]) * pixel if len(run) > 1 else 0
        made = run_words(
            x + run[0][0] * pixel, run[0][1], row[1], len(run), apart=(*apart, step),
            y=y + done * words, factor=1 / (row[2] * run[0][2]),
        )  # fmt: skip
        if made is None:
            raise OpError(f"{name}: windows must lie within 32,767 words of a tile's memory")
        result.append(made)
        done += len(run)
    return result
