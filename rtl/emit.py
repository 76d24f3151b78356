"""Writes a chip as Verilog: every module once, and what a reader of it needs to know.

Files: one Verilog file a module, and one each for the tile's two largest units; `openipu.vlt`
(waivers for Verilator, each with its reason); `openipu.json` (sizes, ports, hierarchy, address map,
the fields of the structs).
"""

import json
from collections.abc import Iterable
from dataclasses import asdict
from importlib.resources import files
from pathlib import Path
from typing import Any

from amaranth.back import verilog
from amaranth.hdl import ClockSignal, Instance, Module, ResetSignal, Shape
from amaranth.lib import data, wiring

from openipu.rtl.amp.datapath import Datapath
from openipu.rtl.chip import chip_verilog
from openipu.rtl.config import ChipConfig
from openipu.rtl.exchange.fabric import ExchangeMux
from openipu.rtl.host import control
from openipu.rtl.host.chip_host import ChipHost
from openipu.rtl.host.report import ReportLeaves
from openipu.rtl.layouts import (
    Events,
    ExchangeEntry,
    HostRequest,
    HostResponse,
    TraceRecord,
    TrapRecord,
    bus_word,
)
from openipu.rtl.simd.simd import SIMD
from openipu.rtl.tile import host as tile_host
from openipu.rtl.tile.tile import Tile

# What Verilator says of Yosys's Verilog, and why that is right all the same.
_WAIVERS = {
    "DECLFILENAME": "a file holds the modules of all of a component's parts",
    "UNUSEDSIGNAL": "fields of structs, of which a module may need only some, become wires",
    "WIDTHTRUNC": "`!` of a vector is what Amaranth's `== 0` becomes",
    "WIDTHEXPAND": "constants and shorter operands are extended as Amaranth means it",
    "CASEINCOMPLETE": "what a case doesn't name keeps the default assigned before it",
    "PROCASSINIT": "registers have an initial value besides that of their reset",
}

_UNUSED = ("UNUSEDPARAM", "UNUSEDSIGNAL")


UNITS = {"openipu_simd": "core.simd", "openipu_amp_datapath": "core.amp.datapath"}
"""Modules of a tile that have files of their own, if it has them: where they are in the tile."""


class VerilogPlatform:
    """Leaves what is not logic to modules written in Verilog."""

    def get_sram_bank(self, bank):
        """Return an instance of `openipu_sram_bank` in place of a bank's memory."""
        m = Module()
        m.submodules.macro = Instance(
            "openipu_sram_bank",
            p_INDEX=bank.index,
            p_ADDR_BITS=len(bank.read_addr),
            i_clk=ClockSignal(),
            i_tile_id=bank.tile_id,
            i_read_en=bank.read_en,
            i_read_addr=bank.read_addr,
            o_read_data=bank.read_data,
            i_write_addr=bank.write_addr,
            i_write_data=bank.write_data,
            i_write_strobe=bank.write_strobe,
        )
        return m


class _UnitsApart(VerilogPlatform):
    """Leaves a tile's largest units to files of their own.

    So a simulation can keep such a unit apart, and leave it alone while its `enable` is low.
    """

    def get_simd(self, simd):
        """Return an instance of `openipu_simd` in place of the SIMD unit."""
        return _instance("openipu_simd", simd)

    def get_amp_datapath(self, datapath):
        """Return an instance of `openipu_amp_datapath` in place of the matrix unit's datapath."""
        return _instance("openipu_amp_datapath", datapath)


