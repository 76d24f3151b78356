// Takes the place of rtl/tile/sram_bank.v, which it behaves as, in simulation: the words are kept
// outside the model (backdoor.cpp), where Python maps them. Each tile has 1 MiB there.
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
  import "DPI-C" function longint openipu_sram_read(input int word);
  import "DPI-C" function void openipu_sram_write(input int word, input byte strobe,
                                                  input longint data);

  wire [31:0] first = {3'b0, tile_id, 17'b0} + (INDEX << ADDR_BITS);
  always @(posedge clk) begin
    if (read_en) read_data <= openipu_sram_read(first + {{(32 - ADDR_BITS) {1'b0}}, read_addr});
    if (write_strobe != 0)
      openipu_sram_write(first + {{(32 - ADDR_BITS) {1'b0}}, write_addr}, write_strobe, write_data);
  end
endmodule
