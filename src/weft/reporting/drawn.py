"""The parts of a summary that need the rows: clusters in words, distributions, map, rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from weft._base.arrays import Floats, Integers, Mask
from weft.answers.rules import MAX_ROWS, find_rules, spread_rows
from weft.answers.traits import name_clusters
from weft.answers.views import ColumnView, number_views, source_views
from weft.columns.profile import Profile, profile
from weft.columns.source import MixedTable
from weft.parallel.blas import one_blas_thread
from weft.reporting.distributions import distribution
from weft.reporting.facts import Facts
from weft.reporting.marking import list_markers
from weft.reporting.profile import describe_clusters, sentence_of_name
from weft.reporting.rowwise import describe_rows
from weft.reporting.sources import facets
from weft.reporting.space import draw_map, draw_silhouette, learned_metric
from weft.reporting.sureness import measure_sureness
from weft.reporting.told import PERFECT
from weft.tables.plan import TablePlan

N_SHOWN = 40  # features in a heat map
N_DISTRIBUTIONS = 30
N_RULED = 20  # columns that rules and names may use
LARGEST = 4.0  # larger effects count as this value


class Compared(NamedTuple):
    """The columns by which clusters are compared: one per number, level or part of a date."""

    values: Floats  # (n, F)
    names: list[str]
    source: Integers  # (F,) the column of `views` that each belongs to
    views: list[ColumnView]  # columns of the user's table


NOTHING: dict[str, Any] = dict.fromkeys(("profile", "map", "silhouette"))


def from_matrix(values: Floats, names: list[str]) -> Compared:
    """Return a table of numbers unchanged, except that gaps get the mean of their column."""
    return Compared(filled(values), names, np.arange(len(names)), number_views(values, names))


def from_sources(table: MixedTable, plan: TablePlan) -> Compared:
    """Return a raw table as its numbers in their units, and its levels by name."""
    shown = facets(table)
    starts = {reading.name: reading.origin for reading in plan.readings if reading.kind == "date"}
    return Compared(shown.values, shown.names, shown.source, source_views(table, starts))


def draw(
    model: Any,
    rows: Floats,
    columns: Integers,
    facts: Facts,
    told: Facts,
    compared: Compared,
    options: Mapping[str, Any],
) -> dict[str, Any]:
    """Return the parts of a summary that need the rows.

    Parameters
    ----------
    model, facts : the fitted model, and its attributes
    rows, columns : (n, m) coordinates, and which of the model's columns they are
    told : the facts by the columns of `compared.views`
    compared : the rows in the columns and units of the user's table
    options : ``row_numbers``, ``row_names``, ``names`` (of clusters by number), and
        ``in_own_words``: columns have the names and units of the fit
    """
    labels = facts.labels
    selected = told.selected[compared.source]
    against = profile(compared.values, labels)
    clusters = describe_clusters(against, compared.values, compared.names, selected)
    order = _by_importance(told, against, compared.source)
    metric = learned_metric(model, filled(rows), facts, columns)
    first = np.unique(compared.source, return_index=True)[1]
    given = options.get("row_numbers")
    row_numbers = np.arange(1, len(labels) + 1) if given is None else np.asarray(given)
    hovered = told._replace(names=[compared.names[k] for k in first])
    with one_blas_thread():  # threads slow down such small products, most on a busy machine
        drawn = draw_map(
            metric,
            filled(rows),
            _with_gaps(compared, first),
            hovered,
            np.arange(len(first)),
            row_numbers,
        )
        measured = measure_sureness(metric.apply(filled(rows)), labels)
    shown = _shown(order, told.selected, clusters, compared)
    found = np.unique(labels)
    place = np.searchsorted(found, labels)
    return {
        "clusters": _named(
            model,
            clusters,
            compared.views,
            labels,
            told,
            order,
            options.get("names"),
            bool(options.get("in_own_words")),
        ),
        "profile": _profile(against, compared.names, selected),
        "markers": list_markers(
            compared.values, compared.names, labels, counts=_are_counts(model, compared.values)
        ),
        "map": drawn,
        "silhouette": draw_silhouette(measured, labels),
        "distributions": {
            "labels": found.tolist(),
            "columns": [distribution(compared.views[j], place, len(found)) for j in shown],
        },
        "rows": describe_rows(
            labels,
            measured,
            [compared.views[j] for j in shown],
            row_numbers=row_numbers,
            row_names=options.get("row_names"),
            alternatives=[one["labels"] for one in getattr(model, "alternatives_", [])],
            **_soft(model),
        ),
    }


def _are_counts(model: Any, values: Floats) -> bool:
    """Return whether the model was fitted with counts=True, and the rows are counts."""
    has_counts = bool(getattr(model, "counts", False))
    return has_counts and bool(
        values.min(initial=0.0) >= 0.0 and (values == np.floor(values)).all()
    )


def filled(rows: Floats) -> Floats:
    """Return the rows with a column's mean where a value is missing."""
    if np.isfinite(rows.sum()):  # one pass without a mask, where nothing is missing
        return rows
    gaps = np.isnan(rows)
    counts = np.maximum((~gaps).sum(axis=0), 1)
    return np.where(gaps, np.where(gaps, 0.0, rows).sum(axis=0) / counts, rows)


