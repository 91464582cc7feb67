"""Warnings about an answer, in plain words."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from weft.reporting.facts import Facts
from weft.reporting.told import percent

# Standard deviations further apart than this are different units rather than different features.
UNITS_APART = 30.0
# Two samples that agree less than this have found different groups.
STEADY = 0.8


def cautions(facts: Facts, rows: np.ndarray | None, columns: np.ndarray | None) -> list[str]:
    """Return the warnings, one or two sentences each, the most important first."""
    sentences = _about_clusters(facts)
    sentences += _about_sample(facts)
    weighed = facts.verdict is not None or facts.are_measured
    if not weighed:  # AutoCluster scales columns and judges weights itself
        sentences += _about_features(facts)
    if not weighed and rows is not None and columns is not None:
        sentences += _about_units(facts, rows, columns)
    best = np.asarray(facts.history.get("best_fitness", []), dtype=float)
    if len(best) > 1 and best[-1] <= best[0]:
        sentences.append(
            "The search never improved on its first random candidates: many other weights may be "
            "as good as these. Try more particles or generations."
        )
    return sentences


def _about_clusters(facts: Facts) -> list[str]:
    sentences = []
    labels, n = facts.labels, len(facts.labels)
    sizes = np.unique(labels[labels != -1], return_counts=True)[1]
    n_clusters = len(sizes)
    given = facts.params.get("n_clusters") == n_clusters
    if facts.verdict is not None and n_clusters < 3:
        pass  # the verdict already covers this
    elif facts.are_measured and n_clusters < 3:
        if n_clusters < 2:
            sentences.append("There are fewer than two clusters: there is nothing to compare.")
    elif n_clusters < 2 or not (facts.fitness is None or math.isfinite(facts.fitness)):
        sentences.append(
            "The search found no clustering: no candidate split the rows into at least two "
            "clusters. Try another clusterer, or look at the columns."
        )
    elif facts.verdict is None and sizes.max() >= 0.95 * sizes.sum() and n_clusters <= 3:
        sentences.append(
            f"One cluster holds {percent(sizes.max() / n)} of the rows: the other clusters look "
            "like outliers, not like groups."
        )
    elif n_clusters == 2 and not given:
        sentences.append(
            "Only two clusters: searches of this kind tend to find one coarse split, above all in "
            "tables with many columns; there may be finer groups. Try another clusterer or "
            "criterion."
        )
    elif n_clusters > n / 3:
        sentences.append(
            f"{n_clusters} clusters for {n} rows: most are too small to be meaningful."
        )
    alone = int((sizes == 1).sum())
    if 2 <= n_clusters <= n / 3 and alone:
        which = "One cluster holds" if alone == 1 else f"{alone} clusters hold"
        sentences.append(f"{which} a single row: an outlier rather than a group.")
    most, least = facts.params.get("max_clusters"), facts.params.get("min_clusters")
    if isinstance(most, (int, np.integer)) and n_clusters >= most:
        sentences.append(
            f"{n_clusters} clusters is the maximum allowed (max_clusters={most}): there may "
            "be more; raise max_clusters to find out."
        )
    if isinstance(least, (int, np.integer)) and 2 < n_clusters <= least:
        sentences.append(
            f"{n_clusters} clusters is the minimum allowed (min_clusters={least}): there may "
            "be fewer; lower min_clusters to find out."
        )
    unassigned = int((labels == -1).sum())
    if unassigned > n / 2:
        sentences.append(f"{unassigned} of {n} rows are in no cluster.")
    return sentences


def _about_sample(facts: Facts) -> list[str]:
    if facts.n_searched is None:
        return []
    sentence = (
        f"The search ran on {facts.n_searched:,} of {len(facts.labels):,} rows; the other rows "
        "were labelled by `predict`."
    )
    if facts.agreement is not None:
        sentence += (
            f" The agreement with another sample, clustered in the same metric, is "
            f"{facts.agreement:.2f} (adjusted Rand index; 1: the same clusters)."
        )
        if facts.agreement < STEADY:
            sentence += (
                " The answer depends on the sample: raise max_samples, or try another clusterer."
            )
    return [sentence]


def _about_features(facts: Facts) -> list[str]:
    if not facts.has_weights:
        return []
    used = facts.weights[facts.selected]
    if not facts.selected.any():
        return ["No feature was selected."]
    if len(facts.weights) > 2 and facts.selected.all() and used.min() > 0.9 * used.max():
        return ["All weights are about equal: no feature is preferred."]
    return []


def _about_units(facts: Facts, rows: np.ndarray, columns: np.ndarray) -> list[str]:
    if facts.params.get("scale") is True:  # the method scales by itself
        return []
    spread = np.nanstd(rows, axis=0)
    used = facts.selected[columns] & (spread > 0)
    if used.sum() < 2:
        return []
    places = np.flatnonzero(used)
    wide, narrow = places[spread[places].argmax()], places[spread[places].argmin()]
    ratio: Any = spread[wide] / spread[narrow]
    if ratio < UNITS_APART:
        return []
    return [
        f"The columns were not scaled: {facts.names[columns[wide]]!r} varies {ratio:,.0f} times as "
        f"much as {facts.names[columns[narrow]]!r} and dominates the distances. Scale them first."
    ]
