"""Widths of clusters and distances to feature-space means: the readable form.

Abraham, Das and Konar 2007, eq. 8.
"""

from __future__ import annotations


def mean_widths(distances, labels, n_clusters, widths):
    """Fill `widths` with the mean over a cluster's rows of the distance to its farthest mate."""
    for k in range(n_clusters):
        members = labels == k
        block = distances[members][:, members]
        widths[k] = block.max(axis=1).mean() if members.any() else 0.0
