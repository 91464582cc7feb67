"""AutoCluster on tables that are not in memory: the bits of a fit of the same sample."""

from types import SimpleNamespace

import numpy as np
import pytest

from weft import AutoCluster
from weft.auto.large import sampled_places
from weft.auto.rare import Known
from weft.columns.source import SourceColumn
from weft.estimators import _auto_lazy
from weft.estimators._auto_lazy import (
    LazyRows,
    LightModel,
    _open_rows,
    answers_of_rows,
    gather,
    has_categories,
)

dask = pytest.importorskip("dask")
array = pytest.importorskip("dask.array")
pytestmark = pytest.mark.usefixtures("small_samples")


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(4)
    return rng.normal(size=(3, 4))[rng.integers(3, size=1000)] * 6 + rng.normal(size=(1000, 4))


def test_blocks_and_schedulers_do_not_matter_and_the_sample_alone_gives_the_same(rows):
    labels = []
    for size, scheduler in ((170, "threads"), (400, "synchronous")):
        with dask.config.set(scheduler=scheduler):
            lazy = array.from_array(rows, chunks=(size, -1))
            model = AutoCluster(n_resamples=0).fit(lazy)
            assert isinstance(model.labels_, array.Array)
            labels.append(model.labels_.compute())
            np.testing.assert_array_equal(model.predict(lazy).compute(), labels[-1])
    alone = AutoCluster(n_resamples=0).fit(rows[sampled_places(1000)])
    for found in labels:
        np.testing.assert_array_equal(found, alone.predict(rows))


def test_a_dataframe_with_words(rows):
    pandas, frames = pytest.importorskip("pandas"), pytest.importorskip("dask.dataframe")
    frame = pandas.DataFrame(rows, columns=list("abcd"))
    frame["kind"] = np.where(rows[:, 0] > 0, "left", "right")
    with dask.config.set(scheduler="synchronous"):
        model = AutoCluster(n_resamples=0).fit(frames.from_pandas(frame, npartitions=3))
        labels = model.labels_.compute()
    np.testing.assert_array_equal(labels, model.predict(frame))
    assert model.n_clusters_ > 1


def test_quick_probabilities_are_those_of_predict_proba(rows):
    model = AutoCluster(n_resamples=0).fit(rows)
    labels, likely = answers_of_rows(model, rows)
    np.testing.assert_array_equal(labels, model.predict(rows))
    np.testing.assert_allclose(likely, model.predict_proba(rows).max(axis=1), atol=1e-6)


@pytest.mark.parametrize("offset", [0.0, 1e9])
def test_labels_are_those_of_predict_where_distances_tie(rows, offset):
    # On a grid many rows are equally far from clustered rows of two clusters; far from zero,
    # distances are rounded too.
    model = AutoCluster(n_resamples=0, min_clusters=2).fit(np.round(rows) + offset)
    rng = np.random.default_rng(5)
    grid = rng.integers(-12, 13, size=(4000, 4)) / 2.0 + offset
    labels, likely = answers_of_rows(model, grid)
    np.testing.assert_array_equal(labels, model.predict(grid))
    np.testing.assert_allclose(likely, model.predict_proba(grid).max(axis=1), atol=1e-6)


def test_rows_in_doubt_alone_get_the_label_of_predict(rows, monkeypatch):
    model = AutoCluster(n_resamples=0).fit(rows)
    expected = model.predict(rows)
    doubted = np.arange(len(rows)) % 7 == 0
    monkeypatch.setattr(_auto_lazy, "_open_rows", lambda *_: doubted)
    monkeypatch.setattr(AutoCluster, "_nearest", lambda self, X: np.full(len(X), 2))
    labels, _ = answers_of_rows(model, rows)
    np.testing.assert_array_equal(labels, np.where(doubted, 2, expected))


def test_labels_are_those_of_predict_where_some_rows_are_outliers(rows):
    given = np.concatenate([rows, np.random.default_rng(6).uniform(-40, 40, size=(60, 4))])
    model = AutoCluster(n_resamples=0, outliers=True).fit(given)
    np.testing.assert_array_equal(answers_of_rows(model, given)[0], model.predict(given))


def test_an_empty_table_is_refused():
    with pytest.raises(ValueError, match="no rows"):
        AutoCluster().fit(array.zeros((0, 3)))


