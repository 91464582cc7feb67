"""
When there are no clusters
==========================

Most methods return clusters for any table. ``AutoCluster`` can answer that there are none. The
example has three tables without clusters and one with three clusters. Each table has ten columns;
the figure shows the first two.
"""

# %%
import matplotlib.pyplot as plt
import numpy as np
from sklearn.cluster import KMeans
from sklearn.metrics import silhouette_score
from sklearn.preprocessing import StandardScaler

from weft import AutoCluster

rng = np.random.default_rng(0)
clustered = rng.normal(size=(150, 10))
clustered[:, :4] += 5.0 * rng.integers(0, 3, 150)[:, None]
tables = {
    "uniform": rng.uniform(size=(150, 10)),
    "one Gaussian": rng.normal(size=(150, 10)),
    "correlated Gaussian": rng.normal(size=(150, 10)) @ rng.normal(size=(10, 10)),
    "three clusters": clustered,
}


# %%
# For comparison, the usual recipe: k-means for every number of clusters, and the number with the
# best silhouette. It cannot answer "none".
def by_silhouette(X):
    X = StandardScaler().fit_transform(X)
    labels = {k: KMeans(k, n_init=2, random_state=0).fit_predict(X) for k in range(2, 7)}
    return max(labels, key=lambda k: silhouette_score(X, labels[k]))


figure, axes = plt.subplots(1, 4, figsize=(12, 3.4))
for axis, (name, X) in zip(axes, tables.items(), strict=True):
    model = AutoCluster(n_resamples=0, random_state=0).fit(X)
    found = model.n_clusters_ if model.n_clusters_ > 1 else "no"
    print(f"{name:20s} AutoCluster: {found} clusters; k-means + silhouette: {by_silhouette(X)}")
    axis.scatter(X[:, 0], X[:, 1], c=model.labels_, s=6, cmap="viridis")
    axis.set_title(f"{name}\nAutoCluster: {found} clusters")
    axis.set(xticks=[], yticks=[])
figure.tight_layout()
