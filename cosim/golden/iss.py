"""The instruction-level golden model: `TileISS` and `ChipISS` run the RTL's machine code."""

from openipu.cosim.golden.chip import ChipISS, Status, TilePlace
from openipu.cosim.golden.hart import TrapReport
from openipu.cosim.golden.tile import TileISS

__all__ = ["ChipISS", "Status", "TileISS", "TilePlace", "TrapReport"]
