import re

import pytest

from openipu.sw.graph import Graph, GraphError
from openipu.sw.program import Call, Copy, Execute, Function, If, Repeat, RepeatWhile, Sequence

GRAPH = Graph()
V = GRAPH.variable("v", (4, 2))
W = GRAPH.variable("w", 8)
FLAG = GRAPH.variable("flag", (), "uint32")
NOTHING = Sequence()


def test_nodes():
    copy = Copy(V, W[::-1].reshape(4, 2), name="turn")
    assert copy.name == "turn"
    assert copy.source.shape == (4, 2)
    assert Sequence(copy, NOTHING).steps == (copy, NOTHING)
    assert If(FLAG, NOTHING).else_.steps == ()
    assert RepeatWhile(FLAG, NOTHING, name="loop").predicate.shape == (1,)
    function = Function("f", copy)
    assert Call(function).function is function
    assert Execute(GRAPH.compute_set("cs"), name="x").name == "x"


@pytest.mark.parametrize(
    ("error", "text", "make"),
    [
        (TypeError, "Sequence step must be a program node, not 3", lambda: Sequence(3)),
        (TypeError, "Execute needs a ComputeSet, not 3", lambda: Execute(3)),
        (TypeError, "Copy source must be a Variable or View, not 3", lambda: Copy(3, V)),
        (TypeError, "Copy destination must be a Variable or View, not 3", lambda: Copy(V, 3)),
        (GraphError, "Copy must have source and destination of one size and dtype, not 2 float32 "
         "of v and 8 float32 of w", lambda: Copy(V[0], W)),
        (GraphError, "Copy must have source and destination of one size and dtype, not 1 uint32 "
         "of flag and 1 float32 of w", lambda: Copy(FLAG, W[3])),
        (GraphError, "Copy destination must name each element once, but some of w repeat",
         lambda: Copy(V[0], W[:1].broadcast_to(2))),
        (TypeError, "Repeat count must be an int, not 1.5", lambda: Repeat(1.5, NOTHING)),
        (ValueError, "Repeat count must be from 0 to 2**32-1, not -1",
         lambda: Repeat(-1, NOTHING)),
        (TypeError, "Repeat body must be a program node, not None", lambda: Repeat(1, None)),
        (TypeError, "RepeatWhile predicate must be a Variable or View, not 1",
         lambda: RepeatWhile(1, NOTHING)),
        (GraphError, "If predicate must be one element of int32 or uint32, not 1 of float32 (w)",
         lambda: If(W[0], NOTHING)),
        (TypeError, "If then must be a program node, not None", lambda: If(FLAG, None)),
        (TypeError, "Call needs a Function, not Sequence", lambda: Call(Sequence)),
        (TypeError, "Function body must be a program node, not 1", lambda: Function("f", 1)),
    ],
)  # fmt: skip
def test_errors(error, text, make):
    if text.endswith("not Sequence"):
        text = f"Call needs a Function, not {Sequence!r}"
    with pytest.raises(error, match=f"^{re.escape(text)}$"):
        make()
