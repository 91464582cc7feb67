"""Evidence that the table has clusters at all, whichever candidate is right."""

from collections.abc import Sequence

import numpy as np

from weft.auto.candidates import Candidate
from weft.auto.evidence.lumps import one_lump_copies
from weft.auto.evidence.measures import NAMES, measure
from weft.auto.kernels.dip import dip
from weft.auto.kernels.distances import nearest, pairwise
from weft.auto.working import Floats, Prepared, spanning_tree
from weft.parallel.blas import one_blas_thread

CLUMP_NEIGHBOURS = 10
N_AXES = 5  # first principal axes with dips of their own: few distinct values cause no dip there
# Measures whose largest value over the candidates is evidence of the table.
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
    "silhouette_beyond_chance",
    "calinski_beyond_chance",
    "alike_in_halves",
    "alike_in_rows",
    "second_silhouette",
    "second_neighbours",
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
    "first_axis_dip",
    "largest_axis_dip",
    "nearest_clump",
    "neighbour_clump",
    "edge_clump",
    "edge_spread_clump",
    "log_candidates",
    *(f"most_{name}" for name in MAXIMA),
)


def dips_of(points: Floats) -> Floats:
    """Dip · √n of the columns and their axes: largest, mean; of the first axis, of the first few.

    One column is its own axis.
    """
    n, d = points.shape
    columns = points - points.mean(axis=0)
    axes = columns
    if d > 1:
        axes = columns @ np.linalg.eigh(columns.T @ columns)[1][:, ::-1]
    views = np.ascontiguousarray(np.sort(np.hstack([axes, columns]), axis=0).T)
    dips = np.array([dip(view) * np.sqrt(n) for view in views])
    return np.array([dips.max(), dips.mean(), dips[0], dips[: min(d, N_AXES)].max()])


def clumping(distances: Floats, lengths: Floats, edges: Floats) -> Floats:
    """Logs of: nearest and tenth neighbour, mean edge of the spanning tree, spread of its edges.

    All are relative to the mean distance, so that they have no unit.
    """
    scale = distances.mean() + 1e-300
    parts = (lengths[:, 0].mean(), lengths[:, -1].mean(), edges.mean(), edges.std())
    return np.log(np.maximum(np.array(parts) / scale, 1e-6))


def clump_evidence(prepared: Prepared, lumps: Sequence[Floats]) -> Floats:
    """How much nearer neighbours and edges are than in copies that are one lump."""
    n = len(prepared.points)
    k = min(CLUMP_NEIGHBOURS, prepared.neighbours.shape[1])
    edges = prepared.trees[0].lengths  # of plain distances
    found = clumping(prepared.distances, prepared.neighbour_distances[:, :k], edges)
    copies = []
    for copy in lumps:
        distances = np.empty((n, n))
        pairwise(copy, distances)
        lengths = np.empty((n, k))
        nearest(distances, k, np.empty((n, k), dtype=np.int64), lengths)
        edges = spanning_tree(distances, np.zeros(n)).lengths
        copies.append(clumping(distances, lengths, edges))
    return np.mean(copies, axis=0) - found


def measure_table(
    prepared: Prepared,
    candidates: Sequence[Candidate],
    values: Floats | None = None,
    copies: Sequence[Floats] | None = None,
) -> Floats:
    """Evidence of the whole table.

    Parameters
    ----------
    prepared : what `weft.auto.working.prepare` gave
    candidates : its candidates
    values : what `measure` gave for them; without it, it is computed
    copies : what `weft.auto.evidence.lumps.one_lump_copies` gave; without it, it is computed

    Returns
    -------
    (len(TABLE_NAMES),) float64
    """
    if copies is None:
        copies = one_lump_copies(prepared)
    if values is None:
        values = measure(prepared, candidates, copies)
    n, d = prepared.points.shape
    with one_blas_thread():
        dips = dips_of(prepared.points)
        clumps = clump_evidence(prepared, copies)
    columns = [NAMES.index(name) for name in MAXIMA]
    most = values[:, columns].max(axis=0) if len(values) else np.zeros(len(columns))
    first = [
        np.log(n),
        np.log(max(prepared.n_columns, 1)),
        np.log(d),
        *dips,
        *clumps,
        np.log(len(candidates) + 1.0),
    ]
    return np.concatenate([first, most])
