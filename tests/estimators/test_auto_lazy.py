"""AutoCluster on tables that are not in memory: the bits of a fit of the same sample."""

import numpy as np
import pytest

from weft import AutoCluster
from weft.auto.large import sampled_places
from weft.estimators._auto_lazy import answers_of_rows

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


def test_labels_are_those_of_predict_where_some_rows_are_outliers(rows):
    given = np.concatenate([rows, np.random.default_rng(6).uniform(-40, 40, size=(60, 4))])
    model = AutoCluster(n_resamples=0, outliers=True).fit(given)
    np.testing.assert_array_equal(answers_of_rows(model, given)[0], model.predict(given))


def test_an_empty_table_is_refused():
    with pytest.raises(ValueError, match="no rows"):
        AutoCluster().fit(array.zeros((0, 3)))
