"""Noise columns for data whose clusters are known, to test feature weighting.

Every noise column has the location and scale of a real column drawn at random, so noise cannot be
recognised by the range or the variance of a column.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.utils import Bunch, check_array

from weft._base.docstrings import documented
from weft._base.reading import read_generator
from weft._base.validation import check_choice, check_integer, check_real
from weft.datasets._shared import SHARED, column_names

BLOCK = 5  # columns that share a factor in kind="correlated"
FACTOR_SHARE = 0.8  # of their variance, hence the correlation within a block
# t with 2 degrees of freedom has no variance; with this factor its quartiles are those of the
# Gaussian of the same scale: Φ⁻¹(3/4) / t₂⁻¹(3/4), and t₂⁻¹(3/4) = √(2/3).
T2_SCALE = 0.6744897501960817 / math.sqrt(2.0 / 3.0)


@documented(SHARED)
def add_noise_features(
    data: Any,
    n_noise: int | None = None,
    *,
    ratio: float | None = None,
    kind: str = "uniform",
    shuffle: bool = False,
    random_state: Any = None,
) -> Bunch:
    """Append noise columns, which are independent of the clusters.

    Parameters
    ----------
    data : Bunch, array-like or DataFrame of shape (n_samples, n_features)
        The data to add columns to; it is not changed. Missing values stay, and are ignored when a
        column is measured. If a Bunch has a mask ``relevant``, only those columns are real ones, so
        that noise of several kinds can be added call by call.
    n_noise : int, default=None
        How many columns to add, at least 0. Give either this or `ratio`.
    ratio : float, default=None
        How many columns to add for each column of `data`, rounded to the nearest count.
    kind : str, default="uniform"
        How a noise column is distributed, given a real column drawn at random for each:

        - ``"uniform"``: evenly between the real column's smallest and largest value;
        - ``"gaussian"``: with its mean and standard deviation;
        - ``"heavy-tailed"``: t with 2 degrees of freedom around its mean, with the quartiles of
          ``"gaussian"``;
        - ``"skewed"``: log-normal with a long right tail, with its mean and standard deviation;
        - ``"binary"``: its mean plus or minus its standard deviation, evenly;
        - ``"correlated"``: as ``"gaussian"``, but in blocks of 5 columns with correlation 0.8.
    shuffle : bool, default=False
        Whether to permute the columns, names and mask with them, so that noise does not come last.

    Returns
    -------
    Bunch
        ``data`` (n_samples, n_features + n_noise); ``feature_names``, noise being ``noise_1``,
        ``noise_2``, ...; ``relevant``, a mask that is false for noise; ``DESCR``; and ``target``
        and ``target_names`` where `data` has them.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from weft.datasets import add_noise_features
    >>> noisy = add_noise_features(load_iris(), 2, random_state=0)
    >>> noisy.data.shape, noisy.feature_names[-1], noisy.relevant.tolist()
    ((150, 6), 'noise_2', [True, True, True, True, False, False])
    """
    draw = _KINDS[check_choice("kind", kind, _KINDS)]
    check_choice("shuffle", shuffle, (True, False))
    if isinstance(data, Bunch) and "data" not in data:
        raise ValueError("the Bunch has no data; give a Bunch with data, an array or a DataFrame.")
    table = data.data if isinstance(data, Bunch) else data
    X = check_array(table, dtype=np.float64, ensure_all_finite="allow-nan", input_name="data")
    count = _count(n_noise, ratio, X.shape[1])
    names = _names(data, X.shape[1])
    relevant = _mask(data, X.shape[1])
    rng = read_generator(random_state)

    models = rng.choice(_usable(X, relevant), size=count)
    noise = draw(X[:, models], rng)
    order = rng.permutation(X.shape[1] + count) if shuffle else np.arange(X.shape[1] + count)
    all_names = names + _noise_names(count, taken=names)
    result = Bunch(
        data=np.hstack([X, noise])[:, order],
        feature_names=[all_names[column] for column in order],
        relevant=np.concatenate([relevant, np.zeros(count, dtype=bool)])[order],
        DESCR=(str(getattr(data, "DESCR", "")) + f"\n\nWith {count} {kind} noise columns.").strip(),
    )
    if isinstance(data, Bunch):
        if "target" in data:
            result.target = np.array(data.target)
        if "target_names" in data:
            result.target_names = data.target_names
    return result


def _count(n_noise: Any, ratio: Any, n_features: int) -> int:
    if (n_noise is None) == (ratio is None):
        given = "neither" if n_noise is None else "both"
        raise ValueError(f"{given} of n_noise and ratio was given; give exactly one of them.")
    if ratio is None:
        return check_integer("n_noise", n_noise, low=0)
    return math.floor(check_real("ratio", ratio, low=0.0) * n_features + 0.5)


def _names(data: Any, n_features: int) -> list[str]:
    names = data.get("feature_names") if isinstance(data, Bunch) else None
    if names is None:
        names = getattr(data.data if isinstance(data, Bunch) else data, "columns", None)
    if names is None:
        return column_names(n_features)
    if len(names) != n_features:
        raise ValueError(
            f"feature_names has {len(names)} entries for {n_features} columns; give one for each."
        )
    return [str(name) for name in names]


def _mask(data: Any, n_features: int) -> np.ndarray:
    mask = data.get("relevant") if isinstance(data, Bunch) else None
    if mask is None:
        return np.ones(n_features, dtype=bool)
    mask = np.asarray(mask)
    if mask.shape != (n_features,) or mask.dtype != bool:
        raise ValueError(
            f"relevant has shape {mask.shape} and type {mask.dtype}; "
            f"it must be a boolean mask of {n_features} columns."
        )
    return mask


def _usable(X: np.ndarray, relevant: np.ndarray) -> np.ndarray:
    """Return the real columns that vary, or if there are none, those with at least one value."""
    filled = relevant & ~np.isnan(X).all(axis=0)
    if not filled.any():
        raise ValueError(
            "data has no relevant column with a value in it; give at least one to model noise on."
        )
    lowest, highest = np.nanmin(X[:, filled], axis=0), np.nanmax(X[:, filled], axis=0)
    varying = np.flatnonzero(filled)[lowest < highest]
    return varying if len(varying) else np.flatnonzero(filled)


def _noise_names(count: int, *, taken: list[str]) -> list[str]:
    """Return noise_1, noise_2, ..., passing over names that are taken."""
    names: list[str] = []
    used = set(taken)
    number = 1
    while len(names) < count:
        if f"noise_{number}" not in used:
            names.append(f"noise_{number}")
        number += 1
    return names


def _fit_to(models: np.ndarray, standard: np.ndarray) -> np.ndarray:
    """Give columns of mean 0 and scale 1 the mean and standard deviation of `models`."""
    return np.nanmean(models, axis=0) + np.nanstd(models, axis=0) * standard


def _uniform(models: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    low, high = np.nanmin(models, axis=0), np.nanmax(models, axis=0)
    return low + (high - low) * rng.uniform(size=models.shape)


def _gaussian(models: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return _fit_to(models, rng.standard_normal(models.shape))


def _heavy_tailed(models: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return _fit_to(models, T2_SCALE * rng.standard_t(2, size=models.shape))


def _skewed(models: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    # exp(N(0, 1)) has mean √e and variance (e - 1) e.
    raw = rng.lognormal(size=models.shape)
    return _fit_to(models, (raw - math.sqrt(math.e)) / math.sqrt((math.e - 1.0) * math.e))


def _binary(models: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return _fit_to(models, rng.choice((-1.0, 1.0), size=models.shape))


def _correlated(models: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    rows, count = models.shape
    factors = rng.standard_normal((rows, math.ceil(count / BLOCK)))
    shared = np.repeat(factors, BLOCK, axis=1)[:, :count]
    own = rng.standard_normal(models.shape)
    return _fit_to(models, math.sqrt(FACTOR_SHARE) * shared + math.sqrt(1.0 - FACTOR_SHARE) * own)


_KINDS: dict[str, Callable[[np.ndarray, np.random.Generator], np.ndarray]] = {
    "uniform": _uniform,
    "gaussian": _gaussian,
    "heavy-tailed": _heavy_tailed,
    "skewed": _skewed,
    "binary": _binary,
    "correlated": _correlated,
}
