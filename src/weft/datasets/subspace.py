"""Clusters in different subspaces of one table.

Y. Lu, S. Wang, S. Li and C. Zhou, "Particle swarm optimizer for variable weighting in clustering
high-dimensional data", Machine Learning 82, 2011: the generator of the appendix.

========  =======================================================================================
symbol    meaning
========  =======================================================================================
ε         `subspace_ratio`: Σ_l m_l = ε k m, the mean share of features that a cluster needs
ρ         `dimension_overlap`: share of a cluster's features that the cluster before needs too
α         `data_overlap`: distance of the two means on a shared feature, in deviations
m_l       number of relevant features of cluster l, in [2, m]
========  =======================================================================================
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Bunch

from weft._base.arrays import Floats, Integers
from weft._base.docstrings import documented
from weft._base.reading import read_generator
from weft._base.validation import check_integer, check_real
from weft.datasets._shared import SHARED, column_names

FEWEST = 2  # relevant features of a cluster


@documented(SHARED)
def make_subspace_clusters(
    n_samples: int = 500,
    *,
    n_features: int = 100,
    n_clusters: int = 10,
    subspace_ratio: float = 0.375,
    dimension_overlap: float = 0.5,
    data_overlap: float = 1.0,
    mean_range: tuple[float, float] = (0.0, 100.0),
    noise_range: tuple[float, float] = (0.0, 10.0),
    random_state: Any = None,
) -> Bunch:
    """Draw clusters of equal size, each Gaussian on its own features and noise on the others [1]_.

    On a relevant feature a cluster is N(mean, 1), on any other it is uniform over `noise_range`.
    A feature that a cluster shares with the one before has its mean `data_overlap` away.

    Parameters
    ----------
    n_samples : int, default=500
        Number of rows; the first clusters get one more where they cannot be equal.
    n_features : int, default=100
        Number of columns, at least 2.
    n_clusters : int, default=10
        Number of clusters.
    subspace_ratio : float, default=0.375
        ε in [0, 1]: relevant features of all clusters together, as a share of
        ``n_clusters * n_features``. Each cluster has at least 2.
    dimension_overlap : float, default=0.5
        ρ in [0, 1]: share of a cluster's features that the cluster before has as well.
    data_overlap : float, default=1.0
        α, at least 0: how far apart the two means are on such a feature; smaller is harder.
    mean_range : (float, float), default=(0.0, 100.0)
        Where means are drawn. The default is the paper's, and easy: most relevant values lie
        outside the noise. ``(0.0, 10.0)`` is the hard one.
    noise_range : (float, float), default=(0.0, 10.0)
        Where irrelevant values are drawn.

    Returns
    -------
    Bunch
        ``data`` (n, n_features), rows sorted by cluster; ``target`` (n,), the true cluster of each
        row; ``relevant_by_cluster`` (n_clusters, n_features), which features each cluster needs;
        ``relevant`` (n_features,), those that any needs; ``means`` (n_clusters, n_features), NaN
        where a feature is irrelevant; ``feature_names``; ``DESCR``.

    References
    ----------
    .. [1] Y. Lu, S. Wang, S. Li and C. Zhou, "Particle swarm optimizer for variable weighting in
       clustering high-dimensional data", Machine Learning 82, 43-70, 2011, appendix.

    Examples
    --------
    >>> from weft.datasets import make_subspace_clusters
    >>> clusters = make_subspace_clusters(200, n_features=40, n_clusters=4, random_state=0)
    >>> clusters.data.shape
    (200, 40)
    >>> int(clusters.relevant_by_cluster.sum())  # 0.375 * 4 * 40
    60
    """
    n_clusters = check_integer("n_clusters", n_clusters, low=1)
    n_features = check_integer("n_features", n_features, low=FEWEST)
    n_samples = check_integer("n_samples", n_samples, low=n_clusters)
    ratio = check_real("subspace_ratio", subspace_ratio, low=0.0, high=1.0)
    overlap = check_real("dimension_overlap", dimension_overlap, low=0.0, high=1.0)
    shift = check_real("data_overlap", data_overlap, low=0.0)
    means_from = _check_range("mean_range", mean_range)
    noise_from = _check_range("noise_range", noise_range)
    rng = read_generator(random_state)

    counts = draw_counts(n_clusters, n_features, ratio, rng)
    relevant = draw_relevant(counts, n_features, overlap, rng)
    means = draw_means(relevant, shift, means_from, rng)
    sizes = np.full(n_clusters, n_samples // n_clusters)
    sizes[: n_samples % n_clusters] += 1
    target = np.repeat(np.arange(n_clusters), sizes)
    noise = rng.uniform(*noise_from, size=(n_samples, n_features))
    signal = rng.standard_normal((n_samples, n_features)) + np.nan_to_num(means)[target]
    return Bunch(
        data=np.where(relevant[target], signal, noise),
        target=target,
        relevant_by_cluster=relevant,
        relevant=relevant.any(axis=0),
        means=means,
        feature_names=column_names(n_features),
        DESCR=(
            f"Subspace clusters: {n_samples} points in {n_clusters} clusters, {n_features} "
            f"features, ε={ratio:g}, ρ={overlap:g}, α={shift:g}, means in {means_from}."
        ),
    )


def draw_counts(
    n_clusters: int, n_features: int, ratio: float, rng: np.random.Generator
) -> Integers:
    """Return m_l in [2, m] with Σ m_l = ε k m: uniform numbers, stretched to that sum."""
    total = round(ratio * n_clusters * n_features)
    counts = np.full(n_clusters, FEWEST, dtype=np.int64)
    if total < counts.sum():
        return counts
    share = rng.uniform(size=n_clusters)
    # Features beyond m of one cluster go to the others; at most k rounds.
    while (left := total - counts.sum()) > 0:
        room = n_features - counts
        open_ = room > 0
        wanted = np.zeros(n_clusters)
        wanted[open_] = left * share[open_] / share[open_].sum()
        step = np.minimum(np.floor(wanted).astype(np.int64), room)
        if not step.any():
            # Less than one each: the largest shares get the rest.
            order = np.argsort(-np.where(open_, wanted, -1.0), kind="stable")
            step[order[: min(left, open_.sum())]] = 1
        counts += step
    return counts


def draw_relevant(
    counts: Integers, n_features: int, overlap: float, rng: np.random.Generator
) -> NDArray[np.bool_]:
    """Return which features each cluster needs: ρ m_l of the cluster before, the rest new."""
    relevant = np.zeros((len(counts), n_features), dtype=bool)
    for cluster, count in enumerate(counts):
        before = np.flatnonzero(relevant[cluster - 1]) if cluster else np.empty(0, dtype=np.int64)
        others = np.setdiff1d(np.arange(n_features), before)
        n_shared = min(round(overlap * count), len(before)) if cluster else 0
        # A large cluster may need more new features than there are.
        n_shared = max(n_shared, count - len(others))
        relevant[cluster, rng.choice(before, n_shared, replace=False)] = True
        relevant[cluster, rng.choice(others, count - n_shared, replace=False)] = True
    return relevant


def draw_means(
    relevant: NDArray[np.bool_],
    shift: float,
    mean_range: tuple[float, float],
    rng: np.random.Generator,
) -> Floats:
    """Return the means, NaN where irrelevant; a shared one is `shift` from the cluster before."""
    fresh = rng.uniform(*mean_range, size=relevant.shape)
    means = np.where(relevant, fresh, np.nan)
    for cluster in range(1, len(relevant)):
        shared = relevant[cluster] & relevant[cluster - 1]
        before = means[cluster - 1, shared]
        up = before + shift
        means[cluster, shared] = np.where(up > mean_range[1], before - shift, up)
    return means


def _check_range(name: str, value: Any) -> tuple[float, float]:
    if not isinstance(value, (tuple, list, np.ndarray)) or len(value) != 2:
        raise ValueError(f"{name}={value!r} is not a range; give a (low, high) pair of numbers.")
    low = check_real(f"{name}[0]", value[0])
    high = check_real(f"{name}[1]", value[1])
    if low > high:
        raise ValueError(
            f"{name}=({low:g}, {high:g}) has its low end above its high end; "
            f"write ({high:g}, {low:g})."
        )
    return low, high
