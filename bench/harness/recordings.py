"""EEG recordings as tables of trials, in the form of chapter 5 of de Amorim 2011.

"We have transformed the raw data into its power spectrum density": five bipolar channels, 16 bands
over 8 to 45 Hz, in windows that move over the trial; a feature is a window, a band and a channel.
The thesis's recordings are not public. These are PhysioNet's motor imagery runs of one person, six
files of the European Data Format, 64 channels at 160 Hz, trials of about four seconds.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import numpy as np

PAIRS = (("Fc3", "Cp3"), ("Fc1", "Cp1"), ("Cz", "Pz"), ("Fc2", "Cp2"), ("Fc4", "Cp4"))
# Runs with left and right fist, and runs with both fists and both feet; imagined, not moved.
TASKS = {
    **{run: {"T1": "left", "T2": "right"} for run in (4, 8, 12)},
    **{run: {"T2": "feet"} for run in (6, 10, 14)},
}
BANDS = np.linspace(8.0, 45.0, 17)  # edges of 16 bands, in Hz
SECONDS = 4.0  # of a trial
WINDOW, STEP = 1.0, 0.1  # seconds


class Recording(NamedTuple):
    """Signals of one file, and its events."""

    signals: dict[str, np.ndarray]
    rate: float  # samples per second
    events: list[tuple[float, str]]  # seconds from the start, and the text


def read_recording(path: Path) -> Recording:
    """Read a file of the European Data Format with annotations (EDF+)."""
    content = path.read_bytes()
    n_records, seconds = int(content[236:244]), float(content[244:252])
    n_signals = int(content[252:256])
    # Each field of the header is written for all signals before the next one begins.
    widths = (16, 80, 8, 8, 8, 8, 8, 80, 8, 32)
    fields, place = [], 256
    for width in widths:
        fields.append(
            [
                content[place + k * width :][:width].decode("latin-1").strip()
                for k in range(n_signals)
            ]
        )
        place += width * n_signals
    names = [name.rstrip(".") for name in fields[0]]
    low, high, least, most = (np.array(fields[k], dtype=float) for k in (3, 4, 5, 6))
    counts = np.array(fields[8], dtype=int)
    samples = np.frombuffer(content[place:], dtype="<i2")[: n_records * counts.sum()]
    records = samples.reshape(n_records, counts.sum())
    starts = np.concatenate([[0], np.cumsum(counts)])
    signals, events = {}, []
    for k, name in enumerate(names):
        part = records[:, starts[k] : starts[k + 1]]
        if name == "EDF Annotations":
            events = _events(part.tobytes())
        else:
            scale = (high[k] - low[k]) / (most[k] - least[k])
            signals[name] = (part.ravel() - least[k]) * scale + low[k]
    return Recording(signals, counts[0] / seconds, events)


def _events(raw: bytes) -> list[tuple[float, str]]:
    """Read time-stamped annotations: onset, duration, text, with control bytes between them."""
    found = re.findall(rb"([+-][0-9.]+)(?:\x15[0-9.]+)?\x14([^\x14\x00]+)\x14", raw)
    return [(float(onset), text.decode()) for onset, text in found]


def band_powers(trial: np.ndarray, rate: float) -> np.ndarray:
    """Return mean power in each band, window by window, of one signal: (n_windows, 16)."""
    width, step = round(WINDOW * rate), round(STEP * rate)
    windows = np.lib.stride_tricks.sliding_window_view(trial, width)[::step]
    spectrum = np.abs(np.fft.rfft(windows * np.hanning(width), axis=1)) ** 2
    band = np.digitize(np.fft.rfftfreq(width, 1.0 / rate), BANDS) - 1
    return np.stack([spectrum[:, band == b].mean(axis=1) for b in range(len(BANDS) - 1)], axis=1)


def read_trials(folder: Path) -> tuple[np.ndarray, np.ndarray]:
    """Return features of all trials of the folder's runs, and their tasks."""
    rows, tasks = [], []
    for path in sorted(folder.glob("*.edf")):
        known = TASKS.get(int(path.stem[-2:]), {})
        recording = read_recording(path)
        channels = [recording.signals[a] - recording.signals[b] for a, b in PAIRS]
        for onset, text in recording.events:
            first = round(onset * recording.rate)
            last = first + round(SECONDS * recording.rate)
            if text in known and last <= len(channels[0]):
                powers = [band_powers(each[first:last], recording.rate) for each in channels]
                rows.append(np.stack(powers, axis=2).ravel())
                tasks.append(known[text])
    return np.array(rows), np.unique(tasks, return_inverse=True)[1]
