"""Methods of Lu, Wang, Li and Zhou 2009: PSOVW, TCPSO, and those they are compared with."""

from weft.estimators.presets._method import Method
from weft.methods.projected import Objective, SwarmSettings

_PSOVW = {
    "objective": Objective(dispersion_floor=0.0),
    "particle": "weights",
    "n_evaluations": 5000,
    "patience": None,
    "polish": False,
    "standardize": False,
    "swarm": SwarmSettings(init="random", weight_init="uniform", bounds="neglect"),
}
_WHY = {
    "particle='weights'": '3.1: "In all three swarms, an individual is the k * m matrix"',
    "init='random'": '3.1: "k different data objects randomly chosen out of all the data objects"',
    "weight_init='uniform'": '3.1: "Randomly initialize the position swarm W in the range of '
    '[0, 1]"',
    "bounds='neglect'": '3.1: "If W lies in the range [0, 1]", evaluate; otherwise "W is '
    'neglected"',
    "n_evaluations=5000": '4.2: "The maximum number of function evaluations is set to 500", read '
    "as 500 rounds of 10 particles (decision 0030)",
    "patience=None": '3.1: until "the number of function evaluations reaches the maximum '
    'threshold"',
    "polish=False": "3.1: the algorithm ends with the swarm",
    "dispersion_floor=0.0": "function (14) adds nothing to a dispersion",
    "standardize=False": '4.2: "The Euclidean distance is used", on data as they are',
    "n_particles=10": '4.2: "s is set to 10"',
    "inertia=(0.9, 0.7)": '4.2: "linearly decreased from 0.9 to 0.7 during the iterative '
    'procedure"',
    "acceleration=1.49445": '4.2: "c1 is set to 1.49445"',
}
_FUNCTIONS = {
    9: ("ewkm", "EWKM"),
    6: ("wkmeans", "W-k-means"),
    1: ("lac", "LAC"),
}
_ONE_RUN = {
    "n_init=1": '4.3: "we ran each algorithm, including PSOVW, for 20 trials on each dataset"',
    "max_iter=100": '4.2: "500 over all synthetic datasets in PSOVW and 100 in the other four '
    'algorithms"',
}

METHODS = (
    Method(
        *("w-k-means", "W-k-means", "WeightedKMeans"),
        {
            "weights": "global",
            "weight_exponent": 8.0,
            "dispersion_offset": 0.0,
            "init": "random",
            "n_init": 1,
            "max_iter": 100,
        },
        *("one set of weights for all clusters", "huang"),
        printed=True,
        because=_ONE_RUN
        | {
            "weights='global'": 'Lu et al. 3.1: it "assigns a single variable weight vector"',
            "weight_exponent=8.0": 'Lu et al. 4.2: "β in the W-k-means to 8 as the authors did"',
            "dispersion_offset=0.0": "Lu et al., equation (8): nothing is added to a dispersion",
            "init='random'": "Lu et al. 2.1: a direct extension of k-means",
        },
    ),
    Method(
        *("global-weights", "W-k-means, improved", "WeightedKMeans", {"weights": "global"}),
        *("one set of weights for all clusters: the better default", "huang"),
        own=True,
        note="starts from anomalous patterns, adds the mean dispersion, β = 2",
    ),
    Method(
        *("ewkm", "EWKM", "EntropyKMeans"),
        {"gamma": 1.0, "init": "random", "n_init": 1, "max_iter": 100},
        *("weights per cluster, kept above 0 by an entropy term", "jing"),
        printed=True,
        because=_ONE_RUN
        | {
            "gamma=1.0": 'Lu et al. 4.2: "The parameter γ in EWKM is set to 1"',
            "init='random'": "Lu et al. 2.1: k-means with one step more in each round",
        },
    ),
    Method(
        *("ewkm-typical", "EWKM, typical γ", "EntropyKMeans", {}),
        *("EWKM whose strength follows from the data: the better default", "jing"),
        own=True,
        note="γ is the mean dispersion of a feature in a random cluster (decision 0026); starts "
        "are k-means++",
    ),
    Method(
        *("lac", "LAC", "LocallyAdaptiveKMeans"),
        {"h": 1.0, "init": "scattered", "n_init": 1, "max_iter": 100},
        *("EWKM with means instead of sums over rows", "domeniconi"),
        printed=True,
        because=_ONE_RUN
        | {
            "h=1.0": 'Lu et al., footnote 2: "the values from 1 to 11 for the parameter 1/h"',
            "init='scattered'": 'Lu et al. 2.1: "Select k well-scattered data objects as k initial '
            'centroids"',
        },
        note='the paper tries eleven values of h and takes "the best clustering accuracy on each '
        'trial"; the call has the first',
    ),
    Method(
        *("lac-typical", "LAC, typical h", "LocallyAdaptiveKMeans", {}),
        *("LAC whose strength follows from the data: the better default", "domeniconi"),
        own=True,
        note="h is the mean dispersion of a feature in a random cluster (decision 0026)",
    ),
    Method(
        *("projected-swarm", "PSOVW, improved", "ProjectedSwarm", {}),
        *("clusters in subspaces of their own, by swarm: the better default", "lu"),
        own=True,
        note="a particle is a partition; k-means++ starts, a floor for dispersions, a polish",
    ),
    Method(
        *("psovw", "PSOVW", "ProjectedSwarm", _PSOVW),
        *("clusters in subspaces of their own, by swarm, as published", "lu"),
        printed=True,
        because=_WHY | {"weight_exponent='auto'": '4.2: "Here, we set" β = 8, which "auto" is'},
    ),
    *(
        Method(
            *(f"pso-function-{number}", f"PSO, function ({number})", "ProjectedSwarm"),
            {**_PSOVW, "objective": Objective(objective, strength=1.0, dispersion_floor=0.0)},
            *(f"the swarm of PSOVW on the objective of {rival}", "lu"),
            printed=True,
            because=_WHY
            | {
                f"objective={objective!r}": '4.3: "the PSO method with different objective '
                'functions"; "we implemented the same representation as in function (14)"',
                "strength=1.0": "γ and h as for the algorithms alone, 4.2",
            },
        )
        for number, (objective, rival) in _FUNCTIONS.items()
    ),
    Method(
        *("tcpso", "TCPSO", "ProjectedSwarm"),
        {"metric": "jaccard", "weight_exponent": 8.0, **_PSOVW},
        *("for text: sparse rows, extended Jaccard similarity, as published", "lu"),
        printed=True,
        because=_WHY
        | {
            "metric='jaccard'": '6.1: "The extended Jaccard coefficient"',
            "weight_exponent=8.0": '4.2: "Here, we set" β = 8; section 6 names no other',
        },
    ),
    Method(
        *("text-swarm", "TCPSO, improved", "ProjectedSwarm", {"metric": "jaccard"}),
        *("for text: sparse rows, extended Jaccard similarity: the better default", "lu"),
        own=True,
        note="a particle is a partition and all terms count the same: a power of 8 is worse",
    ),
)
