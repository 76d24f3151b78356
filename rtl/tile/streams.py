"""Streams: the addresses of 64-bit words that instructions read and write without asking."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal, signed, unsigned
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from openipu.rtl.config import TileConfig
from openipu.rtl.tile.per_context import PerContext

INPUTS = 2
STREAMS = 3
OUT = 2  # the stream that is written; the others are read
LEVELS = 3
WORD_BITS = 28  # of an address in words: a byte address without bit 31


class Level(data.Struct):
    """One of the nested loops over a stream's words."""

    again: unsigned(16)
    """Iterations after the first."""
    left: unsigned(16)
    """Iterations after this one."""
    step: signed(16)
    """From the last word of an iteration to the first of the next, in words."""


class Stream(data.Struct):
    """The state of a stream; all zero is finished."""

    open: unsigned(1)
    """There is a word."""
    address: unsigned(WORD_BITS)
    """Where, in words."""
    levels: data.ArrayLayout(Level, LEVELS)


class Streams(wiring.Component):
    """The streams of all contexts.

    In stage d the addresses that a thread's next words have are there, in stage x what is wrong
    with them; at the end of x, the streams that an instruction used move on. A word of input 0 that
    arrived while that of input 1 was refused is held for the replay: two inputs in one bank would
    else never get both.

    Parameters
    ----------
    config : TileConfig
        Size of the tile.

    Members
    -------
    run : In(1)
        Low: all streams are finished.
    d_thread : In
        Whose streams.
    d_addresses : Out, one for each input
        Memory words to read.
    d_there : Out(1), one for each input
        There is such a word, and it isn't held already.
    x_thread : In
        Who was `d_thread` one cycle ago.
    x_finished, x_outside : Out(1) each
        The stream has no more words; its word is outside the memory.
    x_addresses : Out(32) each
        Byte addresses.
    x_held : Out(1), x_held_word : Out(64)
        The word of input 0 was read before.
    x_hold : In(1), x_word : In(64)
        Keep this word for the replay.
    x_over : In(1)
        The instruction retires or traps: nothing is held for its thread any more.
    x_move : In(1) each
        It retires and has used this stream.
    x_open, x_levels : In(1)
        It is xstream or xlevels of the stream `x_number`,
    x_number : In(2), x_a, x_b : In(32)
        with these registers.
    """

    def __init__(self, config: TileConfig) -> None:
        self.config = config
        thread = In(ceil_log2(config.contexts))
        super().__init__(
            {
                "run": In(1),
                "d_thread": thread,
                "d_addresses": Out(ceil_log2(config.memory_words)).array(INPUTS),
                "d_there": Out(1).array(INPUTS),
                "x_thread": thread,
                "x_finished": Out(1).array(STREAMS),
                "x_outside": Out(1).array(STREAMS),
                "x_addresses": Out(32).array(STREAMS),
                "x_held": Out(1),
                "x_held_word": Out(64),
                "x_hold": In(1),
                "x_word": In(64),
                "x_over": In(1),
                "x_move": In(1).array(STREAMS),
                "x_open": In(1),
                "x_levels": In(1),
                "x_number": In(2),
                "x_a": In(32),
                "x_b": In(32),
            }
        )

    def elaborate(self, platform):
        """One small memory for each stream, read in d, written at the end of x."""
        m = Module()
        for number in range(STREAMS):
            self._stream(m, number)
        self._hold(m)
        return m

    def _stream(self, m, number):
        config = self.config
        state = PerContext(config, Stream, separate_write=True)
        m.submodules[f"stream_{number}"] = state
        x_state = Signal(Stream, name=f"x_state_{number}")
        x_outside = self.x_outside[number]
        m.d.comb += [
            state.clear.eq(~self.run),
            state.thread.eq(self.d_thread),
            state.write_thread.eq(self.x_thread),
            self.x_finished[number].eq(~x_state.open),
            x_outside.eq(x_state.address >= config.memory_words),
            self.x_addresses[number].eq(Cat(Const(0, 3), x_state.address)),
        ]
        m.d.sync += x_state.eq(state.value)
        if number < INPUTS:
            d_state = state.value
            m.d.comb += [
                self.d_addresses[number].eq(d_state.address),
                self.d_there[number].eq(
                    d_state.open & (d_state.address < config.memory_words)
                ),
            ]

        moved, mine = Signal(Stream, name=f"x_moved_{number}"), self.x_number == number
        self._move(m, x_state, moved)
        with m.If(self.x_move[number]):
            m.d.comb += [state.write.eq(1), state.next.eq(moved)]
        with m.Elif(mine & (self.x_open | self.x_levels)):
            m.d.comb += [state.write.eq(1), state.next.eq(x_state)]
            with m.If(self.x_open):
                m.d.comb += [
                    state.next.open.eq(self.x_b[:16] != 0),
                    state.next.address.eq(self.x_a[3:31]),
                ]
                _describe(m, state.next.levels[0], self.x_b)
                for level in (1, 2):
                    m.d.comb += state.next.levels[level].eq(0)
            with m.Else():
                _describe(m, state.next.levels[1], self.x_a)
                _describe(m, state.next.levels[2], self.x_b)

    def _move(self, m, state, moved):
        """Set `moved` to the state after a word: the innermost level with iterations left steps."""
        m.d.comb += [moved.eq(state), moved.open.eq(0)]
        inner = Const(1, 1)
        for level in range(LEVELS):
            here = inner & (state.levels[level].left != 0)
            with m.If(here):
                m.d.comb += [
                    moved.open.eq(1),
                    moved.address.eq(state.address + state.levels[level].step),
                    moved.levels[level].left.eq(state.levels[level].left - 1),
                ]
            with m.Elif(inner):
                m.d.comb += moved.levels[level].left.eq(state.levels[level].again)
            inner = inner & (state.levels[level].left == 0)

    def _hold(self, m):
        """Keep a word until the instruction that wants it is over."""
        m.submodules.held = held = PerContext(self.config, unsigned(64))
        is_held = Signal(1 << len(self.x_thread))
        m.d.comb += [
            held.clear.eq(~self.run),
            held.thread.eq(self.x_thread),
            held.write.eq(self.x_hold),
            held.next.eq(self.x_word),
            self.x_held.eq(is_held.bit_select(self.x_thread, 1)),
            self.x_held_word.eq(held.value),
        ]
        with m.If(is_held.bit_select(self.d_thread, 1)):
            m.d.comb += self.d_there[0].eq(0)
        with m.If(~self.run):
            m.d.sync += is_held.eq(0)
        with m.Elif(self.x_hold | self.x_over):
            m.d.sync += is_held.bit_select(self.x_thread, 1).eq(self.x_hold)


def _describe(m, level, word):
    """Set a level from the register that describes it."""
    again = Mux(word[:16] == 0, 0, word[:16] - 1)
    m.d.comb += [level.again.eq(again), level.left.eq(again), level.step.eq(word[16:].as_signed())]
