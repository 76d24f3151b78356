"""Random numbers: one thread's and many threads'."""

import numpy as np

from openipu.cosim.golden import random


def test_first_numbers_by_the_definition():
    """The state's halves by hand: s0 = 1, s1 = 2 share no bit."""
    state = [1, 2]
    assert random.advance(state) == 3
    assert state == [1 << 55 ^ 3 ^ 3 << 14, 3 << 36]
    state = [1 << 63 | 1, 1 << 63 | 2]
    assert random.advance(state) == 3 ^ 3  # bit 63 of both, rotated by 1 and by 2
    assert state[1] == 3 << 36


def test_a_sequence_of_many_threads_is_that_of_each():
    states = [random.start(hart) for hart in (0, 1, 6, 16 * 4095 + 6)]
    assert states[1] == [2, 0x9E37_79B9_7F4A_7C15]
    numbers, after = random.sequence(states, 100)
    for thread, state in enumerate(states):
        assert numbers[thread].tolist() == [random.advance(state) for _ in range(100)]
        assert after[thread].tolist() == state
    assert len(np.unique(numbers)) == numbers.size


def test_bits_are_set_half_of_the_time():
    numbers, _ = random.sequence(random.start(3), 20_000)
    counts = [int((numbers >> np.uint64(bit) & np.uint64(1)).sum()) for bit in range(64)]
    assert all(9600 < count < 10_400 for count in counts)
