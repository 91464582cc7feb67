"""A fitted model and its data as one dict of plain JSON types, for page, terminal and file.

Keys: ``schema`` ``data`` ``columns`` ``settings`` ``versions`` ``seconds`` ``result`` ``certainty``
``clusters`` ``candidates`` ``walk`` ``alternatives`` ``features`` ``cluster_weights`` ``profile``
``distributions`` ``rows`` ``map`` ``silhouette`` ``search`` ``stability`` ``scores`` ``noise``
``warnings``. Unknown values are None or absent; a number that is not finite is None.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from weft._base.validation import check_integer
from weft.columns.source import MixedTable
from weft.reporting.cautions import cautions
from weft.reporting.certainty import certainty, measure_stability, noise, scores
from weft.reporting.choices import describe_alternatives, describe_candidates, describe_walk
from weft.reporting.drawn import N_SHOWN, NOTHING, draw, from_matrix, from_sources
from weft.reporting.facts import Facts, dense_rows, method_name, read_facts, take_columns
from weft.reporting.making import fingerprint, plain, settings_of, versions
from weft.reporting.repeated import about_repeated
from weft.reporting.schema import SCHEMA
from weft.reporting.sources import by_source, plan_of, used_columns
from weft.reporting.told import percent
from weft.tables.cells import is_table, read_cells
from weft.tables.plan import TablePlan


def summarize(
    model: Any,
    X: Any = None,
    *,
    values: Any = None,
    feature_names: Sequence[str] | None = None,
    table: Mapping[str, Any] | None = None,
    plan: TablePlan | None = None,
    mixed: MixedTable | None = None,
    label: Any = None,
    relevant: Any = None,
    seconds: Mapping[str, float] | None = None,
    stability: int = 0,
    names: Mapping[int, str] | None = None,
    row_numbers: Any = None,
    row_names: Sequence[str] | None = None,
    refitted: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Summarise a fitted model as one dict of plain JSON types.

    Parameters
    ----------
    model : estimator
        Any fitted clusterer of weft.
    X : array-like of shape (n_samples, n_features), or raw table, optional
        The rows it was fitted on. Without them there is no map, no silhouette and no description of
        how the clusters differ.
    values : array-like of shape (n_samples, n_features), optional
        The same rows in the units of the user's table. Default: `X`.
    feature_names : sequence of str, optional
        Default: the model's own, or ``x0``, ``x1``, ...
    table : mapping, optional
        What was done with the table, from ``Table.describe()``.
    plan, mixed : TablePlan and MixedTable, optional
        How a raw table became `X`, and its rows by source column; by default those of a model
        that was fitted on a raw table. The summary is then about source columns.
    label : array-like of shape (n_samples,), optional
        Known classes as numbers, -1 if unknown; they are compared with the clusters, and not used
        otherwise.
    relevant : array-like of bool of shape (n_features,), optional
        Which features are known not to be noise.
    seconds : mapping, optional
        Duration of each step.
    stability : int, default=0
        Number of refits on 80 % of the rows, to measure how stable the answer is.
    names : mapping of int to str, optional
        Names of clusters, by number. Default: names are proposed.
    row_numbers : array-like of int of shape (n_samples,), optional
        Numbers of the rows in the user's table. Default: from 1.
    row_names : sequence of str, optional
        A name for each row, which can be searched for.
    refitted : mapping, optional
        Results of refits, from `weft.reporting.refits`, instead of `stability`.

    Returns
    -------
    dict
        The summary.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from weft import FeatureSwarm
    >>> from weft.reporting.summary import summarize
    >>> X = load_iris().data
    >>> summary = summarize(FeatureSwarm(n_generations=2, random_state=0).fit(X), X)
    >>> summary["data"]["n_rows_used"]
    150
    """
    plan = plan or plan_of(model)
    if plan is not None and mixed is None and X is not None and is_table(X):
        X, mixed = plan.apply(read_cells(X), table="X", place=str)[:2]
    facts = read_facts(model, feature_names)
    told = facts if plan is None else by_source(facts, plan)
    n_repeats = check_integer("stability", stability, low=0)
    features = _features(told, relevant, plan)
    described = dict(table or {})
    data = {
        "name": "data",
        "n_rows": len(facts.labels),
        "n_rows_used": len(facts.labels),
        "n_columns": len(told.names) if plan is None else len(plan.columns),
        "n_features": len(told.names),
        **described.get("data", {}),
    }
    rows = columns = None
    repeated: list[str] = []
    drawn: dict[str, Any] = {"clusters": _sizes(facts), **NOTHING}
    if X is not None:
        rows, columns = dense_rows(X, facts)
        if mixed is not None and plan is not None and len(mixed.values) == len(rows):
            shown, compared = told, from_sources(mixed, plan)
            own = mixed.values[:, [column.positions[0] for column in mixed.used]]
        else:
            known = rows if values is None else dense_rows(values, facts)[0]
            shown = take_columns(facts, columns)
            compared, own = from_matrix(known, shown.names), known
        options = {
            "row_numbers": row_numbers,
            "row_names": row_names,
            "names": names,
            "in_own_words": feature_names is None and values is None and _knows(model, plan),
        }
        drawn = draw(model, rows, columns, facts, shown, compared, options)
        used = np.flatnonzero(shown.selected)
        repeated = about_repeated(own[:, used], [shown.names[j] for j in used], facts.labels)
    alternatives = getattr(model, "alternatives_", [])
    candidates = getattr(model, "candidates_", [])
    summary = {
        "schema": SCHEMA,
        "data": data,
        "columns": described.get("columns", [] if plan is None else _columns(plan)),
        "settings": {"method": method_name(model), **settings_of(facts.params)},
        "versions": versions(),
        "seconds": dict(seconds or {}),
        "result": {
            "n_clusters": facts.n_clusters,
            "n_clusters_given": facts.params.get("n_clusters") == facts.n_clusters,
            "n_unassigned": int((facts.labels == -1).sum()),
            "n_selected": int(told.selected.sum()),
            "has_weights": facts.has_weights,
            "weights_are_measured": facts.are_measured,
            "fitness": facts.fitness,
            "n_generations": facts.n_iter,
            "verdict": facts.verdict,
            "fingerprint": fingerprint(model),
        },
        "certainty": certainty(model, facts.n_clusters, len(facts.labels)),
        **drawn,
        "candidates": describe_candidates(candidates, alternatives, facts.labels),
        "walk": describe_walk(candidates, facts.labels),
        "alternatives": describe_alternatives(alternatives, facts.labels),
        "features": features,
        "cluster_weights": _cluster_weights(told),
        "search": _search(facts),
        "stability": refitted,
        "scores": None
        if label is None
        else scores(np.asarray(label), facts.labels, data.get("label")),
        "noise": None if relevant is None else noise(features),
        "warnings": [*described.get("warnings", []), *repeated, *cautions(facts, rows, columns)],
    }
    if n_repeats and X is not None and refitted is None:
        owner = None if plan is None else plan.owner
        try:
            summary["stability"] = measure_stability(
                model, X, facts, told=told, owner=owner, n_repeats=n_repeats
            )
        except ValueError as error:  # a long fit must not be lost because refits are impossible
            summary["warnings"].append(
                f"Stability was not measured: the method cannot be refitted to part of the rows "
                f"({' '.join(str(error).split())[:150]})."
            )
    return plain(summary)


