"""Why a graph and its program can't be turned into an executable."""

from dataclasses import dataclass


class CompileError(Exception):
    """The executable can't be made; the message is for whoever wrote the graph."""


@dataclass(frozen=True)
class Item:
    """Something in a tile's memory."""

    category: str
    """code, common data, stacks, program, vertices, exchange tables, variable, staging; alignment
    for what is left unused"""
    name: str
    address: int
    size: int  #: bytes

    def __str__(self) -> str:
        return f"{self.category} {self.name}".strip()


class OutOfMemoryError(CompileError):
    """What a tile needs doesn't fit into its memory.

    `tile` is the fullest; `items` is what would be there, `needed` and `available` are bytes.
    """

    def __init__(self, tile: int, items: list[Item], needed: int, available: int) -> None:
        self.tile = tile
        self.items = items
        self.needed = needed
        self.available = available
        largest = sorted(items, key=lambda item: -item.size)[:10]
        lines = [f"  {item.size:>9,}  {item}" for item in largest]
        rest = sum(item.size for item in items) - sum(item.size for item in largest)
        if rest:
            lines.append(f"  {rest:>9,}  the rest")
        super().__init__(
            f"tile {tile} is out of memory: it needs {needed:,} bytes and has {available:,}, "
            f"{needed - available:,} too few. What fills it, in bytes:\n" + "\n".join(lines)
        )
