"""The matrix unit against the golden one: any instructions of all contexts, interleaved."""

import numpy as np
import pytest

from openipu.cosim import vectors
from openipu.cosim.golden.amp import Amp
from openipu.rtl.amp.amp import AMP
from openipu.rtl.config import TileConfig
from openipu.rtl.floating.format import F16, F32
from openipu.rtl.isa import AmpOp
from tests.rtl.patterns import corners

SEED = 17
DISTANCE = 4  # cycles between instructions of one context
LATENCY = 2  # from x to w
FLUSH = 8  # idle cycles before `run` goes low: what is under way may still change the numbers
CONFIGS = {
    "default": TileConfig(),
    "small": TileConfig(slots=4, amp_outputs=4, amp_dot=2, amp_depth=8),
    "wide": TileConfig(slots=8, amp_outputs=32, amp_depth=64),
    "dot2": TileConfig(slots=5, amp_outputs=16, amp_dot=2, amp_depth=16),
    "few": TileConfig(slots=7, amp_outputs=8, amp_depth=8),
}
INPUTS = (
    "run", "x_thread", "x_op", "x_en", "x_a", "x_b", "x_set", "x_set_pointer", "x_output",
)  # fmt: skip
OUTPUTS = ("x_takes_a", "x_takes_b", "x_gives", "x_illegal", "x_overrun")

SHARES = {
    AmpOp.SET: 2, AmpOp.LOAD: 10, AmpOp.IN: 6, AmpOp.OUT: 8, AmpOp.OUT_NARROW: 4, AmpOp.H: 12,
    AmpOp.H_PARTIAL: 12, AmpOp.H_NARROW: 12, AmpOp.H_PARTIAL_NARROW: 12, AmpOp.S: 12,
    AmpOp.S_PARTIAL: 12, AmpOp.PAIR: 8, AmpOp.TURN: 2,
}  # fmt: skip
CHANCES = np.array([SHARES[op] for op in AmpOp]) / sum(SHARES.values())


def tame_words(rng, count):
    """Return words of numbers around 1, f16 or f32; an f32 one as f16 may be anything."""
    halves = rng.standard_normal((count, 4)).astype(np.float16).view(np.uint64)[:, 0]
    singles = rng.standard_normal((count, 2)).astype(np.float32).view(np.uint64)[:, 0]
    return np.where(rng.random(count) < 0.6, halves, singles)


def wild_words(rng, count):
    """Return words of any bits, and of corner values."""
    words = rng.integers(0, 1 << 64, count, np.uint64)
    halves = rng.choice(corners(F16).astype(np.uint16), (count, 4)).view(np.uint64)[:, 0]
    singles = rng.choice(corners(F32).astype(np.uint32), (count, 2)).view(np.uint64)[:, 0]
    kind = rng.random(count)
    return np.where(kind < 0.3, words, np.where(kind < 0.6, halves, singles))


