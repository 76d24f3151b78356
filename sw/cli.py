"""The `openipu` command."""

from collections.abc import Callable
from enum import StrEnum
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

# What a command needs is imported when it runs: `--help` comes at once then.
if TYPE_CHECKING:
    from openipu.rtl.config import ChipConfig

app = typer.Typer(
    help="openipu: run models on the RTL of an IPU, and look at what it does.",
    no_args_is_help=True, pretty_exceptions_enable=False, rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)  # fmt: skip
out = Console()
err = Console(stderr=True)

FAILED, MISMATCH = 1, 3
"""Exit codes: something is wrong with what was asked for or what ran; RTL and golden differ."""


class RunBackend(StrEnum):
    """What a model runs on."""

    rtl = "rtl"
    golden = "golden"
    iss = "iss"


class ElfBackend(StrEnum):
    """What a plain program runs on."""

    rtl = "rtl"
    iss = "iss"


def user_errors(command: Callable[..., None]) -> Callable[..., None]:
    """Wrap a command so that a user's mistake is a message, and Ctrl-C ends quietly."""

    @wraps(command)
    def wrapped(*args: Any, **kwargs: Any) -> None:
        from openipu.sw.errors import USER_ERRORS

        try:
            command(*args, **kwargs)
        except USER_ERRORS as error:
            err.print("[bold red]error:[/]", end=" ")
            err.print(str(error), markup=False, highlight=False, soft_wrap=True)
            raise typer.Exit(FAILED) from None
        except KeyboardInterrupt:
            err.print("interrupted")
            raise typer.Exit(130) from None

    return wrapped


Tiles = Annotated[int | None, typer.Option(help="Tiles of the chip.", show_default="4")]
Slots = Annotated[
    int | None, typer.Option(help="Worker slots of a tile: 4 to 8.", rich_help_panel="Machine")
]
Banks = Annotated[
    int | None, typer.Option(help="Memory banks of a tile: 2 to 64.", rich_help_panel="Machine")
]
BankBytes = Annotated[
    int | None,
    typer.Option(help="Bytes of a bank: 2048 to 65536, a power of two.", rich_help_panel="Machine"),
]
BusBits = Annotated[
    int | None,
    typer.Option(help="Width of the exchange bus: 32 or 64.", rich_help_panel="Machine"),
]
Latency = Annotated[
    int | None,
    typer.Option(help="Exchange latency in cycles: 3 to 16.", rich_help_panel="Machine"),
]
Preset = Annotated[
    str, typer.Option(help="The chip that other options change.", rich_help_panel="Machine")
]
Json = Annotated[
    Path | None, typer.Option("--json", help="Write what the command found to this file.")
]
Batch = Annotated[
    int | None,
    typer.Option(
        help="Samples per run, where the model leaves that open. [default: as fit, up to 64]"
    ),
]


def chip_config(
    preset: str, tiles: int | None, slots: int | None, banks: int | None, bank_bytes: int | None,
    bus_bits: int | None, exchange_latency: int | None,
) -> "ChipConfig":  # fmt: skip
    """Return the chip that the options ask for. Raises UsageError."""
    from openipu.rtl.config import preset as find
    from openipu.sw.errors import UsageError

    tile = {"slots": slots, "banks": banks, "bank_bytes": bank_bytes, "bus_bits": bus_bits}
    chip = {"tiles": tiles, "exchange_latency": exchange_latency}
    try:
        base = find(preset)
        base = base.replace(
            tile=base.tile.replace(**{k: v for k, v in tile.items() if v is not None})
        )
        return base.replace(**{k: v for k, v in chip.items() if v is not None})
    except ValueError as error:
        raise UsageError(str(error)) from None


