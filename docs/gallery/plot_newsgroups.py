"""
Newsgroups: from documents to the words that make the clusters
==============================================================

Postings as sparse tf-idf rows, clustered by a projected swarm under the extended Jaccard
coefficient; nothing is made dense. ``examples/text_clusters.py`` is the whole script.
"""

# %%
# Postings of four groups, or a corpus made up where ``WEFT_DATA`` is not set.
import os
from collections import Counter
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from text_clusters import FILE, GROUPS, make_corpus, read_corpus

from weft import ProjectedSwarm
from weft.metrics import fscore

rng = np.random.default_rng(0)
folder = os.environ.get("WEFT_DATA")
if folder:
    texts, groups = read_corpus(Path(folder) / FILE, list(GROUPS), 60, rng)
else:
    texts, groups = make_corpus(60, rng)
vectorizer = TfidfVectorizer(stop_words="english", min_df=2)
X = vectorizer.fit_transform(texts)
print(f"{X.shape[0]} documents, {X.shape[1]} words, {X.nnz / X.shape[0]:.0f} words a document")

# %%
# The search, and what it found.
model = ProjectedSwarm(len(set(groups)), metric="jaccard", n_evaluations=150, random_state=0).fit(X)
words = vectorizer.get_feature_names_out()
for k in range(len(model.cluster_feature_weights_)):
    members = Counter(group for group, own in zip(groups, model.labels_, strict=True) if own == k)
    print(f"cluster {k}: {members.most_common(2)}")
print(f"FScore {fscore(groups, model.labels_):.3f}")

# %%
# The words of each cluster, by the share of its similarity that they account for.
figure, axes = plt.subplots(1, len(model.cluster_feature_weights_), figsize=(12, 4))
for k, (axis, weights) in enumerate(zip(axes, model.cluster_feature_weights_, strict=True)):
    best = np.argsort(-weights)[:8][::-1]
    axis.barh(range(8), weights[best], color="#0072b2")
    axis.set_yticks(range(8), words[best])
    axis.set_title(f"cluster {k}")
figure.tight_layout()
