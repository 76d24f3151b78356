"""The exchange fabric: for each tile one multiplexer over all tiles' buses."""

from amaranth.hdl import Module, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from openipu.rtl.config import ChipConfig

_INPUT_BITS = 60_000  # Amaranth counts the bits of a module's inputs in 16 bits


def lanes_of(config: ChipConfig) -> tuple[int, int]:
    """Return into how many lanes a chip's buses are cut, and the bits of a lane.

    There is one lane up to some 900 tiles, or else 5 of 13 bits (3 of 11 for 32-bit buses).
    """
    width = config.tile.bus_bits + 1
    lanes = next(
        n
        for n in range(1, width + 1)
        if width % n == 0 and width // n * config.tiles <= _INPUT_BITS
    )
    return lanes, width // lanes


class ExchangeMux(wiring.Component):
    """What one tile hears: the bus that it selects, `exchange_latency` - 2 cycles later.

    A chip has one for each tile and lane (`lanes_of`). A source that isn't there is silent.

    Parameters
    ----------
    config : ChipConfig
        Tiles, latency and bus width.

    Members
    -------
    buses : In(lane_bits for each tile)
        The lane of all tiles' `bus_out`, tile 0 in the lowest bits.
    select : In(12)
        Whose bus to take in this cycle.
    bus_in : Out(lane_bits)
        What was taken `exchange_latency` - 2 cycles ago.
    """

    def __init__(self, config: ChipConfig) -> None:
        self.config = config
        _, self.lane_bits = lanes_of(config)
        super().__init__(
            {
                "buses": In(data.ArrayLayout(self.lane_bits, config.tiles)),
                "select": In(12),
                "bus_in": Out(self.lane_bits),
            }
        )

    def elaborate(self, platform):
        """Register the multiplexer, then delay; synthesis may spread it over the registers."""
        m = Module()
        chosen = Signal(self.lane_bits, name="stage_0")
        with m.Switch(self.select):
            for tile in range(self.config.tiles):
                with m.Case(tile):
                    m.d.sync += chosen.eq(self.buses[tile])
            with m.Default():
                m.d.sync += chosen.eq(0)
        for i in range(1, self.config.exchange_latency - 2):
            before, chosen = chosen, Signal(self.lane_bits, name=f"stage_{i}")
            m.d.sync += chosen.eq(before)
        m.d.comb += self.bus_in.eq(chosen)
        return m
