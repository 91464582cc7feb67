"""The candidate clusterings of a mixed table, and the evidence for each of them.

There are three methods, each for every number of clusters:

- "main-directions-kmeans": k-means along the directions on which several columns agree;
- "latent-classes": the mixture that starts there and leaves gaps out (`columns.mixed.classes`). It
  is better if columns are independent within a cluster, and worse if they are not;
- "dependent-classes": the same with numbers that depend on each other within a class
  (`columns.mixed.dependent`), such as measures that grow with the size of an animal.

Both mixtures are used only for tables that are more clumped than one cloud, and they must fit the
table better than they fit clouds, by `LEAST_CLASS_GAIN`.

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
from weft.columns.mixed import along_main_directions, learn_main_view
from weft.columns.mixed.classes import Profile, fit_classes, joint_likelihood, profile_of
from weft.columns.mixed.copula import draw_cloud, fit_copula
from weft.columns.mixed.dependent import (
    Dependents,
    dependent_likelihood,
    dependents_of,
    fit_dependent,
)
from weft.columns.source import MixedTable
from weft.kmeans.plain import kmeans

MAX_CLUSTERS = 10
N_SPLITS = 5
N_CLOUDS = 4
FEWEST_ROWS = 10  # of a half, per cluster
SMALL = 0.06
LEAST_GAIN = 0.05
LEAST_CLASS_GAIN = 0.3
LEAST_STABLE = 0.5  # below, halves of the rows disagree too much
KMEANS, CLASSES, DEPENDENT = "main-directions-kmeans", "latent-classes", "dependent-classes"


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
    behind: str = ""  # why another clustering is the answer, whatever the scores

    @property
    def method(self) -> str:
        """The name of the clustering."""
        return f"{self.way}:{self.n_clusters}"


class _View(NamedTuple):
    """A table in the form that each method takes; `dependents` is None if there are too few
    numbers."""

    points: Floats
    profile: Profile
    dependents: Dependents | None


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
    view = _view_of(table)
    copula = fit_copula(table)
    clouds = [
        _view_of(MixedTable(draw_cloud(copula, rng), table.columns), view) for _ in range(N_CLOUDS)
    ]
    halves = [np.array_split(rng.permutation(n), 2) for _ in range(N_SPLITS)]
    found = []
    for count in range(low, last + 1):
        made = _all_ways(view, count, rng)
        in_clouds = [_all_ways(cloud, count, rng, n_starts=3) for cloud in clouds]
        stable = _stability(view, halves, count, rng)
        for way, (labels, gains) in made.items():
            if way != KMEANS and not with_classes:
                continue
            gain, joint = gains - np.mean([cloud[way].gains for cloud in in_clouds], axis=0)
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
                    stable[way],
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


def _view_of(table: MixedTable, like: _View | None = None) -> _View:
    """Return a table in the form that each method takes; `dependents` as in another view, if
    given."""
    points = np.ascontiguousarray(along_main_directions(learn_main_view(table), table.values))
    profile = profile_of(table)
    asked = like is None or like.dependents is not None
    return _View(points, profile, dependents_of(table, profile) if asked else None)


def _all_ways(
    view: _View, count: int, rng: np.random.Generator, n_starts: int = 10
) -> dict[str, _Clustering]:
    points, profile, dependents = view
    centred = kmeans(points, count, n_starts, rng).labels
    classes = fit_classes(profile, centred, count)
    # A class that lost all of its rows leaves a gap in the class numbers.
    made = {KMEANS: centred, CLASSES: _packed(classes.labels)}
    fitted = {CLASSES: (0, classes.likelihood)}
    if dependents is not None:
        own = fit_dependent(dependents, centred, count)
        made[DEPENDENT] = _packed(own.labels)
        fitted[DEPENDENT] = (1, own.likelihood)
    one = _likelihoods(view, np.zeros(len(points), dtype=np.int64))
    out = {}
    for way, labels in made.items():
        likelihoods = _likelihoods(view, labels)
        if way in fitted:
            place, likelihood = fitted[way]
            likelihoods[place] = likelihood
        gains = likelihoods - one
        out[way] = _Clustering(labels, gains if dependents is not None else gains[[0, 0]])
    return out


def _likelihoods(view: _View, labels: Integers) -> Floats:
    """Return log-likelihoods per row of both mixtures after one round from some labels."""
    count = int(labels.max()) + 1
    first = fit_classes(view.profile, labels, count, max_rounds=1).likelihood
    if view.dependents is None:
        return np.array([first, first])
    return np.array([first, fit_dependent(view.dependents, labels, count, max_rounds=1).likelihood])


def _packed(labels: Integers) -> Integers:
    return np.unique(labels, return_inverse=True)[1].astype(np.int64)


def _stability(
    view: _View, halves: list[list[Integers]], count: int, rng: np.random.Generator
) -> dict[str, float]:
    """Return how far the clusterings of two halves agree on all rows, for each method."""
    points, profile, dependents = view
    agreed: dict[str, list[float]] = {KMEANS: [], CLASSES: [], DEPENDENT: []}
    for half in halves:
        labels: dict[str, list[Integers]] = {KMEANS: [], CLASSES: [], DEPENDENT: []}
        for rows in half:
            if len(rows) < count:
                return dict.fromkeys(agreed, 0.0)
            own = kmeans(np.ascontiguousarray(points[rows]), count, 3, rng)
            squared = (own.centers**2).sum(axis=1) - 2.0 * (points @ own.centers.T)
            labels[KMEANS].append(squared.argmin(axis=1))
            classes = fit_classes(profile.take(rows), own.labels, count)
            labels[CLASSES].append(joint_likelihood(profile, classes.model).argmax(axis=1))
            if dependents is not None:
                fitted = fit_dependent(dependents.take(rows), own.labels, count)
                joint = dependent_likelihood(dependents, fitted.model)
                labels[DEPENDENT].append(joint.argmax(axis=1))
        for way, pair in labels.items():
            if pair:
                agreed[way].append(float(adjusted_rand_score(*pair)))
    return {way: float(np.mean(values)) if values else 0.0 for way, values in agreed.items()}
