"""The `openipu` command: what it prints and writes, and that mistakes are messages."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from typer.testing import CliRunner

from openipu.sw import cli

ROOT = Path(__file__).resolve().parents[2]
DIGITS = ROOT / "examples" / "digits"
MODEL, INPUTS = DIGITS / "digits_mlp.onnx", DIGITS / "digits_test.npz"


def invoke(*arguments: Any) -> Any:
    return CliRunner().invoke(cli.app, [str(argument) for argument in arguments])


def figures(path: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(path.read_text())
    return content


def fails(message: str, *arguments: Any) -> None:
    """Check that the command ends with exit code 1 and a message, in one line or more."""
    result = invoke(*arguments)
    assert result.exit_code == 1, result.output
    assert isinstance(result.exception, SystemExit), "a traceback"
    assert "error: " in result.output
    assert message in " ".join(result.output.split()), result.output


class TestRun:
    def test_golden(self, tmp_path: Path) -> None:
        out, outputs = tmp_path / "out.json", tmp_path / "out.npz"
        result = invoke("run", MODEL, "--inputs", INPUTS, "--backend", "golden", "--tiles", 3,
                        "--json", out, "--output", outputs)  # fmt: skip
        assert result.exit_code == 0, result.output
        assert "accuracy: 349 of 360 (96.94%)" in result.output
        found = figures(out)
        assert found["accuracy"] == 349 / 360
        assert found["mismatches"] is None
        assert found["tiles"] == 3
        logits = np.load(outputs)["logits"]
        assert logits.shape == (360, 10)
        assert logits.argmax(axis=1).tolist() == found["predictions"]

    def test_iss_compared(self, tmp_path: Path) -> None:
        out = tmp_path / "out.json"
        result = invoke("run", MODEL, "--inputs", INPUTS, "--backend", "iss", "--compare",
                        "--samples", 3, "--batch", 2, "--tiles", 2, "--json", out)  # fmt: skip
        assert result.exit_code == 0, result.output
        found = figures(out)
        assert found["mismatches"] == 0
        assert found["words_compared"] > 0
        assert found["supersteps"] > 4
        assert found["cycles"] > 1000
        assert len(found["predictions"]) == found["samples"] == 3

    def test_mismatch_has_an_exit_code_of_its_own(self, monkeypatch: pytest.MonkeyPatch) -> None:
        from openipu.sw.codelets.streams import UNARY

        def wrong(*, x: Any, y: Any) -> None:
            y[...] = x

        monkeypatch.setitem(UNARY["relu", "float32"].__dict__, "reference", wrong)
        result = invoke("run", MODEL, "--inputs", INPUTS, "--backend", "iss", "--compare",
                        "--samples", 2, "--tiles", 1)  # fmt: skip
        assert result.exit_code == 3, result.output
        assert "first mismatch: superstep 1, tile 0, vertex relu/relu_f32[" in result.output

    def test_mistakes(self, tmp_path: Path) -> None:
        run = ("run", MODEL, "--inputs", INPUTS, "--backend", "golden")
        fails("ChipConfig tiles must be from 1 to 2048, not 0", *run, "--tiles", 0)
        fails("ChipConfig tiles must be from 1 to 2048, not -3", *run, "--tiles", -3)
        fails("ChipConfig tiles must be from 1 to 2048, not 5000", *run, "--tiles", 5000)
        fails("TileConfig slots must be from 4 to 8, not 3", *run, "--slots", 3)
        fails("preset must be one of small, test, gc2, gc200, not 'huge'", *run, "--preset", "huge")
        fails("--compare needs --backend rtl or iss", *run, "--compare")
        fails("--waves needs --backend rtl, not golden", *run, "--waves", tmp_path / "x.fst")
        fails("--max-cycles must be at least 1, not 0", *run, "--max-cycles", 0)
        fails("--samples must be at least 1, not 0", *run, "--samples", 0)
        fails("--batch must be at least 1, not -1", *run, "--batch", -1)
        fails("--labels must name an array of", *run, "--labels", "answers")
        fails("--json must be a file in a folder that exists", *run, "--json", tmp_path)
        fails("--output must be a file", *run, "--output", tmp_path / "none" / "out.npz")
        fails("a folder", "info", tmp_path)
        fails("there is no such file", "run", tmp_path / "none.onnx", "--inputs", INPUTS)
        fails("there is no such file", "run", MODEL, "--inputs", tmp_path / "none.npz")
        fails("is no valid .npz file", "run", MODEL, "--inputs", MODEL)
        fails("is no ONNX model, or a truncated one", "run", INPUTS, "--inputs", INPUTS)

    def test_input_mistakes(self, tmp_path: Path) -> None:
        file = tmp_path / "in.npz"
        cases: list[tuple[dict[str, Any], str]] = [
            ({"images": np.zeros((2, 64), np.float32)}, "input pixels is missing"),
            ({"pixels": np.zeros((2, 8, 8), np.float32)}, "not of shape [2, 8, 8]"),
            ({"pixels": np.zeros((2, 64), np.uint8)},
             "input must be pixels: float32 [N, 64], not uint8"),
            ({"pixels": np.zeros((2, 64), np.float32), "labels": np.zeros(3, np.int64)},
             "labels must have shape [2], not [3]"),
        ]  # fmt: skip
        for arrays, message in cases:
            np.savez(file, **arrays)
            fails(message, "run", MODEL, "--inputs", file, "--backend", "golden")
        np.save(tmp_path / "in.npy", np.zeros(2))
        fails("must be an .npz file", "run", MODEL, "--inputs", tmp_path / "in.npy")

    def test_cycle_limit(self) -> None:
        fails("no rest within the limit of 100 cycles", "run", MODEL, "--inputs", INPUTS,
              "--backend", "iss", "--samples", 2, "--max-cycles", 100)  # fmt: skip

    def test_model_that_does_not_fit(self, tmp_path: Path) -> None:
        weights = np.zeros((64, 5000), np.float32)
        graph = helper.make_graph(
            [helper.make_node("MatMul", ["pixels", "big"], ["y"])],
            "big",
            [helper.make_tensor_value_info("pixels", TensorProto.FLOAT, ["N", 64])],
            [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["N", 5000])],
            [numpy_helper.from_array(weights, "big")],
        )
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        onnx.save(model, tmp_path / "big.onnx")
        run = ("run", tmp_path / "big.onnx", "--inputs", INPUTS, "--backend", "golden")
        fails("is out of memory: it needs", *run, "--tiles", 2)
        fails("big", *run, "--tiles", 2)


def test_info(tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    result = invoke("info", MODEL, "--tiles", 5, "--json", out)
    assert result.exit_code == 0, result.output
    for text in ("pixels: float32 [N, 64]", "memory per tile", "estimated cycles", "hidden"):
        assert text in result.output
    found = figures(out)
    assert found["tiles"] == len(found["memory_used"]) == 5
    assert all(0 < used <= found["memory_bytes"] for used in found["memory_used"])
    assert found["estimated_cycles"] == sum(
        s["compute"] + s["exchange"] + s["sync"] for s in found["steps"]
    )


def test_verilog(tmp_path: Path) -> None:
    result = invoke("verilog", "--tiles", 2, "-o", tmp_path / "v", "--json", tmp_path / "out.json")
    assert result.exit_code == 0, result.output
    written = sorted(path.name for path in (tmp_path / "v").iterdir())
    assert figures(tmp_path / "out.json")["files"] == written
    assert {"openipu_tile.v", "openipu_chip.v"} <= set(written)
    (tmp_path / "file").touch()
    fails("--output must be a folder", "verilog", "-o", tmp_path / "file")


class TestElf:
    @pytest.fixture(scope="class")
    @staticmethod
    def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
        folder = tmp_path_factory.mktemp("elf")
        source, script, made = folder / "p.S", folder / "link.ld", folder / "p.elf"
        linker = ROOT / "tests" / "cosim" / "programs" / "link.ld"
        script.write_text(linker.read_text().replace("BASE", "0x80000000"))
        source.write_text(
            ".globl _start, tohost, begin_signature, end_signature\n"
            "_start: la t0, begin_signature\n li t1, 0x1234\n sw t1, 0(t0)\n"
            " la t0, tohost\n li t1, 1\n sw t1, 0(t0)\n1: j 1b\n"
            ".data\n.balign 8\ntohost: .dword 0\nbegin_signature: .word 0, 7\nend_signature:\n"
        )
        cache = str(ROOT / "build" / "zig-cache")
        subprocess.run(
            [sys.executable, "-m", "ziglang", "cc", "-target", "riscv32-freestanding-none",
             "-mcpu=generic_rv32+m+f-c-d-a", "-mabi=ilp32f", "-nostdlib", "-static",
             f"-Wl,-T,{script}", str(source), "-o", str(made)],
            check=True,
            env=os.environ | {"ZIG_GLOBAL_CACHE_DIR": cache, "ZIG_LOCAL_CACHE_DIR": cache},
        )  # fmt: skip
        return made

    def test_passes(self, program: Path, tmp_path: Path) -> None:
        signature, out = tmp_path / "sig", tmp_path / "out.json"
        result = invoke("elf", program, "--backend", "iss", "--signature", signature, "--json", out)
        assert result.exit_code == 0, result.output
        assert "passed" in result.output
        assert signature.read_text() == "00001234\n00000007\n"
        assert figures(out)["outcome"] == "passed"

    def test_passes_among_busy_workers(self, program: Path, tmp_path: Path) -> None:
        out = tmp_path / "out.json"
        result = invoke("elf", program, "--backend", "iss", "--busy", "--json", out)
        assert result.exit_code == 0, result.output
        assert figures(out)["outcome"] == "passed" and figures(out)["busy"]

    def test_mistakes(self, program: Path, tmp_path: Path) -> None:
        fails("", "elf", tmp_path / "none.elf", "--backend", "iss")
        (tmp_path / "cut.elf").write_bytes(program.read_bytes()[:200])
        fails("cut.elf", "elf", tmp_path / "cut.elf", "--backend", "iss")
        fails("digits_mlp.onnx", "elf", MODEL, "--backend", "iss")
        fails("--max-cycles must be at least 1", "elf", program, "--max-cycles", 0)


def test_help_explains_every_command() -> None:
    for command in ("run", "info", "verilog", "elf"):
        result = invoke(command, "--help")
        assert result.exit_code == 0
        assert "Usage" in result.output


def test_usage_mistakes_have_exit_code_2() -> None:
    for arguments in (("run", MODEL), ("run",), ("fly",), ("info", MODEL, "--tiles", "many")):
        assert invoke(*arguments).exit_code == 2
