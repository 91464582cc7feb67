"""
Numbers and categories in one table
===================================

A table of 300 machines with numbers, categories and missing values. Four categories with many
values are irrelevant. In weft each column of the table counts once, however many values it has.
"""

# %%
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score, silhouette_score
from sklearn.preprocessing import StandardScaler

from weft import AutoCluster

rng = np.random.default_rng(0)
kind = rng.integers(0, 3, 300)
table = pd.DataFrame({
    "material": np.where(rng.random(300) < 0.9, np.array(["steel", "wood", "clay"])[kind], "other"),
    "finish": np.where(rng.random(300) < 0.9, np.array(["matt", "oiled", "clear"])[kind], "raw"),
    "weight": rng.normal(np.array([30.0, 12.0, 20.0])[kind], 3.0),
    "length": rng.normal(np.array([1.0, 2.0, 3.0])[kind], 0.4),
    **{name: rng.choice([f"{name} {i}" for i in range(n)], 300)
       for name, n in {"site": 12, "customer": 10, "batch": 15, "carrier": 8}.items()},
})  # fmt: skip
table.loc[rng.random(300) < 0.1, "finish"] = None

# %%
# AutoCluster takes the raw table. In the usual recipe, categories are encoded (one-hot), numbers
# are scaled, and the number of clusters is chosen: k-means, and the number with the best
# silhouette.
model = AutoCluster(n_resamples=0, random_state=0).fit(table)
encoded = pd.get_dummies(table).astype(float)
encoded[["weight", "length"]] = StandardScaler().fit_transform(encoded[["weight", "length"]])
usual = {k: KMeans(k, n_init=5, random_state=0).fit_predict(encoded) for k in range(2, 11)}
chosen = max(usual, key=lambda k: silhouette_score(encoded, usual[k]))
for name, labels in {
    "AutoCluster": model.labels_,
    "one-hot + k-means, silhouette": usual[chosen],
    "one-hot + k-means, told 3": usual[3],
}.items():
    ari = adjusted_rand_score(kind, labels)
    print(f"{name:30s} {len(set(labels))} clusters, ARI {ari:.2f}")

# %%
# If it is given the number of clusters, one-hot k-means finds all three. Otherwise the silhouette
# chooses two.
#
# One weight for each column of the table, however many values it has. The four columns that belong
# together share the weight; the four irrelevant categories have weight 0.
names = [column.name for column in model.source_columns_]
figure, axis = plt.subplots(figsize=(7, 3.4))
axis.barh(names, model.source_weights_, color="#0072b2")
axis.invert_yaxis()
axis.set(xlabel="weight", title="site, customer, batch and carrier are irrelevant")
figure.tight_layout()