def _with_gaps(compared: Compared, chosen: Integers) -> Floats:
    """Return the values of some columns; where the table has none, they are NaN again."""
    values = compared.values[:, chosen]
    for place, source in enumerate(compared.source[chosen]):
        values[np.isnan(compared.views[source].values), place] = np.nan
    return values


def _by_importance(told: Facts, against: Profile, source: Integers) -> Integers:
    """Return columns ordered by weight times effect: if weights are alike, effects decide."""
    effects = np.nan_to_num(np.abs(against.effects), posinf=LARGEST)
    strongest = np.minimum(effects.max(axis=0, initial=0.0), LARGEST)
    by_column = np.zeros(len(told.names))
    np.maximum.at(by_column, source, strongest)
    comparable = len(against.labels) > 1
    importance = told.weights * by_column if comparable else told.weights
    return np.lexsort((np.arange(len(told.names)), -importance, ~told.selected))


def _shown(
    order: Integers, selected: Mask, clusters: list[dict[str, Any]], compared: Compared
) -> list[int]:
    """Columns whose distributions are shown: the heaviest, and the best of each cluster."""
    source_of = dict(zip(compared.names, compared.source.tolist(), strict=True))
    wanted = [source_of[c["traits"][0]["feature"]] for c in clusters if c["traits"]]
    heaviest = [int(j) for j in order[:N_DISTRIBUTIONS] if selected[j] or len(order) <= 12]
    room = max(0, N_DISTRIBUTIONS - len(set(heaviest)))
    extra = [j for j in dict.fromkeys(wanted) if j not in heaviest][: max(room, 10)]
    return [*heaviest, *extra] or [int(j) for j in order[:6]]


def _soft(model: Any) -> dict[str, Any]:
    """Return membership and outlier score of each row, if the model has them."""
    membership = getattr(model, "membership_", None)
    if membership is None or membership.n_clusters < 2:
        return {}
    return {"membership": membership, "outlier_scores": getattr(model, "outlier_score_", None)}


def _named(
    model: Any,
    clusters: list[dict[str, Any]],
    views: Sequence[ColumnView],
    labels: Integers,
    told: Facts,
    order: Integers,
    names: Mapping[int, str] | None,
    in_own_words: bool,
) -> list[dict[str, Any]]:
    """Add to each cluster the name that is proposed for it, and its rule."""
    if len(clusters) < 2:
        return clusters
    rows = spread_rows(labels, MAX_ROWS)
    chosen = [int(j) for j in order[:N_RULED] if told.weights[j] > 0 and told.selected[j]]
    kept = [views[j].take(rows) for j in chosen]
    weights = told.weights[chosen]
    proposed = found = None
    if in_own_words:  # otherwise names or units of columns differ from those of the model
        proposed, found = getattr(model, "cluster_names_", None), getattr(model, "rules_", None)
    if proposed is None or found is None:
        proposed = name_clusters(kept, labels[rows], weights) if kept else {}
        found = find_rules([views[j] for j in chosen], labels, weights) if kept else []
    rules = {rule.cluster: rule for rule in found}
    for entry in clusters:
        label = entry["label"]
        entry["title"] = str((names or {}).get(label, proposed.get(label, "")))
        if not entry["traits"]:  # means are alike, but the name may say "medium ..."
            entry["sentence"] = sentence_of_name(entry, str(proposed.get(label, "")))
        rule = rules.get(label)
        if rule is not None and rule.conditions:
            entry["rule"] = {
                "conditions": [condition["text"] for condition in rule.conditions],
                "precision": rule.precision,
                "coverage": rule.coverage,
                "held_out": rule.held_out,
            }
    return clusters


def _profile(against: Profile, names: list[str], selected: Mask) -> dict[str, Any] | None:
    """Effects of the features that separate clusters best; None with nothing to compare."""
    if len(against.labels) < 2 or not selected.any():
        return None
    # If values are constant inside and outside, the effect is infinite: use the largest value.
    effects = np.clip(np.nan_to_num(against.effects, posinf=PERFECT, neginf=-PERFECT),
                      -PERFECT, PERFECT)  # fmt: skip
    strength = np.where(selected, np.abs(effects).max(axis=0), -np.inf)
    best = np.argsort(-strength, kind="stable")[: min(N_SHOWN, int(selected.sum()))]
    return {
        "labels": against.labels.tolist(),
        "features": [names[j] for j in best],
        "effects": np.round(effects[:, best], 3),
    }
