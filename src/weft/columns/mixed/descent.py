"""Mixtures for every number of classes, from many classes down to few.

Expectation and maximisation stop at the nearest optimum. From k-means, which cuts along the largest
spread, that is often the wrong one: animals are cut into small and large ones, or into the values
of a category, and no round leads from there to species. With more classes than are asked for, such
cuts cost nothing, because each class is a part of a true one. So the mixture is fitted with many
classes, the two that are most alike are merged, and so on down (as in the hierarchical starts of
Fraley, "Algorithms for model-based Gaussian hierarchical clustering", 1998, with a fit after each
merge).

The two classes are those whose merging lowers the likelihood least, if every row belongs to one
class and all classes have one covariance W / n. With a, b the classes, n_a and n_b their rows, d
the difference of their means and H the entropy of a category's levels in a class:

    n/2 log(1 + n_a n_b / (n_a + n_b) d' W⁻¹ d) + Σ_categories (n_a+b H_a+b - n_a H_a - n_b H_b)

Numbers that are independent within a class have a diagonal W: the logarithm is then summed over
them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

import numpy as np

from weft._base.arrays import Floats, Integers
from weft.columns.mixed.classes import LEAST_VARIANCE, Profile


class Fitted(Protocol):
    """A mixture whose rows have a likeliest class."""

    @property
    def labels(self) -> Integers:
        """Return the likeliest class of each row."""


Fit = TypeVar("Fit", bound=Fitted)


def descend(
    labels: Integers,
    numbers: range,
    fit: Callable[[Integers, int], Fit],
    merge: Callable[[Integers], Integers],
) -> dict[int, Fit]:
    """Return a fit for each number of classes.

    Parameters
    ----------
    labels : labels of the first start, (n,), with at most as many classes as the first fit
    numbers : numbers of classes, falling
    fit : fits a mixture to start labels, with a number of classes
    merge : returns labels with the two most similar classes merged
    """
    labels = pack_labels(labels)
    fits = {}
    for count in numbers:
        if labels.max() >= count:
            labels = merge(labels)
        fits[count] = fit(labels, count)
        # Classes that lost all of their rows leave less to merge.
        labels = pack_labels(fits[count].labels)
    return fits


def pack_labels(labels: Integers) -> Integers:
    """Return labels from 0 on without unused numbers."""
    return np.unique(labels, return_inverse=True)[1].astype(np.int64)


def merge_closest(
    numbers: Floats, profile: Profile, labels: Integers, *, dependent: bool
) -> Integers:
    """Return labels with the two classes merged that are most alike; parameters as below."""
    losses = merging_losses(numbers, profile, labels, dependent=dependent)
    np.fill_diagonal(losses, np.inf)
    first, second = np.unravel_index(int(losses.argmin()), losses.shape)
    return pack_labels(np.where(labels == max(first, second), min(first, second), labels))


def merging_losses(
    numbers: Floats, profile: Profile, labels: Integers, *, dependent: bool
) -> Floats:
    """Return how much likelihood is lost by merging each two classes, (K, K).

    Parameters
    ----------
    numbers : coordinates of variance 1 without gaps, (n, q)
    profile : has the levels
    labels : labels from 0 on, (n,)
    dependent : whether the numbers depend on each other within a class
    """
    n, q = numbers.shape
    count = int(labels.max()) + 1
    member = (labels[:, np.newaxis] == np.arange(count)).astype(np.float64)
    sizes = member.sum(axis=0)
    loss = np.zeros((count, count))
    if q:
        means = (member.T @ numbers) / sizes[:, np.newaxis]
        away = numbers - means[labels]
        apart = means[:, np.newaxis] - means[np.newaxis]
        weight = sizes[:, np.newaxis] * sizes / (sizes[:, np.newaxis] + sizes)
        if dependent:
            within = away.T @ away + LEAST_VARIANCE * n * np.eye(q)
            squared = np.einsum("abi,ij,abj->ab", apart, np.linalg.inv(within), apart)
            loss += 0.5 * n * np.log1p(weight * squared)
        else:
            spread = np.maximum((away**2).sum(axis=0), LEAST_VARIANCE * n)
            loss += 0.5 * n * np.log1p(weight[:, :, np.newaxis] * apart**2 / spread).sum(axis=2)
    seen = member.T @ profile.levels
    own = _level_likelihood(seen, profile.category)
    both = _level_likelihood(seen[:, np.newaxis] + seen[np.newaxis], profile.category)
    loss += own[:, np.newaxis] + own - both
    return loss


def _level_likelihood(counts: Floats, category: Integers) -> Floats:
    """Return Σ count log share over the levels (..., L) of all categories."""
    if len(category) == 0:
        return np.zeros(counts.shape[:-1])
    starts = np.flatnonzero(np.diff(category, prepend=category[0] - 1))
    totals = np.add.reduceat(counts, starts, axis=-1)
    return _x_log_x(counts).sum(axis=-1) - _x_log_x(totals).sum(axis=-1)


def _x_log_x(values: Floats) -> Floats:
    return values * np.log(np.maximum(values, 1e-300))
