"""What the mixed bench runs: weft's parts on mixed tables, and the rivals."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pandas as pd

from bench.mixed import rivals
from weft import AutoCluster, WeightedKMeans
from weft.columns.mixed import (
    along_main_directions,
    embed,
    learn_main_view,
    mixed_distances,
    screen,
)
from weft.columns.source import MixedTable

RATE = 0.05


class Answer(NamedTuple):
    """Labels, and the source columns that were kept where a method says so."""

    labels: np.ndarray
    kept: np.ndarray | None = None


class Method(NamedTuple):
    """``run(table, n_clusters, seed) -> Answer``; `ours` for weft's own."""

    run: Callable[[MixedTable, int, int], Answer]
    ours: bool = False


def screened_kmeans(table: MixedTable, n_clusters: int, seed: int) -> Answer:
    """Return k-means along the main directions of the columns that depend on each other.

    Told K, there are clusters: columns that depend on others are used whether or not they are
    clumped, and all of them where fewer than two do.
    """
    found = screen(table, RATE, np.random.default_rng(seed))
    kept = found.kept if found.kept.sum() >= 2 else found.dependent
    if kept.sum() < 2:
        kept = np.ones_like(kept)
    used = table.take_columns(np.flatnonzero(kept))
    rows = along_main_directions(learn_main_view(used), used.values)
    return Answer(_plain_kmeans(rows, n_clusters, seed), kept)


def main_directions_kmeans(table: MixedTable, n_clusters: int, seed: int) -> Answer:
    """Return k-means along the main directions of all columns."""
    rows = along_main_directions(learn_main_view(table), table.values)
    return Answer(_plain_kmeans(rows, n_clusters, seed))


def points_kmeans(table: MixedTable, n_clusters: int, seed: int) -> Answer:
    """Return k-means on the points of all columns."""
    return Answer(_plain_kmeans(embed(table, balance="directions").values, n_clusters, seed))


def mixed_pam(table: MixedTable, n_clusters: int, seed: int) -> Answer:
    """Return PAM, as for Gower's distances, of the mixed distances."""
    return Answer(rivals.medoids_of(table, n_clusters, seed, mixed_distances))


def auto_cluster(table: MixedTable, n_clusters: int | None, seed: int) -> Answer:
    """Return AutoCluster's answer for the table as a data frame, as its users have it."""
    model = AutoCluster(n_clusters, n_resamples=0, random_state=seed).fit(to_frame(table))
    return Answer(np.asarray(model.labels_), model.source_weights_ > 0.0)


def to_frame(table: MixedTable) -> pd.DataFrame:
    """Return a table as a data frame: categories as text, dates as dates, the rest as numbers."""
    frame = {}
    for column in table.used:
        values = table.values[:, column.positions[0]]
        if column.levels is not None and column.kind != "ordered":
            # Codes of categories are not numbers: their names tell methods so.
            names = np.array([*(f"level {name}" for name in column.levels), None], dtype=object)
            frame[column.name] = names[np.where(np.isnan(values), -1, values).astype(int)]
        elif column.kind == "date":
            days = pd.to_timedelta(np.round(values), unit="D")
            frame[column.name] = pd.Timestamp("2020-01-01") + days
        else:
            frame[column.name] = values
    return pd.DataFrame(frame)


def _plain_kmeans(rows: np.ndarray, n_clusters: int, seed: int) -> np.ndarray:
    model = WeightedKMeans(n_clusters, weights=None, init="k-means++", random_state=seed)
    return np.asarray(model.fit(np.ascontiguousarray(rows)).labels_)


def _rival(run: Callable[[MixedTable, int, int], np.ndarray]) -> Method:
    return Method(lambda table, n_clusters, seed: Answer(run(table, n_clusters, seed)))


OURS = {
    "AutoCluster, told K": Method(auto_cluster, ours=True),
    "AutoCluster": Method(lambda table, _, seed: auto_cluster(table, None, seed), ours=True),
    "weft: screening, main directions": Method(screened_kmeans, ours=True),
    "weft: main directions": Method(main_directions_kmeans, ours=True),
    "weft: points": Method(points_kmeans, ours=True),
    "weft: distances + PAM": Method(mixed_pam, ours=True),
}


def available() -> dict[str, Method]:
    """Return weft's methods and the rivals whose package is installed."""
    return {**OURS, **{name: _rival(each.run) for name, each in rivals.available().items()}}
