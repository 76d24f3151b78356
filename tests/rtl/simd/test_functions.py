"""Tests of openipu.rtl.simd.functions."""

from amaranth.back import verilog

from openipu.cosim.benches.runner import run_bench
from openipu.cosim.build import Design, build
from openipu.rtl.config import PRESETS
from openipu.rtl.simd.functions import HalfFunction
from tests.rtl.simd import functions_bench


def test_all_functions_of_all_numbers():
    lane = verilog.convert(
        HalfFunction(), name="half_function", emit_src=False, strip_internal_attrs=True
    )
    files = {"half_function.v": lane, "functions_bench.v": functions_bench.VERILOG}
    simulator = build(Design(top="functions_bench", files=files))
    (result,) = run_bench(simulator, functions_bench.__name__, PRESETS["test"])
    assert not result.failure, result.failure
