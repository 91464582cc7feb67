"""Which numbers of clusters are tried."""

import numpy as np
from numpy.typing import NDArray

MOST_CLUSTERS = 100


def cluster_counts(
    n: int, min_clusters: int, max_clusters: int | None, dense_to: int = 20, ratio: float = 1.25
) -> NDArray[np.int64]:
    """All numbers up to `dense_to`, then steps by `ratio` up to 100 (or `max_clusters`).

    Without `max_clusters`, clusters have at least two rows on average.
    """
    most = min(n // 2, MOST_CLUSTERS) if max_clusters is None else min(max_clusters, n - 1)
    counts = list(range(2, dense_to + 1))
    while counts[-1] < most:
        counts.append(max(counts[-1] + 1, round(counts[-1] * ratio)))
    ends = [k for k in (min_clusters, max_clusters, most) if k is not None and k >= 2]
    wanted = sorted({*counts, *ends})
    return np.array([k for k in wanted if max(min_clusters, 2) <= k <= most], dtype=np.int64)


def up_to(counts: NDArray[np.int64], most: int) -> NDArray[np.int64]:
    """The numbers up to `most`, and the smallest in any case: it may be the only one asked for."""
    return counts[(counts <= most) | (counts == counts[:1].sum())]
