"""Methods of other libraries for tables of numbers and categories, each told K.

Every rival gets the same table with the same kinds. Those that cannot take gaps get numbers filled
with the median and categories with the most frequent level, as their users do. Ordered and cyclic
columns are numbers to them. Settings are those of the libraries' documentation.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pandas as pd
from sklearn.cluster import KMeans

from weft.columns.source import MixedTable

FAMD_DIRECTIONS = 5
N_INIT = 10


class Rival(NamedTuple):
    """How a method is run, ``run(table, n_clusters, seed) -> labels``, and what it needs."""

    run: Callable[[MixedTable, int, int], np.ndarray]
    package: str = "sklearn"


class Plain(NamedTuple):
    """A table without gaps: numbers in units of their deviation, and codes of categories."""

    numbers: np.ndarray
    codes: np.ndarray


def plain(table: MixedTable) -> Plain:
    """Return a table as rivals take it."""
    numbers, codes = [], []
    for column in table.used:
        for position, measure in zip(column.positions, column.measures, strict=True):
            values = table.values[:, position]
            gaps = np.isnan(values)
            if measure == "category":
                whole = values[~gaps].astype(np.int64)
                fill = np.bincount(whole).argmax() if len(whole) else 0
                codes.append(np.where(gaps, fill, values).astype(np.int64))
            else:
                filled = np.where(gaps, np.nanmedian(values), values)
                deviation = filled.std()
                numbers.append((filled - filled.mean()) / (deviation if deviation > 0 else 1.0))
    n = len(table.values)
    return Plain(
        np.column_stack(numbers) if numbers else np.empty((n, 0)),
        np.column_stack(codes) if codes else np.empty((n, 0), dtype=np.int64),
    )


def one_hot(codes: np.ndarray) -> np.ndarray:
    """Return a 0/1 column for each level."""
    parts = [codes[:, [j]] == np.unique(codes[:, j]) for j in range(codes.shape[1])]
    return np.column_stack(parts).astype(float) if parts else np.empty((len(codes), 0))


def one_hot_kmeans(table: MixedTable, n_clusters: int, seed: int) -> np.ndarray:
    """Return k-means on standardised numbers beside 0/1 columns."""
    data = plain(table)
    rows = np.column_stack([data.numbers, one_hot(data.codes)])
    return KMeans(n_clusters, n_init=N_INIT, random_state=seed).fit_predict(rows)


def kprototypes(
    table: MixedTable, n_clusters: int, seed: int, *, n_init: int = N_INIT
) -> np.ndarray:
    """Return k-prototypes; k-modes where there are no numbers, k-means without categories."""
    from kmodes.kmodes import KModes
    from kmodes.kprototypes import KPrototypes

    data = plain(table)
    if data.codes.shape[1] == 0:
        return KMeans(n_clusters, n_init=n_init, random_state=seed).fit_predict(data.numbers)
    if data.numbers.shape[1] == 0:
        return KModes(n_clusters, n_init=n_init, random_state=seed).fit_predict(data.codes)
    rows = np.empty((len(data.codes), data.numbers.shape[1] + data.codes.shape[1]), dtype=object)
    rows[:, : data.numbers.shape[1]] = data.numbers
    rows[:, data.numbers.shape[1] :] = data.codes.astype(str)
    places = list(range(data.numbers.shape[1], rows.shape[1]))
    model = KPrototypes(n_clusters, n_init=n_init, random_state=seed)
    return model.fit_predict(rows, categorical=places)


def stepmix(table: MixedTable, n_clusters: int, seed: int) -> np.ndarray:
    """Return a latent class model: Gaussian numbers and categorical levels, gaps as they are."""
    from stepmix.stepmix import StepMix

    names: dict[str, list[str]] = {"categorical_nan": [], "gaussian_diag_nan": []}
    parts = {}
    for column in table.used:
        for position, measure in zip(column.positions, column.measures, strict=True):
            kind = "categorical_nan" if measure == "category" else "gaussian_diag_nan"
            values = table.values[:, position]
            if measure == "category":  # the package wants every code to occur
                codes = np.full(len(values), np.nan)
                has = ~np.isnan(values)
                codes[has] = np.unique(values[has], return_inverse=True)[1]
                values = codes
            else:
                deviation = np.nanstd(values)
                values = (values - np.nanmean(values)) / (deviation if deviation > 0 else 1.0)
            name = f"x{position}"
            names[kind].append(name)
            parts[name] = values
    measurement = {
        kind: {"model": kind, "n_columns": len(columns)}
        for kind, columns in names.items()
        if columns
    }
    order = [name for kind in measurement for name in names[kind]]
    model = StepMix(
        n_components=n_clusters,
        measurement=measurement,
        n_init=N_INIT,
        max_iter=300,
        random_state=seed,
        verbose=0,
        progress_bar=0,
    )
    rows = pd.DataFrame({name: parts[name] for name in order})
    return np.asarray(model.fit(rows).predict(rows))


def gower_distances(table: MixedTable) -> np.ndarray:
    """Return Gower's coefficient: differences over ranges, mismatches, over what both have."""
    n = len(table.values)
    total, count = np.zeros((n, n)), np.zeros((n, n))
    for column in table.used:
        for position, measure in zip(column.positions, column.measures, strict=True):
            values = table.values[:, position]
            a, b = values[:, None], values[None, :]
            both = ~(np.isnan(a) | np.isnan(b))
            if measure == "category":
                apart = (a != b).astype(float)
            else:
                span = np.nanmax(values) - np.nanmin(values)
                apart = np.abs(a - b) / (span if span > 0 else 1.0)
            total += np.where(both, apart, 0.0)
            count += both
    return total / np.maximum(count, 1.0)


