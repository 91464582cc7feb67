"""The interface of criteria, and plain functions as criteria."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from weft._base.arrays import Floats, Integers, Mask
from weft._base.validation import check_choice
from weft.backends.spaces import INFEASIBLE, Array, Spaces

FEATURES = ("weighted", "full")
_OUTLIERS = ("cluster", "exclude")


class Criterion:
    """Scores the partitions of some particles; higher is better.

    Subclass it and write `score`; the rest has defaults. It runs on every backend as long as it
    uses the operations of the spaces alone, or `Spaces.to_host` for what needs NumPy.
    """

    labels_only: ClassVar[bool] = False  # the score depends on labels only: none is scored twice
    n_matrices: ClassVar[int] = 0  # number of n × n arrays that it needs
    number_bytes: ClassVar[int] = 0  # per particle and number of the table, on a GPU
    on_gpu: ClassVar[bool] = True  # whether it works on the arrays of a GPU
    needs_screening: ClassVar[bool] = False  # whether `prepare` needs the columns that matter

    @property
    def recordable(self) -> bool:
        """Whether its steps on a GPU never wait for a result on the host."""
        return False

    def prepare(self, full: Spaces, screened: Mask | None = None) -> Self:
        """Return the criterion after computing everything that depends only on the data.

        `full` is the space of one particle with all features at weight 1; `screened` (d,) are the
        columns that matter, for criteria with `needs_screening`.
        """
        return self

    def score(self, spaces: Spaces, labels: Array) -> Array:
        """Return the fitness (P,) of `labels` (P, n), which were found in `spaces`.

        On a GPU some partitions may have fewer than two clusters; their fitness is not
        used, but must not raise an error.
        """
        raise NotImplementedError


@dataclass(frozen=True)
class OutlierCriterion(Criterion):
    """Base of criteria with a setting for rows without a cluster.

    Rows that DBSCAN leaves out form one more cluster (O'Neill 2017, section 5.8.2), or are
    left out of the measure as in appendix E.
    """

    outliers: str = "cluster"

    def __post_init__(self) -> None:
        check_choice("outliers", self.outliers, _OUTLIERS)

    def dense(self, spaces: Spaces, labels: Array) -> Array:
        """Return the labels for the measure."""
        return labels if self.outliers == "exclude" else spaces.outliers_as_cluster(labels)


def pick(features: str, spaces: Spaces) -> Spaces:
    """Return the particles' own spaces (``"weighted"``) or those of all features (``"full"``)."""
    return spaces if features == "weighted" else spaces.full()


@dataclass(frozen=True)
class FunctionCriterion(Criterion):
    """A function of (weighted, selected columns; labels), called on the host."""

    function: Callable[[Floats, Integers], float]

    def score(self, spaces: Spaces, labels: Array) -> Floats:
        partitions = spaces.to_host(labels)
        fitness = np.full(len(partitions), INFEASIBLE)
        for particle, each in enumerate(partitions):
            if each.max() >= 1:  # scikit-learn's scores refuse a single cluster
                fitness[particle] = self.function(spaces.selected_columns(particle), each)
        return fitness
