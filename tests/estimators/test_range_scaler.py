"""RangeScaler: eq. 3.13 and dummies, by hand."""

from __future__ import annotations

from types import ModuleType

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

import weft
from weft import RangeScaler, WeightedKMeans
from weft.estimators import range_scaler


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


@pytest.mark.parametrize("kind", ["string", "category", "boolean", object])
def test_a_missing_category_of_any_type_of_pandas(kind):
    values = [True, None, False] if kind == "boolean" else ["y", None, "x"]
    table = pd.DataFrame({"a": pd.Series(values, dtype=kind)})
    # One of two seen rows has each category: 1 - 1/2 and 0 - 1/2.
    expected = [[-0.5, 0.5], [np.nan, np.nan], [0.5, -0.5]]
    np.testing.assert_array_equal(RangeScaler().fit_transform(table), expected)


def test_a_column_without_any_category_has_no_dummies(tmp_path):
    table = pd.DataFrame({"a": [1.0, 3.0], "b": pd.Series([None, None], dtype=object)})
    scaler = RangeScaler().fit(table)
    np.testing.assert_array_equal(scaler.transform(table), [[-1.0], [1.0]])
    assert scaler.get_feature_names_out().tolist() == ["a"]
    scaler.save(tmp_path / "scaler.weft")
    again = weft.load(tmp_path / "scaler.weft")
    np.testing.assert_array_equal(again.transform(table), scaler.transform(table))


@pytest.mark.parametrize("value", [0.1, 1e17 + 64, -1e290])
def test_a_constant_column_becomes_0_without_rounding(value):
    # The sum of three 0.1 is above 0.3, so their mean is above 0.1.
    np.testing.assert_array_equal(RangeScaler().fit_transform(np.full((7, 1), value)), 0.0)


@pytest.mark.parametrize("library", ["polars", "pyarrow"])
def test_tables_of_other_libraries_have_categories_too(library):
    module = pytest.importorskip(library)
    make = module.DataFrame if library == "polars" else module.table
    columns = {"size": [0.0, 5.0, 10.0, 5.0], "kind": ["a", "b", "a", None]}
    scaler = RangeScaler().fit(make(columns))
    expected = RangeScaler().fit_transform(pd.DataFrame(columns))
    np.testing.assert_array_equal(scaler.transform(make(columns)), expected)
    assert scaler.get_feature_names_out().tolist() == ["size", "kind_a", "kind_b"]
    numbers = make({"a": [1.0, 2.0, 1.0], "b": [0.0, 1.0, 2.0]})
    named = RangeScaler(categorical=["a"]).fit(numbers)
    assert named.get_feature_names_out().tolist() == ["a_1.0", "a_2.0", "b"]
    assert named.transform(numbers).shape == (3, 3)
    with pytest.raises(ValueError, match="infinity"):
        RangeScaler().fit(make({"a": [1.0, np.inf]}))


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


# Tables that are scaled where they lie -----------------------------------------------------------


@pytest.fixture
def elsewhere(monkeypatch):
    """NumPy under another name: arrays count as those of a library with its own device."""
    library = ModuleType("elsewhere")
    library.__dict__.update({name: getattr(np, name) for name in np.__all__ if hasattr(np, name)})
    monkeypatch.setattr(range_scaler, "get_namespace", lambda X: (library, True))
    with sklearn.config_context(array_api_dispatch=True):
        yield library


def test_columns_are_scaled_by_the_library_of_their_array(elsewhere):
    # Means 4, 5 and 2 of what is known; halves of the ranges 4, 1 (constant) and 0.25.
    X = np.array([[0.0, 5.0, 1.75, np.nan], [4.0, 5.0, 2.25, np.nan], [8.0, 5.0, np.nan, np.nan]])
    scaler = RangeScaler().fit(X)
    assert scaler._fit_place == "elsewhere, cpu"
    assert scaler._is_category == [False] * 4
    assert [column.categories for column in scaler.columns_] == [None] * 4
    means = [column.mean.tolist() for column in scaler.columns_]
    assert means == [[4.0], [5.0], [2.0], [0.0]]
    assert [column.half_range for column in scaler.columns_] == [4.0, 1.0, 0.25, 1.0]
    found = scaler.transform(X)
    expected = [[-1.0, 0.0, -1.0], [0.0, 0.0, 1.0], [1.0, 0.0, np.nan]]
    np.testing.assert_array_equal(found[:, :3], expected)
    assert np.isnan(found[:, 3]).all()
    # The range itself would overflow.
    assert RangeScaler().fit([[-1.5e308], [1.5e308]]).columns_[0].half_range == 1.5e308
    small = RangeScaler().fit(X.astype(np.float32)).transform(X.astype(np.float32))
    assert small.dtype == np.float64
    with pytest.raises(ValueError, match="2 features, but RangeScaler is expecting 4"):
        scaler.transform(X[:, :2])


def test_a_table_of_another_library_is_refused(elsewhere, monkeypatch):
    X = np.array([[0.0], [4.0]])
    scaler = RangeScaler().fit(X)
    elsewhere.__name__ = "another"
    with pytest.raises(ValueError, match=r"same device as those passed to fit.*elsewhere, cpu"):
        scaler.transform(X)
    with sklearn.config_context(array_api_dispatch=False):
        with pytest.raises(ValueError, match="elsewhere, cpu"):
            scaler.transform(X)
        plain = RangeScaler().fit(X)
        assert plain._fit_place is None
        assert plain.transform(X).tolist() == [[-1.0], [1.0]]
    with pytest.raises(ValueError, match=r"same device as those passed to fit.*NumPy"):
        plain.transform(X)
    # Arrays of NumPy, and tables with categories, are read as any table.
    elsewhere.__name__ = "numpy"
    assert RangeScaler().fit(X)._fit_place is None
    monkeypatch.setattr(range_scaler, "get_namespace", lambda X: (elsewhere, False))
    elsewhere.__name__ = "another"
    assert RangeScaler().fit(X)._fit_place is None
    monkeypatch.setattr(range_scaler, "get_namespace", lambda X: (elsewhere, True))
    assert RangeScaler([0]).fit(X)._fit_place is None


def test_names_of_scaled_columns_are_those_given():
    X = np.array([[1.0, 7.0], [2.0, 8.0]])
    scaler = RangeScaler(categorical=[1]).fit(X)
    assert scaler.get_feature_names_out().tolist() == ["x0", "x1_7.0", "x1_8.0"]
    assert scaler.get_feature_names_out(["a", "b"]).tolist() == ["a", "b_7.0", "b_8.0"]
    with pytest.raises(ValueError, match="at least one row"):
        RangeScaler().fit(pd.DataFrame({"a": []}))
    with pytest.raises(ValueError, match="column 1 holds values that are not numbers"):
        RangeScaler(categorical=[0]).fit(pd.DataFrame({"a": ["x", "y"], "b": ["u", "v"]}))
    mixed = np.array([["u", 1.0], ["v", np.nan]], dtype=object)
    assert RangeScaler(categorical=[0]).fit_transform(mixed).shape == (2, 3)
