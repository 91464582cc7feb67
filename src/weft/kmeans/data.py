"""Rows with their masses, and the passes over them, on the backend that holds the rows."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from weft._base.arrays import Floats, Integers, Labels
from weft.backends import CPU, Backend
from weft.backends.rounds import Rounds
from weft.parallel.threads import Runner


class Data(NamedTuple):
    """A table ready for the passes below.

    Attributes
    ----------
    X : (n, M), NaN where a value is missing
    mass : (n,), how much each row counts
    load : (n,), `mass` times M / number of observed values: what a row's distance is multiplied by
    exponent : float, the power p of the distance
    backend : where the passes run
    rows : the rows as that backend holds them
    """

    X: Floats
    mass: Floats
    load: Floats
    exponent: float
    backend: Backend
    rows: Any


class Centers(NamedTuple):
    """Centres (K, M) and the dispersion of each feature around them (K, M)."""

    centers: Floats
    dispersions: Floats


def make_data(
    X: Floats, mass: Floats, exponent: float, run: Runner, *, backend: Backend = CPU
) -> Data:
    """Return the table ready for its passes; on the CPU they use the threads of `run`."""
    # A sum is NaN if one of its numbers is NaN: a quick check before a slow one.
    with np.errstate(over="ignore", invalid="ignore"):
        missing = bool(np.isnan(X.sum())) and bool(np.isnan(X).any())
    load = mass
    if missing:
        load = mass * (X.shape[1] / np.maximum(X.shape[1] - np.isnan(X).sum(axis=1), 1))
    rows = backend.kmeans.load(X, load, exponent, missing, run, backend.device)
    return Data(X, mass, load, exponent, backend, rows)


def rows_of(data: Data, which: Integers) -> Data:
    """Return some of the rows, only for distances: masses and loads are still those of all rows."""
    X = data.X[which]
    return data._replace(X=X, rows=data.backend.kmeans.take(data.rows, which, X))


def distances(data: Data, centers: Floats, factors: Floats) -> Floats:
    """Return Σ_v f_kv |x_iv - c_kv|^p, (n, K)."""
    powered: Floats = data.backend.kmeans.distances(data.rows, centers, factors)
    return powered


def nearest(data: Data, centers: Floats, factors: Floats) -> Labels:
    """Return each row's nearest centre, the first on a tie."""
    return _settled(
        data, data.backend.kmeans.nearest(data.rows, centers, factors), centers, factors
    )


def begin(data: Data) -> Rounds:
    """Return an object for the rounds of one alternation; it may keep data between rounds."""
    rounds: Rounds = data.backend.kmeans.begin(data.rows)
    return rounds


def next_nearest(data: Data, rounds: Rounds, centers: Floats, factors: Floats) -> Labels:
    """As `nearest`, in the next round."""
    return _settled(data, rounds.nearest(centers, factors), centers, factors)


def _settled(
    data: Data, found: tuple[Labels, Integers], centers: Floats, factors: Floats
) -> Labels:
    labels, unsure = found
    if len(unsure):
        labels[unsure] = CPU.kmeans.settle(data.X[unsure], centers, factors, data.exponent)
    return labels


def own_distances(data: Data, labels: Labels, centers: Floats, factors: Floats) -> Floats:
    """Return each row's powered distance to the centre of its own cluster, (n,)."""
    powered: Floats = data.backend.kmeans.own_distances(data.rows, labels, centers, factors)
    return powered


def centers_of(data: Data, labels: Labels, previous: Floats) -> Centers:
    """Return each cluster's Minkowski centre (eq. 3.7) and dispersions (eq. 3.9).

    A cluster without rows, or without an observed value of a feature, keeps the value of
    `previous`; its dispersion is then 0, or NaN for a feature without observed values.
    """
    return Centers(*data.backend.kmeans.centers_of(data.rows, labels, previous))


def center_of(data: Data, which: Integers, guess: Floats) -> Centers:
    """Return the centre (M,) and dispersions (M,) of some of the rows."""
    return Centers(*data.backend.kmeans.center_of(data.rows, which, guess))


def mass_of(labels: NDArray[Any], mass: Floats, count: int) -> Floats:
    """Return the sum of `mass` over the rows of each label, (count,)."""
    return np.bincount(labels, weights=mass, minlength=count).astype(np.float64, copy=False)
