"""Measures of a clustering: from the data alone (internal), or against known classes (external).

Signs are as in the papers: higher is better for all but `sparsity`, `entropy`, `sum_intra`, `cs`,
`kernel_cs` and `evaluations_to_reach`.
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
from weft.metrics.projected import entropy, found_features, fscore, select_features
from weft.metrics.prototypes import (
    cs,
    evaluations_to_reach,
    huang_accuracy,
    kernel_cs,
    scatter_trace,
    sum_intra,
)

__all__ = [
    "accuracy",
    "bcr",
    "bic",
    "connectedness",
    "cs",
    "csc",
    "entropy",
    "evaluations_to_reach",
    "found_features",
    "fscore",
    "huang_accuracy",
    "kernel_cs",
    "pair_f",
    "pair_f1",
    "purity",
    "scatter_trace",
    "select_features",
    "separation",
    "silhouette",
    "sparsity",
    "sum_intra",
]
