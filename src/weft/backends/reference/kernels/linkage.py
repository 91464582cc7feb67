"""Complete linkage, cut at a number of clusters."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def complete_linkage(
    distances: NDArray[np.float64], n_clusters: int, out: NDArray[np.int64]
) -> None:
    """Fill `out` with labels: the two clusters whose farthest rows are nearest merge first.

    `distances` (n, n) may be powered, since only their order counts; it is used up. Clusters are
    numbered by their first row.
    """
    n_rows = len(distances)
    members = {i: [i] for i in range(n_rows)}
    np.fill_diagonal(distances, np.inf)
    while len(members) > n_clusters:
        i, j = sorted(divmod(int(distances.argmin()), n_rows))
        farthest = np.maximum(distances[i], distances[j])
        distances[i, :] = distances[:, i] = farthest
        distances[i, i] = np.inf
        distances[j, :] = distances[:, j] = np.inf
        members[i] += members.pop(j)
    for label, first in enumerate(sorted(members, key=lambda i: min(members[i]))):
        out[members[first]] = label
