"""Methods of de Amorim 2011 (PhD thesis): the K-Means family, constraints, feature selection."""

from weft.estimators.presets._method import Method

_RANDOM = {"init": "random", "n_init": 1}
_DRAWN = {"init": "random", "init_weights": "random", "n_init": 1}
_ONE_RUN = {
    "init='random', n_init=1": '3.4: "a hundred runs of generic K-Means at random initialisations '
    'of centroids"; the call is one of them',
}
_ONE_WEIGHTED_RUN = {
    "init='random', init_weights='random', n_init=1": 'algorithm 3.1: "randomly initialises the '
    'centroids and the feature weights, ensuring that they add up to unity"; one of 100 runs',
}
_PLAIN = {"weights=None": "algorithm 2.1: K-Means has no weights"}
_SQUARED = {
    "distance_exponent=2.0": "equation 3.5: squared distances; the exponent of the weights is "
    "tried from 1 to 5",
}
_MINKOWSKI = {
    "distance_exponent=1.5": "equation 3.7: the exponent of the metric is that of the weights, "
    "tried from 1 to 5 in steps of 0.1; 1.5 is an example",
}
_OFFSET = {
    "dispersion_offset='mean'": "3.2: the mean dispersion is added, after Huang et al.",
}
_PATTERNS = {"init='anomalous'": "algorithm 2.6: starts are anomalous patterns"}
_PATTERN_OFFSET = {
    "pattern_offset=0.01": '3.3.3: "adding a very small constant", 0.01, "in the first, '
    "'intelligent', step of the algorithm\"",
}
_LEARNED = {
    "ties='first'": '4.3.1, 4.3.2: "Set the value of β* to the β with the highest accuracy", '
    '"ranging from 1.0 to 5.0": of exponents with equal accuracy a search upwards keeps the first',
}
_FIFTH = (
    "y holds the labels of the rows that are known, -1 elsewhere; the thesis draws 20 % of the "
    "rows, 100 times. Without the parameter ties, weft takes the middle of equal exponents"
)
_PAIRS = {"group_distance": "first", "max_retries": 0}
_ROW_BY_ROW = {
    "group_distance='first'": '4.2: "assigns each entity to the closest centroid, making sure it '
    'follows the must-link and cannot-link rules"; "if two entities are under this rule and one is '
    'assigned to a cluster S_k, the other is automatically assigned to it as well"',
    "max_retries=0": "Wagstaff et al., table 1: where no cluster is left for a row the run fails",
}
_DEAD_ENDS = (
    "a run that finds no cluster for a row ends with an error, as published. The defaults of "
    "ConstrainedKMeans place groups by the sum over their rows and try other orders: weft's better "
    "choice (decision 0025)"
)

_WK = Method(
    *("wk-means", "WK-Means", "WeightedKMeans", {"distance_exponent": 2.0, **_DRAWN}),
    *("weights per cluster, squared distances", "amorim"),
    printed=True,
    because=_SQUARED | _ONE_WEIGHTED_RUN | _OFFSET,
    note="the thesis tries the exponent of the weights from 1 to 5; the call has 2",
)
_IMWK = Method(
    *("imwk-means", "iMWK-Means", "WeightedKMeans", {"distance_exponent": 1.5}),
    *("MWK-Means from anomalous patterns; try its exponent", "amorim"),
    printed=True,
    because=_MINKOWSKI | _PATTERNS | _PATTERN_OFFSET | _OFFSET,
    note="the thesis tries the exponent from 1 to 5; 1.5 is an example",
)

