"""Whether a clusterer finds its clusters again, and whether it would find as much in noise.

The clusterer is fitted to two random parts of the rows, and the labels of the rows that both have
are compared (adjusted Rand index). The same is done with a table whose columns are shuffled, each
by itself: that keeps each column's distribution but breaks its links to the others, so that there
are no clusters of rows left to find. A clusterer that agrees with itself there as well says nothing
by agreeing here.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from weft._base.arrays import Integers
from weft.parallel.blas import one_blas_thread
from weft.reporting.space import sample

SHARE = 0.8
N_ROWS = 1_000  # that a refit sees at most


def measure_refits(
    estimator: Any, X: Any, labels: Integers, *, n_repeats: int, seed: int = 0
) -> dict[str, Any]:
    """Fit again `n_repeats` times to pairs of parts of the rows, and of shuffled rows.

    ``agreement``: of each first part with the given labels; ``pairs``: of both parts with each
    other; ``null``: the same where columns were shuffled.
    """
    rng = np.random.default_rng(seed)
    chosen = sample(labels, N_ROWS)
    rows = _take(X, chosen)
    known = labels[chosen]
    agreement, pairs, null, counts = [], [], [], []
    for _ in range(n_repeats):
        first, second = _parts(len(chosen), rng), _parts(len(chosen), rng)
        one, other = _fitted(estimator, rows, first, rng), _fitted(estimator, rows, second, rng)
        agreement.append(_alike(known[first], one))
        counts.append(len(np.unique(one[one != -1])))
        pairs.append(_on_shared(first, one, second, other))
        shuffled = _shuffled(rows, rng)
        one = _fitted(estimator, shuffled, first, rng)
        other = _fitted(estimator, shuffled, second, rng)
        null.append(_on_shared(first, one, second, other))
    return {
        "n_repeats": n_repeats,
        "share": SHARE,
        "n_rows": len(chosen),
        "agreement": agreement,
        "pairs": pairs,
        "null": null,
        "n_clusters": counts,
    }


def _parts(n: int, rng: np.random.Generator) -> Integers:
    return np.sort(rng.choice(n, size=max(2, round(SHARE * n)), replace=False))


def _fitted(estimator: Any, X: Any, rows: Integers, rng: np.random.Generator) -> Integers:
    from sklearn.base import clone

    again = clone(estimator)
    seeds = {
        name: int(rng.integers(2**31 - 1))
        for name in again.get_params()
        if name == "random_state" or name.endswith("__random_state")
    }
    again.set_params(**seeds)
    # Parts are small: threads would wait for each other more than they compute.
    with warnings.catch_warnings(), threadpool_limits(1, "openmp"), one_blas_thread():
        warnings.simplefilter("ignore")  # a part of the rows may warn of what the whole does not
        return np.asarray(again.fit_predict(_take(X, rows)))


def _on_shared(first: Integers, one: Integers, second: Integers, other: Integers) -> float:
    both, at_first, at_second = np.intersect1d(first, second, return_indices=True)
    del both
    return _alike(one[at_first], other[at_second])


def _alike(a: Integers, b: Integers) -> float:
    """Adjusted Rand index; two answers without any split agree on nothing."""
    from sklearn.metrics import adjusted_rand_score

    if len(np.unique(a)) < 2 and len(np.unique(b)) < 2:
        return 0.0
    return float(adjusted_rand_score(a, b))


def _take(X: Any, rows: Integers) -> Any:
    return X.iloc[rows] if hasattr(X, "iloc") else X[rows]


def _shuffled(X: Any, rng: np.random.Generator) -> Any:
    n = len(X) if hasattr(X, "iloc") else X.shape[0]
    if hasattr(X, "iloc"):
        shuffled = X.copy()
        for place in range(X.shape[1]):
            order = rng.permutation(n)
            shuffled.isetitem(place, X.iloc[:, place].take(order).set_axis(X.index))
        return shuffled
    return np.column_stack([X[rng.permutation(n), j] for j in range(X.shape[1])])
