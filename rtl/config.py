"""The size of a machine: frozen, validated records, and named presets.

Every hardware module, the golden model and the compiler take their sizes from here and from nowhere
else. A value that these records accept is a value that works everywhere.
"""

from dataclasses import dataclass, field, replace
from math import ceil
from typing import Any, Self

from openipu.rtl.isa import Unit

WORD_BYTES = 8  #: bytes in a memory word; addresses of the memory ports count these
KIB = 1024


def _check_range(name: str, value: object, low: int, high: int) -> None:
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{name} must be an int, not {value!r}")
    if not low <= value <= high:
        raise ValueError(f"{name} must be from {low} to {high}, not {value!r}")


def _check_choice(name: str, value: object, *choices: int) -> None:
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{name} must be an int, not {value!r}")
    if value not in choices:
        *others, last = choices
        raise ValueError(
            f"{name} must be {', '.join(map(str, others))} or {last}, not {value!r}"
        )


@dataclass(frozen=True, kw_only=True)
class TileConfig:
    """One tile: a barrel processor and its memory.

    Raises TypeError for a value of the wrong kind, ValueError for one out of range.
    """

    slots: int = 6
    """Issue slots in rotation, and so worker contexts: 4 to 8. The pipeline is four cycles from
    fetch to the next fetch, which is why there are no fewer than 4."""

    banks: int = 8
    """Memory banks, each with one read and one write port: 2 to 64. Consecutive addresses lie in
    one bank; bank = byte address // bank_bytes."""

    bank_bytes: int = 16 * KIB
    """Bytes in a bank: a power of two from 2 KiB to 64 KiB."""

    bus_bits: int = 64
    """Width of the exchange bus that the tile drives: 32 or 64 bits."""

    simd: bool = True
    """Whether the tile has the SIMD unit and random numbers."""

    amp_outputs: int = 16
    """Outputs of the matrix unit: 4, 8, 16 or 32; 0 for a tile without one."""

    amp_dot: int = 4
    """f16 products that the matrix unit adds to an output in one cycle: 2 or 4."""

    amp_depth: int = 32
    """Groups of inputs (four f16 or two f32) that the matrix unit has weights for: 8, 16, 32 or
    64."""

    trace: bool = False
    """Whether the tile has the retirement trace port."""

    def __post_init__(self) -> None:
        _check_range("TileConfig slots", self.slots, 4, 8)
        _check_range("TileConfig banks", self.banks, 2, 64)
        _check_range("TileConfig bank_bytes", self.bank_bytes, 2 * KIB, 64 * KIB)
        if self.bank_bytes & (self.bank_bytes - 1):
            raise ValueError(
                f"TileConfig bank_bytes must be a power of two, not {self.bank_bytes!r}"
            )
        if not 16 * KIB <= self.memory_bytes <= 1024 * KIB:
            raise ValueError(
                "TileConfig banks * bank_bytes must be from 16 KiB to 1024 KiB, "
                f"not {self.memory_bytes / KIB:g} KiB"
            )
        _check_choice("TileConfig bus_bits", self.bus_bits, 32, 64)
        for name, flag in (("simd", self.simd), ("trace", self.trace)):
            if not isinstance(flag, bool):
                raise TypeError(f"TileConfig {name} must be a bool, not {flag!r}")
        _check_choice("TileConfig amp_outputs", self.amp_outputs, 0, 4, 8, 16, 32)
        _check_choice("TileConfig amp_dot", self.amp_dot, 2, 4)
        _check_choice("TileConfig amp_depth", self.amp_depth, 8, 16, 32, 64)

    def replace(self, **changes: Any) -> Self:
        """Return a copy with some fields changed."""
        return replace(self, **changes)

    def executes(self, unit: Unit) -> bool:
        """Tell whether the tile has that unit; the instructions of others are illegal."""
        if unit is Unit.AMP:
            return self.amp_outputs > 0
        return unit is not Unit.ILLEGAL and (self.simd or unit not in (Unit.SIMD, Unit.RANDOM))

    @property
    def contexts(self) -> int:
        """Contexts: workers 0 to slots-1, then the supervisor."""
        return self.slots + 1

    @property
    def supervisor(self) -> int:
        """The supervisor's context number."""
        return self.slots

    @property
    def memory_bytes(self) -> int:
        """Bytes of memory in the tile."""
        return self.banks * self.bank_bytes

    @property
    def memory_words(self) -> int:
        """64-bit words of memory in the tile."""
        return self.memory_bytes // WORD_BYTES

    @property
    def amp_words(self) -> int:
        """64-bit words of weights in the matrix unit."""
        return self.amp_outputs * self.amp_depth

    @property
    def bus_bytes(self) -> int:
        """Bytes that the exchange bus carries each cycle."""
        return self.bus_bits // 8


@dataclass(frozen=True, kw_only=True)
class ChipConfig:
    """One chip: equal tiles, their exchange, sync and host port.

    Raises TypeError for a value of the wrong kind, ValueError for one out of range.
    """

    tiles: int = 4
    """Tiles: 1 to 2048."""

    exchange_latency: int = 4
    """Cycles from the cycle in which a word is read for sending to the cycle in which it is stored:
    3 to 16. Longer latencies are more pipeline registers in the fabric."""

    tile: TileConfig = field(default_factory=TileConfig)
    """The tile that the chip repeats."""

    def __post_init__(self) -> None:
        _check_range("ChipConfig tiles", self.tiles, 1, 2048)
        _check_range("ChipConfig exchange_latency", self.exchange_latency, 3, 16)
        if not isinstance(self.tile, TileConfig):
            raise TypeError(f"ChipConfig tile must be a TileConfig, not {self.tile!r}")

    def replace(self, **changes: Any) -> Self:
        """Return a copy with some fields changed."""
        return replace(self, **changes)

    @property
    def sync_levels(self) -> int:
        """Registered levels of the barrier's AND tree, each joining 8 inputs."""
        levels, width = 1, ceil(self.tiles / 8)
        while width > 1:
            levels, width = levels + 1, ceil(width / 8)
        return levels


PRESETS: dict[str, ChipConfig] = {
    "small": ChipConfig(),
    "test": ChipConfig(tiles=2, tile=TileConfig(banks=4, bank_bytes=8 * KIB, trace=True)),
    "gc2": ChipConfig(tiles=1216, exchange_latency=8, tile=TileConfig(banks=16)),
    "gc200": ChipConfig(tiles=1472, exchange_latency=8, tile=TileConfig(banks=39)),
}
"""Named chips: `small` is what the demo runs on, `test` what the tests do, the others have the tile
counts and memories of the two published machines."""


def preset(name: str) -> ChipConfig:
    """Return the preset of that name; ValueError names those there are."""
    try:
        return PRESETS[name]
    except KeyError:
        raise ValueError(f"preset must be one of {', '.join(PRESETS)}, not {name!r}") from None
