"""Random numbers of each context."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from openipu.rtl.config import TileConfig
from openipu.rtl.tile.per_context import PerContext

SECOND_SEED = 0x9E37_79B9_7F4A_7C15
"""The second half of the state when the chip is started; the first is 1 + mhartid."""


class Random(wiring.Component):
    """xoroshiro128aox with a state for each context.

    Source: D. Hanlon, S. Felix, "A Fast Hardware Pseudorandom Number Generator Based on
    xoroshiro128" (2022).

    Parameters
    ----------
    config : TileConfig
        Size of the tile.

    Members
    -------
    run : In(1)
        Low: the states are those of the start.
    tile_id : In(12), x_thread : In
        Whose state.
    x_random : Out(64)
        Its next number.
    x_advance : In(1)
        That number is taken.
    x_seed_en : In(1), x_seed_half : In(1), x_seed_value : In(64)
        One half of the state gets a value; not together with `x_advance`.
    """

    def __init__(self, config: TileConfig) -> None:
        self.config = config
        super().__init__(
            {
                "run": In(1),
                "tile_id": In(12),
                "x_thread": In(ceil_log2(config.contexts)),
                "x_random": Out(64),
                "x_advance": In(1),
                "x_seed_en": In(1),
                "x_seed_half": In(1),
                "x_seed_value": In(64),
            }
        )

    def elaborate(self, platform):
        """Two registers for each context, kept as their difference from the start."""
        m = Module()
        m.submodules.first = first = PerContext(self.config, 64)
        m.submodules.second = second = PerContext(self.config, 64)
        hart = Cat(self.x_thread, Const(0, 4 - len(self.x_thread)), self.tile_id)
        first_seed = Signal(64)
        s0 = Signal(64)
        s1 = Signal(64)
        differ = Signal(64)
        both = Signal(64)
        m.d.comb += [
            first_seed.eq(hart + 1),
            s0.eq(first.value ^ first_seed),
            s1.eq(second.value ^ SECOND_SEED),
            differ.eq(s0 ^ s1),
            both.eq(s0 & s1),
            self.x_random.eq(differ ^ (both.rotate_left(1) | both.rotate_left(2))),
        ]
        seeds = self.x_seed_en & ~self.x_seed_half, self.x_seed_en & self.x_seed_half
        next_s0 = s0.rotate_left(55) ^ differ ^ (differ << 14)[:64]
        next_s1 = differ.rotate_left(36)
        for half, register, start, following in (
            (0, first, first_seed, next_s0),
            (1, second, Const(SECOND_SEED, 64), next_s1),
        ):
            m.d.comb += [
                register.clear.eq(~self.run),
                register.thread.eq(self.x_thread),
                register.write.eq(self.x_advance | seeds[half]),
                register.next.eq(Mux(seeds[half], self.x_seed_value, following) ^ start),
            ]
        return m
