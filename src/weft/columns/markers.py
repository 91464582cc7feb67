"""Marker columns: the columns that separate each cluster, with a false discovery rate.

`marker_columns` is the public function; the tests are in `marker_tests`, the honest option splits
the table by `thinning`, and the result is a `Markers`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from scipy.optimize import linear_sum_assignment
from sklearn.base import clone
from sklearn.metrics import adjusted_rand_score
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_array, column_or_1d

from weft._base.arrays import Floats, Integers
from weft._base.reading import check_numbers, convert, refuse_masked
from weft._base.validation import check_real
from weft.columns.counts import check_counts, normalized_counts, usual_total
from weft.columns.marker_table import Markers, tabulate
from weft.columns.marker_tests import Comparison, compare_clusters
from weft.columns.thinning import FIRST_SHARE, thin_counts, thin_numbers
from weft.parallel.blas import one_blas_thread

LEAST_OVERLAP = 0.3  # Jaccard index from which a cluster counts as reproduced


def marker_columns(
    X: Any,
    labels: Any,
    *,
    false_discovery_rate: float = 0.05,
    min_effect: float = 0.2,
    counts: bool = False,
    clusterer: Any = None,
    feature_names: Any = None,
    random_state: Any = 0,
) -> Markers:
    """Find the columns that separate each cluster from all other rows.

    Each column is compared by rank sums; the false discovery rate is the share of columns that
    reach the same level when labels are permuted.

    Clusters are chosen such that columns differ between them. If the same columns are then tested
    on the same rows, the test is too optimistic: even noise columns differ. With `clusterer` the
    test is honest (data thinning): every number is split between two tables, which are independent
    if the rows of a column come from the same distribution. The clusterer is fitted on the first
    table, and the columns are tested on the second one. See the notes.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        The table. A sparse one is made dense some columns at a time.
    labels : array-like of shape (n_samples,)
        Cluster of each row, as numbers; rows with -1 are left out.
    false_discovery_rate : float, default=0.05
        The share of the markers of each cluster that may be due to chance.
    min_effect : float, default=0.2
        Smallest absolute difference of the means, in units of the standard deviation within
        clusters.
    counts : bool, default=False
        `X` holds raw counts: rows are scaled to the same total and the logarithm is taken before
        they are compared, and the honest option splits counts.
    clusterer : estimator, default=None
        A clusterer that is fitted on the first of two thinned tables: the honest option. If it has
        a parameter ``n_clusters``, this is set to the number of clusters in `labels`. Clusters are
        matched with those in `labels` by their rows.
    feature_names : sequence of str, default=None
        Names of the columns; by default those of a DataFrame, or ``x0``, ``x1``, ...
    random_state : int, RandomState instance or None, default=0
        Seed of the permutations and of the thinning.

    Returns
    -------
    Markers
        The markers as a table; ``to_frame()`` gives a DataFrame.

    Notes
    -----
    The honest option splits counts by beta-binomial draws with the overdispersion of each column
    (negative binomial count splitting), and other numbers by Gaussian thinning. The stated rate is
    correct for both if columns are independent within clusters. Columns that are correlated for
    other reasons still share their noise. Effects are estimated on the second table, in units of
    `X`.

    Examples
    --------
    >>> import numpy as np
    >>> from weft import marker_columns
    >>> rng = np.random.default_rng(0)
    >>> labels = np.repeat([0, 1], 50)
    >>> X = rng.standard_normal((100, 200))
    >>> X[labels == 1, :2] += 2.0
    >>> markers = marker_columns(X, labels)
    >>> sorted(set(markers.columns.tolist()))
    [0, 1]
    """
    rate = check_real("false_discovery_rate", false_discovery_rate, low=1e-9, high=1.0)
    least = check_real("min_effect", min_effect, low=0.0)
    names = getattr(X, "columns", None) if feature_names is None else feature_names
    table = _read(X, names)
    names = _names(names, table.shape[1])
    given = _read_labels(labels, table.shape[0])
    if counts:
        check_counts(table)
    seed = check_random_state(random_state).randint(2**31 - 1)
    rng = np.random.default_rng([seed, 12])
    with one_blas_thread():
        tested, agreement = given, 1.0
        if clusterer is None:
            compared = compare_clusters(_comparable(table, counts), given, rng)
        else:
            compared, tested = _compare_thinned(table, given, counts, clusterer, rng)
            agreement = float(adjusted_rand_score(given, tested))
        return tabulate(
            compared,
            _comparable(table, counts),
            names,
            rate=rate,
            min_effect=least,
            clusters=np.unique(given[given >= 0]),
            honest=clusterer is not None,
            agreement=agreement,
        )


def _compare_thinned(
    X: Any, labels: Integers, counts: bool, clusterer: Any, rng: np.random.Generator
) -> tuple[Comparison, Integers]:
    """Return the comparison on the second table, and the clusters of the first one.

    Clusters of the first table are numbered like the given clusters that they match.
    """
    if counts:
        first, second = thin_counts(X, rng)
        target = usual_total(X)
        shown = normalized_counts(second, target)
        shown = shown.tocsc() if sparse.issparse(shown) else shown
        unit, noise = 1.0, 1.0
    else:
        first, shown = thin_numbers(X.toarray() if sparse.issparse(X) else X, rng)
        unit = 1.0 / (1.0 - FIRST_SHARE)
        noise = np.sqrt(unit)
    model = clone(clusterer)
    n_clusters = len(np.unique(labels[labels >= 0]))
    settings = {"n_clusters": max(n_clusters, 2), "callbacks": None}
    model.set_params(**{k: v for k, v in settings.items() if k in model.get_params(deep=False)})
    first = first.tocsr() if sparse.issparse(first) else first
    found = np.asarray(model.fit(first).labels_, dtype=np.int64)
    tested = match_clusters(found, labels)
    compared = compare_clusters(shown, tested, rng)
    return (
        compared._replace(
            effects=compared.effects * noise,
            means=compared.means * unit,
            rest_means=compared.rest_means * unit,
        ),
        tested,
    )


def match_clusters(found: Integers, labels: Integers) -> Integers:
    """Return `found` with the numbers of the clusters in `labels` that share most of their rows.

    Clusters without a partner get numbers above all those in `labels`.
    """
    own, theirs = np.unique(found[found >= 0]), np.unique(labels[labels >= 0])
    both = np.array([[np.sum((found == f) & (labels == g)) for g in theirs] for f in own])
    sizes = np.array([np.sum(found == f) for f in own])
    others = np.array([np.sum(labels == g) for g in theirs])
    out = np.full(len(found), -1, dtype=np.int64)
    if both.size == 0:
        return out
    jaccard = both / (sizes[:, np.newaxis] + others[np.newaxis, :] - both)
    partner = dict(zip(*linear_sum_assignment(-jaccard), strict=True))
    unmatched = int(theirs.max()) + 1
    for place, cluster in enumerate(own):
        match = partner.get(place)
        if match is not None and jaccard[place, match] >= LEAST_OVERLAP:
            out[found == cluster] = theirs[match]
        else:
            out[found == cluster] = unmatched
            unmatched += 1
    return out


def _comparable(X: Any, counts: bool) -> Any:
    """Return the table to compare: counts scaled to the same total, sparse tables as CSC."""
    out = normalized_counts(X, usual_total(X)) if counts else X
    return out.tocsc() if sparse.issparse(out) else out


def _read(X: Any, names: Any) -> Any:
    refuse_masked(X)
    options = {"dtype": np.float64, "ensure_all_finite": False, "ensure_min_samples": 2}
    table = convert(lambda: check_array(X, accept_sparse="csc", **options))
    numbers = table.data[:, np.newaxis] if sparse.issparse(table) else table
    check_numbers(
        numbers, columns=None if sparse.issparse(table) else names, gap_remedy="or drop such rows"
    )
    return sparse.csc_array(table) if sparse.issparse(table) else table


def _names(names: Any, n_columns: int) -> list[str]:
    if names is None:
        return [f"x{number}" for number in range(n_columns)]
    listed = [str(name) for name in names]
    if len(listed) != n_columns:
        raise ValueError(
            f"feature_names has {len(listed)} names, but X has {n_columns} columns; give one each."
        )
    return listed


def _read_labels(labels: Any, n_rows: int) -> Integers:
    given: Floats = np.asarray(column_or_1d(labels))
    if given.dtype.kind not in "iub":
        raise ValueError(
            f"labels are of type {given.dtype}, but whole numbers are needed, -1 for rows in no "
            "cluster; number the clusters, for example with LabelEncoder."
        )
    if len(given) != n_rows:
        raise ValueError(f"labels has {len(given)} rows, but X has {n_rows}; give one per row.")
    return given.astype(np.int64)
