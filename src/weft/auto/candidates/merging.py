"""Near-identical clusterings become one candidate that keeps the names of all."""

from collections.abc import Sequence

import numpy as np

from weft.auto.candidates.raw import Raw
from weft.auto.kernels.partitions import canonical, leaders
from weft.auto.working import Ints

SAME = 0.98  # adjusted Rand index above which two clusterings are one


def distinct(
    found: Sequence[Raw], first_equal: Ints, min_clusters: int, max_clusters: int
) -> list[tuple[Ints, list[Raw]]]:
    """Groups of clusterings with the labels of the first of each, numbered by first row.

    Equal rows share the cluster of the first of them: nothing but their order could tell them
    apart.
    """
    exact: dict[bytes, tuple[Ints, list[Raw]]] = {}
    for raw in found:
        labels = np.empty(len(raw.labels), dtype=np.int64)
        n_clusters = canonical(raw.labels[first_equal], labels)
        if min_clusters <= n_clusters <= max_clusters:
            exact.setdefault(labels.tobytes(), (labels, []))[1].append(raw)
    groups = list(exact.values())
    if not groups:
        return []
    leader = np.empty(len(groups), dtype=np.int64)
    leaders(np.stack([labels for labels, _ in groups]), SAME, leader)
    for position, (_, members) in enumerate(groups):
        if leader[position] != position:
            groups[leader[position]][1].extend(members)
    return [group for position, group in enumerate(groups) if leader[position] == position]
