"""Pairs of rows that must, or must not, share a cluster.

K. Wagstaff et al., "Constrained k-means clustering with background knowledge", ICML 2001
(algorithm 4.1 of the thesis); constrained iK-Means (algorithm 4.2).

Rows under must-links form a group, and a group goes to the cluster that is nearest in the sum over
its rows (``"sum"``). That is the assignment that minimises the criterion. As published, the first
row of a group decides (``"first"``), so the result depends on the order of the rows.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import breadth_first_order, connected_components

from weft._base.arrays import Floats, Labels
from weft.kmeans.alternation import DeadEnd
from weft.kmeans.data import Data, distances

Pairs = NDArray[np.int64]
GROUP_DISTANCES = ("sum", "first")


class Groups(NamedTuple):
    """Groups of rows, and which of the groups exclude each other.

    Attributes
    ----------
    of_row : (n,), the group of each row
    total : number of groups
    foes : for each group that has any, the groups it cannot share a cluster with
    cannot_link : (m, 2), the pairs of rows these come from
    """

    of_row: NDArray[np.int64]
    total: int
    foes: dict[int, list[int]]
    cannot_link: Pairs


def read_pairs(name: str, pairs: Any, n_rows: int) -> Pairs:
    """Return pairs of row numbers (m, 2)."""
    if pairs is None or len(pairs) == 0:
        return np.empty((0, 2), dtype=np.int64)
    array = np.asarray(pairs)
    if array.ndim != 2 or array.shape[1] != 2 or array.dtype.kind not in "iu":
        raise ValueError(
            f"{name} has shape {array.shape} and type {array.dtype}; "
            "give pairs of row numbers, [(i, j), ...]."
        )
    bad = (array < 0) | (array >= n_rows)
    if bad.any():
        raise ValueError(
            f"{name} names row {int(array[bad][0])}, but rows go from 0 to {n_rows - 1}."
        )
    return array.astype(np.int64)


def make_groups(must_link: Pairs, cannot_link: Pairs, n_rows: int) -> Groups:
    """Make the groups; contradictory constraints are an error that names the chain."""
    ones = np.ones(len(must_link), dtype=np.int8)
    graph = coo_array((ones, (must_link[:, 0], must_link[:, 1])), shape=(n_rows, n_rows)).tocsr()
    count, of_row = connected_components(graph, directed=False)
    of_row = of_row.astype(np.int64)
    together = of_row[cannot_link[:, 0]] == of_row[cannot_link[:, 1]]
    if together.any():
        one, other = (int(row) for row in cannot_link[int(together.argmax())])
        if one == other:
            raise ValueError(f"cannot_link ({one}, {one}) has the same row twice; drop that pair.")
        chain = " - ".join(str(row) for row in _chain(graph, one, other))
        raise ValueError(
            f"cannot_link ({one}, {other}) contradicts must_link, which joins {chain}; "
            "drop one of these pairs."
        )
    foes: dict[int, set[int]] = {}
    for one, other in of_row[cannot_link]:
        foes.setdefault(int(one), set()).add(int(other))
        foes.setdefault(int(other), set()).add(int(one))
    listed = {group: sorted(others) for group, others in sorted(foes.items())}
    return Groups(of_row, int(count), listed, cannot_link)


def _chain(graph: Any, one: int, other: int) -> list[int]:
    """Return the shortest chain of must-links between two rows."""
    _, before = breadth_first_order(graph, one, directed=False, return_predecessors=True)
    chain = [other]
    while chain[-1] != one:
        chain.append(int(before[chain[-1]]))
    return chain[::-1]


def sum_groups(values: Floats, groups: NDArray[np.int64], count: int) -> Floats:
    """Return the sum of `values` (n, K) over the rows of each group, (count, K)."""
    return np.stack(
        [np.bincount(groups, weights=column, minlength=count) for column in values.T], axis=1
    )


def first_of_groups(values: Floats, groups: NDArray[np.int64], count: int) -> Floats:
    """Return `values` (n, K) of the first row of each group, (count, K); 0 without rows."""
    out = np.zeros((count, values.shape[1]))
    present, first_rows = np.unique(groups, return_index=True)
    out[present] = values[first_rows]
    return out


def group_costs(values: Floats, groups: NDArray[np.int64], count: int, by: str) -> Floats:
    """Return the distance of each group to each centre: the sum over its rows, or its first row."""
    return (first_of_groups if by == "first" else sum_groups)(values, groups, count)


class ConstrainedAssignment:
    """Assign each group to the nearest cluster that the constraints allow.

    Groups are placed one after another, those without a cannot-link first (they restrict no other
    group), the others in the order of their first rows. A group without an allowed cluster moves to
    the front and all are placed again, `max_retries` times. The order found is kept for the next
    round.
    """

    def __init__(self, groups: Groups, max_retries: int, by: str = "sum") -> None:
        self.groups = groups
        self.max_retries = max_retries
        self.by = by
        self.order = list(groups.foes)

    def __call__(self, data: Data, centers: Floats, factors: Floats) -> Labels:
        powered = distances(data, centers, factors)
        loaded = powered * data.load[:, None]
        costs = group_costs(loaded, self.groups.of_row, self.groups.total, self.by)
        placed = costs.argmin(axis=1)
        self._place(costs, placed)
        return placed[self.groups.of_row].astype(np.int32)

    def _place(self, costs: Floats, placed: NDArray[np.int64]) -> None:
        """Set the cluster of each group under a cannot-link in `placed`."""
        preferred = {group: np.argsort(costs[group], kind="stable") for group in self.order}
        for _ in range(self.max_retries + 1):
            taken: dict[int, int] = {}
            for group in self.order:
                barred = {taken[foe] for foe in self.groups.foes[group] if foe in taken}
                choice = next((int(k) for k in preferred[group] if int(k) not in barred), None)
                if choice is None:
                    stuck = group
                    break
                taken[group] = choice
            else:
                for group, cluster in taken.items():
                    placed[group] = cluster
                return
            self.order.remove(stuck)
            self.order.insert(0, stuck)
        raise DeadEnd(self._explain(stuck, costs.shape[1]))

    def _explain(self, stuck: int, n_clusters: int) -> str:
        of_row = self.groups.of_row
        pairs = [
            f"({one}, {other})"
            for one, other in self.groups.cannot_link
            if stuck in (of_row[one], of_row[other])
        ]
        listed = ", ".join(pairs[:8]) + (", ..." if len(pairs) > 8 else "")
        row = int(np.flatnonzero(of_row == stuck)[0])
        return (
            f"row {row} has no cluster that cannot_link {listed} allows, with "
            f"n_clusters={n_clusters} and {self.max_retries} retries; "
            "raise n_clusters or max_retries, or drop one of these pairs."
        )


class ConstrainedMembership:
    """Algorithm 4.2: whole groups join a pattern, unless a group that they exclude is in it.

    Of two groups that exclude each other, the nearer one joins, or, as published, the first.
    """

    def __init__(self, groups: Groups, by: str = "sum") -> None:
        self.groups = groups
        self.by = by

    def first(self, left: NDArray[np.int64], seed: int) -> NDArray[np.bool_]:
        of_left = self.groups.of_row[left]
        return of_left == of_left[seed]

    def join(
        self, rest: Data, left: NDArray[np.int64], centers: Floats, factors: Floats
    ) -> NDArray[np.bool_]:
        of_left = self.groups.of_row[left]
        both = distances(rest, centers, factors)
        costs = group_costs(both, of_left, self.groups.total, self.by)
        inside = costs[:, 1] < costs[:, 0]
        # Of groups that exclude each other, the nearest joins first; as published, the first one.
        gain = np.zeros(len(costs)) if self.by == "first" else costs[:, 1] - costs[:, 0]
        rivals = [group for group in self.groups.foes if inside[group]]
        for group in sorted(rivals, key=lambda group: (gain[group], group)):
            if any(inside[foe] and gain[foe] < gain[group] for foe in self.groups.foes[group]):
                inside[group] = False
        for group in rivals:  # equal gains: the first stays
            if inside[group]:
                for foe in self.groups.foes[group]:
                    inside[foe] = False
        return inside[of_left]
