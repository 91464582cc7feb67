"""Pieces of a fine partition, joined wherever two of them are one cloud.

Two pieces of one cloud share neighbours all along their border. How many is told by a cloud that
is known to be one: a Gaussian with the mean and covariance of the two pieces together, cut at the
same place. If the pieces share about as many neighbours as the halves of that cloud, or not
certainly fewer, they are joined.
"""

from __future__ import annotations

import numpy as np

from weft._base.arrays import Floats, Integers
from weft.metrics.graph import edges_between

N_NEIGHBOURS = 10
FEWEST_CROSSINGS = 0.02  # pieces that share fewer neighbours than that are apart anyway
CLEARLY_FEWER = 0.5  # of the neighbours that halves of one cloud share
CERTAINTY = 3.0  # deviations below the clouds' mean
MOST_ROWS = 150  # of a piece that are looked at
N_CLOUDS = 6


def join_pieces(
    rows: Floats, labels: Integers, neighbours: Integers, rng: np.random.Generator
) -> Integers:
    """Join pieces as long as two of them are one cloud, those with most shared neighbours first."""
    labels = np.unique(labels, return_inverse=True)[1]
    pieces = {k: np.flatnonzero(labels == k) for k in range(int(labels.max()) + 1)}
    judged: dict[tuple[int, int], bool] = {}
    joined = True
    while joined and len(pieces) > 1:
        joined = False
        names = sorted(pieces)
        for place, name in enumerate(names):
            labels[pieces[name]] = place
        shares = crossings(labels, neighbours)
        first, second = np.nonzero(np.triu(shares) > FEWEST_CROSSINGS)
        for pair in np.argsort(-shares[first, second], kind="stable"):
            a, b = names[first[pair]], names[second[pair]]
            if (a, b) not in judged:
                judged[a, b] = are_one_cloud(rows, pieces[a], pieces[b], rng)
            if judged[a, b]:
                pieces[names[-1] + 1] = np.concatenate([pieces.pop(a), pieces.pop(b)])
                joined = True
                break
    return np.unique(labels, return_inverse=True)[1]


def crossings(labels: Integers, neighbours: Integers) -> Floats:
    """Return for each two clusters their shared edges over all edges of the smaller (K, K)."""
    edges = edges_between(labels, neighbours)
    volume = edges.sum(axis=1)
    shares: Floats = edges / np.minimum(volume[:, np.newaxis], volume[np.newaxis, :])
    np.fill_diagonal(shares, 0.0)
    return shares


def are_one_cloud(rows: Floats, a: Integers, b: Integers, rng: np.random.Generator) -> bool:
    """Say whether two pieces share about as many neighbours as the halves of one Gaussian."""
    first, second = (
        part if len(part) <= MOST_ROWS else rng.choice(part, MOST_ROWS, replace=False)
        for part in (a, b)
    )
    both = rows[np.concatenate([first, second])]
    side = np.repeat([0, 1], [len(first), len(second)])
    line = both[side == 0].mean(axis=0) - both[side == 1].mean(axis=0)
    seen = shared_neighbours(both, side)
    _, lengths, axes = np.linalg.svd(both - both.mean(axis=0), full_matrices=False)
    mix = (lengths / np.sqrt(len(both)))[:, np.newaxis] * axes
    expected = np.empty(N_CLOUDS)
    for number in range(N_CLOUDS):
        cloud = rng.standard_normal((len(both), len(mix))) @ mix
        halves = np.zeros(len(both), dtype=np.int64)
        halves[np.argsort(cloud @ line)[: len(second)]] = 1
        expected[number] = shared_neighbours(cloud, halves)
    mean, deviation = expected.mean(), expected.std(ddof=1)
    return bool(seen > CLEARLY_FEWER * mean or seen > mean - CERTAINTY * deviation)


def shared_neighbours(rows: Floats, side: Integers) -> float:
    """Return the edges between both sides over all edges of the smaller side."""
    n_neighbours = min(N_NEIGHBOURS, max(1, len(rows) // 4), len(rows) - 1)
    lengths = (rows**2).sum(axis=1)
    squared = lengths[:, np.newaxis] + lengths[np.newaxis, :] - 2.0 * (rows @ rows.T)
    np.fill_diagonal(squared, np.inf)
    nearest = np.argpartition(squared, n_neighbours - 1, axis=1)[:, :n_neighbours]
    other = side[nearest]
    crossing = float((other != side[:, np.newaxis]).sum())
    volumes = [(side == s).sum() * n_neighbours + (other == s).sum() for s in (0, 1)]
    return crossing / min(volumes)
