"""What a fitted AutoCluster says once another of its answers is taken."""

from __future__ import annotations

from typing import Any

import numpy as np

from weft._base.arrays import Integers
from weft.columns.weights import association, subspace_weights


def take_alternative(
    learned: dict[str, Any], number: int, owner: Integers | None
) -> dict[str, Any]:
    """Return the attributes that change when answer `number` (from 1) is taken.

    Weights are computed again for its clusters, on the columns that the search has kept; how sure
    it is was not asked of the judge, and the search was not repeated for it.

    Parameters
    ----------
    learned : the fitted attributes by name
    number : position in ``alternatives_``, from 1
    owner : (d,) the source column of each coordinate; None: each is its own
    """
    taken = learned["alternatives_"][number - 1]
    labels, n_clusters = taken["labels"], int(taken["n_clusters"])
    weights = np.zeros_like(learned["feature_weights_"])
    tighter = np.zeros((n_clusters, len(weights)))
    anchor_labels = labels[learned["_fit_anchor_rows"]]
    inside = anchor_labels >= 0
    kept = taken["features"]
    projection = learned.get("_fit_projection")  # of a sparse table, whose anchors have few columns
    places = kept if projection is None else np.searchsorted(projection.columns, kept)
    rows = learned["_fit_anchors"][np.ix_(np.flatnonzero(inside), places)]
    rows = rows / learned["feature_scales_"][kept]
    weights[kept] = association(rows, anchor_labels[inside])
    tighter[:, kept] = subspace_weights(rows, anchor_labels[inside])
    if owner is not None:
        largest = np.zeros(int(owner.max()) + 1)
        np.maximum.at(largest, owner, weights)
        weights = np.where(weights > 0.0, largest[owner], 0.0)
    return {
        "labels_": labels,
        "n_clusters_": n_clusters,
        "method_": taken["method"],
        "confidence_": None,
        "fitness_": None,
        "stability_": float("nan"),
        "cluster_stability_": np.full(n_clusters, np.nan),
        "feature_weights_": weights,
        "feature_weight_intervals_": np.stack([weights, weights]),
        "cluster_feature_weights_": tighter,
        "evidence_": _reasons(learned, labels),
        "verdict_": _verdict(learned, number, n_clusters),
        "_fit_anchor_labels": anchor_labels,
    }


def _reasons(learned: dict[str, Any], labels: Integers) -> dict[str, list[str]]:
    for one in learned["candidates_"]:
        if np.array_equal(one["labels"], labels):
            return one["reasons"]
    return {"for": [], "against": []}


def _verdict(learned: dict[str, Any], number: int, n_clusters: int) -> str:
    first = learned["alternatives_"][0]["n_clusters"]
    sure = learned["confidence_"]
    about = "" if sure is None else f", right with a probability of about {sure:.0%}"
    return (
        f"{n_clusters} clusters: answer {number} of {len(learned['alternatives_'])}, taken by "
        f"hand. The first answer has {first} clusters{about}; how sure this one is was not "
        "measured."
    )
