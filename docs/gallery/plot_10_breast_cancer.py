"""
Breast cancer: two kinds of tumours, and how they differ
========================================================

569 tumours with 30 measurements of cell nuclei (the Wisconsin diagnostic data of scikit-learn). The
diagnosis is used only to check the clusters. The two kinds overlap, so this is a hard table:
without the number of clusters, ``AutoCluster`` is not sure that there are any.
"""

# %%
import matplotlib.pyplot as plt
import numpy as np
from sklearn.cluster import KMeans
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import StandardScaler

from weft import AutoCluster

loaded = load_breast_cancer(as_frame=True)
model = AutoCluster(2, n_resamples=0, random_state=0).fit(loaded.data)
print(model.verdict_)

# %%
# Both methods are given the number of clusters.
Z = StandardScaler().fit_transform(loaded.data)
plain = KMeans(2, n_init=10, random_state=0).fit_predict(Z)
for name, labels in {"AutoCluster(2)": model.labels_, "k-means": plain}.items():
    print(f"{name:16s} ARI {adjusted_rand_score(loaded.target, labels):.2f}")

# %%
# The measurements with the largest weights.
top = np.argsort(-model.feature_weights_)[:12]
figure, axis = plt.subplots(figsize=(8, 4))
axis.barh([loaded.data.columns[j] for j in top], model.feature_weights_[top], color="#0072b2")
axis.invert_yaxis()
axis.set_xlabel("weight")
figure.tight_layout()
