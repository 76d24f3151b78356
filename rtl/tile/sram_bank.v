// One bank of a tile's memory: what `SRAMBank` is in emitted Verilog, and the module to replace for
// a memory macro or a simulation model. A read of the word that is written in the same cycle returns
// the old word. INDEX and tile_id say which bank of which tile this is; they don't matter here.

module openipu_sram_bank #(
    parameter INDEX = 0,
    parameter ADDR_BITS = 11
) (
    input clk,
    input [11:0] tile_id,
    input read_en,
    input [ADDR_BITS-1:0] read_addr,
    output reg [63:0] read_data,
    input [ADDR_BITS-1:0] write_addr,
    input [63:0] write_data,
    input [7:0] write_strobe
);
  reg [63:0] words[0:(1<<ADDR_BITS)-1];
  integer i;

  always @(posedge clk) begin
    if (read_en) read_data <= words[read_addr];
    for (i = 0; i < 8; i = i + 1)
      if (write_strobe[i]) words[write_addr][8*i+:8] <= write_data[8*i+:8];
  end
endmodule
