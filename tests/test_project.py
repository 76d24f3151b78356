"""The project as a whole: packaging, make, what may be in a tracked file."""

import ast
import importlib.metadata
import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("rtl", "cosim", "sw", "firmware")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def tracked() -> list[Path]:
    """Return the repository's files, relative to its root."""
    git = ["git", "-c", "safe.directory=*", "ls-files", "-z", "--cached"]
    names = subprocess.run(git, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [Path(name) for name in names.split("\0") if name and (ROOT / name).is_file()]


FILES = tracked()


class TestPackages:
    @pytest.mark.parametrize("name", PACKAGES)
    def test_bare_import_is_refused(self, name: str) -> None:
        done = subprocess.run(
            [sys.executable, "-c", f"import {name}"],
            cwd=ROOT, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 1
        last = done.stderr.splitlines()[-1]
        assert last == f"ImportError: import openipu.{name}, not a bare {name}"

    def test_every_folder_with_python_is_a_package(self) -> None:
        folders = {f.parent for f in FILES if f.suffix == ".py" and f.parts[0] in PACKAGES}
        assert folders
        assert not [str(folder) for folder in folders if folder / "__init__.py" not in FILES]

    def test_tests_are_no_packages(self) -> None:
        assert not [str(f) for f in FILES if f.parts[0] == "tests" and f.name == "__init__.py"]

    def test_wheel_holds_every_file(self, tmp_path: Path) -> None:
        source = tmp_path / "source"
        for file in FILES:
            (source / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / file, source / file)
        done = subprocess.run(
            [sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check",
             "--no-build-isolation", "--no-deps", "--no-index", "-w", str(tmp_path), str(source)],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        (wheel,) = tmp_path.glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            held = {name for name in archive.namelist() if ".dist-info/" not in name}
        assert held == {
            f"openipu/{file}" for file in FILES if file.parts[0] in PACKAGES
        }

    def test_installed_version_is_the_project_s(self) -> None:
        assert importlib.metadata.version("openipu") == PROJECT["version"]


class TestDependencies:
    def test_each_has_a_reason(self) -> None:
        text = (ROOT / "pyproject.toml").read_text()
        lists = [PROJECT["dependencies"], *PROJECT["optional-dependencies"].values()]
        for requirement in (item for items in lists for item in items):
            assert re.search(rf'^    "{re.escape(requirement)}", +# \w+', text, re.M), requirement

    def test_each_has_bounds(self) -> None:
        for requirement in PROJECT["dependencies"]:
            assert "==" in requirement or ("<" in requirement and ">=" in requirement), requirement

    def test_what_packages_import_is_declared(self) -> None:
        imports = set()
        for file in (f for f in FILES if f.suffix == ".py" and f.parts[0] in PACKAGES):
            for node in ast.walk(ast.parse((ROOT / file).read_text())):
                if isinstance(node, ast.Import):
                    imports |= {alias.name.split(".")[0] for alias in node.names}
                elif isinstance(node, ast.ImportFrom):
                    assert node.level == 0 and node.module, f"{file}: relative import"
                    imports.add(node.module.split(".")[0])
        names = {re.split(r"[<>=\[]", item)[0] for item in PROJECT["dependencies"]}
        modules = {
            "cocotb": ("cocotb", "cocotb_tools"), "cocotbext-axi": ("cocotbext",),
            "protobuf": ("google",), "pyelftools": ("elftools",),
        }  # fmt: skip
        declared = {
            module for name in names for module in modules.get(name, (name.replace("-", "_"),))
        }
        assert imports - declared - sys.stdlib_module_names - {"openipu"} == set()


class TestTrackedFiles:
    def test_nothing_names_this_machine(self) -> None:
        folders = "|".join(("home", "root", "tmp", "work", "Users", "mnt"))
        place = re.compile(rf"(?<![\w.~-])/(?:{folders})/\w+|localhost|\b\w+\.(?:internal|lan)\b")
        found = []
        for file in FILES:
            if file.suffix not in (".onnx", ".npz") and file != Path("tests/test_project.py"):
                for number, line in enumerate((ROOT / file).read_text().splitlines(), 1):
                    found += [f"{file}:{number}: {hit[0]}" for hit in place.finditer(line)]
        assert not found

    def test_nothing_built_is_tracked(self) -> None:
        built = {".o", ".elf", ".pyc", ".so", ".fst", ".vcd", ".whl"}
        assert not [str(f) for f in FILES if f.suffix in built or f.parts[0] in ("build", ".venv")]

    def test_text_ends_with_one_newline_and_has_no_trailing_blanks(self) -> None:
        wrong = []
        for file in FILES:
            if file.suffix in (".py", ".md", ".c", ".h", ".S", ".toml", ".v", ".cpp"):
                text = (ROOT / file).read_text()
                if text and (not text.endswith("\n") or re.search(r"[ \t]$", text, re.M)):
                    wrong.append(str(file))
        assert not wrong


class TestMake:
    @pytest.fixture
    def checkout(self, tmp_path: Path) -> Path:
        shutil.copy(ROOT / "Makefile", tmp_path)
        shutil.copy(ROOT / "pyproject.toml", tmp_path)
        return tmp_path

    def make(self, folder: Path, *words: str, path: str) -> subprocess.CompletedProcess[str]:
        command = [shutil.which("make") or "make", "--no-print-directory", *words]
        environment = {**os.environ, "PATH": path, "MAKEFLAGS": ""}
        return subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, check=False
        )

    def tools(self, folder: Path, *names: str) -> str:
        """Return a PATH with nothing but sh and these tools."""
        for name in ("sh", *names):
            (folder / "bin").mkdir(exist_ok=True)
            (folder / "bin" / name).symlink_to(shutil.which(name) or name)
        return str(folder / "bin")

    def test_help_lists_every_target(self, checkout: Path) -> None:
        (phony,) = re.findall(r"^\.PHONY: (.*)", (ROOT / "Makefile").read_text(), re.M)
        shown = self.make(checkout, "help", path=os.environ["PATH"]).stdout
        assert {line.split()[0] for line in shown.splitlines()} == set(phony.split())

    def test_old_python(self, checkout: Path) -> None:
        old = checkout / "old-python"
        old.write_text("#!/bin/sh\nexit 1\n")
        old.chmod(0o755)
        done = self.make(checkout, "demo", f"PYTHON={old}", path=os.environ["PATH"])
        assert done.returncode != 0
        assert f"openipu needs Python 3.11 or newer as {old}; name another" in done.stderr
        assert not (checkout / ".venv").exists()

    @pytest.mark.parametrize("missing", ["g++", "perl"])
    def test_missing_tool(self, checkout: Path, missing: str) -> None:
        path = self.tools(checkout, *({"g++", "perl"} - {missing}))
        done = self.make(checkout, "demo", f"PYTHON={sys.executable}", path=path)
        assert done.returncode != 0
        assert f"openipu needs {missing}; on Debian or Ubuntu: apt install" in done.stderr
        assert not (checkout / ".venv").exists()


class TestContinuousIntegration:
    @pytest.mark.parametrize(("failing", "code"), [("none", 0), ("lint", 2), ("test", 2)])
    def test_fails_when_a_step_fails(self, tmp_path: Path, failing: str, code: int) -> None:
        (tmp_path / ".ci").mkdir()
        shutil.copy(ROOT / ".ci" / "run", tmp_path / ".ci")
        (tmp_path / "Makefile").write_text(
            "lint test:\n\t@echo made $@ && test $@ != " + failing + "\n"
        )
        done = subprocess.run(
            [tmp_path / ".ci" / "run"],
            cwd="/", env={**os.environ, "MAKEFLAGS": ""}, capture_output=True, text=True,
            check=False,
        )  # fmt: skip
        assert done.returncode == code
        assert done.stdout.splitlines()[:2] == ["made lint", "made test"][: 1 + (failing != "lint")]
