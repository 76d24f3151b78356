"""Streams and 64-bit operands of a context, for the instruction-level model."""

from openipu.cosim.golden.memory import Memory

WORD_MASK = 0xFFFF_FFFF_FFFF_FFFF
ADDRESSES = 1 << 28  #: words that an address tells apart
COUNT_BITS = 16


def _level(word: int) -> tuple[int, int]:
    """Return count and step of a level from the register that describes it."""
    step = word >> COUNT_BITS
    return word & (1 << COUNT_BITS) - 1, step - ((step >> COUNT_BITS - 1) << COUNT_BITS)


class Stream:
    """Addresses of 64-bit words in up to three nested strides; finished when new."""

    def __init__(self, memory: Memory) -> None:
        self._words = memory.views[3]
        self._address = 0  # of the word, in words
        self._counts = [0, 0, 0]  # iterations after the first
        self._steps = [0, 0, 0]
        self._left = [0, 0, 0]  # iterations after this one
        self.finished = True
        self.pushed = 0  #: words written

    def open(self, address: int, level: int) -> None:
        """Begin at a byte address, a multiple of 8, with level 0 only."""
        self._address = (address & 0x7FFF_FFFF) >> 3
        self._set(0, level)
        self._set(1, 0)
        self._set(2, 0)
        self.finished = level & (1 << COUNT_BITS) - 1 == 0

    def levels(self, level_1: int, level_2: int) -> None:
        """Set the levels around level 0."""
        self._set(1, level_1)
        self._set(2, level_2)

    def _set(self, level: int, word: int) -> None:
        count, self._steps[level] = _level(word)
        self._counts[level] = self._left[level] = max(count - 1, 0)

    @property
    def address(self) -> int:
        """The byte address of the word that comes next."""
        return self._address << 3

    @property
    def outside(self) -> bool:
        """Whether that word isn't in the memory."""
        return self._address >= len(self._words)

    def peek(self) -> int:
        """Return the word that comes next, 0 if there is none."""
        return 0 if self.finished or self.outside else self._words[self._address]

    def store(self, value: int) -> None:
        """Write the word that comes next."""
        self._words[self._address] = value & WORD_MASK
        self.pushed += 1

    def move(self) -> None:
        """Go to the next word."""
        for level in range(3):
            if self._left[level]:
                self._left[level] -= 1
                self._address = (self._address + self._steps[level]) % ADDRESSES
                return
            self._left[level] = self._counts[level]
        self.finished = True
