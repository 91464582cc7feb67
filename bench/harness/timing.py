"""Seconds of a call, and a description of the machine."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import scipy
import sklearn

import weft


def seconds(call: Callable[[], Any]) -> float:
    """Return how long a call takes."""
    began = time.perf_counter()
    call()
    return time.perf_counter() - began


def interleaved(calls: list[Callable[[], Any]], rounds: int) -> list[float]:
    """Return the median seconds of each call; all are warmed up and run in turns."""
    for call in calls:
        call()
    times = [[seconds(call) for call in calls] for _ in range(rounds)]
    return [float(value) for value in np.median(times, axis=0)]


def machine() -> str:
    """Return the processor and the versions of the libraries."""
    model = ""
    if Path("/proc/cpuinfo").exists():
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
        model = f"{names[0]}, " if names else ""
    return (
        f"{model}{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}, "
        f"NumPy {np.__version__}, SciPy {scipy.__version__}, scikit-learn {sklearn.__version__}, "
        f"weft {weft.__version__}"
    )
