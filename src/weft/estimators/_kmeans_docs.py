"""Paragraphs of docstrings, and moved parameters, of the k-means family."""

from __future__ import annotations

from weft._base.docstrings import Entry
from weft._base.records import RecordParameter
from weft.kmeans.anomalous import AnomalousStart

FAMILY = {
    "init": Entry(
        '{"anomalous", "k-means++", "random", "scattered"}, AnomalousStart or array',
        "Start: the largest anomalous patterns (deterministic; with other settings: "
        ":class:`weft.kmeans.anomalous.AnomalousStart`); rows drawn by distance, or by weight "
        "alone; rows far apart (deterministic); or centres (n_clusters, n_features).",
    ),
    "n_init": Entry(
        'int or "auto"',
        'Number of starts, of which the one with the least criterion is kept. "auto": 10 for '
        '"random" and "k-means++", 1 otherwise.',
    ),
    "distance_exponent": Entry(
        "float",
        "The power p of the distance, at least 1. The centre is the median at 1, the mean at 2.",
    ),
    "dispersion_offset": Entry(
        'float or "mean"',
        'Added to each dispersion before weights are computed: "mean" is the mean of all of them. '
        "With 0 the criterion falls at every step.",
    ),
    "max_iter": Entry("int", "Largest number of rounds per start."),
    "tol": Entry(
        "float",
        "Stop when at most this share of the rows changes cluster. 0: when none does.",
    ),
    "device": Entry(
        '{"cpu", "cuda", "auto"}',
        'Where the rounds run; ``"auto"`` uses a GPU if there is one and the table is large '
        "enough. Random draws, blocks of Dask, batches, groups under constraints and `predict` "
        "run on the CPU.",
    ),
    "random_state": Entry("int, RandomState instance or None", "Seed of random starts."),
    "labels_": Entry("ndarray of shape (n_samples,)", "Cluster of each row."),
    "cluster_centers_": Entry("ndarray of shape (n_clusters, n_features)", "Minkowski centres."),
    "cluster_feature_weights_": Entry(
        "ndarray of shape (n_clusters, n_features)", "Weights, each row summing to 1."
    ),
    "feature_weights_": Entry(
        "ndarray of shape (n_features,)", "Their mean over the rows of the data."
    ),
    "inertia_": Entry("float", "The criterion."),
    "anomalous_patterns_": Entry(
        "NamedTuple or None",
        "``centers``, ``weights``, ``sizes``, ``labels`` of the patterns, in the order found; with "
        "`n_clusters` given, the search stops once no larger pattern can follow. None for other "
        "starts.",
    ),
    "n_iter_": Entry("int", "Rounds of the start that was kept."),
}


# Other starts than anomalous patterns have no use for their settings.
START = RecordParameter(
    AnomalousStart,
    lambda name: AnomalousStart(),
    lambda init: not (isinstance(init, str) and init == "anomalous"),
)
