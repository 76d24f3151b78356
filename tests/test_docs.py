"""The documentation says what is: links, folders, commands, sizes, counters, the picture."""

import dataclasses
import inspect
import re
import subprocess
from pathlib import Path

import pytest

from docs import picture
from openipu.rtl import layouts
from openipu.rtl.config import KIB, PRESETS, ChipConfig, TileConfig

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").rglob("*.md"))]


def page_name(page: Path) -> str:
    return str(page.relative_to(ROOT))


def table(page: str, heading: str) -> list[list[str]]:
    """Return the cells of the first table under a heading, without its head."""
    text = (ROOT / "docs" / page).read_text().split(f"{heading}\n", 1)[1]
    rows = re.search(r"(?:^\|.*\n?)+", text, re.M)
    assert rows, f"{page}: no table under {heading}"
    cells = [[c.strip(" `") for c in line.split("|")[1:-1]] for line in rows[0].splitlines()]
    return cells[2:]


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)]+)\)", page.read_text()):
        if not target.startswith("https://"):
            name, _, anchor = target.partition("#")
            file = (page.parent / name) if name else page
            assert file.exists(), target
            if anchor:
                heads = re.findall(r"^#+ (.*)", file.read_text().lower(), re.M)
                assert anchor in {re.sub(r"[^\w -]", "", h).replace(" ", "-") for h in heads}


def test_every_page_is_in_the_index() -> None:
    index = (ROOT / "docs" / "index.md").read_text()
    pages = {p.relative_to(ROOT / "docs").as_posix() for p in (ROOT / "docs").rglob("*.md")}
    assert not [page for page in pages - {"index.md"} if f"]({page})" not in index]


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_make_targets_exist(page: Path) -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.M))
    used = set(re.findall(r"(?:`|^)make ([a-z-]+)\b", page.read_text(), re.M))
    assert used <= targets


def test_folders_are_listed_and_exist() -> None:
    listed = {row[0] for row in table("developer/structure.md", "# Folders")}
    assert all((ROOT / path).is_dir() for path in listed)
    git = ["git", "-c", "safe.directory=*", "ls-files"]
    files = subprocess.run(git, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    there = {f"{parent}/" for name in files.splitlines() for parent in Path(name).parents}
    mirrored = ("tests/", "examples/", ".ci/")
    there = {p for p in there if p != "./" and (p in mirrored or not p.startswith(mirrored))}
    assert listed == there


@pytest.mark.parametrize("record", [TileConfig, ChipConfig])
def test_configuration_fields(record: type) -> None:
    rows = {row[0]: row[1] for row in table("reference/configuration.md", f"## {record.__name__}")}
    default = record()
    fields = {field.name: getattr(default, field.name) for field in dataclasses.fields(default)}
    assert rows == {
        name: "TileConfig()" if name == "tile" else str(value) for name, value in fields.items()
    }


def test_presets() -> None:
    rows = [row[:3] for row in table("reference/configuration.md", "## Presets")]
    assert rows == [
        [name, str(chip.tiles), f"{chip.tile.memory_bytes // KIB} KiB"]
        for name, chip in PRESETS.items()
    ]


def test_counters() -> None:
    source = inspect.getsource(layouts.Events)
    events = re.findall(r'    (\w+): unsigned\(1\)\n    """(.*?)"""', source, re.S)
    assert events
    assert table("reference/memory_map.md", "### Counters") == [
        [str(i), name, " ".join(text.split())] for i, (name, text) in enumerate(events)
    ]


def test_picture_is_up_to_date() -> None:
    assert (ROOT / "docs" / "machine.svg").read_text() == picture.picture(), "run `make docs`"
