"""Distances from rows to anchors, rows whose clusters are known, block by block.

A row that is an anchor must not count as its own neighbour. So for every row one anchor at distance
0 is left out, whether it is the row itself or an equal one: rows seen in fit get the same answer
from `predict_proba` as from the attributes of the fit.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from weft._base.arrays import Floats, Integers

_BLOCK_CELLS = 2_000_000  # distances that are held at once
# Rounding in float64 products makes the squared distance of two equal rows about this share of
# their squared lengths.
_EQUAL = 1e-13


def squared_blocks(points: Floats, anchors: Floats) -> Iterator[tuple[slice, Floats]]:
    """Return squared distances (b, A) of blocks of rows, infinite where an anchor is left out."""
    middle = anchors.mean(axis=0)
    known = anchors - middle
    squares = np.einsum("ij,ij->i", known, known)
    n_rows = max(1, _BLOCK_CELLS // max(len(anchors), 1))
    for first in range(0, len(points), n_rows):
        span = slice(first, min(first + n_rows, len(points)))
        rows = points[span] - middle
        own = np.einsum("ij,ij->i", rows, rows)
        squared = rows @ known.T
        squared *= -2.0
        squared += own[:, None]
        squared += squares
        np.maximum(squared, 0.0, out=squared)
        nearest = squared.argmin(axis=1)
        places = np.arange(len(rows))
        equal = squared[places, nearest] <= _EQUAL * (own + squares[nearest])
        squared[places[equal], nearest[equal]] = np.inf
        yield span, squared


class AnchorGroups(NamedTuple):
    """The anchors of each cluster, one cluster after the other."""

    order: Integers  # anchors that have a cluster, sorted by it
    starts: Integers  # where each cluster begins in `order`
    clusters: Integers  # which cluster that is
    n_clusters: int


def group_anchors(labels: Integers, n_clusters: int) -> AnchorGroups:
    """Return the anchors of each cluster, by their labels."""
    inside = np.flatnonzero(labels >= 0)
    order = inside[np.argsort(labels[inside], kind="stable")]
    clusters, starts = np.unique(labels[order], return_index=True)
    return AnchorGroups(order, starts, clusters, n_clusters)


def nearest_of_groups(squared: Floats, groups: AnchorGroups) -> Floats:
    """Return the distance to the nearest anchor of each cluster (b, K), given all squared ones.

    A cluster without any remaining anchor gets the distance of the nearest other cluster.
    """
    out = np.full((len(squared), groups.n_clusters), np.inf)
    if len(groups.order):
        out[:, groups.clusters] = np.minimum.reduceat(
            squared[:, groups.order], groups.starts, axis=1
        )
    nearest = out.min(axis=1, keepdims=True)
    nearest[~np.isfinite(nearest)] = 0.0
    np.copyto(out, nearest, where=~np.isfinite(out))
    return np.sqrt(out)


def cluster_distances(points: Floats, anchors: Floats, labels: Integers, n_clusters: int) -> Floats:
    """Return the distance of each row to the nearest anchor of each cluster, (n, K)."""
    groups = group_anchors(labels, n_clusters)
    out = np.empty((len(points), n_clusters))
    for span, squared in squared_blocks(points, anchors):
        out[span] = nearest_of_groups(squared, groups)
    return out