@app.command()
@user_errors
def run(
    model: Annotated[Path, typer.Argument(help="The ONNX model.", show_default=False)],
    inputs: Annotated[
        Path,
        typer.Option(help="An .npz file with an array per input, under its name.",
                     show_default=False),
    ],
    backend: Annotated[
        RunBackend, typer.Option(help="RTL in Verilator, the reference, or the ISS.")
    ] = RunBackend.rtl,
    compare: Annotated[
        bool,
        typer.Option("--compare", help="Compare with the reference after every superstep."),
    ] = False,
    labels: Annotated[
        str, typer.Option(help="Array of the .npz with the right answers, if it is there.")
    ] = "labels",
    samples: Annotated[
        int | None, typer.Option(help="Use only so many samples, the first ones.")
    ] = None,
    batch: Batch = None,
    output: Annotated[Path | None, typer.Option(help="Write the outputs to this .npz.")] = None,
    waves: Annotated[
        Path | None, typer.Option(help="Write waves (FST) to this file; RTL only.")
    ] = None,
    max_cycles: Annotated[
        int, typer.Option(help="Give up when a run takes more cycles than this.")
    ] = 1_000_000_000,
    json: Json = None,
    tiles: Tiles = None,
    slots: Slots = None,
    banks: Banks = None,
    bank_bytes: BankBytes = None,
    bus_bits: BusBits = None,
    exchange_latency: Latency = None,
    preset: Preset = "small",
) -> None:  # fmt: skip
    """Run an ONNX model on a simulated chip.

    Exit codes: 0, or 1 if something is wrong, or 3 if the chip and the reference differ.
    """
    from openipu.sw import runner
    from openipu.sw.errors import UsageError
    from openipu.sw.frontends.onnx import check_inputs, load
    from openipu.sw.model import compile_model, fit_model

    _at_least_one("--max-cycles", max_cycles)
    _at_least_one("--samples", samples)
    _at_least_one("--batch", batch)
    _writable(json=json, output=output, waves=waves)
    if compare and backend is RunBackend.golden:
        raise UsageError("--compare needs --backend rtl or iss: golden is the reference")
    if waves is not None and backend is not RunBackend.rtl:
        raise UsageError(f"--waves needs --backend rtl, not {backend.value}")
    config = chip_config(preset, tiles, slots, banks, bank_bytes, bus_bits, exchange_latency)
    checked = load(model)
    arrays = runner.load_arrays(inputs)
    known = arrays.pop(labels, None) if labels not in {p.name for p in checked.inputs} else None
    if known is None and labels != "labels":
        raise UsageError(f"--labels must name an array of {inputs}, not {labels!r}")
    _, count = check_inputs(checked, arrays)
    if samples is not None and samples < count:
        batched = {
            p.name for p in checked.inputs if p.shape and p.shape[0] == checked.batch
        }
        arrays = {n: a[:samples] if n in batched else a for n, a in arrays.items()}
        known = known[:samples] if known is not None else None
        count = samples
    with err.status("compiling"):
        if batch is None:
            compiled = fit_model(checked, config, count)
        else:
            compiled = compile_model(checked, config, batch=batch)
    result = runner.run_model(
        compiled, arrays, backend=backend.value, compare=compare, labels=known, waves=waves,
        max_cycles=max_cycles, console=err,
    )  # fmt: skip
    what = f"{runner.counted(config.tiles, 'tile')}, {backend.value}"
    out.print(f"{model.name} on {what}, {runner.counted(count, 'sample')}")
    runner.show(result, out)
    if output is not None:
        import numpy as np

        np.savez(output, **result.outputs)  # type: ignore[arg-type]  # its keywords aren't flags
    described = {
        "model": str(model), "backend": backend.value, "tiles": config.tiles,
        "batch": compiled.batch,
    }  # fmt: skip
    runner.write_json(json, described | result.as_json())
    if result.mismatches:
        raise typer.Exit(MISMATCH)


@app.command()
@user_errors
def info(
    model: Annotated[Path, typer.Argument(help="The ONNX model.", show_default=False)],
    batch: Batch = None,
    json: Json = None,
    tiles: Tiles = None,
    slots: Slots = None,
    banks: Banks = None,
    bank_bytes: BankBytes = None,
    bus_bits: BusBits = None,
    exchange_latency: Latency = None,
    preset: Preset = "small",
) -> None:
    """Say what a model would take: memory per tile, supersteps, estimated cycles. Runs nothing."""
    from openipu.sw.frontends.onnx import load
    from openipu.sw.model import DEFAULT_BATCH, compile_model, fit_model
    from openipu.sw.profile.info import describe, tables
    from openipu.sw.runner import write_json

    _at_least_one("--batch", batch)
    _writable(json=json)
    config = chip_config(preset, tiles, slots, banks, bank_bytes, bus_bits, exchange_latency)
    checked = load(model)
    with err.status("compiling"):
        if batch is None:
            compiled = fit_model(checked, config, DEFAULT_BATCH)
        else:
            compiled = compile_model(checked, config, batch=batch)
    for part in tables(compiled):
        out.print(part)
    write_json(json, describe(compiled))


