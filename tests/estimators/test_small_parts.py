"""Small parts of estimators: anchors, settings read together, sentences, defaults, notebooks."""

from __future__ import annotations

from types import SimpleNamespace

import dask.array
import numpy as np
import pandas as pd
import pytest
import sklearn
from numpy.testing import assert_array_equal
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator
from sklearn.utils import get_tags

import weft
from weft import (
    DynamicSwarm,
    GeneticClustering,
    KernelSubtractive,
    KernelSwarm,
    StagedSwarm,
)
from weft.estimators import _centers, _mixins, _soft_answers
from weft.estimators._anchors import AnchorsMixin
from weft.estimators._auto_rows import read_rows
from weft.estimators._auto_settings import read_settings
from weft.estimators._blocks import lengths_of, read_lazy, split
from weft.estimators._blockwise import (
    refuse_medians,
    rows_to_distances,
    rows_to_labels,
    warn_of_empty_clusters,
)
from weft.estimators._declared_auto import anchors_have_the_columns
from weft.estimators._described_answers import DescribedAnswersMixin
from weft.estimators._guard import _too_large, guarded
from weft.estimators._parameters import _is_ragged, check_parameters
from weft.estimators._sampled import SampledMixin

# Anchors -----------------------------------------------------------------------------------------


class Anchored(AnchorsMixin, BaseEstimator):
    """Two anchors on a line, of clusters 1 and 0."""

    n_jobs = None
    feature_weights_ = np.array([1.0, 0.0])
    feature_exponents_ = None
    n_features_in_ = 2
    _fit_anchors = np.array([[0.0, 5.0], [10.0, 5.0]])
    _fit_anchor_labels = np.array([1, 0])
    _fit_radius = 2.0

    def fit(self, X, y=None):
        return self

    def __sklearn_is_fitted__(self):
        return True


def test_labels_of_the_nearest_anchor_within_the_radius():
    model = Anchored()
    rows = np.array([[2.0, -9.0], [2.001, 5.0], [8.0, 5.0], [-1.9, 5.0], [5.0, 5.0]])
    assert model._nearest(rows).tolist() == [1, -1, 0, 1, -1]
    model.feature_exponents_ = np.array([1.0, 9.0])
    model._fit_radius = 3.0
    # The exponents of the kept column alone: distances are not squared.
    assert model._nearest(rows).tolist() == [1, 1, 0, 1, -1]
    model._fit_anchors = np.empty((0, 2))
    assert model._nearest(rows).tolist() == [-1] * 5


# AutoCluster -------------------------------------------------------------------------------------


def test_numbers_of_clusters_that_go_together():
    for low, high, number in ((3, 3, None), (2, 3, None), (None, 2, 9), (9, None, None)):
        model = weft.AutoCluster(number, min_clusters=low, max_clusters=high)
        found = read_settings(model, 9, 2)
        assert (found.min_clusters, found.max_clusters, found.n_clusters) == (low, high, number)
        assert (found.rate, found.min_cluster_size, found.n_resamples) == (0.05, 2, 4)
        assert (found.outliers, found.time_limit, found.seed) == (False, None, 0)
    assert read_settings(weft.AutoCluster(time_limit=2), 9, 2).time_limit == 2.0
    with pytest.raises(ValueError, match="min_clusters=4 is above max_clusters=3"):
        read_settings(weft.AutoCluster(min_clusters=4, max_clusters=3), 9, 2)
    for options in ({"n_clusters": 10}, {"min_clusters": 10}):
        with pytest.raises(ValueError, match="n_clusters=10 needs as many samples"):
            read_settings(weft.AutoCluster(**options), 9, 2)


def test_a_wrong_number_is_named_with_its_column():
    frame = pd.DataFrame({"a": [1.0, 2.0, 3.0], "b": [1.0, np.inf, 3.0]})
    with pytest.raises(ValueError, match="infinity, first in column 'b'"):
        read_rows(weft.AutoCluster(), frame, reset=True)
    with pytest.raises(ValueError, match="infinity"):
        read_rows(weft.AutoCluster(), csr_array(np.array([[1.0, 0.0], [np.inf, 1.0]])), reset=True)
    for rows in (np.ones((1, 2)), csr_array(np.ones((1, 2)))):
        with pytest.raises(ValueError, match="minimum of 2"):
            read_rows(weft.AutoCluster(), rows, reset=True)
    model = weft.AutoCluster()
    read_rows(model, np.ones((2, 2)), reset=True)
    assert read_rows(model, np.ones((1, 2)), reset=False).shape == (1, 2)
    assert (model._fit_total, model._fit_projection) == (None, None)


