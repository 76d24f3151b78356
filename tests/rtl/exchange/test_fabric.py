import random

import pytest
from amaranth.sim import Simulator

from openipu.rtl.config import ChipConfig, TileConfig
from openipu.rtl.exchange.fabric import ExchangeMux, lanes_of


@pytest.mark.parametrize("latency", [3, 4, 16])
@pytest.mark.parametrize("tiles", [1, 2, 7])
def test_selected_bus_arrives_after_the_latency(tiles, latency):
    dut = ExchangeMux(ChipConfig(tiles=tiles, exchange_latency=latency))
    seed = random.randrange(1 << 32)
    print(f"seed {seed}")
    rng = random.Random(seed)

    async def bench(ctx):
        expected = []
        for cycle in range(100):
            buses = [rng.getrandbits(65) for _ in range(tiles)]
            select = rng.choice([*range(tiles), tiles, 4095])
            ctx.set(dut.buses, buses)
            ctx.set(dut.select, select)
            expected.append(buses[select] if select < tiles else 0)
            if cycle >= latency - 2:
                assert ctx.get(dut.bus_in) == expected[cycle - (latency - 2)], (seed, cycle)
            await ctx.tick()

    simulator = Simulator(dut)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()


@pytest.mark.parametrize("bus_bits", [32, 64])
@pytest.mark.parametrize("tiles", [1, 2, 900, 1472, 2048])
def test_lanes_are_the_whole_bus_and_fit(tiles, bus_bits):
    lanes, bits = lanes_of(ChipConfig(tiles=tiles, tile=TileConfig(bus_bits=bus_bits)))
    assert lanes * bits == bus_bits + 1
    assert bits * tiles < 1 << 16
    assert tiles > 900 or lanes == 1
