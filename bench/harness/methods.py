"""Methods that a study can call: estimators of weft and scikit-learn, and some of the papers.

A call is a public name of weft ("FeatureSwarm"), a path ("sklearn.cluster.KMeans"), or one of
`OTHERS`. Parameters that depend on the data are names: ``"classes"`` is the number of classes,
``"estimate"`` the staged paper's K_est, ``"$sigma"`` the entry
sigma of the data set; ``"None"`` is None.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import weft
from bench.harness.measures import Outcome, measure
from bench.harness.study import seed_of
from weft import choose_exponent
from weft.backends.cpu.buffers import Buffers
from weft.backends.cpu.features import Spaces
from weft.backends.cpu.spaces import Space, Table
from weft.backends.spaces import Solution
from weft.estimators._moved_params import read_records
from weft.estimators.presets import find_method
from weft.methods.staged.estimate import estimate_n_clusters, largest_number
from weft.metrics import accuracy
from weft.search.clusterers import make_clusterer
from weft.search.reached import Reached


class Setting(NamedTuple):
    """The data and the run of a method."""

    X: Any
    y: np.ndarray
    seed: int
    paper: str
    data: str
    trial: int
    spec: dict[str, Any]  # of the data set
    metrics: tuple[str, ...]


def run(method: dict[str, Any], at: Setting) -> dict[str, Any]:
    """Run a method, over its sweep if it has one, and return the measures."""
    if "sweep" in method:
        found = [_once(method, at, change) for change in sweep_of(method["sweep"])]
        counts = [each.pop("evaluations") for each in found]
        spent = None if None in counts else sum(counts)
        return {key: [each[key] for each in found] for key in found[0]} | {"evaluations": spent}
    if "repeat" in method:
        found = [
            _once(method, at._replace(seed=(at.seed + turn) % 2**31), {})
            for turn in range(method["repeat"])
        ]
        return max(found, key=lambda each: each[method["best"]])
    return _once(method, at, {})


def labels_of(method: dict[str, Any], at: Setting) -> np.ndarray:
    """Return the clusters that a method finds."""
    params = method.get("params", {})
    if method["call"] in OTHERS:
        return OTHERS[method["call"]](params, at).labels
    return _estimator(method["call"], params, at).labels


def sweep_of(sweep: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the parameters of each step of a sweep."""
    values = sweep.get("values")
    if values is None:
        n_steps = round((sweep["to"] - sweep["from"]) / sweep["step"]) + 1
        values = [round(sweep["from"] + step * sweep["step"], 10) for step in range(n_steps)]
    return [{sweep["parameter"]: value} for value in values]


def _once(method: dict[str, Any], at: Setting, change: dict[str, Any]) -> dict[str, Any]:
    params = {**method.get("params", {}), **change}
    if method["call"] in OTHERS:
        outcome = OTHERS[method["call"]](params, at)
    else:
        outcome = _estimator(method["call"], params, at)
    found = {name: measure(name, outcome) for name in at.metrics}
    return found | {"evaluations": _evaluations(outcome.model)}


def _evaluations(model: Any) -> float | None:
    n_evaluations = getattr(model, "n_evaluations_", None)
    if n_evaluations is None and hasattr(model, "history_") and hasattr(model, "n_particles"):
        n_evaluations = model.n_particles * len(model.history_["best_fitness"])
    return n_evaluations


def _estimator(call: str, params: dict[str, Any], at: Setting) -> Outcome:
    estimator = getattr(weft, call, None) if "." not in call else None
    if estimator is None:
        module, _, name = call.rpartition(".")
        estimator = getattr(importlib.import_module(module), name)
    given = {key: _resolved(value, at) for key, value in params.items()}
    accepted = inspect.signature(estimator).parameters
    if "random_state" in accepted:
        given.setdefault("random_state", at.seed)
    reached = None
    if "reached" in at.metrics and "callbacks" in accepted:
        reached = Reached(at.y, threshold=at.spec["threshold"] / 100)
        given["callbacks"] = [reached]
    X = at.X
    if given.pop("cosine", False):  # rows have length 1: products are cosines
        X = (X @ X.T).toarray()
        X = 1.0 - X if estimator.__name__ == "AgglomerativeClustering" else X
    if given.pop("dense", False):
        X = X.toarray()
    model = estimator(**read_records(estimator, given))
    labels = model.fit_predict(X)
    extra: dict[str, Any] = {}
    if "reached" in at.metrics:
        got = reached is not None and np.isfinite(reached.n_evaluations)
        extra["reached"] = float(reached.n_evaluations) if got and reached else None
    return Outcome(at.X, at.y, np.asarray(labels), model, extra)


