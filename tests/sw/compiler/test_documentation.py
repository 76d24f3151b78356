import re
from pathlib import Path

import numpy as np

DOCS = Path(__file__).parents[3] / "docs"


def test_the_guides_example_does_what_it_says(run, capsys):
    (code,) = re.findall(r"```python\n(.*?)```", (DOCS / "user" / "graphs.md").read_text(), re.S)
    names: dict = {}
    exec(code, names)
    assert "move Estimate(" in capsys.readouterr().out
    machine = run(names["graph"], names["program"], names["executable"].config)
    expected = np.roll(np.arange(32).reshape(4, 8), 3, axis=0)
    np.testing.assert_array_equal(machine.read(names["x"]).reshape(4, 8), expected)
