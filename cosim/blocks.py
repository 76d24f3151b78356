"""Simulating a module that is instantiated many times as a model of its own.

Verilator's hierarchical blocks evaluate each instance about six times a clock cycle, since any
output might depend on any input at once, and rebuild it with each design that contains it. A tile's
outputs are registers. So a *block* is Verilated alone, its library is kept for every design that
uses it, and each instance is evaluated exactly once a cycle, at the rising edge, with the inputs of
the cycle before. What this module writes joins the two: a Verilog stand-in for the block, and C++
that drives the block's model.

See docs/decisions/0004-blocks.md for the measurements.
"""

import re
from dataclasses import dataclass

_PORT = re.compile(r"^\s*(input|output)\s+(?:reg\s+|wire\s+)?(?:\[(\d+):0\]\s*)?(\w+)\s*;", re.M)


@dataclass(frozen=True)
class Port:
    """A port of a block: its name, its width in bits and whether the block drives it."""

    name: str
    width: int
    output: bool

    @property
    def dpi_type(self) -> str:
        """The SystemVerilog type that carries the port through DPI."""
        if self.width > 64:
            return f"bit [{self.width - 1}:0]"
        return "longint" if self.width > 32 else "int"

    @property
    def member(self) -> str:
        """The port's name in the wrapper, and so the member of the C++ model."""
        return f"port_{self.name}"

    @property
    def cpp_parameter(self) -> str:
        """The parameter of the C++ function that carries the port."""
        if self.width > 64:
            kind = "svBitVecVal* " if self.output else "const svBitVecVal* "
        else:
            kind = ("long long" if self.width > 32 else "int") + ("* " if self.output else " ")
        return kind + self.name

    @property
    def cpp_copy(self) -> str:
        """The C++ statement that copies the port into or out of the model."""
        model, outside = f"model.{self.member}", self.name
        if self.width > 64:
            model, outside = f"{model}[i]", f"{outside}[i]"
        elif self.output:
            outside = f"*{outside}"
        copy = f"{outside} = {model};" if self.output else f"{model} = {outside};"
        if self.width > 64:
            return f"for (int i = 0; i < {(self.width + 31) // 32}; ++i) {copy}"
        return copy


def ports_of(verilog: str, module: str) -> tuple[Port, ...]:
    """Return the ports of `module` in Verilog as Amaranth writes it.

    Raises ValueError if the module isn't there.
    """
    found = re.search(rf"^module \\?{re.escape(module)}\s*\(.*?^endmodule", verilog, re.M | re.S)
    if found is None:
        raise ValueError(f"block must be a module of the Verilog, not {module!r}")
    return tuple(
        Port(name, int(msb or 0) + 1, direction == "output")
        for direction, msb, name in _PORT.findall(found[0])
    )


def wrapper(module: str, ports: tuple[Port, ...]) -> str:
    """Return the Verilog module, `<module>_block`, that is Verilated: the block with other names.

    Members of the C++ model have the names of ports, and some names, as `trace`, are taken.
    """
    declared = ",\n".join(
        f"    {'output' if p.output else 'input'} [{p.width - 1}:0] {p.member}" for p in ports
    )
    connected = ", ".join(f".{p.name}({p.member})" for p in ports)
    return f"module {module}_block (\n{declared}\n);\n  {module} block ({connected});\nendmodule\n"


def stand_in(module: str, ports: tuple[Port, ...], clock: str, enable: str | None = None) -> str:
    """Return the Verilog module that takes the block's place in the design around it.

    With `enable`, the block is evaluated only where that input or `rst` is high.
    """
    wanted = f" if ({enable} | rst)" if enable else ""
    data = [port for port in ports if port.name != clock]
    outputs = [port for port in data if port.output]

    def dpi(kept: list[Port]) -> str:
        return "".join(
            f",\n        {'output' if p.output else 'input'} {p.dpi_type} {p.name}" for p in kept
        )

    def actual(kept: list[Port]) -> str:
        return "".join(f", {p.name}_next" if p.output else f", {p.name}" for p in kept)

    declared = ",\n".join(
        f"    {'output reg' if p.output else 'input'} [{p.width - 1}:0] {p.name}" for p in data
    )
    temporaries = "\n".join(f"    {p.dpi_type} {p.name}_next;" for p in outputs)
    update = "\n".join(f"        {p.name} <= {p.width}'({p.name}_next);" for p in outputs)
    initial = "\n".join(f"        {p.name} = {p.width}'({p.name}_next);" for p in outputs)
    return f"""module {module} (
    input {clock},
{declared}
);
    import "DPI-C" function chandle {module}_new(input string name{dpi(outputs)});
    import "DPI-C" function void {module}_step(input chandle model{dpi(data)});
    chandle model;
{temporaries}
    initial begin
        model = {module}_new($sformatf("%m"){actual(outputs)});
{initial}
    end
    always @(posedge {clock}){wanted} begin
        {module}_step(model{actual(data)});
{update}
    end
endmodule
"""


def driver(module: str, ports: tuple[Port, ...], clock: str) -> str:
    """Return the C++ that creates and steps the block's models.

    Setting the clock's remembered value back instead of evaluating its falling edge, at which
    nothing in a block changes, halves the evaluations. With OPENIPU_CHECK_BLOCKS set in the
    simulator's environment, each step also checks that no output depends on an input of the same
    cycle.
    """
    data = [port for port in ports if port.name != clock]
    inputs = [port for port in data if not port.output]
    outputs = [port for port in data if port.output]
    parameters = ", ".join(p.cpp_parameter for p in data)
    results = "".join(", " + p.cpp_parameter for p in outputs)

    def lines(kept: list[Port]) -> str:
        return "\n".join(f"    {p.cpp_copy}" for p in kept)

    keep = "\n".join(f"        const auto {p.name}_was = model.{p.member};" for p in outputs)
    same = "\n".join(
        f"        if (std::memcmp(&{p.name}_was, &model.{p.member}, sizeof {p.name}_was))\n"
        f'            depends("{p.name}");'
        for p in outputs
    )
    return f"""#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "V{module}.h"
#include "V{module}___024root.h"
#include "svdpi.h"

static const char* const wish = std::getenv("OPENIPU_CHECK_BLOCKS");
static const bool check = wish && *wish;

static void depends(const char* output) {{
    std::fprintf(stderr, "{module}.%s depends on an input of the same cycle\\n", output);
    std::exit(2);
}}

extern "C" void* {module}_new(const char* name{results}) {{
    V{module}* const created = new V{module}{{name}};
    V{module}& model = *created;
    model.port_{clock} = 0;
    model.eval();
{lines(outputs)}
    return created;
}}

extern "C" void {module}_step(void* handle, {parameters}) {{
    V{module}& model = *static_cast<V{module}*>(handle);
{lines(inputs)}
    if (check) {{
{keep}
        model.eval();
{same}
    }}
    model.port_{clock} = 1;
    model.eval();
    model.port_{clock} = 0;
    model.rootp->__Vtrigprevexpr___TOP__port_{clock}__0 = 0;
{lines(outputs)}
}}
"""
