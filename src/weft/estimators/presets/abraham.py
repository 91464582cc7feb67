"""Methods of Abraham, Das and Konar 2007: kernel MEPSO, and those it is compared with."""

from weft.estimators.presets._method import Method
from weft.methods.mercer import InputCenters

_PRINTED = {
    "kernel": "rbf",
    "centers": InputCenters(repairs="printed"),
    "sigma": 1.1,
    "n_generations": 1250,
    "patience": None,
    "scale": False,
}
_SIGMA = '5: 1.1 "for all the artificial datasets", 0.9 for breast cancer, 2.0 for vowel and glass'
_WHY = {
    "kernel='rbf'": "equation (4)",
    "centers='input'": "4.1: a particle has p-dimensional cluster centres",
    "repairs='printed'": '4.1: "we randomly select 2 thresholds and re-initialize them to a random '
    'value between 0.5 and 1.0"; 4.3: "the cluster center positions of this special particle are '
    're-initialized by an average computation"',
    "sigma=1.1": _SIGMA,
    "n_particles=40": "table 2",
    "n_generations=1250, patience=None": 'table 3: "Each run continued up to 50, 000 function '
    'evaluations": 1,250 generations of 40',
    "scale=False": "5: scaling is not mentioned",
    "max_clusters=15": "table 2",
}
_REPAIRS = (
    "a particle whose repair leaves an empty cluster, or one active centre, has fitness 0; the "
    'paper does not say what happens then (decision 0240). repairs="decoded" is weft\'s own rule, '
    "which keeps such particles (decision 0044)"
)

METHODS = (
    Method(
        *("kernel-swarm", "kernel MEPSO, improved", "KernelSwarm", {}),
        *("clusters of any shape, their number unknown: the better default", "abraham"),
        own=True,
        note="centres in feature space, a width chosen by stability, kernel k-means at the end",
    ),
    Method(
        *("kernel-mepso", "kernel MEPSO", "KernelSwarm", _PRINTED),
        *("number of clusters by multi-elitist swarm, as published", "abraham"),
        printed=True,
        because=_WHY,
        note=_REPAIRS,
    ),
    Method(
        *("kernel-pso", "kernel PSO", "KernelSwarm", {**_PRINTED, "swarm": "pso"}),
        *("kernel MEPSO as published, with a plain swarm", "abraham"),
        printed=True,
        because=_WHY | {"swarm='pso'": '5: "an ordinary PSO based kernel-clustering method"'},
        note=_REPAIRS,
    ),
    Method(
        *("dcpso", "DCPSO", "DynamicSwarm", {"scale": False}),
        *("how many clusters, by binary PSO over a pool of centres", "omran"),
        printed=True,
        because={
            "scale=False": "Abraham et al. 5: scaling is not mentioned",
            "n_particles=40, inertia=0.75": "Abraham et al., table 2",
            "cognitive=1.494, social=1.494": "Abraham et al., table 2",
            "initial_share=0.8, max_clusters=15": "Abraham et al., table 2",
            "n_rounds=25, n_generations=50": 'Abraham et al., table 3: "50, 000 function '
            'evaluations"',
        },
    ),
    Method(
        *("gcuk", "GCUK", "GeneticClustering", {"scale": False}),
        *("how many clusters, by a genetic algorithm", "bandyopadhyay"),
        printed=True,
        because={
            "scale=False": "Abraham et al. 5: scaling is not mentioned",
            "n_particles=70, crossover=0.85, mutation=0.005": "Abraham et al., table 2",
            "max_clusters=15": "Abraham et al., table 2",
            "n_generations=714, patience=None": 'Abraham et al., table 3: "50, 000 function '
            'evaluations": 714 generations of 70',
        },
    ),
    Method(
        *("kernel-k-means", "kernel k-means", "KernelKMeans"),
        {"sigma": 1.1, "n_init": 100, "scale": False},
        *("k-means in a kernel's feature space", "girolami"),
        printed=True,
        because={
            "sigma=1.1": f"Abraham et al. {_SIGMA}",
            "n_init=100": 'Abraham et al. 5: "the kernel k-means was run 100 times with the '
            'initial centroids randomly selected from the data set"',
            "scale=False": "Abraham et al. 5: scaling is not mentioned",
        },
        note="runs until no label changes; the paper stops at a change of 0.001",
    ),
    Method(
        *("kernel-k-means-median", "kernel k-means, median width", "KernelKMeans", {}),
        *("kernel k-means on standardised columns: the better default", "girolami"),
        own=True,
        note="the width is the median distance between rows; ten starts",
    ),
    Method(
        *("kernel-subtractive", "kernel subtractive clustering", "KernelSubtractive"),
        {"sigma": 1.1, "scale": False},
        *("rows with many near neighbours become centres", "kim"),
        printed=True,
        because={
            "sigma=1.1": f"Abraham et al. {_SIGMA}",
            "alpha=5.4, beta=1.5": 'Abraham et al. 5: "The parameters of the kernel-based '
            'subtractive methods were set to"',
            "scale=False": "Abraham et al. 5: scaling is not mentioned",
        },
    ),
    Method(
        *("kernel-subtractive-median", "kernel subtractive clustering, median width"),
        *("KernelSubtractive", {}),
        *("the same on standardised columns: the better default", "kim"),
        own=True,
        note="the width is the median distance between rows",
    ),
)
