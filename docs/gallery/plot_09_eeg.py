"""
EEG: the channels and bands that separate imagined movements
============================================================

Synthetic EEG trials of imagined movements as 5,680 power densities (5 channels, 16 bands, 71
moments). Features that repeat each other are dropped, and the rest is clustered with weights.
``examples/eeg_motor_imagery.py`` does the same with public recordings.
"""

# %%
import matplotlib.pyplot as plt
import numpy as np
from eeg_motor_imagery import (
    BANDS,
    CHANNELS,
    HIGH,
    LOW,
    TASKS,
    densities,
    make_recording,
    weights_by_channel,
)
from sklearn.cluster import KMeans

from weft import FeatureClusterSelector, RangeScaler, WeightedKMeans
from weft.metrics import accuracy

trials = make_recording()
X = RangeScaler().fit_transform(densities(trials))
print(f"{X.shape[0]} trials, {X.shape[1]:,} features")

# %%
# The selection keeps a tenth of the features. k-means gets all of them, and does better here: in
# these synthetic trials the signal is in many neighbouring features at once, and a mean over all of
# them is less noisy than a few. The selection is useful if you need few features, or if you want to
# know which of them matter.
selector = FeatureClusterSelector().fit(X)
kept = selector.transform(X)
model = WeightedKMeans(len(TASKS), distance_exponent=1.5).fit(kept)
plain = KMeans(len(TASKS), n_init=10, random_state=0).fit_predict(X)
for name, labels in {
    f"WeightedKMeans, {kept.shape[1]} features": model.labels_,
    "k-means, all features": plain,
}.items():
    print(f"{name:30s} {accuracy(trials.tasks, labels):.0%} of the trials in the right cluster")

# %%
# The weights show which channels and bands separate the tasks.
by_channel = weights_by_channel(model.cluster_feature_weights_.mean(axis=0), selector.get_support())
figure, axis = plt.subplots(figsize=(9, 3.5))
drawn = axis.imshow(by_channel, aspect="auto", cmap="Blues")
edges = np.linspace(LOW, HIGH, BANDS + 1)
axis.set_xticks(range(0, BANDS, 3), [f"{edges[b]:.0f} Hz" for b in range(0, BANDS, 3)])
axis.set_yticks(range(len(CHANNELS)), CHANNELS)
figure.colorbar(drawn, label="weight")
figure.tight_layout()