@app.command()
@user_errors
def verilog(
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder to write to.")],
    json: Json = None,
    trace: Annotated[
        bool, typer.Option("--trace", help="Give tiles the retirement trace port.")
    ] = False,
    tiles: Tiles = None,
    slots: Slots = None,
    banks: Banks = None,
    bank_bytes: BankBytes = None,
    bus_bits: BusBits = None,
    exchange_latency: Latency = None,
    preset: Preset = "small",
) -> None:
    """Write the Verilog of a chip."""
    from openipu.rtl.emit import emit
    from openipu.sw.errors import UsageError
    from openipu.sw.runner import write_json

    config = chip_config(preset, tiles, slots, banks, bank_bytes, bus_bits, exchange_latency)
    if trace:
        config = config.replace(tile=config.tile.replace(trace=True))
    _writable(json=json)
    if output.exists() and not output.is_dir():
        raise UsageError(f"--output must be a folder, not the file {output}")
    with err.status(f"generating the Verilog of {config.tiles} tiles"):
        texts = emit(config)
    output.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (output / name).write_text(text)
    size = sum(len(text) for text in texts.values())
    out.print(f"{config.tiles} tiles: {len(texts)} files, {size:,} bytes in {output}")
    write_json(json, {"tiles": config.tiles, "files": sorted(texts), "bytes": size})


@app.command()
@user_errors
def elf(
    program: Annotated[
        Path, typer.Argument(help="A bare-metal RV32IMF ELF file.", show_default=False)
    ],
    backend: Annotated[
        ElfBackend, typer.Option(help="RTL in Verilator, or the ISS.")
    ] = ElfBackend.rtl,
    busy: Annotated[
        bool, typer.Option("--busy", help="Keep all other workers of the tile busy meanwhile.")
    ] = False,
    signature: Annotated[
        Path | None,
        typer.Option(help="Write begin_signature to end_signature to this file, as hex words."),
    ] = None,
    max_cycles: Annotated[
        int, typer.Option(help="Give up after this many cycles.")
    ] = 20_000_000,
    json: Json = None,
) -> None:
    """Run a plain RISC-V program on one tile.

    It ends by writing to the symbol `tohost`: 1 is success, another odd value failure number
    value >> 1. Exit codes: 0 for success, 1 for anything else.
    """
    from openipu.cosim.elf import Outcome, run_elf
    from openipu.sw.runner import write_json

    _at_least_one("--max-cycles", max_cycles)
    _writable(json=json, signature=signature)
    with err.status(f"running {program.name} on {backend.value}") as status:
        result = run_elf(
            program, backend=backend.value, busy=busy, max_cycles=max_cycles, signature=signature,
            progress=lambda cycles: status.update(
                f"running {program.name} on {backend.value}: cycle {cycles:,}"
            ),
        )  # fmt: skip
    out.print(
        f"{program.name}: {result.message} after {result.cycles:,} cycles", markup=False,
        highlight=False, soft_wrap=True,
    )  # fmt: skip
    write_json(json, {
        "program": str(program), "backend": backend.value, "busy": busy,
        "outcome": result.outcome.value, "number": result.number, "cycles": result.cycles,
        "message": result.message, "signature": result.signature,
    })  # fmt: skip
    if result.outcome is not Outcome.PASSED:
        raise typer.Exit(FAILED)


def _writable(**files: Path | None) -> None:
    """Check before the work begins that its results can go where they are wanted."""
    from openipu.sw.errors import UsageError

    for option, path in files.items():
        if path is not None and (path.is_dir() or not path.parent.is_dir()):
            raise UsageError(f"--{option} must be a file in a folder that exists, not {path}")


def _at_least_one(option: str, value: int | None) -> None:
    from openipu.sw.errors import UsageError

    if value is not None and value < 1:
        raise UsageError(f"{option} must be at least 1, not {value}")


def main() -> None:
    """Run the command line."""
    app(prog_name="openipu")


if __name__ == "__main__":
    main()
