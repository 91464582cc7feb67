"""What is wrong or unstated in Lensen, Xue and Zhang 2017."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

from bench.harness.directions import ours
from bench.harness.study import printed


def facts(folder: Path) -> Iterator[str]:
    """Lensen, Xue and Zhang 2017."""
    for name, data in (("staged-2", "wine"), ("staged-2", "libras"), ("staged-3", "10d10c")):
        found = ours(name, "clusters", "k_est-means", folder, data)
        if len(found):
            told = printed(name, "clusters", "k_est-means", data)[0]
            yield (
                f"K_est on {data} is {found.mean():g} in our runs (printed {told:g}), so the rows "
                "of k_est-means have other numbers of clusters there."
            )
    yield (
        "Table 1 gives 683 rows for Image Segmentation, the number of Breast Cancer's; the set has "
        "2,310. The printed sums "
        "of intra-cluster distances fit 2,310."
    )
    yield (
        "The largest K is not stated. The printed 48, 47 and 36 are ⌊√n⌋ of their sets (2,335, "
        "2,212 and 1,339 rows: "
        f"{math.isqrt(2335)}, {math.isqrt(2212)}, {math.isqrt(1339)}); so weft uses ⌊√n⌋."
    )
    yield (
        "D-PSO comes from an earlier paper, and how it limits or weights K is not stated "
        "here; its rows differ most from ours (decision 41)."
    )
