"""The evidence for and against an answer, in words."""

from __future__ import annotations

from functools import cache

from weft._base.arrays import Floats
from weft.auto.evidence import NAMES, relative_names
from weft.auto.judge import Judge
from weft.auto.trees import contributions

MAX_REASONS = 3
LEAST_SHARE = 0.05  # share of all credit below which a measure is not mentioned

# By the beginning of a measure's name: its words as evidence for an answer, and against it.
WORDS = {
    "silhouette": (
        "rows are much nearer to their own cluster than to others",
        "rows are hardly nearer to their own cluster than to others",
    ),
    "path_silhouette": (
        "the rows of a cluster are close together, with gaps between clusters",
        "rows in between connect the clusters",
    ),
    "compact": (
        "clusters are narrow compared with the distances between them",
        "clusters are as wide as the distances between them",
    ),
    "density_gap": ("gaps between clusters are wide", "gaps between clusters are narrow"),
    "split": ("no cluster has a gap inside", "a cluster has a gap inside"),
    "conductance": (
        "similar rows are mostly in the same cluster",
        "similar rows are often in different clusters",
    ),
    "neighbours": (
        "the nearest rows are mostly in the same cluster",
        "the nearest rows are often in other clusters",
    ),
    "valley": (
        "few rows lie between the clusters",
        "as many rows lie between the clusters as inside them",
    ),
    "border": (
        "few rows lie at the borders of clusters",
        "many rows lie at the borders of clusters",
    ),
    "even_density": (
        "rows are spread evenly inside clusters",
        "rows are spread unevenly inside clusters",
    ),
    "gaussian": (
        "clusters look like round or oval clouds",
        "clusters do not look like round or oval clouds",
    ),
    "one_mode": (
        "each cluster is densest in one place",
        "a cluster is dense in more than one place",
    ),
    "apart": (
        "there are fewer rows between neighbouring clusters than inside them",
        "rows are as dense between neighbouring clusters as inside them",
    ),
    "unity": ("each cluster is in one piece", "a cluster falls into pieces"),
    "calinski": (
        "clusters differ much more than the rows inside them",
        "clusters differ little more than the rows inside them",
    ),
    "modularity": (
        "similar rows share a cluster far more often than by chance",
        "similar rows share a cluster little more often than by chance",
    ),
    "bic": (
        "one oval cloud per cluster describes the rows well",
        "one oval cloud per cluster describes the rows poorly",
    ),
    "misplaced": (
        "few rows are nearer to another cluster than to their own",
        "many rows are nearer to another cluster than to their own",
    ),
    "path_misplaced": (
        "few rows have their nearest rows in another cluster",
        "many rows have their nearest rows in another cluster",
    ),
    "agreement": ("many methods find these clusters", "other methods find different clusters"),
    "mean_agreement": ("many methods find these clusters", "other methods find different clusters"),
    "votes": (
        "several methods give exactly these clusters",
        "few methods give exactly these clusters",
    ),
    "smallest_share": ("no cluster is tiny", "a cluster is tiny"),
    "largest_share": ("no cluster holds most of the rows", "one cluster holds most of the rows"),
    "size_entropy": ("clusters have similar sizes", "cluster sizes are very unequal"),
    "small_clusters": ("clusters have enough rows", "some clusters have very few rows"),
    "silhouette_beyond_chance": (
        "clusters are more compact than in data without clusters",
        "clusters are no more compact than in data without clusters",
    ),
    "calinski_beyond_chance": (
        "clusters differ more than in data without clusters",
        "clusters differ no more than in data without clusters",
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
        "another way to compare rows shows the same clusters",
        "another way to compare rows does not show these clusters",
    ),
    "outliers": ("few rows are left out", "many rows are left out"),
    "log_clusters": ("the number of clusters is plausible", "the number of clusters is unusual"),
}


def reasons(judge: Judge, features: Floats) -> dict[str, list[str]]:
    """Return the evidence for and against a candidate in words, strongest first.

    `features` is its evidence, as the ranker gets it.
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
    """Return the first few without repetitions: related measures share their words."""
    return list(dict.fromkeys(words))[:MAX_REASONS]


@cache
def _topic(name: str) -> str:
    """Return the longest key of WORDS that a measure's name begins with, or an empty text."""
    fits = [key for key in WORDS if name == key or name.startswith(f"{key}_")]
    return max(fits, key=len, default="")
