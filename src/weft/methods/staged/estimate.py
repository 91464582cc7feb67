"""Stage 1: how many clusters there may be, by the silhouette over k-means (section 3.1).

k-means is run for every k in [2, √n] and the k with the highest mean silhouette wins; since one
run of k-means is a matter of luck, the whole is done `n_estimates` times and the median taken.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.spatial.distance import cdist

from weft._base.arrays import Floats, Integers
from weft.backends.cpu.kernels import prototypes as kernels
from weft.parallel.threads import map_ranges

# Rows whose distances to all others are held at a time: they are made once for all labelings.
TILE = 256
LLOYD_STEPS = 100


class Estimate(NamedTuple):
    """What stage 1 found."""

    n_clusters: int  # the median, halves rounded up
    votes: Integers  # (n_estimates,), the winner of each repetition
    silhouettes: Floats  # (n_estimates, number of k), mean silhouette of each k from 2 on


def largest_number(n_rows: int) -> int:
    """Return the cap on the number of clusters, ⌊√n⌋, but 2 at least."""
    return max(2, int(np.sqrt(n_rows)))


def estimate_n_clusters(
    rows: Floats,
    *,
    n_estimates: int,
    max_clusters: int,
    rng: np.random.Generator,
    n_threads: int = 1,
    device: str = "cpu",
) -> Estimate:
    """Return K_est of `rows` (n, d), computed on the CPU's kernels or on a torch device."""
    n_rows = len(rows)
    most = min(max_clusters, n_rows)
    numbers = np.arange(2, most + 1) if most >= 2 else np.array([1])
    # All draws first, in one order; the runs may then go side by side.
    starts = [
        rng.choice(n_rows, size=number, replace=False)
        for _ in range(n_estimates)
        for number in numbers
    ]
    if device != "cpu":
        from weft.methods.staged.on_device import k_means_silhouettes

        found = k_means_silhouettes(rows, starts, most, LLOYD_STEPS, device)
        return _elected(found.reshape(n_estimates, len(numbers)), numbers)
    labelings = np.empty((len(starts), n_rows), dtype=np.int64)
    columns = np.ascontiguousarray(rows.T)

    def cluster(first: int, last: int) -> None:
        for run in range(first, last):
            centers = rows[starts[run]]
            kernels.lloyd(rows, columns, centers, LLOYD_STEPS, labelings[run])

    map_ranges(cluster, len(starts), n_threads)
    scores = mean_silhouettes(rows, labelings, most, n_threads)
    return _elected(scores.reshape(n_estimates, len(numbers)), numbers)


def _elected(scores: Floats, numbers: Integers) -> Estimate:
    votes = numbers[scores.argmax(axis=1)]
    return Estimate(int(np.floor(np.median(votes) + 0.5)), votes, scores)


def mean_silhouettes(
    rows: Floats, labelings: Integers, n_labels: int, n_threads: int = 1
) -> Floats:
    """Return the mean silhouette (eq. 1) of each labeling (L, n) with labels below `n_labels`."""
    counts = np.stack([np.bincount(labels, minlength=n_labels) for labels in labelings])
    n_tiles = -(-len(rows) // TILE)
    # One row of sums per tile, added in the order of tiles: no bit depends on the threads.
    parts = np.zeros((n_tiles, len(labelings)))

    def score(first: int, last: int) -> None:
        for tile in range(first, last):
            start = tile * TILE
            distances = cdist(rows, rows[start : start + TILE])
            kernels.silhouette_tile(distances, start, labelings, counts, parts[tile])

    map_ranges(score, n_tiles, n_threads)
    return parts.sum(axis=0) / len(rows)
