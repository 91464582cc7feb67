"""Clusterings of a mixed table that compete, and what speaks for each of them.

Two ways to cluster, each for every number of clusters:

- "main-directions-kmeans": k-means along the directions on which several columns agree;
- "latent-classes": the mixture that starts there and leaves gaps out (`columns.mixed.classes`).
  It is better where columns are independent within a cluster and worse where they are not, and is
  asked only for tables that are more clumped than one cloud, and where it fits them better than
  it fits clouds by `LEAST_CLASS_GAIN` and has not wandered off: `LEAST_AGREEMENT` with k-means,
  less where values are missing, since k-means then sees what was filled in.

What is measured of each, without labels:

=========  ========================================================================================
evidence   meaning
=========  ========================================================================================
stability  adjusted Rand index of the clusterings of two halves of the rows, mean of `N_SPLITS`
agreement  adjusted Rand index of the two ways at this number of clusters
gain       log-likelihood per row of the mixture at these clusters, above that of one class, less
           what one cloud with the same margins, gaps and dependence gains (`columns.mixed.copula`)
ratio      gain over the largest gain of any candidate
smallest   share of the rows in the smallest cluster, up to `SMALL`
=========  ========================================================================================
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from sklearn.metrics import adjusted_rand_score

from weft._base.arrays import Floats, Integers
from weft._base.labels import number_by_first_row
from weft.columns.mixed import along_main_directions, learn_main_view
from weft.columns.mixed.classes import Profile, fit_classes, joint_likelihood, profile_of
from weft.columns.mixed.copula import draw_cloud, fit_copula
from weft.columns.source import MixedTable
from weft.kmeans.plain import kmeans

MAX_CLUSTERS = 10
N_SPLITS = 5
N_CLOUDS = 4
FEWEST_ROWS = 10  # of a half, per cluster
SMALL = 0.06
LEAST_GAIN = 0.05
LEAST_CLASS_GAIN = 0.3
LEAST_AGREEMENT = 0.65
GAPS = 3.0  # a third of the values missing: k-means has no say any more
LEAST_STABLE = 0.5  # below this, the clusterings of two halves differ too much
KMEANS, CLASSES = "main-directions-kmeans", "latent-classes"


class SourceCandidate(NamedTuple):
    """Labels, how they were made, and the evidence of the table above."""

    labels: Integers
    n_clusters: int
    way: str
    stability: float
    agreement: float
    gain: float
    ratio: float
    smallest: float


class _Ways(NamedTuple):
    """Both ways at one number of clusters: labels, and gains of likelihood over one class."""

    kmeans: Integers
    classes: Integers
    gains: tuple[float, float]


def source_candidates(
    table: MixedTable,
    *,
    low: int,
    high: int | None,
    with_classes: bool,
    rng: np.random.Generator,
) -> list[SourceCandidate]:
    """Return the candidates for each number from `low` to `high`, with their evidence."""
    n = len(table.values)
    last = max(low, min(high or MAX_CLUSTERS, n // (2 * FEWEST_ROWS), MAX_CLUSTERS))
    numbers = range(low, last + 1)
    points = _points_of(table)
    profile = profile_of(table)
    ways = {count: _both_ways(points, profile, count, rng) for count in numbers}
    in_clouds = _gains_of_clouds(table, numbers, rng)
    halves = [np.array_split(rng.permutation(n), 2) for _ in range(N_SPLITS)]
    found = []
    for count in numbers:
        stable = _stability(points, profile, halves, count, rng)
        agreement = float(adjusted_rand_score(ways[count].kmeans, ways[count].classes))
        for place, (way, labels) in enumerate(
            ((KMEANS, ways[count].kmeans), (CLASSES, ways[count].classes))
        ):
            if way == CLASSES and not with_classes:
                continue
            found.append(
                SourceCandidate(
                    number_by_first_row(labels),
                    int(labels.max()) + 1,
                    way,
                    stable[place],
                    agreement,
                    ways[count].gains[place] - in_clouds[count][place],
                    0.0,
                    min(float(np.bincount(labels).min()) / n, SMALL),
                )
            )
    largest = max(LEAST_GAIN, *(each.gain for each in found))
    share = float(np.isnan(table.values).mean())
    least = LEAST_AGREEMENT * max(0.0, 1.0 - GAPS * share)
    return [
        each._replace(ratio=float(np.clip(each.gain / largest, -1.0, 1.0)))
        for each in found
        if each.way == KMEANS or (each.gain >= LEAST_CLASS_GAIN and each.agreement >= least)
    ]


def _points_of(table: MixedTable) -> Floats:
    return np.ascontiguousarray(along_main_directions(learn_main_view(table), table.values))


def _both_ways(
    points: Floats, profile: Profile, count: int, rng: np.random.Generator, n_starts: int = 10
) -> _Ways:
    base = fit_classes(profile, np.zeros(len(points), dtype=np.int64), 1).likelihood
    centred = kmeans(points, count, n_starts, rng).labels
    once = fit_classes(profile, centred, count, max_rounds=1)
    fitted = fit_classes(profile, centred, count)
    gains = (once.likelihood - base, fitted.likelihood - base)
    # A class that lost all of its rows leaves a gap in the numbers.
    packed = np.unique(fitted.labels, return_inverse=True)[1].astype(np.int64)
    return _Ways(centred, packed, gains)


def _gains_of_clouds(
    table: MixedTable, numbers: range, rng: np.random.Generator
) -> dict[int, Floats]:
    """Return the mean gains of both ways in clouds without clusters, by number of clusters."""
    copula = fit_copula(table)
    sums = {count: np.zeros(2) for count in numbers}
    for _ in range(N_CLOUDS):
        cloud = MixedTable(draw_cloud(copula, rng), table.columns)
        points, profile = _points_of(cloud), profile_of(cloud)
        for count in numbers:
            sums[count] += _both_ways(points, profile, count, rng, n_starts=3).gains
    return {count: total / N_CLOUDS for count, total in sums.items()}


def _stability(
    points: Floats,
    profile: Profile,
    halves: list[list[Integers]],
    count: int,
    rng: np.random.Generator,
) -> tuple[float, float]:
    """Return how far two halves of the rows agree on all rows, for both ways."""
    agreed = np.zeros((len(halves), 2))
    for split, half in enumerate(halves):
        by_centre, by_class = [], []
        for rows in half:
            if len(rows) < count:
                return 0.0, 0.0
            own = kmeans(np.ascontiguousarray(points[rows]), count, 3, rng)
            squared = (own.centers**2).sum(axis=1) - 2.0 * (points @ own.centers.T)
            by_centre.append(squared.argmin(axis=1))
            classes = fit_classes(profile.take(rows), own.labels, count)
            by_class.append(joint_likelihood(profile, classes.model).argmax(axis=1))
        agreed[split] = adjusted_rand_score(*by_centre), adjusted_rand_score(*by_class)
    means = agreed.mean(axis=0)
    return float(means[0]), float(means[1])
