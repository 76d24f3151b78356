import re
from typing import Any

import pytest

from openipu.sw.graph import Graph, GraphError
from openipu.sw.program import Call, Copy, Execute, Function, If, Repeat, RepeatWhile, Sequence

GRAPH = Graph()
V = GRAPH.variable("v", (4, 2))
W = GRAPH.variable("w", 8)
FLAG = GRAPH.variable("flag", (), "uint32")
NOTHING = Sequence()
THREE: Any = 3
NONE: Any = None


def test_nodes():
    copy = Copy(V, W[::-1].reshape(4, 2), name="turn")
    assert copy.name == "turn"
    assert copy.source.shape == (4, 2)
    assert Sequence(copy, NOTHING).steps == (copy, NOTHING)
    assert isinstance(If(FLAG, NOTHING).else_, Sequence)
    assert RepeatWhile(FLAG, NOTHING, name="loop").predicate.shape == (1,)
    function = Function("f", copy)
    assert Call(function).function is function
    assert Execute(GRAPH.compute_set("cs"), name="x").name == "x"


@pytest.mark.parametrize(
    ("error", "text", "make"),
    [
        (TypeError, "Sequence step must be a program node, not 3", lambda: Sequence(THREE)),
        (TypeError, "Execute needs a ComputeSet, not 3", lambda: Execute(THREE)),
        (TypeError, "Copy source must be a Variable or View, not 3", lambda: Copy(THREE, V)),
        (TypeError, "Copy destination must be a Variable or View, not 3", lambda: Copy(V, THREE)),
        (GraphError, "Copy must have source and destination of one size and dtype, not 2 float32 "
         "of v and 8 float32 of w", lambda: Copy(V[0], W)),
        (GraphError, "Copy must have source and destination of one size and dtype, not 1 uint32 "
         "of flag and 1 float32 of w", lambda: Copy(FLAG, W[3])),
        (GraphError, "Copy destination must name each element once, but some of w repeat",
         lambda: Copy(V[0], W[:1].broadcast_to(2))),
        (TypeError, "Repeat count must be an int, not 1.5", lambda: Repeat(THREE / 2, NOTHING)),
        (ValueError, "Repeat count must be from 0 to 2**32-1, not -1",
         lambda: Repeat(-1, NOTHING)),
        (TypeError, "Repeat body must be a program node, not None", lambda: Repeat(1, NONE)),
        (TypeError, "RepeatWhile predicate must be a Variable or View, not 3",
         lambda: RepeatWhile(THREE, NOTHING)),
        (GraphError, "If predicate must be one element of int32 or uint32, not 1 of float32 (w)",
         lambda: If(W[0], NOTHING)),
        (TypeError, "If then must be a program node, not None", lambda: If(FLAG, NONE)),
        (TypeError, "Call needs a Function, not 3", lambda: Call(THREE)),
        (TypeError, "Function body must be a program node, not 3", lambda: Function("f", THREE)),
    ],
)  # fmt: skip
def test_errors(error, text, make):
    with pytest.raises(error, match=f"^{re.escape(text)}$"):
        make()
