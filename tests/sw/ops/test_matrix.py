"""How rows are cut for the matrix unit."""

import pytest

from openipu.rtl.config import TileConfig
from openipu.sw.codelets.matrix import least_words
from openipu.sw.ops import matrix


@pytest.mark.parametrize(
    "count, words", [(1, 8), (32, 8), (33, 9), (128, 32), (132, 33), (4 * 65, 65)]
)
def test_rows_are_cut_in_parts_that_are_neither_too_long_nor_too_short(count, words):
    tile = TileConfig()
    found = matrix.row_words(count, "float16", tile)
    parts = matrix.cut(found, tile)
    least = least_words("float16", tile)
    assert found == words
    assert all(least <= end - first <= tile.amp_depth for first, end in parts)
    assert parts[0][0] == 0 and parts[-1][1] == found


def test_a_unit_that_is_too_small_for_a_type():
    tile = TileConfig(amp_outputs=32, amp_depth=8)
    assert not matrix.computes(tile, "float16")
    with pytest.raises(ValueError, match=r"^amp_depth must be \d+ or more for float16, not 8$"):
        matrix.row_words(4, "float16", tile)
