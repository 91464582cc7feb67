"""The reader of EEG files on a file written here, and powers of a known wave."""

from __future__ import annotations

import numpy as np
import pytest
from bench.harness.recordings import BANDS, band_powers, read_recording, read_trials

RATE = 160


def write_recording(path, signals, events, seconds):
    """Write an EDF+ file: records of one second, a channel of annotations at the end."""
    names = [*signals, "EDF Annotations"]
    n = len(names)
    text = "".join(f"+{onset}\x15{lasts}\x14{what}\x14\x00" for onset, lasts, what in events)
    marks = np.frombuffer(text.encode().ljust(2 * 80 * seconds, b"\x00"), dtype="<i2")
    columns = [
        [f"{name}.".ljust(16) if name in signals else name.ljust(16) for name in names],
        [" " * 80] * n,
        ["uV".ljust(8)] * n,
        ["-100".ljust(8)] * n,
        ["100".ljust(8)] * n,
        ["-1000".ljust(8)] * n,
        ["1000".ljust(8)] * n,
        [" " * 80] * n,
        [str(RATE).ljust(8)] * (n - 1) + ["80".ljust(8)],
        [" " * 32] * n,
    ]
    head = "0".ljust(8) + " " * 160 + "01.01.0101.01.01" + str(256 * (n + 1)).ljust(8)
    head += " " * 44 + str(seconds).ljust(8) + "1".ljust(8) + str(n).ljust(4)
    records = []
    for second in range(seconds):
        for values in signals.values():
            part = values[second * RATE : (second + 1) * RATE]
            records.append(np.round(part * 10).astype("<i2"))  # ten digital units per microvolt
        records.append(marks[second * 80 : (second + 1) * 80])
    body = np.concatenate(records).tobytes()
    path.write_bytes(head.encode() + "".join("".join(c) for c in columns).encode() + body)


def test_signals_and_events_come_back(tmp_path):
    time = np.arange(3 * RATE) / RATE
    signals = {"Cz": 20.0 * np.sin(2 * np.pi * 10 * time), "Pz": np.linspace(-50.0, 50.0, 3 * RATE)}
    write_recording(tmp_path / "a.edf", signals, [(0, 1.5, "T0"), (1.5, 1.5, "T2")], 3)
    found = read_recording(tmp_path / "a.edf")
    assert found.rate == RATE
    assert found.events == [(0.0, "T0"), (1.5, "T2")]
    for name, values in signals.items():
        np.testing.assert_allclose(found.signals[name], values, atol=0.051)  # half a digital unit


@pytest.mark.parametrize("frequency", [12.0, 30.0])
def test_the_power_of_a_wave_is_in_its_band(frequency):
    time = np.arange(4 * RATE) / RATE
    powers = band_powers(np.sin(2 * np.pi * frequency * time), RATE)
    assert powers.shape == (31, 16)  # windows of a second in four, every tenth
    band = np.searchsorted(BANDS, frequency, side="right") - 1
    assert (powers.argmax(axis=1) == band).all()


def test_trials_are_those_of_known_tasks(tmp_path):
    names = ("Fc3", "Cp3", "Fc1", "Cp1", "Cz", "Pz", "Fc2", "Cp2", "Fc4", "Cp4")
    rng = np.random.default_rng(0)
    signals = {name: 10.0 * rng.normal(size=12 * RATE) for name in names}
    # Run 4: T1 is the left hand, T2 the right one. Run 6: T2 the feet, T1 is not used.
    events = [(0, 1, "T0"), (1, 4, "T1"), (6, 4, "T2"), (10, 4, "T1")]  # the last is cut short
    for run in (4, 6):
        write_recording(tmp_path / f"S001R{run:02}.edf", signals, events, 12)
    X, y = read_trials(tmp_path)
    assert X.shape == (3, 31 * 16 * 5)
    assert sorted(y.tolist()) == [0, 1, 2]
    np.testing.assert_array_equal(X[1], X[2])  # the same seconds of two runs, two tasks
