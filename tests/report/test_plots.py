"""Figures of a summary, from summaries written by hand: places, sizes, colours and words."""

from __future__ import annotations

import pytest

from weft.reporting import plots
from weft.reporting.plots import NO_CLUSTER, PALETTE, SYMBOLS


def plain(text):
    """A name without the marks around it that keep its direction to itself."""
    return text.strip("\u2068\u2069")


def feature(name, share, **more):
    return {"name": name, "share": share, "weight": 10 * share, "selected": True, **more}


def test_bars_of_weights():
    features = [
        feature("a", 0.5),
        feature("b", 0.25, noise=True),
        feature("c", 0.2, selected=False),
        feature("d" * 30, 0.05, noise=False),
    ]
    summary = {"features": features, "result": {"has_weights": True}}
    figure = plots.weights(summary)
    (bar,) = figure.data
    # The heaviest on top, which is the last place; features that were not selected are left out.
    assert list(bar.x) == [0.05, 0.25, 0.5]
    assert list(bar.y) == [0, 1, 2]
    assert bar.orientation == "h"
    assert list(bar.marker.color) == [PALETTE[0], NO_CLUSTER, PALETTE[0]]
    assert [weight for _, weight in bar.customdata] == [0.5, 2.5, 5.0]
    assert figure.layout.height == 90 + 22 * 3
    assert [plain(text) for text in figure.layout.yaxis.ticktext] == ["d" * 23 + "…", "b", "a"]
    assert list(figure.layout.yaxis.tickvals) == [0, 1, 2]
    assert not figure.layout.showlegend
    assert plots.weights({**summary, "result": {"has_weights": False}}) is None
    assert plots.weights({**summary, "features": features[2:3]}) is None
    many = {**summary, "features": [feature(f"f{j}", 0.01) for j in range(40)]}
    assert len(plots.weights(many).data[0].x) == 30


def test_weights_of_clusters():
    found = {
        "labels": [0, 1, -1],
        "features": ["a", "b"],
        "shares": [[0.75, 0.25], [0.5, 0.5], [1.0, 0.0]],
    }
    figure = plots.heatmap({"cluster_weights": found})
    (heat,) = figure.data
    assert [list(row) for row in heat.z] == [[0.75, 0.5, 1.0], [0.25, 0.5, 0.0]]
    assert (heat.zmin, heat.zmax) == (0.0, None)
    assert (list(heat.x), list(heat.y)) == ([0, 1, 2], [0, 1])
    assert (heat.xgap, heat.ygap, heat.colorbar.thickness) == (1, 1, 12)
    assert figure.layout.height == 110 + 19 * 2
    assert list(figure.layout.xaxis.ticktext) == ["0", "1", "none"]
    assert list(figure.layout.xaxis.tickvals) == [0, 1, 2]
    assert figure.layout.yaxis.autorange == "reversed"
    assert not figure.layout.xaxis.showgrid
    assert [plain(cell[0]) for cell in heat.customdata[1]] == ["b", "b", "b"]
    assert [cell[1] for cell in heat.customdata[0]] == ["cluster 0", "cluster 1", "no cluster"]
    assert plots.heatmap({"cluster_weights": None}) is None


@pytest.mark.parametrize(
    ("effects", "most"),
    [([[1.0, -2.0]], 2.0), ([[0.1, 0.2]], 0.5), ([[999.0, 0.0]], 5.0), ([[-4.5, 4.0]], 4.5)],
)
def test_the_range_of_colours_of_a_profile(effects, most):
    found = {"labels": [0], "features": ["a", "b"], "effects": effects}
    (heat,) = plots.profile({"profile": found}).data
    assert (heat.zmin, heat.zmax) == (-most, most)
    assert [list(row) for row in heat.z] == [[effects[0][0]], [effects[0][1]]]
    assert plots.profile({"profile": None}) is None


def drawn_map(n_copies=1):
    return {
        "x": [1.0, 2.0, 3.0, 4.0] * n_copies,
        "y": [5.0, 6.0, 7.0, 8.0] * n_copies,
        "label": [1, -1, 0, 1] * n_copies,
        "row": [10, 20, 30, 40] * n_copies,
        "values": [[0.1], [0.2], [0.3], [0.4]] * n_copies,
        "features": ["50% off"],
        "explained": [0.625, 0.25],
    }


