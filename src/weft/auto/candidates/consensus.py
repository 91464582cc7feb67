"""What the candidates have in common: rows that many of them put together belong together.

Each candidate votes for the pairs of rows that it puts into one cluster. Average linkage of the
votes gives clusterings of any number. They vary less than single candidates, which helps if no
candidate is clearly good.

References
----------
Fred, Jain (2005): Combining multiple clusterings using evidence accumulation. IEEE PAMI 27.
"""

from collections.abc import Sequence

import numpy as np

from weft._base.arrays import Singles
from weft.auto.candidates.raw import Candidate, Raw
from weft.auto.candidates.trees import cuts, linkage_edges_of
from weft.auto.kernels.partitions import fill_membership
from weft.auto.working import Floats, Ints

MOST_VOTING = 20  # most clusters of a candidate that votes, and of a consensus
MAX_ROWS = 800  # up to which each number of clusters has a vote of its own
FEWEST_VOTES = 4  # candidates of one number of clusters that make a vote


def votes_of(labels: Ints, weights: Floats) -> Singles:
    """Sum of the weights of the candidates (C, n) that put two rows into one cluster, (n, n).

    Weights are whole numbers, so that sums are exact in any order. Outliers share no cluster.
    """
    n = labels.shape[1]
    together = np.zeros((n, n), dtype=np.float32)
    for weight in np.unique(weights):
        own = labels[weights == weight]
        member = np.zeros((n, int((own.max(axis=1) + 1).sum())), dtype=np.float32)
        fill_membership(own, member)
        together += np.float32(weight) * (member @ member.T)
    return together


def tree_of(votes: Singles, weights: Floats) -> Ints:
    """The merges of average linkage, with one minus the share of votes as the distance."""
    shares = votes / np.float32(weights.sum())
    distances = 1.0 - shares.astype(np.float64)
    np.fill_diagonal(distances, 0.0)
    return linkage_edges_of(distances, "average")


def consensus_candidates(found: Sequence[Candidate], counts: Ints) -> list[Raw]:
    """Clusterings by the votes of all candidates, and by those of each number of clusters."""
    counts = counts[counts <= MOST_VOTING]
    sizes = np.array([int(each.labels.max()) + 1 for each in found])
    voting = np.flatnonzero(sizes <= MOST_VOTING).tolist()
    if len(voting) < FEWEST_VOTES or len(counts) == 0:
        return []
    labels = np.stack([found[place].labels for place in voting])
    weights = np.array([float(len(found[place].families)) for place in voting])
    sizes = sizes[voting]
    often = [k for k in counts if (sizes == k).sum() >= FEWEST_VOTES]
    alone = often if labels.shape[1] <= MAX_ROWS else []
    rest = ~np.isin(sizes, alone)
    votes = votes_of(labels[rest], weights[rest])
    of_number: list[Raw] = []
    for k in alone:
        own = sizes == k
        own_votes = votes_of(labels[own], weights[own])
        row = cuts(tree_of(own_votes, weights[own]), np.array([k]))[0]
        of_number.append(Raw(row, "consensus", f"consensus-of:{k}"))
        votes += own_votes  # whole numbers: the sum of all is that of its parts
    rows = cuts(tree_of(votes, weights), counts)
    made = [Raw(row, "consensus", f"consensus:{k}") for k, row in zip(counts, rows, strict=True)]
    return [*made, *of_number]
