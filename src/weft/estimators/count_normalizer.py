"""Scale rows of counts to the same total, and take the logarithm."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from weft.columns.counts import normalized_counts, usual_total
from weft.estimators._declared import POSITIVE, declare
from weft.estimators._mixins import KeepMixin
from weft.estimators._reading import read_table
from weft.models.kinds import NOTHING, Flag, OneOf

COUNT_NORMALIZER = declare(
    {"target_sum_": POSITIVE}, target_sum=OneOf(NOTHING, POSITIVE), log=Flag()
)


class CountNormalizer(KeepMixin, OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Scale rows of counts to the same total, then take log(1 + value).

    The total of a row of counts (reads of a cell, words of a text) depends on how much was read or
    sequenced, which should not influence the clusters. So each row is divided by its size factor,
    its total over `target_sum_`. After the logarithm, a doubling has the same size in all columns.
    ``AutoCluster(counts=True)`` does the same.

    Parameters
    ----------
    target_sum : float, default=None
        The total that every row gets; None: the median total of the rows in `fit`. One million
        gives counts per million (CPM).
    log : bool, default=True
        Take log(1 + value).

    Attributes
    ----------
    target_sum_ : float
        The total.
    n_features_in_ : int
        Number of columns seen.
    feature_names_in_ : ndarray of shape (n_features,)
        Their names, if `X` had names.

    Notes
    -----
    Sparse rows stay sparse (CSR). A row of zeros is not changed. Values need not be whole numbers,
    so estimated counts can be used.

    Examples
    --------
    >>> import numpy as np
    >>> from weft import CountNormalizer
    >>> counts = np.array([[1.0, 3.0], [10.0, 30.0]])
    >>> CountNormalizer(target_sum=4, log=False).fit_transform(counts)
    array([[1., 3.],
           [1., 3.]])
    """

    _schema = COUNT_NORMALIZER

    def __init__(self, target_sum: float | None = None, *, log: bool = True) -> None:
        self.target_sum = target_sum
        self.log = log

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        return tags

    def fit(self, X: Any, y: Any = None) -> CountNormalizer:
        """Learn the median total of the rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Counts.
        y : ignored
            Not used, present for API consistency.

        Returns
        -------
        CountNormalizer
            The fitted transformer.
        """
        rows = self._read(X, reset=True)
        self.target_sum_ = usual_total(rows) if self.target_sum is None else float(self.target_sum)
        return self

    def transform(self, X: Any) -> Any:
        """Return the rows, scaled to the same total.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Counts.

        Returns
        -------
        ndarray or sparse array of shape (n_samples, n_features)
            Normalised rows; sparse if `X` is sparse.
        """
        check_is_fitted(self)
        return normalized_counts(self._read(X, reset=False), self.target_sum_, log=bool(self.log))

    def _read(self, X: Any, *, reset: bool) -> Any:
        rows = read_table(self, X, reset=reset, accept_sparse=True)
        values = rows.data if issparse(rows) else rows
        if values.size and values.min() < 0.0:
            # scikit-learn's checks require these first words.
            raise ValueError(
                f"Negative values in data passed to {type(self).__name__}: counts are at least 0, "
                f"got {np.min(values):g}; give the table before it was centred or scaled."
            )
        return rows
