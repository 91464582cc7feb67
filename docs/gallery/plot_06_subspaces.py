"""
Clusters in different subspaces
===============================

Ten clusters in 100 columns. Each cluster differs from the others only in some columns of its own,
so no single set of columns shows all clusters. ``ProjectedSwarm`` learns a weight per cluster and
column.
"""

# %%
import matplotlib.pyplot as plt
from sklearn.cluster import KMeans
from sklearn.mixture import GaussianMixture
from sklearn.preprocessing import StandardScaler

from weft import ProjectedSwarm
from weft.datasets import make_subspace_clusters
from weft.metrics import accuracy, found_features

data = make_subspace_clusters(mean_range=(0, 10), subspace_ratio=0.1, random_state=0)
model = ProjectedSwarm(10, random_state=0).fit(data.data)

# %%
# All methods are given the number of clusters. Accuracy is the share of rows in the right cluster.
Z = StandardScaler().fit_transform(data.data)
answers = {
    "ProjectedSwarm": model.labels_,
    "k-means": KMeans(10, n_init=10, random_state=0).fit_predict(Z),
    "Gaussian mixture": GaussianMixture(
        10, covariance_type="diag", n_init=3, reg_covar=1e-3, random_state=0
    ).fit_predict(Z),
}
for name, labels in answers.items():
    print(f"{name:18s} accuracy {accuracy(data.target, labels, mapping='optimal'):.2f}")

# %%
# The weights show which columns belong to which cluster.
weights = model.cluster_feature_weights_
score = found_features(data.relevant_by_cluster, weights, data.target, model.labels_)
print(f"columns of each cluster: precision {score.precision:.2f}, recall {score.recall:.2f}")
figure, axis = plt.subplots(figsize=(9, 3.2))
drawn = axis.imshow(weights, aspect="auto", cmap="Blues")
axis.set(xlabel="column", ylabel="cluster", title="weight of each column in each cluster")
figure.colorbar(drawn)
figure.tight_layout()
