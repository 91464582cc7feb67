"""RangeScaler: eq. 3.13 and dummies, by hand."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from weft import RangeScaler, WeightedKMeans


@parametrize_with_checks([RangeScaler()])
def test_sklearn_contract(estimator, check):
    check(estimator)


def test_numbers_by_hand():
    # Mean 4, range 8: (0 - 4)/4 = -1, (4 - 4)/4 = 0, (8 - 4)/4 = 1. A constant becomes 0.
    X = np.array([[0.0, 5.0], [4.0, 5.0], [8.0, 5.0]])
    np.testing.assert_array_equal(
        RangeScaler().fit_transform(X), [[-1.0, 0.0], [0.0, 0.0], [1.0, 0.0]]
    )


def test_categories_become_centred_dummies_with_names():
    table = pd.DataFrame(
        {"size": [0.0, 4.0, 8.0, 4.0], "kind": ["b", "a", "b", "b"], "code": [1, 2, 1, 2]}
    )
    scaler = RangeScaler(categorical=["kind", "code"]).set_output(transform="pandas").fit(table)
    out = scaler.transform(table)
    assert list(out.columns) == ["size", "kind_a", "kind_b", "code_1", "code_2"]
    np.testing.assert_allclose(out["kind_a"], [-0.25, 0.75, -0.25, -0.25])  # share 1/4
    np.testing.assert_allclose(out["code_2"], [-0.5, 0.5, -0.5, 0.5])
    np.testing.assert_allclose(out.mean(), 0.0, atol=1e-15)
    assert list(scaler.feature_names_in_) == ["size", "kind", "code"]


@pytest.mark.parametrize("dtype", ["object", "str", "category", "boolean"])
def test_columns_that_are_not_numeric_are_categories(dtype):
    values = [True, False, True] if dtype == "boolean" else ["x", "y", "x"]
    table = pd.DataFrame({"n": [1.0, 2.0, 3.0], "c": pd.Series(values, dtype=dtype)})
    assert RangeScaler().fit_transform(table).shape == (3, 3)


def test_what_is_missing_stays_missing():
    table = pd.DataFrame({"n": [0.0, np.nan, 2.0], "c": ["x", "y", None]})
    out = RangeScaler().fit_transform(table)
    np.testing.assert_array_equal(np.isnan(out), [[0, 0, 0], [1, 0, 0], [0, 1, 1]])
    np.testing.assert_array_equal(out[[0, 2], 0], [-1.0, 1.0])
    np.testing.assert_array_equal(out[:2, 1], [0.5, -0.5])


def test_a_new_category_is_none_of_the_known():
    scaler = RangeScaler().fit(pd.DataFrame({"c": ["x", "y", "x", "x"]}))
    np.testing.assert_allclose(scaler.transform(pd.DataFrame({"c": ["z"]})), [[-0.75, -0.25]])


def test_integers_by_position_in_an_array():
    X = np.array([[1.0, 7.0], [2.0, 8.0], [3.0, 7.0]])
    assert RangeScaler(categorical=[1]).fit_transform(X).shape == (3, 3)


def test_errors_say_what_to_do():
    with pytest.raises(ValueError, match="not a column"):
        RangeScaler(categorical=["nope"]).fit(pd.DataFrame({"a": [1.0, 2.0]}))
    with pytest.raises(ValueError, match="choose one of 'auto', or"):
        RangeScaler(categorical="all").fit(np.ones((3, 2)))
    with pytest.raises(ValueError, match="contains infinity, first in column 0"):
        RangeScaler().fit(pd.DataFrame({"a": [1.0, np.inf]}))


def test_names_reach_the_clusterer():
    table = pd.DataFrame({"n": [0.0, 0.1, 5.0, 5.1], "c": ["x", "x", "y", "y"]})
    pipeline = make_pipeline(RangeScaler(), WeightedKMeans(2)).set_output(transform="pandas")
    labels = pipeline.fit_predict(table)
    assert labels[0] == labels[1] != labels[2]
    assert list(pipeline[-1].feature_names_in_) == ["n", "c_x", "c_y"]


def test_positions_of_categories_lie_within_the_table():
    X = np.array([[1.0, 7.0], [2.0, 8.0], [3.0, 7.0]])
    # Three and two categories; the other column stays a number.
    assert RangeScaler(categorical=[0]).fit_transform(X).shape == (3, 4)
    assert RangeScaler(categorical=[1]).fit_transform(X).shape == (3, 3)
    assert RangeScaler(categorical=[1, 0]).fit_transform(X).shape == (3, 5)
    frame = pd.DataFrame(X, columns=["a", "b"])
    assert RangeScaler(categorical=["a"]).fit_transform(frame).shape == (3, 4)
    assert RangeScaler(categorical=[0]).fit_transform(frame).shape == (3, 4)
    for outside in (-1, 2):
        with pytest.raises(ValueError, match=f"categorical names {outside}, which is not a column"):
            RangeScaler(categorical=[outside]).fit(X)