def test_rows_are_taken_from_the_blocks_that_hold_them():
    # Rows 0-2, 3 and 4, 5-8, none, 9: of the second and the last block nothing is wanted.
    def fail():
        raise AssertionError("a block without a wanted row is not opened")

    X = np.arange(20.0).reshape(10, 2)
    unopened = dask.delayed(fail)()
    blocks = [X[:3], unopened, X[5:9], unopened, unopened]
    with dask.config.set(scheduler="synchronous"):
        found = gather(blocks, [3, 2, 4, 0, 1], np.array([0, 2, 5, 8]))
        np.testing.assert_array_equal(found, X[[0, 2, 5, 8]])
        # Parts of a dataframe are numbered anew.
        pandas = pytest.importorskip("pandas")
        frame = pandas.DataFrame(X, columns=["a", "b"])
        found = gather([frame[:3], frame[3:]], [3, 7], np.array([2, 3, 9]))
    pandas.testing.assert_frame_equal(found, frame.iloc[[2, 3, 9]].reset_index(drop=True))


def test_plans_with_other_columns_than_numbers():
    def plan(*columns):
        return SimpleNamespace(columns=columns)

    number = SourceColumn("a", "number", (0,))
    ordered = SourceColumn("b", "ordered", (1,), levels=("x", "y"))
    flag = SourceColumn("c", "yes/no", (2,), levels=("no", "yes"))
    assert not has_categories(plan(number, ordered))
    assert not has_categories(plan(number, SourceColumn("note", "text")))  # is not used
    assert has_categories(plan(number, flag))
    assert has_categories(plan(flag, number))
    assert not has_categories(plan())


def test_a_model_for_labelling_is_without_what_is_as_long_as_the_table(rows):
    model = AutoCluster(n_resamples=0, callbacks=[print]).fit(rows)
    light = LightModel.of(model).model
    left_out = {"alternatives_", "candidates_", "_fit_membership"}
    assert not left_out & set(vars(light))
    assert (light.labels_.tolist(), light.callbacks) == ([0], None)
    assert set(vars(model)) - set(vars(light)) <= left_out
    assert model.callbacks == [print]
    np.testing.assert_array_equal(light.predict(rows), model.predict(rows))


def test_rows_whose_nearest_cluster_is_in_doubt_by_hand():
    # Two columns count, with factors 2 and 0.5. The middle of the anchors is (4, 0); they are
    # (8, 0), (4, 0) and (12, 0) away from it. The row (1, 16) is (6, 8) away, which is 10. The
    # doubt is 1e-13 (2 columns + 16) (10 + 2 · 12)².
    anchors = np.array([[0.0, 0.0, 7.0], [2.0, 0.0, 9.0], [10.0, 0.0, 900.0]])
    known = Known(anchors, np.array([0, 1, 2]), np.array([2.0, 0.5, 0.0]))
    doubt = 1e-13 * 18.0 * 34.0**2
    X = np.repeat([[1.0, 16.0, -900.0]], 4, axis=0)
    least = 1e-9
    gaps = doubt * np.array([0.99, 1.01, 0.0, 100.0])
    # The nearest two are in any order, and the third does not matter.
    distances = least + np.column_stack([gaps, np.zeros(4), 2.0 * gaps])
    model = SimpleNamespace()
    for order in ([0, 1, 2], [1, 2, 0], [2, 0, 1]):
        found = _open_rows(model, known, X, distances[:, order])
        assert found.tolist() == [True, False, True, False]
    # With a projection, or anchors without a cluster, labels follow another rule.
    other = SimpleNamespace(_fit_projection="some")
    assert _open_rows(other, known, X, distances).tolist() == [True] * 4
    none = known._replace(labels=np.array([0, -1, 1]))
    assert _open_rows(model, none, X, distances).tolist() == [True] * 4


def test_results_of_blocks_are_added_in_order():
    X = np.arange(10.0)[:, None]
    table = LazyRows([X[:3], X[3:4], X[4:]], [3, 1, 6], lambda block: 2.0 * block)
    with dask.config.set(scheduler="synchronous"):
        found = table.fold(
            lambda first, rows, state: [(first, len(rows), float(rows[0, 0]), state)],
            lambda parts: [each for part in parts for each in part],
            "state",
        )
    assert found == [(0, 3, 0.0, "state"), (3, 1, 6.0, "state"), (4, 6, 8.0, "state")]
