"""The digits model, and kernels, on many machines: equal to golden after every superstep."""

from pathlib import Path

import numpy as np
import pytest

from openipu.rtl.config import KIB, ChipConfig, TileConfig
from openipu.sw.compiler import compile
from openipu.sw.engine import Engine
from openipu.sw.model import compile_model
from openipu.sw.ops.builder import Builder, OpError, Tensor
from openipu.sw.ops.elementwise import binary, scaled_add, unary
from openipu.sw.ops.matmul import matmul
from openipu.sw.runner import run_model

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "digits"

MACHINES = {
    **{f"{tiles} tiles": ChipConfig(tiles=tiles) for tiles in (1, 3, 7, 16)},
    "4 slots, 32-bit bus": ChipConfig(tile=TileConfig(slots=4, bus_bits=32)),
    "8 slots, 64 KiB, latency 3": ChipConfig(
        exchange_latency=3, tile=TileConfig(slots=8, banks=16, bank_bytes=4 * KIB)
    ),
    "5 slots, 80 KiB, latency 9, 32-bit bus, 3 tiles": ChipConfig(
        tiles=3, exchange_latency=9, tile=TileConfig(slots=5, banks=5, bus_bits=32)
    ),
    "7 slots, 128 KiB in 2 banks, latency 16": ChipConfig(
        tiles=2, exchange_latency=16, tile=TileConfig(slots=7, banks=2, bank_bytes=64 * KIB)
    ),
}


def check(config: ChipConfig, backend: str, images: int) -> None:
    data = np.load(FOLDER / "digits_test.npz")
    compiled = compile_model(FOLDER / "digits_mlp.onnx", config, batch=images)
    result = run_model(
        compiled, {"pixels": data["pixels"][:images]}, backend=backend, compare=True,
        labels=data["labels"][:images],
    )  # fmt: skip
    assert result.mismatches == 0, result.first
    assert result.right == images


@pytest.mark.slow
@pytest.mark.parametrize("name", MACHINES)
def test_rtl(name: str) -> None:
    check(MACHINES[name], "rtl", 64)


@pytest.mark.parametrize("name", MACHINES)
def test_iss(name: str) -> None:
    check(MACHINES[name], "iss", 3)


def _unit(slots: int, simd: bool, outputs: int, dot: int, depth: int, bus: int = 64) -> ChipConfig:
    tile = TileConfig(
        slots=slots, bus_bits=bus, simd=simd, amp_outputs=outputs, amp_dot=dot, amp_depth=depth
    )
    return ChipConfig(tiles=1, tile=tile)


KERNEL_MACHINES = {
    "default": ChipConfig(tiles=1),
    "4 slots, AMP 4 x 2 x 8": _unit(4, True, 4, 2, 8, bus=32),
    "8 slots, AMP 32 x 4 x 64": _unit(8, True, 32, 4, 64),
    "5 slots, AMP 8 x 4 x 16": _unit(5, True, 8, 4, 16),
    "6 slots, AMP 16 x 2 x 16": _unit(6, True, 16, 2, 16),
    "7 slots, no AMP": _unit(7, True, 0, 4, 32),
    "6 slots, AMP 8 x 2 x 32, no SIMD": _unit(6, False, 8, 2, 32),
    "5 slots, neither": _unit(5, False, 0, 4, 32, bus=32),
}
"""Values of all parameters of the units that compute: each tile has some that others have not."""
SEED = 11


def run_kernels(config: ChipConfig, dtype: str, backend: str) -> None:
    """Run a product, with more words of depth than AMP has groups, and elementwise operations.

    What a tile has no unit for would trap.
    """
    print(f"seed {SEED}")
    rng = np.random.default_rng(SEED)
    m, k, n = 13, 4 * config.tile.amp_depth + 5, 19
    builder = Builder(config)
    x, y = builder.input("x", (m, k), dtype), builder.input("y", (m, n), dtype)
    weights = Tensor("w", rng.normal(size=(k, n)).astype(dtype))
    bias = Tensor("bias", rng.normal(size=n).astype("float32").astype(dtype))
    # Without SIMD, f16 is there for the matrix unit only, whose bias is f32.
    f16_only_products = dtype == "float16" and not config.tile.simd
    product = matmul(builder, x, weights, None if f16_only_products else bias, name="product")
    if not f16_only_products:
        added = binary(builder, "add", product, y, name="added")
        scaled = scaled_add(builder, added, 0.25, y, name="scaled")
        unary(builder, "relu", scaled, name="rectified")
        if dtype == "float16":
            unary(builder, "hyperbolic_tangent", scaled, name="curve")
    executable = compile(builder.graph, builder.program, config, strict=True)
    with Engine(executable, backend, compare=True) as engine:
        engine.write("x", rng.normal(size=(m, k)).astype(dtype))
        engine.write("y", rng.normal(size=(m, n)).astype(dtype))
        engine.run()
        assert engine.scoreboard is not None
        assert engine.scoreboard.words > 0
        assert not engine.scoreboard.mismatches, engine.scoreboard.first


def can(config: ChipConfig, dtype: str) -> bool:
    """Tell whether the tile computes with that type at all."""
    return dtype == "float32" or config.tile.simd or config.tile.amp_outputs > 0


KERNELS = [
    pytest.param(config, dtype, id=f"{name}, {dtype}")
    for name, config in KERNEL_MACHINES.items()
    for dtype in ("float16", "float32")
    if can(config, dtype)
]


@pytest.mark.parametrize(("config", "dtype"), KERNELS)
def test_kernels_on_iss(config: ChipConfig, dtype: str) -> None:
    run_kernels(config, dtype, "iss")


@pytest.mark.slow
@pytest.mark.parametrize(("config", "dtype"), KERNELS)
def test_kernels_on_rtl(config: ChipConfig, dtype: str) -> None:
    run_kernels(config, dtype, "rtl")


def test_f16_on_a_tile_that_has_none() -> None:
    builder = Builder(KERNEL_MACHINES["5 slots, neither"])
    x, w = builder.input("x", (2, 2), "float16"), builder.input("w", (2, 2), "float16")
    with pytest.raises(OpError, match=r"^product/float32: float16 needs a tile with simd$"):
        matmul(builder, x, w, name="product")
    with pytest.raises(OpError, match=r"^sum: float16 needs a tile with simd$"):
        binary(builder, "add", x, w, name="sum")
