"""Cocotb bench of HalfFunction: all functions of all numbers, from and to memory in Verilog."""

import cocotb
import numpy as np
from cocotb.triggers import RisingEdge

from openipu.cosim.golden import functions
from openipu.rtl.isa import SimdOp

OPS = [SimdOp(value) for value in range(SimdOp.H4_EXP.value, SimdOp.H4_SQRT.value + 1)]
RESULTS = "results.bin"

# Changes the function each cycle, so that neighbours in the pipeline have nothing in common.
VERILOG = f"""
module functions_bench(input clk, output reg done);
  localparam FUNCTIONS = {len(OPS)}, CYCLES = 65536 * FUNCTIONS, LATENCY = 2;
  integer cycle = 0, file;
  wire [15:0] result;
  half_function lane(
    .clk(clk), .rst(1'b0), .x_op(6'd{OPS[0].value} + cycle % FUNCTIONS),
    .x_a(cycle / FUNCTIONS), .w_result(result)
  );
  initial begin
    done = 0;
    file = $fopen("{RESULTS}", "wb");
  end
  always @(posedge clk) begin
    if (cycle >= LATENCY && !done) $fwrite(file, "%u", result);
    cycle <= cycle + 1;
    if (cycle == CYCLES + LATENCY - 1) begin
      done <= 1;
      $fclose(file);
    end
  end
endmodule
"""


@cocotb.test()
async def all_functions_of_all_numbers(dut):
    await RisingEdge(dut.done)
    results = np.fromfile(RESULTS, np.uint32).astype(np.uint16).reshape(1 << 16, len(OPS))
    numbers = np.arange(1 << 16)
    wrong = []
    for op, column in zip(OPS, results.T, strict=True):
        expected = functions.evaluate(op, numbers)
        wrong += [
            f"{op.name} {x:#06x}: {column[x]:#06x}, not {expected[x]:#06x}"
            for x in np.nonzero(column != expected)[0]
        ]
    assert not wrong, "\n".join([f"{len(wrong)} are wrong", *wrong[:20]])
