"""The candidate clusterings of a mixed table, and the evidence for each of them.

Three ways to cluster (`auto.source_ways`), each for every number of clusters. The two mixtures are
asked only for tables that are more clumped than one cloud, and must fit the table better than they
fit clouds, by `LEAST_CLASS_GAIN`.

What is measured for each, without labels:

===========  ======================================================================================
evidence     meaning
===========  ======================================================================================
stability    adjusted Rand index of the clusterings of two halves of the rows, mean of `N_SPLITS`
agreement    mean adjusted Rand index with the other ways at this number of clusters
gain         log-likelihood per row of latent classes at these clusters, above that of one class,
             minus the gain on one cloud with the same margins, gaps and dependence
             (`columns.mixed.copula`)
joint gain   the same for dependent classes; `gain` where the table has too few numbers for them
ratios       gain and joint gain over the largest of any candidate
smallest     share of the rows in the smallest cluster, up to `SMALL`
remaining    the most by which the rows of one cluster are still clumped (`auto.source_rest`); 0
             where this was not measured
===========  ======================================================================================
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from sklearn.metrics import adjusted_rand_score

from weft._base.arrays import Floats, Integers
from weft._base.labels import number_by_first_row
from weft.auto.source_ways import (
    CLASSES,
    DEPENDENT,
    KMEANS,
    Clusterings,
    View,
    cluster_all_ways,
    view_of,
)
from weft.columns.mixed.classes import fit_classes
from weft.columns.mixed.copula import draw_cloud, fit_copula
from weft.columns.mixed.dependent import fit_dependent
from weft.columns.source import MixedTable

MAX_CLUSTERS = 10
N_SPLITS = 5
N_CLOUDS = 4
FEWEST_ROWS = 10  # of a half, per cluster
SMALL = 0.06
LEAST_GAIN = 0.05
LEAST_CLASS_GAIN = 0.3
LEAST_STABLE = 0.5  # below, halves of the rows disagree too much


class SourceCandidate(NamedTuple):
    """Labels, how they were made, and the evidence of the table above."""

    labels: Integers
    n_clusters: int
    way: str
    stability: float
    agreement: float
    gain: float
    joint_gain: float
    smallest: float
    ratio: float = 0.0
    joint_ratio: float = 0.0
    remaining: float = 0.0


class _Clustering(NamedTuple):
    """Labels of one way, and the gains of both likelihoods over one class."""

    labels: Integers
    gains: Floats


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
    view = view_of(table)
    copula = fit_copula(table)
    clouds = [
        view_of(MixedTable(draw_cloud(copula, rng), table.columns), view) for _ in range(N_CLOUDS)
    ]
    halves = [np.array_split(rng.permutation(n), 2) for _ in range(N_SPLITS)]
    every = cluster_all_ways(view, low, last, rng, thorough=True)
    in_clouds = [cluster_all_ways(cloud, low, last, rng, thorough=False) for cloud in clouds]
    stable = _stability(view, halves, low, last, rng)
    found = []
    for count, clusterings in every.items():
        made = _with_gains(view, clusterings)
        chance = [
            _with_gains(cloud, ways[count]) for cloud, ways in zip(clouds, in_clouds, strict=True)
        ]
        for way, (labels, gains) in made.items():
            if way != KMEANS and not with_classes:
                continue
            gain, joint = gains - np.mean([cloud[way].gains for cloud in chance], axis=0)
            others = [
                adjusted_rand_score(labels, other.labels)
                for name, other in made.items()
                if name != way
            ]
            found.append(
                SourceCandidate(
                    number_by_first_row(labels),
                    int(labels.max()) + 1,
                    way,
                    stable.get((way, count), 0.0),
                    float(np.mean(others)),
                    float(gain),
                    float(joint),
                    min(float(np.bincount(labels).min()) / n, SMALL),
                )
            )
    return _with_ratios(found)


def _with_ratios(found: list[SourceCandidate]) -> list[SourceCandidate]:
    """Return the candidates that fit better than clouds, each compared with the best."""
    largest = max(LEAST_GAIN, *(each.gain for each in found))
    largest_joint = max(LEAST_GAIN, *(each.joint_gain for each in found))
    return [
        each._replace(
            ratio=float(np.clip(each.gain / largest, -1.0, 1.0)),
            joint_ratio=float(np.clip(each.joint_gain / largest_joint, -1.0, 1.0)),
        )
        for each in found
        if each.way == KMEANS or own_gain(each) >= LEAST_CLASS_GAIN
    ]


def own_gain(candidate: SourceCandidate) -> float:
    """Return the gain in the likelihood that a candidate's method maximises."""
    return candidate.joint_gain if candidate.way == DEPENDENT else candidate.gain


def _with_gains(view: View, made: Clusterings) -> dict[str, _Clustering]:
    """Return the labels of each way, with the gains of both likelihoods over one class."""
    fitted = {CLASSES: (0, made.classes.likelihood)}
    if made.dependent is not None:
        fitted[DEPENDENT] = (1, made.dependent.likelihood)
    one = _likelihoods(view, np.zeros(len(view.points), dtype=np.int64))
    out = {}
    for way, labels in made.labels().items():
        likelihoods = _likelihoods(view, labels)
        if way in fitted:
            place, likelihood = fitted[way]
            likelihoods[place] = likelihood
        gains = likelihoods - one
        out[way] = _Clustering(labels, gains if view.dependents is not None else gains[[0, 0]])
    return out


def _likelihoods(view: View, labels: Integers) -> Floats:
    """Return log-likelihoods per row of both mixtures after one round from some labels."""
    count = int(labels.max()) + 1
    first = fit_classes(view.profile, labels, count, max_rounds=1).likelihood
    if view.dependents is None:
        return np.array([first, first])
    return np.array([first, fit_dependent(view.dependents, labels, count, max_rounds=1).likelihood])


def _stability(
    view: View, halves: list[list[Integers]], low: int, high: int, rng: np.random.Generator
) -> dict[tuple[str, int], float]:
    """Return how far two halves of the rows agree on all rows, for each way and number."""
    agreed: dict[tuple[str, int], list[float]] = {}
    for half in halves:
        if min(map(len, half)) < high:
            return {}
        made = [cluster_all_ways(view.take(rows), low, high, rng, thorough=False) for rows in half]
        for count in made[0]:
            first, second = (each[count].predict(view) for each in made)
            for way, labels in first.items():
                agreement = float(adjusted_rand_score(labels, second[way]))
                agreed.setdefault((way, count), []).append(agreement)
    return {key: float(np.mean(values)) for key, values in agreed.items()}
