"""Plain k-means for the methods that count clusters, and their samples of rows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from weft._base.arrays import Floats, Integers
from weft.kmeans.alternation import Outcome
from weft.kmeans.data import Data, make_data
from weft.kmeans.fitting import fit_family, read_settings, varying
from weft.kmeans.seeding import AnomalousPatterns, anomalous_patterns
from weft.kmeans.weights import Rule, Unweighted
from weft.parallel.threads import thread_runner


class Partition(NamedTuple):
    """Labels (n,), centres (K, d), and the sum of squared distances to them."""

    labels: Integers
    centers: Floats
    within: float


def kmeans(rows: Floats, n_clusters: int, n_init: int, rng: np.random.Generator) -> Partition:
    """Return the best of `n_init` runs of k-means from k-means++ starts."""
    settings = read_settings(
        rows.shape[1],
        len(rows),
        n_clusters=n_clusters,
        init="k-means++",
        n_init=n_init,
        max_iter=100,
    )
    outcome: Outcome = fit_family(rows, np.ones(len(rows)), settings, _unweighted, rng).outcome
    return Partition(outcome.labels.astype(np.int64), outcome.centers, outcome.criterion)


def plain_patterns(rows: Floats) -> AnomalousPatterns:
    """Return all anomalous patterns of the rows under plain squared distances (algorithm 2.6)."""
    with thread_runner(None) as run:
        data = make_data(rows, np.ones(len(rows)), 2.0, run)
        active = varying(rows)
        return anomalous_patterns(data, Unweighted(active), active)


def sample(rows: Floats, max_rows: int, rng: np.random.Generator) -> Floats:
    """Return the rows, or `max_rows` of them drawn without replacement, in their order."""
    if len(rows) <= max_rows:
        return rows
    return np.ascontiguousarray(rows[np.sort(rng.choice(len(rows), max_rows, replace=False))])


def _unweighted(data: Data, active: NDArray[np.bool_]) -> Rule:
    return Unweighted(active)
