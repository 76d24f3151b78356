// Hands a tile's retirement trace port to backdoor.cpp. Bound into the tile in builds with trace.
module openipu_trace (
    input clk,
    input [11:0] tile_id,
    input valid,
    input [3:0] thread,
    input [31:0] pc,
    input [1:0] rd_file,
    input [4:0] rd,
    input [63:0] value,
    input [1:0] memory,
    input [31:0] address,
    input [63:0] data
);
    import "DPI-C" function void openipu_trace_record(
        input int tile, input byte thread, input byte rd_file, input byte rd, input byte memory,
        input int pc, input longint value, input int address, input longint data);

    always @(posedge clk)
        if (valid)
            openipu_trace_record(32'(tile_id), 8'(thread), 8'(rd_file), 8'(rd), 8'(memory), pc,
                                 value, address, data);
endmodule
