"""What the search maximises: a measure, the distances it is taken on, and its sign.

The paper takes CSC's silhouette on the weighted features and its connectedness on the full ones
(table 4.3), and BCR on the full, unweighted data. Rows that DBSCAN leaves out are a cluster of
their own (section 5.8.2), or are left out of the measure as in appendix E.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from sklearn.neighbors import NearestNeighbors

from weft._base.arrays import Floats, Integers
from weft._base.validation import check_choice, check_integer, check_params, check_real
from weft.backends.cpu.spaces import Buffers, Solution, Space, Table
from weft.metrics.graph import modularity_of
from weft.metrics.on_spaces import (
    Neighbours,
    bcr_of,
    bic_of,
    combine_csc,
    connectedness_of,
    nearest_neighbours,
    silhouette_of,
    sparsity_and_separation_of,
)

_FEATURES = ("weighted", "full")
_OUTLIERS = ("cluster", "exclude")


@dataclass(frozen=True)
class Context:
    """The full, unweighted data, and what was computed from it once."""

    table: Table
    neighbours: Neighbours | None = None

    def full_space(self, buffers: Buffers) -> Space:
        """Return the space with all features at weight 1."""
        return Space.of(self.table, Solution(np.ones(self.table.X.shape[1])), buffers)


class Criterion(Protocol):
    """Scores a labelling; higher is better."""

    @property
    def labels_only(self) -> bool:
        """Whether the score depends on the labels alone: then no partition is scored twice."""

    def n_neighbors_wanted(self) -> int:
        """How many full-space neighbours of each row the score needs."""

    def score(self, space: Space, labels: Integers, context: Context) -> float:
        """Return the fitness of `labels`, which were found in `space`."""


@dataclass(frozen=True)
class _WithOutliers:
    """Criteria that have to decide what a row without a cluster counts."""

    outliers: str = "cluster"

    labels_only = False

    def __post_init__(self) -> None:
        check_choice("outliers", self.outliers, _OUTLIERS)

    def n_neighbors_wanted(self) -> int:
        return 0

    def _dense(self, labels: Integers) -> Integers:
        # Clusterers number from 0 without gaps, so the outliers are simply the next cluster.
        if self.outliers == "exclude" or labels.min() >= 0:
            return labels
        return np.where(labels < 0, labels.max() + 1, labels)


def _pick(which: str, space: Space, context: Context) -> Space:
    # The matrix buffer belongs to the particle's own space; the full one is made in blocks.
    if which == "weighted":
        return space
    return context.full_space(Buffers(hold_matrix=False, dtype=space.buffers.dtype))


def _neighbours(which: str, n_neighbors: int, space: Space, context: Context) -> Neighbours:
    if which == "full" and context.neighbours is not None:
        return context.neighbours
    return nearest_neighbours(space, n_neighbors)


@dataclass(frozen=True)
class Silhouette(_WithOutliers):
    """Mean silhouette."""

    features: str = "weighted"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("features", self.features, _FEATURES)

    def score(self, space: Space, labels: Integers, context: Context) -> float:
        return silhouette_of(_pick(self.features, space, context), self._dense(labels))


@dataclass(frozen=True)
class Connectedness(_WithOutliers):
    """Mean connectedness."""

    features: str = "full"
    n_neighbors: int = 5
    cap: float = 10.0

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("features", self.features, _FEATURES)
        check_integer("n_neighbors", self.n_neighbors, low=1)
        check_real("cap", self.cap, low=0.0, open_low=True)

    def n_neighbors_wanted(self) -> int:
        return self.n_neighbors if self.features == "full" else 0

    def score(self, space: Space, labels: Integers, context: Context) -> float:
        neighbours = _neighbours(self.features, self.n_neighbors, space, context)
        return connectedness_of(neighbours, self._dense(labels), self.cap)


@dataclass(frozen=True)
class CSC(_WithOutliers):
    """Combined silhouette and connectedness (section 4.4), table 4.3's best variant by default."""

    silhouette: str = "weighted"
    connectedness: str = "full"
    n_neighbors: int = 5
    cap: float = 10.0

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("silhouette", self.silhouette, _FEATURES)
        check_choice("connectedness", self.connectedness, _FEATURES)
        check_integer("n_neighbors", self.n_neighbors, low=1)
        check_real("cap", self.cap, low=0.0, open_low=True)

    def n_neighbors_wanted(self) -> int:
        return self.n_neighbors if self.connectedness == "full" else 0

    def score(self, space: Space, labels: Integers, context: Context) -> float:
        dense = self._dense(labels)
        silhouette = silhouette_of(_pick(self.silhouette, space, context), dense)
        neighbours = _neighbours(self.connectedness, self.n_neighbors, space, context)
        return combine_csc(silhouette, connectedness_of(neighbours, dense, self.cap))


