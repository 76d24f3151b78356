"""What computes in the matrix unit: weights, products, accumulators, results."""

from amaranth.hdl import EnableInserter, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from openipu.rtl.amp.command import command, pairs_of
from openipu.rtl.amp.dot import Dot
from openipu.rtl.amp.lane import Lane
from openipu.rtl.amp.product import Unpack
from openipu.rtl.amp.results import Results
from openipu.rtl.amp.weights import Weights
from openipu.rtl.config import TileConfig

STAGES = 5
"""Clock edges after which a command has changed all that it changes."""


class Datapath(wiring.Component):
    """Carries out commands, one a cycle; those of one context are at least 4 cycles apart.

    The output depends on registers alone, and none changes while `enable` is low: a simulation may
    leave the datapath alone then. A platform with a method `get_amp_datapath` has that called with
    the datapath for what to use instead.

    Parameters
    ----------
    config : TileConfig
        Size of the tile.

    Members
    -------
    enable : In(1)
        High where a command comes, and in the `STAGES - 1` cycles after it.
    x_en : In(1), x_command : In(command(config))
        There is a command.
    x_a, x_b : In(64)
        Words that belong to it: weights to load; input and partials; two inputs.
    w_result : Out(64)
        The results it takes, two clock edges later.
    """

    def __init__(self, config: TileConfig) -> None:
        self.config = config
        super().__init__(
            {
                "enable": In(1),
                "x_en": In(1),
                "x_command": In(command(config)),
                "x_a": In(64),
                "x_b": In(64),
                "w_result": Out(64),
            }
        )

    def elaborate(self, platform):
        """Stage after stage: m multiplies, w and y add, z accumulates."""
        if hasattr(platform, "get_amp_datapath"):
            return platform.get_amp_datapath(self)
        m = Module()
        config, layout = self.config, command(self.config)
        m_, w, y, z = (Signal(layout, name=f"{stage}_command") for stage in "mwyz")
        m_a, m_b, w_b, y_b, z_b = (Signal(64, name=n) for n in ("m_a", "m_b", "w_b", "y_b", "z_b"))
        m.d.sync += [w.eq(m_), y.eq(w), z.eq(y), w_b.eq(m_b), y_b.eq(w_b), z_b.eq(y_b)]
        m.d.sync += m_.eq(0)
        with m.If(self.x_en):
            m.d.sync += [m_.eq(self.x_command), m_a.eq(self.x_a), m_b.eq(self.x_b)]

        m.submodules.weights = weights = Weights(config)
        m.d.comb += [
            weights.x_group.eq(self.x_command.group),
            weights.x_load.eq(self.x_en & self.x_command.load),
            weights.x_index.eq(self.x_command.index),
            weights.x_a.eq(self.x_a),
            weights.x_b.eq(self.x_b),
        ]
        sums = self._products(m, m_, m_a, m_b, weights)
        m.submodules.results = results = Results(config)
        for output in range(config.amp_outputs):
            m.submodules[f"lane_{output}"] = lane = Lane(config, output)
            m.d.comb += [
                lane.y_thread.eq(y.thread),
                lane.z.eq(z),
                lane.z_sum.eq(sums(output, z)),
                lane.z_partial.eq(z_b.word_select(output % 2, 32)),
                lane.m_thread.eq(m_.thread),
                results.results[output].eq(lane.w_result),
            ]
        m.d.comb += [
            results.take.eq(w.take),
            results.index.eq(w.take_index),
            results.narrow.eq(w.narrow),
            self.w_result.eq(results.word),
        ]
        return EnableInserter(self.enable)(m)

    def _products(self, m, m_, m_a, m_b, weights):
        """Build stages m to y; return a function from output and command to the sum in z.

        The outputs of even and odd number have inputs of their own in a step of a pair. That takes
        multipliers for a whole group; if the outputs have only half of them, there are two more.
        """
        config = self.config
        dots, inputs = [], []
        for parity, word in enumerate((m_a, Mux(m_.pair, m_b, m_a))):
            unpack = Unpack(config.amp_dot, weights=False)
            m.submodules[f"input_{parity}"] = unpack
            m.d.comb += [unpack.word.eq(word), unpack.single.eq(m_.single), unpack.half.eq(m_.half)]
            inputs.append(unpack)
        for output in range(config.amp_outputs):
            m.submodules[f"dot_{output}"] = dot = Dot(config.amp_dot)
            _connect(m, dot, inputs[output % 2], weights.m_words[output], m_)
            dots.append(dot)
        if config.amp_dot == 4:
            return lambda output, z: dots[output].z_sum

        pair_dots = []
        for parity, word in enumerate((m_a, m_b)):
            unpack = Unpack(4, weights=False)
            m.submodules[f"pair_input_{parity}"] = unpack
            m.submodules[f"pair_dot_{parity}"] = dot = Dot(4)
            weight = Signal(64, name=f"m_pair_weight_{parity}")
            with m.Switch(m_.index):
                for index in range(pairs_of(config)):
                    with m.Case(index):
                        m.d.comb += weight.eq(weights.m_words[2 * index + parity])
            m.d.comb += unpack.word.eq(word)
            _connect(m, dot, unpack, weight, None)
            pair_dots.append(dot)
        return lambda output, z: Mux(z.pair, pair_dots[output % 2].z_sum, dots[output].z_sum)


def _connect(m, dot, unpack, weight, m_):
    m.d.comb += dot.m_weights.eq(weight)
    for given, wanted in (
        (unpack.significands, dot.m_significands),
        (unpack.factors, dot.m_factors),
    ):
        for source, target in zip(given, wanted, strict=True):
            m.d.comb += target.eq(source)
    if m_ is not None:
        m.d.comb += [dot.m_single.eq(m_.single), dot.m_half.eq(m_.half)]
