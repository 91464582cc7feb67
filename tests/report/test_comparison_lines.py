"""The first lines of a comparison: counts and shares by hand."""

from __future__ import annotations

import weft
from weft.reporting.comparison import _headlines


def test_the_share_of_rows_that_moved():
    # Four of five rows of cluster 0 stay together; one of eight rows moves.
    lines = _headlines(weft.compare([0, 0, 0, 0, 0, 1, 1, 1], [0, 0, 0, 0, 1, 1, 1, 1]))
    assert lines[0] == "the first: 2 clusters; the second: 2 clusters; 8 rows."
    assert lines[2] == "1 row moved to another cluster (12.5%)."
    same = _headlines(weft.compare([0, 0, 0], [1, 1, 1]))
    assert same[0] == "the first: 1 cluster; the second: 1 cluster; 3 rows."
    assert same[2] == "0 rows moved to another cluster (0.0%)."
