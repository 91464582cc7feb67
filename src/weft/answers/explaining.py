"""Why a row is in its cluster and not in the next one: the evidence of each column.

The evidence of a column for cluster a against b is ``log(p_a / p_b)``, where p is the share of the
cluster's rows with a similar value: the same level of a category, or the same of ten bins of a
number, each of which holds a tenth of all rows. Shares are smoothed by half a row in every bin. The
sum over columns is the evidence of a naive Bayes classifier. An explanation shows the part of each
column in this sum.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from weft._base.arrays import Floats, Integers
from weft.answers.views import ColumnView

N_BINS = 10
TYPICAL = (0.1, 0.9)  # quantiles of a typical range
_SMOOTHING = 0.5


class Reason(NamedTuple):
    """The evidence of one column for the cluster of one row.

    Attributes
    ----------
    column : str
        Its name.
    value : str
        The row's value, as the table writes it.
    contribution : float
        Evidence for the row's cluster against the next one: the natural logarithm of how many times
        more common such a value is in the row's cluster. Negative values support the next one.
    typical, typical_next : str
        Usual values in both clusters: the middle 80 % of a number, or the most frequent levels.
    weight : float
        The weight of the column.
    """

    column: str
    value: str
    contribution: float
    typical: str
    typical_next: str
    weight: float


class RowExplanation(NamedTuple):
    """Why one row is in its cluster; `reasons` has the strongest first."""

    row: int | str
    cluster: int
    probability: float
    next_cluster: int | None
    next_probability: float
    outlier_score: float
    reasons: tuple[Reason, ...]


class Placement(NamedTuple):
    """Cluster and next cluster (-1: none) of rows, their probabilities, outlier scores."""

    clusters: Integers
    next_clusters: Integers
    probabilities: Floats
    next_probabilities: Floats
    outlier_scores: Floats


def explain_rows(
    known: Sequence[ColumnView],
    labels: Integers,
    weights: Floats,
    rows: Sequence[ColumnView],
    placed: Placement,
    titles: Sequence[int | str] | None = None,
) -> list[RowExplanation]:
    """Explain rows by comparing them with rows of known clusters.

    Parameters
    ----------
    known : sequence of ColumnView
        Rows whose clusters are known.
    labels : ndarray of shape (n,)
        Their clusters, -1 for none.
    weights : ndarray of shape (n_columns,)
        Only columns with a weight above 0 are used.
    rows : sequence of ColumnView
        The rows to explain, in the same columns.
    placed : Placement
        Clusters and probabilities of these rows.
    titles : sequence of int or str, default=None
        Name of each row; None: its position.
    """
    kept = [column for column in range(len(known)) if weights[column] > 0.0]
    named = (labels, placed.clusters, placed.next_clusters)
    n_clusters = int(max(each.max(initial=0) for each in named)) + 1
    evidence = [_log_shares(known[j], labels, rows[j], n_clusters) for j in kept]
    out = []

    @cache
    def typical(column: int, cluster: int) -> str:
        return typical_range(known[column], labels == cluster) if cluster >= 0 else ""

    for i in range(len(placed.clusters)):
        own, other = int(placed.clusters[i]), int(placed.next_clusters[i])
        reasons = []
        for j, logs in zip(kept, evidence, strict=True):
            against = logs[i, other] if other >= 0 else _log_rest(known[j], labels, rows[j], own, i)
            speaks = float(logs[i, own] - against) if own >= 0 else 0.0
            reasons.append(
                Reason(
                    known[j].name,
                    rows[j].show(float(rows[j].values[i])),
                    speaks,
                    typical(j, own),
                    typical(j, other),
                    float(weights[j]),
                )
            )
        reasons.sort(key=lambda reason: (-abs(reason.contribution), -reason.weight))
        out.append(
            RowExplanation(
                i if titles is None else titles[i],
                own,
                float(placed.probabilities[i]),
                other if other >= 0 else None,
                float(placed.next_probabilities[i]),
                float(placed.outlier_scores[i]),
                tuple(reasons),
            )
        )
    return out


def _bins(known: ColumnView, values: Floats) -> tuple[Integers, int]:
    """Return the bin of each value, -1 where it is missing, and the number of bins."""
    if known.levels:
        bins, n_bins = values, len(known.levels)
    else:
        observed = known.values[~np.isnan(known.values)]
        cuts = np.empty(0)
        if len(observed):
            cuts = np.unique(np.quantile(observed, np.arange(1, N_BINS) / N_BINS))
        bins, n_bins = np.searchsorted(cuts, values).astype(np.float64), len(cuts) + 1
    return np.where(np.isnan(values), -1, bins).astype(np.int64), n_bins


def _log_shares(known: ColumnView, labels: Integers, rows: ColumnView, n_clusters: int) -> Floats:
    """Return the logarithm of the share of each cluster that has values like each row's, (n, K)."""
    bins, n_bins = _bins(known, known.values)
    counts = np.full((n_clusters, n_bins), _SMOOTHING)
    counted = (bins >= 0) & (labels >= 0)
    np.add.at(counts, (labels[counted], bins[counted]), 1.0)
    logs = np.log(counts / counts.sum(axis=1, keepdims=True))
    own = _bins(known, rows.values)[0]
    return np.where(own[:, None] >= 0, logs[:, np.maximum(own, 0)].T, 0.0)


def _log_rest(known: ColumnView, labels: Integers, rows: ColumnView, own: int, i: int) -> float:
    """Return the same for all other rows together, if there is no next cluster."""
    rest = np.where(labels == own, 0, 1)
    one = rows._replace(values=rows.values[i : i + 1])
    return float(_log_shares(known, rest, one, 2)[0, 1])


def typical_range(view: ColumnView, inside: Any) -> str:
    """Return the usual values of some rows, in words."""
    values = view.values[inside]
    values = values[~np.isnan(values)]
    if len(values) == 0:
        return "missing"
    if view.is_category:
        counts = np.bincount(values.astype(np.int64), minlength=len(view.levels))
        top = [k for k in np.argsort(-counts, kind="stable")[:2] if counts[k] >= 0.1 * len(values)]
        return ", ".join(f"{view.levels[k]} {counts[k] / len(values):.0%}" for k in top) or "mixed"
    low, high = np.quantile(values, TYPICAL, method="nearest")
    first, last = view.show(float(low)), view.show(float(high))
    return first if first == last else f"{first} to {last}"
