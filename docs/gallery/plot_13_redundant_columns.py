"""
Columns that repeat each other
==============================

Twelve hidden measurements, each recorded in five noisy copies: 60 columns.
``FeatureClusterSelector`` keeps one of each group without labels. A variance threshold, the usual
filter, cannot detect that columns repeat each other.
"""

# %%
import matplotlib.pyplot as plt
import numpy as np
from sklearn.feature_selection import VarianceThreshold

from weft import FeatureClusterSelector

rng = np.random.default_rng(0)
hidden = rng.normal(size=(300, 12))
group = np.repeat(np.arange(12), 5)
X = hidden[:, group] + 0.1 * rng.normal(size=(300, 60))

# %%
selector = FeatureClusterSelector().fit(X)
chosen = selector.get_support()
filtered = VarianceThreshold(np.quantile(X.var(axis=0), 1 - chosen.mean())).fit(X).get_support()
for name, kept in {"FeatureClusterSelector": chosen, "VarianceThreshold": filtered}.items():
    print(f"{name:23s} keeps {kept.sum()} columns of {len(set(group[kept]))} groups (of 12)")

# %%
# Correlations between the columns, before and after.
figure, axes = plt.subplots(1, 3, figsize=(11, 3.6))
views = {"all columns": np.full(60, True), "kept by weft": chosen, "by variance": filtered}
for axis, (name, kept) in zip(axes, views.items(), strict=True):
    axis.imshow(np.abs(np.corrcoef(X[:, kept].T)), cmap="Blues", vmin=0, vmax=1)
    axis.set(title=f"{name}: {kept.sum()}", xticks=[], yticks=[])
figure.tight_layout()
