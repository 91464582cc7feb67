"""Methods of Lensen, Xue and Zhang 2017: staged swarms, and the number of clusters."""

from weft.estimators.presets._method import Method

_SWARM = {
    "n_particles=100, n_generations=500, patience=None": '4: "30 times on each dataset for 500 '
    'iterations to ensure search convergence"; "The PSO methods had a swarm size of 100"',
    "inertia=0.729844, cognitive=1.49618, social=1.49618": '4: "used standard PSO parameters"',
    "max_velocity=6.0": '4: "velocity clamped between", -6 and 6',
    "initial_velocity=None": '3.3: "velocity is randomly initialised"; for stage 2 it is inferred '
    "(decision 0120), and None is within the clamp",
    "scale=True": '4: "Feature values were scaled linearly to fall between 0 and 1"',
}
_STAGE_1 = {
    "n_estimates=30": '3.1: "we run the algorithm 30 times and take the median"',
    "max_clusters=None": "3.1: k from 2 to √n, which None is",
}
_TERM = "4: 2-Stage Elliptical PSO"

METHODS = (
    Method(
        *("k-est", "K_est", "StagedSwarm", {"n_generations": 1}),
        *("the number of clusters by the silhouette over k-means", "lensen", True),
        printed=True,
        because=_STAGE_1 | {"n_generations=1": "3.1 is stage 1; the search after it is cut short"},
        answer=".fit(X).n_clusters_estimate_",
    ),
    Method(
        *("k-est-means", "k_est-means", "sklearn.cluster.KMeans"),
        {"init": "random", "n_init": 1, "max_iter": 500},
        *("k-means with K_est clusters", "lensen", True),
        printed=True,
        because={
            "init='random', n_init=1": '4: "initialised with centroids drawing from instances in '
            'the dataset"',
            "max_iter=500": '4: "for 500 iterations"',
        },
        arguments="K_est",
    ),
    Method(
        *("d-pso", "D-PSO", "StagedSwarm", {"stages": 1}),
        *("medoids and features in one search", "lensen"),
        note="the paper does not say how D-PSO bounds and weights K; see decision 0041 for weft's "
        "reading",
    ),
    Method(
        *("2-stage-linear", "2-stage linear", "StagedSwarm", {"feature_term": "linear"}),
        *("K estimated, then medoids and features", "lensen"),
        printed=True,
        because=_SWARM
        | _STAGE_1
        | {"feature_term='linear'": '4: "proposed method using", "feature weighting", linear'},
    ),
    Method(
        *("2-stage", "2-stage elliptical", "StagedSwarm", {}),
        *("2-stage linear, with a smaller penalty for a few more features", "lensen"),
        printed=True,
        because=_SWARM | _STAGE_1 | {"stages=2, feature_term=None": _TERM + ", equation (7)"},
    ),
    Method(
        *("2-stage-lloyd", "2-stage + Lloyd", "StagedSwarm", {"polish": "lloyd"}),
        *("2-stage, then Lloyd's algorithm on all features: the better default", "lensen"),
        own=True,
        note="Lloyd steps take the place of stage 3 (decision 0043)",
    ),
    Method(
        *("3-stage", "3-stage", "StagedSwarm", {"stages": 3}),
        *("2-stage, then a search for the centroids", "lensen"),
        printed=True,
        because=_SWARM
        | _STAGE_1
        | {
            "stages=3": '4: "plus the third stage (pseudo-local search) for refining the solutions"'
        },
    ),
)
