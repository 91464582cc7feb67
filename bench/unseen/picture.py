"""A contact sheet of the world: three tables of every kind, each shown in two dimensions.

Columns of noise are left out of the pictures."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from bench.unseen.world import KINDS, make_table


def in_two_dimensions(X: np.ndarray) -> np.ndarray:
    """Return the columns of a table with two columns unchanged, else the two main axes of X."""
    if X.shape[1] == 2:
        return X
    centred = (X - X.mean(axis=0)) / np.maximum(X.std(axis=0), 1e-12)
    left, sizes, _ = np.linalg.svd(centred, full_matrices=False)
    return left[:, :2] * sizes[:2]


def contact_sheet(path: Path, kinds: list[str] | None = None, per_kind: int = 3) -> None:
    """Draw the first tables of each kind; colours are the truth, grey rows are not scored."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    names = list(KINDS) if kinds is None else kinds
    across = 12 // per_kind if per_kind > 1 else 4
    down = -(-len(names) // across)
    wide = across * per_kind
    figure, axes = plt.subplots(down, wide, figsize=(1.5 * wide, 1.75 * down), squeeze=False)
    for axis in axes.ravel():
        axis.axis("off")
    for place, name in enumerate(names):
        row, column = divmod(place, across)
        for seed in range(per_kind):
            axis = axes[row, column * per_kind + seed]
            table = make_table(name, seed)
            points = in_two_dimensions(table.X[:, table.relevant] if table.clustered else table.X)
            noise = table.y < 0
            axis.scatter(*points[noise].T, s=2, c="0.8", linewidths=0)
            axis.scatter(*points[~noise].T, s=2, c=table.y[~noise], cmap="tab20", linewidths=0)
            shape = f"{table.X.shape[0]}×{table.X.shape[1]}"
            title = f"{name}\n{shape}" if seed == 0 else shape
            axis.set_title(title.replace("_", " "), fontsize=6)
    figure.tight_layout(pad=0.3)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=80 if per_kind > 1 else 130)
    plt.close(figure)
