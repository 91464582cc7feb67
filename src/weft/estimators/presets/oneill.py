"""Methods of O'Neill 2017 (honours thesis): PSO-FSW and PSO-FSWE."""

from weft.estimators.presets._method import Method

# Section 5.6.2.
_SWARM = {
    "inertia=0.73": '5.6.2: "weight decay", 0.73',
    "cognitive=1.5, social=1.5": '5.6.2: "weights of best local and global positions", 1.5',
    "max_velocity=1.0": '5.6.2: "maximum velocity", 1.0',
    "init='uniform'": '5.6.2: "the initial distribution for velocity and position is uniform in", '
    "from -2 to 2",
    "n_particles=30": '5.6.2: "the number of particles is 30"',
    "n_generations=30, patience=5": '5.6.2: "the termination criteria is 30 generations, or 5 '
    'generations without global best improvement"',
}
_NOTE = (
    "clusterer and criterion are chosen among those of the thesis. A particle needs two "
    "clusters that are not outliers, and one on which affinity propagation does not converge has "
    "no clustering: the thesis states neither, and decision 0243 gives the reasons"
)

METHODS = (
    Method(
        *("pso-fsw", "PSO-FSW", "FeatureSwarm", {}),
        *("any distance-based clusterer, with feature weights learned by swarm", "oneill"),
        printed=True,
        because=_SWARM,
        note=_NOTE,
    ),
    Method(
        *("pso-fswe", "PSO-FSWE", "FeatureSwarm", {"exponents": True}),
        *("PSO-FSW with an exponent per feature as well", "oneill"),
        printed=True,
        because=_SWARM | {"exponents=True": "chapter 6: an exponent for each feature"},
        note=_NOTE,
    ),
    Method(
        *("bpso", "binary PSO", "FeatureSwarm", {"swarm": "binary"}),
        *("PSO-FSW with plain selection of features", "oneill"),
        note="the thesis names it as earlier work and prints no settings for it",
    ),
)
