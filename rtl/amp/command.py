"""What the matrix unit's control tells its datapath with each instruction."""

from amaranth.lib import data
from amaranth.utils import ceil_log2

from openipu.rtl.config import TileConfig


def pairs_of(config: TileConfig) -> int:
    """Return how many pairs of outputs there are: partials and results come two in a word."""
    return config.amp_outputs // 2


def command(config: TileConfig) -> data.StructLayout:
    """Return the layout of a command; all zero changes nothing."""
    pairs = pairs_of(config)
    return data.StructLayout(
        {
            "thread": ceil_log2(config.contexts),
            "load": 1,  #: the weights of a group and a pair of outputs are written
            "step": 1,  #: a step of a row, or its end alone
            "add": 1,  #: the step adds products to the accumulators
            "single": 1,  #: f32, else f16
            "half": 1,  #: the group's second half, where a step has only half of it
            "pair": 1,  #: only one pair of outputs, each with an input of its own
            "index": ceil_log2(pairs),  #: that pair, or the one whose weights are loaded
            "group": ceil_log2(config.amp_depth),
            "fresh": 1,  #: the row starts with the partials as accumulators
            "end": 1,  #: it is the row's last step
            "given": ceil_log2(pairs + 1),  #: pairs of partials that were given before
            "put": 1,  #: a pair of partials comes with it,
            "put_index": ceil_log2(pairs),  #: this one
            "take": 1,  #: there are results to take,
            "take_index": ceil_log2(pairs),  #: from this pair on,
            "narrow": 1,  #: two pairs as f16
        }
    )
