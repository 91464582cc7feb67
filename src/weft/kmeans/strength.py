"""Default for the strength of the weights' entropy: a scale computed from the data."""

from __future__ import annotations

import numpy as np

from weft._base.arrays import Floats, Mask
from weft.kmeans.data import Data, center_of


def typical_dispersion(data: Data, active: Mask, n_clusters: int, averaged: bool) -> float:
    """Return the mean dispersion of a feature if rows were assigned to clusters at random."""
    every_row = np.arange(len(data.X))
    total = center_of(data, every_row, np.zeros(data.X.shape[1])).dispersions[active]
    return typical_share(total, float(data.load.sum()), n_clusters, averaged)


def typical_share(dispersions: Floats, load: float, n_clusters: int, averaged: bool) -> float:
    """Return a random cluster's share of the table's dispersions, given its sum of loads."""
    share = dispersions.mean() / (load if averaged else n_clusters)
    return float(share) if share > 0.0 else 1.0
