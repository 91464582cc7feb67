"""Near-identical clusterings become one candidate that keeps the names of all."""

from collections.abc import Sequence

import numpy as np

from weft.auto.candidates.raw import Candidate
from weft.auto.kernels.partitions import canonical_rows, leaders
from weft.auto.working import Ints

SAME = 0.98  # adjusted Rand index above which two clusterings are one


def merged(
    found: Sequence[Candidate],
    families: Sequence[str],
    first_equal: Ints,
    min_clusters: int,
    max_clusters: int,
) -> list[Candidate]:
    """One candidate for each group of near-identical ones, with the labels of the group's first.

    Equal rows get the cluster of the first of them, because only their order distinguishes them.
    Families are named in the given order.
    """
    if len(found) == 0:
        return []
    given = np.stack([candidate.labels for candidate in found])
    numbered, n_clusters = np.empty_like(given), np.empty(len(given), dtype=np.int64)
    canonical_rows(given, first_equal, numbered, n_clusters)
    allowed = (n_clusters >= min_clusters) & (n_clusters <= max_clusters)
    exact: dict[bytes, tuple[Ints, list[Candidate]]] = {}
    for place in np.flatnonzero(allowed).tolist():
        labels = numbered[place]
        exact.setdefault(labels.tobytes(), (labels, []))[1].append(found[place])
    groups = list(exact.values())
    if not groups:
        return []
    leader = np.empty(len(groups), dtype=np.int64)
    leaders(np.stack([labels for labels, _ in groups]), SAME, leader)
    for position, (_, members) in enumerate(groups):
        if leader[position] != position:
            groups[leader[position]][1].extend(members)
    return [
        _joined(labels.copy(), members, families)  # of `numbered` only these rows are kept
        for position, (labels, members) in enumerate(groups)
        if leader[position] == position
    ]


def _joined(labels: Ints, members: Sequence[Candidate], families: Sequence[str]) -> Candidate:
    """One candidate with the generators and families of all members."""
    if len(members) == 1:
        return members[0]._replace(labels=labels)  # its names are in order
    generators = {name for member in members for name in member.generators}
    own = {name for member in members for name in member.families}
    return Candidate(
        labels, tuple(sorted(generators)), tuple(name for name in families if name in own)
    )
