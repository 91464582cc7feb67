"""
Wide data: 2,000 columns, 100 rows, as in gene expression
=========================================================

Four groups of samples. In each group twenty genes are raised; the other 1,920 columns are noise.
When the signal is strong, k-means finds the groups too. When it is weaker, the noise columns hide
it from k-means.
"""

# %%
# The answers at two strengths of the signal. Both methods are given the number of clusters.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score

from weft import AutoCluster

truth = np.repeat(np.arange(4), 25)


def make_samples(shift, seed=0):
    X = np.random.default_rng(seed).normal(size=(100, 2_000))
    for k in range(4):
        X[truth == k, 20 * k : 20 * k + 20] += shift
    return X


for shift in (3.0, 2.0):
    X = make_samples(shift)
    model = AutoCluster(4, n_resamples=0, random_state=0).fit(X)
    plain = KMeans(4, n_init=10, random_state=0).fit_predict(X)
    for name, labels in {"AutoCluster(4)": model.labels_, "k-means": plain}.items():
        print(f"shift {shift}: {name:15s} ARI {adjusted_rand_score(truth, labels):.2f}")

# %%
# k-means does not say which genes make the groups. The weights of AutoCluster do: the 80 genes that
# belong to groups are the first 80.
heaviest = np.argsort(-model.feature_weights_)[:80]
print(f"{(heaviest < 80).sum()} of the 80 columns with the largest weights belong to groups")
figure, axis = plt.subplots(figsize=(9, 3.2))
axis.bar(range(200), model.feature_weights_[:200], width=1.0, color="#0072b2")
axis.axvline(79.5, color="k", linewidth=0.8)
axis.set(xlabel="gene (the first 200; those left of the line belong to groups)", ylabel="weight")
figure.tight_layout()