def test_the_map_has_one_trace_for_each_cluster():
    figure = plots.map({"map": drawn_map()})
    assert [trace.name for trace in figure.data] == ["cluster 0", "cluster 1", "no cluster"]
    assert [list(trace.x) for trace in figure.data] == [[3.0], [1.0, 4.0], [2.0]]
    assert [list(trace.y) for trace in figure.data] == [[7.0], [5.0, 8.0], [6.0]]
    assert [trace.marker.color for trace in figure.data] == [PALETTE[0], PALETTE[1], NO_CLUSTER]
    assert [trace.marker.symbol for trace in figure.data] == [*SYMBOLS[:2], "circle-open"]
    assert [[list(cell) for cell in trace.customdata] for trace in figure.data] == [
        *([[30, 0.3]], [[10, 0.1], [40, 0.4]], [[20, 0.2]]),
    ]
    assert {(trace.marker.size, trace.marker.opacity) for trace in figure.data} == {(7, 0.8)}
    # A percent sign of a name is not a place to be filled in.
    assert "50&#37; off" in figure.data[0].hovertemplate
    assert "%{customdata[1]}" in figure.data[0].hovertemplate
    assert figure.layout.height == 480
    assert figure.layout.showlegend
    assert (figure.layout.legend.y, figure.layout.legend.orientation) == (1.02, "h")
    assert figure.layout.xaxis.title.text == "first direction (62% of the variance)"
    assert figure.layout.yaxis.title.text == "second (25%)"
    assert (figure.layout.xaxis.zeroline, figure.layout.yaxis.zeroline) == (False, False)
    assert plots.map({"map": None}) is None


@pytest.mark.parametrize(("n_copies", "size"), [(199, 7), (200, 5)])
def test_points_of_many_rows_are_smaller(n_copies, size):
    figure = plots.map({"map": drawn_map(n_copies)})
    assert figure.data[0].marker.size == size


def test_colours_and_symbols_repeat():
    found = drawn_map(3)
    found["label"] = [*range(11), -1]
    traces = plots.map({"map": found}).data
    assert traces[10].marker.color == PALETTE[0]
    assert traces[8].marker.symbol == SYMBOLS[0]


def test_the_frame_of_silhouettes():
    found = {"labels": [0, 1], "widths": [[0.5], [0.3]], "mean": 0.4, "n_rows": 2}
    figure = plots.silhouette({"silhouette": found})
    assert figure.layout.height == 420
    assert list(figure.layout.yaxis.ticktext) == ["cluster 0", "cluster 1"]
    assert figure.layout.yaxis.autorange == "reversed"
    assert not figure.layout.yaxis.showgrid
    line = figure.layout.shapes[0].line
    assert (line.dash, line.width, line.color) == ("dash", 1.5, NO_CLUSTER)
    assert [(trace.line.color, trace.line.width) for trace in figure.data] == [
        *((PALETTE[0], 1), (PALETTE[1], 1)),
    ]


@pytest.mark.parametrize(("n_steps", "mode"), [(39, "lines+markers"), (40, "lines")])
def test_lines_of_a_search(n_steps, mode):
    values = [float(step) for step in range(n_steps)]
    search = {"best_fitness": values, "mean_fitness": values, "n_clusters": values}
    figure = plots.convergence({"search": search})
    best, mean, clusters = figure.data
    assert {trace.mode for trace in figure.data} == {mode}
    assert {trace.marker.size for trace in figure.data} == {4}
    assert list(best.x) == list(range(1, n_steps + 1))
    assert (best.line.color, best.line.dash, best.line.shape) == (PALETTE[0], "solid", "linear")
    assert (mean.line.color, mean.line.dash, mean.line.shape) == (NO_CLUSTER, "dash", "linear")
    assert (clusters.line.color, clusters.line.shape, clusters.name) == (
        *(PALETTE[0], "hv", "clusters"),
    )
    assert (figure.layout.yaxis.rangemode, figure.layout.yaxis2.rangemode) == (None, "tozero")
    assert figure.layout.xaxis2.title.text == "generation"
    assert figure.layout.xaxis.title.text is None
    assert figure.layout.showlegend
    assert figure.layout.legend.y == 1.02
    # The first panel has three parts of five, and 7 % between them.
    heights = [
        axis.domain[1] - axis.domain[0] for axis in (figure.layout.yaxis, figure.layout.yaxis2)
    ]
    assert heights == pytest.approx([0.93 * 3 / 5, 0.93 * 2 / 5])


def test_names_are_cut_and_nothing_in_them_is_markup():
    assert plain(plots._text("a" * 24, 24)) == "a" * 24
    assert plain(plots._text("a" * 25, 24)) == "a" * 23 + "…"
    assert plain(plots._text("<b>&\n", 24)) == "&lt;b&gt;&amp;�"
    assert plain(plots._text("5 %", 24)) == "5 %"
    assert plain(plots._text("5 %", 24, template=True)) == "5 &#37;"