@dataclass(frozen=True)
class Sparsity(_WithOutliers):
    """Minus the sparsity, which is better when lower."""

    features: str = "weighted"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("features", self.features, _FEATURES)

    def score(self, space: Space, labels: Integers, context: Context) -> float:
        chosen = _pick(self.features, space, context)
        return -sparsity_and_separation_of(chosen, self._dense(labels))[0]


@dataclass(frozen=True)
class Separation(_WithOutliers):
    """Mean separation."""

    features: str = "weighted"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("features", self.features, _FEATURES)

    def score(self, space: Space, labels: Integers, context: Context) -> float:
        chosen = _pick(self.features, space, context)
        return sparsity_and_separation_of(chosen, self._dense(labels))[1]


@dataclass(frozen=True)
class BCR(_WithOutliers):
    """Bayes clustering ratio on the full, unweighted data (section 4.5)."""

    artificial_noise: float = 0.1

    labels_only = True

    def __post_init__(self) -> None:
        super().__post_init__()
        check_real("artificial_noise", self.artificial_noise, low=0.0)

    def score(self, space: Space, labels: Integers, context: Context) -> float:
        return bcr_of(context.table.X, self._dense(labels), self.artificial_noise)


@dataclass(frozen=True)
class BIC(_WithOutliers):
    """Bayesian information criterion on the full, unweighted data (section 2.2.1.2)."""

    artificial_noise: float = 0.1

    labels_only = True

    def __post_init__(self) -> None:
        super().__post_init__()
        check_real("artificial_noise", self.artificial_noise, low=0.0)

    def score(self, space: Space, labels: Integers, context: Context) -> float:
        return bic_of(context.table.X, self._dense(labels), self.artificial_noise)


@dataclass(frozen=True)
class Robust(_WithOutliers):
    """Modularity on one graph of neighbours for all particles, that of the screened columns.

    A measure taken in the particle's own metric can be raised by a metric that shows two halves.
    Here the metric has no say: the labels are judged on a graph that stays the same, and two
    halves reach 1/2 at most where K clusters can reach 1 - 1/K.
    """

    n_neighbors: int = 10
    neighbours: Integers | None = field(default=None, init=False)  # (n, n_neighbors), see `on`

    labels_only = True

    def __post_init__(self) -> None:
        super().__post_init__()
        check_integer("n_neighbors", self.n_neighbors, low=1)

    def on(self, rows: Floats) -> Robust:
        """Return the criterion on the graph of these rows."""
        nearest = NearestNeighbors(n_neighbors=min(self.n_neighbors, len(rows) - 1), n_jobs=1)
        ready = Robust(self.outliers, self.n_neighbors)
        neighbours = nearest.fit(rows).kneighbors(return_distance=False)
        object.__setattr__(ready, "neighbours", neighbours)  # frozen for everybody else
        return ready

    def score(self, space: Space, labels: Integers, context: Context) -> float:
        if self.neighbours is None:  # nobody has screened: the graph of all columns
            return self.on(context.table.X).score(space, labels, context)
        dense = self._dense(labels)
        inside = dense >= 0  # with outliers="exclude" they are in no cluster
        if inside.all():
            return modularity_of(dense, self.neighbours)
        alone = np.where(inside, dense, dense.max() + 1 + np.cumsum(~inside))
        return modularity_of(alone, self.neighbours)


@dataclass(frozen=True)
class CallableCriterion:
    """A function of (weighted, selected columns; labels), such as scikit-learn's scores."""

    function: Callable[[Floats, Integers], float]

    labels_only = False

    def n_neighbors_wanted(self) -> int:
        return 0

    def score(self, space: Space, labels: Integers, context: Context) -> float:
        return float(self.function(np.ascontiguousarray(space.columns.T), labels))


CRITERIA: dict[str, Any] = {
    "csc": CSC,
    "bcr": BCR,
    "silhouette": Silhouette,
    "connectedness": Connectedness,
    "sparsity": Sparsity,
    "separation": Separation,
    "bic": BIC,
    "robust": Robust,
}


def make_criterion(criterion: Any, params: dict[str, Any] | None) -> Criterion:
    """Return the criterion of that name, or one around a function."""
    if callable(criterion):
        if params:
            raise ValueError(
                f"criterion_params={params!r} goes with a criterion's name; bind the parameters "
                "of a function with functools.partial."
            )
        return CallableCriterion(criterion)
    check_choice("criterion", criterion, CRITERIA)
    return check_params(f"criterion {criterion!r}", params, CRITERIA[criterion])
