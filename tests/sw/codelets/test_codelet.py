import re
from typing import Any

import pytest

from openipu.sw.codelets.codelet import (
    Codelet,
    Derived,
    Field,
    InOut,
    Input,
    Output,
    Scalar,
    all_codelets,
    lookup,
    register,
)

THREE: Any = 3


def codelet(*fields, name="test_codelet"):
    return Codelet(name, fields, "x.c", lambda **_: None, lambda **sizes: sizes["x"] * 2)


def test_kinds():
    assert [(kind.reads, kind.writes) for kind in (Input, Output, InOut)] == [
        (True, False),
        (False, True),
        (True, True),
    ]


def test_parts():
    made = codelet(
        Field("x", Input), Field("y", Output, "int32"), Scalar("n"), Scalar("f", "f32"),
        Derived("words", lambda x, **_: x // 2),
    )  # fmt: skip
    assert [item.name for item in made.vectors] == ["x", "y"]
    assert [item.name for item in made.scalars] == ["n", "f"]
    assert [item.name for item in made.derived] == ["words"]
    assert made.struct_bytes == 28
    assert made.issues({"x": 5, "y": 5}, {"n": 1, "f": 1}) == 10
    assert made.issues({"x": 0, "y": 0}, {"n": 1, "f": 1}) == 1


@pytest.mark.parametrize(
    ("error", "text", "make"),
    [
        (TypeError, "Field name must be a str, not 3", lambda: Field(THREE, Input)),
        (ValueError, "Field name must be a lower-case identifier, not 'X'",
         lambda: Field("X", Input)),
        (TypeError, "Field kind must be Input, Output or InOut, not 3",
         lambda: Field("x", THREE)),
        (ValueError, "Field dtype must be one of float32, float16, int32, uint32, not 'f32'",
         lambda: Field("x", Input, "f32")),
        (ValueError, "Scalar dtype must be one of u32, i32, f32, not 'float32'",
         lambda: Scalar("x", "float32")),
        (ValueError, "codelet test_codelet: fields must have distinct names, not ['x', 'x']",
         lambda: codelet(Field("x", Input), Scalar("x"))),
        (ValueError, "codelet test_codelet: vector fields must come before tables, those before "
         "scalars, and those before derived words",
         lambda: codelet(Scalar("n"), Field("x", Input))),
        (ValueError, "codelet test_codelet: x and what it is apart from must be streamed fields, "
         "not y",
         lambda: codelet(Field("x", Input, streamed=True, apart_from=("y",)), Field("y", Output))),
        (ValueError, "Codelet name must be a lower-case identifier, not '3'",
         lambda: codelet(name="3")),
        (ValueError, "codelet 'copy_words' is already registered",
         lambda: all_codelets() and register(codelet(name="copy_words"))),
    ],
)  # fmt: skip
def test_errors(error, text, make):
    with pytest.raises(error, match=f"^{re.escape(text)}$"):
        make()


def test_lookup():
    assert lookup("copy_words") is all_codelets()["copy_words"]
    assert list(all_codelets()) == sorted(all_codelets())
    with pytest.raises(ValueError, match=r"^codelet must be one of .*copy_words.*, not 'nothing'$"):
        lookup("nothing")
