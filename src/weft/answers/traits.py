"""How a cluster differs from the other rows, column by column, on one scale for all kinds.

The strength of a trait lies between 0 and 1. Numbers and dates: how far ranks differ, |2 A − 1|,
where A is the probability that a row of the cluster has a larger value than another row (the area
under the ROC curve); a perfect separation is 1. For a cluster in the middle of a column: 0.8 minus
the share of the other rows in the range of its middle 80 %. Categories: the largest difference
between the share of a level in the cluster and among the other rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.stats import rankdata

from weft._base.arrays import Floats, Integers, Mask
from weft.answers.views import ColumnView

WEAKEST = 0.3  # weaker traits are ignored
N_TRAITS = 2  # of a name
MOST_TRAITS = 4  # used if fewer do not distinguish two clusters
NO_TRAIT = "no single trait"
_BESIDE = 0.1  # share of the other rows on either side of a cluster in the middle


class Trait(NamedTuple):
    """A column in which a cluster differs from the other rows."""

    column: int
    strength: float
    words: str  # "high proline", "species mostly Gentoo"


class ObservedColumn(NamedTuple):
    """The known values of a column, and their ranks if they have an order."""

    column: int
    view: ColumnView
    known: Mask
    ranks: Floats


def observe(views: Sequence[ColumnView], weights: Floats) -> list[ObservedColumn]:
    """Return the columns with a weight above 0; only they can be traits."""
    observed = []
    for column, view in enumerate(views):
        if weights[column] > 0.0:
            known = ~np.isnan(view.values)
            present = view.take(np.flatnonzero(known))
            ranks = np.empty(0) if view.is_category else rankdata(present.values)
            observed.append(ObservedColumn(column, present, known, ranks))
    return observed


def find_traits(observed: list[ObservedColumn], inside: Mask, weights: Floats) -> list[Trait]:
    """Return the traits of the rows `inside`, the strongest first."""
    traits = []
    for each in observed:
        own = inside[each.known]
        if own.any() and not own.all():
            if each.view.is_category:
                strength, words = _of_category(each.view, own)
            else:
                strength, words = _of_number(each.view, own, each.ranks)
            if strength >= WEAKEST:
                traits.append(Trait(each.column, strength, words))
    return sorted(traits, key=lambda trait: (-trait.strength, -weights[trait.column]))


def _of_number(view: ColumnView, inside: Mask, ranks: Floats) -> tuple[float, str]:
    n_own, n_rest = int(inside.sum()), int((~inside).sum())
    larger = (ranks[inside].sum() - 0.5 * n_own * (n_own + 1)) / (n_own * n_rest)
    apart = 2.0 * larger - 1.0
    low, high = np.quantile(view.values[inside], [0.1, 0.9])
    rest = view.values[~inside]
    below, above = float((rest < low).mean()), float((rest > high).mean())
    between = 0.8 - (1.0 - below - above)
    early, late = ("early", "late") if view.kind == "date" else ("low", "high")
    if min(below, above) >= _BESIDE and between > abs(apart):
        return between, f"medium {view.name}"
    return abs(apart), f"{late if apart > 0 else early} {view.name}"


def _of_category(view: ColumnView, inside: Mask) -> tuple[float, str]:
    codes, n_levels = view.values.astype(np.int64), len(view.levels)
    own = np.bincount(codes[inside], minlength=n_levels) / inside.sum()
    rest = np.bincount(codes[~inside], minlength=n_levels) / (~inside).sum()
    level = int(np.abs(own - rest).argmax())
    strength = float(abs(own[level] - rest[level]))
    if own[level] > rest[level]:
        word = "" if own[level] > 0.99 else "mostly " if own[level] > 0.5 else "more often "
    else:
        word = "not " if own[level] < 0.01 else "rarely "
    return strength, f"{view.name} {word}{view.levels[level]}"


def name_clusters(views: Sequence[ColumnView], labels: Integers, weights: Floats) -> dict[int, str]:
    """Return a name for each cluster, made from its strongest traits; all names are different.

    Examples
    --------
    >>> import numpy as np
    >>> from weft.answers.traits import name_clusters
    >>> from weft.answers.views import number_views
    >>> X = np.arange(40.0)[:, None]
    >>> name_clusters(number_views(X, ["size"]), (X[:, 0] >= 20).astype(int), np.ones(1))
    {0: 'low size', 1: 'high size'}
    """
    clusters = [int(label) for label in np.unique(labels) if label >= 0]
    observed = observe(views, weights)
    traits = {cluster: find_traits(observed, labels == cluster, weights) for cluster in clusters}
    for n_traits in range(N_TRAITS, MOST_TRAITS + 1):
        names = {cluster: _name(traits[cluster][:n_traits]) for cluster in clusters}
        if len(set(names.values())) == len(names):
            break
    return _numbered(names) if clusters else {}


def _name(traits: list[Trait]) -> str:
    return ", ".join(trait.words for trait in traits) or NO_TRAIT


def _numbered(names: dict[int, str]) -> dict[int, str]:
    """Add numbers to names that occur several times."""
    taken = set(names.values())
    out: dict[int, str] = {}
    for cluster, name in names.items():
        number, free = 2, name
        while free in out.values() or (free != name and free in taken):
            number, free = number + 1, f"{name} ({number})"
        out[cluster] = free
    return out