def test_columns_of_anchors_in_a_model_file():
    learned = {
        "_fit_anchors": np.ones((2, 3)),
        "_fit_projection": None,
        "n_features_in_": 3,
        "_fit_total": None,
    }
    plain = {"counts": False}
    assert anchors_have_the_columns(plain, learned) == ""
    assert "3 columns" in anchors_have_the_columns(plain, {**learned, "n_features_in_": 4})
    projected = {**learned, "n_features_in_": 4, "_fit_projection": "some"}
    assert anchors_have_the_columns(plain, projected) == ""
    assert "_fit_total" in anchors_have_the_columns({"counts": True}, learned)
    assert "_fit_total" in anchors_have_the_columns(plain, {**learned, "_fit_total": 5.0})
    counted = {**learned, "_fit_total": 5.0}
    assert anchors_have_the_columns({"counts": True}, counted) == ""


def test_rows_of_the_fit_from_the_anchors():
    class Model(DescribedAnswersMixin):
        n_clusters_ = 2
        labels_ = np.array([0, 1, 1])

    model = Model()
    model._fit_anchors = np.arange(6.0).reshape(3, 2)
    model._fit_anchor_rows = np.array([2, 0, 1])
    assert model._rows_of_fit("membership_").tolist() == [[2.0, 3.0], [4.0, 5.0], [0.0, 1.0]]
    model._fit_anchor_rows = np.array([2, 0])
    with pytest.raises(AttributeError, match=r"membership_ was not kept .* call membership\(X\)"):
        model._rows_of_fit("membership_")
    del model._fit_anchor_rows
    with pytest.raises(AttributeError, match="was not kept"):
        model._rows_of_fit("outlier_score_")
    model.n_clusters_ = 1
    assert model._rows_of_fit("membership_").tolist() == [[0.0, 0.0]] * 3


# Blocks ------------------------------------------------------------------------------------------


def test_small_masses_of_a_lazy_table():
    X = dask.array.from_array(np.arange(6.0).reshape(3, 2), chunks=(2, 2))
    assert read_lazy(SimpleNamespace(), X, [0.25, 0.0, 0.25]).survey.mass == 0.5
    assert read_lazy(SimpleNamespace(), X * 0.0).n_rows == 3


def test_blocks_of_lazy_tables():
    model = SimpleNamespace()
    X = dask.array.from_array(np.arange(12.0).reshape(3, 4), chunks=(2, 2))
    blocks = split(model, X, reset=True)
    assert [block.compute().shape for block in blocks] == [(2, 4), (1, 4)]
    assert model.n_features_in_ == 4
    assert len(split(model, X.astype(bool), reset=False)) == 2
    with pytest.raises(ValueError, match="expecting 4 features"):
        split(model, X[:, :3], reset=False)
    with pytest.raises(ValueError, match="two dimensions"):
        split(model, X[:, 0], reset=True)
    with pytest.raises(ValueError, match="not real numbers"):
        split(model, X.astype(complex), reset=True)
    assert lengths_of(X) == [2, 1]


def test_medians_and_empty_clusters():
    for exponent in (1.1, 1.5, 2.0):
        refuse_medians(exponent, "a stream")
    with pytest.raises(ValueError, match="a stream would have to be held in memory"):
        refuse_medians(1.0, "a stream")
    warn_of_empty_clusters(np.array([0.5, 1.0]))
    with pytest.warns(UserWarning, match="1 of 3 clusters have rows"):
        warn_of_empty_clusters(np.array([0.0, 0.5, 0.0]))


def test_answers_about_a_block():
    centers, factors = np.array([[0.0, 0.0], [4.0, 0.0]]), np.array([[1.0, 2.0], [0.5, 2.0]])
    rows = np.array([[1.0, 1.0], [3.0, np.nan], [2.5, 0.0]])
    assert rows_to_labels(centers, factors, 2.0, rows).tolist() == [0, 1, 1]
    # Missing values count as the others do: half of the features is twice their distance.
    expected = np.sqrt([[3.0, 6.5], [18.0, 1.0], [6.25, 1.125]])
    np.testing.assert_allclose(rows_to_distances(centers, factors, 2.0, rows), expected)


