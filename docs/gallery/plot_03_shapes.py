"""
Clusters of different shapes
============================

Rings, moons, clusters of unequal density and long clusters. ``AutoCluster`` gets no settings;
k-means is given the number of clusters; HDBSCAN runs with its defaults.
"""

# %%
import matplotlib.pyplot as plt
import numpy as np
from sklearn.cluster import HDBSCAN, KMeans
from sklearn.datasets import make_blobs, make_circles, make_moons
from sklearn.metrics import adjusted_rand_score

from weft import AutoCluster

stretched, y = make_blobs(400, centers=3, random_state=170)
sets = {
    "rings": make_circles(400, factor=0.4, noise=0.05, random_state=0),
    "moons": make_moons(400, noise=0.06, random_state=0),
    "unequal density": make_blobs(400, centers=[[0, 0], [7, 0], [3, 7]],
                                  cluster_std=[2.0, 0.5, 1.0], random_state=0),
    "long clusters": (stretched @ np.array([[0.6, -0.6], [-0.4, 0.8]]), y),
}  # fmt: skip

# %%
figure, axes = plt.subplots(3, 4, figsize=(12, 8))
for column, (name, (X, truth)) in enumerate(sets.items()):
    answers = {
        "AutoCluster": AutoCluster(n_resamples=0, random_state=0).fit(X).labels_,
        "HDBSCAN": HDBSCAN(copy=True).fit_predict(X),
        "k-means, told K": KMeans(len(set(truth)), n_init=10, random_state=0).fit_predict(X),
    }
    for row, (method, labels) in enumerate(answers.items()):
        ari = adjusted_rand_score(truth, labels)
        print(f"{name:16s} {method:16s} ARI {ari:.2f}")
        axes[row, column].scatter(X[:, 0], X[:, 1], c=labels, s=5, cmap="viridis")
        axes[row, column].set(title=f"{name}, {method}\nARI {ari:.2f}", xticks=[], yticks=[])
figure.tight_layout()

# %%
# HDBSCAN leaves rows in sparse regions out of all clusters, which lowers its index. If you want
# that, use HDBSCAN, or ``AutoCluster(outliers=True)``.
