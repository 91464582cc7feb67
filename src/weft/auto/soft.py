"""Soft answers for tables with more rows than a model keeps: computed in fit, and stored."""

from __future__ import annotations

from typing import Any

import numpy as np

from weft._base.arrays import Floats, Integers
from weft.answers.membership import Membership, most_likely, soften, softness_of
from weft.answers.outlyingness import (
    around_middle,
    blocks_of_rows,
    group_anchors,
    measure_reach,
    nearest_of_groups,
    scores_of_block,
    squared_distances,
)
from weft.parallel.threads import ordered_map


def soft_answers(
    points: Floats,
    anchors: Integers,
    labels: Integers,
    confidence: float,
    *,
    n_threads: int = 1,
) -> dict[str, Any]:
    """Return memberships and outlier scores of all rows by the names of their attributes.

    Parameters
    ----------
    points : ndarray of shape (n, q)
        Rows in the learned metric.
    anchors : ndarray of shape (A,)
        Which of them are anchors.
    labels : ndarray of shape (n,)
        Clusters of all rows, -1 for none.
    confidence : float
        How likely the clustering is right.
    n_threads : int
        Threads that share the blocks of rows.
    """
    known, n_clusters = points[anchors], int(labels.max()) + 1
    reach = measure_reach(known)
    softness = softness_of(confidence, reach.dimension)
    groups = group_anchors(labels[anchors], n_clusters)
    centred = around_middle(known)

    def answer_block(span: slice) -> tuple[Membership, Floats]:
        squared = squared_distances(points[span], centred)
        distances = nearest_of_groups(squared, groups)
        likely = most_likely(soften(distances, softness, labels[span]))
        return likely, scores_of_block(squared, reach)

    answered = ordered_map(answer_block, blocks_of_rows(len(points), len(known)), n_threads)
    parts = [likely for likely, _ in answered]
    return {
        "_fit_membership": Membership(
            np.concatenate([part.clusters for part in parts]),
            np.concatenate([part.probabilities for part in parts]),
            n_clusters,
        ),
        "_fit_outlier_scores": np.concatenate([scores for _, scores in answered]),
    }
