"""Paragraphs of docstrings that several estimators share: see `weft.estimators._docstrings`."""

from __future__ import annotations

from weft._base.docstrings import Entry

_TABLE = Entry("array-like of shape (n_samples, n_features)", "Rows.")

# Parameters of constructors.
PARAMETERS = {
    "n_clusters": Entry("int", "Number of clusters."),
    "n_particles": Entry("int", "Size of the swarm."),
    "n_generations": Entry("int", "Maximum number of generations."),
    "patience": Entry(
        "int or None",
        "Stop after this many generations without improvement; None runs all generations.",
    ),
    "scale": Entry("bool", "Standardise columns first."),
    "max_memory": Entry("int or str", "Memory limit for matrices of rows × rows."),
    "max_samples": Entry(
        "int or None",
        "Maximum number of rows to search on: a sample of this size is drawn by density, and the "
        "other rows are then assigned as `predict` does. None: all rows.",
    ),
    "device": Entry(
        '{"cpu", "cuda", "auto"}',
        'Where the arithmetic runs; ``"auto"`` uses a GPU if there is one and the table is large '
        "enough. Random draws and `predict` run on the CPU.",
    ),
    "n_jobs": Entry("int or None", "Number of threads. The result does not depend on it."),
    "callbacks": Entry(
        "list of callable",
        "Called after each generation; see :mod:`weft.callbacks`. ``[Progress()]`` shows a bar."
        " ``verbose=True`` is short for it.",
    ),
    "random_state": Entry("int, RandomState instance or None", "Seed of the search."),
}

# What estimators learn.
ATTRIBUTES = {
    "labels_": Entry(
        "ndarray of shape (n_samples,)", "Cluster of each row, numbered by first row."
    ),
    "n_clusters_": Entry("int", "Number of clusters."),
    "cluster_centers_": Entry(
        "ndarray of shape (n_clusters, n_features)", "Mean of each cluster's rows."
    ),
    "n_iter_": Entry("int", "Generations that were evaluated."),
    "n_samples_search_": Entry("int", "Rows that the search ran on."),
    "history_": Entry(
        "dict of ndarray",
        "One entry per generation: generation, best_fitness, mean_fitness, seconds, n_clusters.",
    ),
    "n_features_in_": Entry("int", "Number of columns seen in fit."),
    "feature_names_in_": Entry(
        "ndarray of shape (n_features,)", "Their names, where the table had some."
    ),
}

# Arguments of methods.
ARGUMENTS = {
    "X": _TABLE,
    "y": Entry("ignored", "Not used, present for API consistency."),
    "sample_weight": Entry("array-like of shape (n_samples,)", "How much each row counts."),
    "resume": Entry(
        "str or Path",
        "A checkpoint of this fit to continue from; see :class:`weft.callbacks.Checkpoint`.",
    ),
}

# What methods return.
_FITTED = Entry("self", "The fitted estimator.")
_LABELS = Entry("ndarray of shape (n_samples,)", "Clusters.")
RETURNS = {"fit": _FITTED, "set_params": _FITTED, "predict": _LABELS, "fit_predict": _LABELS}
