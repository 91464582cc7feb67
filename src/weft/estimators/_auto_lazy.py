"""AutoCluster on tables that are not in memory: Dask's, and Parquet files part by part.

The search uses a sample of the rows, chosen by row number. Then all rows are checked for rare
clusters, and labels are computed block by block. The result does not depend on blocks or workers;
if a worker is lost, another one repeats its task.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple, TypeVar

import numpy as np

from weft._base.arrays import Floats, Integers, Mask
from weft._base.validation import import_optional
from weft.answers.membership import most_likely, soften, softness_of
from weft.auto.large import (
    add_rare,
    known_rows,
    others_of,
    sampled_places,
    say_of_all,
)
from weft.auto.rare import FEWEST, Known, find_rare
from weft.backends.cpu.known_rows import nearest_rows_of
from weft.backends.spaces import Solution
from weft.columns.counts import normalized_counts
from weft.estimators._auto_rows import read_rows
from weft.estimators._blocks import joined, lengths_of, split
from weft.estimators._reading import raw_table
from weft.kmeans.blocks import folded
from weft.tables.parquet_parts import Part, read_part, starts_of

T = TypeVar("T")
# Returns the coordinates of a block's rows, in order.
Convert = Callable[[Any], Floats]


class LazyRows(NamedTuple):
    """Blocks of rows: tasks of Dask, or parts of Parquet files."""

    blocks: list[Any]
    lengths: list[int]
    convert: Convert

    def fold(
        self,
        function: Callable[[int, Floats, Any], T],
        add: Callable[[Sequence[T]], T],
        state: Any,
    ) -> T:
        """Return ``add`` of the results of `function` on the rows of all blocks, in order."""
        dask = import_optional("dask", "scale")
        shared, convert = dask.delayed(state), dask.delayed(self.convert)
        call = dask.delayed(_call)
        firsts = starts_of(self.lengths)[:-1]
        parts = [
            call(function, int(first), block, shared, convert)
            for first, block in zip(firsts, self.blocks, strict=True)
        ]
        return folded(parts, add)


def _call(
    function: Callable[[int, Floats, Any], T], first: int, block: Any, state: Any, convert: Convert
) -> T:
    return function(first, convert(opened(block)), state)


def opened(block: Any) -> Any:
    """Return the rows of a block; a part of a file is read now."""
    return read_part(block) if isinstance(block, Part) else block


def rows_for(model: Any, block: Any) -> Floats:
    """Return the rows of a block as a fitted model takes them."""
    return read_rows(model, model._rows_of(block), reset=False)


def on_one_total(model: Any, X: Floats) -> Floats:
    """Return rows as a fitted model takes them; counts are normalised."""
    total = vars(model).get("_fit_total")
    return np.ascontiguousarray(X if total is None else normalized_counts(X, total))


def gather(blocks: list[Any], lengths: list[int], places: Integers) -> Any:
    """Return some rows of all blocks by their numbers, in order: an array or a DataFrame."""
    dask = import_optional("dask", "scale")
    take = dask.delayed(_take)
    starts = starts_of(lengths)
    cuts = np.searchsorted(places, starts)
    wanted = [
        take(block, places[a:b] - start)
        for block, start, a, b in zip(blocks, starts[:-1], cuts[:-1], cuts[1:], strict=True)
        if b > a
    ]
    parts = dask.compute(*wanted)
    if hasattr(parts[0], "columns"):
        return import_optional("pandas", "app").concat(parts, ignore_index=True)
    return np.concatenate(parts)


def _take(block: Any, places: Integers) -> Any:
    rows = opened(block)
    return rows.iloc[places] if hasattr(rows, "iloc") else np.asarray(rows)[places]


def fit_lazy(model: Any, X: Any, resume: Any) -> None:
    """`fit` of an AutoCluster on a Dask array or dataframe."""
    blocks, lengths = split(model, X, reset=True), lengths_of(X)
    if sum(lengths) == 0:
        raise ValueError("X has no rows; give some.")
    places = sampled_places(sum(lengths))
    sample = gather(blocks, lengths, places)
    model.fit(sample, resume=resume)
    table = LazyRows(blocks, lengths, partial(rows_for, model))
    if len(places) < sum(lengths):
        look_for_rare(model, rows_for(model, sample), places, table)
        for name in ("_fit_membership", "_fit_outlier_scores"):  # of the sample's rows
            vars(model).pop(name, None)
        model.labels_ = label_lazy(model, blocks, lengths)


def look_for_rare(model: Any, sample: Floats, places: Integers, table: LazyRows) -> None:
    """Look for rare clusters in all rows and add them to a model of the sample.

    In the other answers, a row of a rare cluster gets the label of its nearest clustered row.
    """
    learned = vars(model)
    most = model.n_clusters or model.max_clusters
    many = most is not None and model.n_clusters_ >= most
    plan = learned.get("_table")
    if model.method_ == "none" or many or (plan is not None and has_categories(plan)):
        return
    smallest = max(FEWEST, int(model.min_cluster_size))
    found = find_rare(table, known_rows(learned), smallest)
    if not found:
        return
    at = learned["_fit_anchor_rows"]
    state = {**learned, "_others": others_of(learned), "_fit_anchor_rows": places[at]}
    state |= add_rare(state, found, sum(table.lengths))
    known, before = known_rows(state), known_rows(learned)
    numbers = state["_fit_anchor_rows"][len(at) :]
    new = nearest_rows_of(known.anchors[len(at) :], before.anchors, Solution(before.metric))
    state["_fit_anchor_rows"] = np.concatenate([at, at[new.indices]])
    nearest = nearest_rows_of(sample, known.anchors, Solution(known.metric)).indices
    state |= say_of_all(state, nearest, len(at))
    del state["_others"]
    if "_fit_source_values" in state:
        order = np.argsort(numbers)
        rows = raw_table(plan, gather(table.blocks, table.lengths, numbers[order])).table.values
        values = [state["_fit_source_values"], rows[np.argsort(order)]]
        state["_fit_source_values"] = np.concatenate(values)
    for name, value in state.items():
        setattr(model, name, value)
    soft = {
        "_fit_membership": most_likely(model._probabilities(sample)),
        "_fit_outlier_scores": model._outlier_scores(sample),
    }
    for name, value in soft.items():
        setattr(model, name, value)


def has_categories(plan: Any) -> bool:
    """Say whether a plan has columns that are not plain numbers."""
    used = [column for column in plan.columns if column.is_used]
    return any(measure != "number" for column in used for measure in column.measures)


def label_lazy(model: Any, blocks: list[Any], lengths: list[int]) -> Any:
    """Return the labels of all rows as a Dask array."""
    dask = import_optional("dask", "scale")
    # A separate, smaller model: tasks must not contain the labels of the fit.
    shared, call = dask.delayed(LightModel.of(model)), dask.delayed(_label)
    return joined([call(shared, block) for block in blocks], lengths, np.int64)


def predict_lazy(model: Any, X: Any) -> Any:
    """Return labels of a Dask table as a Dask array."""
    return label_lazy(model, split(model, X, reset=False), lengths_of(X))


class LightModel(NamedTuple):
    """The part of a model that is needed for labelling: no attributes as long as the table."""

    model: Any

    @classmethod
    def of(cls, model: Any) -> LightModel:
        """Return a copy without labels of the fit."""
        light = object.__new__(type(model))
        heavy = {"labels_", "alternatives_", "candidates_", "_fit_membership", "callbacks"}
        vars(light).update({k: v for k, v in vars(model).items() if k not in heavy})
        light.labels_, light.callbacks = np.zeros(1, dtype=np.int64), None
        return cls(light)


def answers_of_rows(model: Any, X: Floats) -> tuple[Integers, Floats]:
    """Return the cluster of each row and its probability, as `predict` and `predict_proba` do.

    Distances to each cluster's nearest clustered row are computed in single precision if its error
    does not matter, which is many times faster.
    """
    n_clusters = int(model.n_clusters_)
    known = known_rows(vars(model))
    if n_clusters < 2 or not (known.metric > 0.0).any():
        return model._nearest(X), np.ones(len(X))
    distances = np.empty((len(X), n_clusters))
    for cluster in range(n_clusters):
        own = known.anchors[known.labels == cluster]
        distances[:, cluster] = nearest_rows_of(X, own, Solution(known.metric)).powered
    labels = distances.argmin(axis=1)
    open_ = _open_rows(model, known, X, distances)
    if open_.any():
        labels[open_] = model._nearest(X[open_])
    softness = softness_of(model.confidence_, model._reach().dimension)
    likely = soften(np.sqrt(distances), softness, labels).max(axis=1)
    seen = distances.min(axis=1) == 0.0  # a clustered row must not count as its own neighbour
    if seen.any():
        likely[seen] = model._probabilities(X[seen]).max(axis=1)
    return labels, likely


def _open_rows(model: Any, known: Known, X: Floats, distances: Floats) -> Mask:
    """Return the rows whose nearest clustered row may be another than the distances say.

    These are squared, to the nearest clustered row of each cluster, and each cluster's were
    computed around its own middle. Roundings are at most a few units of the last place of the
    squared sizes that went into them.
    """
    if vars(model).get("_fit_projection") is not None or known.labels.min() < 0:
        return np.ones(len(X), dtype=bool)  # labels follow another rule, or some rows have none
    used = known.metric > 0.0
    factors, middle = known.metric[used], known.anchors[:, used].mean(axis=0)
    sizes = np.sqrt((((known.anchors[:, used] - middle) * factors) ** 2).sum(axis=1))
    own = np.sqrt((((X[:, used] - middle) * factors) ** 2).sum(axis=1))
    two = np.partition(distances, 1, axis=1)
    doubt = 1e-13 * (used.sum() + 16) * (own + 2.0 * sizes.max()) ** 2
    return ~(two[:, 1] - two[:, 0] > doubt)


def _label(light: LightModel, block: Any) -> Integers:
    return light.model.predict(opened(block))
