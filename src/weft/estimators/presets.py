"""Every method by the name its paper gives it: the call that runs it, and where it comes from.

The command line's ``--method`` and the page "papers → calls" are made from this table.
"""

from __future__ import annotations

from inspect import signature
from typing import Any, NamedTuple

__all__ = ["METHODS", "PAPERS", "Method", "find_method"]

PAPERS = {
    "weft": "weft's own: shadow columns, a family of clusterings, stability under resampling",
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
    estimator: str  # public name in weft
    params: dict[str, Any]
    what: str
    paper: str  # key of PAPERS
    in_python_only: bool = False  # needs more than a table

    @property
    def call(self) -> str:
        """The call in Python."""
        given = ", ".join(f"{key}={value!r}" for key, value in self.params.items())
        return f"{self.estimator}({given})"

    @property
    def searches(self) -> bool:
        """Whether it is a search, which can be stopped and taken up again."""
        import weft

        return "resume" in signature(getattr(weft, self.estimator).fit).parameters

    @property
    def source(self) -> str:
        """The paper in one line."""
        return PAPERS[self.paper]


_RANDOM = {"init": "random"}
_DRAWN = {"init": "random", "init_weights": "random"}
_PLAIN = {
    "init": "random",
    "weight_init": "uniform",
    "polish": False,
    "dispersion_floor": 0,
    "standardize": False,
}

METHODS = (
    Method(
        *("auto", "AutoCluster", "AutoCluster", {}),
        *("nothing to set: columns that matter, clusters and their number; the default", "weft"),
    ),
    Method(
        *("pso-fsw", "PSO-FSW", "FeatureSwarm", {}),
        *("any distance-based clusterer, with feature weights learned by swarm", "oneill"),
    ),
    Method(
        *("pso-fswe", "PSO-FSWE", "FeatureSwarm", {"exponents": True}),
        *("PSO-FSW with an exponent per feature as well", "oneill"),
    ),
    Method(
        *("bpso", "binary PSO", "FeatureSwarm", {"encoding": "binary"}),
        *("PSO-FSW with plain selection of features", "oneill"),
    ),
    Method(
        *("k-means", "K-Means", "WeightedKMeans", {"weights": None, **_RANDOM}),
        *("no weights, random starts", "amorim"),
    ),
    Method(
        *("wk-means", "WK-Means", "WeightedKMeans", {"distance_exponent": 2, **_DRAWN}),
        *("weights per cluster, squared distances", "amorim"),
    ),
    Method(
        *("mwk-means", "MWK-Means", "WeightedKMeans", {"distance_exponent": 1.5, **_DRAWN}),
        *("weights per cluster under a Minkowski metric; try its exponent", "amorim"),
    ),
    Method(
        *("ik-means", "iK-Means", "WeightedKMeans", {"weights": None}),
        *("no weights; starts from anomalous patterns, which also count the clusters", "amorim"),
    ),
    Method(
        *("iwk-means", "iWK-Means", "WeightedKMeans", {"distance_exponent": 2}),
        *("WK-Means from anomalous patterns", "amorim"),
    ),
    Method(
        *("imwk-means", "iMWK-Means", "WeightedKMeans", {"distance_exponent": 1.5}),
        *("MWK-Means from anomalous patterns; try its exponent", "amorim"),
    ),
    Method(
        *("w-k-means", "W-k-means", "WeightedKMeans", {"weights": "global", **_RANDOM}),
        *("one set of weights for all clusters", "huang"),
    ),
    Method(
        *("ewkm", "EWKM", "EntropyKMeans", {}),
        *("weights per cluster, kept from 0 by their entropy", "jing"),
    ),
    Method(
        *("lac", "LAC", "LocallyAdaptiveKMeans", {}),
        *("EWKM with means in place of sums over rows", "domeniconi"),
    ),
    Method(
        *("cop-kmeans", "COP-KMeans", "ConstrainedKMeans", _RANDOM),
        *("k-means that keeps must-link and cannot-link pairs", "wagstaff", True),
    ),
    Method(
        *("constrained-ik-means", "constrained iK-Means", "ConstrainedKMeans", {}),
        *("COP-KMeans from anomalous patterns", "amorim", True),
    ),
    Method(
        *("projected-swarm", "PSOVW, improved", "ProjectedSwarm", {}),
        *("clusters in subspaces of their own, by swarm: the better default", "lu"),
    ),
    Method(
        *("psovw", "PSOVW", "ProjectedSwarm", {"particle": "weights", **_PLAIN}),
        *("clusters in subspaces of their own, by swarm, as printed", "lu"),
    ),
    Method(
        *("tcpso", "TCPSO", "ProjectedSwarm", {"metric": "jaccard"}),
        *("for text: sparse rows, extended Jaccard similarity", "lu"),
    ),
    Method(
        *("d-pso", "D-PSO", "StagedSwarm", {"stages": 1}),
        *("medoids and features in one search", "lensen"),
    ),
    Method(
        *("2-stage-linear", "2-stage linear", "StagedSwarm", {"feature_term": "linear"}),
        *("K estimated, then medoids and features", "lensen"),
    ),
    Method(
        *("2-stage", "2-stage elliptical", "StagedSwarm", {}),
        *("2-stage linear, but minding a few features more less", "lensen"),
    ),
    Method(
        *("3-stage", "3-stage", "StagedSwarm", {"stages": 3}),
        *("2-stage, then a search for the centroids", "lensen"),
    ),
    Method(
        *("kernel-swarm", "kernel MEPSO, improved", "KernelSwarm", {}),
        *("clusters of any shape, their number unknown: the better default", "abraham"),
    ),
    Method(
        *("kernel-mepso", "kernel MEPSO", "KernelSwarm"),
        {"kernel": "rbf", "centers": "input", "sigma": "median"},
        *("how many clusters, by multi-elitist swarm, as printed", "abraham"),
    ),
    Method(
        *("kernel-pso", "kernel PSO", "KernelSwarm"),
        {"kernel": "rbf", "centers": "input", "sigma": "median", "swarm": "pso"},
        *("kernel MEPSO as printed, with a plain swarm", "abraham"),
    ),
    Method(
        *("dcpso", "DCPSO", "DynamicSwarm", {}),
        *("how many clusters, by binary PSO over a pool of centres", "omran"),
    ),
    Method(
        *("gcuk", "GCUK", "GeneticClustering", {}),
        *("how many clusters, by a genetic algorithm", "bandyopadhyay"),
    ),
    Method(
        *("kernel-k-means", "kernel k-means", "KernelKMeans", {}),
        *("k-means in a kernel's feature space", "girolami"),
    ),
    Method(
        *("kernel-subtractive", "kernel subtractive clustering", "KernelSubtractive", {}),
        *("rows with many near neighbours become centres", "kim"),
    ),
    Method(
        *("fsfs", "FSFS", "FeatureSimilaritySelector", {}),
        *("a transformer: drops features that repeat others", "mitra", True),
    ),
    Method(
        *("ikfs", "iKFS", "FeatureClusterSelector", {}),
        *("a transformer: keeps one feature of each cluster of features", "amorim", True),
    ),
)


def find_method(name: str) -> Method:
    """Return the method of that name.

    Parameters
    ----------
    name : str
        As listed by ``weft methods``; capitals do not matter.

    Returns
    -------
    Method
        Its call and its paper.

    Examples
    --------
    >>> from weft.estimators.presets import find_method
    >>> find_method("iMWK-Means").call
    'WeightedKMeans(distance_exponent=1.5)'
    """
    import difflib

    for method in METHODS:
        if name.lower() in (method.name, method.title.lower()):
            return method
    known = [method.name for method in METHODS]
    close = difflib.get_close_matches(name.lower(), known, n=1)
    hint = f"did you mean {close[0]!r}?" if close else "see them with: weft methods"
    raise ValueError(f"method={name!r} is not known; {hint}")
