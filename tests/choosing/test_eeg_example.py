"""The EEG example on a made-up recording, without its minutes of fitting."""

import importlib.util
import os
from pathlib import Path

import numpy as np
import pytest

EXAMPLE = Path(__file__).parents[2] / "examples" / "eeg_motor_imagery.py"


@pytest.fixture(scope="module")
def example():
    spec = importlib.util.spec_from_file_location("eeg_motor_imagery", EXAMPLE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_trial_has_the_thesis_features(example):
    trials = example.make_recording(n_trials=6)
    assert trials.signals.shape == (6, 5, 640)
    X = example.densities(trials)
    assert X.shape == (6, 5680)
    assert np.isfinite(X).all()


def test_a_pure_tone_lies_in_its_band(example):
    # 20 Hz is in the 6th of 16 bands of (45 - 8) / 16 = 2.3 Hz: 8 + 5 · 2.3125 = 19.6 to 21.9.
    time = np.arange(640) / 160.0
    tone = np.tile(np.sin(2 * np.pi * 20.0 * time), (1, 5, 1))
    power = example.densities(example.Trials(tone, np.zeros(1, dtype=int), 160.0))
    loudest = power.reshape(5, 16, 71).mean(axis=2).argmax(axis=1)
    assert (loudest == 5).all()


def test_weights_go_back_to_their_channels(example):
    support = np.zeros(5680, dtype=bool)
    support[[0, 16 * 71, 5679]] = True  # first of channel 1, first of channel 2, last of channel 5
    by_channel = example.weights_by_channel(np.array([0.2, 0.3, 0.5]), support)
    assert by_channel.sum(axis=1).tolist() == [0.2, 0.3, 0.0, 0.0, 0.5]
    assert by_channel[4, 15] == 0.5


def test_real_recordings_are_read(example):
    folder = os.environ.get("WEFT_DATA")
    if folder is None or not (Path(folder) / "eeg").is_dir():
        pytest.skip("WEFT_DATA is not set or has no eeg folder: no recordings at hand")
    trials = example.read_recordings(Path(folder) / "eeg")
    assert trials.signals.shape[1:] == (5, 640)
    assert set(trials.tasks) == {0, 1, 2}
