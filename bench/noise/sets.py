"""The sets of the noise bench: tables with their classes, and added columns of noise."""

from __future__ import annotations

import os
import zlib
from functools import cache, partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
from sklearn.preprocessing import StandardScaler
from sklearn.utils import Bunch

from weft.datasets import (
    add_noise_features,
    make_ellipsoids,
    make_gaussians,
    make_noisy_gaussians,
    make_subspace_clusters,
)

KINDS = ("uniform", "gaussian", "heavy-tailed", "skewed", "binary", "correlated")
LEVELS = (0, 50, 100, 200, 300, 400)
CURVE_SET = "ellipsoids 50d10c"
SIZES = (14, 124)  # rows per cluster, of ellipsoids and Gaussians alike
MADE = {
    **{
        f"ellipsoids {d}d{k}c": partial(make_ellipsoids, k, d, cluster_size=SIZES)
        for d, k in ((10, 10), (20, 40), (50, 4), (50, 10), (100, 4), (100, 20))
    },
    **{
        f"Gaussians {d}d{k}c": partial(make_gaussians, k, d, cluster_size=SIZES)
        for d, k in ((10, 4), (10, 20), (50, 10), (100, 40))
    },
    "subspaces, easy": make_subspace_clusters,
    "subspaces, hard": partial(make_subspace_clusters, mean_range=(0.0, 10.0)),
}
FILES = {
    "iris": "iris",
    "wine": "wine",
    "WDBC": "breast_cancer_wdbc",
    "Wisconsin": "breast_cancer_wisconsin_683",
    "dermatology": "dermatology_358",
    "segment": "segment",
    "libras": "movement_libras",
    "handl 2d4c": "handl_2d-4c-no8",
    "handl 2d10c": "handl_2d-10c-no2",
    "handl 2d20c": "handl_2d-20c-no0",
    "handl 10d4c": "handl_10d-4c-no1",
    "handl 10d10c": "handl_10d-10c-no0",
    "handl 10d20c": "handl_10d-20c_full-precision",
    "handl 10d40c": "handl_10d-40c_full-precision",
    "handl 50d4c": "handl_ellipsoid.50d4c.9",
    "handl 50d10c": "handl_ellipsoid.50d10c.9",
    "handl 100d4c": "handl_ellipsoid.100d4c.9",
}
SETS = (*MADE, *FILES)
# Every column of these is known to matter (of the subspaces' those that a cluster needs).
SYNTHETIC = (*MADE, *(name for name in FILES if name.startswith("handl")))
# In the table over all sets each set has one kind of noise, so that all kinds occur.
KIND_OF = {name: KINDS[number % len(KINDS)] for number, name in enumerate(SETS)}
PURE = ("uniform", "gaussian", "blob")


class Noisy(NamedTuple):
    """Standardised columns, the classes, and which columns are real."""

    X: np.ndarray
    y: np.ndarray
    real: np.ndarray


def seed_of(*identity: object) -> int:
    """Return a seed that depends only on the identity of a run."""
    return zlib.crc32(repr(("noise", *identity)).encode()) % 2**31


@cache
def clean(name: str, seed: int) -> Bunch:
    """Return a set without noise; `seed` selects the draw of a generated set."""
    if name in MADE:
        return MADE[name](random_state=seed_of("set", name, seed))
    path = Path(os.environ["WEFT_DATA"]) / f"{FILES[name]}.csv"
    table = np.genfromtxt(path, delimiter=",", skip_header=1, dtype=str)
    X = table[:, :-1].astype(np.float64)
    classes = np.unique(table[:, -1], return_inverse=True)[1]
    return Bunch(data=X[:, np.ptp(X, axis=0) > 0], target=classes)


def noisy(name: str, level: int, kind: str, seed: int) -> Noisy:
    """Return a set with `level` % columns of noise, with shuffled rows and columns."""
    state = seed_of("columns", name, level, kind, seed)
    data = add_noise_features(
        clean(name, seed), ratio=level / 100, kind=kind, shuffle=True, random_state=state
    )
    order = np.random.default_rng(state).permutation(len(data.data))
    X = StandardScaler().fit_transform(data.data[order])
    return Noisy(np.ascontiguousarray(X), data.target[order], data.relevant)


def pure(kind: str, seed: int) -> np.ndarray:
    """Return standardised rows without clusters: 100 to 1000 of them, 5 to 60 columns.

    "uniform" and "gaussian": independent columns. "blob": one Gaussian,
    turned at random, ten times as long in one direction as in the others.
    """
    rng = np.random.default_rng(seed_of("pure", kind, seed))
    n, d = int(rng.integers(100, 1001)), int(rng.integers(5, 61))
    X = rng.uniform(size=(n, d)) if kind == "uniform" else rng.standard_normal((n, d))
    if kind == "blob":
        X[:, 0] *= 10.0
        X = X @ np.linalg.qr(rng.standard_normal((d, d)))[0]
    return StandardScaler().fit_transform(X)


def large(n_rows: int, n_columns: int) -> Noisy:
    """Return 10 spherical Gaussians on a quarter of the columns, uniform noise on the others."""
    n_real = n_columns // 4
    data = make_noisy_gaussians(
        n_samples=n_rows,
        n_features=n_real,
        n_clusters=10,
        n_noise=n_columns - n_real,
        variance=0.1,
        random_state=seed_of("large", n_rows, n_columns),
    )
    return Noisy(StandardScaler().fit_transform(data.data), data.target, data.relevant)
