"""Vectors through one Verilated unit: for tests that compare millions of results with NumPy.

    run = vectors.verilate(FPU(), latency=2)
    result = run(x_op=FpuOp.ADD.value, x_a=a, x_b=b)["w_result"]

The unit is simulated by a C++ loop that reads the vectors from one file and writes the answers to
another, some million cycles a second; the simulator is kept as all are (`cosim.build`).
"""

import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from amaranth.back import verilog
from amaranth.hdl import Elaboratable
from numpy.typing import ArrayLike, NDArray

from openipu.cosim import blocks
from openipu.cosim.blocks import Port
from openipu.cosim.build import Design, build

Answers = NDArray[np.void]

TOP = "unit"
CLOCKED = ("clk", "rst")

PROGRAM = """\
#include "Vtop.h"
#include "verilated.h"
#include <cstdint>
#include <cstdio>
#include <vector>

double sc_time_stamp() {{ return 0; }}

struct __attribute__((packed)) Vector {{ {inputs} }};
struct __attribute__((packed)) Answer {{ {outputs} }};

int main(int, char** arguments) {{
    std::FILE *in = std::fopen(arguments[1], "rb"), *out = std::fopen(arguments[2], "wb");
    static Vtop top;
    Vector vector;
    // Before each edge: an answer is that to the vector of `latency` cycles ago.
    for (long cycle = 0, end = -1; cycle != end; ++cycle) {{
        if (end < 0 && cycle % {hold} == 0) {{
            if (std::fread(&vector, sizeof vector, 1, in)) {{
                {apply}
            }} else {{
                end = cycle + {latency};
                if (cycle == end) break;
            }}
        }}
        {low}
        top.eval();
        if (cycle >= {latency} && (cycle - {latency}) % {hold} == 0) {{
            const Answer answer{{ {answer} }};
            std::fwrite(&answer, sizeof answer, 1, out);
        }}
        {high}
    }}
    top.final();
    return std::fclose(out);
}}
"""


def verilate(unit: Elaboratable, *, latency: int, hold: int = 1) -> Callable[..., Answers]:
    """Return a function that sends vectors through a unit, one each cycle, or every `hold` cycles.

    Its keyword arguments are the inputs, arrays that broadcast to one dimension; an input not given
    is 0. It returns an array of records with a field for each output: what that is `latency` cycles
    after the vector was given, before the clock edge; latency 0 is for what is combinational. Ports
    must be of at most 64 bits; else ValueError. The unit starts out of reset and mustn't need one.
    """
    text = verilog.convert(unit, name=TOP, emit_src=False, strip_internal_attrs=True)
    ports = blocks.ports_of(text, TOP)
    for port in ports:
        if port.width > 64:
            raise ValueError(
                f"port {port.name} must be of at most 64 bits to be in a record, not {port.width}"
            )
    clocked = any(port.name == "clk" for port in ports)
    inputs = [port for port in ports if not port.output and port.name not in CLOCKED]
    outputs = [port for port in ports if port.output]
    program = PROGRAM.format(
        inputs=" ".join(f"{_c_type(port)} {port.name};" for port in inputs),
        outputs=" ".join(f"{_c_type(port)} {port.name};" for port in outputs),
        apply=" ".join(f"top.{port.member} = vector.{port.name};" for port in inputs),
        answer=", ".join(f"{_c_type(port)}(top.{port.member})" for port in outputs),
        low="top.port_clk = 0;" if clocked else "",
        high="top.port_clk = 1; top.eval();" if clocked else "",
        latency=latency,
        hold=hold,
    )
    files = {f"{TOP}.v": text, "wrapper.v": blocks.wrapper(TOP, ports)}
    simulator = build(Design(top=f"{TOP}_block", files=files, clock=None, program=program))
    sent = np.dtype([(port.name, _type(port)) for port in inputs])
    greatest = {port.name: (1 << port.width) - 1 for port in inputs}
    received = np.dtype([(port.name, _type(port)) for port in outputs])

    def run(**given: ArrayLike) -> Answers:
        unknown = sorted(set(given) - set(sent.names or ()))
        if unknown:
            raise ValueError(f"arguments must be inputs of the unit, not {unknown}")
        columns = np.broadcast_arrays(*map(np.atleast_1d, given.values()))
        records = np.zeros(len(columns[0]) if columns else 0, sent)
        for name, column in zip(given, columns, strict=True):
            if np.any((column < 0) | (column > greatest[name])):
                raise ValueError(f"values of input {name} must be from 0 to {greatest[name]:#x}")
            records[name] = column
        with tempfile.TemporaryDirectory() as directory:
            vectors, answers = Path(directory, "vectors"), Path(directory, "answers")
            records.tofile(vectors)
            subprocess.run([simulator.executable, vectors, answers], check=True)
            return np.fromfile(answers, received)

    return run


def _bytes(port: Port) -> int:
    return next(size for size in (1, 2, 4, 8) if port.width <= 8 * size)


def _c_type(port: Port) -> str:
    return f"uint{8 * _bytes(port)}_t"


def _type(port: Port) -> np.dtype[Any]:
    return np.dtype(f"u{_bytes(port)}")