def _resolved(value: Any, at: Setting) -> Any:
    if value == "None":  # TOML has no null
        return None
    if value == "classes":
        return len(np.unique(at.y))
    if value == "estimate":
        return estimate(at.paper, at.data, at.trial, at)
    if isinstance(value, str) and value.startswith("$"):
        return at.spec[value[1:]]
    if isinstance(value, dict):
        return {key: _resolved(each, at) for key, each in value.items()}
    return value


_known: dict[tuple[str, str, int], int] = {}


def estimate(paper: str, data: str, trial: int, at: Setting) -> int:
    """Return K_est, the same for all methods of a trial."""
    key = (paper, data, trial)
    if key not in _known:
        rng = np.random.default_rng(seed_of("estimate", data, trial, whole=True))
        most = largest_number(len(at.X))
        _known[key] = estimate_n_clusters(
            at.X, n_estimates=30, max_clusters=most, rng=rng
        ).n_clusters
    return _known[key]


def plain_labels(
    X: np.ndarray, clusterer: str, *, n_clusters: int | None = None, **params: Any
) -> np.ndarray:
    """Return the labels of a clusterer on Euclidean distances, all features at weight 1."""
    table = Table.of(X)
    space = Space.of(table, Solution(np.ones(X.shape[1])), Buffers(hold_matrix=True))
    spaces = Spaces(space, table)
    made = make_clusterer(clusterer, params, n_clusters=n_clusters, seed=0)
    return made.prepare(spaces).cluster(spaces).labels[0]


def plain(params: dict[str, Any], at: Setting) -> Outcome:
    """A clusterer without a search."""
    given = {key: _resolved(value, at) for key, value in params.items()}
    return Outcome(at.X, at.y, plain_labels(at.X, **given), None, {})


def truth(params: dict[str, Any], at: Setting) -> Outcome:
    """The classes themselves."""
    return Outcome(at.X, at.y, at.y, None, {})


def learn_exponent(params: dict[str, Any], at: Setting) -> Outcome:
    """Algorithms 4.3 and 4.4: an exponent from the labels of 20 % of the rows, then all rows.

    ``model`` names the preset whose exponent is chosen; the other parameters are those of
    `choose_exponent`.
    """
    given = dict(params)
    n_repeats = given.get("n_repeats", 1)
    n_clusters = len(np.unique(at.y))
    model = find_method(given.pop("model")).make(n_clusters=n_clusters, random_state=at.seed)
    rng = np.random.default_rng(at.seed)
    known = rng.choice(len(at.X), round(0.2 * len(at.X)), replace=False)
    y = np.full(len(at.X), -1)
    y[known] = at.y[known]
    choice = choose_exponent(model, at.X, y=y, random_state=at.seed, **given)
    right, labels = [], at.y
    for turn in range(n_repeats):
        model.set_params(random_state=(at.seed + turn) % 2**31, **choice.parameters)
        labels = model.fit_predict(at.X)
        right.append(100 * accuracy(at.y, labels, mapping="greedy"))
    extra = {"beta": float(choice.exponent), "greedy": float(np.mean(right))}
    return Outcome(at.X, at.y, labels, model, extra)


def selected(params: dict[str, Any], at: Setting) -> Outcome:
    """A preset on the features that another preset keeps (chapter 5 of the thesis).

    ``select`` and ``model`` name the presets, ``select_params`` are the selector's; the other
    parameters are the model's.
    """
    given = {key: _resolved(value, at) for key, value in params.items()}
    kept = _selector(given.pop("select"), tuple(given.pop("select_params", {}).items()), at)
    model = find_method(given.pop("model")).make(**given, random_state=at.seed)
    labels = model.fit_predict(kept.transform(at.X))
    return Outcome(at.X, at.y, np.asarray(labels), kept, {})


_selectors: dict[tuple[Any, ...], Any] = {}


def _selector(name: str, params: tuple[tuple[str, Any], ...], at: Setting) -> Any:
    # The selector does not depend on the exponent, which is swept.
    key = (at.paper, at.data, name, params)
    if key not in _selectors:
        _selectors[key] = find_method(name).make(**dict(params)).fit(at.X)
    return _selectors[key]


OTHERS: dict[str, Callable[[dict[str, Any], Setting], Outcome]] = {
    "plain": plain,
    "truth": truth,
    "choose_exponent": learn_exponent,
    "selected": selected,
}
