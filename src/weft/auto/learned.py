"""The fitted attributes of AutoCluster, from an answer that is in canonical order."""

from __future__ import annotations

from typing import Any

import numpy as np

from weft._base.arrays import Floats, Integers, Mask
from weft._base.labels import number_by_first_row, order_by_first_row, renumber
from weft.auto.canonical import Canonical
from weft.auto.examining import FEWEST_ROWS
from weft.auto.judge import load
from weft.auto.reasons import reasons
from weft.auto.resampling import (
    MAX_ROWS,
    SHARE,
    Repeat,
    cluster_stability,
    share_of_round,
    stability_of,
    weight_interval,
)
from weft.auto.search import Answer
from weft.auto.soft import soft_answers
from weft.backends.cpu.known_rows import nearest_rows_of
from weft.backends.spaces import Solution
from weft.columns.weights import association, subspace_weights

SURE = 0.8  # probability of a right answer from which repeats that disagree are surprising
ALIKE = 0.7  # adjusted Rand index from which clusterings are called similar


def learn(
    given: Canonical,
    table: Floats,
    scales: Floats,
    answer: Answer,
    repeats: list[Repeat],
    owner: Integers | None = None,
    *,
    soft: bool = True,
    n_threads: int = 1,
) -> dict[str, Any]:
    """Return the fitted attributes by name, in the order of rows and columns as given.

    `table` is the canonical table in units of its columns' deviations, `scales`; `owner` has the
    source column of each given column, where several may belong to one. With `soft`, memberships of
    rows that are not searched are among the attributes.
    """
    clustered = answer.partition.clustered
    learned = _of_columns(given, table, scales, answer, repeats)
    kept = learned["feature_weights_"] > 0.0
    in_columns = np.argsort(given.columns)
    anchors = np.ascontiguousarray(given.table[np.ix_(answer.rows, in_columns)])
    used = _used_columns(given, answer, kept)
    nearest = np.zeros(len(table), dtype=np.int64)
    if len(answer.rows) < len(table) and (clustered or answer.alternatives):
        metric = learned["feature_weights_"] / learned["feature_scales_"]
        if not clustered:  # the metric of the weak answer, as `take_alternative` computes it
            weak = answer.alternatives[1].labels
            rows = table[np.ix_(answer.rows[weak >= 0], in_columns[used])]
            metric[used] = association(rows, weak[weak >= 0]) / learned["feature_scales_"][used]
        nearest = nearest_anchors(given.table[:, in_columns], anchors, metric, n_threads=n_threads)
    nearest[answer.rows] = np.arange(len(answer.rows))
    labels = answer.labels[nearest]
    nearest = in_given_order(nearest, given.rows)
    order = order_by_first_row(answer.labels[nearest])
    anchor_labels = renumber(answer.labels, order)
    tighter = np.zeros((len(order), table.shape[1]))
    if clustered:
        rows = table[np.ix_(answer.rows, in_columns[kept])]
        inside = anchor_labels >= 0
        tighter[:, kept] = subspace_weights(rows[inside], anchor_labels[inside])
    confidence = float(answer.partition.confidence)
    verdict = answer.partition.verdict
    learned |= {
        "labels_": renumber(answer.labels[nearest], order),
        "n_clusters_": len(order),
        "cluster_feature_weights_": tighter,
        "cluster_stability_": (
            cluster_stability(answer.labels, repeats)[order] if repeats else np.zeros(len(order))
        ),
        "stability_": stability_of(answer.labels, repeats) if repeats else float(not clustered),
        "confidence_": confidence,
        "fitness_": confidence if clustered else 0.0,
        "feature_exponents_": None,
        "method_": answer.partition.method or "none",
        "evidence_": (
            reasons(load(), verdict.features)
            if clustered and verdict is not None
            else _own_reasons(answer)
        ),
        "alternatives_": _alternatives(answer, nearest, used),
        "candidates_": _candidates(answer, nearest),
        "_fit_anchors": anchors,
        "_fit_anchor_labels": anchor_labels,
        "_fit_anchor_rows": given.rows[answer.rows],
    }
    if soft and clustered and len(answer.rows) < len(table):
        learned |= _soft_answers(given, table, answer, labels, order, n_threads)
    return {**learned, "verdict_": verdict_of(answer, learned, bool(repeats), owner)}


def _soft_answers(
    given: Canonical,
    table: Floats,
    answer: Answer,
    labels: Integers,
    order: Integers,
    n_threads: int,
) -> dict[str, Any]:
    """Return soft answers of all rows; `labels` are theirs in canonical order."""
    used = answer.weights > 0.0
    points = np.ascontiguousarray(table[:, used]) * answer.weights[used]
    confidence = float(answer.partition.confidence)
    made = soft_answers(points, answer.rows, labels, confidence, n_threads=n_threads)
    member = made["_fit_membership"]
    numbers = renumber(np.arange(len(order)), order).astype(np.int32)
    clusters, likely = np.empty_like(member.clusters), np.empty_like(member.probabilities)
    clusters[given.rows] = numbers[member.clusters]
    likely[given.rows] = member.probabilities
    return {
        "_fit_membership": member._replace(clusters=clusters, probabilities=likely),
        "_fit_outlier_scores": in_given_order(made["_fit_outlier_scores"], given.rows),
    }


