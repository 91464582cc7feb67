"""Three ways to cluster a mixed table, each for every number of clusters.

- "main-directions-kmeans": k-means along the directions on which several columns agree;
- "latent-classes": a mixture that leaves gaps out (`columns.mixed.classes`). It is better where
  columns are independent within a cluster and worse where they are not;
- "dependent-classes": the same with numbers that depend on each other within a class
  (`columns.mixed.dependent`), such as measures that grow with the size of an animal.

Each mixture is fitted from several starts, and the fit with the largest objective counts: the
clusters of k-means, and many classes of the numbers, which are merged (`columns.mixed.descent`).
The first are better where categories tell the clusters, the others where a category or the size of
things cuts across them.
"""

from __future__ import annotations

from typing import NamedTuple, TypeVar

import numpy as np

from weft._base.arrays import Floats, Integers
from weft.columns.mixed import along_main_directions, learn_main_view
from weft.columns.mixed.classes import MAX_ROUNDS as CLASS_ROUNDS
from weft.columns.mixed.classes import Classes, Profile, fit_classes, joint_likelihood, profile_of
from weft.columns.mixed.dependent import MAX_ROUNDS as DEPENDENT_ROUNDS
from weft.columns.mixed.dependent import (
    DependentClasses,
    Dependents,
    dependent_likelihood,
    dependents_of,
    fit_dependent,
)
from weft.columns.mixed.descent import descend, merge_closest, pack_labels
from weft.columns.source import MixedTable
from weft.kmeans.plain import kmeans

KMEANS, CLASSES, DEPENDENT = "main-directions-kmeans", "latent-classes", "dependent-classes"
# Classes that a descent starts with: so many more than are asked for; a second descent starts with
# so many in all if that is more. Never more than there are rows for.
MORE_CLASSES, LEAST_CLASSES, ROWS_PER_CLASS = 3, 12, 5
MORE_ROUNDS = 15  # of fits with more classes than are asked for
MOST_STARTS, FEW_STARTS = 10, 3  # of k-means


class View(NamedTuple):
    """A table as the three ways see it; `dependents` is None where numbers are too few."""

    points: Floats
    profile: Profile
    dependents: Dependents | None

    def take(self, rows: Integers) -> View:
        """Return some of the rows."""
        dependents = None if self.dependents is None else self.dependents.take(rows)
        return View(np.ascontiguousarray(self.points[rows]), self.profile.take(rows), dependents)


class Clusterings(NamedTuple):
    """What the three ways make of a number of clusters; `dependent` is None where numbers lack."""

    centers: Floats
    nearest: Integers
    classes: Classes
    dependent: DependentClasses | None

    def labels(self) -> dict[str, Integers]:
        """Return the labels of each way, without unused numbers."""
        # A class that lost all of its rows leaves a gap in the numbers.
        made = {KMEANS: self.nearest, CLASSES: pack_labels(self.classes.labels)}
        if self.dependent is not None:
            made[DEPENDENT] = pack_labels(self.dependent.labels)
        return made

    def predict(self, view: View) -> dict[str, Integers]:
        """Return labels of other rows by each way."""
        squared = (self.centers**2).sum(axis=1) - 2.0 * (view.points @ self.centers.T)
        found = {
            KMEANS: squared.argmin(axis=1),
            CLASSES: joint_likelihood(view.profile, self.classes.model).argmax(axis=1),
        }
        if self.dependent is not None and view.dependents is not None:
            joint = dependent_likelihood(view.dependents, self.dependent.model)
            found[DEPENDENT] = joint.argmax(axis=1)
        return found


def view_of(table: MixedTable, like: View | None = None) -> View:
    """Return a table as the ways see it; with or without dependents as another view has them."""
    points = np.ascontiguousarray(along_main_directions(learn_main_view(table), table.values))
    profile = profile_of(table)
    asked = like is None or like.dependents is not None
    return View(points, profile, dependents_of(table, profile) if asked else None)


def cluster_all_ways(
    view: View, low: int, high: int, rng: np.random.Generator, *, thorough: bool
) -> dict[int, Clusterings]:
    """Return what the ways make of each number of clusters from `low` to `high`.

    `thorough` is for the table itself: more starts than for clouds and halves of the rows, which
    are many.
    """
    points, profile, dependents = view
    n_starts = MOST_STARTS if thorough else FEW_STARTS
    centred = {count: kmeans(points, count, n_starts, rng) for count in range(low, high + 1)}
    starts = {count: each.labels for count, each in centred.items()}
    classes = {count: fit_classes(profile, own, count) for count, own in starts.items()}
    dependent: dict[int, DependentClasses] = {}
    if dependents is not None:
        dependent = {count: fit_dependent(dependents, own, count) for count, own in starts.items()}
    # The numbers alone: otherwise a category that cuts every class in two would be in all starts.
    space = points if dependents is None else dependents.numbers
    tops = {high + MORE_CLASSES}
    if thorough:
        tops.add(max(high + MORE_CLASSES, LEAST_CLASSES))
    for more in sorted(tops):
        falling = range(max(high, min(more, len(points) // ROWS_PER_CLASS)), low - 1, -1)
        first = kmeans(space, falling[0], FEW_STARTS, rng).labels
        _keep_better(classes, _classes_descended(profile, first, falling, high))
        if dependents is not None:
            _keep_better(dependent, _dependent_descended(dependents, first, falling, high))
    return {
        count: Clusterings(each.centers, each.labels, classes[count], dependent.get(count))
        for count, each in centred.items()
    }


def _classes_descended(
    profile: Profile, first: Integers, falling: range, high: int
) -> dict[int, Classes]:
    """Return latent classes for each number; those above `high` in few rounds."""
    return descend(
        first,
        falling,
        lambda labels, count: fit_classes(
            profile, labels, count, max_rounds=CLASS_ROUNDS if count <= high else MORE_ROUNDS
        ),
        lambda labels: merge_closest(profile.numbers, profile, labels, dependent=False),
    )


def _dependent_descended(
    rows: Dependents, first: Integers, falling: range, high: int
) -> dict[int, DependentClasses]:
    """Return dependent classes for each number; those above `high` in few rounds."""
    return descend(
        first,
        falling,
        lambda labels, count: fit_dependent(
            rows, labels, count, max_rounds=DEPENDENT_ROUNDS if count <= high else MORE_ROUNDS
        ),
        lambda labels: merge_closest(rows.numbers, rows.profile, labels, dependent=True),
    )


Mixture = TypeVar("Mixture", Classes, DependentClasses)


def _keep_better(fits: dict[int, Mixture], others: dict[int, Mixture]) -> None:
    """Replace fits by others of the same number of classes that have a larger objective."""
    for count, fit in fits.items():
        if others[count].objective > fit.objective:
            fits[count] = others[count]
