"""How surely each row belongs to its cluster, and how far it is from all others.

Every row is compared with a sample of the rows (all of them where there are few), in the metric of
the clusters:

sure  how much nearer the row is to its own cluster than to the next, from -1 to 1 (its silhouette
      against the sample); NaN where there is no other cluster
odd   distance to its tenth nearest row, divided by the usual one (1: as usual)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from weft._base.arrays import Floats, Integers
from weft.reporting.space import sample

N_SAMPLED = 1_500
# Maximum number of multiplications, to limit the time; wide tables get a smaller sample.
N_PRODUCTS = 12_000_000_000
N_NEAREST = 10
_CHUNK = 2_000


class Sureness(NamedTuple):
    """One entry per row."""

    sure: Floats
    next_label: Integers  # the nearest other cluster, -1 where there is none
    odd: Floats
    to_own: Floats  # mean distance to the rows of its own cluster, infinite where it has none
    sampled: Integers  # positions of the rows that were compared with


def measure_sureness(points: Floats, labels: Integers) -> Sureness:
    """Compare each row with the sample."""
    n, d = points.shape
    most = int(np.clip(N_PRODUCTS // max(n * d, 1), 300, N_SAMPLED))
    sampled = sample(labels, most)
    clusters = np.unique(labels[labels != -1])
    place = np.searchsorted(clusters, labels[sampled])
    member = np.zeros((len(sampled), len(clusters)))
    inside = np.flatnonzero(labels[sampled] != -1)
    member[inside, place[inside]] = 1.0
    sizes = member.sum(axis=0)
    among = np.full(n, -1)
    among[sampled] = np.arange(len(sampled))
    centre = points[sampled].mean(axis=0)
    known = points[sampled] - centre
    lengths = (known**2).sum(axis=1)
    sure, odd, to_own = np.full(n, np.nan), np.empty(n), np.full(n, np.inf)
    next_label = np.full(n, -1, dtype=np.int64)
    for first in range(0, n, _CHUNK):
        rows = slice(first, first + _CHUNK)
        own = points[rows] - centre
        distances = (own**2).sum(axis=1)[:, None] + lengths - 2.0 * (own @ known.T)
        np.sqrt(np.maximum(distances, 0.0, out=distances), out=distances)
        itself = np.flatnonzero(among[rows] >= 0)
        distances[itself, among[rows][itself]] = 0.0
        _compare(
            distances, member, sizes, clusters, labels[rows], among[rows] >= 0,
            sure[rows], next_label[rows], to_own[rows],
        )  # fmt: skip
        nearest = min(N_NEAREST, len(sampled) - 1)
        odd[rows] = np.partition(distances, nearest, axis=1)[:, nearest]
    usual = float(np.median(odd))
    return Sureness(sure, next_label, odd / usual if usual > 0 else odd + 1.0, to_own, sampled)


def _compare(
    distances: Floats,
    member: Floats,
    sizes: Floats,
    found: Integers,
    labels: Integers,
    is_sampled: np.ndarray,
    sure: Floats,
    next_label: Integers,
    to_own: Floats,
) -> None:
    """Fill the last three arguments for some rows, from their distances to the sample."""
    sums = distances @ member
    own = np.searchsorted(found, labels)
    inside = np.flatnonzero(labels != -1)
    means = sums / np.maximum(sizes, 1.0)
    others = means.copy()
    if len(inside):
        others[inside, own[inside]] = np.inf
        # A row of the sample is not its own neighbour.
        counted = sizes[own[inside]] - is_sampled[inside]
        alone = counted <= 0
        to_own[inside] = sums[inside, own[inside]] / np.maximum(counted, 1.0)
    if len(found) < 2 and not (len(found) == 1 and len(inside) < len(labels)):
        return
    best = others.argmin(axis=1)
    second = others[np.arange(len(labels)), best]
    reached = np.isfinite(second)
    next_label[reached] = found[best[reached]]
    if len(inside):
        widest = np.maximum(to_own[inside], second[inside])
        with np.errstate(invalid="ignore", divide="ignore"):
            width = (second[inside] - to_own[inside]) / widest
        width[alone | (widest == 0)] = 0.0
        sure[inside] = np.where(np.isfinite(second[inside]), width, np.nan)
