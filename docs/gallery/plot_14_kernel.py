"""
Rings, with an unknown number of clusters
=========================================

``KernelSwarm`` maps rows with a diffusion kernel and searches for centres and their number.
Spectral clustering also finds the rings if it is given their number; k-means does not.
"""

# %%
import matplotlib.pyplot as plt
from sklearn.cluster import KMeans, SpectralClustering
from sklearn.metrics import adjusted_rand_score

from weft import KernelSwarm
from weft.datasets import make_shapes

rings = make_shapes("rings", random_state=0)
X, truth = rings.data, rings.target
model = KernelSwarm(n_particles=20, n_generations=40, random_state=0).fit(X)
k = len(set(truth))
answers = {
    f"KernelSwarm, found {model.n_clusters_}": model.labels_,
    f"spectral, told {k}": SpectralClustering(
        k, affinity="nearest_neighbors", random_state=0
    ).fit_predict(X),
    f"k-means, told {k}": KMeans(k, n_init=10, random_state=0).fit_predict(X),
}

# %%
figure, axes = plt.subplots(1, 3, figsize=(11, 3.8))
for axis, (name, labels) in zip(axes, answers.items(), strict=True):
    ari = adjusted_rand_score(truth, labels)
    print(f"{name:24s} ARI {ari:.2f}")
    axis.scatter(X[:, 0], X[:, 1], c=labels, s=6, cmap="viridis")
    axis.set(title=f"{name}\nARI {ari:.2f}", xticks=[], yticks=[])
figure.tight_layout()
