"""Figures of a summary, each compared as a whole with what Plotly is to be given."""

from __future__ import annotations

import json

import pytest

from weft.reporting import plots
from weft.reporting.plots import FEW_COLOURS, NO_CLUSTER, PALETTE, TWO_ENDS

GRID = {"automargin": True, "gridcolor": "rgba(128,128,128,.25)"}
BELOW = {"orientation": "h", "y": 1.02, "yanchor": "bottom"}


def name(text):
    """A name with the marks around it that keep its direction to itself."""
    return f"\u2068{text}\u2069"


def frame(height, xaxis=(), yaxis=(), **more):
    return {
        "font": {"family": "system-ui, -apple-system, 'Segoe UI', sans-serif", "size": 13},
        "height": height,
        "hoverlabel": {"align": "left"},
        "margin": {"b": 40, "l": 10, "r": 10, "t": 30},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "showlegend": False,
        "xaxis": {**GRID, **dict(xaxis)},
        "yaxis": {**GRID, **dict(yaxis)},
        **more,
    }


def names_on(axis, *texts):
    return {
        "tickvals": list(range(len(texts))), "ticktext": [name(text) for text in texts],
        "showgrid": False, "zeroline": False, **axis,
    }  # fmt: skip


def whole(figure):
    made = json.loads(figure.to_json())
    made["layout"].pop("template")
    return made


def test_bars():
    features = [
        {"name": "a", "share": 0.5, "weight": 5.0, "selected": True},
        {"name": "b", "share": 0.25, "weight": 2.5, "selected": True, "noise": True},
        {"name": "c", "share": 0.2, "weight": 2.0, "selected": False},
    ]
    found = plots.weights({"features": features, "result": {"has_weights": True}})
    assert whole(found) == {
        "data": [
            {
                "type": "bar",
                "orientation": "h",
                "x": [0.25, 0.5],
                "y": [0, 1],
                "marker": {"color": [NO_CLUSTER, PALETTE[0]]},
                "customdata": [[name("b"), 2.5], [name("a"), 5.0]],
                "hovertemplate": "%{customdata[0]}<br>share %{x:.2%}, weight %{customdata[1]:.4g}"
                "<extra></extra>",
            }
        ],
        "layout": frame(
            134,
            {"title": {"text": "share of all weight"}, "tickformat": ".0%", "rangemode": "tozero"},
            names_on({}, "b", "a"),
        ),
    }


def heat(cells, words, colours, bar, **limits):
    return {
        "type": "heatmap", "z": cells, "x": [0, 1], "y": [0, 1], "xgap": 1, "ygap": 1, **limits,
        "colorscale": colours,
        "colorbar": {"thickness": 12, "title": {"side": "right", "text": bar}},
        "customdata": [[[name(f), "cluster 0"], [name(f), "no cluster"]] for f in "ab"],
        "hovertemplate": f"%{{customdata[0]}}<br>%{{customdata[1]}}<br>{words}<extra></extra>",
    }  # fmt: skip


GRID_OF_TWO = frame(
    148,
    {
        "showgrid": False,
        "ticktext": ["0", "none"],
        "tickvals": [0, 1],
        "title": {"text": "cluster"},
    },
    names_on({"autorange": "reversed"}, "a", "b"),
)


def test_heat_maps():
    found = {"labels": [0, -1], "features": ["a", "b"], "shares": [[0.75, 0.25], [0.5, 0.5]]}
    assert whole(plots.heatmap({"cluster_weights": found})) == {
        "data": [
            heat([[0.75, 0.5], [0.25, 0.5]], "share %{z:.2%}", FEW_COLOURS, "share", zmin=0.0)
        ],
        "layout": GRID_OF_TWO,
    }
    found = {"labels": [0, -1], "features": ["a", "b"], "effects": [[1.0, -2.0], [0.0, 0.5]]}
    assert whole(plots.profile({"profile": found})) == {
        "data": [
            heat([[1.0, 0.0], [-2.0, 0.5]], "effect %{z:+.2f}", TWO_ENDS, "effect", zmin=-2.0,
                 zmax=2.0)
        ],
        "layout": GRID_OF_TWO,
    }  # fmt: skip


def test_no_effects_at_all():
    found = {"labels": [], "features": [], "effects": []}
    (grid,) = plots.profile({"profile": found}).data
    assert (grid.zmin, grid.zmax) == (-1.0, 1.0)


def points(label, x, y, rows, colour, symbol):
    return {
        "type": "scatter", "mode": "markers", "name": label, "x": x, "y": y, "customdata": rows,
        "marker": {"color": colour, "opacity": 0.8, "size": 7, "symbol": symbol},
        "hovertemplate": f"row %{{customdata[0]}}<br>{label}<br>{name('50&#37; off')}: "
        f"%{{customdata[1]}}<br>{name('b')}: %{{customdata[2]}}<extra></extra>",
    }  # fmt: skip


