"""Tables of which a sample is searched: from the answer for the sample to all rows.

`learned` are the fitted attributes by name. Clustered rows are called anchors: every other row gets
the cluster of its nearest anchor.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from weft._base.arrays import Floats, Integers
from weft._base.labels import number_by_first_row, order_by_first_row, renumber
from weft.auto.canonical import order_by_bits
from weft.auto.examining import FIXED
from weft.auto.rare import FEWEST, MOST_ANCHORS, Known, RareCluster, find_rare
from weft.auto.rows import RowsInMemory
from weft.auto.search import Answer, Settings
from weft.auto.soft import soft_answers
from weft.backends.cpu.known_rows import nearest_rows_of
from weft.backends.spaces import Solution
from weft.columns.weights import subspace_weights

SOFT_ROWS = 100_000  # in larger tables, memberships are computed on request
SAMPLE_ROWS = 20_000  # number of rows of a larger table that are screened and searched


def sampled_rows(X: Floats) -> Integers:
    """Return the rows of a table in memory that are searched, whatever the order of its rows."""
    return np.sort(order_by_bits(X)[0][sampled_places(len(X))])


def sampled_places(n_rows: int) -> Integers:
    """Return places 0 … n_rows - 1 of the rows that are searched, in order."""
    if n_rows <= SAMPLE_ROWS:
        return np.arange(n_rows)
    rng = np.random.default_rng([FIXED, 11])
    return np.sort(rng.choice(n_rows, SAMPLE_ROWS, replace=False))


def known_rows(learned: dict[str, Any]) -> Known:
    """Return the anchors and the metric of what was learned."""
    metric = learned["feature_weights_"] / learned["feature_scales_"]
    return Known(learned["_fit_anchors"], learned["_fit_anchor_labels"], metric)


def in_all_rows(
    learned: dict[str, Any],
    X: Floats,
    chosen: Integers,
    columns: Integers,
    *,
    rare: int,
    n_threads: int,
) -> dict[str, Any]:
    """Return the fitted attributes for all rows of a table in memory, from those of the sample.

    `columns` are the columns in canonical order; `rare` is the smallest size of a rare cluster, or
    0 if none are searched for.
    """
    learned = {
        **learned,
        "_others": others_of(learned),
        "_fit_anchor_rows": chosen[learned["_fit_anchor_rows"]],
    }
    found: list[RareCluster] = []
    if rare:
        found = find_rare(RowsInMemory(X, n_threads), known_rows(learned), rare)
    if found:
        learned |= add_rare(learned, found, len(X))
    if found or len(chosen) < len(X):
        known = known_rows(learned)
        nearest = np.zeros(len(X), dtype=np.int64)
        if (known.metric > 0.0).any():
            solution = Solution(known.metric)
            nearest = nearest_rows_of(X, known.anchors, solution, n_threads=n_threads).indices
        learned |= say_of_all(learned, nearest)
        for name in ("_fit_membership", "_fit_outlier_scores"):  # of the chosen rows
            learned.pop(name, None)
        if learned["method_"] != "none" and len(X) <= SOFT_ROWS:
            learned |= soft_of_all(learned, X, columns, n_threads)
    del learned["_others"]
    return learned


def add_rare(learned: dict[str, Any], found: list[RareCluster], n_rows: int) -> dict[str, Any]:
    """Return the attributes that change when rare clusters are added.

    Their rows become anchors, up to a maximum number for each; ``_others`` are the labels of the
    anchors in the other answers. The labels of rows do not change here: see `say_of_all`.
    """
    known = known_rows(learned)
    at = learned["_fit_anchor_rows"]
    anchors, labels, rows = [known.anchors], known.labels.copy(), [at]
    more, sizes = [], []
    for number, rare in enumerate(found, start=learned["n_clusters_"]):
        labels[rare.anchors] = number
        new = np.flatnonzero(~np.isin(rare.number, at))
        new = new[np.linspace(0, len(new) - 1, min(len(new), MOST_ANCHORS)).astype(np.int64)]
        anchors.append(rare.rows[new])
        rows.append(rare.number[new])
        more.append(np.full(len(new), number))
        sizes.append(len(rare.number))
    added = np.concatenate(anchors[1:])
    nearest = nearest_rows_of(added, known.anchors, Solution(known.metric)).indices
    all_rows = np.concatenate(rows)
    all_labels = np.concatenate([labels, *more])
    kept = np.flatnonzero(known.metric > 0.0)
    tighter = np.zeros((learned["n_clusters_"] + len(found), len(known.metric)))
    inside = all_labels >= 0
    values = np.concatenate(anchors)[:, kept] / learned["feature_scales_"][kept]
    tighter[:, kept] = subspace_weights(values[inside], all_labels[inside])
    told = f"{len(found)} rare clusters" if len(found) > 1 else "a rare cluster"
    verdict = (
        f"{learned['verdict_']} A second pass over all {n_rows:,} rows found {told}, with about "
        f"{' and '.join(f'{size:,}' for size in sizes)} rows."
    )
    return {
        "n_clusters_": len(tighter),
        "cluster_feature_weights_": tighter,
        "cluster_stability_": np.append(learned["cluster_stability_"], np.full(len(found), np.nan)),
        "verdict_": verdict,
        "_fit_anchors": np.concatenate(anchors),
        "_fit_anchor_rows": all_rows,
        "_fit_anchor_labels": all_labels,
        "_others": [np.concatenate([own, own[nearest]]) for own in learned["_others"]],
    }


def say_of_all(
    learned: dict[str, Any], nearest: Integers, n_own: int | None = None
) -> dict[str, Any]:
    """Return the attributes that change when all rows get labels, given each row's nearest anchor.

    The first `n_own` anchors, by default all, are among these rows, at ``_fit_anchor_rows``.
    ``_others`` are the labels of the anchors in the other answers.
    """
    nearest = nearest.copy()
    own = learned["_fit_anchor_rows"][:n_own]
    nearest[own] = np.arange(len(own))
    labels = learned["_fit_anchor_labels"][nearest]
    order = order_by_first_row(labels)
    numbered = renumber(labels, order)
    others = iter(learned["_others"])
    spread = {
        name: [{**one, "labels": number_by_first_row(next(others)[nearest])} for one in given]
        for name, given in (
            ("alternatives_", learned["alternatives_"]),
            ("candidates_", learned["candidates_"]),
        )
    }
    if spread["alternatives_"]:
        chosen = {"labels": numbered, "n_clusters": len(order)}
        spread["alternatives_"][0] |= chosen
    return {
        **spread,
        "labels_": numbered,
        "n_clusters_": len(order),
        "cluster_feature_weights_": learned["cluster_feature_weights_"][order],
        "cluster_stability_": learned["cluster_stability_"][order],
        "_fit_anchor_labels": renumber(learned["_fit_anchor_labels"], order),
    }


def soft_of_all(
    learned: dict[str, Any], X: Floats, columns: Integers, n_threads: int
) -> dict[str, Any]:
    """Return memberships and outlier scores of all rows."""
    metric = known_rows(learned).metric
    used = columns[metric[columns] > 0.0]
    points = X[:, used] * metric[used]
    labels, confidence = learned["labels_"], float(learned["confidence_"])
    at = learned["_fit_anchor_rows"]
    return soft_answers(points, at, labels, confidence, n_threads=n_threads)


def others_of(learned: dict[str, Any]) -> list[Integers]:
    """Return the labels of the anchors in the other answers, as `say_of_all` takes them."""
    at = learned["_fit_anchor_rows"]
    return [one["labels"][at] for one in (*learned["alternatives_"], *learned["candidates_"])]


def smallest_rare(settings: Settings, answer: Answer) -> int:
    """Return the smallest size of a rare cluster; 0 if none may be added."""
    n_clusters = int(answer.labels.max()) + 1
    most = settings.n_clusters or settings.max_clusters
    if not answer.partition.clustered or (most is not None and n_clusters >= most):
        return 0
    return max(FEWEST, settings.min_cluster_size)
