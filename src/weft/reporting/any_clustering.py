"""``weft.report``: an HTML report of any clustering."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from weft._base.validation import check_integer
from weft.columns.source import MixedTable
from weft.reporting.given_labels import GivenClustering, read_labels
from weft.reporting.page import Report
from weft.reporting.page import report as draw
from weft.tables.cells import is_raw, is_table, read_cells
from weft.tables.errors import InputError, in_python
from weft.tables.plan import TablePlan, learn

N_REFITS = 3
MAX_SECONDS = 20.0  # of processor time, for all refits, if their number was not given


def report(
    X: Any,
    labels: Any = None,
    *,
    model: Any = None,
    names: Mapping[int, str] | Sequence[str] | None = None,
    feature_names: Sequence[str] | None = None,
    row_names: Sequence[str] | None = None,
    truth: Any = None,
    stability: int | None = None,
    title: str = "data",
    path: str | Path | None = None,
) -> Report:
    """Make an HTML report of any clustering.

    It describes each cluster with its differences and a rule, the columns that separate clusters,
    typical, doubtful and odd rows, and has a map. If the clusterer is given and can be refitted, it
    also shows whether refits on other rows give the same clusters. For comparison it shows how
    stable the clusters of shuffled columns are, which contain no clusters.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features), or DataFrame
        The rows. A DataFrame may hold text, categories, dates and gaps.
    labels : array-like of shape (n_samples,), default=None
        Cluster of each row: numbers (below 0: no cluster) or names. None: those of `model`.
    model : estimator, default=None
        The fitted clusterer that made the labels: one of scikit-learn, a pipeline, or any object
        with the same methods. For a fitted clusterer of weft, the result is ``model.report(X)``.
    names : mapping of int to str, or sequence of str, default=None
        Names of the clusters. None: the labels if they are text, otherwise proposed names.
    feature_names : sequence of str, default=None
        Names of the columns; None: those of the DataFrame, or ``x0``, ``x1``, ...
    row_names : sequence of str, default=None
        A name for each row, which can be searched for.
    truth : array-like of shape (n_samples,), default=None
        Known classes; they are compared with the clusters, and not used otherwise.
    stability : int, default=None
        Number of times that `model` is refitted to 80 % of at most 600 rows, and as often with
        shuffled columns; at least two are needed to compare them; 0: never. None: three times,
        unless the first refit shows that all of them would take more than 20 seconds of processor
        time; never for a clusterer of weft.
    title : str, default="data"
        Name of the table in the report.
    path : str or Path, default=None
        Output file of the report; None: it is not written.

    Returns
    -------
    Report
        ``html`` is the report, ``summary`` the data behind it, ``save(path)`` writes it; a notebook
        displays it.

    Examples
    --------
    >>> from sklearn.cluster import KMeans
    >>> from sklearn.datasets import load_iris
    >>> import weft
    >>> X = load_iris(as_frame=True).data
    >>> made = weft.report(X, model=KMeans(3, random_state=0).fit(X), stability=0)
    >>> made.summary["result"]["n_clusters"]
    3
    """
    n_repeats = None if stability is None else check_integer("stability", stability, low=0)
    if labels is None and model is None:
        raise ValueError("report needs the clusters: give labels, or a fitted model.")
    rows, table, plan, own_names = _read(X, feature_names)
    if row_names is not None and len(row_names) != len(rows):
        raise ValueError(
            f"row_names has {len(row_names)} entries but X has {len(rows)} rows; give one name per "
            "row."
        )
    if labels is None and callable(getattr(model, "report", None)):
        made = model.report(
            X,
            names=_named(names),
            row_names=row_names,
            table={"data": {"name": title}},
            label=None if truth is None else read_labels(truth, len(rows)).numbers,
            stability=n_repeats or 0,
        )
    else:
        given = read_labels(_labels_of(model, X) if labels is None else labels, len(rows))
        method = "given labels" if model is None else type(_last(model)).__name__
        clustering = GivenClustering(given.numbers, rows, table, method, _params(model))
        if plan is not None:
            clustering.owner = plan.owner
        refitted, notes = _refit(model, X, given.numbers, n_repeats)
        made = draw(
            clustering,
            rows,
            feature_names=own_names if plan is None else None,
            plan=plan,
            mixed=table,
            table={"data": {"name": title}, "warnings": notes},
            label=None if truth is None else read_labels(truth, len(rows)).numbers,
            names=_named(names) or given.names,
            row_names=row_names,
            refitted=refitted,
        )
    if path is not None:
        made.save(path)
    return made


def _read(
    X: Any, names: Sequence[str] | None
) -> tuple[np.ndarray, MixedTable | None, TablePlan | None, list[str]]:
    """Return the rows as numbers; a raw table also by source column and with its plan."""
    if is_table(X) and is_raw(X):
        with in_python():
            plan, made = learn(read_cells(X), table="X", place=lambda row: f"row {row}")
        if not made.table.used:
            raise InputError("X has no column that can be described.")
        return made.X, made.table, plan, []
    column_names = (
        [str(name) for name in getattr(X, "columns", [])] if names is None else list(names)
    )
    rows = X.toarray() if hasattr(X, "toarray") else np.asarray(X, dtype=np.float64)
    if rows.ndim != 2 or len(rows) < 2:
        raise ValueError(f"X must be a table of at least 2 rows, got shape {rows.shape}.")
    if np.isinf(rows).any():
        raise ValueError("X holds infinite values; replace them or mark them missing (NaN).")
    column_names = column_names or [f"x{i}" for i in range(rows.shape[1])]
    if len(column_names) != rows.shape[1]:
        raise ValueError(
            f"feature_names has {len(column_names)} entries but X has {rows.shape[1]} columns; "
            "give one name per column."
        )
    return rows, None, None, column_names


def _labels_of(model: Any, X: Any) -> Any:
    last = _last(model)
    if hasattr(last, "labels_"):
        return last.labels_
    if hasattr(model, "predict"):
        return model.predict(X)
    raise ValueError(
        f"a {type(last).__name__} has no labels_ and no predict; fit it, or give labels."
    )


def _last(model: Any) -> Any:
    return model.steps[-1][1] if hasattr(model, "steps") else model


def _params(model: Any) -> dict[str, Any]:
    last = _last(model)
    params = last.get_params(deep=False) if hasattr(last, "get_params") else {}
    if last is not model:
        params["pipeline"] = " → ".join(type(step).__name__ for _, step in model.steps)
    return params


def _named(names: Mapping[int, str] | Sequence[str] | None) -> dict[int, str] | None:
    if names is None:
        return None
    pairs = names.items() if isinstance(names, Mapping) else enumerate(names)
    try:
        return {int(number): str(name) for number, name in pairs}
    except (TypeError, ValueError):
        raise ValueError(
            "names must give the name of each cluster by its number, such as {0: 'young'}."
        ) from None


def _refit(
    model: Any, X: Any, labels: Any, n_repeats: int | None
) -> tuple[dict[str, Any] | None, list[str]]:
    """Return the results of refits, or a sentence that says why there are none."""
    from weft.reporting.refits import measure_refits

    if model is None or n_repeats == 0 or not hasattr(model, "fit_predict"):
        return None, []
    rows = X.toarray() if hasattr(X, "toarray") else X if hasattr(X, "iloc") else np.asarray(X)
    method = type(_last(model)).__name__
    try:
        refits = measure_refits(
            model, rows, labels,
            n_repeats=N_REFITS if n_repeats is None else n_repeats,
            max_seconds=MAX_SECONDS if n_repeats is None else None,
        )  # fmt: skip
    except (ValueError, TypeError, NotImplementedError) as error:
        reason = str(error).strip().split("\n")[0][:150]
        return None, [f"Stability was not measured: {method} cannot be refitted to part of the "
                      f"rows ({reason})."]  # fmt: skip
    if refits is None:
        return None, [f"Stability was not measured: refits of {method} would take more than "
                      f"{MAX_SECONDS:.0f} seconds of processor time. Give stability={N_REFITS} to "
                      "measure it however long it takes."]  # fmt: skip
    return refits, []