def test_maps():
    found = {
        "x": [1.0, 2.0, 3.0], "y": [5.0, 6.0, 7.0], "label": [1, -1, 1], "row": [10, 20, 30],
        "values": [[0.1, 1.0], [0.2, 2.0], [0.3, 3.0]], "features": ["50% off", "b"],
        "explained": [0.625, 0.25],
    }  # fmt: skip
    assert whole(plots.map({"map": found})) == {
        "data": [
            points("cluster 1", [1.0, 3.0], [5.0, 7.0], [[10, 0.1, 1.0], [30, 0.3, 3.0]],
                   PALETTE[1], "circle"),
            points("no cluster", [2.0], [6.0], [[20, 0.2, 2.0]], NO_CLUSTER, "circle-open"),
        ],
        "layout": frame(
            480,
            {"zeroline": False, "title": {"text": "first direction (62% of the variance)"}},
            {"zeroline": False, "title": {"text": "second (25%)"}},
            legend=BELOW,
            showlegend=True,
        ),
    }  # fmt: skip


def shape(label, x, y, colour):
    return {
        "type": "scatter", "mode": "lines", "name": label, "x": x, "y": y, "fill": "tozerox",
        "line": {"color": colour, "shape": "vh", "width": 1},
        "hovertemplate": f"{label}, width %{{x:.2f}}<extra></extra>",
    }  # fmt: skip


@pytest.mark.parametrize(("n_rows", "gap"), [(3, 1.0), (50, 1.0), (100, 2.0)])
def test_silhouettes(n_rows, gap):
    # Between clusters is a gap of 2 % of all rows, one row at least.
    found = {"labels": [0, 1, 2], "widths": [[0.5, 0.1], [0.3], [0.2]], "mean": 0.3}
    second, third = 2.0 + gap, 3.0 + 2 * gap
    assert whole(plots.silhouette({"silhouette": {**found, "n_rows": n_rows}})) == {
        "data": [
            shape("cluster 0", [0, 0.5, 0.1, 0], [-0.5, 0.0, 1.0, 1.5], PALETTE[0]),
            shape("cluster 1", [0, 0.3, 0], [second - 0.5, second, second + 0.5], PALETTE[1]),
            shape("cluster 2", [0, 0.2, 0], [third - 0.5, third, third + 0.5], PALETTE[2]),
        ],
        "layout": frame(
            420,
            {"title": {"text": "silhouette width"}},
            {
                "autorange": "reversed", "showgrid": False,
                "ticktext": ["cluster 0", "cluster 1", "cluster 2"],
                "tickvals": [1.0, second + 0.5, third + 0.5],
            },
            shapes=[
                {
                    "line": {"color": NO_CLUSTER, "dash": "dash", "width": 1.5},
                    "type": "line", "x0": 0.3, "x1": 0.3, "xref": "x", "y0": 0, "y1": 1,
                    "yref": "y domain",
                }
            ],
        ),
    }  # fmt: skip


def line(title, values, panel, *, dashed=False, steps="linear", legend=False):
    place = "" if panel == 1 else str(panel)
    return {
        "type": "scatter", "mode": "lines+markers", "name": title, "x": [1, 2], "y": values,
        "line": {"color": NO_CLUSTER if dashed else PALETTE[0],
                 "dash": "dash" if dashed else "solid", "shape": steps},
        "marker": {"size": 4}, "showlegend": legend,
        "hovertemplate": f"generation %{{x}}<br>{title} %{{y:.5g}}<extra></extra>",
        "xaxis": f"x{place}", "yaxis": f"y{place}",
    }  # fmt: skip


def panel(number, title, low, high, last):
    place = "" if number == 1 else str(number)
    below = {"title": {"text": "generation"}} if last else {
        "matches": "x3", "showticklabels": False
    }  # fmt: skip
    more = {} if number == 1 else {"rangemode": "tozero"}
    return (
        {"anchor": f"y{place}", "domain": [0.0, 1.0], **below},
        {"anchor": f"x{place}", "domain": [low, high], "title": {"text": title}, **more},
    )


def test_searches():
    search = {
        "best_fitness": [1.0, 2.0],
        "mean_fitness": [0.5, 1.0],
        "n_features": [3, 2],
        "n_clusters": [2, 4],
    }
    made = whole(plots.convergence({"search": search}))
    for axis in ("yaxis", "yaxis2", "yaxis3"):
        made["layout"][axis]["domain"] = [round(x, 9) for x in made["layout"][axis]["domain"]]
    # Three panels, the first half as high again as the others, with 7 % between them.
    high = 0.86 / 7
    axes = [
        panel(1, "fitness", round(4 * high + 0.14, 9), 1.0, False),
        panel(2, "features kept", round(2 * high + 0.07, 9), round(4 * high + 0.07, 9), False),
        panel(3, "clusters", 0.0, round(2 * high, 9), True),
    ]
    assert made == {
        "data": [
            line("best so far", [1.0, 2.0], 1, legend=True),
            line("mean of the swarm", [0.5, 1.0], 1, dashed=True, legend=True),
            line("features kept", [3, 2], 2, steps="hv"),
            line("clusters", [2, 4], 3, steps="hv"),
        ],
        "layout": frame(
            550, *axes[0], legend=BELOW, showlegend=True, xaxis2=axes[1][0], yaxis2=axes[1][1],
            xaxis3=axes[2][0], yaxis3=axes[2][1],
        ),
    }  # fmt: skip


def test_a_search_without_a_mean():
    found = plots.convergence({"search": {"best_fitness": [None, 2.0]}})
    assert [trace.name for trace in found.data] == ["best so far"]
    assert plots.convergence({"search": {"best_fitness": [None, None]}}) is None