def gower_pam(table: MixedTable, n_clusters: int, seed: int) -> np.ndarray:
    """Return partitioning around medoids of Gower distances: BUILD, then the best swaps."""
    return medoids_of(table, n_clusters, seed, gower_distances)


def medoids_of(
    table: MixedTable,
    n_clusters: int,
    seed: int,
    distances_of: Callable[[MixedTable], np.ndarray],
) -> np.ndarray:
    """Return the nearest of the medoids that PAM finds among the rows."""
    distances = distances_of(table)
    return distances[:, pam(distances, n_clusters)].argmin(axis=1)


def pam(distances: np.ndarray, n_clusters: int) -> np.ndarray:
    """Return medoids by BUILD and SWAP (Kaufman and Rousseeuw, 1990)."""
    medoids = [int(distances.sum(axis=0).argmin())]
    nearest = distances[:, medoids[0]].copy()
    while len(medoids) < n_clusters:
        gain = np.maximum(nearest[:, None] - distances, 0.0).sum(axis=0)
        gain[medoids] = -1.0
        medoids.append(int(gain.argmax()))
        np.minimum(nearest, distances[:, medoids[-1]], out=nearest)
    cost = nearest.sum()
    for _ in range(50):
        best = (cost - 1e-9, -1, -1)
        for place in range(n_clusters):
            rest = [medoid for number, medoid in enumerate(medoids) if number != place]
            kept = distances[:, rest].min(axis=1) if rest else np.full(len(distances), np.inf)
            costs = np.minimum(kept[:, None], distances).sum(axis=0)
            candidate = int(costs.argmin())
            if costs[candidate] < best[0]:
                best = (float(costs[candidate]), place, candidate)
        if best[1] < 0:
            break
        cost = best[0]
        medoids[best[1]] = best[2]
    return np.array(medoids)


def famd_kmeans(table: MixedTable, n_clusters: int, seed: int) -> np.ndarray:
    """Return k-means on the first directions of a factor analysis of mixed data."""
    import prince

    data = plain(table)
    frame = pd.DataFrame(data.numbers, columns=[f"x{j}" for j in range(data.numbers.shape[1])])
    for j, codes in enumerate(data.codes.T):
        frame[f"c{j}"] = [f"level {code}" for code in codes]
    if data.codes.shape[1] == 0:
        model = prince.PCA(n_components=FAMD_DIRECTIONS, random_state=seed)
    elif data.numbers.shape[1] == 0:
        model = prince.MCA(n_components=FAMD_DIRECTIONS, random_state=seed)
    else:
        model = prince.FAMD(n_components=FAMD_DIRECTIONS, random_state=seed)
    rows = np.asarray(model.fit(frame).row_coordinates(frame), dtype=float)
    return KMeans(n_clusters, n_init=N_INIT, random_state=seed).fit_predict(rows)


RIVALS = {
    "one-hot k-means": Rival(one_hot_kmeans),
    "FAMD + k-means": Rival(famd_kmeans, "prince"),
    "Gower + PAM": Rival(gower_pam),
    "KPrototypes": Rival(kprototypes, "kmodes"),
    "StepMix": Rival(stepmix, "stepmix"),
}


def available() -> dict[str, Rival]:
    """Return the rivals whose package is installed."""
    return {
        name: rival
        for name, rival in RIVALS.items()
        if importlib.util.find_spec(rival.package) is not None
    }
