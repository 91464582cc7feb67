"""The figures of the papers: boxes by algorithm, dimension, K; accuracy by β; convergence."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np

from bench.harness import planes
from bench.harness.compare import name_of
from bench.harness.study import Study, any_match
from bench.harness.summaries import steps_of

Rows = list[dict[str, Any]]
COLOURS = ("#4c72b0", "#dd8452", "#55a868", "#c44e52", "#8172b3", "#937860", "#da8bc3")


def draw(study: Study, rows: Rows, folder: Path) -> list[tuple[Path, str]]:
    """Draw the figures of a study that its rows allow; return their files and captions."""
    import matplotlib

    matplotlib.use("Agg")
    made = []
    for number, asked in enumerate(study.figures, 1):
        kind = asked["kind"]
        if kind in planes.KINDS:
            figure = planes.KINDS[kind](study, rows, asked, _grid)
        else:
            figure = {"boxes": boxes, "exponent": exponent, "convergence": convergence}[kind](
                study, rows, asked
            )
        if figure is None:
            continue
        path = folder / f"{study.name}-{number}.png"
        # No date and no version inside: the same rows give the same bytes.
        figure.savefig(path, dpi=80, bbox_inches="tight", metadata={"Software": None})
        made.append((path, asked.get("title", study.title)))
    return made


def boxes(study: Study, rows: Rows, asked: dict[str, Any]) -> Any:
    """A metric by algorithm; a panel per dimension, per K or per data set."""
    metric, by = asked["metric"], asked["by"]
    panels: dict[str, Rows] = defaultdict(list)
    for row in rows:
        if row["status"] == "ok" and row.get(metric) is not None:
            panels[_panel(row, by)].append(row)
    if not panels:
        return None
    n_columns = min(3, len(panels))
    figure, axes = _grid(len(panels), n_columns, same=True)
    for axis, (name, chosen) in zip(axes, panels.items(), strict=False):
        groups: dict[str, list[float]] = defaultdict(list)
        for row in sorted(chosen, key=lambda each: each["method"]):
            groups[row["method"]].append(float(np.max(row[metric])))
        axis.boxplot(list(groups.values()), widths=0.6, flierprops={"markersize": 3})
        axis.set_xticks(range(1, len(groups) + 1), groups, rotation=90, fontsize=7)
        axis.set_title(name, fontsize=9)
        axis.tick_params(axis="y", labelsize=7)
    figure.supylabel(name_of(metric), fontsize=9)
    return figure


def _panel(row: dict[str, Any], by: str) -> str:
    words = row["data"].split()
    if by == "dimension":
        return f"{words[0].removesuffix('d')} features"
    if by == "classes":
        return f"{words[-1].removesuffix('c')} clusters"
    return row["data"] if by == "data" else "all sets"


def _grid(n_panels: int, n_columns: int, *, same: bool = False) -> tuple[Any, list[Any]]:
    from matplotlib.figure import Figure

    n_lines = -(-n_panels // n_columns)
    figure = Figure(figsize=(3.4 * max(n_columns, 2), 2.9 * n_lines), layout="constrained")
    axes = np.ravel(figure.subplots(n_lines, n_columns, squeeze=False, sharey=same))
    for axis in axes[n_panels:]:
        axis.set_visible(False)
    return figure, list(axes[:n_panels])


def exponent(study: Study, rows: Rows, asked: dict[str, Any]) -> Any:
    """Accuracy at each β, mean over runs and sets; methods without β as a line."""
    figure, (axis,) = _grid(1, 1)
    drawn = False
    for colour, method in zip(COLOURS, dict.fromkeys(row["method"] for row in rows), strict=False):
        chosen = [
            np.ravel(row["greedy"])
            for row in rows
            if row["method"] == method
            and row["status"] == "ok"
            and any_match(row["data"], [asked["data"]])
        ]
        if not chosen:
            continue
        drawn = True
        mean = np.mean(chosen, axis=0)
        steps = steps_of(study, method)
        if steps is None:
            axis.axhline(mean[0], color=colour, linestyle="--", label=method)
        else:
            axis.plot(steps, mean, color=colour, label=method)
    if not drawn:
        return None
    axis.set_xlabel("β")
    axis.set_ylabel("accuracy, %")
    axis.set_title(asked["data"], fontsize=9)
    axis.legend(fontsize=7)
    return figure


def convergence(study: Study, rows: Rows, asked: dict[str, Any]) -> Any:
    """The best fitness after each generation, as a share of the last, mean over runs."""
    curves: dict[str, list[np.ndarray]] = defaultdict(list)
    for row in rows:
        curve = row.get("curve")
        if row["status"] == "ok" and curve and len(curve) > 1 and curve[-1] > 0:
            curves[row["method"]].append(np.asarray(curve) / curve[-1])
    if not curves:
        return None
    figure, (axis,) = _grid(1, 1)
    for number, (method, found) in enumerate(sorted(curves.items())):
        longest = max(map(len, found))
        # A search that stopped early keeps its last value.
        full = [np.pad(each, (0, longest - len(each)), mode="edge") for each in found]
        style = "-" if "CSC" in method else ":"
        colour = COLOURS[number // 2 % len(COLOURS)]
        axis.plot(np.median(full, axis=0), style, color=colour, label=method)
    axis.set_xlabel("generation")
    axis.set_ylabel("best fitness, share of the last")
    axis.set_ylim(0, 1.05)
    axis.legend(fontsize=7)
    return figure
