"""Evidence that the table has clusters at all, whichever candidate is right."""

from collections.abc import Sequence

import numpy as np
from scipy.special import ndtri
from threadpoolctl import threadpool_limits

from weft.auto.candidates import Candidate
from weft.auto.evidence.measures import NAMES, measure
from weft.auto.kernels.dip import dip
from weft.auto.kernels.distances import nearest, pairwise
from weft.auto.working import Floats, Prepared, spanning_tree

N_COPIES = 3
CLUMP_NEIGHBOURS = 10
FEW_VALUES = 0.3  # share of distinct values below which a column counts as one of few values
WIDTHS = (0.05, 0.1, 0.2, 0.35, 0.5, 0.75, 1.0)  # of smoothing, in deviations
ONE_MODE = 0.42  # dip · √n below which a column has one mode; uniform columns have .27 to .4
# Measures whose largest value over the candidates says something of the table.
MAXIMA = (
    "silhouette_mean",
    "path_silhouette_mean",
    "reach_silhouette_mean",
    "compact_mean",
    "density_gap_mean",
    "density_gap_90_mean",
    "split_mean",
    "split_worst",
    "conductance_mean",
    "valley_mean",
    "border_mean",
    "apart_mean",
    "apart_fisher_mean",
    "apart_worst",
    "modularity",
    "bic_full",
    "bic_diagonal",
    "calinski",
    "agreement",
    "mean_agreement",
    "votes",
)
TABLE_NAMES: tuple[str, ...] = (
    "log_rows",
    "log_columns",
    "log_axes",
    "largest_dip",
    "mean_dip",
    "nearest_clump",
    "neighbour_clump",
    "edge_clump",
    "edge_spread_clump",
    "log_candidates",
    *(f"most_{name}" for name in MAXIMA),
)


def column_dips(points: Floats) -> Floats:
    """Dip · √n of each column and, from two columns on, of each principal axis."""
    n = len(points)
    views = points - points.mean(axis=0)
    if points.shape[1] > 1:
        views = np.hstack([views, views @ np.linalg.eigh(views.T @ views)[1]])
    return np.array([dip(column) * np.sqrt(n) for column in np.sort(views, axis=0).T])


def one_lump_margin(values: Floats, noise: Floats) -> Floats:
    """Sorted values of one column, smoothed until they have one mode; same variance.

    Columns with few distinct values keep them: smoothing would remove ties, which are no clusters.
    """
    n = len(values)
    ordered = np.sort(values)
    if (np.diff(ordered) > 0).sum() + 1 < FEW_VALUES * n:
        return ordered
    deviation = values.std()
    for width in WIDTHS:
        ordered = np.sort(values + width * deviation * noise)
        if dip(ordered) * np.sqrt(n) < ONE_MODE:
            break
    ordered = ordered - ordered.mean()
    return ordered * (deviation / max(ordered.std(), 1e-300))


def one_lump_copy(points: Floats, rng: np.random.Generator) -> Floats:
    """A copy with like margins and the same rank correlations, but one lump: a Gaussian copula."""
    n, d = points.shape
    ranks = points.argsort(axis=0, kind="stable").argsort(axis=0, kind="stable")
    scores = ndtri((ranks + 0.5) / n)
    values, vectors = np.linalg.eigh(scores.T @ scores / n)
    drawn = rng.standard_normal((n, d)) * np.sqrt(np.maximum(values, 0.0)) @ vectors.T
    drawn_ranks = drawn.argsort(axis=0, kind="stable").argsort(axis=0, kind="stable")
    noise = rng.standard_normal((n, d))
    margins = np.column_stack([one_lump_margin(points[:, f], noise[:, f]) for f in range(d)])
    return np.take_along_axis(margins, drawn_ranks, axis=0)


def clumping(distances: Floats, lengths: Floats) -> Floats:
    """Logs of: nearest and tenth neighbour, mean edge of the spanning tree, spread of its edges.

    All are relative to the mean distance, so that they have no unit.
    """
    scale = distances.mean() + 1e-300
    edges = spanning_tree(distances, np.zeros(len(distances))).lengths
    parts = (lengths[:, 0].mean(), lengths[:, -1].mean(), edges.mean(), edges.std())
    return np.log(np.maximum(np.array(parts) / scale, 1e-6))


def clump_evidence(prepared: Prepared) -> Floats:
    """How much nearer neighbours and edges are than in copies that are one lump."""
    n = len(prepared.points)
    k = min(CLUMP_NEIGHBOURS, prepared.neighbours.shape[1])
    found = clumping(prepared.distances, prepared.neighbour_distances[:, :k])
    rng = np.random.default_rng([prepared.seed, 4])
    copies = []
    for _ in range(N_COPIES):
        copy = np.ascontiguousarray(one_lump_copy(prepared.points, rng))
        distances = np.empty((n, n))
        pairwise(copy, distances)
        lengths = np.empty((n, k))
        nearest(distances, k, np.empty((n, k), dtype=np.int64), lengths)
        copies.append(clumping(distances, lengths))
    return np.mean(copies, axis=0) - found


def measure_table(
    prepared: Prepared, candidates: Sequence[Candidate], values: Floats | None = None
) -> Floats:
    """Evidence of the whole table.

    Parameters
    ----------
    prepared : what `weft.auto.working.prepare` gave
    candidates : its candidates
    values : what `measure` gave for them; without it, it is computed

    Returns
    -------
    (len(TABLE_NAMES),) float64
    """
    if values is None:
        values = measure(prepared, candidates)
    n, d = prepared.points.shape
    with threadpool_limits(1, "blas"):
        dips = column_dips(prepared.points)
        clumps = clump_evidence(prepared)
    columns = [NAMES.index(name) for name in MAXIMA]
    most = values[:, columns].max(axis=0) if len(values) else np.zeros(len(columns))
    first = [
        np.log(n),
        np.log(max(prepared.n_columns, 1)),
        np.log(d),
        dips.max(),
        dips.mean(),
        *clumps,
        np.log(len(candidates) + 1.0),
    ]
    return np.concatenate([first, most])
