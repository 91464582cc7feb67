"""Refits on parts of the rows, with clusterers whose answers are known."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn import get_config
from sklearn.base import BaseEstimator, ClusterMixin

from weft.reporting import refits
from weft.reporting.facts import Facts
from weft.reporting.refits import _alike, _parts, _shuffled, measure_refits
from weft.reporting.sources import by_source


class Known(ClusterMixin, BaseEstimator):
    """The first column as the cluster; notes the rows and whether parameters are checked."""

    fits: list = []  # noqa: RUF012 - one list for all clones

    def __init__(self, random_state=None):
        self.random_state = random_state

    def fit_predict(self, X, y=None):
        X = np.asarray(X)
        self.fits.append((X, get_config()["skip_parameter_validation"], self.random_state))
        return X[:, 0].astype(int)


X = np.column_stack([np.arange(20) % 3 - 1, np.arange(20.0)])
LABELS = X[:, 0].astype(int)


def test_the_whole_result():
    Known.fits.clear()
    found = measure_refits(Known(), X, LABELS, n_repeats=3)
    # Cluster -1 is none: there are two others.
    assert found == {
        "n_repeats": 3, "share": 0.8, "n_rows": 20, "agreement": [1.0] * 3, "pairs": [1.0] * 3,
        "null": [1.0] * 3,
        "n_clusters": [2] * 3,
    }  # fmt: skip
    # The first refit checks parameters; three are of rows, three of shuffled ones.
    assert [skips for _, skips, _ in Known.fits] == [False, *[True] * 5]
    assert [len(rows) for rows, _, _ in Known.fits] == [16] * 6
    assert len({seed for _, _, seed in Known.fits}) == 6
    for rows, _, _ in Known.fits[:3]:
        assert (np.diff(rows[:, 1]) > 0).all()
        assert (rows[:, 0] == rows[:, 1] % 3 - 1).all()
    for rows, _, _ in Known.fits[3:]:
        assert not (rows[:, 0] == rows[:, 1] % 3 - 1).all()
    assert measure_refits(Known(), X, LABELS, n_repeats=1)["n_repeats"] == 2


@pytest.mark.parametrize(("limit", "is_measured"), [(6.0, True), (5.99, False)])
def test_the_time_of_all_refits(monkeypatch, limit, is_measured):
    # One second for the first of three, and as many of shuffled rows: six.
    times = iter([10.0, 11.0])
    monkeypatch.setattr(refits, "time", SimpleNamespace(process_time=lambda: next(times)))
    found = measure_refits(Known(), X, LABELS, n_repeats=3, max_seconds=limit)
    assert (found is not None) is is_measured


def test_parts_and_shuffled_columns():
    rng = np.random.default_rng(0)
    assert _parts(2, rng).tolist() == [0, 1]
    assert len(_parts(3, rng)) == 2
    assert [len(_parts(n, rng)) for n in (10, 100)] == [8, 80]
    frame = pd.DataFrame(X, columns=["a", "b"], index=np.arange(20) + 5)
    for given in (X, frame):
        made = _shuffled(given, np.random.default_rng(0))
        values = np.asarray(made)
        assert [sorted(values[:, j]) for j in range(2)] == [sorted(X[:, j]) for j in range(2)]
        assert not (values == X).all(axis=0).any()
    assert made.index.tolist() == frame.index.tolist()


def test_answers_that_agree():
    one, two, three = np.zeros(4, int), np.array([0, 0, 1, 1]), np.array([0, 1, 2, 2])
    assert (_alike(one, one), _alike(two, two), _alike(three, three)) == (0.0, 1.0, 1.0)


def test_columns_without_variance_have_no_weight():
    facts = Facts(
        labels=np.zeros(2, int), n_clusters=1, names=["a", "b", "c"],
        weights=np.array([1.0, 3.0, 5.0]), has_weights=True,
        selected=np.array([False, True, False]),
        exponents=np.array([1.0, 3.0, 2.0]), cluster_weights=np.array([[1.0, 3.0, 5.0]]),
        history={}, fitness=None, n_iter=None, params={},
    )  # fmt: skip
    columns = [SimpleNamespace(name=name, is_used=name != "gone") for name in ("x", "gone", "y")]
    plan = SimpleNamespace(columns=columns, owner=np.array([0, 0, 1]),
                           spread=np.array([1.0, 3.0, 0.0]))  # fmt: skip
    told = by_source(facts, plan)
    # Weights of "x": 1 · 1 / 4 + 3 · 3 / 4; "y" does not vary.
    assert (told.names, told.weights.tolist()) == (["x", "y"], [2.5, 0.0])
    assert told.selected.tolist() == [True, False]
    assert told.exponents.tolist() == [2.5, 0.0]
    assert told.cluster_weights.tolist() == [[2.5, 0.0]]
    plan.owner = np.arange(3)
    plan.columns = [SimpleNamespace(name=name, is_used=True) for name in "xyz"]
    assert by_source(facts, plan).weights is facts.weights
    assert by_source(facts, plan).names == ["x", "y", "z"]
