"""Whether refits of a clusterer agree with each other, on real rows and on shuffled ones.

The clusterer is fitted to several random parts of the rows. For every two parts, the labels of the
rows that both contain are compared (adjusted Rand index). The same is done with a table whose
columns are shuffled separately: that keeps each column's distribution but breaks its links to the
others, so the table contains no clusters. Agreement on the real rows means something only if it is
clearly higher than agreement on the shuffled ones.
"""

from __future__ import annotations

import time
import warnings
from itertools import combinations
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from weft._base.arrays import Integers
from weft.parallel.blas import one_blas_thread
from weft.reporting.space import sample

SHARE = 0.8
N_ROWS = 600  # maximum number of rows of a refit


def measure_refits(
    estimator: Any,
    X: Any,
    labels: Integers,
    *,
    n_repeats: int,
    max_seconds: float | None = None,
    seed: int = 0,
) -> dict[str, Any] | None:
    """Refit `n_repeats` times (at least twice) to parts of the rows, and of shuffled rows.

    ``agreement``: of each refit with the given labels; ``pairs``: of every two refits with each
    other; ``null``: the same on shuffled columns.

    The result is None if the first refit shows that all of them would take more than `max_seconds`
    of processor time. Processor time does not depend on other programs on the machine. The measured
    numbers never depend on time; only whether they are measured does.
    """
    rng = np.random.default_rng(seed)
    chosen = sample(labels, N_ROWS)
    rows = _take(X, chosen)
    known = labels[chosen]
    n_fits = max(2, n_repeats)
    parts = [_parts(len(chosen), rng) for _ in range(n_fits)]
    began = time.process_time()
    refits = [_fitted(estimator, rows, parts[0], rng, checks=True)]
    expected = (time.process_time() - began) * 2 * n_fits
    if max_seconds is not None and expected > max_seconds:
        return None
    refits += [_fitted(estimator, rows, part, rng) for part in parts[1:]]
    shuffled = _shuffled(rows, rng)
    null = [_fitted(estimator, shuffled, part, rng) for part in parts]
    return {
        "n_repeats": n_fits,
        "share": SHARE,
        "n_rows": len(chosen),
        "agreement": [
            _alike(known[part], found) for part, found in zip(parts, refits, strict=True)
        ],
        "pairs": _with_each_other(parts, refits),
        "null": _with_each_other(parts, null),
        "n_clusters": [len(np.unique(found[found != -1])) for found in refits],
    }


def _parts(n: int, rng: np.random.Generator) -> Integers:
    return np.sort(rng.choice(n, size=max(2, round(SHARE * n)), replace=False))


def _fitted(
    estimator: Any, X: Any, rows: Integers, rng: np.random.Generator, *, checks: bool = False
) -> Integers:
    """Fit to some of the rows; with `checks` scikit-learn checks all parameters.

    The first refit is checked. The others need not be: OPTICS, for example, checks the parameters
    of its own calls for every row.
    """
    from sklearn import config_context
    from sklearn.base import clone

    refitted = clone(estimator)
    seeds = {
        name: int(rng.integers(2**31 - 1))
        for name in refitted.get_params()
        if name == "random_state" or name.endswith("__random_state")
    }
    refitted.set_params(**seeds)
    # Parts are small: threads would wait for each other more than they compute.
    checking = config_context(skip_parameter_validation=not checks)
    with warnings.catch_warnings(), threadpool_limits(1, "openmp"), one_blas_thread(), checking:
        warnings.simplefilter("ignore")  # warnings about a part do not concern the full table
        return np.asarray(refitted.fit_predict(_take(X, rows)))


def _with_each_other(parts: list[Integers], refits: list[Integers]) -> list[float]:
    return [
        _on_shared(parts[i], refits[i], parts[j], refits[j])
        for i, j in combinations(range(len(parts)), 2)
    ]


def _on_shared(first: Integers, one: Integers, second: Integers, other: Integers) -> float:
    _, at_first, at_second = np.intersect1d(first, second, return_indices=True)
    return _alike(one[at_first], other[at_second])


def _alike(a: Integers, b: Integers) -> float:
    """Return the adjusted Rand index; 0 if both answers are a single cluster."""
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
