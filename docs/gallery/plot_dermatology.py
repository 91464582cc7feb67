"""
Dermatology: what each group of patients has in common
======================================================

358 patients, 34 findings, six diseases of the skin (the column ``label``, which only judges).
Weights per cluster say which findings make each group.
"""

# %%
# Read the table; without it, breast cancer's 30 measurements stand in.
import os
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.cluster import KMeans
from sklearn.datasets import load_breast_cancer

from weft import ProjectedSwarm, RangeScaler
from weft.metrics import accuracy

folder = os.environ.get("WEFT_DATA")
if folder:
    table = pd.read_csv(Path(folder) / "dermatology_358.csv")
    truth = table.pop("label")
else:
    loaded = load_breast_cancer(as_frame=True)
    table, truth = loaded.data, loaded.target
print(f"{len(table)} rows, {table.shape[1]} columns, {truth.nunique()} classes")

# %%
# Clusters with weights of their own, beside k-means, which takes all columns alike.
X = RangeScaler().set_output(transform="pandas").fit_transform(table)
k = truth.nunique()
model = ProjectedSwarm(k, n_evaluations=200, random_state=0).fit(X)
plain = KMeans(k, n_init=10, random_state=0).fit(X)
for name, found in {"ProjectedSwarm": model, "k-means": plain}.items():
    print(f"{name:15s} accuracy {accuracy(truth, found.labels_, mapping='optimal'):.3f}")

# %%
# The heaviest columns of each cluster.
own = model.cluster_feature_weights_
top = np.argsort(-own.max(axis=0))[:15]
figure, axis = plt.subplots(figsize=(8, 6))
drawn = axis.imshow(own[:, top].T, aspect="auto", cmap="Blues")
axis.set_yticks(range(len(top)), [X.columns[j] for j in top])
axis.set_xticks(range(len(own)), [f"cluster {k}" for k in range(len(own))], rotation=30)
figure.colorbar(drawn, label="weight")
figure.tight_layout()
