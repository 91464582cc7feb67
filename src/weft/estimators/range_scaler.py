"""Scaling by range, and dummy columns for categories: chapter 3.4, eq. 3.13 of the thesis."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from sklearn import get_config
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils._array_api import device as device_of
from sklearn.utils._array_api import get_namespace
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted, validate_data

from weft._base.reading import check_numbers, convert
from weft.estimators._mixins import KeepMixin
from weft.estimators._reading import on_host
from weft.estimators._scaled_columns import (
    RANGE_SCALER,
    ScaledColumn,
    is_numeric,
    learn_category,
    learn_number,
    scale,
)
from weft.tables.cells import is_raw, is_table

# Sums of larger numbers over many rows exceed the range of float64.
_LARGEST = 1e298


class RangeScaler(KeepMixin, OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Scale numbers to ``(x - mean) / (range / 2)``; turn categories into centred dummies.

    A category becomes one column per value, 1 where the row has it and 0 elsewhere, minus the
    value's share of the rows. After division by the range, a feature with two modes contributes
    more than one with a single mode; after division by the standard deviation it does not [1]_.

    Parameters
    ----------
    categorical : "auto" or list of names or indices, default="auto"
        Which columns hold categories. "auto": the columns of a DataFrame that are not numeric.

    Attributes
    ----------
    columns_ : list
        For each input column its categories (or None), mean and half range.
    n_features_in_ : int
        Number of columns seen.
    feature_names_in_ : ndarray of shape (n_features,)
        Their names, if `X` had names.

    Notes
    -----
    Missing values stay missing (a missing category gives dummies that are all NaN). A category that
    was not seen in `fit` gets zeros for all dummies, before centring. A constant column becomes 0.
    A column of categories without any value has no dummies.

    With scikit-learn's ``array_api_dispatch`` switched on, tensors of torch and arrays of CuPy are
    scaled on their device and returned as such. Otherwise the result is a NumPy array.

    References
    ----------
    .. [1] B. Mirkin, "Clustering for Data Mining: A Data Recovery Approach", 2005.

    Examples
    --------
    >>> import pandas as pd
    >>> from weft import RangeScaler
    >>> table = pd.DataFrame({"size": [0.0, 5.0, 10.0, 5.0], "kind": ["a", "b", "a", "a"]})
    >>> RangeScaler().set_output(transform="pandas").fit_transform(table)
       size  kind_a  kind_b
    0  -1.0    0.25   -0.25
    1   0.0   -0.75    0.75
    2   1.0    0.25   -0.25
    3   0.0    0.25   -0.25
    """

    _schema = RANGE_SCALER

    def __init__(self, categorical: Any = "auto") -> None:
        self.categorical = categorical

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.array_api_support = isinstance(self.categorical, str)
        return tags

    def fit(self, X: Any, y: Any = None) -> RangeScaler:
        """Learn means, ranges and categories.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_samples, n_features)
            Table.
        y : ignored
            Not used, present for API consistency.

        Returns
        -------
        RangeScaler
            The fitted transformer.
        """
        # Library and device of a table that is scaled on its own device; None for NumPy.
        self._fit_place: str | None = None
        if self._dispatches(X):
            self._fit_where_it_lies(X)
            return self
        columns = self._read(X, reset=True)
        self.columns_ = [
            learn_category(column) if self._is_category[i] else learn_number(column)
            for i, column in enumerate(columns)
        ]
        return self

    def transform(self, X: Any) -> np.ndarray:
        """Scale a table with the columns of `fit`.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_samples, n_features)
            Table.

        Returns
        -------
        ndarray of shape (n_samples, n_features_out)
            Scaled numbers and centred dummies, in the order of the columns.
        """
        check_is_fitted(self)
        if getattr(self, "_fit_place", None) is not None or self._dispatches(X):
            return self._transform_where_it_lies(X)
        columns = self._read(X, reset=False)
        return np.column_stack(
            [scale(rule, column) for rule, column in zip(self.columns_, columns, strict=True)]
        )

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Return the names of the output columns: "size", "kind_a", "kind_b".

        Parameters
        ----------
        input_features : array-like of str, default=None
            Names of the input columns; those seen in `fit` by default.

        Returns
        -------
        ndarray of str
            One name per output column.
        """
        check_is_fitted(self)
        names: list[str] = []
        given = _check_feature_names_in(self, input_features)
        for name, rule in zip(given, self.columns_, strict=True):
            if rule.categories is None:
                names.append(str(name))
            else:
                names += [f"{name}_{category}" for category in rule.categories]
        return np.asarray(names, dtype=object)

    def _dispatches(self, X: Any) -> bool:
        """Return whether scikit-learn's array API dispatch applies to X."""
        if not isinstance(self.categorical, str) or not get_config()["array_api_dispatch"]:
            return False
        library, is_array = get_namespace(X)
        return bool(is_array) and "numpy" not in library.__name__

    def _fit_where_it_lies(self, X: Any) -> None:
        table, xp = self._read_array(X, reset=True)
        self._is_category = [False] * table.shape[1]
        self._fit_place = _place(table)
        known = ~xp.isnan(table)
        zero = xp.zeros_like(table)
        number = xp.sum(xp.astype(known, table.dtype), axis=0)
        ones = xp.ones_like(number)
        mean = xp.sum(xp.where(known, table, zero), axis=0) / xp.where(number > 0, number, ones)
        low = xp.min(xp.where(known, table, zero + np.inf), axis=0)
        high = xp.max(xp.where(known, table, zero - np.inf), axis=0)
        mean = xp.where((number > 0) & (low == high), low, mean)  # without rounding
        half = 0.5 * high - 0.5 * low
        half = xp.where((number > 0) & (half > 0.0), half, ones)
        # A few numbers per column are stored on the CPU, as for any other table.
        self.columns_ = [
            ScaledColumn(None, np.array([float(mean[i])]), float(half[i]))
            for i in range(mean.shape[0])
        ]

    def _transform_where_it_lies(self, X: Any) -> Any:
        seen = getattr(self, "_fit_place", None)  # older files do not have it
        if not self._dispatches(X) or _place(X) != seen:
            raise ValueError(
                f"Inputs passed to {type(self).__name__}.transform() must use the same namespace "
                f"and the same device as those passed to fit(): {seen or 'NumPy'}."
            )
        table, xp = self._read_array(X, reset=False)
        place = {"dtype": table.dtype, "device": device_of(table)}
        mean = xp.asarray([float(rule.mean[0]) for rule in self.columns_], **place)
        half = xp.asarray([rule.half_range for rule in self.columns_], **place)
        return (table - mean) / half  # eq. 3.13

    def _read_array(self, X: Any, *, reset: bool) -> tuple[Any, Any]:
        """Return a checked table of float64 in X's own library, and that library."""
        xp = get_namespace(X)[0]
        table = validate_data(
            self, X, reset=reset, dtype=[xp.float64, xp.float32], ensure_all_finite="allow-nan"
        )
        return xp.astype(table, xp.float64), xp

    def _read(self, X: Any, *, reset: bool) -> list[np.ndarray]:
        """Return the columns: floats, or objects where they are categories."""
        X = given = on_host(X)
        frame = hasattr(X, "columns") and hasattr(X, "iloc")
        if not frame:
            other = is_table(X) and hasattr(X, "to_pandas")  # polars and Arrow
            if other and not isinstance(self.categorical, str):
                return self._read(X.to_pandas(), reset=reset)
            try:
                X = convert(
                    lambda: validate_data(self, given, reset=reset, **_reading(self.categorical))
                )
            except ValueError:
                if not other or not is_raw(given, allow_nan=True):
                    raise
                return self._read(given.to_pandas(), reset=reset)
            table = [X[:, i] for i in range(X.shape[1])]
        else:
            validate_data(self, X, reset=reset, skip_check_array=True)
            if len(X) == 0:
                raise ValueError("Found array with 0 sample(s); pass at least one row.")
            table = [X.iloc[:, i].to_numpy() for i in range(X.shape[1])]
        if reset:
            self._is_category = self._find_categories(X, table, frame)
        columns = []
        for i, column in enumerate(table):
            if self._is_category[i]:
                columns.append(np.asarray(column, dtype=object))
                continue
            number = convert(partial(_as_numbers, column, i))
            check_numbers(number[:, np.newaxis], allow_nan=True, columns=[i], largest=_LARGEST)
            columns.append(number)
        return columns

    def _find_categories(self, X: Any, table: list[np.ndarray], frame: bool) -> list[bool]:
        if isinstance(self.categorical, str):
            return [frame and not is_numeric(column) for column in table]
        names = [str(name) for name in X.columns] if frame else []
        wanted = set()
        for item in self.categorical:
            if isinstance(item, str) and item in names:
                wanted.add(names.index(item))
            elif not isinstance(item, str) and 0 <= int(item) < len(table):
                wanted.add(int(item))
            else:
                raise ValueError(
                    f"categorical names {item!r}, which is not a column of the table; give names "
                    "or positions of its columns."
                )
        return [i in wanted for i in range(len(table))]


def _as_numbers(column: Any, place: int) -> np.ndarray:
    """Return a column as float64."""
    try:
        return np.asarray(column, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"column {place} holds values that are not numbers; name it in categorical."
        ) from error


def _place(X: Any) -> str:
    """Return the library and the device of an array."""
    return f"{get_namespace(X)[0].__name__}, {device_of(X)}"


def _reading(categorical: Any) -> dict[str, Any]:
    """Return how to validate an array: as numbers, unless some columns hold categories."""
    if isinstance(categorical, str):
        return {"dtype": np.float64, "ensure_all_finite": False}
    return {"dtype": None, "ensure_all_finite": False}
