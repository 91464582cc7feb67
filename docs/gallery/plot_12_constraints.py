"""
A few known pairs
=================

Two wide clusters, one above the other. k-means cuts both in half. If the clusters of ten rows are
known, as pairs that belong together or not, the result is right.
"""

# %%
import matplotlib.pyplot as plt
import numpy as np
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score

from weft import ConstrainedKMeans

rng = np.random.default_rng(0)
truth = np.repeat([0, 1], 80)
X = np.c_[rng.uniform(0, 4, 160), rng.normal(0, 0.3, 160) + 2.0 * truth]

# %%
# Pairs among ten rows whose cluster is known: must-link within a cluster, cannot-link between them.
# ``weights="cluster"`` also learns how much each column matters.
known = rng.choice(160, 10, replace=False)
must = [(a, b) for a in known for b in known if a < b and truth[a] == truth[b]]
cannot = [(a, b) for a in known for b in known if a < b and truth[a] != truth[b]]
constrained = ConstrainedKMeans(2, weights="cluster", random_state=0)
constrained.fit(X, must_link=must, cannot_link=cannot)
plain = KMeans(2, n_init=10, random_state=0).fit_predict(X)

figure, axes = plt.subplots(1, 2, figsize=(10, 3), sharey=True)
for axis, (name, labels) in zip(
    axes, {"k-means": plain, "ConstrainedKMeans": constrained.labels_}.items(), strict=True
):
    ari = adjusted_rand_score(truth, labels)
    print(f"{name:18s} ARI {ari:.2f}")
    axis.scatter(X[:, 0], X[:, 1], c=labels, s=10, cmap="viridis")
    axis.scatter(X[known, 0], X[known, 1], facecolors="none", edgecolors="k", s=30)
    axis.set_title(f"{name}: ARI {ari:.2f}")
figure.tight_layout()

# %%
# The circled rows are the known ones. Constraints move the centres and the weights, and rows
# without constraints go to the nearest centre. If the clusters are much wider than they are apart,
# a few pairs are not enough.
