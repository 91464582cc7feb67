"""A plain function as criterion, such as scikit-learn's scores."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from weft._base.arrays import Floats, Integers
from weft.backends.spaces import INFEASIBLE, Array, Spaces
from weft.search.criteria.base import Criterion


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
