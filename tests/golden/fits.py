"""Record what small fits learn: ``PYTHONPATH=. python tests/golden/fits.py`` writes fits.json.

One number stands for each attribute and for each answer about rows. Write the file again only
together with a change that is meant to change answers.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import dask
import dask.array
import numpy as np
import pandas as pd
from scipy.sparse import csr_array, issparse
from sklearn.base import clone
from tests.weighted_sums import weighted_sum

import weft
from weft.methods.mercer import InputCenters
from weft.methods.projected import Objective, SwarmSettings
from weft.methods.staged import ClusterEstimate

PATH = Path(__file__).with_suffix(".json")


def numbers() -> np.ndarray:
    """Return three groups of ten rows in four columns of other units, the last one noise."""
    rng = np.random.default_rng(12)
    X = rng.normal(size=(30, 4))
    X[10:20, 0] += 6.0
    X[20:, 1] -= 5.0
    X[20:, 2] += 4.0
    return X * [1.0, 3.0, 0.5, 2.0] + [10.0, 0.0, -3.0, 1.0]


def counts() -> csr_array:
    """Return sparse rows of counts."""
    rows = np.random.default_rng(13).poisson(0.5, size=(24, 10)).astype(float)
    rows[:12, :3] += 2.0
    rows[12:, 5:7] += 3.0
    return csr_array(rows)


def frame() -> pd.DataFrame:
    """Return numbers, words and a date."""
    X = numbers()
    return pd.DataFrame(
        {
            "width": X[:, 0],
            "price": [f"${value:.2f}" for value in 50.0 + X[:, 1]],
            "kind": np.where(
                np.arange(30) < 10, "red", np.where(np.arange(30) % 2, "green", "blue")
            ),
            "day": pd.date_range("2024-01-30", periods=30).to_numpy(),
            "size": np.array(["small", "large", "medium"])[np.arange(30) // 10],
        }
    )


SWARM = {"n_particles": 6, "n_generations": 4, "random_state": 0}
MASS = np.arange(30) % 3 / 2.0
PAIRS = {"must_link": [[0, 12], [1, 2]], "cannot_link": [[3, 4], [20, 21]]}

# Estimator, table and options of fit.
CASES: dict[str, tuple[Any, Any, dict[str, Any]]] = {
    "weighted": (weft.WeightedKMeans(3), numbers, {}),
    "weighted, mass": (weft.WeightedKMeans(3), numbers, {"sample_weight": MASS}),
    "weighted, powers": (
        weft.WeightedKMeans(3, distance_exponent=3.0, weight_exponent=1.5, weights="global"),
        numbers,
        {},
    ),
    "weighted, medians": (
        weft.WeightedKMeans(3, distance_exponent=1.0, init="random", n_init=2, random_state=0),
        numbers,
        {},
    ),
    "weighted, raw": (weft.WeightedKMeans(3), frame, {}),
    "entropy": (weft.EntropyKMeans(3, random_state=0), numbers, {}),
    "entropy, given": (
        weft.EntropyKMeans(3, gamma=20.0, init="scattered", n_init=2, random_state=1),
        numbers,
        {"sample_weight": MASS},
    ),
    "adaptive": (weft.LocallyAdaptiveKMeans(3, random_state=0), numbers, {}),
    "adaptive, given": (weft.LocallyAdaptiveKMeans(3, h=2.0, random_state=0), numbers, {}),
    "constrained": (weft.ConstrainedKMeans(3), numbers, PAIRS),
    "constrained, weights": (
        weft.ConstrainedKMeans(3, weights="cluster", group_distance="first", distance_exponent=1.5),
        numbers,
        PAIRS,
    ),
    "projected": (
        weft.ProjectedSwarm(3, n_particles=4, n_evaluations=12, random_state=0),
        numbers,
        {},
    ),
    "projected, weights": (
        weft.ProjectedSwarm(
            3,
            objective=Objective("ewkm"),
            particle="weights",
            n_particles=4,
            n_evaluations=12,
            polish=False,
            standardize=False,
            swarm=SwarmSettings(bounds="repair"),
            random_state=0,
        ),
        numbers,
        {},
    ),
    "projected, sparse": (
        weft.ProjectedSwarm(2, metric="jaccard", n_particles=4, n_evaluations=12, random_state=0),
        counts,
        {},
    ),
    "features": (weft.FeatureSwarm("linkage", n_clusters=3, **SWARM), numbers, {}),
    "features, neighbours": (
        weft.FeatureSwarm(criterion="silhouette", exponents=True, patience=None, **SWARM),
        numbers,
        {},
    ),
    "dynamic": (
        weft.DynamicSwarm(6, n_rounds=3, n_particles=6, n_generations=4, random_state=0),
        numbers,
        {},
    ),
    "genetic": (weft.GeneticClustering(5, scale=False, **SWARM), numbers, {}),
    "staged 1": (weft.StagedSwarm(1, n_clusters_estimate=3, **SWARM), numbers, {}),
    "staged 2": (
        weft.StagedSwarm(polish="prune", n_clusters_estimate=ClusterEstimate(3), **SWARM),
        numbers,
        {},
    ),
    "staged 3": (
        weft.StagedSwarm(3, quality="calinski-harabasz", scale=False, max_clusters=4, **SWARM),
        numbers,
        {},
    ),
    "kernel k-means": (weft.KernelKMeans(3, random_state=0), numbers, {}),
    "kernel k-means, sample": (
        weft.KernelKMeans(3, kernel="diffusion", sigma=4.0, max_samples=20, random_state=0),
        numbers,
        {},
    ),
    "subtractive": (weft.KernelSubtractive(3), numbers, {}),
    "subtractive, given": (
        weft.KernelSubtractive(3, sigma=1.0, alpha=4.0, beta=1.2, scale=False),
        numbers,
        {},
    ),
    "kernel swarm": (weft.KernelSwarm(max_clusters=5, patience=None, **SWARM), numbers, {}),
    "kernel swarm, input": (
        weft.KernelSwarm(
            "rbf", centers=InputCenters("printed"), sigma=1.5, max_clusters=4, **SWARM
        ),
        numbers,
        {},
    ),
    "similar features": (weft.FeatureSimilaritySelector(2), numbers, {}),
    "feature clusters": (weft.FeatureClusterSelector(), numbers, {}),
    "normalized": (weft.CountNormalizer(), counts, {}),
    "normalized, given": (weft.CountNormalizer(50.0, log=False), counts, {}),
    "ranges": (weft.RangeScaler(), frame, {}),
    "prepared": (weft.TablePreparer(), frame, {}),
    "prepared columns": (weft.TablePreparer("columns", drop=["size"], scale="range"), frame, {}),
    "auto": (weft.AutoCluster(n_resamples=1, random_state=0), numbers, {}),
    "auto, raw": (weft.AutoCluster(3, n_resamples=0), frame, {}),
    "auto, sparse": (weft.AutoCluster(n_resamples=0, counts=True), counts, {}),
}
ANSWERS = (
    "predict",
    "transform",
    "predict_proba",
    "score",
    "outlier_score",
    "membership",
    "explain",
)


def plain(values: Any) -> list[float]:
    """Return all numbers of an answer in order; text is left out."""
    if hasattr(values, "to_dict"):
        values = values.to_dict()
    if isinstance(values, dict):
        values = list(values.values())
    if isinstance(values, (list, tuple)):
        return [number for value in values for number in plain(value)]
    try:
        return (
            np.asarray(values.toarray() if issparse(values) else values, dtype=float)
            .ravel()
            .tolist()
        )
    except (TypeError, ValueError):
        return []


def summed(values: Any) -> float | None:
    """Return the weighted sum of all numbers of an answer; None if there are none."""
    flat = np.nan_to_num(plain(values), nan=0.5, posinf=7.0, neginf=-7.0)
    return weighted_sum(flat) if flat.size else None


def told(model: Any, X: Any) -> dict[str, float]:
    """Return one number for each attribute of a fitted model, and for its answers about rows."""
    params = model.get_params(deep=False)
    found = {name: value for name, value in vars(model).items() if name not in params}
    history = found.pop("history_", {})
    found |= {f"history {name}": history[name] for name in history if name != "seconds"}
    some = X.iloc[::4] if hasattr(X, "iloc") else X[::4]
    for name in ANSWERS:
        if hasattr(model, name):
            found[name] = getattr(model, name)(some)
    numbers = {name: summed(value) for name, value in sorted(found.items())}
    return {name: value for name, value in numbers.items() if value is not None}


def fitted(name: str) -> dict[str, float]:
    """Return what the fit of a case learns."""
    model, table, options = CASES[name]
    X = table()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return told(clone(model).fit(X, **options), X)


def streamed(name: str) -> dict[str, float]:
    """Return what is learned from two batches; some rows of the second have no weight."""
    model, options = STREAMS[name]
    X = numbers()[np.random.default_rng(0).permutation(30)]
    model = clone(model).partial_fit(X[:15])
    return told(model.partial_fit(X[15:], **options), X)


STREAMS: dict[str, Any] = {
    "weighted, stream": (weft.WeightedKMeans(2, weight_exponent=2.0), {}),
    "weighted, stream of mass": (weft.WeightedKMeans(2), {"sample_weight": MASS[:15]}),
    "entropy, stream": (weft.EntropyKMeans(2, random_state=0), {}),
    "entropy, stream given": (weft.EntropyKMeans(2, gamma=20.0, random_state=0), {}),
    "adaptive, stream": (weft.LocallyAdaptiveKMeans(2, random_state=0), {}),
    "projected, stream": (
        weft.ProjectedSwarm(2, n_particles=4, n_evaluations=8, random_state=0),
        {},
    ),
}


def in_blocks(name: str) -> dict[str, float]:
    """Return what a fit of blocks of rows learns, and answers about such a table."""
    model, holes, options = LAZY[name]
    X = numbers()
    X[::7, 1] = np.nan if holes else X[::7, 1]
    with dask.config.set(scheduler="synchronous"):
        lazy = dask.array.from_array(X, chunks=(11, 4))
        model = clone(model).fit(lazy, **options)
        model.labels_ = model.labels_.compute()
        found = told(model, X)
        for method in ("predict", "transform"):
            answer = getattr(model, method)(lazy)
            found[f"lazy {method}"] = summed(answer.compute())
            found[f"lazy {method} shape"] = summed(answer.shape)
    return found


LAZY: dict[str, Any] = {
    "weighted, blocks": (weft.WeightedKMeans(3, random_state=0), False, {}),
    "weighted, blocks with holes": (
        weft.WeightedKMeans(3, distance_exponent=1.5, allow_nan=True, random_state=0),
        True,
        {"sample_weight": MASS},
    ),
    "entropy, blocks": (weft.EntropyKMeans(3, random_state=0), False, {}),
    "projected, blocks": (
        weft.ProjectedSwarm(3, n_particles=4, n_evaluations=8, random_state=0),
        False,
        {},
    ),
}
WAYS: dict[str, Callable[[str], dict[str, float]]] = {
    **dict.fromkeys(CASES, fitted),
    **dict.fromkeys(STREAMS, streamed),
    **dict.fromkeys(LAZY, in_blocks),
}


def everything() -> dict[str, dict[str, float]]:
    """Return all cases."""
    return {name: way(name) for name, way in WAYS.items()}


if __name__ == "__main__":
    PATH.write_text(json.dumps(everything(), indent=1) + "\n", encoding="utf-8")
