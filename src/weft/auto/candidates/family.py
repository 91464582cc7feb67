"""All generators on one prepared table."""

from typing import NamedTuple

from threadpoolctl import threadpool_limits

from weft.auto.candidates.centres import centre_candidates
from weft.auto.candidates.density import density_candidates
from weft.auto.candidates.graphs import (
    community_candidates,
    piece_candidates,
    spectral_candidates,
)
from weft.auto.candidates.merging import distinct
from weft.auto.candidates.sizes import cluster_counts
from weft.auto.candidates.trees import tree_candidates, ward_cuts
from weft.auto.working import Ints, Prepared

FAMILIES = (
    "kmeans",
    "mixture-full",
    "mixture-tied",
    "mixture-diagonal",
    "ward",
    "average",
    "complete",
    "single",
    "robust-single",
    "genie",
    "robust-genie",
    "hdbscan",
    "hdbscan-leaf",
    "dbscan",
    "mutual",
    "spectral",
    "spectral-gauss",
    "spectral-shared",
    "pieces",
    "communities",
)


class Candidate(NamedTuple):
    """One clustering of the prepared rows.

    Attributes
    ----------
    labels : (n,) cluster of each row in canonical order, numbered by first row; -1 is an outlier
    generators : full names of all generators that gave this clustering, or one near-identical
    families : the names of FAMILIES among them, each once
    """

    labels: Ints
    generators: tuple[str, ...]
    families: tuple[str, ...]


def generate(
    prepared: Prepared, *, min_clusters: int = 2, max_clusters: int | None = None
) -> list[Candidate]:
    """Cluster the rows in many ways and merge what is near-identical.

    Parameters
    ----------
    prepared : what `weft.auto.working.prepare` gave
    min_clusters, max_clusters : allowed numbers of clusters; outliers are not a cluster. Without
        `max_clusters`, up to 100, and half the number of rows.

    Returns
    -------
    list of Candidate
    """
    n = len(prepared.points)
    if min_clusters < 2 or (max_clusters is not None and max_clusters < min_clusters):
        raise ValueError(
            f"min_clusters={min_clusters} and max_clusters={max_clusters} are not allowed; "
            "give 2 ≤ min_clusters ≤ max_clusters."
        )
    if prepared.distances.max() == 0.0:
        return []  # all rows are equal
    counts = cluster_counts(n, min_clusters, max_clusters)
    with threadpool_limits(1, "blas"):
        ward = ward_cuts(prepared, counts)
        found = tree_candidates(prepared, counts, ward)
        found += centre_candidates(prepared, counts, ward)
        found += density_candidates(prepared)
        found += spectral_candidates(prepared, counts)
        found += piece_candidates(prepared, counts)
        found += community_candidates(prepared)
    groups = distinct(found, prepared.first_equal, min_clusters, max_clusters or n)
    return [
        Candidate(
            labels,
            tuple(sorted({raw.name for raw in members})),
            tuple(name for name in FAMILIES if any(raw.family == name for raw in members)),
        )
        for labels, members in groups
    ]
