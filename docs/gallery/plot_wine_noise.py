"""
Wine with as much noise as wine
===============================

Thirteen measurements of 178 wines of three growers, and thirteen columns that know nothing of them.
Which columns does each method lean on, and does it find the growers?
"""

# %%
# The table, with the truth beside it.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.cluster import HDBSCAN, KMeans
from sklearn.datasets import load_wine

from weft import FeatureSwarm, ProjectedSwarm, RangeScaler, WeightedKMeans
from weft.datasets import add_noise_features
from weft.metrics import pair_f

wine = add_noise_features(load_wine(), 13, random_state=0)
X = RangeScaler().fit_transform(wine.data)

# %%
# A swarm around complete linkage, and weighted k-means in closed form.
swarm = FeatureSwarm("linkage", n_clusters=3, random_state=0).fit(X)
kmeans = WeightedKMeans(3, distance_exponent=1.5).fit(X)

figure, axes = plt.subplots(1, 2, figsize=(11, 6), sharey=True)
places = np.arange(X.shape[1])
for axis, model in zip(axes, (swarm, kmeans), strict=True):
    share = model.feature_weights_ / model.feature_weights_.sum()
    colours = np.where(wine.relevant, "#0072b2", "#8a8f94")
    axis.barh(places, share, color=colours)
    noise = share[~wine.relevant].sum()
    axis.set_title(f"{type(model).__name__}: {noise:.0%} of the weight on noise")
    axis.set_xlabel("share of the weight")
axes[0].set_yticks(places, wine.feature_names)
axes[0].invert_yaxis()
figure.tight_layout()

# %%
# Against the growers (F over pairs; 1 is perfect), beside two methods that take all columns as they
# come. The swarm drops nearly all of the noise and still splits off too much: complete linkage and
# its criterion are the weak part. Weights per cluster do better than no weights; HDBSCAN finds no
# dense group among 26 columns and leaves every row out.
projected = ProjectedSwarm(3, n_evaluations=200, random_state=0).fit(X)
for name, labels in {
    "FeatureSwarm, complete linkage": swarm.labels_,
    "WeightedKMeans, exponent 1.5": kmeans.labels_,
    "ProjectedSwarm": projected.labels_,
    "k-means on all columns": KMeans(3, n_init=10, random_state=0).fit_predict(X),
    "HDBSCAN on all columns": HDBSCAN(min_cluster_size=10, copy=True).fit_predict(X),
}.items():
    print(f"{name:32s} F {pair_f(wine.target, labels):.3f}")
