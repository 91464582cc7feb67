"""Two clusterings of the same rows: what is the same, which rows moved, which weights changed."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn.metrics import adjusted_mutual_info_score, adjusted_rand_score

from weft._base.arrays import Floats, Integers, Mask


class Side(NamedTuple):
    """One of two results.

    Attributes
    ----------
    title : str
        Name of the result.
    labels : ndarray of shape (n,)
        Clusters, -1 for none.
    weights : dict of str to float
        The weight of each column; empty if the result has no weights.
    names : dict of int to str
        Names of the clusters, if they have names.
    keys : dict of str to list
        The other columns of a table of labels, by which rows can be matched.
    """

    title: str
    labels: Integers
    weights: Mapping[str, float] = MappingProxyType({})
    names: Mapping[int, str] = MappingProxyType({})
    keys: Mapping[str, list[Any]] = MappingProxyType({})


class Match(NamedTuple):
    """A cluster of the first result and the one of the second that it shares most rows with.

    `first` or `second` is None where a cluster has no partner.
    """

    first: int | None
    second: int | None
    n_first: int
    n_second: int
    n_both: int

    @property
    def overlap(self) -> float:
        """Rows that are in both, over rows that are in either (the Jaccard index)."""
        either = self.n_first + self.n_second - self.n_both
        return self.n_both / either if either else 0.0


class Flow(NamedTuple):
    """How many rows of one cluster went to another; -1 stands for no cluster."""

    first: int
    second: int
    n_rows: int


class WeightChange(NamedTuple):
    """A column's share of all weight in both results; None if a result does not have the column."""

    column: str
    first: float | None
    second: float | None

    @property
    def change(self) -> float:
        """The second share minus the first."""
        return (self.second or 0.0) - (self.first or 0.0)


class Compared(NamedTuple):
    """The comparison of two results."""

    n_rows: int
    ari: float
    ami: float
    matches: tuple[Match, ...]
    flows: tuple[Flow, ...]
    moved: Integers  # rows that left the matching cluster
    weights: tuple[WeightChange, ...]


def compare_sides(first: Side, second: Side) -> Compared:
    """Compare two clusterings of the same rows, in the same order.

    Examples
    --------
    >>> import numpy as np
    >>> from weft.answers.comparing import Side, compare_sides
    >>> done = compare_sides(Side("a", np.array([0, 0, 1, 1])), Side("b", np.array([1, 1, 0, 1])))
    >>> done.moved.tolist()
    [3]
    """
    a, b = first.labels, second.labels
    if len(a) != len(b):
        raise ValueError(
            f"{first.title} has {len(a)} rows and {second.title} has {len(b)}; compare clusterings "
            "of the same rows."
        )
    matches = match_clusters(a, b)
    return Compared(
        len(a),
        float(adjusted_rand_score(a, b)),
        float(adjusted_mutual_info_score(a, b)),
        matches,
        _flows(a, b),
        np.flatnonzero(_moved(a, b, matches)),
        _weight_changes(first.weights, second.weights),
    )


def match_clusters(a: Integers, b: Integers) -> tuple[Match, ...]:
    """Match clusters so that as many rows as possible stay in their cluster.

    Each cluster has at most one partner. Clusters without a partner come last.
    """
    known_a, known_b = np.unique(a[a >= 0]), np.unique(b[b >= 0])
    both = _counts(a, b, known_a, known_b)
    rows, columns = linear_sum_assignment(-both)
    shared = both[rows, columns] > 0
    rows, columns = rows[shared], columns[shared]
    size_a = [int((a == label).sum()) for label in known_a]
    size_b = [int((b == label).sum()) for label in known_b]
    matches = [
        Match(int(known_a[i]), int(known_b[j]), size_a[i], size_b[j], int(both[i, j]))
        for i, j in zip(rows, columns, strict=True)
    ]
    matches += [
        Match(int(known_a[i]), None, size_a[i], 0, 0) for i in range(len(known_a)) if i not in rows
    ]
    matches += [
        Match(None, int(known_b[j]), 0, size_b[j], 0)
        for j in range(len(known_b))
        if j not in columns
    ]
    return tuple(matches)


def _counts(a: Integers, b: Integers, known_a: Integers, known_b: Integers) -> Floats:
    inside = (a >= 0) & (b >= 0)
    both = np.zeros((len(known_a), len(known_b)))
    places = (np.searchsorted(known_a, a[inside]), np.searchsorted(known_b, b[inside]))
    np.add.at(both, places, 1.0)
    return both


def _flows(a: Integers, b: Integers) -> tuple[Flow, ...]:
    pairs, counts = np.unique(np.column_stack([a, b]), axis=0, return_counts=True)
    return tuple(
        Flow(int(i), int(j), int(n)) for (i, j), n in zip(pairs.tolist(), counts, strict=True)
    )


def _moved(a: Integers, b: Integers, matches: tuple[Match, ...]) -> Mask:
    partner = {match.first: match.second for match in matches if match.first is not None}
    partner[-1] = -1
    values, place = np.unique(a, return_inverse=True)
    expected = [partner.get(int(value)) for value in values]
    # -2 is not used as a label: rows of a cluster without a partner have moved.
    numbers = np.array([-2 if each is None else each for each in expected], dtype=np.int64)
    return numbers[place] != b


def _weight_changes(
    first: Mapping[str, float], second: Mapping[str, float]
) -> tuple[WeightChange, ...]:
    """Return the shares of weight in both, the largest change first."""
    if not first or not second:
        return ()
    a, b = _shares(first), _shares(second)
    changes = [WeightChange(name, a.get(name), b.get(name)) for name in {**a, **b}]
    return tuple(sorted(changes, key=lambda each: -abs(each.change)))


def _shares(weights: Mapping[str, float]) -> dict[str, float]:
    total = sum(weights.values())
    return {name: value / total if total > 0 else 0.0 for name, value in weights.items()}


def as_dict(first: Side, second: Side, done: Compared) -> dict[str, Any]:
    """Return a comparison in plain types, for JSON."""
    return {
        "first": _side(first),
        "second": _side(second),
        "n_rows": done.n_rows,
        "ari": done.ari,
        "ami": done.ami,
        "n_moved": len(done.moved),
        "moved": done.moved.tolist(),
        "matches": [{**match._asdict(), "overlap": match.overlap} for match in done.matches],
        "flows": [flow._asdict() for flow in done.flows],
        "weights": [{**each._asdict(), "change": each.change} for each in done.weights],
    }


def _side(side: Side) -> dict[str, Any]:
    clusters, sizes = np.unique(side.labels, return_counts=True)
    return {
        "title": side.title,
        "n_clusters": int((clusters >= 0).sum()),
        "sizes": {str(label): int(size) for label, size in zip(clusters, sizes, strict=True)},
        "names": {str(cluster): name for cluster, name in side.names.items()},
    }
