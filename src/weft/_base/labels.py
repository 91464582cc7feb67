"""Clusters numbered by the first row that belongs to them: one numbering for every method."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from weft._base.arrays import Integers


def order_by_first_row(labels: Integers) -> Integers:
    """Return the label values of at least 0, in the order of their first rows."""
    values, first = np.unique(labels, return_index=True)
    order = values[np.argsort(first)]
    return order[order >= 0].astype(np.int64)


def number_by_first_row(labels: Integers) -> Integers:
    """Renumber labels 0 … K-1 by the first row of each cluster; -1 stays -1."""
    order = order_by_first_row(labels)
    return renumber(labels, order)


def renumber(labels: Integers, order: Integers) -> Integers:
    """Give the label ``order[k]`` the number k; labels below 0 become -1."""
    out = np.full(len(labels), -1, dtype=np.int64)
    if len(order):
        numbers = np.full(int(order.max()) + 1, -1, dtype=np.int64)
        numbers[order] = np.arange(len(order))
        assigned = labels >= 0
        out[assigned] = numbers[labels[assigned]]
    return out


def numbers_by_first_row(labels: Integers, n_clusters: int) -> Integers:
    """Return new numbers (n_clusters,) for clusters, by their first rows; empty ones come last."""
    order = order_by_first_row(labels)
    numbers = np.full(n_clusters, -1, dtype=np.int64)
    numbers[order] = np.arange(len(order))
    numbers[numbers < 0] = np.arange(len(order), n_clusters)
    return numbers


def number_centers(nearest: Callable[[Any], Integers], centers: Any) -> tuple[Integers, Any]:
    """Return labels numbered by first row, and the centres that have rows, in that order.

    ``nearest(centers)`` gives each row its nearest centre, the first on a tie; for the returned
    centres it gives the returned labels. In the new order another centre may be the first for a row
    that is as near to two of them, so rows are assigned until the order stays. Each round settles
    at least one more cluster: that of the first row that is in none of the settled ones.
    """
    labels = nearest(centers)
    for _ in range(len(centers) + 1):
        order = order_by_first_row(labels)
        centers = centers[order]
        before, labels = renumber(labels, order), nearest(centers)
        if (labels == before).all():
            break
    return before, centers
