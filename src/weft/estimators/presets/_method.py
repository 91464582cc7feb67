"""An entry of the table of methods: name, call, paper, and how close the call is to the paper."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import is_dataclass
from inspect import signature
from typing import Any, NamedTuple

from weft._base.records import flat, written

PAPERS = {
    "weft": "weft's own: permuted columns, many candidate clusterings, a trained judge",
    "oneill": "O'Neill 2017, \"PSO for simultaneous feature selection and weighting in high "
    'dimensional clustering"',
    "amorim": 'de Amorim 2011, "Learning feature weights for K-Means clustering using the '
    'Minkowski metric"',
    "huang": 'Huang, Ng, Rong, Li 2005, "Automated variable weighting in k-means type clustering"',
    "jing": 'Jing, Ng, Huang 2007, "An entropy weighting k-means algorithm for subspace '
    'clustering of high-dimensional sparse data"',
    "domeniconi": 'Domeniconi et al. 2007, "Locally adaptive metrics for clustering high '
    'dimensional data"',
    "wagstaff": 'Wagstaff et al. 2001, "Constrained k-means clustering with background knowledge"',
    "lu": 'Lu, Wang, Li, Zhou 2009, "Particle swarm optimizer for variable weighting in clustering '
    'high-dimensional data"',
    "lensen": 'Lensen, Xue, Zhang 2017, "Using particle swarm optimisation and the silhouette '
    'metric to estimate the number of clusters, select features, and perform clustering"',
    "abraham": 'Abraham, Das, Konar 2007, "Kernel based automatic clustering using modified '
    'particle swarm optimization algorithm"',
    "omran": 'Omran, Salman, Engelbrecht 2005, "Dynamic clustering using particle swarm '
    'optimization with application in unsupervised image classification"',
    "bandyopadhyay": 'Bandyopadhyay, Maulik 2002, "Genetic clustering for automatic evolution of '
    'clusters and application to image classification"',
    "girolami": 'Girolami 2002, "Mercer kernel-based clustering in feature space"',
    "kim": 'Kim, Lee, Lee, Lee 2005, "A kernel-based subtractive clustering method"',
    "mitra": 'Mitra, Murthy, Pal 2002, "Unsupervised feature selection using feature similarity"',
}


class Method(NamedTuple):
    """A method of a paper, and the call that runs it."""

    name: str  # as typed after --method
    title: str  # as the paper writes it
    estimator: str  # public name in weft, or the full path of another library's
    params: Mapping[str, Any]
    what: str
    paper: str  # key of PAPERS
    in_python_only: bool = False  # needs more than a table
    printed: bool = False  # whether the call follows the paper exactly
    own: bool = False  # whether it is weft's alternative to a published method
    because: Mapping[str, str] = {}  # setting -> the paper's words (in quotes) or our reading
    note: str = ""  # differences from the paper, or points that it leaves open
    arguments: str = ""  # positional arguments of the call
    answer: str = ""  # the attribute of the object with the answer

    @property
    def call(self) -> str:
        """The call in Python."""
        given = [self.arguments] if self.arguments else []
        given += [f"{key}={written(value)}" for key, value in self.params.items()]
        return f"{self.estimator}({', '.join(given)}){self.answer}"

    @property
    def imports(self) -> list[str]:
        """Lines that import the records in the call."""
        records = [type(value) for value in self.params.values() if is_dataclass(value)]
        return [f"from {kind.__module__} import {kind.__name__}" for kind in records]

    @property
    def settings(self) -> dict[str, Any]:
        """The parameters, with the settings in a record under their own names."""
        return flat(self.params)

    @property
    def searches(self) -> bool:
        """Whether it is a search, which can be stopped and resumed."""
        return "resume" in signature(self.load().fit).parameters

    @property
    def source(self) -> str:
        """The paper in one line."""
        return PAPERS[self.paper]

    @property
    def status(self) -> str:
        """How close the call is to the published method, in a few words."""
        return "as published" if self.printed else "weft's" if self.own else "nearly so"

    def load(self) -> Any:
        """Import and return the class or function that the call names."""
        module, _, name = self.estimator.rpartition(".")
        return getattr(importlib.import_module(module or "weft"), name)

    def make(self, **changes: Any) -> Any:
        """Return the estimator with the method's settings; `changes` replace or add some."""
        return self.load()(**{**self.params, **changes})