# Centres -----------------------------------------------------------------------------------------


def test_work_of_estimators_without_an_exponent(monkeypatch):
    asked = []
    monkeypatch.setattr(_centers, "backend_for", lambda *given: asked.append(given))
    weft.EntropyKMeans()._backend(10, 3)
    weft.WeightedKMeans(distance_exponent=2.0)._backend(10, 3)
    weft.WeightedKMeans(distance_exponent=3.0)._backend(10, 3)
    assert asked == [("cpu", "kmeans", 30)] * 2 + [("cpu", "kmeans-powers", 30)]
    assert weft.EntropyKMeans()._power() == 2.0
    assert weft.WeightedKMeans(distance_exponent=3.0)._power() == 3.0


def test_rows_and_columns_without_values_are_named():
    X = np.array([[1.0, 2.0], [np.nan, np.nan], [3.0, 4.0]])
    with pytest.raises(ValueError, match="row 1 has no observed value"):
        weft.WeightedKMeans(2, allow_nan=True).fit(X)
    X[1, 0] = 5.0
    X[:, 1] = np.nan
    with pytest.raises(ValueError, match="column 1 has no observed value"):
        weft.WeightedKMeans(2, allow_nan=True).fit(X)
    with pytest.raises(ValueError, match="zero"):
        weft.WeightedKMeans(2).fit(np.eye(3), sample_weight=np.zeros(3))


def test_sparse_rows_with_entries_in_parts():
    # 3 as 1 + 2 in the same place; the caller's matrix keeps its parts.
    whole = csr_array(np.array([[3.0, 0.0, 1.0], [0.0, 2.0, 0.0], [1.0, 0.0, 2.0]]))
    parts = csr_array(
        (np.array([1.0, 2.0, 1.0, 2.0, 1.0, 2.0]), [0, 0, 2, 1, 0, 2], [0, 3, 4, 6]), shape=(3, 3)
    )
    settings = {"n_particles": 4, "n_evaluations": 8, "random_state": 0}
    model = weft.ProjectedSwarm(2, metric="jaccard", **settings).fit(whole)
    assert model.predict(parts).tolist() == model.labels_.tolist()
    assert model.score(parts) == pytest.approx(model.score(whole))
    assert parts.nnz == 6


# Calls -------------------------------------------------------------------------------------------


def too_large(X, params, error="cannot allocate"):
    model = SimpleNamespace(get_params=lambda deep: {} if deep else params)
    return _too_large(model, (X,), {}, MemoryError(error))


def test_a_call_that_ran_out_of_memory_says_what_to_do():
    rows = "memory does not suffice for SimpleNamespace on"
    assert too_large(np.ones((3, 2)), {}) == (
        f"{rows} 3 rows × 2 columns; pass fewer rows or columns."
    )
    assert too_large(np.ones(3), {"max_clusters": 3, "max_samples": 1}) == (
        f"{rows} this table; set max_samples, or lower max_clusters, or pass fewer rows or columns."
    )
    assert too_large([1], {"n_particles": 1, "max_memory": 1}).startswith(
        f"{rows} this table; lower max_memory, or lower n_particles, or"
    )
    assert too_large(None, {}, "A sentence.") == "A sentence."
    model = SimpleNamespace(get_params=lambda deep: {})
    found = _too_large(model, (), {"X": np.ones((5, 1))}, MemoryError())
    assert "on 5 rows × 1 columns" in found
    assert guarded(too_large)._is_guarded is True


def test_parameters_in_words():
    for model, words in (
        (weft.EntropyKMeans(init=np.ones(3)), "an array of finite numbers with 2 dimensions"),
        (weft.RangeScaler(categorical=np.ones((2, 2))), "finite numbers with 1 dimension"),
        (weft.KernelKMeans(n_clusters=0), "n_clusters=0 must be at least 1"),
        (weft.EntropyKMeans(n_jobs=0), "n_jobs=0 must be"),
        (weft.EntropyKMeans(n_jobs=-5000), "n_jobs=-5000 must be at least -4096"),
        (weft.EntropyKMeans(init=[[1.0], [2.0, 3.0]]), "init="),
    ):
        with pytest.raises((ValueError, TypeError), match=words) as caught:
            check_parameters(model)
        if words.endswith("1 dimension"):
            assert "1 dimensions" not in str(caught.value)
    assert not _is_ragged([[1], 2, [3]])


