"""All generators on one prepared table."""

from weft.auto.candidates.centres import centre_candidates
from weft.auto.candidates.consensus import consensus_candidates
from weft.auto.candidates.density import density_candidates
from weft.auto.candidates.graphs import (
    community_candidates,
    piece_candidates,
    spectral_candidates,
)
from weft.auto.candidates.merging import merged
from weft.auto.candidates.raw import Candidate, Raw
from weft.auto.candidates.second import second_candidates
from weft.auto.candidates.sizes import cluster_counts
from weft.auto.candidates.trees import cuts, linkage_edges, tree_candidates
from weft.auto.working import Prepared
from weft.parallel.blas import one_blas_thread

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
    "second-ward",
    "second-average",
    "second-spectral",
    "second-spectral-shared",
    "second-communities",
    "consensus",
)


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
    with one_blas_thread():
        ward_edges = linkage_edges(prepared, "ward")
        # From cuts of Ward's tree centres and mixtures start as well.
        ward = cuts(ward_edges, counts)
        found = tree_candidates(prepared, counts, ward)
        found += centre_candidates(prepared, counts, ward)
        found += density_candidates(prepared)
        found += spectral_candidates(prepared, counts)
        found += piece_candidates(prepared, counts, ward_edges)
        found += community_candidates(prepared)
        found += second_candidates(prepared, counts)
        single = [_alone(raw) for raw in found]
        limits = (min_clusters, max_clusters or n)
        several = merged(single, FAMILIES, prepared.first_equal, *limits)
        agreed = [_alone(raw) for raw in consensus_candidates(several, counts)]
    return merged([*several, *agreed], FAMILIES, prepared.first_equal, *limits)


def _alone(raw: Raw) -> Candidate:
    return Candidate(raw.labels, (raw.name,), (raw.family,))
