"""Measures of a clustering: from the data alone (internal), or against known classes (external).

Signs are the papers' own: higher is better for all but `sparsity`.
"""

from weft.metrics.external import accuracy, pair_f, pair_f1, purity
from weft.metrics.internal import (
    bcr,
    bic,
    connectedness,
    csc,
    separation,
    silhouette,
    sparsity,
)

__all__ = [
    "accuracy",
    "bcr",
    "bic",
    "connectedness",
    "csc",
    "pair_f",
    "pair_f1",
    "purity",
    "separation",
    "silhouette",
    "sparsity",
]
