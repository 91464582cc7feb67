"""Tables as estimators read them: one function for `fit`, `predict` and `transform` of all."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.utils.validation import validate_data

from weft._base.reading import check_numbers, convert
from weft._base.validation import LARGEST
from weft.backends.devices import to_host
from weft.estimators._raw_tables import RawTableMixin


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
    """Return float64 rows on the host in C order, whatever container they came in.

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
        given = estimator._rows_of(X, reset=reset) if raw else to_host(X)
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
