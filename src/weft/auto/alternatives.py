"""Other answers: the next best ones that differ from the chosen one, and how to use one of them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from weft._base.arrays import Floats, Integers
from weft.auto.agreement import rand_index
from weft.columns.weights import association, subspace_weights

SAME_STORY = 0.9  # adjusted Rand index from which two clusterings count as the same
MAX_ALTERNATIVES = 6


class Alternative(NamedTuple):
    """One answer, the chosen one first."""

    quality: float  # the judge's score minus that of the answer; NaN if they cannot be compared
    n_clusters: int
    labels: Integers  # of the rows that were clustered
    method: str


def find_alternatives(
    labels: list[Integers], methods: list[str], scores: Floats, winner: int
) -> list[Alternative]:
    """Return the winner, then further candidates by score that differ from all before them."""
    chosen: list[int] = [winner]
    for place in np.argsort(-scores, kind="stable"):
        if len(chosen) == MAX_ALTERNATIVES:
            break
        like = (rand_index(labels[place], labels[other]) for other in chosen)
        if all(index < SAME_STORY for index in like):
            chosen.append(int(place))
    return [
        Alternative(
            float(scores[at] - scores[winner]), int(labels[at].max()) + 1, labels[at], methods[at]
        )
        for at in chosen
    ]


def different(alternatives: tuple[Alternative, ...]) -> list[Alternative]:
    """Return the first, and those of the others that differ from all before them."""
    chosen: list[Alternative] = []
    for one in alternatives:
        like = (rand_index(one.labels, other.labels) for other in chosen)
        if len(chosen) < MAX_ALTERNATIVES and all(index < SAME_STORY for index in like):
            chosen.append(one)
    return chosen


def take_alternative(
    learned: dict[str, Any], number: int, owner: Integers | None
) -> dict[str, Any]:
    """Return the attributes that change when answer `number` (from 1) is used.

    Weights are computed again for its clusters, on the columns that the search has kept. The judge
    does not estimate the confidence of this answer, and the search is not repeated for it.

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
    answer = f"has {first} clusters" if first > 1 else 'is "no clusters"'
    return (
        f"{n_clusters} clusters: answer {number} of {len(learned['alternatives_'])}, chosen "
        f"by you. The first answer {answer}{about}; how certain this one is was not measured."
    )
