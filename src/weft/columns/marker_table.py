"""The markers of all clusters as one table, redundant ones put together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from weft._base.arrays import Floats, Integers
from weft._base.validation import import_optional
from weft.backends.cpu.ranks import unit_ranks
from weft.columns.marker_tests import Comparison

REDUNDANT = 0.7  # absolute rank correlation from which a column repeats another
MOST_GROUPED = 2_000  # strongest columns that are put into modules
MOST_ROWS = 2_000  # of a correlation
FIELDS = (
    "cluster",
    "feature",
    "direction",
    "effect",
    "mean",
    "rest_mean",
    "false_discovery_rate",
    "module",
)


@dataclass(frozen=True, eq=False)
class Markers:
    """Columns that separate clusters; one entry per cluster and column, strongest first.

    Attributes
    ----------
    clusters : ndarray of shape (n_markers,)
        The cluster of each entry.
    columns : ndarray of shape (n_markers,)
        Position of the column.
    names : tuple of str
        Its name.
    effects : ndarray of shape (n_markers,)
        Mean of the cluster minus that of the other rows, divided by the standard deviation within
        clusters.
    means, rest_means : ndarray of shape (n_markers,)
        Mean of the cluster, and of the other rows.
    rates : ndarray of shape (n_markers,)
        False discovery rate if this marker and all stronger ones of the cluster are accepted.
    modules : ndarray of shape (n_markers,)
        Markers with the same number repeat each other (rank correlation of at least 0.7 with the
        strongest of them); -1 beyond the 2,000 strongest.
    false_discovery_rate : float
        The rate that the user chose.
    honest : bool
        Whether columns were tested on values that were not used to find the clusters.
    agreement : float
        Adjusted Rand index between the given clusters and those that were tested; 1 if they are
        the same.
    untested : tuple of int
        Clusters that could not be tested: they have fewer than two rows, or, with the honest
        option, were not reproduced.
    """

    clusters: Integers
    columns: Integers
    names: tuple[str, ...]
    effects: Floats
    means: Floats
    rest_means: Floats
    rates: Floats
    modules: Integers
    false_discovery_rate: float
    honest: bool
    agreement: float
    untested: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.columns)

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield each entry as a dict; `FIELDS` are its keys."""
        for place, name in enumerate(self.names):
            effect = float(self.effects[place])
            values = (
                int(self.clusters[place]),
                name,
                "higher" if effect > 0.0 else "lower",
                effect,
                float(self.means[place]),
                float(self.rest_means[place]),
                float(self.rates[place]),
                int(self.modules[place]),
            )
            yield dict(zip(FIELDS, values, strict=True))

    def to_frame(self) -> Any:
        """Return the table as a DataFrame of pandas.

        Returns
        -------
        DataFrame
            One row per marker.
        """
        pandas = import_optional("pandas", "app")
        return pandas.DataFrame(list(self.rows()), columns=list(FIELDS))

    def top(self, cluster: int, n_markers: int = 10, *, direction: str | None = None) -> list[str]:
        """Return names of the strongest markers of a cluster, one of each module.

        Parameters
        ----------
        cluster : int
            The cluster.
        n_markers : int, default=10
            Maximum number of names.
        direction : {"higher", "lower"}, default=None
            Only columns that are higher, or lower, than in the other rows.

        Returns
        -------
        list of str
            Names, the strongest first.
        """
        sign = {None: 0.0, "higher": 1.0, "lower": -1.0}[direction]
        chosen: list[str] = []
        seen: set[int] = set()
        for place in np.flatnonzero(self.clusters == cluster):
            module = int(self.modules[place])
            if (module >= 0 and module in seen) or sign * self.effects[place] < 0.0:
                continue
            seen.add(module)
            chosen.append(self.names[place])
        return chosen[:n_markers]

    def __str__(self) -> str:
        how = "thinned data" if self.honest else "the data that gave the clusters"
        lines = [f"{len(self)} markers at a false discovery rate of {self.false_discovery_rate:g}"]
        lines[0] += f", tested on {how}"
        for cluster in np.unique(self.clusters):
            names = ", ".join(self.top(int(cluster), 8))
            lines.append(f"cluster {cluster}: {names}")
        return "\n".join(lines)


def tabulate(
    compared: Comparison,
    X: Any,
    names: list[str],
    *,
    rate: float,
    min_effect: float,
    clusters: Integers,
    honest: bool,
    agreement: float,
) -> Markers:
    """Return the markers of these clusters: significant, and with a large enough effect."""
    testable = set(compared.labels[(compared.sizes >= 2)].tolist())
    tested = np.isin(compared.labels, clusters)
    effects = np.nan_to_num(compared.effects, nan=0.0, posinf=1e300, neginf=-1e300)
    marked = (compared.q <= rate) & (np.abs(effects) >= min_effect) & tested[:, np.newaxis]
    place, column = np.nonzero(marked)
    order = np.lexsort((column, -np.abs(effects[place, column]), compared.labels[place]))
    place, column = place[order], column[order]
    return Markers(
        clusters=compared.labels[place],
        columns=column.astype(np.int64),
        names=tuple(names[j] for j in column),
        effects=effects[place, column],
        means=compared.means[place, column],
        rest_means=compared.rest_means[place, column],
        rates=compared.q[place, column],
        modules=_modules_of(X, column, np.abs(effects).max(axis=0, initial=0.0)),
        false_discovery_rate=rate,
        honest=honest,
        agreement=agreement,
        untested=tuple(int(c) for c in clusters if int(c) not in testable),
    )


def _modules_of(X: Any, columns: Integers, strength: Floats) -> Integers:
    """Return the module of each entry of `columns`, which may repeat."""
    distinct = np.unique(columns)
    distinct = distinct[np.argsort(-strength[distinct], kind="stable")][:MOST_GROUPED]
    step = max(1, X.shape[0] // MOST_ROWS)
    part = X[np.arange(0, X.shape[0], step)][:, distinct]
    groups = modules(part.toarray() if sparse.issparse(part) else part)
    numbers = np.full(X.shape[1], -1, dtype=np.int64)
    numbers[distinct] = groups
    return numbers[columns]


def modules(rows: Floats) -> Integers:
    """Return a module per column: columns that repeat an earlier one join its module.

    Columns are given strongest first. The first column starts a module, which all columns join
    whose absolute rank correlation with it is at least 0.7. The first remaining column starts the
    next module.
    """
    ranks = unit_ranks(rows)
    group = np.full(rows.shape[1], -1, dtype=np.int64)
    number = 0
    while (group < 0).any():
        left = np.flatnonzero(group < 0)
        alike = np.abs(ranks[:, left[0]] @ ranks[:, left]) >= REDUNDANT
        alike[0] = True  # a constant column is like none, not even itself
        group[left[alike]] = number
        number += 1
    return group
