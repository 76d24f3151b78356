"""The measurement of kernels on the RTL, and that they reach what they should."""

import pytest
from rich.console import Console

from openipu.sw.kernels_bench import KERNELS, Measured, figures, measure, table

LEAST = {
    "gemm_f16_192x256x64": 0.90, "gemm_f16_7_rows": 0.60, "gemm_f16_30_rows": 0.88, "gemm_f32": 0.9,
    "conv3x3": 0.80, "depthwise3x3": 0.80, "gemv_f16": 0.85,
    "add_f16": 0.95, "fma_f32": 0.95, "tanh_f16": 0.875, "exp_f16": 0.875, "copy_f16": 0.95,
    "maxpool_f16": 0.75, "gather_f16": 0.75, "transpose_f16": 0.7, "sum_f16": 0.95,
}  # fmt: skip
"""The fraction of the bound that each kernel must reach."""

MOST = {"sum_f16": 2}
"""Where the bound is one bank's, which two banks can beat."""

LISTS = ("conv3x3", "depthwise3x3")
"""Where workers begin with a list of vertices, of five instructions each."""


@pytest.mark.slow
@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.name)
def test_kernel(kernel) -> None:
    measured = measure(kernel)
    assert LEAST[kernel.name] <= measured.fraction <= MOST.get(kernel.name, 1)
    assert measured.replays_bank == measured.replays_fetch == 0
    error = abs(measured.estimate - measured.cycles)
    assert error <= max(20, 0.03 * measured.cycles), (measured.estimate, measured.cycles)
    assert 10 <= measured.launch <= (60 if kernel.name in LISTS else 25)
    assert 1 <= measured.back <= 8


def test_report() -> None:
    console = Console(record=True, width=200)
    measured = [Measured(kernel, 2 * kernel.bound, 99, 1, 0, 17, 1) for kernel in KERNELS]
    console.print(table(measured))
    text = console.export_text()
    assert all(kernel.name in text and kernel.text in text for kernel in KERNELS)
    found = figures(measured)
    assert found["add_f16"] == 0.5
    assert found["bank_replays"] == len(KERNELS)