METHODS = (
    Method(
        *("k-means", "K-Means", "WeightedKMeans", {"weights": None, **_RANDOM}),
        *("no weights, one random start", "amorim"),
        printed=True,
        because=_PLAIN | _ONE_RUN,
    ),
    _WK,
    Method(
        *("mwk-means", "MWK-Means", "WeightedKMeans", {"distance_exponent": 1.5, **_DRAWN}),
        *("weights per cluster under a Minkowski metric; try its exponent", "amorim"),
        printed=True,
        because=_MINKOWSKI | _ONE_WEIGHTED_RUN | _OFFSET,
        note="the thesis tries the exponent from 1 to 5; 1.5 is an example",
    ),
    Method(
        *("ik-means", "iK-Means", "WeightedKMeans", {"weights": None}),
        *("no weights; starts from anomalous patterns, which also count the clusters", "amorim"),
        printed=True,
        because=_PLAIN | _PATTERNS,
    ),
    Method(
        *("iwk-means", "iWK-Means", "WeightedKMeans", {"distance_exponent": 2.0}),
        *("WK-Means from anomalous patterns", "amorim"),
        printed=True,
        because=_SQUARED | _PATTERNS | _PATTERN_OFFSET | _OFFSET,
        note="the thesis tries the exponent of the weights from 1 to 5; the call has 2",
    ),
    _IMWK,
    Method(
        *("wk-means-learned", "WK-Means, semi-supervised β", "choose_exponent"),
        {"n_repeats": 100, "ties": "first"},
        *("the exponent of WK-Means from labels of some rows (algorithm 4.3)", "amorim", True),
        printed=True,
        because=_LEARNED
        | {"n_repeats=100": 'algorithm 4.3: "Run WK-Means, Algorithm 3.1, 100 times for each β"'},
        arguments=f"{_WK.call}, X, y=y",
        note=_FIFTH,
    ),
    Method(
        *("imwk-means-learned", "iMWK-Means, semi-supervised β", "choose_exponent"),
        {"ties": "first"},
        *("the exponent of iMWK-Means from labels of some rows (algorithm 4.4)", "amorim", True),
        printed=True,
        because=_LEARNED,
        arguments=f"{_IMWK.call}, X, y=y",
        note=_FIFTH,
    ),
    Method(
        *("cop-kmeans", "COP-KMeans", "ConstrainedKMeans", {**_RANDOM, **_PAIRS}),
        *("k-means that keeps must-link and cannot-link pairs", "wagstaff", True),
        printed=True,
        because={"init='random', n_init=1": 'algorithm 4.1: "starts the centroids at random"'}
        | _ROW_BY_ROW,
        note=_DEAD_ENDS,
    ),
    Method(
        *("constrained-ik-means", "constrained iK-Means", "ConstrainedKMeans", _PAIRS),
        *("COP-KMeans from anomalous patterns", "amorim", True),
        printed=True,
        because=_ROW_BY_ROW
        | {
            "init='anomalous'": 'algorithm 4.2: "Apply the anomalous pattern algorithm"; "assign '
            "entities to the closer centroid if it does not break the cannot-link rules. Cluster "
            'together entities under a must-link rule regardless of distance"',
        },
        note=_DEAD_ENDS,
    ),
    Method(
        *("fsfs", "FSFS", "FeatureSimilaritySelector", {"epsilon": "latest"}),
        *("a transformer: drops features that repeat others", "mitra", True),
        printed=True,
        because={
            "epsilon='latest'": "algorithm 5.1, step 3 lies inside the loop and sets ε again",
            "scale=True": 'algorithm 5.1: "Standardise the features rather than the entities"',
        },
        note="the first k is the user's choice; half of the features here",
    ),
    Method(
        *("fsfs-first", "FSFS, one threshold", "FeatureSimilaritySelector", {}),
        *("FSFS that stops at what its first step lost", "mitra", True),
        own=True,
        note="ε stays that of the first step; as published it can only fall (decision 0052)",
    ),
    Method(
        *("ikfs", "iKFS", "FeatureClusterSelector", {"pick": "largest"}),
        *("a transformer: keeps some features of each cluster of features", "amorim", True),
        printed=True,
        because={
            "pick='largest'": 'algorithm 5.2: features that "have the largest maximal information '
            'compression"',
        },
        note="the thesis does not say with what a feature is compared; weft uses the centroid",
    ),
    Method(
        *("ikfs-spread", "iKFS, spread", "FeatureClusterSelector", {}),
        *("iKFS that keeps the feature nearest to its cluster's centre first", "amorim", True),
        own=True,
        note="read literally, the thesis would keep the features least like their cluster "
        "(decision 0053)",
    ),
)
