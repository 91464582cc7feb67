"""Paragraphs of docstrings that several measures share."""

from __future__ import annotations

from weft._base.docstrings import Entry

_LABELS = "array-like of shape (n_samples,)"
# Measures by the data alone.
INTERNAL = {
    "X": Entry(
        "array-like of shape (n_samples, n_features) or (n_samples, n_samples)",
        'A table, or distances if ``metric="precomputed"``.',
    ),
    "labels": Entry(_LABELS, "Clusters; -1 for rows in none."),
    "n_neighbors": Entry("int", "How many nearest rows count."),
    "cap": Entry("float", "Upper limit of 1/d, which is what a row at distance 0 counts."),
    "metric": Entry('{"euclidean", "precomputed"}', "What `X` holds."),
    "noise": Entry(
        '{"exclude", "cluster"}', "Whether rows labelled -1 are left out or make up a cluster."
    ),
    "n_jobs": Entry("int or None", "Threads, for a table. The result does not depend on it."),
}
# Measures of axis-parallel Gaussians.
GAUSSIAN = {
    **INTERNAL,
    "X": Entry(
        "array-like of shape (n_samples, n_features)",
        "A table; each cluster is taken as an axis-parallel Gaussian.",
    ),
    "artificial_noise": Entry(
        "float", "Added to every standard deviation, so that tiny clusters have no advantage."
    ),
}
# Measures by prototypes.
PROTOTYPES = {
    "X": Entry("array-like of shape (n_samples, n_features)", "A table."),
    "labels": Entry(_LABELS, "Clusters; rows labelled -1 are left out."),
}
# Agreement with known classes.
EXTERNAL = {
    "y_true": Entry(_LABELS, "Known classes."),
    "labels": Entry(_LABELS, "Found clusters; -1 for rows in none."),
}
HIGHER = Entry("float", "Higher is better.")
LOWER = Entry("float", "Lower is better.")
TWO_CLUSTERS = Entry(
    "float", "inf if there are fewer than two clusters, or if all means are the same."
)
