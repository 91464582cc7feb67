"""
AutoCluster: clusters, their number and the relevant columns
============================================================

The wine data has 13 measurements of 178 wines of three growers. Here 39 noise columns are added, so
three of four columns are irrelevant. ``AutoCluster`` is given neither the number of clusters nor
the columns that matter.
"""

# %%
# The table, and the answer.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.cluster import HDBSCAN, KMeans
from sklearn.datasets import load_wine
from sklearn.metrics import adjusted_rand_score
from sklearn.mixture import GaussianMixture
from sklearn.preprocessing import StandardScaler

from weft import AutoCluster
from weft.datasets import add_noise_features

wine = add_noise_features(load_wine(), 39, random_state=0)
model = AutoCluster(random_state=0).fit(wine.data)
print(model.verdict_)

# %%
# Other methods on the same table. k-means and the Gaussian mixture are given the true number of
# clusters; AutoCluster and HDBSCAN are not. The adjusted Rand index (ARI) compares the clusters
# with the growers: 1 is perfect, 0 is chance.
X = StandardScaler().fit_transform(wine.data)
answers = {
    "AutoCluster": model.labels_,
    "k-means, told 3": KMeans(3, n_init=10, random_state=0).fit_predict(X),
    "Gaussian mixture, told 3": GaussianMixture(3, reg_covar=1e-3, random_state=0).fit_predict(X),
    "HDBSCAN": HDBSCAN(copy=True).fit_predict(X),
}
ari = {name: adjusted_rand_score(wine.target, labels) for name, labels in answers.items()}
for name, value in ari.items():
    print(f"{name:26s} ARI {value:.2f}")

# %%
# Left: the weight of each column; the real columns are blue. Right: the comparison.
figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4))
order = np.argsort(-model.feature_weights_, kind="stable")[:26]
colours = np.where(wine.relevant[order], "#0072b2", "#8a8f94")
left.bar(range(len(order)), model.feature_weights_[order], color=colours)
left.set(xlabel="the 26 columns with the largest weights", ylabel="weight")
left.set_title(f"{wine.relevant[model.get_support()].sum()} of the kept columns are real, "
               f"{(~wine.relevant[model.get_support()]).sum()} are noise")  # fmt: skip
right.barh(list(ari), list(ari.values()), color=["#0072b2", *["#8a8f94"] * 3])
right.invert_yaxis()
right.set(xlim=(0, 1), xlabel="adjusted Rand index")
figure.tight_layout()
