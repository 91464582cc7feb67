"""Docstrings of the estimators: paragraphs that several classes share are written once.

The docstring of a class describes what is special to it. When the class is made, parameters of its
constructor and attributes of its schema that it does not describe get the shared paragraphs of
this module or of ``_paragraphs`` of its bases; methods get descriptions of ``X``, ``y`` and the
like.
"""

from __future__ import annotations

import inspect
from typing import Any

from weft._base.docstrings import Docstring, Entry, completed

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


# Attributes that are described before those of the class itself.
_FIRST = ("labels_", "n_clusters_", "cluster_centers_")
# Methods of mixins belong to several estimators, and are completed with the first.
_completed: set[Any] = set()


def complete_docstrings(kind: Any) -> None:
    """Complete the docstrings of an estimator's class and of its methods that weft defines."""
    bases = [base for base in kind.__mro__ if base.__module__.startswith("weft.")]
    for method in [method for base in bases for method in vars(base).values()]:
        function = getattr(method, "fn", method)  # available_if keeps the function there
        if not inspect.isfunction(function) or function in _completed:
            continue
        _completed.add(function)
        if not function.__name__.startswith("_") and function.__doc__:
            function.__doc__ = complete_method(function)
    if kind.__doc__ and hasattr(kind, "_schema"):
        kind.__doc__ = complete_class(kind)


def complete_method(function: Any) -> str:
    """Return the docstring of a method with the arguments and the result that it leaves out."""
    return completed(function, ARGUMENTS, RETURNS.get(function.__name__), margin=" " * 8)


def complete_class(kind: Any) -> str:
    """Return the docstring of a class with the parameters and attributes that it leaves out."""
    shared: dict[str, Entry] = {**PARAMETERS, **ATTRIBUTES}
    for base in reversed(kind.__mro__):
        shared |= vars(base).get("_paragraphs", {})
    docstring = Docstring(kind.__doc__, margin="    ")
    signature = inspect.signature(kind.__init__).parameters
    parameters = {
        name: docstring.written(name, shared[name], signature[name].default)
        for name in signature
        if name in shared
    }
    docstring.set_entries("Parameters", signature, parameters)
    learned = [name for name in kind._schema.learned if name[0] != "_" and name[-1] == "_"]
    attributes = {name: docstring.written(name, shared[name]) for name in learned if name in shared}
    own = list(docstring.entries("Attributes"))
    first = [name for name in _FIRST if name in attributes and name not in own]
    # The columns seen in fit come at the very end.
    last = sorted(attributes, key=lambda name: name.endswith("_in_"))
    docstring.set_entries("Attributes", dict.fromkeys([*first, *own, *last]), attributes)
    return str(docstring)
