"""A row of f16 times a matrix, of any size on any machine."""

import numpy as np
import pytest

from openipu.rtl.config import ChipConfig, TileConfig
from openipu.sw.compiler import compile
from openipu.sw.engine import Engine
from openipu.sw.graph import View
from openipu.sw.ops import matvec
from openipu.sw.ops.builder import Builder, Tensor
from openipu.sw.ops.matmul import matmul

SEED = 6
MACHINES = {
    "1 tile": ChipConfig(tiles=1),
    "3 tiles": ChipConfig(tiles=3),
    "8 outputs": ChipConfig(tiles=2, tile=TileConfig(amp_outputs=8, amp_dot=2)),
    "32 outputs": ChipConfig(tiles=1, tile=TileConfig(amp_outputs=32, amp_depth=64)),
    "4 outputs, 4 slots": ChipConfig(tiles=1, tile=TileConfig(amp_outputs=4, slots=4)),
}


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize(
    ("depth", "columns"),
    [(1, 1), (5, 3), (128, 16), (129, 40), (300, 33), (1024, 20), (1500, 9), (2100, 5)],
)
def test_matvec(depth: int, columns: int, machine: str) -> None:
    config = MACHINES[machine]
    random = np.random.default_rng(SEED)
    x, w, bias = (random.normal(size=s).astype(np.float16)
                  for s in (depth, (depth, columns), columns))  # fmt: skip
    builder = Builder(config)
    source = builder.input("x", x.shape, "float16")
    result = matmul(builder, source, Tensor("w", w), Tensor("b", bias), name="y")
    sets = builder.graph.compute_sets.values()
    used = {vertex.codelet.name for each in sets for vertex in each.vertices}
    assert "matvec_f16" in used
    executable = compile(builder.graph, builder.program, config)
    with Engine(executable, "iss", compare=True) as engine:
        engine.write("x", x)
        engine.run()
        assert engine.scoreboard
        assert engine.scoreboard.mismatches == 0, f"seed {SEED}: {engine.scoreboard.first}"
        assert isinstance(result.data, View)
        found = result.read(engine.read(result.data.variable).reshape(-1))
    wanted = x.astype(np.float64) @ w.astype(np.float64) + bias
    np.testing.assert_allclose(found, wanted, 0, 5e-3 * (1 + np.abs(wanted).max()))


def test_without_simd() -> None:
    """The sums of the parts are added by SIMD; without it, it's a product of matrices."""
    config = ChipConfig(tiles=1, tile=TileConfig(simd=False))
    builder = Builder(config)
    source = builder.input("x", (5,), "float16")
    result = matmul(builder, source, Tensor("w", np.ones((5, 3), np.float16)), name="y")
    with Engine(compile(builder.graph, builder.program, config), "iss", compare=True) as engine:
        engine.write("x", np.arange(5, dtype=np.float16))
        engine.run()
        assert engine.scoreboard
        assert engine.scoreboard.mismatches == 0, engine.scoreboard.first
        assert isinstance(result.data, View)
        found = result.read(engine.read(result.data.variable).reshape(-1))
    np.testing.assert_array_equal(found, np.full(3, 10, np.float16))


@pytest.mark.parametrize(("count", "wanted"), [(1, (1, 1)), (32, (1, 32)), (33, (2, 17)),
                                               (65, (4, 17)), (256, (8, 32))])  # fmt: skip
def test_shape(count: int, wanted: tuple[int, int]) -> None:
    assert matvec.shape(count, TileConfig()) == wanted
    assert matvec.most_words(TileConfig()) == 256
