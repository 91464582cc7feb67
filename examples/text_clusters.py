"""Cluster documents, and print the words of each cluster.

    python examples/text_clusters.py [--data FOLDER] [--groups NAME ...] [--per-group 100]

Takes newsgroup postings (newsgroups9_bodies.csv.gz in --data or $WEFT_DATA: text, label), turns
them into tf-idf rows with scikit-learn, clusters these by ProjectedSwarm under the extended
Jaccard coefficient, and prints the words of each cluster and the groups of its documents. The rows
stay sparse. Without the postings it uses a synthetic corpus.
"""

from __future__ import annotations

import argparse
import os
from collections import Counter
from pathlib import Path

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer

from weft import ProjectedSwarm
from weft.metrics import accuracy, entropy, fscore

FILE = "newsgroups9_bodies.csv.gz"
GROUPS = ("comp.graphics", "rec.sport.hockey", "sci.crypt", "talk.religion.misc")
TOPICS = {
    "weaving": ["loom", "warp", "weft", "thread", "shuttle", "yarn", "heddle", "cloth", "twill"],
    "sailing": ["keel", "mast", "rudder", "harbour", "tide", "anchor", "sail", "wind", "hull"],
    "baking": ["flour", "yeast", "dough", "oven", "crust", "knead", "crumb", "starter", "loaf"],
}
SHARED = ["good", "time", "work", "place", "small", "long", "hand", "part", "water", "morning"]


def make_corpus(per_group: int, rng: np.random.Generator) -> tuple[list[str], list[str]]:
    """Write short documents about three crafts, with words that they all use."""
    texts, groups = [], []
    for group, words in TOPICS.items():
        for _ in range(per_group):
            drawn = [*rng.choice(words, 8), *rng.choice(SHARED, 8)]
            texts.append(" ".join(rng.permutation(drawn)))
            groups.append(group)
    return texts, groups


def read_corpus(
    path: Path, wanted: list[str], per_group: int, rng: np.random.Generator
) -> tuple[list[str], list[str]]:
    """Draw `per_group` postings of each group."""
    import pandas as pd

    table = pd.read_csv(path)
    texts, groups = [], []
    for group in wanted:
        rows = np.flatnonzero(table.label == group)
        if len(rows) == 0:
            known = ", ".join(sorted(table.label.unique()))
            raise SystemExit(f"there is no group {group!r}; choose among {known}.")
        rows = rng.choice(rows, min(per_group, len(rows)), replace=False)
        texts += table.text.iloc[rows].fillna("").astype(str).tolist()
        groups += [group] * len(rows)
    return texts, groups


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=os.environ.get("WEFT_DATA"))
    parser.add_argument("--groups", nargs="+", default=list(GROUPS))
    parser.add_argument("--per-group", type=int, default=100)
    parser.add_argument("--words", type=int, default=8)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    rng = np.random.default_rng(options.seed)

    if options.data and (Path(options.data) / FILE).exists():
        path = Path(options.data) / FILE
        texts, groups = read_corpus(path, options.groups, options.per_group, rng)
    else:
        texts, groups = make_corpus(options.per_group, rng)

    # Stop words out, words of a single document out, as in the paper.
    vectorizer = TfidfVectorizer(stop_words="english", min_df=2)
    X = vectorizer.fit_transform(texts)
    n_clusters = len(set(groups))
    model = ProjectedSwarm(n_clusters, metric="jaccard", random_state=options.seed).fit(X)

    words = vectorizer.get_feature_names_out()
    print(f"{X.shape[0]} documents, {X.shape[1]} words, {n_clusters} clusters")
    for cluster, weights in enumerate(model.cluster_feature_weights_):
        members = [
            group for group, own in zip(groups, model.labels_, strict=True) if own == cluster
        ]
        print(f"\ncluster {cluster}: {len(members)} documents")
        print("  words:", ", ".join(words[np.argsort(-weights)[: options.words]]))
        print("  from: ", ", ".join(f"{g} {n}" for g, n in Counter(members).most_common()))
    measures = {"FScore": fscore, "entropy": entropy, "accuracy": accuracy}
    found = [f"{name} {measure(groups, model.labels_):.3f}" for name, measure in measures.items()]
    print("\n" + ", ".join(found))


if __name__ == "__main__":
    main()
