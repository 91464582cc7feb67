"""Tables as estimators read them: `read_table` for `fit`, `predict` and `transform` of all.

Raw tables have one entry point: `_rows_of`. A raw table is a DataFrame (pandas, polars, pyarrow)
that holds more than numbers: text, dates, money, missing values. `fit` learns a plan from it
(`weft.tables.plan`, the same that the command line makes), keeps it as ``_table`` and clusters the
coordinates; `predict` and `transform` take raw rows by the same plan, and a model file keeps it. A
DataFrame of numbers without missing values, and any array, is used unchanged; a warning names the
columns of such a DataFrame that look like identifiers.

An estimator that wants the source columns themselves, for a metric of its own, finds them in
``self._table.columns`` and the matrix by `raw_table(self._table, X)`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.utils.validation import validate_data

from weft._base.arrays import Floats
from weft._base.reading import check_numbers, convert, refuse_masked
from weft._base.validation import LARGEST, import_optional
from weft._base.warnings import warn_caller
from weft.backends.devices import to_host
from weft.columns.mixed.embedding import Embedding, balanced, coordinate_deviations
from weft.columns.source import MixedTable, SourceColumn
from weft.tables.cells import is_raw, is_table, read_cells
from weft.tables.errors import InputError, in_python
from weft.tables.plan import Applied, TablePlan, learn
from weft.tables.prepare import PREPARED, Prepared, apply_recipe
from weft.tables.raw import RawTable
from weft.tables.suspected import about_identifiers, suspected_identifiers


def learn_table(X: Any) -> tuple[TablePlan, Applied]:
    """Learn the plan of a raw table, and its rows as coordinates."""
    with in_python():
        plan, made = learn(read_cells(X), table="X", place=_place)
    if not made.table.used:
        why = "; ".join(f"{column.name}: {column.note}" for column in plan.columns)
        raise InputError(f"X has no column to cluster on ({why[:400]}).")
    return plan, made


def raw_table(plan: TablePlan, X: Any) -> Applied:
    """Return other rows by a plan; warn of levels that are new and of values far outside."""
    with in_python():
        done = plan.apply(read_cells(X), table="X", place=_place)
    for warning in done.warnings:
        warn_caller(warning, UserWarning)
    return done


class RawTableMixin:
    """`_rows_of`, and attributes about source columns after a fit on a raw table."""

    # What has variance 1 among the points of a raw table: see `weft.columns.mixed.embedding`.
    _balance = "columns"

    @property
    def source_columns_(self) -> tuple[SourceColumn, ...]:
        """The columns of the raw table that fit has seen: kind, unit, how each was read."""
        return self._plan().columns

    @property
    def source_weights_(self: Any) -> Floats:
        """Weight of each source column, 0 where it was not used; they sum to 1.

        The weight of a coordinate times its variance, summed over the source column.
        """
        plan = self._plan()
        weights = getattr(self, "feature_weights_", np.ones(len(plan.spread)))
        used = [column.is_used for column in plan.columns]
        out = np.zeros(len(used))
        out[used] = np.bincount(plan.owner, weights * plan.spread, sum(used))
        return out / out.sum() if out.sum() > 0 else out

    def _plan(self) -> TablePlan:
        plan = vars(self).get("_table")
        if not isinstance(plan, TablePlan):
            raise AttributeError(f"this {type(self).__name__} was not fitted on a raw table")
        return plan

    def _rows_of(self: Any, X: Any, *, reset: bool = False) -> Any:
        """Return X as numbers: a raw table by its plan, a table on a GPU on the host."""
        if reset:
            return self._read_table(X)[0]
        plan = vars(self).get("_table")
        if plan is None or not is_table(X) or PREPARED in getattr(X, "attrs", {}):
            return on_host(X)
        if isinstance(plan, TablePlan):
            return _named(raw_table(plan, X).X, self._names(plan.names))
        pandas = import_optional("pandas", "app")
        frame = X if isinstance(X, pandas.DataFrame) else X.to_pandas()
        done = apply_recipe(RawTable(frame, "X"), plan)
        if len(done.rows) < done.n_rows:
            raise InputError("X has missing values; drop those rows before predict.")
        return _named(done.X, self._names([f"x{i}" for i in range(done.X.shape[1])]))

    def _read_table(self: Any, X: Any) -> tuple[Any, MixedTable | None]:
        """Return the rows of a fit as numbers, and by source column where X is a raw table.

        Rows that `Table.frame` made of a file come with the plan that made them.
        """
        vars(self).pop("_table", None)
        prepared = getattr(X, "attrs", {}).get(PREPARED)
        if isinstance(prepared, Prepared):
            plan, rows = prepared.plan, X.to_numpy()
            table = prepared.mixed.take_rows(X.index.to_numpy())
        elif is_raw(X, allow_nan=bool(getattr(self, "allow_nan", False))):
            plan, made = learn_table(X)
            rows, table = made.X, made.table
        else:
            found = suspected_identifiers(X) if is_table(X) else []
            if found:
                warn_caller(about_identifiers(found), UserWarning)
            return on_host(X), None
        if self._balance == "directions" and isinstance(plan.points, Embedding):
            units = coordinate_deviations(plan.points)
            points = balanced(plan.points, self._balance)
            plan = replace(plan, points=points, spread=plan.spread / units**2)
            rows = rows / units
        self._table = plan
        return _named(rows, plan.names), table

    def _names(self: Any, names: list[str]) -> list[str]:
        return list(getattr(self, "feature_names_in_", names))


def on_host(X: Any) -> Any:
    """Return a table of numbers in CPU memory; a masked array with hidden values is refused."""
    refuse_masked(X)
    return to_host(X)


def _place(row: int) -> str:
    return f"row {row}"


def _named(values: Floats, names: list[str]) -> Any:
    pandas = import_optional("pandas", "app")
    return pandas.DataFrame(values, columns=names)


def read_table(
    estimator: Any,
    X: Any,
    *,
    reset: bool = True,
    min_rows: int = 1,
    allow_nan: bool = False,
    accept_sparse: bool = False,
    largest: float = LARGEST,
) -> Any:
    """Return float64 rows in C order in CPU memory, from any container.

    C order always: sums over rows of another layout are taken in another order, and their last
    bits differ.

    Parameters
    ----------
    estimator : estimator
        Whose ``n_features_in_`` and ``feature_names_in_`` are set, or compared with.
    X : array-like of shape (n_samples, n_features)
        The table.
    reset : bool, default=True
        Set the names and number of columns; False compares with those of `fit`.
    min_rows : int, default=1
        Fewest rows that are allowed.
    allow_nan : bool, default=False
        Whether NaN, a missing value, is allowed.
    accept_sparse : bool, default=False
        Return sparse rows as a CSR array of SciPy.
    largest : float
        The largest magnitude that is allowed.
    """

    def read() -> Any:
        raw = isinstance(estimator, RawTableMixin)
        given = estimator._rows_of(X, reset=reset) if raw else on_host(X)
        return validate_data(
            estimator,
            given,
            reset=reset,
            dtype=np.float64,
            order="C",
            ensure_all_finite=False,
            ensure_min_samples=min_rows,
            accept_sparse="csr" if accept_sparse else False,
        )

    rows = convert(read)
    numbers = rows.data[:, np.newaxis] if issparse(rows) else rows
    columns = None if issparse(rows) else getattr(estimator, "feature_names_in_", None)
    check_numbers(numbers, allow_nan=allow_nan, columns=columns, largest=largest)
    return rows
