"""Pictures of data sets: what is drawn, on data that need no files."""

from __future__ import annotations

import numpy as np
from bench.harness import data, figures, planes, study


def test_a_panel_has_the_rows_of_its_set():
    of = study.load("kernel-3")
    points, classes, colours = planes._panel(of, {"data": "synthetic 4"})
    table = data.load(of.data["synthetic 4"], 0)
    np.testing.assert_array_equal(points, table.X)  # two columns are drawn as they are
    np.testing.assert_array_equal(classes, table.y)
    np.testing.assert_array_equal(colours, table.y)


def test_columns_and_rows_can_be_left_out():
    of = study.load("amorim-3.17")
    whole = planes._panel(of, {"data": "vii"})[0]
    part = planes._panel(of, {"data": "vii", "columns": 6, "every": 5})[0]
    assert whole.shape == (500, 2)
    assert part.shape == (100, 2)
    assert not np.allclose(whole[::5], part)  # without the noise columns the plane is another


def test_a_method_colours_by_its_clusters():
    of = study.load("kernel-3")
    asked = {"data": "synthetic 2", "method": "kernel subtractive"}
    _, classes, colours = planes._panel(of, asked)
    assert len(np.unique(colours)) == 2
    assert len(colours) == len(classes) == 52


def test_axes_are_drawn_and_captioned(tmp_path):
    ((path, caption),) = figures.draw(study.load("oneill-3.1"), [], tmp_path)
    assert path.stat().st_size > 1000
    assert caption.startswith("Figures 3.1 and 3.2")


def test_a_set_that_is_not_at_hand_is_not_drawn(tmp_path, monkeypatch):
    monkeypatch.delenv("WEFT_DATA", raising=False)
    data._load.cache_clear()
    assert figures.draw(study.load("staged-2"), [], tmp_path) == []


def test_a_line_per_method_and_a_point_per_set():
    rows = [
        {"status": "ok", "data": name, "method": method, "accuracy": value}
        for name in ("a", "b")
        for method, values in (("one", [1.0, 3.0]), ("two", [5.0, 5.0]))
        for value in values
    ]
    figure = planes.by_set(study.load("projected-1"), rows, {"metric": "accuracy"}, figures._grid)
    means, variances = figure.axes
    assert [line.get_ydata().tolist() for line in means.lines] == [[2.0, 2.0], [5.0, 5.0]]
    assert [line.get_ydata().tolist() for line in variances.lines] == [[1.0, 1.0], [0.0, 0.0]]
