"""Every call "as printed" beside the sentences of its paper that fix it.

The quotations are the papers' own words. Where the environment variable ``WEFT_PAPERS`` names a
folder with the papers as text, the test looks each of them up.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest

from weft.estimators.presets import METHODS, find_method


class Sentence(NamedTuple):
    """Words of a paper, and the settings of calls that follow from them."""

    paper: str  # the file's name starts with this
    methods: tuple[str, ...]
    words: str
    settings: dict[str, Any]


PSOVW = ("psovw", "pso-function-9", "pso-function-6", "pso-function-1", "tcpso")
WITH_FUNCTIONS = PSOVW[1:4]
ROUNDS = ("w-k-means", "ewkm", "lac")
MEPSO = ("kernel-mepso", "kernel-pso")
STAGED = ("2-stage-linear", "2-stage", "3-stage")
SWARMS = ("pso-fsw", "pso-fswe")
RANDOM = ("k-means", "wk-means", "mwk-means")
PATTERNS = ("ik-means", "iwk-means", "imwk-means")
COP = ("cop-kmeans", "constrained-ik-means")
LEARNED = ("wk-means-learned", "imwk-means-learned")

SENTENCES = [
    # O'Neill 2017, section 5.6.2 and chapter 6
    Sentence(
        *("000", SWARMS, "the number of particles is 30; and the termination criteria is 30"),
        {"n_particles": 30, "n_generations": 30},
    ),
    Sentence(*("000", SWARMS, "or 5 generations without global best improvement"), {"patience": 5}),
    Sentence(
        *("000", SWARMS, "the initial distribution for velocity and position is uniform in"),
        {"init": "uniform"},
    ),
    Sentence(
        *("000", SWARMS, "weights of best local and global positions, $c_1 = c_2 = 1.5$"),
        {"cognitive": 1.5, "social": 1.5},
    ),
    Sentence(*("000", SWARMS, "weight decay, $\\omega = 0.73$"), {"inertia": 0.73}),
    Sentence(
        *("000", ("pso-fswe",), "PSO-FSWE, which also finds exponents for use in distance"),
        {"exponents": True},
    ),
    # de Amorim 2011
    Sentence(
        *("001", RANDOM[1:], "randomly initialises the centroids and the feature weights"),
        {"init": "random", "init_weights": "random", "n_init": 1},
    ),
    Sentence(
        *("001", RANDOM[:1], "a hundred runs of generic K-Means at random initialisations"),
        {"init": "random", "n_init": 1, "weights": None},
    ),
    Sentence(
        *("001", ("wk-means", "iwk-means"), "As the algorithm uses Euclidean distance"),
        {"distance_exponent": 2.0},
    ),
    Sentence(
        *("001", ("mwk-means", "imwk-means"), "across the interval of [1.0, 5.0] in steps of 0.1"),
        {"distance_exponent": 1.5, "weight_exponent": "same"},
    ),
    Sentence(
        *("001", PATTERNS, "Apply the anomalous pattern algorithm using the centre of gravity"),
        {"init": "anomalous"},
    ),
    Sentence(*("001", PATTERNS[:1], "iK-Means, Algorithm 2.6"), {"weights": None}),
    Sentence(
        *("001", PATTERNS[1:], "such as 0.01, instead of the average feature variance"),
        {"pattern_offset": 0.01, "dispersion_offset": "mean"},
    ),
    Sentence(
        *("001", LEARNED, "ranging from 1.0 to 5.0, in steps of 0.1. *Evaluation*Set the value"),
        {"ties": "first"},
    ),
    Sentence(
        *("001", LEARNED[:1], "Run WK-Means, Algorithm 3.1, 100 times for each β"),
        {"n_repeats": 100},
    ),
    Sentence(
        *("001", COP, "if two entities are under this rule and one is assigned to a cluster"),
        {"group_distance": "first"},
    ),
    Sentence(
        *("001", COP, "making sure it follows the must-link and cannot-link rules"),
        {"max_retries": 0},
    ),
    Sentence(
        *("001", COP[:1], "this method starts the centroids at random"),
        {"init": "random", "n_init": 1},
    ),
    Sentence(
        *("001", COP[1:], "entities under a must-link rule regardless of distance"),
        {"init": "anomalous"},
    ),
    Sentence(
        *("001", ("fsfs",), "Standardise the features rather than the entities"), {"scale": True}
    ),
    Sentence(
        *("001", ("fsfs",), "discard its k nearest features. Set $\\varepsilon"),
        {"epsilon": "latest"},
    ),
    Sentence(
        *("001", ("ikfs",), "the largest maximal information compression (Equation 5.2)"),
        {"pick": "largest"},
    ),
    # Lu, Wang, Li and Zhou 2009
    Sentence(
        *("002", PSOVW, "k different data objects randomly chosen out of all the data objects"),
        {"init": "random"},
    ),
    Sentence(
        *("002", PSOVW, "Randomly initialize the position swarm W in the range of [0, 1]"),
        {"particle": "weights", "weight_init": "uniform"},
    ),
    Sentence(*("002", PSOVW, "Otherwise, W is neglected."), {"bounds": "neglect"}),
    Sentence(
        *("002", PSOVW, "function evaluations is set to 500 over all synthetic datasets in PSOVW"),
        {"n_evaluations": 5000, "n_particles": 10},  # 500 rounds of s = 10
    ),
    Sentence(
        *("002", PSOVW, "or the number of function evaluations reaches the maximum threshold"),
        {"patience": None, "polish": False},
    ),
    Sentence(
        *("002", PSOVW, "The Euclidean distance is used to measure the dissimilarity"),
        {"standardize": False, "dispersion_floor": 0.0},
    ),
    Sentence(*("002", PSOVW, "linearly decreased from 0.9 to 0.7"), {"inertia": (0.9, 0.7)}),
    Sentence(*("002", PSOVW, "c1 is set to 1.49445"), {"acceleration": 1.49445}),
    Sentence(
        *("002", WITH_FUNCTIONS, "we implemented the same representation as in function (14)"),
        {"strength": 1.0},
    ),
    *(
        Sentence("002", (f"pso-function-{number}",), words, {"objective": objective})
        for number, words, objective in (
            (1, "formula (1) in LAC", "lac"),
            (6, "formula (6) in the *W-k*-means", "wkmeans"),
            (9, "formula (9) in EWKM", "ewkm"),
        )
    ),
    Sentence(
        *("002", ("tcpso",), "make use of the extended Jaccard coefficient"),
        {"metric": "jaccard"},
    ),
    Sentence(*("002", ("tcpso",), "Here, we set $\\beta = 8$"), {"weight_exponent": 8.0}),
    Sentence(*("002", ROUNDS, "in PSOVW and 100 in the other four algorithms"), {"max_iter": 100}),
    Sentence(*("002", ROUNDS, "for 20 trials on each dataset"), {"n_init": 1}),
    Sentence(
        *("002", ("ewkm",), "The parameter γ in EWKM is set to 1."),
        {"gamma": 1.0, "init": "random"},
    ),
    Sentence(*("002", ("lac",), "with the values from 1 to 11 for the parameter 1/h"), {"h": 1.0}),
    Sentence(
        *("002", ("lac",), "Select k well-scattered data objects as k initial centroids"),
        {"init": "scattered"},
    ),
    Sentence(
        *("002", ("w-k-means",), "β in the W-k-means to 8 as the authors did"),
        {"weight_exponent": 8.0, "dispersion_offset": 0.0, "init": "random"},
    ),
    Sentence(
        *("002", ("w-k-means",), "which assigns a single variable weight vector"),
        {"weights": "global"},
    ),
    # Lensen, Xue and Zhang 2017
    Sentence(
        *("003", (*STAGED, "k-est"), "we run the algorithm 30 times and take the median"),
        {"n_estimates": 30},
    ),
    Sentence(
        *("003", ("k-est",), "The $K$ with the highest average silhouette is chosen"),
        {"max_clusters": None, "n_generations": 1},
    ),
    Sentence(
        *("003", STAGED, "run 30 times on each dataset for 500 iterations"),
        {"n_generations": 500, "patience": None},
    ),
    Sentence(*("003", STAGED, "The PSO methods had a swarm size of 100"), {"n_particles": 100}),
    Sentence(
        *("003", STAGED, "and velocity clamped between"),
        {"inertia": 0.729844, "cognitive": 1.49618, "social": 1.49618, "max_velocity": 6.0},
    ),
    Sentence(
        *("003", STAGED, "Feature values were scaled linearly to fall between 0 and 1"),
        {"scale": True},
    ),
    Sentence(
        *("003", STAGED[:1], "proposed method using **linear** feature weighting"),
        {"stages": 2, "feature_term": "linear"},
    ),
    Sentence(
        *("003", STAGED[1:2], "proposed method using **elliptical** feature weighting"),
        {"stages": 2, "feature_term": None},
    ),
    Sentence(
        *("003", STAGED[2:], "plus the third stage (pseudo-local search) for refining"),
        {"stages": 3},
    ),
    Sentence(
        *("003", ("k-est-means",), "initialised with centroids drawing from instances"),
        {"init": "random", "n_init": 1, "max_iter": 500},
    ),
    # Abraham, Das and Konar 2007
    Sentence(
        *("004", MEPSO, "we randomly select 2 thresholds and re-initialize them to a random"),
        {"repairs": "printed"},
    ),
    Sentence(
        *("004", MEPSO, "Each run continued up to 50, 000 function evaluations"),
        {"n_particles": 40, "n_generations": 1250, "patience": None},
    ),
    Sentence(
        *("004", (*MEPSO, "kernel-k-means", "kernel-subtractive"), "We used $\\sigma = 1.1$"),
        {"sigma": 1.1, "scale": False},
    ),
    Sentence(
        *("004", MEPSO, "The remaining entries are reserved for k_{\\max} cluster centers"),
        {"centers": "input", "kernel": "rbf", "max_clusters": 15},
    ),
    Sentence(
        *("004", ("kernel-pso",), "an ordinary PSO based kernel-clustering method"),
        {"swarm": "pso"},
    ),
    Sentence(
        *("004", ("kernel-k-means",), "the kernel k-means was run 100 times with the initial"),
        {"n_init": 100},
    ),
    Sentence(
        *("004", ("kernel-subtractive",), "$\\alpha = 5.4$ and $\\beta = 1.5$"),
        {"alpha": 5.4, "beta": 1.5},
    ),
    Sentence(
        *("004", ("dcpso",), "| Pop_size | 70 | Pop_size | 40 |"),
        {"n_particles": 40, "scale": False},
    ),
    Sentence(*("004", ("dcpso",), "| Inertia weight | 0.75 |"), {"inertia": 0.75}),
    Sentence(
        *("004", ("gcuk",), "| Pop_size | 70 | Pop_size | 40 |"),
        {"n_particles": 70, "crossover": 0.85, "mutation": 0.005, "scale": False},
    ),
    Sentence(
        *("004", ("gcuk",), "Each run continued up to 50, 000 function evaluations"),
        {"n_generations": 714, "patience": None},
    ),
]
CASES = [(method, sentence) for sentence in SENTENCES for method in sentence.methods]


def call_of(method: str) -> Any:
    """Return the estimator that a call makes; of functions, what holds their parameters."""
    found = find_method(method)
    if found.estimator == "choose_exponent":
        return SimpleNamespace(get_params=lambda: dict(found.params))
    return found.make(n_clusters=3) if method == "k-est-means" else found.make()


@pytest.mark.parametrize(
    ("method", "sentence"), CASES, ids=[f"{m}-{next(iter(s.settings))}" for m, s in CASES]
)
def test_settings_follow_the_sentence(method, sentence, setting_of):
    for key, value in sentence.settings.items():
        assert setting_of(call_of(method), key) == value, f"{key}: {sentence.words}"


@pytest.mark.parametrize("method", [m.name for m in METHODS if m.printed])
def test_every_setting_of_a_printed_call_has_its_sentence(method):
    quoted = {key for name, sentence in CASES if name == method for key in sentence.settings}
    assert quoted
    assert set(find_method(method).settings) <= quoted


def plain(text: str) -> str:
    """Return the text with single spaces and without code fences."""
    return re.sub(r"\s+", " ", text.replace("```", " "))


@pytest.mark.skipif("WEFT_PAPERS" not in os.environ, reason="WEFT_PAPERS names no folder of papers")
@pytest.mark.parametrize("sentence", SENTENCES, ids=lambda sentence: sentence.words[:40])
def test_the_words_are_the_papers(sentence):
    (path,) = Path(os.environ["WEFT_PAPERS"]).glob(f"{sentence.paper}*.txt")
    assert plain(sentence.words) in plain(path.read_text())
