"""Plain k-means for the methods that count clusters, and their samples of rows."""

from __future__ import annotations

import numpy as np

from weft._base.arrays import Floats
from weft.backends.cpu import lloyd
from weft.backends.cpu.lloyd import Partition
from weft.kmeans.data import make_data
from weft.kmeans.fitting import varying
from weft.kmeans.ordering import canonical_order
from weft.kmeans.seeding import AnomalousPatterns, anomalous_patterns
from weft.kmeans.weights import Unweighted
from weft.parallel.threads import thread_runner

MAX_ITER = 100


def kmeans(rows: Floats, n_clusters: int, n_init: int, rng: np.random.Generator) -> Partition:
    """Return the best of `n_init` runs of k-means from greedy k-means++ starts."""
    n_trials = 2 + int(np.log(n_clusters))
    draws = rng.random((n_init, 1 + (n_clusters - 1) * n_trials))
    return lloyd.kmeans(rows, canonical_order(rows)[0], draws, n_clusters, MAX_ITER)


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
