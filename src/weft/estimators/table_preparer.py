"""`TablePreparer`: turns a raw table into numbers, with a record of each column."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from weft._base.reading import convert
from weft._base.validation import check_choice, import_optional
from weft._base.warnings import warn_caller
from weft.columns.source import MixedTable, SourceColumn
from weft.estimators._declared import declare
from weft.estimators._mixins import KeepMixin
from weft.models.kinds import Choice, ListOf, Text
from weft.tables.cells import Cells, is_table, number_cells, read_cells, refuse_names, text_cells
from weft.tables.errors import InputError, in_python
from weft.tables.plan import Applied, learn
from weft.tables.points import SCALES, values_at
from weft.tables.reading import in_units
from weft.tables.schema import plan_kind

OUTPUTS = ("coordinates", "columns")
# A pipeline needs the same rows after each step, so no row can be dropped.
MISSING = ("auto", "median", "error")


class TablePreparer(KeepMixin, TransformerMixin, BaseEstimator):
    """Turn a raw table into numbers, and report how each column was read.

    Numbers, money, percentages, dates, times, ordered words, categories and yes/no are recognised
    column by column, for tables of pandas, polars and pyarrow, and for files in several languages;
    identifiers, free text, postal codes, phone numbers and hashes are left out. The command line
    and the estimators read raw tables in the same way.

    Parameters
    ----------
    output : {"coordinates", "columns"}, default="coordinates"
        What `transform` returns. "coordinates": points whose distances are those of the mixed
        metric, in which each column of the table counts once; for any clusterer. "columns": one
        column per column of the table (several for dates), categories as codes, missing values as
        NaN, in the units of the table.
    keep : list of str, default=()
        Columns to use although they look like identifiers or free text.
    drop : list of str, default=()
        Columns to leave out.
    missing : {"auto", "median", "error"}, default="auto"
        How to treat missing values. "auto": fill them in from the other columns of the row.
        "median": the median or most frequent level of the column. "error": refuse them. A missing
        value is never treated as a level.
    scale : {"standard", "range", "none"}, default="standard"
        "standard": each column has variance 1. "range": numbers run from 0 to 1. "none": numbers
        are not scaled. With "range" and "none", a category has one 0/1 column per level.

    Attributes
    ----------
    plan_ : TablePlan
        How the table is read.
    source_columns_ : tuple of SourceColumn
        For each column its kind, unit, levels, and how it was read, in words (``note``).

    See Also
    --------
    RangeScaler : The scaling that the thesis of weighted k-means uses.

    Examples
    --------
    >>> import pandas as pd
    >>> from weft import TablePreparer
    >>> table = pd.DataFrame({
    ...     "price": ["$1,910.50", "$20.00", "$6,000.00", "$7.25"],
    ...     "size": ["small", "large", "medium", "small"],
    ... })
    >>> preparer = TablePreparer(output="columns").fit(table)
    >>> preparer.transform(table)
    array([[1.9105e+03, 0.0000e+00],
           [2.0000e+01, 2.0000e+00],
           [6.0000e+03, 1.0000e+00],
           [7.2500e+00, 0.0000e+00]])
    >>> for column in preparer.source_columns_:
    ...     print(f"{column.name}: {column.kind}, {column.note}")
    price: amount, money in $, thousands by ','
    size: ordered, 3 levels, a known order of words: small, medium, large
    """

    _schema = declare(
        {"plan_": plan_kind("n_coordinates")},
        output=Choice(*OUTPUTS),
        missing=Choice(*MISSING),
        scale=Choice(*SCALES),
        keep=ListOf(Text()),
        drop=ListOf(Text()),
    )

    def __init__(
        self,
        output: str = "coordinates",
        *,
        keep: Any = (),
        drop: Any = (),
        missing: str = "auto",
        scale: str = "standard",
    ) -> None:
        self.output = output
        self.keep = keep
        self.drop = drop
        self.missing = missing
        self.scale = scale

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing != "error"
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags

    def fit(self, X: Any, y: Any = None) -> TablePreparer:
        """Decide how each column is read, and learn how it becomes numbers.

        Parameters
        ----------
        X : DataFrame or array-like of shape (n_samples, n_features)
            A table of pandas, polars or pyarrow, or an array.
        """
        self._learn(X)
        return self

    def fit_transform(self, X: Any, y: Any = None, **params: Any) -> Any:
        """Do the same as `fit` and then `transform`, but read the table once.

        Parameters
        ----------
        X : DataFrame or array-like of shape (n_samples, n_features)
            A table of pandas, polars or pyarrow, or an array.
        y : ignored
            Not used, present for API consistency.
        **params : dict
            Not used, present for API consistency.

        Returns
        -------
        ndarray of shape (n_samples, n_features_out)
            Numbers.
        """
        # scikit-learn wraps `transform` for set_output, so the method is called through that
        # wrapper.
        self._learn(X)
        return self.transform(X)

    def transform(self, X: Any) -> Any:
        """Return the rows of a table as numbers.

        Parameters
        ----------
        X : DataFrame or array-like of shape (n_samples, n_features)
            Rows with the columns of `fit`. Levels that were not seen in `fit` count as missing,
            with a warning. Values far outside the range of `fit` give a warning too.

        Returns
        -------
        ndarray of shape (n_samples, n_features_out)
            Coordinates, or columns with NaN for missing values.
        """
        done = self._apply(X)
        return done.X if self.output == "coordinates" else done.table.values

    def mixed_table(self, X: Any) -> MixedTable:
        """Return the rows of a table with the record of each source column.

        Parameters
        ----------
        X : DataFrame or array-like of shape (n_samples, n_features)
            Rows with the columns of `fit`.

        Returns
        -------
        MixedTable
            ``values`` (categories as codes, missing values as NaN) and ``columns``.
        """
        return self._apply(X).table

    def inverse_transform(self, X: Any) -> Any:
        """Turn numbers back into the words and units of the table.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features_out)
            What `transform` returns, or centres in the same coordinates: a category gets the
            nearest level, a date the nearest day.

        Returns
        -------
        DataFrame of shape (n_samples, n_used)
            One column per source column that is used.
        """
        check_is_fitted(self)
        pandas = import_optional("pandas", "app")
        rows = np.asarray(X, dtype=np.float64)
        width = len(self.get_feature_names_out())
        if rows.ndim != 2 or rows.shape[1] != width:
            raise ValueError(f"X has shape {rows.shape}; give rows of {width} numbers.")
        if self.output == "coordinates":
            rows = values_at(self.plan_.points, self.plan_.columns, rows)
        return pandas.DataFrame(in_units(self.plan_.readings, rows))

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Return the names of the output columns: "price", "signed (age)".

        Parameters
        ----------
        input_features : array-like of str, default=None
            Not used: the names are those of the table.

        Returns
        -------
        ndarray of str
            One name per output column.
        """
        check_is_fitted(self)
        if input_features is not None:
            given = [str(name) for name in input_features]
            known = self._input_names()
            if given != known:
                raise ValueError(
                    "input_features is not equal to feature_names_in_; leave it out, the names are "
                    "those of the table."
                )
        if self.output == "coordinates":
            return np.asarray(self.plan_.names, dtype=object)
        names = [name for column in self.plan_.columns for name in column.names]
        return np.asarray(names, dtype=object)

    @property
    def source_columns_(self) -> tuple[SourceColumn, ...]:
        """A record for each column: kind, unit, levels, and how it was read."""
        check_is_fitted(self)
        return self.plan_.columns

    def _learn(self, X: Any) -> None:
        check_choice("output", self.output, OUTPUTS)
        check_choice("missing", self.missing, MISSING)
        check_choice("scale", self.scale, SCALES)
        cells = self._read(X, reset=True)
        if len(cells[0]) < 2:
            raise ValueError("X has n_samples=1; at least two rows are needed to read the columns.")
        names = [column.name for column in cells]
        for option in ("keep", "drop"):
            unknown = [name for name in getattr(self, option) if name not in names]
            if unknown:
                raise ValueError(
                    f"{option} names {unknown[0]!r}, which is not a column of the table."
                )
        used = [column for column in cells if column.name not in self.drop]
        with in_python():
            self.plan_, made = learn(
                used,
                table="X",
                place=_place,
                keep=self.keep,
                missing=self.missing,
                scale=self.scale,
                bend=self.output == "coordinates",
            )
        if not made.table.used:
            why = "; ".join(f"{column.name}: {column.note}" for column in self.plan_.columns)
            raise InputError(f"X has no column that can be used ({why[:400]}).")

    def _apply(self, X: Any) -> Applied:
        check_is_fitted(self)
        with in_python():
            done = self.plan_.apply(self._read(X, reset=False), table="X", place=_place)
        for warning in done.warnings:
            warn_caller(warning, UserWarning)
        return done

    def _read(self, X: Any, *, reset: bool) -> list[Cells]:
        """Return the cells of each column; those of an array are called x0, x1, ..."""
        if is_table(X):
            refuse_names(X)
            if not hasattr(X, "dtypes"):  # a table of Arrow, whose names scikit-learn cannot read
                X = X.to_pandas()
            validate_data(self, X, reset=reset, skip_check_array=True)
            if len(X) == 0:
                raise ValueError("Found array with 0 sample(s); pass at least one row.")
            return read_cells(X)
        free = {"dtype": None, "ensure_all_finite": False, "ensure_min_samples": 1}
        X = convert(lambda: validate_data(self, X, reset=reset, **free))
        make = text_cells if X.dtype.kind in "OUS" else number_cells
        names = self._input_names()
        return [make(name, X[:, position]) for position, name in enumerate(names)]

    def _input_names(self) -> list[str]:
        names = getattr(self, "feature_names_in_", None)
        return [f"x{i}" for i in range(self.n_features_in_)] if names is None else list(names)


def _place(row: int) -> str:
    return f"row {row}"
