"""The memory of a tile."""

from openipu.rtl.config import TileConfig


class Memory:
    """`config.memory_bytes` of zeros, little-endian; `views` are of 1, 2, 4 and 8 bytes an item."""

    def __init__(self, config: TileConfig) -> None:
        self.bytes = bytearray(config.memory_bytes)
        view = memoryview(self.bytes)
        self.views = view, view.cast("H"), view.cast("I"), view.cast("Q")

    def read(self, address: int, length: int) -> bytes:
        """Return `length` bytes from `address`; ValueError if they aren't all there."""
        self._check(address, length)
        return bytes(self.bytes[address : address + length])

    def write(self, address: int, data: bytes) -> None:
        """Write `data` from `address` on; ValueError if not all of it fits."""
        self._check(address, len(data))
        self.bytes[address : address + len(data)] = data

    def _check(self, address: int, length: int) -> None:
        if not (address >= 0 and length >= 0 and address + length <= len(self.bytes)):
            raise ValueError(
                f"memory access must lie from 0 to {len(self.bytes):#x}, "
                f"not from {address:#x} to {address + length:#x}"
            )