def test_what_markers_are_asked_for(monkeypatch):
    asked = []
    monkeypatch.setattr(
        _mixins, "marker_columns", lambda *given, **options: asked.append((given, options))
    )
    X = np.arange(12.0).reshape(6, 2)
    model = weft.WeightedKMeans(2).fit(X)
    model.markers(X)
    model.markers(pd.DataFrame(X, columns=["a", "b"]), honest=True, min_effect=0.5)
    (values, labels), options = asked[0]
    assert values is X
    assert labels is model.labels_
    assert options == {
        **{"false_discovery_rate": 0.05, "min_effect": 0.2, "counts": False},
        **{"clusterer": None, "feature_names": None, "random_state": 0},
    }
    assert asked[1][1]["clusterer"] is model
    assert asked[1][1]["min_effect"] == 0.5
    assert list(asked[1][1]["feature_names"]) == ["a", "b"]
    raw = pd.DataFrame({"x": np.arange(8.0), "c": ["a", "b"] * 4})
    model = weft.WeightedKMeans(2).fit(raw)
    model.markers(raw)
    assert asked[2][1]["feature_names"] == ["x", "c: a", "c: b"]
    with pytest.raises(ValueError, match="honest=True needs a table of numbers"):
        model.markers(raw, honest=True)


def test_notebooks_get_the_answer_below_the_diagram():
    model = weft.WeightedKMeans(2)
    plain = model._repr_mimebundle_()["text/html"]
    model.fit(np.arange(12.0).reshape(6, 2))
    shown = model._repr_mimebundle_()["text/html"]
    assert "clusters" in shown
    assert "clusters of" not in plain
    assert len(shown) > len(plain)
    with sklearn.config_context(display="text"):
        assert set(model._repr_mimebundle_()) == {"text/plain"}


def test_kept_columns_as_a_mask_or_as_places():
    model = Anchored()
    assert model.get_support().tolist() == [True, False]
    assert model.get_support(indices=True).tolist() == [0]
    assert model.get_feature_names_out(["a", "b"]).tolist() == ["a"]


def test_memory_of_probabilities_is_checked(monkeypatch):
    asked = []
    monkeypatch.setattr(_soft_answers, "check_memory", lambda *given: asked.append(given))
    model = weft.WeightedKMeans(2).fit(np.arange(12.0).reshape(6, 2))
    model.predict_proba(np.ones((3, 2)))
    assert [each[:2] for each in asked] == [(96, "probabilities of 3 rows and 2 clusters")]


def test_tables_that_estimators_take():
    def tags(model):
        found = get_tags(model).input_tags
        return found.sparse, found.allow_nan, found.string, found.categorical

    assert tags(weft.AutoCluster())[0] is True
    assert tags(weft.ProjectedSwarm(metric="jaccard"))[0] is True
    assert tags(weft.ProjectedSwarm())[0] is False
    assert tags(weft.WeightedKMeans())[1] is False
    assert tags(weft.WeightedKMeans(allow_nan=True))[1] is True
    assert tags(weft.RangeScaler())[1] is True
    assert tags(weft.TablePreparer())[1:] == (True, True, True)
    assert tags(weft.TablePreparer(missing="error"))[1] is False
    assert get_tags(weft.RangeScaler()).array_api_support is True
    assert get_tags(weft.RangeScaler([0])).array_api_support is False


