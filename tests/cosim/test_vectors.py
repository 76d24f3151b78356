"""Vectors through units with and without a clock."""

import numpy as np
import pytest
from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from openipu.cosim import vectors

SEED = 3
DEPTH = 3


class Sum(wiring.Component):
    a: In(33)
    b: In(5)
    trace: Out(34)
    parity: Out(1)

    def elaborate(self, platform):
        m = Module()
        m.d.comb += [self.trace.eq(self.a + self.b), self.parity.eq(self.trace.xor())]
        return m


class Delay(wiring.Component):
    given: In(16)
    late: Out(16)

    def elaborate(self, platform):
        m = Module()
        value = self.given
        for stage in range(DEPTH):
            following = Signal(16, name=f"after_{stage}")
            m.d.sync += following.eq(value)
            value = following
        m.d.comb += self.late.eq(value)
        return m


class Wide(wiring.Component):
    a: In(65)
    b: Out(1)

    def elaborate(self, platform):
        m = Module()
        m.d.comb += self.b.eq(self.a.any())
        return m


@pytest.mark.parametrize("count", [0, 1, 1000])
def test_a_combinational_unit(count):
    rng = np.random.default_rng(SEED)
    a, b = rng.integers(0, 1 << 33, count), rng.integers(0, 1 << 5, count)
    answers = vectors.verilate(Sum(), latency=0)(b=b, a=a)
    assert np.array_equal(answers["trace"], a + b)
    assert np.array_equal(answers["parity"], np.bitwise_count(a + b) % 2)


@pytest.mark.parametrize("count", [0, 1, DEPTH, 1000])
def test_a_clocked_unit(count):
    given = np.arange(1, count + 1)
    run = vectors.verilate(Delay(), latency=DEPTH)
    answers = run(given=given)
    assert np.array_equal(answers["late"], given)


@pytest.mark.parametrize("latency", [0, DEPTH, DEPTH + 2])
def test_vectors_that_are_held(latency):
    """What is there `latency` cycles after a vector came: the one before it, at first."""
    hold = DEPTH + 3
    given = np.arange(1, 100)
    run = vectors.verilate(Delay(), latency=latency, hold=hold)
    late = given if latency >= DEPTH else np.concatenate([[0], given[:-1]])
    assert np.array_equal(run(given=given)["late"], late)


def test_an_input_that_is_not_given_is_zero():
    answers = vectors.verilate(Sum(), latency=0)(b=[3, 0, 5])
    assert answers["trace"].tolist() == [3, 0, 5]


def test_arguments_that_are_no_inputs():
    with pytest.raises(ValueError, match=r"^arguments must be inputs of .* not \['c', 'trace'\]$"):
        vectors.verilate(Sum(), latency=0)(trace=[1], a=[1], c=[1])


@pytest.mark.parametrize("value", [-1, 32])
def test_a_value_that_an_input_cannot_have(value):
    with pytest.raises(ValueError, match=r"^values of input b must be from 0 to 0x1f$"):
        vectors.verilate(Sum(), latency=0)(b=[0, value])


def test_one_value_for_all_vectors():
    answers = vectors.verilate(Sum(), latency=0)(a=1 << 32, b=[3, 0, 5])
    assert (answers["trace"] - (1 << 32)).tolist() == [3, 0, 5]


def test_a_port_wider_than_a_record_has_it():
    with pytest.raises(ValueError, match=r"^port a must be of at most 64 bits .* not 65$"):
        vectors.verilate(Wide(), latency=0)
