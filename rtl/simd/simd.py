"""The tile's SIMD unit."""

from amaranth.hdl import Cat, EnableInserter, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from openipu.rtl.floating.format import F16, F32
from openipu.rtl.floating.half import Widen
from openipu.rtl.isa import FpuOp, SimdOp
from openipu.rtl.simd.functions import HalfFunction
from openipu.rtl.simd.greatest import Greatest
from openipu.rtl.simd.lanes import MultiplyAddLanes, OrderLanes
from openipu.rtl.simd.narrow import RANDOM_BITS, Narrow
from openipu.rtl.simd.sums import Sums

FORMATS = {"H4": F16, "S2": F32}
ARITHMETIC = ("ADD", "SUB", "MUL", "MADD")
FUNCTIONS = (
    SimdOp.H4_EXP, SimdOp.H4_LOG, SimdOp.H4_TANH, SimdOp.H4_SIGMOID, SimdOp.H4_RECIP,
    SimdOp.H4_RSQRT, SimdOp.H4_SQRT,
)  # fmt: skip
COMPARISON = ("MIN", "MAX", "EQ", "LT", "LE")


STAGES = 2
"""Clock edges after which an operation's result is there."""


class SIMD(wiring.Component):
    """Executes the SIMD operations.

    Takes one operation a cycle, and has its result two clock edges later, valid for one cycle. The
    output depends on registers alone, and none changes while `enable` is low: a simulation may
    leave the unit alone then. A platform with a method `get_simd` has that called with the unit for
    what to use instead.

    Members
    -------
    enable : In(1)
        High where an operation comes, and in the `STAGES - 1` cycles after it.
    x_op : In(SimdOp)
        What to do.
    x_a, x_b, x_c : In(64)
        Operands; one from a single f register is in the low half.
    x_random : In(64)
        Random bits for NARROW_RANDOM, 16 for each lane.
    w_result : Out(64)
        One for a single f register is in the low half, zeros above.
    """

    enable: In(1)
    x_op: In(SimdOp)
    x_a: In(64)
    x_b: In(64)
    x_c: In(64)
    x_random: In(64)
    w_result: Out(64)

    def elaborate(self, platform):
        """Hand the operands to every unit, and choose one's result."""
        if hasattr(platform, "get_simd"):
            return platform.get_simd(self)
        m = Module()
        x_lane_op = Signal(FpuOp)  # the same for either format
        with m.Switch(self.x_op):
            for name in (*ARITHMETIC, *COMPARISON):
                with m.Case(*(SimdOp[f"{lanes}_{name}"] for lanes in FORMATS)):
                    m.d.comb += x_lane_op.eq(FpuOp[name])

        # What is done in stage x passes through two registers.
        x_done = Signal(64)
        m_done = Signal(64)
        w_done = Signal(64)
        x_words = self._bits() | self._conversions(m) | self._comparisons(m, x_lane_op)
        with m.Switch(self.x_op):
            for op, word in x_words.items():
                with m.Case(op):
                    m.d.comb += x_done.eq(word)
        m_op = Signal(SimdOp)
        w_op = Signal(SimdOp)
        m.d.sync += [m_op.eq(self.x_op), m_done.eq(x_done), w_op.eq(m_op), w_done.eq(m_done)]

        w_words = self._arithmetic(m, x_lane_op) | self._reductions(m) | self._functions(m)
        with m.Switch(w_op):
            for op, word in w_words.items():
                with m.Case(op):
                    m.d.comb += self.w_result.eq(word)
            with m.Default():
                m.d.comb += self.w_result.eq(w_done)
        return EnableInserter(self.enable)(m)

    def _bits(self):
        """Return the words that need no arithmetic."""
        a, b, c = self.x_a, self.x_b, self.x_c
        return {
            SimdOp.AND: a & b,
            SimdOp.OR: a | b,
            SimdOp.XOR: a ^ b,
            SimdOp.ANDN: a & ~b,
            SimdOp.SELECT: (a & b) | (~a & c),
            SimdOp.H4_SPLAT: a[: F16.width].replicate(4),
            SimdOp.S2_SPLAT: a[: F32.width].replicate(2),
        }

    def _conversions(self, m):
        """Return the words in the other format."""
        narrowed = []
        for lane in range(4):
            m.submodules[f"narrow_{lane}"] = narrow = Narrow()
            m.d.comb += [
                narrow.a.eq(Cat(self.x_a, self.x_b).word_select(lane, F32.width)),
                narrow.random.eq(self.x_random.word_select(lane, RANDOM_BITS)),
                narrow.nearest.eq(self.x_op == SimdOp.NARROW),
            ]
            narrowed.append(narrow.result)
        high = self.x_op == SimdOp.WIDEN_HIGH
        widened = []
        for lane in range(2):
            m.submodules[f"widen_{lane}"] = widen = Widen()
            low, above = (self.x_a.word_select(lane + part, F16.width) for part in (0, 2))
            m.d.comb += widen.a.eq(Mux(high, above, low))
            widened.append(widen.result)
        return dict.fromkeys((SimdOp.NARROW, SimdOp.NARROW_RANDOM), Cat(narrowed)) | dict.fromkeys(
            (SimdOp.WIDEN_LOW, SimdOp.WIDEN_HIGH), Cat(widened)
        )

    def _comparisons(self, m, x_lane_op):
        """Return minimum, maximum and masks."""
        words: dict[SimdOp, Value] = {}
        for lanes, form in FORMATS.items():
            m.submodules[f"order_{lanes.lower()}"] = order = OrderLanes(form)
            m.d.comb += [order.op.eq(x_lane_op), order.a.eq(self.x_a), order.b.eq(self.x_b)]
            words |= {SimdOp[f"{lanes}_{name}"]: order.result for name in COMPARISON}
        return words

    def _arithmetic(self, m, x_lane_op):
        """Return what the multiply-adds give in stage w."""
        words: dict[SimdOp, Value] = {}
        for lanes, form in FORMATS.items():
            m.submodules[f"multiply_add_{lanes.lower()}"] = unit = MultiplyAddLanes(form)
            m.d.comb += [
                unit.x_op.eq(x_lane_op),
                unit.x_a.eq(self.x_a),
                unit.x_b.eq(self.x_b),
                unit.x_c.eq(self.x_c),
            ]
            words |= {SimdOp[f"{lanes}_{name}"]: unit.w_result for name in ARITHMETIC}
        return words

    def _reductions(self, m):
        """Return what becomes of a whole word, in stage w."""
        m.submodules.sums = sums = Sums()
        m.submodules.greatest_lane = greatest = Greatest()
        m.d.comb += [
            sums.x_op.eq(self.x_op),
            sums.x_a.eq(self.x_a),
            sums.x_b.eq(self.x_b),
            sums.x_c.eq(self.x_c),
            greatest.x_singles.eq(self.x_op == SimdOp.S2_GREATEST),
            greatest.x_a.eq(self.x_a),
        ]
        return dict.fromkeys(
            (SimdOp.H4_SUM, SimdOp.S2_SUM, SimdOp.H4_DOT), sums.w_result
        ) | dict.fromkeys((SimdOp.H4_GREATEST, SimdOp.S2_GREATEST), greatest.w_result)

    def _functions(self, m):
        """Return the elementary functions of four f16, in stage w."""
        results = []
        for lane in range(4):
            m.submodules[f"function_{lane}"] = function = HalfFunction()
            m.d.comb += [
                function.x_op.eq(self.x_op),
                function.x_a.eq(self.x_a.word_select(lane, F16.width)),
            ]
            results.append(function.w_result)
        return dict.fromkeys(FUNCTIONS, Cat(results))
