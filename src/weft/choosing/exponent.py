"""Choosing the exponent: from labels of some rows, from pairs, or from the data alone."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import _check_sample_weight

from weft._base.reading import is_gap, read_array, read_generator
from weft._base.validation import check_choice, check_integer, check_real
from weft.choosing import evidence
from weft.choosing.evidence import Fitter, Floats, Integers, labels_of
from weft.choosing.results import Exponent

METHODS = ("labels", "all-rows", "pairs", "validity", "stability", "agreement", "look-alike")
# 1.0, 1.1, …, 5.0 as in the thesis; not np.arange(1, 5.01, 0.1), whose element 10 is not 2.0.
GRID = np.arange(10, 51) / 10.0
TIED = 1e-12
TIES = ("middle", "first")


def choose_exponent(
    model: Any,
    X: Any,
    grid: Any = None,
    *,
    method: str | None = None,
    y: Any = None,
    must_link: Any = None,
    cannot_link: Any = None,
    parameter: str | tuple[str, ...] | None = None,
    n_repeats: int | None = None,
    ties: str = "middle",
    sample_weight: Any = None,
    random_state: Any = None,
) -> Exponent:
    """Choose the exponent of a weighted clustering, with the evidence.

    Parameters
    ----------
    model : estimator
        The model to fit with the exponent: a `WeightedKMeans`, or any estimator with ``labels_``
        and a `parameter` for the exponent. It is cloned, not changed.
    X : array-like of shape (n_samples, n_features)
        The table, scaled as the model needs it.
    grid : array-like of shape (n_exponents,), default=None
        Exponents to try; None: 1.0, 1.1, …, 5.0.
    method : str, default=None
        How to choose. None: ``"labels"`` if `y` is given, ``"pairs"`` if pairs are,
        ``"validity"`` otherwise.

        - ``"labels"``: the accuracy of clustering the labelled rows alone (algorithms 4.3, 4.4);
        - ``"all-rows"``: the accuracy on the labelled rows of clustering all rows;
        - ``"pairs"``: the share of `must_link` and `cannot_link` pairs that are kept;
        - ``"validity"``: how much of each single feature the clusters explain;
        - ``"stability"``: how well models of two random halves agree;
        - ``"agreement"``: how well the clusterings at neighbouring exponents agree;
        - ``"look-alike"``: the accuracy on Gaussian data of the same shape, with known labels.
    y : array-like of shape (n_samples,), default=None
        Classes; -1, None or NaN where unknown.
    must_link, cannot_link : array-like of shape (n_pairs, 2), default=None
        Rows that belong, or do not belong, together.
    parameter : str or tuple of str, default=None
        Which parameters take the exponent. None: ``distance_exponent`` if the model's
        ``weight_exponent`` is "same" (MWK- and iMWK-Means), else ``weight_exponent`` (WK-Means).
    n_repeats : int, default=None
        Fits per exponent for "labels" (None: 1), pairs of halves for "stability" (5), data sets
        for "look-alike" (6).
    ties : {"middle", "first"}, default="middle"
        Which of several exponents with the same highest score is taken: the middle one (the lower
        of two), or the lowest, which a search upwards from 1.0 keeps (algorithms 4.3 and 4.4 as
        written).
    sample_weight : array-like of shape (n_samples,), default=None
        How much each row counts; for "validity" and "agreement".
    random_state : int, RandomState, Generator or None, default=None
        Seed of the model's starts, of halves and of look-alikes.

    Returns
    -------
    Exponent
        ``exponent``, ``scores``, ``evidence``, ``table``, ``plot()``, and ``parameters`` for
        ``model.set_params``.

    References
    ----------
    .. [1] R. C. de Amorim, "Learning feature weights for K-Means clustering using the
       Minkowski metric", PhD thesis, Birkbeck, University of London, 2011, chapter 4.

    Examples
    --------
    >>> from weft import WeightedKMeans, choose_exponent
    >>> from weft.datasets import make_noisy_gaussians
    >>> noisy = make_noisy_gaussians("viii", variance=0.3, random_state=0)
    >>> choice = choose_exponent(WeightedKMeans(5), noisy.data, [1.2, 1.6, 2.0, 3.0])
    >>> choice.exponent in (1.2, 1.6, 2.0, 3.0)
    True
    >>> model = WeightedKMeans(5).set_params(**choice.parameters)
    """
    rows = read_array(X, min_rows=2, allow_nan=True)
    exponents = _read_grid(grid)
    if method is None:
        paired = must_link is not None or cannot_link is not None
        method = "labels" if y is not None else "pairs" if paired else "validity"
    check_choice("method", method, METHODS)
    check_choice("ties", ties, TIES)
    rng = read_generator(random_state)
    fitter = Fitter(model, _names(model, parameter), int(rng.integers(2**31 - 1)))
    if n_repeats is None:
        n_repeats = {"stability": 5, "look-alike": 6}.get(method, 1)
    check_integer("n_repeats", n_repeats, low=1)
    found: dict[str, Floats] = {}
    if method == "labels":
        found[method] = evidence.by_labels(fitter, rows, _read_y(y, rows), exponents, n_repeats)
    elif method == "stability":
        found[method] = evidence.stability(fitter, rows, exponents, n_repeats, rng)
    elif method == "look-alike":
        n_clusters = _n_clusters(model)
        found[method] = evidence.look_alike(
            fitter, rows.shape, n_clusters, exponents, n_repeats, rng
        )
    else:
        mass = None
        if sample_weight is not None:
            mass = _check_sample_weight(sample_weight, rows, dtype=np.float64)
        fits = (fitter.fit(rows, beta, sample_weight=mass) for beta in exponents)
        labelings = [labels_of(fit) for fit in fits]
        if method == "all-rows":
            found[method] = evidence.by_all_rows(labelings, _read_y(y, rows))
        elif method == "pairs":
            pairs = _read_pairs(must_link, cannot_link, len(rows))
            found[method] = evidence.by_pairs(labelings, *pairs)
        found["validity"] = np.array([evidence.validity(rows, x, mass) for x in labelings])
        found["agreement"] = evidence.agreement(labelings)
        single = np.array([len(np.unique(labels)) < 2 for labels in labelings])
        found["agreement"][single] = np.nan
    best = best_of(exponents, found[method], ties)
    return Exponent(best, method, exponents, found[method], found, fitter.parameters(best))


def best_of(grid: Floats, scores: Floats, ties: str = "middle") -> float:
    """Return the middle or first of the exponents with the highest score; near 2 without scores."""
    if np.isnan(scores).all():
        return float(grid[np.abs(grid - 2.0).argmin()])
    best = np.flatnonzero(scores >= np.nanmax(scores) - TIED)
    return float(grid[best[0 if ties == "first" else (len(best) - 1) // 2]])


def _read_grid(grid: Any) -> Floats:
    if grid is None:
        return GRID.copy()
    values = np.asarray(grid, dtype=object).ravel()
    if len(values) == 0:
        raise ValueError("grid is empty; give at least one exponent of 1 or more.")
    return np.unique([check_real("grid", value, low=1.0) for value in values.tolist()])


def _names(model: Any, parameter: Any) -> tuple[str, ...]:
    known = model.get_params()
    if parameter is None:
        if "weight_exponent" not in known:
            raise ValueError(
                f"{type(model).__name__} has no weight_exponent; name with parameter= which of its "
                "parameters takes the exponent."
            )
        same = isinstance(known["weight_exponent"], str) and known["weight_exponent"] == "same"
        return ("distance_exponent",) if same else ("weight_exponent",)
    names = (parameter,) if isinstance(parameter, str) else tuple(parameter)
    for name in names:
        check_choice("parameter", name, known)
    return names


def _n_clusters(model: Any) -> int:
    numbers = [v for k, v in model.get_params().items() if k.split("__")[-1] == "n_clusters"]
    if not numbers or numbers[0] is None:
        raise ValueError(
            "method='look-alike' generates data with the model's number of clusters, which is not "
            "set; set n_clusters or choose another method."
        )
    return int(numbers[0])


def _read_y(y: Any, rows: Floats) -> Integers:
    """Return classes as 0, 1, …, and -1 where unknown."""
    if y is None:
        raise ValueError("this method needs the classes of some rows; pass them as y.")
    given = np.asarray(y, dtype=object)
    if given.shape != (len(rows),):
        raise ValueError(f"y has shape {given.shape} for {len(rows)} rows; pass one entry per row.")
    unknown = np.array([is_gap(value) or value == -1 for value in given], dtype=bool)
    if (~unknown).sum() < 2:
        raise ValueError("y has the class of fewer than two rows; give more classes.")
    out = np.full(len(rows), -1, dtype=np.int64)
    out[~unknown] = np.unique([str(v) for v in given[~unknown]], return_inverse=True)[1]
    return out


def _read_pairs(must_link: Any, cannot_link: Any, n_rows: int) -> tuple[Integers, Integers]:
    pairs = []
    for name, given in (("must_link", must_link), ("cannot_link", cannot_link)):
        array = np.asarray([] if given is None else given)
        if array.size == 0:
            array = np.empty((0, 2), dtype=np.int64)
        if array.ndim != 2 or array.shape[1] != 2 or array.dtype.kind not in "iu":
            raise ValueError(f"{name} has shape {array.shape}; give pairs of row numbers.")
        if len(array) and (array.min() < 0 or array.max() >= n_rows):
            raise ValueError(f"{name} names a row outside 0 … {n_rows - 1}; count from 0.")
        pairs.append(array.astype(np.int64))
    if not len(pairs[0]) and not len(pairs[1]):
        raise ValueError("method='pairs' needs must_link or cannot_link pairs; give some.")
    return pairs[0], pairs[1]
