"""
Text: the words that make each cluster
======================================

A synthetic corpus of three topics as sparse tf-idf rows, clustered under the extended Jaccard
coefficient. Rows stay sparse. ``examples/text_clusters.py`` does the same with newsgroup postings.
"""

# %%
import matplotlib.pyplot as plt
import numpy as np
from sklearn.cluster import KMeans
from sklearn.feature_extraction.text import TfidfVectorizer
from text_clusters import make_corpus

from weft import ProjectedSwarm
from weft.metrics import fscore

texts, topics = make_corpus(60, np.random.default_rng(0))
vectorizer = TfidfVectorizer(stop_words="english", min_df=2)
X = vectorizer.fit_transform(texts)
print(f"{X.shape[0]} documents, {X.shape[1]} words, {X.nnz / X.shape[0]:.0f} words per document")

# %%
# For comparison, k-means on the same rows (tf-idf rows have length 1, so this is close to
# spherical k-means).
k = len(set(topics))
model = ProjectedSwarm(k, metric="jaccard", n_evaluations=150, random_state=0).fit(X)
plain = KMeans(k, n_init=10, random_state=0).fit_predict(X)
for name, labels in {"ProjectedSwarm": model.labels_, "k-means": plain}.items():
    print(f"{name:16s} FScore {fscore(topics, labels):.3f}")

# %%
# The words of each cluster, by their share of the similarity within it. k-means has no such
# weights.
words = vectorizer.get_feature_names_out()
figure, axes = plt.subplots(1, k, figsize=(12, 4))
for number, (axis, weights) in enumerate(zip(axes, model.cluster_feature_weights_, strict=True)):
    best = np.argsort(-weights)[:8][::-1]
    axis.barh(range(8), weights[best], color="#0072b2")
    axis.set_yticks(range(8), words[best])
    axis.set_title(f"cluster {number}")
figure.tight_layout()
