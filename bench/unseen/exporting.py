"""LightGBM's trees as a `Forest`, joined forests, and the file that holds them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft.auto.trees import FIELDS, Forest

STEP = 2.0**-15  # a leaf of the ranker adds about 2 ** -8


def single_below(threshold: float) -> np.float32:
    """Return the largest float32 that is not above `threshold`.

    For a float32 x, ``x <= threshold`` and ``x <= single_below(threshold)`` are the same.
    """
    single = np.float32(threshold)
    if float(single) > threshold:
        single = np.nextafter(single, np.float32(-np.inf))
    return single


def forest_of(booster: Any) -> Forest:
    """Return the trees of a LightGBM booster that was trained without missing values."""
    nodes: list[tuple[int, float, int, int, float]] = []
    starts = [0]

    def add(tree: dict[str, Any]) -> int:
        """Append a node and all nodes below it; return its position in the tree."""
        place = len(nodes) - starts[-1]
        if "leaf_value" in tree:
            nodes.append((-1, 0.0, 0, 0, tree["leaf_value"]))
            return place
        if tree["decision_type"] != "<=" or tree["missing_type"] != "None":
            raise ValueError(
                f"a node decides by {tree['decision_type']!r} with missing type "
                f"{tree['missing_type']!r}; train on numbers only, with use_missing=False."
            )
        nodes.append((0, 0.0, 0, 0, 0.0))
        left = add(tree["left_child"])
        right = add(tree["right_child"])
        nodes[starts[-1] + place] = (
            tree["split_feature"],
            tree["threshold"],
            left,
            right,
            tree["internal_value"],
        )
        return place

    for tree in booster.dump_model()["tree_info"]:
        add(tree["tree_structure"])
        starts.append(len(nodes))
    feature, threshold, left, right, value = zip(*nodes, strict=True)
    return Forest(
        np.array(feature, dtype=np.int16),
        np.array([single_below(t) for t in threshold], dtype=np.float32),
        np.array(left, dtype=np.int16),
        np.array(right, dtype=np.int16),
        np.array(value, dtype=np.float32),
        np.array(starts, dtype=np.int32),
    )


def join(forests: list[Forest]) -> Forest:
    """Return one forest that holds the trees of several."""
    starts = [np.zeros(1, dtype=np.int32)]
    offset = 0
    for forest in forests:
        starts.append((forest.start[1:] + offset).astype(np.int32))
        offset += len(forest.feature)
    columns = zip(*forests, strict=True)
    feature, threshold, left, right, value, _ = (np.concatenate(parts) for parts in columns)
    return Forest(feature, threshold, left, right, value, np.concatenate(starts))


def scaled(forest: Forest, factor: float) -> Forest:
    """Return the forest with all values multiplied, as for a mean of several forests.

    Values become multiples of STEP, which need half the space in a compressed file.
    """
    value = np.round(forest.value.astype(np.float64) * factor / STEP) * STEP
    return forest._replace(value=value.astype(np.float32))


def arrays_of(name: str, forest: Forest) -> dict[str, NDArray]:
    """Return the arrays of a forest under names that begin with `name`."""
    return {f"{name}.{field}": getattr(forest, field) for field in FIELDS}


def write(path: Path, arrays: dict[str, NDArray]) -> None:
    """Write named arrays to one compressed file; the same arrays give the same bytes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    half = path.with_name(f".{path.stem}.half.npz")
    np.savez_compressed(half, **arrays)  # type: ignore[arg-type]
    half.replace(path)