def test_labels_of_all_rows_after_a_sample(monkeypatch):
    class Model(SampledMixin):
        max_samples, max_memory, n_jobs, scale, n_clusters_ = 3, "1GiB", None, True, 2

        def _fit_rows(self, rows, seed):
            asked.append((len(rows), seed))
            self.labels_ = np.array([1, 0, 1])

        def _nearest(self, X):
            return np.where(X[:, 0] < 0.0, -1, (X[:, 0] > 2.0).astype(int))

        def _cluster_again(self, X, seed):
            return (X[:, 0] > 2.0).astype(int)

    asked = []
    model = Model()
    rows = np.array([[3.0, 0.0], [-1.0, 1.0], [0.5, 0.0], [4.0, 1.0], [1.0, 1.0]])
    model._fit_sampled(rows, 7, 1)
    assert asked == [(3, 7)]
    # Clusters are numbered by their first row: 1 becomes 0; a row in no cluster stays so.
    assert model.labels_.tolist() == [0, -1, 1, 0, 1]
    assert model._fit_labels.tolist() == [0, 1, 0]
    assert model.n_samples_search_ == 3
    assert -1.0 <= model.sample_agreement_ <= 1.0
    model.max_samples = 5
    model._fit_sampled(rows, 7, 1)
    assert asked[1] == (5, 7)
    assert (model.n_samples_search_, model.sample_agreement_) == (5, None)
    assert model.labels_.tolist() == [1, 0, 1]


def test_counts_below_0_are_refused():
    tags = get_tags(weft.CountNormalizer()).input_tags
    assert (tags.sparse, tags.positive_only) == (True, True)
    half = np.full((3, 2), 0.5)
    assert weft.CountNormalizer().fit(half).target_sum_ == 1.0
    assert weft.CountNormalizer(3).fit(half).target_sum_ == 3.0
    assert weft.CountNormalizer().fit(csr_array((3, 2))).transform(csr_array((3, 2))).nnz == 0
    for rows in (np.array([[1.0, -0.5]]), csr_array(np.array([[1.0, -0.5]]))):
        with pytest.raises(ValueError, match=r"counts are at least 0, got -0\.5; give the table"):
            weft.CountNormalizer().fit(rows)


def test_names_of_a_prepared_table_are_its_own():
    frame = pd.DataFrame({"a": np.arange(9.0) ** 1.5, "b": ["x", "y", "z"] * 3})
    preparer = weft.TablePreparer("columns").fit(frame)
    assert preparer.get_feature_names_out(["a", "b"]).tolist() == ["a", "b"]
    with pytest.raises(ValueError, match="input_features is not equal"):
        preparer.get_feature_names_out(["a", "c"])
    array = weft.TablePreparer("columns").fit(np.arange(18.0).reshape(9, 2) ** 1.5)
    assert array.get_feature_names_out(["x0", "x1"]).tolist() == ["x0", "x1"]
    for wrong in (np.ones(2), np.ones((1, 3))):
        with pytest.raises(ValueError, match="give rows of 2 numbers"):
            array.inverse_transform(wrong)
    with pytest.raises(ValueError, match="at least two rows"):
        weft.TablePreparer().fit(frame[:1])
    for option in ("keep", "drop"):
        with pytest.raises(ValueError, match=f"{option} names 'c', which is not a column"):
            weft.TablePreparer(**{option: ["a", "c"]}).fit(frame)


@pytest.mark.parametrize(("n_clusters", "n_repeats"), [(1, 0), (2, 2)])
def test_one_cluster_needs_no_repeats(n_clusters, n_repeats):
    rows = np.random.default_rng(0).normal(size=(24, 2))
    rows[12:] += 8.0
    seen = []
    weft.AutoCluster(n_clusters, n_resamples=2, callbacks=[seen.append]).fit(rows)
    assert len(seen) == n_repeats


@pytest.mark.parametrize(
    "model",
    [
        StagedSwarm(n_particles=6, n_generations=3),
        DynamicSwarm(n_rounds=1, n_particles=6, n_generations=3, scale=False),
        GeneticClustering(n_particles=6, n_generations=3, scale=False),
        KernelSwarm("rbf", centers="input", sigma=1.0, scale=False, n_particles=6, n_generations=3),
        KernelSubtractive(3, kernel="linear", scale=False),
    ],
    ids=lambda model: type(model).__name__,
)
def test_predict_repeats_the_labels_of_rows_as_near_to_two_centres(model):
    tables = np.random.default_rng(0).integers(0, 4, size=(50, 16, 2)).astype(float)
    for seed, X in enumerate(tables):
        if "random_state" in model.get_params():
            model.set_params(random_state=seed)
        assert_array_equal(model.fit(X).predict(X), model.labels_)
        assert_array_equal(np.unique(model.labels_), np.arange(model.n_clusters_))
