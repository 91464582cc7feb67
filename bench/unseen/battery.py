"""The battery: real tables and well-known shapes, read from $WEFT_DATA/battery.

Each file holds X (n, d) and y (n, labellings), -1 where a row is not scored. Nothing is trained or
chosen on these sets: they only measure.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

import numpy as np

from bench.unseen.scoring import number_of_clusters
from bench.unseen.world.lumps import one_lump_copy

GROUPS = ("fcps", "graves", "tables", "wide", "images")
LUMP = "lump of "  # before the name of a set: its one-lump copy, which has no clusters
LUMPS = "lumps"


class BatterySet(NamedTuple):
    """One set of the battery."""

    name: str
    group: str
    X: np.ndarray
    references: np.ndarray  # (n, labellings)

    @property
    def cluster_counts(self) -> list[int]:
        """K of each reference labelling: methods that need K are told each of them in turn."""
        return [number_of_clusters(column) for column in self.references.T]


def folder() -> Path:
    """Return the folder of the battery."""
    root = os.environ.get("WEFT_DATA", "")
    path = Path(root) / "battery"
    if not root or not path.is_dir():
        raise FileNotFoundError(
            f"WEFT_DATA={root!r} holds no folder 'battery'; set WEFT_DATA to the folder of the "
            "test data."
        )
    return path


def files(groups: tuple[str, ...] = GROUPS) -> dict[str, tuple[str, Path]]:
    """Return group and path of every set by its name."""
    found = {}
    for path in sorted(folder().glob("*/*.npz")):
        group = path.parent.name
        if group == "shapes":
            group = path.stem.split("_")[0]
        if group in groups:
            found[path.stem] = (group, path)
    return found


def names(groups: tuple[str, ...]) -> list[str]:
    """Return the names of the sets of some groups; one-lump copies are a group of their own."""
    found = list(files(groups))
    return [*found, *(LUMP + name for name in files())] if LUMPS in groups else found


def load(name: str) -> BatterySet:
    """Return one set of the battery, or the one-lump copy of a set."""
    if name.startswith(LUMP):
        X = load(name.removeprefix(LUMP)).X
        nothing = np.zeros((len(X), 1), dtype=np.int64)
        copy = one_lump_copy(X, np.random.default_rng([0, 11]))
        return BatterySet(name, LUMPS, copy, nothing)
    known = files()
    if name not in known:
        raise ValueError(f"{name!r} is not a set of the battery; choose from {sorted(known)}.")
    group, path = known[name]
    with np.load(path, allow_pickle=False) as arrays:
        X = np.asarray(arrays["X"], dtype=np.float64)
        references = np.asarray(arrays["y"], dtype=np.int64)
    if references.ndim == 1:
        references = references[:, None]
    return BatterySet(name, group, X, references)
