"""Figures of a summary (a dict). Names from files are drawn as text, never as markup.

Each function takes the dict from :func:`weft.reporting.summary.summarize` and returns a Plotly
figure, or None where the summary has nothing to draw it from.
"""

from __future__ import annotations

from html import escape
from typing import Any

from weft._base.validation import import_optional

N_BARS = 30
# The colours of Okabe and Ito, which people with any colour vision can distinguish, and more.
PALETTE = (
    *("#0072b2", "#e69f00", "#009e73", "#d55e00", "#cc79a7", "#56b4e9", "#8c6bb1", "#999933"),
    *("#882255", "#44aa99"),
)
NO_CLUSTER = "#8a8f94"
SYMBOLS = ("circle", "square", "diamond", "cross", "triangle-up", "x", "star", "triangle-down")
FEW_COLOURS = [[0, "#f2f7f9"], [0.5, "#5aa9c4"], [1, "#0b3a4a"]]
TWO_ENDS = [[0, "#a33b67"], [0.5, "#f3f1ee"], [1, "#17724a"]]


def weights(summary: dict[str, Any]) -> Any:
    """The heaviest features as bars."""
    used = [entry for entry in summary["features"] if entry["selected"]][:N_BARS]
    if not used or not summary["result"]["has_weights"]:
        return None
    go = _plotly()
    used = used[::-1]
    bar = go.Bar(
        x=[entry["share"] for entry in used],
        y=list(range(len(used))),
        orientation="h",
        marker_color=["#8a8f94" if entry.get("noise") else PALETTE[0] for entry in used],
        customdata=[[_text(entry["name"], 80), entry["weight"]] for entry in used],
        hovertemplate="%{customdata[0]}<br>share %{x:.2%}, weight %{customdata[1]:.4g}"
        "<extra></extra>",
    )
    figure = go.Figure(bar, layout=_layout(height=90 + 22 * len(used)))
    _name_axis(figure, "y", [entry["name"] for entry in used])
    figure.update_xaxes(title="share of all weight", tickformat=".0%", rangemode="tozero")
    return figure


def heatmap(summary: dict[str, Any]) -> Any:
    """Heat map of the weights of each cluster: features in rows, clusters in columns."""
    shares = summary["cluster_weights"]
    if shares is None:
        return None
    return _grid(
        shares["features"],
        shares["labels"],
        shares["shares"],
        colours=FEW_COLOURS,
        bar="share",
        low=0.0,
        words="share %{z:.2%}",
    )


def profile(summary: dict[str, Any]) -> Any:
    """How far each cluster's mean is from that of the other rows, in standard deviations."""
    effects = summary["profile"]
    if effects is None:
        return None
    most = max((abs(v) for row in effects["effects"] for v in row), default=1.0)
    most = min(max(most, 0.5), 5.0)  # one perfect feature must not make all others look pale
    return _grid(
        effects["features"],
        effects["labels"],
        effects["effects"],
        colours=TWO_ENDS,
        bar="effect",
        low=-most,
        high=most,
        words="effect %{z:+.2f}",
    )


def map(summary: dict[str, Any]) -> Any:
    """The rows in the learned metric, in the two directions in which they vary most."""
    drawn = summary["map"]
    if drawn is None:
        return None
    go = _plotly()
    figure = go.Figure(layout=_layout(height=480))
    names = [_text(name, 40, template=True) for name in drawn["features"]]
    lines = "".join(f"<br>{name}: %{{customdata[{i}]}}" for i, name in enumerate(names, start=1))
    for place, label in enumerate(_in_order(drawn["label"])):
        mine = [i for i, other in enumerate(drawn["label"]) if other == label]
        figure.add_scatter(
            x=[drawn["x"][i] for i in mine],
            y=[drawn["y"][i] for i in mine],
            mode="markers",
            name=_cluster(label),
            marker={
                "color": _colour(label),
                "symbol": "circle-open" if label == -1 else SYMBOLS[place % len(SYMBOLS)],
                "size": 7 if len(drawn["x"]) < 800 else 5,
                "opacity": 0.8,
            },
            customdata=[[drawn["row"][i], *drawn["values"][i]] for i in mine],
            hovertemplate=f"row %{{customdata[0]}}<br>{_cluster(label)}{lines}<extra></extra>",
        )
    shares = drawn["explained"]
    figure.update_xaxes(title=f"first direction ({shares[0]:.0%} of the variance)", zeroline=False)
    figure.update_yaxes(title=f"second ({shares[1]:.0%})", zeroline=False)
    figure.update_layout(
        showlegend=True, legend={"orientation": "h", "y": 1.02, "yanchor": "bottom"}
    )
    return figure


def silhouette(summary: dict[str, Any]) -> Any:
    """How much nearer each row is to its own cluster than to the next: 1 much, < 0 not nearer."""
    found = summary["silhouette"]
    if found is None:
        return None
    go = _plotly()
    figure = go.Figure(layout=_layout(height=420))
    start, gap = 0.0, max(1.0, 0.02 * found["n_rows"])
    ticks, names = [], []
    for label, widths in zip(found["labels"], found["widths"], strict=True):
        places = [start + i for i in range(len(widths))]
        # A shape that is closed at both ends, so that a cluster of one row shows as well.
        figure.add_scatter(
            x=[0, *widths, 0],
            y=[start - 0.5, *places, places[-1] + 0.5],
            mode="lines",
            line={"color": _colour(label), "width": 1, "shape": "vh"},
            fill="tozerox",
            name=_cluster(label),
            hovertemplate=f"{_cluster(label)}, width %{{x:.2f}}<extra></extra>",
        )
        ticks.append(start + len(widths) / 2)
        names.append(_cluster(label))
        start = places[-1] + 1 + gap
    figure.add_vline(x=found["mean"], line={"dash": "dash", "width": 1.5, "color": NO_CLUSTER})
    figure.update_yaxes(tickvals=ticks, ticktext=names, autorange="reversed", showgrid=False)
    figure.update_xaxes(title="silhouette width")
    return figure


