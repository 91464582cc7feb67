"""The two selectors as a user meets them."""

import inspect
import re

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import check_estimator

from weft import FeatureClusterSelector, FeatureSimilaritySelector, WeightedKMeans

SELECTORS = [
    FeatureSimilaritySelector(),
    FeatureSimilaritySelector(3, epsilon="latest", scale=False),
    FeatureSimilaritySelector(0.9, epsilon=0.01),
    FeatureClusterSelector(),
    FeatureClusterSelector(pick="largest"),
]


@pytest.fixture(scope="module")
def copies():
    rng = np.random.default_rng(0)
    X = np.repeat(rng.normal(size=(60, 4)), 5, axis=1)
    return X + 0.02 * rng.normal(size=X.shape)


@pytest.mark.parametrize("selector", SELECTORS, ids=repr)
def test_scikit_learns_contract(selector):
    results = check_estimator(selector, on_skip=None)
    assert len(results) > 40
    assert all(result["expected_to_fail"] is False for result in results)


@pytest.mark.parametrize("selector", SELECTORS[2:], ids=repr)
def test_keeps_one_of_each_group(selector, copies):
    kept = selector.fit(copies).get_support(indices=True)
    assert np.unique(kept // 5).tolist() == [0, 1, 2, 3]
    np.testing.assert_array_equal(selector.transform(copies), copies[:, kept])


@pytest.mark.parametrize("selector", SELECTORS, ids=repr)
def test_units_and_offsets_do_not_matter(selector, copies):
    # Without scaling the index depends on the unit, and that was asked for.
    scaled = selector.get_params().get("scale", True)
    stretch = np.logspace(-3, 3, 20) if scaled else np.ones(20)
    first = selector.fit(copies).get_support()
    again = selector.fit(copies * stretch + np.arange(20.0)).get_support()
    np.testing.assert_array_equal(first, again)


def test_names_and_tables_come_through(copies):
    frame = pd.DataFrame(copies, columns=[f"f{i}" for i in range(20)])
    selector = FeatureClusterSelector().set_output(transform="pandas").fit(frame)
    out = selector.transform(frame)
    assert list(out.columns) == list(selector.get_feature_names_out())
    assert selector.labels_.shape == (20,)
    assert selector.n_clusters_ == 4


def test_in_a_pipeline(copies):
    model = make_pipeline(FeatureClusterSelector(), WeightedKMeans(3)).fit(copies)
    assert model.predict(copies).shape == (60,)


def test_a_single_feature_stays():
    X = np.arange(5.0)[:, None]
    for selector in SELECTORS:
        assert selector.fit(X).get_support().tolist() == [True]


def test_more_neighbours_than_features_means_all(copies):
    many = FeatureSimilaritySelector(10_000).fit(copies)
    assert many.support_.sum() == FeatureSimilaritySelector(19).fit(copies).support_.sum() == 1
    assert many.n_discarded_.tolist() == [19]


@pytest.mark.parametrize(
    ("selector", "words"),
    [
        (FeatureSimilaritySelector(0), "n_neighbors=0 must be at least 1"),
        (
            FeatureSimilaritySelector(1.5),
            "n_neighbors=1.5 must be an integer from 1",
        ),
        (FeatureSimilaritySelector(epsilon="last"), "choose one of 'first', 'latest'"),
        (FeatureSimilaritySelector(epsilon=-1.0), "epsilon=-1.0 must be"),
        (FeatureClusterSelector(pick="best"), "choose one of 'spread', 'largest'"),
    ],
)
def test_bad_parameters_get_a_sentence(selector, words, copies):
    with pytest.raises((TypeError, ValueError), match=re.escape(words)):
        selector.fit(copies)


def test_values_too_large_to_square():
    X = np.random.default_rng(0).normal(size=(5, 3)) * 1e200
    for selector in (FeatureSimilaritySelector(), FeatureClusterSelector()):
        with pytest.raises(ValueError, match="powers cannot be summed"):
            selector.fit(X)


@pytest.mark.parametrize("selector", [FeatureSimilaritySelector, FeatureClusterSelector])
def test_documented_defaults_are_the_signature(selector):
    for name, parameter in inspect.signature(selector).parameters.items():
        stated = re.search(rf"^    {name} : .*default=(.+)$", selector.__doc__, re.MULTILINE)
        assert stated is not None, name
        assert stated[1].strip('"') == str(parameter.default), name


def test_wide_tables_take_seconds_and_little_memory():
    # A tenth of the thesis's width in the test; the bench has all 5,680.
    X = np.random.default_rng(1).normal(size=(100, 1200))
    assert FeatureClusterSelector().fit(X).support_.all()
    assert FeatureSimilaritySelector(1000).fit(X).support_.sum() <= 200
