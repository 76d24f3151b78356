"""Random numbers, different in each run of a program and the same whenever it is loaded."""

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from openipu.sw.codelets.random import RANDOM, RANDOM_PLAIN
from openipu.sw.codelets.streams import lanes
from openipu.sw.ops.builder import Builder, OpError, Tensor, split

KINDS = sorted(RANDOM_PLAIN)


def random_fill(
    builder: Builder, shape: Sequence[int], dtype: str, seed: int, *, kind: str = "uniform",
    probability: float = 0.5, name: str,
) -> Tensor:  # fmt: skip
    """Return random float32 or float16 numbers.

    "uniform": in [0, 1). "normal": nearly normal with mean 0 and deviation 1, from -6 to 6.
    "bernoulli": 1 with a probability, else 0. Each vertex has a generator with a state of its own,
    made from `seed` (0 or more): the numbers depend on the numbers of tiles and workers too.
    """
    if kind not in KINDS:
        raise ValueError(f"kind must be one of {', '.join(KINDS)}, not {kind!r}")
    if not isinstance(seed, int) or seed < 0:
        raise OpError(f"{name}: the seed must be a whole number from 0 on, not {seed!r}")
    if (kind, dtype) not in RANDOM:
        raise OpError(f"{name}: random numbers must be float32 or float16, not {dtype}")
    if not 0 <= probability <= 1:
        raise OpError(f"{name}: the probability must be from 0 to 1, not {probability}")
    simd = builder.config.tile.simd
    if dtype == "float16" and not simd:
        raise OpError(f"{name}: float16 needs a tile with simd")
    size, each = prod(shape), lanes(dtype)
    blocks = [
        (tile, np.arange(first * each + a, min(first * each + b, size)))
        for tile, (first, end) in enumerate(split(-(-size // each), builder.tiles))
        for a, b in builder.spread((end - first) * each, each)
    ]
    result, outputs = builder.result(name, shape, dtype, blocks)
    states = np.random.SeedSequence(seed).generate_state(4 * len(blocks)).reshape(-1, 4)
    variable = builder.graph.constant(builder.unique(f"{name}/states"), states)
    compute_set = builder.compute_set(name)
    codelet = RANDOM[kind, dtype] if simd else RANDOM_PLAIN[kind]
    scalars: dict[str, Any] = {"probability": probability} if kind == "bernoulli" else {}
    for number, ((tile, _), output) in enumerate(zip(blocks, outputs, strict=True)):
        state = variable[number].map(tile)
        compute_set.add(codelet, tile, state=state, y=output, **scalars)
    return result