def convergence(summary: dict[str, Any]) -> Any:
    """The search: fitness, features kept and number of clusters by generation."""
    search = summary["search"]
    if not any(value is not None for value in search.get("best_fitness", [])):
        return None
    subplots = import_optional("plotly.subplots", "app")
    panels: list[tuple[str, tuple[str, ...]]] = [("fitness", ("best_fitness", "mean_fitness"))]
    panels += [("features kept", ("n_features",))] if "n_features" in search else []
    panels += [("clusters", ("n_clusters",))] if "n_clusters" in search else []
    figure = subplots.make_subplots(
        rows=len(panels),
        cols=1,
        shared_xaxes=True,
        vertical_spacing=0.07,
        row_heights=[3, *[2] * (len(panels) - 1)],
    )
    steps = list(range(1, len(search["best_fitness"]) + 1))
    words = {"best_fitness": "best so far", "mean_fitness": "mean of the swarm"}
    for row, (title, keys) in enumerate(panels, start=1):
        for key in keys:
            if key not in search:
                continue
            dashed = key == "mean_fitness"
            figure.add_scatter(
                x=steps,
                y=search[key],
                mode="lines+markers" if len(steps) < 40 else "lines",
                name=words.get(key, title),
                showlegend=row == 1,
                line={
                    "color": NO_CLUSTER if dashed else PALETTE[0],
                    "dash": "dash" if dashed else "solid",
                    "shape": "linear" if row == 1 else "hv",
                },
                marker={"size": 4},
                hovertemplate="generation %{x}<br>"
                + words.get(key, title)
                + " %{y:.5g}<extra></extra>",
                row=row,
                col=1,
            )
        figure.update_yaxes(title=title, row=row, col=1)
        if row > 1:
            figure.update_yaxes(rangemode="tozero", row=row, col=1)
    figure.update_xaxes(title="generation", row=len(panels), col=1)
    figure.update_layout(_layout(height=160 + 130 * len(panels)))
    figure.update_layout(
        showlegend=True, legend={"orientation": "h", "y": 1.02, "yanchor": "bottom"}
    )
    return figure


def _grid(
    features: list[str],
    labels: list[int],
    numbers: list[list[float]],
    *,
    colours: list[list[Any]],
    bar: str,
    words: str,
    low: float | None = None,
    high: float | None = None,
) -> Any:
    """A heat map: features in rows, clusters in columns; `numbers` is (clusters, features)."""
    go = _plotly()
    cells = [list(column) for column in zip(*numbers, strict=True)]
    heat = go.Heatmap(
        z=cells,
        x=list(range(len(labels))),
        y=list(range(len(features))),
        zmin=low,
        zmax=high,
        colorscale=colours,
        xgap=1,
        ygap=1,
        colorbar={"title": {"text": bar, "side": "right"}, "thickness": 12},
        customdata=[[[_text(name, 80), _cluster(k)] for k in labels] for name in features],
        hovertemplate="%{customdata[0]}<br>%{customdata[1]}<br>" + words + "<extra></extra>",
    )
    figure = go.Figure(heat, layout=_layout(height=110 + 19 * len(features)))
    _name_axis(figure, "y", features)
    figure.update_yaxes(autorange="reversed")
    figure.update_xaxes(
        tickvals=list(range(len(labels))),
        ticktext=["none" if k == -1 else str(k) for k in labels],
        title="cluster",
        showgrid=False,
    )
    return figure


def _name_axis(figure: Any, axis: str, names: list[str]) -> None:
    """Put features on an axis of positions: names cut to the same text stay separate."""
    figure.update_layout(
        {
            f"{axis}axis": {
                "tickvals": list(range(len(names))),
                "ticktext": [_text(name, 24) for name in names],
                "showgrid": False,
                "zeroline": False,
                "automargin": True,
            }
        }
    )


def _layout(*, height: int) -> dict[str, Any]:
    return {
        "template": "none",
        "height": height,
        "margin": {"l": 10, "r": 10, "t": 30, "b": 40},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "font": {"family": "system-ui, -apple-system, 'Segoe UI', sans-serif", "size": 13},
        "hoverlabel": {"align": "left"},
        "showlegend": False,
        "xaxis": {"automargin": True, "gridcolor": "rgba(128,128,128,.25)"},
        "yaxis": {"automargin": True, "gridcolor": "rgba(128,128,128,.25)"},
    }


def _text(name: str, length: int, *, template: bool = False) -> str:
    """Return `name` as plain text: shortened, with isolated writing direction, escaped."""
    kept = "".join(char if char.isprintable() or char == "\u200d" else "�" for char in name)
    cut = kept if len(kept) <= length else kept[: length - 1] + "…"
    safe = escape(cut, quote=False)
    if template:  # "%{…}" in a template would be filled in
        safe = safe.replace("%", "&#37;")
    return f"\u2068{safe}\u2069"


def _cluster(label: int) -> str:
    return "no cluster" if label == -1 else f"cluster {label}"


def _colour(label: int) -> str:
    return NO_CLUSTER if label == -1 else PALETTE[label % len(PALETTE)]


def _in_order(labels: list[int]) -> list[int]:
    clusters = sorted(set(labels) - {-1})
    return [*clusters, -1] if -1 in labels else clusters


def _plotly() -> Any:
    return import_optional("plotly.graph_objects", "app")
