"""
How many clusters?
==================

``choose_n_clusters`` runs six methods and weights their answers by how clear each of them is. The
silhouette over k-means, which many people use alone, is one of the six.
"""

# %%
# Ten Gaussian clusters of different sizes and shapes in ten columns.
import matplotlib.pyplot as plt

from weft import choose_n_clusters
from weft.datasets import make_gaussians

X = make_gaussians(n_features=10, n_clusters=10, random_state=10).data
choice = choose_n_clusters(X, max_clusters=14, random_state=0)
print(choice)

# %%
# The curves behind two of the answers.
figure, axes = plt.subplots(1, 2, figsize=(9, 3))
for axis, name in zip(axes, ("silhouette", "mixture"), strict=True):
    curve = choice.curves[name]
    axis.plot(curve.numbers, curve.scores, color="#0072b2")
    axis.axvline(10, color="k", linewidth=0.8)
    axis.axvline(curve.n_clusters, color="#e69f00", linestyle="--")
    axis.set(title=f"{name}: {curve.n_clusters} (truth: 10)", xlabel="number of clusters")
figure.tight_layout()
