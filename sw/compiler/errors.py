"""Why a graph and its program can't be turned into an executable."""

from collections.abc import Iterable
from dataclasses import dataclass


class CompileError(Exception):
    """The executable can't be made; the message is for whoever wrote the graph."""


SHOWN = 10
"""Lines of an out-of-memory error."""


@dataclass(frozen=True)
class Item:
    """Something in a tile's memory."""

    category: str
    """code, common data, stacks, program, vertices, exchange tables, variable, temporaries;
    alignment for what is left unused"""
    name: str
    address: int
    size: int  #: bytes

    def __str__(self) -> str:
        return f"{self.category} {self.name}".strip()


def by_category(items: Iterable[Item]) -> dict[str, int]:
    """Return the bytes of each category; each variable is one, under its name."""
    result: dict[str, int] = {}
    for item in items:
        result[str(item)] = result.get(str(item), 0) + item.size
    return result


class BankError(CompileError):
    """Fields that instructions read at the same time are in one bank, and may not be.

    `conflicts` has a line for each vertex and pair of fields.
    """

    def __init__(self, conflicts: list[str]) -> None:
        self.conflicts = conflicts
        more = f"\n  and {len(conflicts) - SHOWN} more" if len(conflicts) > SHOWN else ""
        super().__init__(
            "there are no different banks for what is read at the same time:\n"
            + "\n".join(f"  {conflict}" for conflict in conflicts[:SHOWN]) + more
        )


class OutOfMemoryError(CompileError):
    """What a tile needs doesn't fit into its memory.

    `tile` is the fullest; `items` is what would be there, `needed` and `available` are bytes.
    """

    def __init__(self, tile: int, items: list[Item], needed: int, available: int) -> None:
        self.tile = tile
        self.items = items
        self.needed = needed
        self.available = available
        sizes = sorted(by_category(items).items(), key=lambda entry: -entry[1])
        lines = [f"  {size:>9,}  {what}" for what, size in sizes[:SHOWN]]
        rest = sum(size for _, size in sizes[SHOWN:])
        if rest:
            lines.append(f"  {rest:>9,}  the rest")
        super().__init__(
            f"tile {tile} is out of memory: it needs {needed:,} bytes and has {available:,}, "
            f"{needed - available:,} too few. What fills it, in bytes:\n" + "\n".join(lines)
        )
