"""Tests of openipu.cosim.blocks: text, and a block beside the same module without."""

import os

import pytest

from openipu.cosim import blocks
from openipu.cosim.benches.runner import BenchError, run_bench
from openipu.cosim.build import Design, build
from openipu.rtl.config import ChipConfig

UNIT = """\
module unit(clk, rst, narrow, middle, wide, sum, mixed);
  input clk;
  wire clk;
  input rst;
  input [10:0] narrow;
  input [63:0] middle;
  input [107:0] wide;
  output [32:0] sum;
  reg [32:0] sum = 33'd5;
  output [107:0] mixed;
  reg [107:0] mixed = 108'd9;
  reg [63:0] memory [0:3];
  always @(posedge clk) begin
    sum <= rst ? 33'd7 : sum + narrow + middle[40:8];
    mixed <= {mixed[106:0], mixed[107]} ^ wide ^ memory[narrow[1:0]];
    memory[middle[1:0]] <= middle + sum;
  end
endmodule
"""
LEAKY = """\
module leaky(clk, in, out);
  input clk;
  input [7:0] in;
  output [7:0] out;
  reg [7:0] state = 0;
  assign out = state ^ (in & 8'h80);
  always @(posedge clk) state <= in;
endmodule
"""
HELD = """\
module held(clk, rst, enable, value, total);
  input clk;
  input rst;
  input enable;
  input [10:0] value;
  output [32:0] total;
  reg [32:0] total = 33'd3;
  always @(posedge clk) if (rst) total <= 33'd4; else if (enable) total <= total + value;
endmodule
"""
OUTER = """\
module outer(clk, rst, narrow, sum);
  input clk;
  input rst;
  input [10:0] narrow;
  output [32:0] sum;
  reg [10:0] last = 0;
  wire [32:0] total;
  held h(.clk(clk), .rst(rst), .enable(last[0]), .value(narrow ^ last), .total(total));
  always @(posedge clk) last <= narrow;
  assign sum = total + last;
endmodule
"""
TOP = """\
module top(input clk, input rst, input [10:0] narrow, input [63:0] middle, input [107:0] wide,
           input [7:0] leak, output [7:0] leaked, output [2:0] same, output [32:0] sum);
  wire [32:0] sums [0:3];
  wire [107:0] mixes [0:3];
  genvar i;
  generate for (i = 0; i < 2; i = i + 1) begin : pair
    wire [10:0] n = narrow ^ (i ? mixes[0][10:0] : 11'd0);
    unit u(.clk(clk), .rst(rst), .narrow(n), .middle(middle), .wide(wide), .sum(sums[i]),
           .mixed(mixes[i]));
    flat f(.clk(clk), .rst(rst), .narrow(n), .middle(middle), .wide(wide), .sum(sums[2 + i]),
           .mixed(mixes[2 + i]));
    assign same[i] = sums[i] == sums[2 + i] && mixes[i] == mixes[2 + i];
  end endgenerate
  wire [32:0] outers [0:1];
  outer o(.clk(clk), .rst(rst), .narrow(narrow), .sum(outers[0]));
  flat_outer fo(.clk(clk), .rst(rst), .narrow(narrow), .sum(outers[1]));
  assign same[2] = outers[0] == outers[1];
  leaky l(.clk(clk), .in(leak), .out(leaked));
  assign sum = sums[0];
endmodule
"""
BENCH = """\
import random
import cocotb
from cocotb.triggers import RisingEdge

@cocotb.test()
async def equal(dut):
    pick = random.Random(cocotb.RANDOM_SEED)
    dut.rst.value = 0
    dut.leak.value = 0
    seen = set()
    for cycle in range(500):
        await RisingEdge(dut.clk)
        assert int(dut.same.value) == 7, f"cycle {cycle}"
        seen.add(int(dut.sum.value))
        dut.rst.value = pick.random() < 0.02
        for name in "narrow", "middle", "wide":
            port = getattr(dut, name)
            port.value = pick.getrandbits(len(port))
    assert len(seen) > 400

@cocotb.test()
async def leak(dut):
    for value in (0x80, 0, 0x80):
        dut.leak.value = value
        await RisingEdge(dut.clk)
    await RisingEdge(dut.clk)
"""


@pytest.fixture(scope="module")
def simulator():
    flat = UNIT.replace("module unit", "module flat")
    flat += OUTER.replace("module outer", "module flat_outer").replace("held", "flat_held")
    flat += HELD.replace("module held", "module flat_held")
    held = Design(top="held", files={"held.v": HELD}, enable="enable")
    inner = (
        Design(top="unit", files={"unit.v": UNIT}),
        Design(top="leaky", files={"leaky.v": LEAKY}),
        Design(top="outer", files={"outer.v": OUTER}, blocks=(held,)),
    )
    return build(Design(top="top", files={"top.v": TOP, "flat.v": flat}, blocks=inner))


def run(simulator, tmp_path, test, check):
    (tmp_path / "block_bench.py").write_text(BENCH)
    environment = {
        "PYTHONPATH": os.pathsep.join(
            [str(tmp_path), simulator.environment("block_bench")["PYTHONPATH"]]
        ),
        "COCOTB_TEST_FILTER": rf"{test}$",
        "OPENIPU_CHECK_BLOCKS": check,
    }
    (result,) = run_bench(simulator, "block_bench", ChipConfig(), environment)
    return result.failure


@pytest.mark.parametrize("check", ["", "1"])
def test_a_block_does_what_the_module_does(simulator, tmp_path, check):
    assert not run(simulator, tmp_path, "equal", check)


def test_an_output_that_depends_on_an_input_is_found(simulator, tmp_path):
    with pytest.raises(BenchError, match=r"leaky\.out depends on an input of the same cycle"):
        run(simulator, tmp_path, "leak", "1")


def test_ports_are_found():
    ports = {port.name: port for port in blocks.ports_of(LEAKY + UNIT, "unit")}
    assert list(ports) == ["clk", "rst", "narrow", "middle", "wide", "sum", "mixed"]
    assert [port.width for port in ports.values()] == [1, 1, 11, 64, 108, 33, 108]
    assert [name for name, port in ports.items() if port.output] == ["sum", "mixed"]


def test_a_block_that_is_not_there():
    with pytest.raises(ValueError, match=r"^block must be a module of the Verilog, not 'units'$"):
        blocks.ports_of(UNIT, "units")
