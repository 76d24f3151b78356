"""The matrix unit's state but for numbers: where each context is in its row."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from openipu.rtl.amp.command import command, pairs_of
from openipu.rtl.config import TileConfig
from openipu.rtl.isa import AmpOp
from openipu.rtl.tile.per_context import PerContext

MULTIPLY = (
    AmpOp.H, AmpOp.H_PARTIAL, AmpOp.H_NARROW, AmpOp.H_PARTIAL_NARROW, AmpOp.S, AmpOp.S_PARTIAL,
)  # fmt: skip
SINGLE = (AmpOp.S, AmpOp.S_PARTIAL)
PARTIAL = (AmpOp.IN, AmpOp.H_PARTIAL, AmpOp.H_PARTIAL_NARROW, AmpOp.S_PARTIAL)
NARROW = (AmpOp.OUT_NARROW, AmpOp.H_NARROW, AmpOp.H_PARTIAL_NARROW)


class Control(wiring.Component):
    """Decides in stage x what an instruction does, and keeps each context's counters.

    Parameters
    ----------
    config : TileConfig
        Size of the tile.

    Members
    -------
    run : In(1)
        Low: all contexts are as after `xampset` with 1 and 0.
    x_thread, x_op, x_en, x_set, x_set_pointer, x_output : In
    x_takes_a, x_takes_b, x_gives, x_illegal, x_overrun : Out(1)
        See `AMP`.
    x_command : Out(command(config))
        Zero unless the instruction retires.
    """

    def __init__(self, config: TileConfig) -> None:
        self.config = config
        super().__init__(
            {
                "run": In(1),
                "x_thread": In(ceil_log2(config.contexts)),
                "x_op": In(AmpOp),
                "x_en": In(1),
                "x_set": In(32),
                "x_set_pointer": In(32),
                "x_output": In(5),
                "x_takes_a": Out(1),
                "x_takes_b": Out(1),
                "x_gives": Out(1),
                "x_illegal": Out(1),
                "x_overrun": Out(1),
                "x_command": Out(command(config)),
            }
        )

    def elaborate(self, platform):
        """Read the context's state, decide, write it back."""
        m = Module()
        config, pairs, depth = self.config, pairs_of(self.config), self.config.amp_depth
        count = ceil_log2(pairs + 1)
        layout = data.StructLayout(
            {
                "last": ceil_log2(depth),  # the number of a row's last group
                "group": ceil_log2(depth),
                "half": 1,
                "begun": 1,  # there was a step since xampset
                "given": count,  # pairs of partials
                "left": count,  # pairs of results
                "index": ceil_log2(pairs),  # where weights are loaded: a pair of outputs
                "load_group": ceil_log2(depth),  # and a group
            }
        )
        m.submodules.contexts = contexts = PerContext(config, layout)
        state, following = contexts.value, contexts.next

        def is_one_of(name, *operations):
            there = Signal(name=f"x_{name}")
            with m.Switch(self.x_op):
                with m.Case(*operations):
                    m.d.comb += there.eq(1)
            return there

        single = is_one_of("single", *SINGLE)
        multiply = is_one_of("multiply", *MULTIPLY)
        partial = is_one_of("partial", *PARTIAL)
        narrow = is_one_of("narrow", *NARROW)
        pair, turn = is_one_of("pair", AmpOp.PAIR), is_one_of("turn", AmpOp.TURN)
        load, is_in = is_one_of("load", AmpOp.LOAD), is_one_of("in", AmpOp.IN)
        sets = is_one_of("sets", AmpOp.SET)
        takes = is_one_of("takes", AmpOp.OUT, AmpOp.OUT_NARROW, *MULTIPLY)

        # The row's end.
        step, halves, group_ends, end, fresh = (
            Signal(name=f"x_{name}") for name in ("step", "halves", "group_ends", "end", "fresh")
        )
        at_last = state.group == state.last
        m.d.comb += [
            step.eq(multiply | pair | turn),
            halves.eq(multiply & (single if config.amp_dot == 4 else 1)),
            group_ends.eq(pair | (multiply & (~halves | state.half))),
            end.eq(turn | (multiply & group_ends & at_last)),
            fresh.eq(step & ~state.begun),
        ]

        # Partials in, results out.
        given, left, taken = (Signal(count, name=f"x_{n}") for n in ("given", "left", "taken"))
        puts, gives = Signal(name="x_puts"), self.x_gives
        m.d.comb += [
            given.eq(Mux(fresh, 0, state.given)),
            puts.eq(partial & (given != pairs)),
            gives.eq(takes & (state.left != 0)),
            taken.eq(Mux(gives, Mux(narrow & (state.left != 1), 2, 1), 0)),
            left.eq(state.left - taken),
        ]

        pointer = self.x_set_pointer
        m.d.comb += [
            self.x_takes_a.eq(load | pair | (is_in & puts) | (multiply & group_ends)),
            self.x_takes_b.eq(load | pair | (~is_in & puts)),
            self.x_illegal.eq(
                (sets & ((self.x_set == 0) | (self.x_set > depth)))
                | (sets & (pointer[0] | (pointer >= config.amp_words)))
                | (pair & (self.x_output[0] | (self.x_output >= config.amp_outputs)))
            ),
            self.x_overrun.eq(end & (left != 0)),
        ]

        m.d.comb += [
            contexts.clear.eq(~self.run),
            contexts.thread.eq(self.x_thread),
            contexts.write.eq(self.x_en),
            following.eq(state),
        ]
        with m.If(sets):
            m.d.comb += [
                following.eq(0),
                following.last.eq(self.x_set - 1),
                following.index.eq(pointer[1:]),
                following.load_group.eq(pointer[ceil_log2(config.amp_outputs) :]),
            ]
        with m.Elif(load):
            m.d.comb += following.index.eq(state.index + 1)
            with m.If(state.index == pairs - 1):
                m.d.comb += following.load_group.eq(state.load_group + 1)
        with m.Else():
            m.d.comb += [
                following.begun.eq(state.begun | step),
                following.given.eq(Mux(end, 0, given + puts)),
                following.left.eq(Mux(end, pairs, left)),
            ]
            with m.If(step):
                m.d.comb += following.half.eq(halves & ~state.half)
            with m.If(turn | (group_ends & at_last)):
                m.d.comb += following.group.eq(0)
            with m.Elif(group_ends):
                m.d.comb += following.group.eq(state.group + 1)

        out = self.x_command
        with m.If(self.x_en):
            m.d.comb += [
                out.thread.eq(self.x_thread),
                out.load.eq(load),
                out.step.eq(step),
                out.add.eq(multiply | pair),
                out.single.eq(single),
                out.half.eq(halves & state.half),
                out.pair.eq(pair),
                out.index.eq(Mux(load, state.index, self.x_output[1:])),
                out.group.eq(Mux(load, state.load_group, state.group)),
                out.fresh.eq(fresh),
                out.end.eq(end),
                out.given.eq(state.given),
                out.put.eq(puts),
                out.put_index.eq(given),
                out.take.eq(gives),
                out.take_index.eq(pairs - state.left),
                out.narrow.eq(narrow),
            ]
        return m
