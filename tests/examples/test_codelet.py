"""The example of a codelet of one's own, on the instruction-level model and on the RTL."""

import re

import numpy as np
import pytest

from examples.codelet import squared_error
from openipu.rtl.config import ChipConfig, TileConfig
from openipu.sw.compiler import headers

# The chip of tests/sw/codelets, so that all use one simulator.
CONFIG = ChipConfig(tile=TileConfig(banks=24))


@pytest.mark.parametrize("dtype", ["float16", "float32"])
@pytest.mark.parametrize(("count", "backend"), [(4, "iss"), (252, "iss"), (252, "rtl")])
def test_equals_the_reference(dtype: str, count: int, backend: str) -> None:
    executable = squared_error.build(dtype, count, CONFIG)
    random = np.random.default_rng(count)
    shape = CONFIG.tile.slots, count
    a, b = (random.normal(size=shape).astype(dtype) for _ in range(2))
    a[0, :4] = np.nan, np.inf, -np.inf, 0
    b[0, :4] = 1, np.inf, 1, 1e-7
    a[1, :4] = 200
    y = squared_error.run(executable, backend, a, b)
    np.testing.assert_array_equal(y, squared_error.run(executable, "golden", a, b))
    assert np.isnan(y[0, :2]).all() and np.isinf(y[0, 2])
    with np.errstate(all="ignore"):
        exact = (a.astype(np.float64) - b) ** 2 * 0.5
    tolerance = 4 * float(np.finfo(dtype).eps)
    rows = exact[2:]
    np.testing.assert_allclose(y[2:], rows, rtol=tolerance, atol=tolerance)


def test_sources_have_the_fields_where_the_compiler_puts_them() -> None:
    c = (squared_error.FOLDER / "squared_error.c").read_text()
    struct = headers._struct(squared_error.CODELETS["float32"])
    assert "\n".join(struct[:-1]) in c
    assembly = (squared_error.FOLDER / "squared_error.S").read_text()
    found = dict(re.findall(r"\.set +(\S+), (\d+)", assembly))
    offsets = headers._offsets(squared_error.CODELETS["float16"])
    places = dict(re.findall(r"\.set (\S+), (\d+)", "\n".join(offsets)))
    assert len(found) == 5 and found.items() <= places.items()


def test_command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.argv", ["squared_error.py", "--count", "8"])
    assert squared_error.main() == 0
    out = capsys.readouterr().out
    assert "iss: 2 supersteps" in out and "greatest error" in out


def test_the_guide_shows_what_the_files_have() -> None:
    guide = squared_error.FOLDER.parents[1] / "docs" / "user" / "codelets.md"
    shown = re.findall(r"```(python|c|asm)\n(.*?)\n```", guide.read_text(), re.S)
    files = {"python": "squared_error.py", "c": "squared_error.c", "asm": "squared_error.S"}
    assert {language for language, _ in shown} == set(files)
    for language, code in shown:
        assert code in (squared_error.FOLDER / files[language]).read_text()
