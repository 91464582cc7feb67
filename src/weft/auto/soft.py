"""Soft answers for tables with more rows than a model keeps: computed in fit, and stored."""

from __future__ import annotations

from typing import Any

import numpy as np

from weft._base.arrays import Floats, Integers
from weft.answers.membership import Membership, most_likely, soften, softness_of
from weft.answers.outlyingness import (
    group_anchors,
    measure_reach,
    nearest_of_groups,
    scores_of_block,
    squared_blocks,
)


def soft_answers(
    points: Floats, anchors: Integers, labels: Integers, confidence: float
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
    """
    known, n_clusters = points[anchors], int(labels.max()) + 1
    reach = measure_reach(known)
    softness = softness_of(confidence, reach.dimension)
    groups = group_anchors(labels[anchors], n_clusters)
    parts, scores = [], np.empty(len(points))
    for span, squared in squared_blocks(points, known):
        distances = nearest_of_groups(squared, groups)
        parts.append(most_likely(soften(distances, softness, labels[span])))
        scores[span] = scores_of_block(squared, reach)
    return {
        "_fit_membership": Membership(
            np.concatenate([part.clusters for part in parts]),
            np.concatenate([part.probabilities for part in parts]),
            n_clusters,
        ),
        "_fit_outlier_scores": scores,
    }
