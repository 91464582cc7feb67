"""What a choice returns: the answer, how certain it is, and the curves behind it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from weft._base.arrays import Floats, Integers
from weft._base.validation import import_optional


class Curve(NamedTuple):
    """One method's evidence on the number of clusters.

    Attributes
    ----------
    n_clusters : int
        The method's own answer.
    strength : float
        How clear the answer is, in [0, 1].
    numbers : ndarray of shape (n_numbers,)
        Numbers of clusters that were tried.
    scores : ndarray of shape (n_numbers,)
        The curve behind the answer, in the method's own unit.
    unit : str
        What `scores` measure, and how the answer follows from them.
    """

    n_clusters: int
    strength: float
    numbers: Integers
    scores: Floats
    unit: str


@dataclass(frozen=True)
class NumberOfClusters:
    """The number of clusters that several methods agree on.

    Attributes
    ----------
    n_clusters : int
        The consensus.
    confidence : float
        Share of all votes, by weight, for this number, in (0, 1].
    curves : dict of str to Curve
        Each method's answer and its curve.
    weights : dict of str to float
        How much each method's vote counted.
    """

    n_clusters: int
    confidence: float
    curves: dict[str, Curve]
    weights: dict[str, float] = field(default_factory=dict)

    @property
    def table(self) -> list[dict[str, Any]]:
        """One row per method: its answer, how clear it is, how much its vote counted."""
        return [
            {
                "method": name,
                "n_clusters": curve.n_clusters,
                "strength": round(curve.strength, 3),
                "weight": round(self.weights.get(name, 0.0), 3),
                "read from": curve.unit,
            }
            for name, curve in self.curves.items()
        ]

    def __str__(self) -> str:
        return self._headline + "\n" + text_table(self.table)

    @property
    def _headline(self) -> str:
        clusters = "1 cluster" if self.n_clusters == 1 else f"{self.n_clusters} clusters"
        return f"{clusters} (confidence {self.confidence:.2f})"

    def plot(self) -> Any:
        """Draw every method's curve; needs plotly.

        Returns
        -------
        plotly.graph_objects.Figure
            One panel per method, its own answer as a dot, the consensus as a dashed line.
        """
        panels = {}
        for name, curve in self.curves.items():
            at = np.flatnonzero(curve.numbers == curve.n_clusters)
            panels[f"{name}: {curve.n_clusters}"] = [
                {"x": curve.numbers, "y": curve.scores, "mode": "lines"},
                {"x": curve.numbers[at], "y": curve.scores[at], "mode": "markers"},
            ]
        return _drawn(str(self), "number of clusters", self.n_clusters, panels)


@dataclass(frozen=True)
class Exponent:
    """The exponent that the evidence supports.

    Attributes
    ----------
    exponent : float
        The choice.
    method : str
        The method that chose it.
    grid : ndarray of shape (n_exponents,)
        Exponents that were tried.
    scores : ndarray of shape (n_exponents,)
        The score that was maximised; NaN where the model found a single cluster.
    evidence : dict of str to ndarray of shape (n_exponents,)
        Everything that was measured, `scores` included.
    parameters : dict of str to float
        What to pass to ``model.set_params``.
    """

    exponent: float
    method: str
    grid: Floats
    scores: Floats
    evidence: dict[str, Floats]
    parameters: dict[str, float]

    @property
    def table(self) -> list[dict[str, Any]]:
        """One row per exponent, with all measures."""
        rows = []
        for i, exponent in enumerate(self.grid):
            row: dict[str, Any] = {"exponent": float(exponent)}
            row |= {name: round(float(values[i]), 4) for name, values in self.evidence.items()}
            rows.append(row | {"chosen": "*" if exponent == self.exponent else ""})
        return rows

    def __str__(self) -> str:
        return f"exponent {self.exponent:g} (by {self.method})\n" + text_table(self.table)

    def plot(self) -> Any:
        """Draw all measures by exponent; needs plotly.

        Returns
        -------
        plotly.graph_objects.Figure
            One panel per measure, the choice as a dashed line.
        """
        panels = {
            name: [{"x": self.grid, "y": values, "mode": "lines+markers"}]
            for name, values in self.evidence.items()
        }
        return _drawn(str(self), "exponent", self.exponent, panels)


def _drawn(text: str, axis: str, choice: float, panels: dict[str, list[dict[str, Any]]]) -> Any:
    """Draw panels side by side: traces by title, and the choice as a dashed line in each."""
    graph = import_optional("plotly.graph_objects", "app")
    subplots = import_optional("plotly.subplots", "app")
    figure = subplots.make_subplots(rows=1, cols=len(panels), subplot_titles=list(panels))
    for column, traces in enumerate(panels.values(), 1):
        for trace in traces:
            figure.add_trace(graph.Scatter(**trace, showlegend=False), row=1, col=column)
        figure.add_vline(x=choice, line_dash="dash", row=1, col=column)
        figure.update_xaxes(title_text=axis, row=1, col=column)
    figure.update_layout(title=text.splitlines()[0])
    return figure


def text_table(rows: list[dict[str, Any]]) -> str:
    """Return the rows as a Markdown table."""
    if not rows:
        return ""
    cells = [[str(name) for name in rows[0]]]
    cells += [[f"{v:g}" if isinstance(v, float) else str(v) for v in row.values()] for row in rows]
    widths = [max(len(line[i]) for line in cells) for i in range(len(cells[0]))]
    padded = [[c.ljust(w) for c, w in zip(line, widths, strict=True)] for line in cells]
    lines = ["| " + " | ".join(line) + " |" for line in padded]
    lines.insert(1, "| " + " | ".join("-" * width for width in widths) + " |")
    return "\n".join(lines)
