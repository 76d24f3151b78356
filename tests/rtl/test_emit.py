import json
import re

import pytest

from openipu.rtl.config import ChipConfig, TileConfig
from openipu.rtl.emit import emit

# Every unit is there, the smallest of its kind.
CONFIG = ChipConfig(
    tiles=2, tile=TileConfig(slots=4, banks=2, bank_bytes=8192, amp_outputs=4, amp_depth=8)
)


@pytest.fixture(scope="module")
def texts():
    return emit(CONFIG)


def test_every_signal_has_a_name(texts):
    for name, text in texts.items():
        assert not re.search(r"\\\$signal\S*", text), name


def test_ports_are_as_the_description_says(texts):
    description = json.loads(texts["openipu.json"])
    assert description["parameters"]["tile"]["slots"] == 4
    for module, ports in description["modules"].items():
        header = re.search(rf"^module {module}\((.*?)\);", texts[f"{module}.v"], re.M | re.S)
        assert header, module
        assert set(re.findall(r"\w+", header[1])) - {"clk", "rst"} == set(ports)
        for port, about in ports.items():
            declared = re.search(
                rf"^  {about['direction']} (\[(\d+):0\] )?{port};", texts[f"{module}.v"], re.M
            )
            assert declared, f"{module}.{port}"
            assert int(declared[2] or 0) + 1 == about["width"], f"{module}.{port}"


def test_files_are_those_returned(tmp_path, texts):
    other = CONFIG.replace(tile=CONFIG.tile.replace(simd=False, amp_outputs=0))
    folder = tmp_path / "new" / "folder"
    folder.mkdir(parents=True)
    (folder / "mine.txt").write_text("kept")
    written = emit(other, folder)
    found = {path.name: path.read_text() for path in folder.iterdir()}
    assert found == written | {"mine.txt": "kept"}
    assert set(texts) - set(written) == {"openipu_simd.v", "openipu_amp_datapath.v"}
