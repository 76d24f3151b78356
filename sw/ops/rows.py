"""Functions of whole rows, which the workers share."""

from typing import Any

import numpy as np

from openipu.sw.codelets.codelet import Codelet
from openipu.sw.codelets.streams import lanes
from openipu.sw.ops.builder import Builder, Tensor


def streamable(builder: Builder, rows: Tensor) -> bool:
    """Tell whether streams can read rows (count, columns): the tile has SIMD, they whole words."""
    return builder.config.tile.simd and rows.shape[1] % lanes(rows.dtype) == 0


def apply(
    builder: Builder, codelet: Codelet, rows: Tensor, results: int, *, name: str, **scalars: Any
) -> Tensor:
    """Return the y (count, results) of a codelet of rows x (count, columns), given its scalars."""
    fields = {field.name: field for field in codelet.vectors}
    x, y = fields["x"], fields["y"]
    shares = builder.shares(rows.shape[0])
    inputs = builder.local(name, [(tile, rows[a:b]) for tile, a, b in shares], aligned=x.streamed)
    result, outputs = builder.result(
        name, (rows.shape[0], results), y.dtype,
        [(tile, np.arange(a * results, b * results)) for tile, a, b in shares],
    )  # fmt: skip
    compute_set = builder.compute_set(name)
    for (tile, _, _), source, output in zip(shares, inputs, outputs, strict=True):
        compute_set.add(codelet, tile, x=source, y=output, **scalars)
    return result
