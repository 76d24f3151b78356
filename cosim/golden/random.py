"""Random numbers of a thread: xoroshiro128aox.

A state is two 64-bit numbers. Source: D. Hanlon, S. Felix, "A Fast Hardware Pseudorandom Number
Generator Based on xoroshiro128" (2022).
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

MASK = 0xFFFF_FFFF_FFFF_FFFF
SECOND_SEED = 0x9E37_79B9_7F4A_7C15
"""The second half of the state when the chip is started; the first is 1 + mhartid."""

Words = NDArray[np.uint64]


def start(mhartid: int) -> list[int]:
    """Return the state of a thread when the chip is started."""
    return [1 + mhartid, SECOND_SEED]


def advance(state: list[int]) -> int:
    """Return the next 64 random bits and change the state."""
    s0, s1 = state
    differ, both = s0 ^ s1, s0 & s1
    s0 = (s0 << 55 | s0 >> 9) ^ differ ^ differ << 14
    state[:] = s0 & MASK, (differ << 36 | differ >> 28) & MASK
    return differ ^ ((both << 1 | both >> 63 | both << 2 | both >> 62) & MASK)


def sequence(states: ArrayLike, count: int) -> tuple[Words, Words]:
    """Return the next `count` numbers of many threads at once, and the states after them.

    Parameters
    ----------
    states : array-like of uint64, shape (..., 2)
        Each thread's state, as `start` has it.
    count : int
        Numbers of each thread.

    Returns
    -------
    numbers : array, shape (..., count)
    states : array, shape (..., 2)
    """
    s0: NDArray[Any]
    s1: NDArray[Any]
    s0, s1 = np.moveaxis(np.asarray(states, np.uint64), -1, 0)
    numbers = np.empty((*s0.shape, count), np.uint64)
    for place in range(count):
        differ, both = s0 ^ s1, s0 & s1
        numbers[..., place] = differ ^ (both << 1 | both >> 63 | both << 2 | both >> 62)
        s0 = (s0 << 55 | s0 >> 9) ^ differ ^ differ << 14
        s1 = differ << 36 | differ >> 28
    return numbers, np.stack([s0, s1], axis=-1).astype(np.uint64)
