"""The picture of the noise bench: quality over the share of noise columns, two panels."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from bench.harness import places

PICTURE = places.DOCS / "_static" / "noise.svg"
# Okabe and Ito's colours, which colour-blind readers can distinguish; dashes and marks help too.
STYLES = {
    "AutoCluster": ("#0072B2", "-", "o"),
    "k-means": ("#C98500", "--", "s"),
    "GMM": ("#CC79A7", "--", "^"),
    "spectral": ("#009E73", "--", "D"),
    "sparse k-means": ("#8C6D31", "--", "v"),
    "Laplacian score + k-means": ("#4B3B8F", "--", "h"),
    "HDBSCAN": ("#D55E00", ":", "x"),
    "UMAP + HDBSCAN": ("#222222", ":", "P"),
    "FeatureSwarm": ("#808080", ":", "*"),
}
TOLD = {
    "k-means": ", K given",
    "GMM": ", K given",
    "spectral": ", K given",
    "sparse k-means": ", K given",
    "Laplacian score + k-means": ", K and d given",
}
GAP = 0.052  # least distance of two labels, as a share of the axis


def draw(
    curve: dict[str, dict[int, float]],
    sets: dict[str, dict[int, float]],
    *,
    n_sets: int,
    path: Path = PICTURE,
) -> None:
    """Write the picture."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    settings = {"font.size": 10.5, "svg.fonttype": "path", "svg.hashsalt": "weft"}
    with plt.rc_context(settings):
        figure, axes = plt.subplots(1, 2, figsize=(11.5, 4.6))
        _panel(axes[0], curve, "Ten ellipsoids in 50 features", "pair-F")
        _panel(axes[1], sets, f"Mean of {n_sets} sets", "adjusted Rand index")
        figure.text(
            0.5, 0.01,
            "dashed: told the true number of clusters      "
            "dotted, and AutoCluster: not told it",
            ha="center", color="#444444", fontsize=9.5,
        )  # fmt: skip
        figure.tight_layout(rect=(0, 0.045, 1, 1), w_pad=2.5)
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)
        plt.close(figure)


def _panel(axis, means: dict[str, dict[int, float]], title: str, measure: str) -> None:
    """Draw a line for each method and its name at the right end."""
    ends = {}
    for name, (color, dashes, mark) in STYLES.items():
        found = means.get(name, {})
        levels = [level for level in sorted(found) if np.isfinite(found[level])]
        if not levels:
            continue
        ours = name == "AutoCluster"
        axis.plot(
            levels,
            [found[level] for level in levels],
            color=color,
            linestyle=dashes,
            marker=mark,
            markersize=6 if ours else 5,
            linewidth=3.2 if ours else 1.5,
            zorder=3 if ours else 2,
            clip_on=False,
        )
        ends[name] = (levels[-1], found[levels[-1]])
    last = max((level for level, _ in ends.values()), default=400)
    for name, y in spread({name: y for name, (_, y) in ends.items()}, GAP).items():
        axis.annotate(
            name.replace(" score", "") + TOLD.get(name, ""),
            (last, y),
            xytext=(9, 0),
            textcoords="offset points",
            va="center",
            color=STYLES[name][0],
            fontweight="bold" if name == "AutoCluster" else "normal",
            annotation_clip=False,
        )
    axis.set_title(title, loc="left", fontsize=11.5)
    axis.set_ylabel(measure)
    axis.set_xlabel("noise columns added, % of the real ones")
    axis.set_ylim(0, 1.02)
    axis.set_xlim(0, last)
    axis.set_xticks(sorted({level for found in means.values() for level in found}) or [0, 400])
    axis.grid(axis="y", color="#dddddd", linewidth=0.8)
    axis.spines[["top", "right"]].set_visible(False)


def spread(places: dict[str, float], gap: float) -> dict[str, float]:
    """Move labels apart until each is `gap` from the next, as little as possible.

    Labels that touch form a block around the mean of their positions; blocks that touch join.
    """
    blocks: list[list[str]] = [[name] for name in sorted(places, key=lambda name: places[name])]

    def start(block: list[str]) -> float:
        middle = float(np.mean([places[name] for name in block]))
        return middle - 0.5 * gap * (len(block) - 1)

    joined = True
    while joined:
        joined = False
        for i in range(len(blocks) - 1):
            if start(blocks[i]) + gap * len(blocks[i]) > start(blocks[i + 1]) + 1e-12:
                blocks[i : i + 2] = [blocks[i] + blocks[i + 1]]
                joined = True
                break
    return {
        name: start(block) + gap * place for block in blocks for place, name in enumerate(block)
    }