def _knows(model: Any, plan: TablePlan | None) -> bool:
    """Return whether the model has seen the columns in the units of the plan's table."""
    return plan is None or plan_of(model) is plan


def _columns(plan: TablePlan) -> list[dict[str, Any]]:
    """Return how the columns of a raw table were used."""
    return [
        {
            "name": column.name,
            "kind": column.kind,
            "kept": column.is_used,
            "reason": column.note,
            "unit": column.unit,
        }
        for column in plan.columns
    ]


def _sizes(facts: Facts) -> list[dict[str, Any]]:
    """The clusters when only their sizes are known."""
    clusters, sizes = np.unique(facts.labels, return_counts=True)
    total = len(facts.labels)
    return [
        {
            "label": int(label),
            "name": "no cluster" if label == -1 else f"cluster {label}",
            "size": int(size),
            "share": size / total,
            "traits": [],
            "sentence": f"{size} row{'s' if size != 1 else ''} ({percent(size / total)}).",
        }
        for label, size in zip(clusters, sizes, strict=True)
    ]


def _cluster_weights(facts: Facts) -> dict[str, Any] | None:
    """The heaviest columns of the per-cluster weights, as shares within each cluster."""
    own = facts.cluster_weights
    if own is None or len(own) == 0:
        return None
    totals = own.sum(axis=1, keepdims=True)
    shares = np.divide(own, totals, out=np.zeros_like(own), where=totals > 0)
    best = np.argsort(-shares.max(axis=0), kind="stable")[:N_SHOWN]
    best = best[np.argsort(-facts.weights[best], kind="stable")]
    return {
        "labels": list(range(len(own))),
        "features": [facts.names[j] for j in best],
        "shares": shares[:, best],
        "n_features": own.shape[1],
    }


def _search(facts: Facts) -> dict[str, Any]:
    return {key: column for key, column in facts.history.items() if np.ndim(column) == 1}


def _features(facts: Facts, relevant: Any, plan: TablePlan | None) -> list[dict[str, Any]]:
    """One entry per feature, the heaviest first; equal weights keep the columns' order."""
    names, weights, selected = facts.names, facts.weights, facts.selected
    used = np.where(selected, np.maximum(weights, 0.0), 0.0)
    share = used / used.sum() if used.sum() > 0 else used
    exponents = facts.exponents
    sources = [] if plan is None else used_columns(plan)
    entries = []
    for j in np.lexsort((np.arange(len(names)), -used, ~selected)):
        entry = {
            "name": names[j],
            "weight": weights[j],
            "share": share[j],
            "selected": bool(selected[j]),
        }
        if sources:
            entry |= {"kind": sources[j].kind, "unit": sources[j].unit}
        if exponents is not None:
            entry["exponent"] = exponents[j]
        if facts.kept_share is not None:
            entry["kept_share"] = facts.kept_share[j]
        if relevant is not None:
            entry["noise"] = not relevant[j]
        entries.append(entry)
    return entries
