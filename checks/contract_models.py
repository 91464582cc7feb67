"""The fits that `checks.contracts` repeats, and the digest of the result of a fit."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Mapping
from typing import Any

import numpy as np

import weft
from weft.methods.mercer import Kernel
from weft.methods.staged import ClusterEstimate

# For each fit the digest of every attribute and of every answer.
Digests = dict[str, dict[str, str]]

_SHORT = {"n_particles": 6, "n_generations": 3, "random_state": 0}
_TABLE_KERNEL = {"kernel": Kernel("polynomial", {"degree": 2})}
# Every estimator, and settings that use other parts of its code.
FITS: dict[str, tuple[str, dict[str, Any]]] = {
    "AutoCluster": ("AutoCluster", {"n_resamples": 1, "random_state": 0}),
    "AutoCluster counts": ("AutoCluster", {"counts": True, "n_resamples": 0, "random_state": 0}),
    "AutoCluster told": (
        "AutoCluster",
        {"n_clusters": 3, "outliers": True, "n_resamples": 0, "random_state": 0},
    ),
    "ConstrainedKMeans": ("ConstrainedKMeans", {"n_clusters": 3, "random_state": 0}),
    "CountNormalizer": ("CountNormalizer", {}),
    "DynamicSwarm": ("DynamicSwarm", {**_SHORT, "n_rounds": 3}),
    "EntropyKMeans": ("EntropyKMeans", {"n_clusters": 3, "random_state": 0}),
    "FeatureClusterSelector": ("FeatureClusterSelector", {}),
    "FeatureSimilaritySelector": ("FeatureSimilaritySelector", {"n_neighbors": 3}),
    "FeatureSwarm": ("FeatureSwarm", _SHORT),
    "FeatureSwarm affinity": ("FeatureSwarm", {**_SHORT, "clusterer": "affinity"}),
    "FeatureSwarm dbscan robust": (
        "FeatureSwarm",
        {**_SHORT, "clusterer": "dbscan", "criterion": "robust", "init": "screened"},
    ),
    "FeatureSwarm exponents": ("FeatureSwarm", {**_SHORT, "exponents": True}),
    "FeatureSwarm linkage bic": (
        "FeatureSwarm",
        {**_SHORT, "clusterer": "linkage", "n_clusters": 3, "criterion": "bic"},
    ),
    "FeatureSwarm sample": ("FeatureSwarm", {**_SHORT, "max_samples": 200}),
    "GeneticClustering": ("GeneticClustering", _SHORT),
    "KernelKMeans": ("KernelKMeans", {"n_clusters": 3, "random_state": 0}),
    "KernelKMeans diffusion": (
        "KernelKMeans",
        {"n_clusters": 3, "kernel": "diffusion", "random_state": 0},
    ),
    "KernelKMeans polynomial": (
        "KernelKMeans",
        {"n_clusters": 3, **_TABLE_KERNEL, "random_state": 0},
    ),
    "KernelSubtractive": ("KernelSubtractive", {"n_clusters": 3}),
    "KernelSubtractive polynomial": ("KernelSubtractive", {"n_clusters": 3, **_TABLE_KERNEL}),
    "KernelSwarm": ("KernelSwarm", _SHORT),
    "KernelSwarm rbf": ("KernelSwarm", {**_SHORT, "kernel": "rbf"}),
    "KernelSwarm input": (
        "KernelSwarm",
        {**_SHORT, "kernel": "rbf", "centers": "input", "sigma": 1.1},
    ),
    "LocallyAdaptiveKMeans": ("LocallyAdaptiveKMeans", {"n_clusters": 3, "random_state": 0}),
    "ProjectedSwarm": (
        "ProjectedSwarm",
        {"n_clusters": 3, "n_particles": 4, "n_evaluations": 12, "random_state": 0},
    ),
    "ProjectedSwarm weights": (
        "ProjectedSwarm",
        {
            **{"n_clusters": 3, "n_particles": 4, "n_evaluations": 12, "random_state": 0},
            "particle": "weights",
        },
    ),
    "RangeScaler": ("RangeScaler", {}),
    "StagedSwarm": (
        "StagedSwarm",
        {**_SHORT, "n_clusters_estimate": ClusterEstimate(n_estimates=2)},
    ),
    "TablePreparer": ("TablePreparer", {}),
    "WeightedKMeans": ("WeightedKMeans", {"n_clusters": 3, "random_state": 0}),
    "WeightedKMeans anomalous": ("WeightedKMeans", {"weights": "global"}),
    "WeightedKMeans powers": (
        "WeightedKMeans",
        {"n_clusters": 3, "distance_exponent": 1.5, "init": "random", "random_state": 0},
    ),
}
# Fits of counts: they get `count_table` in place of `table`.
OF_COUNTS = ("AutoCluster counts", "CountNormalizer")
# Attributes that depend on the container or the clock by design.
_LEFT_OUT = {"feature_names_in_", "_fit_place", "seconds", "_sklearn_output_config", "plan_"}


def table() -> np.ndarray:
    """Return rows in three groups, enough of them that a BLAS library would use its threads."""
    rng = np.random.default_rng(7)
    X = rng.normal(size=(420, 12))
    X[140:280, :4] += 4.0
    X[280:, :4] -= 4.0
    X[:, 8] = X[:, 0] + 0.3 * rng.normal(size=len(X))
    return X * np.logspace(-2, 2, 12)


def count_table() -> np.ndarray:
    """Return counts in the same groups, with row totals that differ by a factor of ten."""
    rng = np.random.default_rng(8)
    rates = np.full((len(table()), 12), 4.0)
    rates[140:280, :4] = 20.0
    rates[280:, 4:8] = 20.0
    return rng.poisson(rates * np.logspace(-0.5, 0.5, len(rates))[:, None]).astype(float)


def digest_of_fit(name: str, X: Any) -> dict[str, str]:
    """Fit one case of `FITS`; return a digest of each attribute and each answer."""
    kind, options = FITS[name]
    model = getattr(weft, kind)(**options).fit(X)
    given = model.get_params(deep=False)
    learned = {key: value for key, value in vars(model).items() if key not in given}
    for method in ("predict", "predict_proba", "membership", "transform", "score"):
        if hasattr(model, method):
            learned[f"{method}()"] = getattr(model, method)(X)
    kept = {key: value for key, value in learned.items() if key not in _LEFT_OUT}
    return {key: _digest(value) for key, value in kept.items()}


def _digest(value: Any) -> str:
    return hashlib.sha256(b"".join(_bytes_of(value))).hexdigest()[:16]


def _bytes_of(value: Any) -> list[bytes]:
    """Return the bytes of a value, including nested values."""
    if isinstance(value, np.ndarray) and value.dtype != object:
        array = np.ascontiguousarray(value)
        return [str((array.dtype.str, array.shape)).encode(), array.tobytes()]
    if isinstance(value, Mapping):
        kept = {str(key): each for key, each in value.items() if key not in _LEFT_OUT}
        return [part for key, each in kept.items() for part in (key.encode(), *_bytes_of(each))]
    if dataclasses.is_dataclass(value):
        fields = [field.name for field in dataclasses.fields(value)]
        return [part for name in fields for part in _bytes_of(getattr(value, name))]
    if isinstance(value, (list, tuple, np.ndarray)):
        return [part for each in value for part in _bytes_of(each)]
    if isinstance(value, (float, np.floating)):
        return [float(value).hex().encode()]
    return [repr(value).encode()]