def emit(
    config: ChipConfig,
    directory: str | Path | None = None,
    platform: Any = None,
    *,
    emit_src: bool = False,
    strip_internal_attrs: bool = True,
    tile: wiring.Component | None = None,
) -> dict[str, str]:
    """Return the files of a chip, name to text, and write them to a directory if one is given.

    The same arguments give the same text. The directory is made if it isn't there; files in it
    that aren't written stay.

    Parameters
    ----------
    config
        The chip.
    directory
        Where to write the files.
    platform
        Amaranth platform; the default is `VerilogPlatform()`, but for the files of the units. With
        another, or another tile, all of the tile is in its one file.
    emit_src, strip_internal_attrs
        As in `amaranth.back.verilog.convert`; the defaults give small files that simulate fast.
    tile
        A component with a tile's ports to use instead of `Tile(config)`.
    """
    units = {}
    if platform is None:
        units = _units(config) if tile is None else {}
        platform = _UnitsApart() if units else VerilogPlatform()
    components: dict[str, wiring.Component] = {
        "openipu_tile": Tile(config) if tile is None else tile,
        "openipu_exchange_mux": ExchangeMux(config),
        "openipu_report_leaves": ReportLeaves(),
        "openipu_host": ChipHost(config),
        **units,
    }
    texts = {
        f"{name}.v": verilog.convert(
            component,
            name=name,
            platform=None if name in units else platform,
            emit_src=emit_src,
            strip_internal_attrs=strip_internal_attrs,
        )
        for name, component in components.items()
    }
    texts["openipu_sram_bank.v"] = (files("openipu.rtl.tile") / "sram_bank.v").read_text()
    texts["openipu_chip.v"] = chip_verilog(config)
    texts["openipu.vlt"] = _waivers(components)
    texts["openipu.json"] = json.dumps(_sidecar(config, components), indent=1) + "\n"
    if directory is not None:
        directory = Path(directory)
        directory.mkdir(parents=True, exist_ok=True)
        for name, text in texts.items():
            (directory / name).write_text(text)
    return texts


def _units(config: ChipConfig) -> dict[str, wiring.Component]:
    """Return the units of a tile that have files of their own, by their modules' names."""
    units: dict[str, wiring.Component] = {}
    if config.tile.simd:
        units["openipu_simd"] = SIMD()
    if config.tile.amp_outputs:
        units["openipu_amp_datapath"] = Datapath(config.tile)
    return units


def _instance(name: str, unit: wiring.Component) -> Instance:
    """Return an instance of a module that has a component's ports."""
    ports = {
        f"{'i' if member.flow is wiring.In else 'o'}_{'__'.join(map(str, path))}": value
        for path, member, value in unit.signature.flatten(unit)
    }
    return Instance(name, i_clk=ClockSignal(), i_rst=ResetSignal(), **ports)


def _waivers(generated: Iterable[str]) -> str:
    """Return what openipu.vlt says."""
    lines = ["`verilator_config"]
    for rule, reason in _WAIVERS.items():
        lines.append(f"// {reason[0].upper()}{reason[1:]}.")
        lines += [f'lint_off -rule {rule} -file "*{name}.v"' for name in generated]
    lines.append("// A bank's number and tile are there for simulation models in its place.")
    lines += [f'lint_off -rule {r} -file "*openipu_sram_bank.v"' for r in _UNUSED]
    return "\n".join(lines) + "\n"


def _sidecar(config: ChipConfig, components: dict[str, wiring.Component]) -> dict[str, Any]:
    """Return what openipu.json says."""
    structs = {
        "ExchangeEntry": ExchangeEntry,
        "TrapRecord": TrapRecord,
        "HostRequest": HostRequest,
        "HostResponse": HostResponse,
        "TraceRecord": TraceRecord,
        "Events": Events,
        "bus": bus_word(config.tile.bus_bits),
    }
    return {
        "parameters": asdict(config),
        "modules": {name: _ports(component) for name, component in components.items()},
        "hierarchy": {
            "tile": "openipu_chip.tile[{tile}].core",
            "host": "openipu_chip.chip_host",
        },
        "structs": {
            name: {
                str(key): {"offset": field.offset, "width": field.width}
                for key, field in data.Layout.cast(struct)
            }
            for name, struct in structs.items()
        },
        "address_map": {
            "chip_registers": control.CHIP_REGISTERS,
            "broadcast": control.BROADCAST,
            "tile_registers": control.TILE_REGISTERS,
            "tile_registers_step": control.TILE_REGISTERS_STEP,
            "tile_memory": control.TILE_MEMORY,
            "tile_memory_step": control.TILE_MEMORY_STEP,
        },
        "chip_registers": {
            name.lower(): getattr(control, name)
            for name in "ID SIZE CONTROL STATUS BOOT CYCLES BARRIERS TRAP_TILE".split()
        },
        "tile_registers": {
            name.lower(): getattr(tile_host, name)
            for name in "STATUS TRAP TRAP_WHERE EXCHANGE PC COUNTERS".split()
        },
    }


def _ports(component: wiring.Component) -> dict[str, dict[str, Any]]:
    """Return a module's ports, as Verilog has them, with direction and width."""
    return {
        "__".join(str(part) for part in path): {
            "direction": "input" if member.flow is wiring.In else "output",
            "width": Shape.cast(member.shape).width,
        }
        for path, member, _ in component.signature.flatten(component)
    }
