import numpy as np

from openipu.cosim.golden.iss import ChipISS
from openipu.rtl.config import ChipConfig
from openipu.sw.codelets.copy_words import copy_words
from openipu.sw.compiler import compile
from openipu.sw.compiler.codegen import JOB_ISSUES
from openipu.sw.graph import Graph
from openipu.sw.program import Execute


def test_lengths_and_estimate():
    """Every remainder; the estimate is what the model counts, but for the call."""
    graph = Graph()
    lengths = [0, 1, 2, 3, 4, 5, 7, 8, 31, 32, 33]
    total = sum(lengths)
    value = np.random.default_rng(3).integers(1 << 32, size=total, dtype=np.uint32)
    a = graph.constant("a", value).map(0)
    b = graph.variable("b", total, "uint32").map(0)
    ends = np.cumsum(lengths)
    spans = [slice(end - n, end) for n, end in zip(lengths, ends, strict=True)]
    for span in spans:
        compute_set = graph.compute_set("cs")
        compute_set.add(copy_words, 0, source=a[span], destination=b[span])
    retired = []
    for compute_set in graph.compute_sets.values():
        config = ChipConfig(tiles=1)
        exe = compile(graph, Execute(compute_set), config)
        chip = ChipISS(config)
        for address, data in [*exe.common, *exe.images[0]]:
            chip.load(0, address, data)
        chip.boot(exe.entry)
        assert chip.run(10_000).host_sync
        region = exe.regions(b)[0]
        got = np.frombuffer(chip.read(0, region.address, 4 * total), np.uint32)
        (vertex,) = compute_set.vertices
        span = slice(*vertex.fields["source"].interval)
        np.testing.assert_array_equal(got[span], value[span])
        assert not got[: span.start].any() and not got[span.stop :].any()
        counts = [hart.retired for hart in chip.tiles[0].harts[:6]]
        retired.append((max(counts) - 3, vertex.issues))  # 3: its set-up at the start
    for got_issues, estimate in retired:
        assert abs(got_issues - JOB_ISSUES - estimate) <= 2, retired
