"""How the values of a column are spread over all rows, and over the rows of each cluster."""

from __future__ import annotations

from typing import Any

import numpy as np

from weft._base.arrays import Floats, Integers
from weft.answers.views import ColumnView

N_BINS = 16
N_LEVELS = 12
SKEWED = 20.0  # largest / median from which bins of equal ratio show more than bins of equal width


def distribution(column: ColumnView, place: Integers, n_clusters: int) -> dict[str, Any]:
    """Return the shares of rows in each bin or level, over all rows and by cluster.

    `place` has the position of each row's cluster, from 0. Shares are of the rows that have a
    value; ``typical`` holds the quartiles of each cluster, or its most frequent level.
    """
    known = ~np.isnan(column.values)
    values, own = column.values[known], place[known]
    if column.levels:
        bins, labels = _levels(values, column.levels, own, n_clusters)
        n_bins = len(labels)
        described: dict[str, Any] = {"levels": labels}
    else:
        bins, edges = _bins(values, column.kind)
        n_bins = len(edges) - 1
        described = {"edges": [cell(column, edge) for edge in edges]}
    counts = np.bincount(own * n_bins + bins, minlength=n_clusters * n_bins)
    counts = counts.reshape(n_clusters, n_bins).astype(float)
    sizes = np.maximum(counts.sum(axis=1, keepdims=True), 1.0)
    return {
        "name": column.name,
        "kind": column.kind,
        "unit": column.unit,
        **described,
        "all": _rounded(counts.sum(axis=0) / max(len(values), 1)),
        "clusters": [_rounded(row) for row in counts / sizes],
        "typical": [_typical(column, values[own == k]) for k in range(n_clusters)],
        "missing": _short(1.0 - float(known.mean())),
    }


def cell(column: ColumnView, value: float) -> Any:
    """One value in plain JSON: a number, a level's position, a date as text, None for a gap."""
    if np.isnan(value):
        return None
    if column.levels:
        return int(value)
    return column.show(value) if column.kind == "date" else _short(float(value))


def _levels(
    values: Floats, levels: tuple[str, ...], own: Integers, n_clusters: int
) -> tuple[Integers, list[str]]:
    """The most frequent levels of each cluster; all other levels count as one."""
    codes = values.astype(np.int64)
    if len(levels) <= N_LEVELS:
        return codes, list(levels)
    counts = np.bincount(own * len(levels) + codes, minlength=n_clusters * len(levels))
    counts = counts.reshape(n_clusters, len(levels))
    total = counts.sum(axis=0)
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    # A level that is rare in the table but fills a small cluster must be shown.
    first = np.lexsort((-total, -shares.max(axis=0)))[: N_LEVELS - 1]
    shown = first[np.lexsort((first, -total[first]))]
    place = np.full(len(levels), N_LEVELS - 1)
    place[shown] = np.arange(N_LEVELS - 1)
    return place[codes], [*(levels[j] for j in shown), f"{len(levels) - len(shown)} others"]


def _bins(values: Floats, kind: str) -> tuple[Integers, Floats]:
    """Bins between the 0.5 % and 99.5 % quantiles; values outside count in the outer bins."""
    if len(values) == 0:
        return np.empty(0, dtype=np.int64), np.array([0.0, 1.0])
    low, middle, high = np.quantile(values, [0.005, 0.5, 0.995])
    few = np.unique(values[:: max(1, len(values) // 5_000)])
    if kind == "number" and 2 <= len(few) <= N_BINS and (np.diff(few) == 1.0).all():
        edges = np.append(few - 0.5, few[-1] + 0.5)  # one bin for each whole number
    elif high <= low:
        edges = np.array([values.min() - 0.5, values.max() + 0.5])
    elif kind == "number" and low > 0.0 and high > SKEWED * middle:
        edges = np.geomspace(low, high, N_BINS + 1)
    else:
        edges = np.linspace(low, high, N_BINS + 1)
    bins = np.searchsorted(edges, values, side="right") - 1
    return np.clip(bins, 0, len(edges) - 2), edges


def _typical(column: ColumnView, values: Floats) -> Any:
    if len(values) == 0:
        return None
    if column.levels:
        return column.levels[int(np.bincount(values.astype(np.int64)).argmax())]
    return [cell(column, value) for value in np.quantile(values, [0.25, 0.5, 0.75])]


def _rounded(shares: Floats) -> list[float]:
    return [_short(round(float(share), 3)) for share in shares]


def _short(value: float) -> Any:
    """Four digits, and no ".0" after whole numbers, to keep a report of 20,000 rows small."""
    kept = float(f"{value:.4g}") if abs(value) < 1e4 else float(f"{value:.7g}")
    return int(kept) if kept.is_integer() and abs(kept) < 1e15 else kept
