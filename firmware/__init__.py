"""What runs on the tile: C, assembly and linker scripts, as package data."""

if __name__ != "openipu.firmware":
    raise ImportError("import openipu.firmware, not a bare firmware")
