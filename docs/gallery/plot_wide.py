"""
Wide data: 2,000 columns, 100 rows, as in gene expression
=========================================================

Four groups of samples, each with twenty genes of its own that are high in it; the other 1,920
columns are noise. k-means finds the groups as well when they are this clear; it does not say which
genes make them.
"""

# %%
# The table, and which genes make which group.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.cluster import KMeans

from weft import ProjectedSwarm
from weft.metrics import pair_f

rng = np.random.default_rng(0)
truth = np.repeat(np.arange(4), 25)
X = rng.normal(size=(100, 2_000))
for k in range(4):
    genes = slice(20 * k, 20 * k + 20)
    X[truth == k, genes] = 3.0 + 0.5 * X[truth == k, genes]

# %%
# A swarm with weights per cluster, beside k-means on all columns.
model = ProjectedSwarm(4, n_evaluations=150, random_state=0).fit(X)
plain = KMeans(4, n_init=10, random_state=0).fit_predict(X)
for name, labels in {"ProjectedSwarm": model.labels_, "k-means": plain}.items():
    print(f"{name:15s} F {pair_f(truth, labels):.3f}")

# %%
# How many of the twenty heaviest genes of each cluster are its own.
for k, weights in enumerate(model.cluster_feature_weights_):
    home = np.bincount(truth[model.labels_ == k], minlength=4).argmax()
    best = np.argsort(-weights)[:20]
    right = np.isin(best, np.arange(20 * home, 20 * home + 20)).sum()
    print(f"cluster {k} (group {home}): {right} of 20")

figure, axis = plt.subplots(figsize=(9, 3.5))
axis.imshow(model.cluster_feature_weights_[:, :160], aspect="auto", cmap="Blues")
axis.set_xlabel("gene (the first 160; the first 80 belong to groups)")
axis.set_yticks(range(4), [f"cluster {k}" for k in range(4)])
figure.tight_layout()
