"""Which movement was imagined? Chapter 5 of de Amorim's thesis on real recordings.

    python examples/eeg_motor_imagery.py [--data FOLDER] [--picture eeg_weights.html]

Reads the motor-imagery runs of a PhysioNet subject (EDF files such as S001R04.edf; by default those
in $WEFT_DATA/eeg), turns each trial into power spectral densities of five bipolar channels, drops
features that repeat each other by iKFS, clusters the trials by WK-Means and iMWK-Means, and prints
what the thesis reports: accuracy per exponent, before and after, and the weights of channels and
bands. Without the recordings it uses synthetic ones.

Needs: pip install 'weft[eeg,app]'
"""

from __future__ import annotations

import argparse
import os
import re
import warnings
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.signal import spectrogram
from sklearn.exceptions import ConvergenceWarning

from weft import FeatureClusterSelector, RangeScaler, WeightedKMeans, choose_exponent
from weft._base.validation import import_optional
from weft.metrics import accuracy

# The thesis: fc3-pc3, fc1-pc1, cz-pz, fc2-pc2, fc4-pc4. "pc" is cp in the 10-20 system.
PAIRS = (("FC3", "CP3"), ("FC1", "CP1"), ("CZ", "PZ"), ("FC2", "CP2"), ("FC4", "CP4"))
CHANNELS = [f"{a.title()}-{b.title()}" for a, b in PAIRS]
TASKS = ("left hand", "right hand", "feet")
# Runs of the PhysioNet set with imagined movement, and what T1 and T2 mean in them.
HANDS, FEET = (4, 8, 12), (6, 10, 14)
MEANING = {run: {"T1": 0, "T2": 1} for run in HANDS} | {run: {"T2": 2} for run in FEET}
SECONDS = 4.0
LOW, HIGH, BANDS = 8.0, 45.0, 16  # 16 bands over 8-45 Hz
WINDOWS = 71  # and 71 moments: 5 × 16 × 71 = 5,680 features, as in the thesis
GRID = np.arange(10, 51, 5) / 10.0


class Trials(NamedTuple):
    """Signals (n_trials, 5, n_samples), the task of each trial, samples per second."""

    signals: np.ndarray
    tasks: np.ndarray
    rate: float


def read_recordings(folder: Path) -> Trials:
    """Cut the trials of the imagined movements out of a subject's runs."""
    edfio = import_optional("edfio", "eeg")
    signals, tasks, rate = [], [], 0.0
    for path in sorted(folder.glob("*.edf")):
        number = re.search(r"R(\d+)\.edf$", path.name, re.IGNORECASE)
        if number is None or int(number[1]) not in MEANING:
            continue
        recording = edfio.read_edf(path)
        by_name = {signal.label.strip(". ").upper(): signal for signal in recording.signals}
        rate = float(by_name[PAIRS[0][0]].sampling_frequency)
        bipolar = np.stack([by_name[a].data - by_name[b].data for a, b in PAIRS])
        for note in recording.annotations:
            task = MEANING[int(number[1])].get(note.text.strip())
            start = round(note.onset * rate)
            stop = start + round(SECONDS * rate)
            if task is not None and stop <= bipolar.shape[1]:
                signals.append(bipolar[:, start:stop])
                tasks.append(task)
    if not signals:
        raise SystemExit(f"{folder} holds no run of imagined movement (R04, R06, … R14).")
    return Trials(np.array(signals), np.array(tasks), rate)


def make_recording(n_trials: int = 66, seed: int = 0) -> Trials:
    """Make synthetic trials: noise with a mu rhythm that fades over the imagined side."""
    rng = np.random.default_rng(seed)
    rate = 160.0
    time = np.arange(round(SECONDS * rate)) / rate
    tasks = np.arange(n_trials) % len(TASKS)
    #           Fc3-Cp3 Fc1-Cp1 Cz-Pz Fc2-Cp2 Fc4-Cp4: the left hand quietens the right side
    rhythm = np.array(
        [[1.0, 0.9, 0.8, 0.4, 0.2], [0.2, 0.4, 0.8, 0.9, 1.0], [0.9, 0.6, 0.2, 0.6, 0.9]]
    )
    fall = np.sqrt(np.fft.rfftfreq(len(time), 1 / rate) + 1.0)  # about 1/f in power
    signals = np.empty((n_trials, len(PAIRS), len(time)))
    for trial, task in enumerate(tasks):
        white = rng.normal(size=(len(PAIRS), len(time)))
        pink = np.fft.irfft(np.fft.rfft(white) / fall)
        for channel in range(len(PAIRS)):
            phase = 2 * np.pi * (rng.uniform() + (10.5 + rng.normal(0, 0.3)) * time)
            strength = rhythm[task, channel] * rng.lognormal(0.0, 0.25)
            signals[trial, channel] = 20.0 * pink[channel] + 12.0 * strength * np.sin(phase)
    return Trials(signals, tasks, rate)


def densities(trials: Trials) -> np.ndarray:
    """Return power in dB, (n_trials, 5 channels × 16 bands × 71 moments)."""
    length = trials.signals.shape[-1]
    window = round(0.5 * trials.rate)
    step = (length - window) // (WINDOWS - 1)
    frequencies, _, power = spectrogram(
        trials.signals,
        fs=trials.rate,
        window="hann",
        nperseg=window,
        noverlap=window - step,
        nfft=round(trials.rate),  # bins of 1 Hz
    )
    edges = np.linspace(LOW, HIGH, BANDS + 1)
    band = np.clip(np.searchsorted(edges, frequencies, side="right") - 1, -1, BANDS)
    bands = np.stack([power[:, :, band == b].mean(axis=2) for b in range(BANDS)], axis=2)
    return 10.0 * np.log10(bands[..., :WINDOWS] + 1e-12).reshape(len(power), -1)