def _of_columns(
    given: Canonical, table: Floats, scales: Floats, answer: Answer, repeats: list[Repeat]
) -> dict[str, Any]:
    """Return the attributes that describe each column."""
    kept_share = answer.partition.kept.astype(float)
    interval = np.stack([answer.weights, answer.weights])
    if repeats:
        kept_share = np.mean([repeat.kept for repeat in repeats], axis=0)
        interval = weight_interval(table[answer.rows], answer.weights, repeats)
    return {
        "feature_scales_": in_given_order(scales, given.columns),
        "feature_weights_": in_given_order(answer.weights, given.columns),
        "feature_weight_intervals_": in_given_order(interval, given.columns),
        "feature_stability_": in_given_order(kept_share, given.columns),
    }


def _own_reasons(answer: Answer) -> dict[str, list[str]]:
    """Return the evidence for and against the answer of a mixed table."""
    for one in answer.by_number:
        if one.method == answer.partition.method:
            return one.reasons
    return {"for": [], "against": []}


def _used_columns(given: Canonical, answer: Answer, kept: Mask) -> Integers:
    """Return the columns that the answers use.

    Weak answers use the columns that the screening kept; where it kept none, all that depend on
    others (mixed tables), and otherwise all that vary.
    """
    if answer.partition.clustered:
        return np.flatnonzero(kept)
    screening = answer.partition.screening
    varying = np.ptp(given.table, axis=0) > 0.0
    for mask in (screening.kept, screening.dependent, varying):
        if mask.any():
            return np.flatnonzero(in_given_order(mask, given.columns))
    return np.flatnonzero(kept)


def _alternatives(answer: Answer, nearest: Integers, features: Integers) -> list[dict[str, Any]]:
    return [
        {
            **one._asdict(),
            "labels": number_by_first_row(one.labels[nearest]),
            "features": features,
            "n_features": len(features),
        }
        for one in answer.alternatives
    ]


def _candidates(answer: Answer, nearest: Integers) -> list[dict[str, Any]]:
    return [
        {**one._asdict(), "labels": number_by_first_row(one.labels[nearest])}
        for one in answer.by_number
    ]


def verdict_of(
    answer: Answer, learned: dict[str, Any], repeated: bool, owner: Integers | None = None
) -> str:
    """Return the answer and how sure it is, in one to three sentences."""
    weights = learned["feature_weights_"]
    owner = np.arange(len(weights)) if owner is None else owner
    n_features = len(np.unique(owner))
    confidence = learned["confidence_"]
    if not answer.partition.clustered:
        if len(learned["labels_"]) < FEWEST_ROWS:
            return f"No clusters found: {len(learned['labels_'])} rows are too few to tell."
        weak = ""
        if answer.alternatives:
            weak = f"; answer 2 is a weak one of {answer.alternatives[1].n_clusters} clusters"
        if answer.partition.verdict is not None:
            return (
                f"No clusters found: the {n_features} columns look like one cloud "
                f"(probability {confidence:.0%}){weak}."
            )
        if answer.alternatives:
            return (
                "No clusters found: columns depend on each other, but the rows are no more clumped "
                f"than one cloud{weak}."
            )
        return f"No clusters found: none of the {n_features} columns can be clustered."
    n_kept = len(np.unique(owner[weights > 0.0]))
    text = (
        f"{learned['n_clusters_']} clusters from {n_kept} of {n_features} columns; the probability "
        f"that they are right is about {confidence:.0%}."
    )
    if repeated:
        stability = learned["stability_"]
        # Both may hold: the clusters of all rows are clear, and those of fewer rows are not.
        start = "But repeating" if confidence >= SURE and stability < ALIKE else "Repeating"
        text += (
            f" {start} the search on {_rows_of_round(len(learned['labels_']))} gives "
            f"{_how_alike(stability)} clusters (adjusted Rand index {stability:.2f})."
        )
    if answer.partition.caution:
        text = f"Caution: {answer.partition.caution}. {text}"
    if answer.cut_short_by:
        text += f" Repeats were left out because of {answer.cut_short_by}."
    return text


def _rows_of_round(n_rows: int) -> str:
    """Return in words which rows a repeat of the search has."""
    if share_of_round(n_rows) < SHARE:
        return f"{MAX_ROWS} of the {n_rows:,} rows"
    return f"{SHARE:.0%} of the rows"


def _how_alike(stability: float) -> str:
    if stability >= 0.9:
        return "nearly the same"
    return "similar" if stability >= ALIKE else "rather different"


def nearest_anchors(X: Floats, anchors: Floats, metric: Floats, *, n_threads: int = 1) -> Integers:
    """Return the nearest anchor of each row; `metric` is the factor of each column."""
    return nearest_rows_of(X, anchors, Solution(metric), n_threads=n_threads).indices


def in_given_order(values: np.ndarray, order: Integers) -> np.ndarray:
    """Put values of canonical positions (last axis) back where the table has them."""
    out = np.empty_like(values)
    out[..., order] = values
    return out
