"""Estimators of the k-means family on raw tables: one weight for each source column."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import adjusted_rand_score

import weft
from weft import WeightedKMeans


@pytest.fixture
def customers():
    """Three groups in two numbers and two categories, and a category of noise."""
    rng = np.random.default_rng(0)
    n = 300
    groups = np.arange(n) % 3
    named = np.where(rng.random(n) < 0.1, rng.integers(3, size=n), groups)
    lived = np.where(rng.random(n) < 0.3, 3, groups)
    plan = np.array(["basic", "plus", "pro"])[named]
    region = np.array(["north", "south", "east", "west"])[lived]
    frame = pd.DataFrame(
        {
            "spend": rng.normal(10.0 * groups, 2.0),
            "visits": rng.normal(3.0 * (groups == 1), 1.0),
            "plan": plan,
            "region": region,
            "colour": rng.choice(["red", "green", "blue", "black", "white"], n),
        }
    )
    frame.loc[::17, "plan"] = None
    frame.loc[::23, "spend"] = np.nan
    return frame, groups


@pytest.mark.parametrize("weights", ["cluster", "global"])
def test_coordinates_of_a_source_column_share_a_weight(customers, weights):
    frame, _ = customers
    model = WeightedKMeans(3, weights=weights, init="k-means++", random_state=0).fit(frame)
    owner = model._table.owner
    for source in range(5):
        own = model.cluster_feature_weights_[:, owner == source]
        np.testing.assert_allclose(own, own[:, :1].repeat(own.shape[1], axis=1))
    np.testing.assert_allclose(model.cluster_feature_weights_.sum(axis=1), 1.0)
    assert model.source_weights_.shape == (5,)
    np.testing.assert_allclose(model.source_weights_.sum(), 1.0)


def test_clusters_of_a_raw_table_and_of_later_rows(customers, tmp_path):
    frame, groups = customers
    model = WeightedKMeans(3, weights=None, init="k-means++", random_state=0).fit(frame)
    assert adjusted_rand_score(groups, model.labels_) > 0.9
    np.testing.assert_array_equal(model.predict(frame), model.labels_)
    model.save(tmp_path / "model.weft")
    loaded = weft.load(tmp_path / "model.weft")
    np.testing.assert_array_equal(loaded.predict(frame[::-1]), model.labels_[::-1])
    np.testing.assert_allclose(loaded.source_weights_, model.source_weights_)


def test_points_have_variance_one_along_each_direction(customers):
    frame, _ = customers
    whole = frame.dropna()
    model = WeightedKMeans(3, weights=None).fit(whole)
    rows = model._rows_of(whole).to_numpy()
    np.testing.assert_allclose(rows.var(axis=0), 1.0, atol=1e-9)


def test_a_table_of_numbers_has_no_groups():
    X = np.random.default_rng(0).standard_normal((40, 3))
    model = WeightedKMeans(2).fit(X)
    assert model._groups() is None
