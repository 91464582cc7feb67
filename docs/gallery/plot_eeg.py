"""
EEG: which movement was imagined, and where on the head
=======================================================

Trials of imagined movement as 5,680 power densities (5 channels, 16 bands, 71 moments); features
that repeat each other are dropped by iKFS, trials clustered by iMWK-Means.
``examples/eeg_motor_imagery.py`` is the whole study.
"""

# %%
# The recordings, or some made up where ``WEFT_DATA`` is not set or ``edfio`` is not installed.
import importlib.util
import os
from pathlib import Path

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
    read_recordings,
    weights_by_channel,
)

from weft import FeatureClusterSelector, RangeScaler, WeightedKMeans
from weft.metrics import accuracy

folder = os.environ.get("WEFT_DATA")
real = bool(folder) and importlib.util.find_spec("edfio") is not None
trials = read_recordings(Path(folder) / "eeg") if real else make_recording()
X = RangeScaler().fit_transform(densities(trials))
print(f"{'real' if real else 'made-up'} recordings: {X.shape[0]} trials, {X.shape[1]:,} features")

# %%
# Few features stay, and the weights of those say which channels and bands count.
selector = FeatureClusterSelector().fit(X)
kept = selector.transform(X)
model = WeightedKMeans(len(TASKS), distance_exponent=1.5).fit(kept)
right = accuracy(trials.tasks, model.labels_)
print(f"{kept.shape[1]} features stay; {right:.0%} of the trials in the cluster of their task")

by_channel = weights_by_channel(model.cluster_feature_weights_.mean(axis=0), selector.get_support())
figure, axis = plt.subplots(figsize=(9, 3.5))
drawn = axis.imshow(by_channel, aspect="auto", cmap="Blues")
edges = np.linspace(LOW, HIGH, BANDS + 1)
axis.set_xticks(range(0, BANDS, 3), [f"{edges[b]:.0f} Hz" for b in range(0, BANDS, 3)])
axis.set_yticks(range(len(CHANNELS)), CHANNELS)
figure.colorbar(drawn, label="weight")
figure.tight_layout()
