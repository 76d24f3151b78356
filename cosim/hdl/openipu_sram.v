// A bank of a tile's memory, kept outside the model (backdoor.cpp) so that Python can map it.
// Behaves as rtl/tile/sram_bank.py: a read of a word written in the same cycle returns the old one.
module openipu_sram #(
    parameter TILE_WORDS = 1,  // 64-bit words in a tile's memory
    parameter FIRST_WORD = 0,  // of this bank, within the tile
    parameter ADDR_BITS = 1
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

    initial read_data = 0;
    wire [31:0] base = 32'(tile_id) * TILE_WORDS + FIRST_WORD;
    always @(posedge clk) begin
        if (read_en) read_data <= openipu_sram_read(base + 32'(read_addr));
        if (write_strobe != 0)
            openipu_sram_write(base + 32'(write_addr), write_strobe, write_data);
    end
endmodule
