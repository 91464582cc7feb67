"""A swarm and a criterion of your own: grey wolves that look for dense, well-separated clusters.

S. Mirjalili, S. M. Mirjalili and A. Lewis, "Grey wolf optimizer", 2014.
D. Moulavi et al., "Density-based clustering validation" (DBCV), 2014.

    python examples/grey_wolf_dbcv.py [cpu | cuda]
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.special import logsumexp
from sklearn.datasets import make_blobs

from weft import FeatureSwarm
from weft.datasets import add_noise_features
from weft.search.criteria import Criterion


class Pack(NamedTuple):
    """Grey wolves between two moves."""

    positions: np.ndarray  # (P, D), to be evaluated
    best_position: np.ndarray  # (D,)
    best_fitness: float
    leaders: np.ndarray  # (3, D): alpha, beta and delta
    leader_fitness: np.ndarray  # (3,)
    n_moves: int


@dataclass(frozen=True)
class GreyWolf:
    """Every wolf moves to where the three best ones send it, in ever smaller circles."""

    n_moves: int = 30  # after this many the circles are points

    def start(self, positions, rng):
        leaders = np.repeat(positions[:1], 3, axis=0)
        return Pack(positions, positions[0], -np.inf, leaders, np.full(3, -np.inf), 0)

    def ask(self, pack, rng):
        radius = 2.0 * max(0.0, 1.0 - pack.n_moves / self.n_moves)  # a of eq. 3.3
        shape = (3, *pack.positions.shape)
        A = radius * (2.0 * rng.random(shape) - 1.0)
        C = 2.0 * rng.random(shape)
        leaders = pack.leaders[:, np.newaxis, :]
        moved = leaders - A * np.abs(C * leaders - pack.positions)  # eq. 3.5 and 3.6
        return pack._replace(positions=moved.mean(axis=0), n_moves=pack.n_moves + 1)  # eq. 3.7

    def tell(self, pack, fitness):
        places = np.vstack([pack.leaders, pack.positions])
        values = np.concatenate([pack.leader_fitness, fitness])
        first = np.argsort(-values, kind="stable")[:3]
        leaders, known = places[first], values[first]
        return Pack(pack.positions, leaders[0], float(known[0]), leaders, known, pack.n_moves)


@dataclass(frozen=True)
class DBCV(Criterion):
    """Density-based clustering validation in the particle's own metric, in [-1, 1]."""

    n_matrices = 2  # distances, and as many that `dbcv` makes of them

    def score(self, spaces, labels):
        # The distances come from the backend, for all particles at once; trees grow on the host.
        distances, partitions = spaces.to_host(spaces.distances()), spaces.to_host(labels)
        n_kept = [spaces.selected_columns(p).shape[1] for p in range(spaces.n_particles)]
        return np.array([*map(dbcv, distances, partitions, n_kept)])


def dbcv(distances, labels, n_features):
    """Return the validity of one partition; rows labelled -1 are noise, -1 is the worst value."""
    clusters = [np.flatnonzero(labels == k) for k in range(labels.max() + 1)]
    clusters = [rows for rows in clusters if len(rows) > 1]
    if len(clusters) < 2:
        return -1.0
    core = np.zeros(len(labels))
    for rows in clusters:
        with np.errstate(divide="ignore"):
            logs = np.log(distances[np.ix_(rows, rows)])
        np.fill_diagonal(logs, np.inf)  # a row does not count for itself
        sums = logsumexp(-n_features * logs, axis=1)  # of d^-m; logarithms do not overflow
        core[rows] = np.exp((np.log(len(rows) - 1) - sums) / n_features)
    reach = np.maximum(distances, np.maximum.outer(core, core))
    inner, sparseness = [], []
    for rows in clusters:
        # Plus 1, because SciPy takes a weight near 0 for no edge; the tree is the same.
        tree = minimum_spanning_tree(reach[np.ix_(rows, rows)] + 1.0).tocoo()
        degree = np.bincount(np.concatenate([tree.row, tree.col]), minlength=len(rows))
        inside = degree > 1 if (degree > 1).any() else degree > 0
        weights = reach[rows[tree.row], rows[tree.col]]
        edges = weights[inside[tree.row] & inside[tree.col]]
        sparseness.append((edges if len(edges) else weights).max())
        inner.append(rows[inside])
    total = 0.0
    for k, rows in enumerate(clusters):
        others = np.concatenate([each for other, each in enumerate(inner) if other != k])
        separation = reach[np.ix_(inner[k], others)].min()
        validity = (separation - sparseness[k]) / max(separation, sparseness[k], 1e-300)
        total += len(rows) / len(labels) * validity
    return float(total)


def main(device="cpu"):
    """Learn the weights of four columns with three groups, and of six columns of noise."""
    X, groups = make_blobs(150, 4, centers=3, cluster_std=1.0, random_state=3)
    X = add_noise_features(X, 6, random_state=0).data
    model = FeatureSwarm(criterion=DBCV(), swarm=GreyWolf(), device=device, random_state=0).fit(X)
    print(model.n_clusters_, "clusters; weights:", np.round(model.feature_weights_, 2))
    return model, groups


if __name__ == "__main__":
    main(*sys.argv[1:])
