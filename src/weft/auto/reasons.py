"""Which evidence spoke for the answer, and which against it, in words."""

from __future__ import annotations

from functools import cache

from weft._base.arrays import Floats
from weft.auto.evidence import NAMES, relative_names
from weft.auto.judge import Judge
from weft.auto.trees import contributions

MAX_REASONS = 3
LEAST_SHARE = 0.05  # of all that was credited: smaller credits are not worth a sentence

# Evidence, by the beginning of its name: what it says where it speaks for the answer, and against.
WORDS = {
    "silhouette": ("clusters are compact and apart", "clusters are not compact"),
    "path_silhouette": (
        "clusters are connected, with gaps between them",
        "chains of rows join the clusters",
    ),
    "compact": (
        "clusters are narrower than the distances between them",
        "clusters are as wide as the distances between them",
    ),
    "density_gap": ("gaps between clusters are wide", "gaps between clusters are narrow"),
    "split": ("no cluster has a gap inside", "a cluster has a gap inside"),
    "conductance": (
        "few links of the neighbour graph cross a border",
        "many links of the neighbour graph cross a border",
    ),
    "neighbours": ("nearest rows share a cluster", "nearest rows are in other clusters"),
    "valley": ("density falls between clusters", "density does not fall between clusters"),
    "border": ("few rows lie at the borders", "many rows lie at the borders"),
    "even_density": ("density is even inside clusters", "density is uneven inside clusters"),
    "gaussian": ("clusters look like Gaussian clouds", "clusters do not look like Gaussian clouds"),
    "one_mode": ("each cluster has one peak", "a cluster has more than one peak"),
    "apart": ("neighbouring clusters are separate peaks", "neighbouring clusters share one peak"),
    "unity": ("each cluster is in one piece", "a cluster falls into pieces"),
    "calinski": ("clusters explain much of the variance", "clusters explain little variance"),
    "modularity": (
        "the neighbour graph splits along these clusters",
        "the neighbour graph does not split along these clusters",
    ),
    "bic": ("a mixture of Gaussians fits well", "a mixture of Gaussians fits poorly"),
    "misplaced": (
        "few rows are nearer to another cluster",
        "many rows are nearer to another cluster",
    ),
    "path_misplaced": ("few rows link to another cluster", "many rows link to another cluster"),
    "agreement": ("many methods find these clusters", "other methods find different clusters"),
    "mean_agreement": ("many methods find these clusters", "other methods find different clusters"),
    "votes": ("several methods give exactly this", "few methods give exactly this"),
    "smallest_share": ("no cluster is tiny", "a cluster is tiny"),
    "largest_share": ("no cluster holds most of the rows", "one cluster holds most of the rows"),
    "size_entropy": ("clusters have similar sizes", "cluster sizes are very unequal"),
    "small_clusters": ("clusters have enough rows", "some clusters have very few rows"),
    "silhouette_beyond_chance": (
        "clusters are more compact than in data without clusters",
        "clusters are no more compact than in data without clusters",
    ),
    "calinski_beyond_chance": (
        "clusters explain more variance than in data without clusters",
        "clusters explain no more variance than in data without clusters",
    ),
    "shown_in_halves": (
        "half of the columns show the same clusters",
        "half of the columns do not show these clusters",
    ),
    "alike_in_halves": (
        "clustering half of the columns gives the same clusters",
        "clustering half of the columns gives other clusters",
    ),
    "alike_in_rows": (
        "half of the rows give the same clusters",
        "half of the rows give other clusters",
    ),
    "second": (
        "clusters show in another view of the columns too",
        "clusters do not show in another view of the columns",
    ),
    "outliers": ("few rows are left out", "many rows are left out"),
    "log_clusters": ("the number of clusters is plausible", "the number of clusters is unusual"),
}


def reasons(judge: Judge, features: Floats) -> dict[str, list[str]]:
    """Return what spoke most for and against a candidate, in words, strongest first.

    `features` is its evidence, as the ranker saw it.
    """
    credits = contributions(judge.ranker, features[None])[0, :-1]
    totals: dict[str, float] = {}
    for name, credit in zip(relative_names(NAMES), credits, strict=True):
        topic = _topic(name)
        if topic:
            totals[topic] = totals.get(topic, 0.0) + float(credit)
    everything = sum(abs(value) for value in totals.values()) or 1.0
    ordered = sorted(totals, key=lambda topic: -abs(totals[topic]))
    clear = [topic for topic in ordered if abs(totals[topic]) >= LEAST_SHARE * everything]
    return {
        "for": _distinct([WORDS[topic][0] for topic in clear if totals[topic] > 0]),
        "against": _distinct([WORDS[topic][1] for topic in clear if totals[topic] < 0]),
    }


def _distinct(words: list[str]) -> list[str]:
    """The first few; measures of one thing say it in the same words."""
    return list(dict.fromkeys(words))[:MAX_REASONS]


@cache
def _topic(name: str) -> str:
    """Return the longest key of WORDS that a measure's name begins with; none for sizes of X."""
    fits = [key for key in WORDS if name == key or name.startswith(f"{key}_")]
    return max(fits, key=len, default="")
