"""Clusterings of other programs: what is read of a table, models, pipelines, refits."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.cluster import KMeans

import weft
from weft.reporting import any_clustering
from weft.reporting.any_clustering import _labels_of, _last, _named, _params, _read
from weft.reporting.compared_files import as_numbers
from weft.reporting.given_labels import read_labels

FRAME = pd.DataFrame(
    {
        "size": [1.0, 2.0, 3.0, 11.0, 12.0, 13.0],
        "hue": ["red", "red", "blue", "green", "green", "blue"],
        "id": list("uvwxyz"),
    }
)


def test_what_is_read_of_a_table():
    numbers = pd.DataFrame({"a": [1, 2], "b": [0.5, np.nan]})
    rows, table, plan, names = _read(numbers[["a"]], None)
    assert (rows.tolist(), table, plan, names) == ([[1.0], [2.0]], None, None, ["a"])
    assert _read(numbers[["a"]], ["z"])[3] == ["z"]
    rows, table, plan, names = _read(FRAME, None)
    assert (len(rows), names) == (6, [])
    assert plan.names[0] == "size"
    assert table.values.shape[0] == 6
    with pytest.raises(ValueError, match="X has no column that can be described"):
        _read(pd.DataFrame({"a": ["x", "x"], "b": ["y", "y"]}), None)


def test_models_pipelines_and_names():
    class Step:
        def __init__(self, **more):
            self.__dict__.update(more)

        def get_params(self, deep=True):
            return {"deep": deep}

    last = Step(labels_=[1, 2])
    pipeline = Step(steps=[("a", SimpleNamespace()), ("b", Step()), ("c", last)])
    assert (_last(pipeline), _last(last)) == (last, last)
    assert _labels_of(pipeline, None) == [1, 2]
    assert _labels_of(Step(predict=lambda X: X), "X") == "X"
    with pytest.raises(ValueError, match="a Step has no labels_ and no predict; fit it, or give"):
        _labels_of(Step(), None)
    assert _params(last) == {"deep": False}
    assert _params(pipeline) == {"deep": False, "pipeline": "SimpleNamespace → Step → Step"}
    assert _params(SimpleNamespace()) == {}
    assert (_named(None), _named(["a", "b"]), _named({2.0: 5})) == (
        *(None, {0: "a", 1: "b"}, {2: "5"}),
    )


def test_refits_of_clusterings(monkeypatch):
    from weft.reporting import refits

    asked, answer = [], {"n": 1}

    def measure_refits(model, rows, labels, *, n_repeats, max_seconds):
        asked.append((n_repeats, max_seconds))
        if isinstance(answer, Exception):
            raise answer
        return answer

    monkeypatch.setattr(refits, "measure_refits", measure_refits)
    model = SimpleNamespace(fit_predict=None)
    assert any_clustering._refit(model, [[1.0]], [0], None) == ({"n": 1}, [])
    assert any_clustering._refit(model, [[1.0]], [0], 5) == ({"n": 1}, [])
    assert asked == [(3, 20.0), (5, None)]
    for other, n in ((None, None), (model, 0), (SimpleNamespace(), 3)):
        assert any_clustering._refit(other, [[1.0]], [0], n) == (None, [])
    answer = ValueError(f" {'x' * 200}\nmore")
    assert any_clustering._refit(model, [[1.0]], [0], 2) == (
        None,
        ["Stability was not measured: SimpleNamespace cannot be refitted to part of the rows "
         f"({'x' * 150})."],
    )  # fmt: skip
    answer = None
    found, (note,) = any_clustering._refit(model, [[1.0]], [0], None)
    assert found is None
    assert note.startswith(
        "Stability was not measured: refits of SimpleNamespace would take more than 20 seconds of "
        "processor time. Give stability=3 to"
    )


@pytest.mark.parametrize(
    ("labels", "numbers"),
    [
        (pd.Series(["b", None, "a"], dtype="string"), [1, -1, 0]),  # its NA has no truth value
        (pd.Series([1, None, 0], dtype="Int64"), [1, -1, 0]),
        (pd.to_datetime(["2020-01-02", None, "2020-01-01"]), [1, -1, 0]),
    ],
)
def test_gaps_of_pandas_are_no_cluster(labels, numbers):
    assert read_labels(labels, 3).numbers.tolist() == numbers
    expected = [number if number >= 0 else -2 for number in numbers]  # -2: not compared
    assert as_numbers(list(labels)).tolist() == expected


@pytest.mark.parametrize("label", [np.inf, -np.inf, 1e300, 0.5])
def test_labels_that_are_no_numbers_of_clusters(label):
    with pytest.raises(ValueError, match="whole numbers or texts, got fractions or numbers"):
        read_labels(np.array([0.0, 1.0, label]), 3)


def test_clusterings_of_sparse_rows_are_refitted():
    X = sparse.csr_array(np.repeat(9.0 * np.eye(3), 10, axis=0))
    made = weft.report(X, model=KMeans(3, n_init=1, random_state=0).fit(X), stability=2)
    assert made.summary["stability"]["pairs"] == [1.0]


@pytest.mark.parametrize(
    ("option", "sentence"),
    [
        ({"feature_names": ["a"]}, "feature_names has 1 entries but X has 2 columns"),
        ({"row_names": ["a"]}, "row_names has 1 entries but X has 4 rows"),
        ({"names": {"young": 0}}, "the name of each cluster by its number"),
    ],
)
def test_names_that_do_not_fit_are_refused(option, sentence):
    with pytest.raises(ValueError, match=sentence):
        weft.report(np.eye(4, 2), [0, 0, 1, 1], **option)


def test_a_perfect_marker_is_no_number_of_300_digits():
    # "v" is 1 in all rows of cluster 1 and 0 in all others: the effect is infinite, kept as 1e300.
    group = np.arange(60) % 3
    page = weft.report(pd.DataFrame({"v": (group == 1) * 1.0, "u": group * 9.0}), group).html
    markers = page.split('id="marker-table"')[1].split("</table>")[0]
    assert '<td class="num">↑all</td>' in markers
    assert "00000" not in markers
