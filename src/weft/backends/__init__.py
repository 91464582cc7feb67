"""One set of operations in three backends.

==============  ====================================================================================
`reference`     readable NumPy; documents each operation; the others are tested against it
`cpu`           numba, sequential per particle; threads run particles or rows side by side
`gpu`           torch, a whole swarm per call; Triton kernels on CUDA
==============  ====================================================================================

A backend has one module of operations for each topic (see `TOPICS`), with the same names and
signatures in every backend: ``backend.kmeans.nearest(data, centers, factors)``. An operation takes
and returns NumPy arrays; data that stays on a device between calls is an opaque record which the
topic's ``load`` makes and which only that backend's operations read. An operation that a backend
does not support is missing; its use raises an error of one sentence. Operations call ``kernels``,
which take and return arrays. Only their own backend calls them.

`backend_for` is the only place that decides where work runs.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from types import ModuleType
from typing import Any

from weft._base.validation import check_choice
from weft.backends import devices
from weft.backends.devices import DEVICES

__all__ = ["CPU", "REFERENCE", "TOPICS", "Backend", "backend_for"]

TOPICS = ("features", "kmeans", "projected", "prototypes", "mercer", "columns")

# Size of the work from which a GPU was clearly faster than 16 cores, measured by bench/gpu. Callers
# pass the size in the unit given in each comment.
WORTH_A_GPU = {
    "auto": 3e5,  # numbers in the table
    "columns": 5e9,  # columns × numbers in the table
    "features-affinity": 1e7,  # rows × numbers in the table, also for the next ones
    "features-dbscan": 5e7,
    "features-knn": 1e7,
    "features-linkage": 5e8,
    "kmeans": 1e6,  # numbers in the table, for squared distances
    "kmeans-powers": 1e5,  # numbers in the table, for other powers: slow on a CPU
    "mercer-closed": 1e3,  # rows, for kernel k-means and subtractive clustering
    "mercer-swarm": 5e2,  # rows
    "projected": 1e7,  # numbers in the table × clusters × particles
    "prototypes": 2e4,  # numbers in the table
    "centroids": 1e6,  # numbers in the table × clusters
}


@dataclass(frozen=True)
class Backend:
    """One of the backends; its topics are imported on first use."""

    name: str  # "reference", "cpu" or "gpu"
    device: str = "cpu"  # torch's name of the device

    def __getattr__(self, topic: str) -> ModuleType:
        if topic not in TOPICS:
            raise AttributeError(f"a backend has no topic {topic!r}")
        return import_module(f"weft.backends.{self.name}.{topic}")

    @property
    def on_gpu(self) -> bool:
        """Whether a whole swarm is evaluated per call, on a device."""
        return self.name == "gpu"


CPU = Backend("cpu")
REFERENCE = Backend("reference")


def backend_for(device: Any, work: str, size: float, X: Any = None) -> Backend:
    """Return the backend for work of a kind and size: the only place where this is decided.

    `device` is the parameter of the user. ``"auto"`` uses a GPU if there is one and the work is
    large enough, or if the table `X` is already in its memory.
    """
    check_choice("device", device, DEVICES)
    lies_there = X is not None and devices.is_on_gpu(X)
    if device == "cpu":
        return CPU
    if device == "cuda":
        devices.load_torch()
        if not devices.has_cuda():
            raise ValueError(
                "device='cuda' needs a GPU that torch can use, and none was found; "
                "use device='cpu', or 'auto', which uses a GPU only if there is one."
            )
        return Backend("gpu", devices.GPU)
    if (lies_there or size >= WORTH_A_GPU.get(work, float("inf"))) and devices.has_cuda():
        return Backend("gpu", devices.GPU)
    return CPU
