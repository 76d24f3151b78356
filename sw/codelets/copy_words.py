"""The codelets that the compiler uses for copies within a tile."""

from typing import Any

from numpy.typing import NDArray

from openipu.sw.codelets.codelet import Codelet, Field, Input, Output, register


def _copy_words(source: NDArray[Any], destination: NDArray[Any]) -> None:
    destination[:] = source


def _cycles(source: int, destination: int) -> int:
    fours, rest = divmod(source, 4)
    return 9 + (2 + 11 * fours if fours else 0) + (1 + 6 * rest if rest else 0)


copy_words = register(
    Codelet(
        name="copy_words",
        fields=(Field("source", Input, "uint32"), Field("destination", Output, "uint32")),
        source="copy_words.c",
        reference=_copy_words,
        cycles=_cycles,
    )
)
"""Words, whatever they are, from `source` to `destination`, which are of one length."""


def _halves_cycles(source: int, destination: int) -> int:
    """Where both begin with a word. Where only one does, an element takes 5."""
    fours, rest = divmod(source, 4)
    return 16 + (2 + 8 * fours if fours else 0) + 5 * rest


copy_halves = register(
    Codelet(
        name="copy_halves",
        fields=(Field("source", Input, "float16"), Field("destination", Output, "float16")),
        source="copy_halves.c",
        reference=_copy_words,
        cycles=_halves_cycles,
    )
)
"""The same for elements of two bytes."""