class Schedule:
    """A random sequence of instructions, a cycle each, and what the golden unit makes of it."""

    def __init__(self, config, count, seed, share=1.0):
        self.config, self.rng = config, np.random.default_rng(seed)
        self.inputs = {name: np.zeros(count + FLUSH, np.uint64) for name in INPUTS}
        self.outputs = {name: np.zeros(count, np.uint8) for name in OUTPUTS}
        self.results = np.zeros(count, np.uint64)
        self.issued = np.zeros(count, bool)
        reset = int(self.rng.integers(count // 3, count // 2))
        self.inputs["run"][1:] = 1
        self.inputs["run"][reset] = 0
        amp = Amp(config)
        last = np.full(config.contexts, -DISTANCE)
        threads = self.rng.integers(0, config.contexts, (count, 3))
        wildness = self.rng.choice([0, 0.02, 0.3], config.contexts)
        chosen = self.rng.choice(len(AmpOp), count, p=CHANCES)
        words = [make(self.rng, 2 * count).reshape(count, 2) for make in (tame_words, wild_words)]
        dice = self.rng.random((count, 2))
        for cycle in range(1, count):
            if cycle == reset:
                amp.reset()
                continue
            if self.rng.random() >= share:
                continue
            free = [int(t) for t in threads[cycle] if cycle - last[t] >= DISTANCE]
            if not free:
                continue
            thread, op = free[0], list(AmpOp)[chosen[cycle]]
            wild = dice[cycle, 0] < wildness[thread]
            a, b = map(int, words[int(wild)][cycle])
            groups, pointer, output = self.fields(op)
            if op is AmpOp.SET:
                a, b = groups, pointer
            plan, legal = amp.plan(thread, op), amp.is_legal(op, a, b, output)
            retires = legal and not plan.overruns and dice[cycle, 1] < 0.97
            retires &= not reset - FLUSH <= cycle < reset
            self.issued[cycle] = True
            row = (1, thread, op.value, retires, a, b, groups, pointer, output)
            for name, value in zip(INPUTS, row, strict=True):
                self.inputs[name][cycle] = value
            seen = (plan.takes_a, plan.takes_b, plan.gives, not legal, plan.overruns)
            for name, value in zip(OUTPUTS, seen, strict=True):
                self.outputs[name][cycle] = value
            if retires:
                self.results[cycle] = amp.execute(thread, op, a, b, output)
                last[thread] = cycle
        self.retired = self.inputs["x_en"][:count] == 1

    def fields(self, op):
        """Return groups and pointer for SET, and the output for PAIR; seldom illegal ones."""
        config, rng = self.config, self.rng
        if op is AmpOp.SET:
            most = 4 if rng.random() < 0.5 else config.amp_depth + 2
            even = 1 if rng.random() < 0.1 else 2
            pointer = rng.integers(0, config.amp_words + 2) // even * even
            return int(rng.integers(0, most)), int(pointer), 0
        if op is AmpOp.PAIR:
            most = min(config.amp_outputs + 1, 32) if rng.random() < 0.3 else 4
            return 0, 0, int(rng.integers(0, most)) & (31 if rng.random() < 0.1 else 30)
        return 0, 0, 0

    def differences(self, answers):
        """Return, in words, some cycles whose outputs are others."""
        count = len(self.results)
        late = answers["w_result"][LATENCY : count + LATENCY]
        wrong = (late != self.results) & self.retired
        for name in OUTPUTS:
            wrong |= (answers[name][:count] != self.outputs[name]) & self.issued
        return [
            f"cycle {k}, context {self.inputs['x_thread'][k]}, "
            f"{AmpOp(int(self.inputs['x_op'][k])).name}: "
            + "".join(f"{n} {answers[n][k]}, not {self.outputs[n][k]}, " for n in OUTPUTS)
            + f"w_result {late[k]:#x}, not {self.results[k]:#x}"
            for k in np.nonzero(wrong)[0][:5]
        ]


def check(config, count, seed):
    schedule = Schedule(config, count, seed)
    answers = vectors.verilate(AMP(config), latency=0)(**schedule.inputs)
    differences = schedule.differences(answers)
    assert not differences, "\n".join([f"seed {seed}", *differences])
    assert schedule.retired.mean() > 0.5


def test_the_datapath_stands_still_between_commands():
    schedule = Schedule(CONFIGS["small"], 20_000, SEED, share=0.1)
    answers = vectors.verilate(AMP(CONFIGS["small"]), latency=0)(**schedule.inputs)
    assert not schedule.differences(answers)


@pytest.mark.parametrize("name", ["small", "default"])
def test_random_instructions(name):
    check(CONFIGS[name], 4_000, SEED)


@pytest.mark.slow
@pytest.mark.parametrize("config", CONFIGS.values(), ids=CONFIGS)
def test_many_random_instructions(config):
    check(config, 300_000, SEED + 1)
