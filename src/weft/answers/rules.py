"""A short rule for each cluster: at most four conditions, found by beam search.

A rule is found on two thirds of the rows and measured on the others, so precision and coverage are
those of rows that were not used to find it. Precision: the share of the rows selected by the rule
that belong to the cluster. Coverage: the share of the cluster's rows that the rule selects. Of many
rows a sample is used; each row then counts for the rows of its cluster that it represents.

Beam search starts from "any row" and adds one condition at a time. It keeps the `N_BEAMS` rules
with the highest F measure that counts precision twice as much as coverage (van Rijsbergen's F with
β = 1/2), minus a penalty for each condition.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from weft._base.arrays import Floats, Integers, Mask
from weft.answers.conditions import Condition, possible_conditions
from weft.answers.views import ColumnView, show_share
from weft.parallel.blas import one_blas_thread

MAX_CONDITIONS = 4
N_BEAMS = 8
N_COLUMNS = 40  # the most informative columns, which rules of one cluster may combine
MAX_ROWS = 3_000
PRICE = 0.01  # penalty for each condition, in units of the F measure
FEWEST_TO_SPLIT = 9  # from this many rows on, a third of the cluster is kept to measure the rule


class Rule(NamedTuple):
    """A rule for one cluster.

    Attributes
    ----------
    cluster : int
        The cluster that it describes.
    conditions : tuple of dict
        Each with ``column``, ``low``, ``high``, ``levels`` and ``text``; rows must satisfy all.
    precision, coverage : float
        On the rows that it was measured on.
    n_rows : int
        How many rows it was measured on.
    held_out : bool
        Whether these rows were not used to find the rule. A rule for a cluster with very few rows
        is measured on the rows that it was found on.
    """

    cluster: int
    conditions: tuple[dict[str, Any], ...]
    precision: float
    coverage: float
    n_rows: int
    held_out: bool

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns that its conditions use."""
        return tuple(condition["column"] for condition in self.conditions)

    def __str__(self) -> str:
        conditions = " and ".join(condition["text"] for condition in self.conditions) or "any row"
        return (
            f"cluster {self.cluster}: {conditions} "
            f"(precision {show_share(self.precision)}, coverage {show_share(self.coverage)})"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the rule in plain types."""
        return {**self._asdict(), "conditions": list(self.conditions), "text": str(self)}


def find_rules(
    views: Sequence[ColumnView],
    labels: Integers,
    weights: Floats,
    *,
    max_conditions: int = MAX_CONDITIONS,
) -> list[Rule]:
    """Return a rule for each cluster, by number.

    Parameters
    ----------
    views : sequence of ColumnView
        The columns of the table.
    labels : ndarray of shape (n,)
        Cluster of each row, -1 for none.
    weights : ndarray of shape (n_columns,)
        Only columns with a weight above 0 are used.
    max_conditions : int, default=4
        Maximum number of conditions of a rule; a range is one condition.

    Examples
    --------
    >>> import numpy as np
    >>> from weft.answers.rules import find_rules
    >>> from weft.answers.views import number_views
    >>> X = np.arange(40.0)[:, None]
    >>> rules = find_rules(number_views(X, ["size"]), (X[:, 0] >= 20).astype(int), np.ones(1))
    >>> print(rules[0])
    cluster 0: size ≤ 19 (precision 100%, coverage 100%)
    """
    rows = spread_rows(labels, MAX_ROWS)
    sizes = dict(zip(*np.unique(labels, return_counts=True), strict=True))
    labels = labels[rows]
    stands_for = _rows_each_stands_for(labels, sizes)
    kept = [(j, view.take(rows)) for j, view in enumerate(views) if weights[j] > 0.0]
    clusters = [int(label) for label in np.unique(labels) if label >= 0]
    if len(clusters) < 2 and not (labels < 0).any():
        return [Rule(cluster, (), 1.0, 1.0, len(labels), False) for cluster in clusters]
    used = [view for _, view in kept]
    with one_blas_thread():  # threads would make products this small slower
        return [_rule_of(cluster, used, labels, stands_for, max_conditions) for cluster in clusters]


def _rows_each_stands_for(labels: Integers, sizes: dict[int, int]) -> Floats:
    """Return how many rows of its cluster each sampled row stands for.

    A sample has more rows of a small cluster than its share, so rows must not count alike.
    """
    known, place, sampled = np.unique(labels, return_inverse=True, return_counts=True)
    return (np.array([sizes[label] for label in known]) / sampled)[place]


def _rule_of(
    cluster: int,
    views: list[ColumnView],
    labels: Integers,
    stands_for: Floats,
    max_conditions: int,
) -> Rule:
    inside = labels == cluster
    held_out = int(inside.sum()) >= FEWEST_TO_SPLIT
    learning, measuring = _split(labels) if held_out else (np.arange(len(labels)),) * 2
    conditions = _search([view.take(learning) for view in views], inside[learning], max_conditions)
    taken = np.ones(len(measuring), dtype=bool)
    for condition in conditions:
        taken &= condition.holds(views[condition.column].values[measuring])
    own = inside[measuring]
    hits = int((taken & own).sum())
    return Rule(
        cluster,
        tuple(condition.to_dict(views[condition.column]) for condition in conditions),
        _share_of_own(taken, own, stands_for[measuring]),
        hits / max(int(own.sum()), 1),
        len(measuring),
        held_out,
    )


def _share_of_own(taken: Mask, own: Mask, stands_for: Floats) -> float:
    """Return the share of the cluster's rows among the rows that a rule selects."""
    selected = float(stands_for[taken].sum())
    return float(stands_for[taken & own].sum()) / selected if selected else 0.0


def _split(labels: Integers) -> tuple[Integers, Integers]:
    """Return the rows to find rules on, and every third row of each cluster."""
    order = np.argsort(labels, kind="stable")
    sizes = np.unique(labels, return_counts=True)[1]
    place = np.concatenate([np.arange(size) for size in sizes])
    third = np.zeros(len(labels), dtype=bool)
    third[order] = place % 3 == 2
    return np.flatnonzero(~third), np.flatnonzero(third)


def spread_rows(labels: Integers, most: int) -> Integers:
    """Return at most about `most` rows, evenly spaced within each cluster, two or more of each."""
    if len(labels) <= most:
        return np.arange(len(labels))
    chosen = []
    for label in np.unique(labels):
        own = np.flatnonzero(labels == label)
        size = min(len(own), max(FEWEST_TO_SPLIT, round(most * len(own) / len(labels))))
        chosen.append(own[np.linspace(0, len(own) - 1, size).astype(np.int64)])
    return np.sort(np.concatenate(chosen))


class _Beam(NamedTuple):
    """An unfinished rule: one condition per column, and the rows that it selects."""

    score: float
    conditions: tuple[Condition, ...]
    taken: Mask


def _search(views: list[ColumnView], inside: Mask, max_conditions: int) -> list[Condition]:
    """Return the conditions of the best rule for the rows `inside`."""
    conditions, masks = _telling_conditions(views, inside)
    best = _Beam(0.0, (), np.ones(len(inside), dtype=bool))
    if not conditions:
        return []
    beams, own = [best], inside.astype(np.float32)
    for _ in range(2 * max_conditions):  # a range takes two steps
        states = np.stack([beam.taken for beam in beams], axis=1).astype(np.float32)
        total = masks @ states
        hits = masks @ (states * own[:, None])
        score = _f_measure(hits, total, own.sum())
        grown = []
        for place in np.argsort(-score, axis=None, kind="stable")[: 4 * N_BEAMS]:
            number, beam = np.unravel_index(place, score.shape)
            added = _added(beams[beam].conditions, conditions[number])
            if len(added) <= max_conditions:
                taken = beams[beam].taken & (masks[number] > 0)
                price = PRICE * len(added)
                grown.append(_Beam(float(score[number, beam]) - price, added, taken))
        beams = _distinct(grown)
        if not beams or beams[0].score <= best.score:
            break
        best = beams[0]
    return sorted(best.conditions, key=lambda condition: condition.column)


def _telling_conditions(
    views: list[ColumnView], inside: Mask
) -> tuple[list[Condition], np.ndarray]:
    """Return the conditions on the most informative single columns, and the rows of each."""
    own = inside.astype(np.float32)
    candidates = []
    for column, view in enumerate(views):
        conditions = possible_conditions(view, column, inside)
        if conditions:
            masks = np.stack([each.holds(view.values) for each in conditions]).astype(np.float32)
            score = _f_measure(masks @ own, masks.sum(axis=1), own.sum()).max()
            candidates.append((-float(score), column, conditions, masks))
    candidates.sort(key=lambda each: each[:2])
    candidates = candidates[:N_COLUMNS]
    if not candidates:
        return [], np.empty((0, len(inside)), dtype=np.float32)
    return [each for entry in candidates for each in entry[2]], np.concatenate(
        [e[3] for e in candidates]
    )


def _f_measure(hits: np.ndarray, total: np.ndarray, size: float) -> np.ndarray:
    """Return F with β = 1/2: 1.25 P R / (0.25 P + R), which is 1.25 hits / (0.25 size + total)."""
    return 1.25 * hits / (0.25 * size + total)


def _added(conditions: tuple[Condition, ...], new: Condition) -> tuple[Condition, ...]:
    for place, old in enumerate(conditions):
        if old.column == new.column:
            return (*conditions[:place], old.narrowed(new), *conditions[place + 1 :])
    return (*conditions, new)


def _distinct(beams: list[_Beam]) -> list[_Beam]:
    """Return the best beams, one for each set of rows."""
    seen: set[bytes] = set()
    kept = []
    for beam in sorted(beams, key=lambda each: (-each.score, each.conditions)):
        key = beam.taken.tobytes()
        if key not in seen:
            seen.add(key)
            kept.append(beam)
    return kept[:N_BEAMS]
