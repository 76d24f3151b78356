"""The chip: tiles, their multiplexers and what joins them, as a Verilog module of wires.

This top is Verilog and not a component, since it connects each of tiles buses with each of tiles
multiplexers: in Verilog that is one name, while Amaranth's netlist would hold every bit of it
(tiles * tiles * bus bits). It has no logic, and its size doesn't depend on the number of tiles.
"""

from amaranth.hdl import Shape
from amaranth.lib import data
from amaranth.lib.wiring import Out

from openipu.rtl.config import ChipConfig
from openipu.rtl.exchange.fabric import lanes_of
from openipu.rtl.host.axi import AXI4
from openipu.rtl.host.report import ABSENT, FAN_IN, Report, TileReport, groups_of
from openipu.rtl.layouts import HostRequest, HostResponse, TraceRecord

_CHIP = """\
// A chip of {tiles} tiles. Generated; only wires.

module openipu_chip (
    input clk,
    input rst,
{axi_ports}
    output resting
);
  localparam TILES = {tiles};
  localparam GROUPS = {groups};  // of {fan_in} tiles, joined by openipu_report_leaves
  localparam BUS = {bus};  // data and valid
  localparam LANES = {lanes};  // parts of a bus, each with its own multiplexer
  localparam LANE = BUS / LANES;
  localparam TILE_REPORT = {tile_report};
  localparam REPORT = {report};

  wire [{host}-1:0] host;
  wire run, freeze, clear_counters, sync_release;
  wire [31:0] boot_pc;
  wire [3:0] boot_thread;
  wire [GROUPS*REPORT-1:0] reports;
  wire [GROUPS*{fan_in}*TILE_REPORT-1:0] tile_reports;
  wire [LANES*TILES*LANE-1:0] lanes;  // lane by lane, in each tile by tile

  openipu_host chip_host (
      .clk(clk),
      .rst(rst),
{axi_pins}
      .reports(reports),
      .host(host),
      .run(run),
      .freeze(freeze),
      .clear_counters(clear_counters),
      .boot_pc(boot_pc),
      .boot_thread(boot_thread),
      .sync_release(sync_release),
      .resting(resting)
  );

  genvar i, l;
  generate
    for (i = 0; i < TILES; i = i + 1) begin : tile
      wire [BUS-1:0] bus_out, bus_in;
      wire [11:0] select, tile_id;
      wire [{response}-1:0] host_response;
      wire sync_request, halted, trapped;
      wire [1:0] sync_zone;{trace_wire}
      assign tile_id = i;
      openipu_tile core (
          .clk(clk),
          .rst(rst),
          .tile_id(tile_id),
          .run(run),
          .freeze(freeze),
          .boot_pc(boot_pc),
          .boot_thread(boot_thread),
          .clear_counters(clear_counters),
          .sync_request(sync_request),
          .sync_zone(sync_zone),
          .sync_release(sync_release),
          .bus_out(bus_out),
          .bus_in(bus_in),
          .select(select),
          .host(host),
          .host_response(host_response),{trace_pin}
          .halted(halted),
          .trapped(trapped)
      );
      for (l = 0; l < LANES; l = l + 1) begin : lane
        assign lanes[(l*TILES+i)*LANE+:LANE] = bus_out[l*LANE+:LANE];
        openipu_exchange_mux mux (
            .clk(clk),
            .rst(rst),
            .buses(lanes[l*TILES*LANE+:TILES*LANE]),
            .select(select),
            .bus_in(bus_in[l*LANE+:LANE])
        );
      end
      assign tile_reports[i*TILE_REPORT+:TILE_REPORT] = {{
        host_response, trapped, halted, sync_zone, sync_request
      }};
    end
    for (i = TILES; i < GROUPS * {fan_in}; i = i + 1) begin : absent
      assign tile_reports[i*TILE_REPORT+:TILE_REPORT] = {tile_report}'d{absent};
    end
    for (i = 0; i < GROUPS; i = i + 1) begin : group
      openipu_report_leaves leaves (
          .clk(clk),
          .rst(rst),
          .tiles(tile_reports[i*{fan_in}*TILE_REPORT+:{fan_in}*TILE_REPORT]),
          .report(reports[i*REPORT+:REPORT])
      );
    end
  endgenerate
endmodule
"""


def chip_verilog(config: ChipConfig) -> str:
    """Return the text of module `openipu_chip`.

    Its AXI ports are called `s_axi_awid` and so on; tile i is `tile[i].core`.
    """
    bus = config.tile.bus_bits + 1
    lanes, _ = lanes_of(config)
    size = {
        struct: data.Layout.cast(struct).size
        for struct in (Report, TileReport, HostRequest, HostResponse, TraceRecord)
    }
    trace = config.tile.trace
    axi_ports, axi_pins = [], []
    for name, member in AXI4.members.items():
        width = Shape.cast(member.shape).width
        axi_ports.append(
            f"    {'input' if member.flow is Out else 'output'} [{width - 1}:0] s_axi_{name},"
        )
        axi_pins.append(f"      .axi__{name}(s_axi_{name}),")
    return _CHIP.format(
        tiles=config.tiles,
        groups=groups_of(config),
        fan_in=FAN_IN,
        bus=bus,
        lanes=lanes,
        tile_report=size[TileReport],
        report=size[Report],
        host=size[HostRequest],
        response=size[HostResponse],
        absent=ABSENT.as_bits(),
        axi_ports="\n".join(axi_ports),
        axi_pins="\n".join(axi_pins),
        trace_wire=f"\n      wire [{size[TraceRecord]}-1:0] trace;" if trace else "",
        trace_pin="\n          .trace(trace)," if trace else "",
    )