class Row(NamedTuple):
    """Accuracies of one algorithm at one exponent."""

    algorithm: str
    distance: float
    weight: float
    mean: float
    deviation: float
    best: float


def sweep(X: np.ndarray, tasks: np.ndarray, n_runs: int) -> Iterator[Row]:
    """Run WK-Means (random starts) and iMWK-Means (none needed) at each exponent."""
    k = len(TASKS)
    for beta in GRID:
        runs = [
            WeightedKMeans(
                k,
                distance_exponent=2.0,
                weight_exponent=beta,
                init="random",
                init_weights="random",
                n_init=1,
                random_state=run,
            )
            for run in range(n_runs)
        ]
        found = 100 * np.array([accuracy(tasks, run.fit(X).labels_) for run in runs])
        yield Row("WK-Means", 2.0, beta, found.mean(), found.std(), found.max())
    for beta in GRID:
        model = WeightedKMeans(k, distance_exponent=beta).fit(X)
        right = 100 * accuracy(tasks, model.labels_)
        yield Row("iMWK-Means", beta, beta, right, 0.0, right)


def show(title: str, rows: list[Row]) -> None:
    """Print the accuracy per exponent, and the best of each algorithm as in table 5.7."""
    print(f"\n{title}")
    print("  β            " + "".join(f"{beta:6.1f}" for beta in GRID))
    for algorithm in ("WK-Means", "iMWK-Means"):
        own = [row for row in rows if row.algorithm == algorithm]
        print(f"  {algorithm:12s} " + "".join(f"{row.mean:6.1f}" for row in own))
    for algorithm in ("WK-Means", "iMWK-Means"):
        row = max((row for row in rows if row.algorithm == algorithm), key=lambda row: row.mean)
        spread = f" ± {row.deviation:.1f}, max {row.best:.1f}" if row.deviation else ""
        print(
            f"  best {algorithm}: distance {row.distance:g}, weight {row.weight:g}: "
            f"{row.mean:.1f} %{spread}"
        )


def weights_by_channel(weights: np.ndarray, support: np.ndarray) -> np.ndarray:
    """Return the weight of each channel and band (5, 16), summed over the kept moments."""
    full = np.zeros(len(support))
    full[support] = weights
    return full.reshape(len(PAIRS), BANDS, WINDOWS).sum(axis=2)


def draw(by_channel: np.ndarray, path: Path) -> None:
    """Print a bar per channel, and write the picture of channels and bands if plotly is there."""
    print("\nWeight per channel (iMWK-Means, mean of the clusters)")
    for name, weight in zip(CHANNELS, by_channel.sum(axis=1), strict=True):
        print(f"  {name:8s} {weight:5.2f} " + "█" * round(40 * weight))
    try:
        graph = import_optional("plotly.graph_objects", "app")
    except ModuleNotFoundError as error:
        print(f"  no picture: {error}")
        return
    edges = np.linspace(LOW, HIGH, BANDS + 1)
    names = [f"{low:.0f}-{high:.0f} Hz" for low, high in pairwise(edges)]
    figure = graph.Figure(graph.Heatmap(z=by_channel, x=names, y=CHANNELS, colorscale="Viridis"))
    figure.update_layout(title="Feature weights per channel and band")
    figure.write_html(path, include_plotlyjs=True)
    print(f"  picture: {path}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    default = Path(os.environ["WEFT_DATA"]) / "eeg" if "WEFT_DATA" in os.environ else None
    parser.add_argument("--data", type=Path, default=default, help="folder with the EDF files")
    parser.add_argument("--runs", type=int, default=20, help="starts of WK-Means (default 20)")
    parser.add_argument("--picture", type=Path, default=Path("eeg_weights.html"))
    arguments = parser.parse_args()
    # A grid of settings holds some that do not converge.
    warnings.simplefilter("ignore", ConvergenceWarning)
    if arguments.data is not None and arguments.data.is_dir():
        trials, source = read_recordings(arguments.data), "real recordings"
    else:
        trials, source = make_recording(), "a synthetic recording (no data folder)"
    counts = np.bincount(trials.tasks, minlength=len(TASKS))
    listed = ", ".join(f"{count} {task}" for count, task in zip(counts, TASKS, strict=True))
    X = RangeScaler().fit_transform(densities(trials))
    print(f"{source}: {len(X)} trials ({listed}), {X.shape[1]:,} features")

    show(f"All {X.shape[1]:,} features", list(sweep(X, trials.tasks, arguments.runs)))
    selector = FeatureClusterSelector().fit(X)
    kept = selector.transform(X)
    print(
        f"\niKFS: {selector.n_clusters_} clusters of features, {kept.shape[1]} features stay "
        "(the thesis: 20, 9 and 11 of 5,680)"
    )
    show(f"The {kept.shape[1]} features of iKFS", list(sweep(kept, trials.tasks, arguments.runs)))

    model = WeightedKMeans(len(TASKS))
    choice = choose_exponent(model, kept, GRID, random_state=0)
    model.set_params(**choice.parameters).fit(kept)
    right = 100 * accuracy(trials.tasks, model.labels_)
    print(f"\nβ chosen without labels: {choice.exponent:g}, accuracy {right:.1f} %")
    mean_weights = model.cluster_feature_weights_.mean(axis=0)
    draw(weights_by_channel(mean_weights, selector.get_support()), arguments.picture)


if __name__ == "__main__":
    main()
