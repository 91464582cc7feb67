"""AutoCluster on sparse tables and on counts, and CountNormalizer."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics import adjusted_rand_score
from sklearn.pipeline import make_pipeline

import weft
from weft import AutoCluster, CountNormalizer
from weft.auto.projection import learn_projection, nearest_points, vote, with_unit_rows
from weft.auto.sparse import has_unit_rows, signatures, take_sample
from weft.columns.counts import look_like_counts
from weft.columns.variable import Moments, column_moments, excess_variances, variable_columns


def made_counts(n_rows: int = 240, n_columns: int = 400, seed: int = 0):
    """Three groups of negative binomial counts; each has 40 columns that are four times as high."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 3, n_rows)
    profile = np.tile(rng.gamma(1.0, 1.0, n_columns) + 0.2, (3, 1))
    for k in range(3):
        profile[k, 40 * k : 40 * k + 40] *= 4.0
    mean = profile[labels] * rng.lognormal(0.0, 0.8, (n_rows, 1)) * 2.0
    return rng.poisson(rng.gamma(4.0, mean / 4.0)).astype(float), labels


@pytest.fixture(scope="module")
def counted():
    X, labels = made_counts()
    return sparse.csr_array(X), labels, AutoCluster(counts=True, n_resamples=1).fit(X)


def test_sparse_counts_are_clustered_and_new_rows_join(counted):
    X, labels, _ = counted
    model = AutoCluster(counts=True, n_resamples=1, random_state=0).fit(X[:200])
    assert adjusted_rand_score(labels[:200], model.labels_) > 0.9
    np.testing.assert_array_equal(model.predict(X[:200]), model.labels_)
    assert adjusted_rand_score(labels[200:], model.predict(X[200:])) > 0.8
    np.testing.assert_array_equal(model.predict(X[200:]), model.predict(X[200:].toarray()))
    assert model.feature_weights_[:120].mean() > 5 * model.feature_weights_[120:].mean()
    moved = model.transform(X)
    assert sparse.issparse(moved)
    np.testing.assert_allclose(moved.toarray(), model.transform(X.toarray()))


@pytest.mark.parametrize("make", [sparse.csr_array, sparse.csc_matrix, sparse.coo_array])
def test_every_sparse_format_gives_the_same(counted, make):
    X, _, _ = counted
    quick = AutoCluster(counts=True, n_resamples=0)
    np.testing.assert_array_equal(quick.fit(X).labels_, quick.fit(make(X)).labels_)


def test_order_of_rows_and_columns_does_not_matter(counted):
    X, _, _ = counted
    rng = np.random.default_rng(3)
    rows, columns = rng.permutation(X.shape[0]), rng.permutation(X.shape[1])
    quick = AutoCluster(counts=True, n_resamples=0)
    one = quick.fit(X).labels_
    two = quick.fit(X[rows][:, columns]).labels_
    assert adjusted_rand_score(one[rows], two) == 1.0


def test_a_sparse_model_is_saved_and_taken_apart(counted, tmp_path):
    X, _, _ = counted
    model = AutoCluster(counts=True, n_resamples=1, random_state=0).fit(X)
    model.save(tmp_path / "model.weft")
    loaded = weft.load(tmp_path / "model.weft")
    np.testing.assert_array_equal(loaded.predict(X), model.labels_)
    second = model.with_alternative(2)
    np.testing.assert_array_equal(second.predict(X), second.labels_)
    assert model.report(X).html.startswith("<!doctype")


def test_more_columns_and_rows_than_are_made_dense():
    rng = np.random.default_rng(0)
    labels = np.repeat([0, 1], 1500)
    X = sparse.random_array((3000, 5000), density=0.01, rng=rng, format="csr")
    marks = np.zeros((3000, 60))
    marks[np.arange(3000), rng.integers(0, 30, 3000) + 30 * labels] = 1.0
    marks *= rng.random((3000, 60)) + 1.0
    marks[rng.random((3000, 60)) < 0.05] = 1.0
    X = sparse.hstack([X[:, :4940], sparse.csr_array(marks)]).tocsr()
    sample = take_sample(X)
    assert sample.table.shape == (2000, 2000)
    assert set(range(4940, 5000)) <= set(sample.columns.tolist())
    model = AutoCluster(n_clusters=2, n_resamples=0).fit(X)
    assert model.labels_.shape == (3000,)
    assert model.feature_weights_.shape == (5000,)
    np.testing.assert_array_equal(model.predict(X), model.labels_)


def test_texts_of_three_topics_are_found_by_direction():
    rng = np.random.default_rng(0)
    topics = [[f"{topic}{number}" for number in range(40)] for topic in ("star", "goal", "key")]
    usual = [f"the{number}" for number in range(60)]
    labels = np.repeat([0, 1, 2], 80)
    texts = [
        " ".join([*rng.choice(topics[k], 25), *rng.choice(usual, rng.integers(10, 60))])
        for k in labels
    ]
    vectorizer = TfidfVectorizer()
    X = vectorizer.fit_transform(texts)
    assert has_unit_rows(sparse.csr_array(X))
    model = AutoCluster(n_resamples=0).fit(X)
    assert adjusted_rand_score(labels, model.labels_) == 1.0
    words = weft.marker_columns(X, model.labels_, feature_names=vectorizer.get_feature_names_out())
    own = [words.top(k, 10, direction="higher") for k in range(3)]
    assert all(len({word.rstrip("0123456789") for word in each}) == 1 for each in own)


def test_counts_are_suggested_and_never_applied_by_themselves(counted):
    X, _, told = counted
    dense = X.toarray()
    with pytest.warns(UserWarning, match="set counts=True"):
        AutoCluster(n_resamples=0).fit(dense[:60])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        by_hand = make_pipeline(CountNormalizer(), AutoCluster(n_resamples=1)).fit(dense)
    np.testing.assert_array_equal(by_hand[-1].labels_, told.labels_)
    np.testing.assert_array_equal(by_hand.predict(dense[:9]), told.predict(dense[:9]))
    with pytest.raises(ValueError, match="whole numbers of at least 0"):
        told.predict(dense[:9] + 0.5)


def test_what_looks_like_counts():
    X, _ = made_counts()
    assert look_like_counts(X)
    assert look_like_counts(sparse.csr_array(X))
    assert not look_like_counts(X + 0.5)
    assert not look_like_counts(X - 5.0)
    assert not look_like_counts(np.minimum(X, 1.0))  # marks
    assert not look_like_counts(X[:, :10])  # too few for a total
    even = np.random.default_rng(0).poisson(20.0, (50, 100)).astype(float)
    assert not look_like_counts(even)  # totals are alike


def test_normalised_counts_by_hand():
    # Totals 2, 4 and 8: the median is 4. The first row is doubled, the third one halved.
    X = np.array([[2.0, 0.0], [1.0, 3.0], [4.0, 4.0], [0.0, 0.0]])
    scaler = CountNormalizer(log=False).fit(X)
    assert scaler.target_sum_ == 4.0
    by_hand = [[4.0, 0.0], [1.0, 3.0], [2.0, 2.0], [0.0, 0.0]]
    np.testing.assert_allclose(scaler.transform(X), by_hand)
    inside = scaler.transform(sparse.csc_array(X))
    np.testing.assert_allclose(inside.toarray(), by_hand)
    np.testing.assert_allclose(CountNormalizer().fit_transform(X), np.log1p(by_hand))
    with pytest.raises(ValueError, match="at least 0"):
        scaler.transform(-X)


def test_moments_and_excess_by_hand():
    X = np.array([[0.0, 1.0, 5.0], [2.0, 1.0, 0.0]])
    found = column_moments(sparse.csr_array(X))
    np.testing.assert_allclose(found.means, X.mean(axis=0))
    np.testing.assert_allclose(found.variances, X.var(axis=0))
    # Nine columns of variance 1 and one of 5, all of mean 1: the excess is 0 and 4.
    moments = Moments(np.ones(10), np.array([1.0] * 9 + [5.0]))
    np.testing.assert_allclose(excess_variances(moments), [0.0] * 9 + [4.0], atol=1e-12)
    np.testing.assert_array_equal(variable_columns(moments, np.arange(10), 2), [0, 9])
    np.testing.assert_array_equal(variable_columns(moments, np.arange(10)[::-1], 2), [8, 9])


def test_signatures_follow_rows_and_columns():
    X = sparse.random_array((30, 20), density=0.3, rng=np.random.default_rng(0), format="csr")
    by_row, by_column = signatures(X)
    order, columns = np.arange(30)[::-1], np.arange(20)[::-1]
    moved = sparse.csr_array(X[order][:, columns])
    moved.sort_indices()
    np.testing.assert_array_equal(signatures(moved)[0], by_row[order])
    np.testing.assert_array_equal(signatures(moved)[1], by_column[columns])


def test_votes_by_hand():
    labels = np.array([0, 0, 0, 1, 1, -1, 1])
    # Two of three for 0; two of three for 1; a tie of three goes to the nearest.
    nearest = np.array([[3, 0, 1], [0, 3, 4], [5, 0, 3]])
    np.testing.assert_array_equal(vote(labels, nearest), [0, 1, -1])
    # The smallest cluster has one row: only the nearest anchor is asked.
    np.testing.assert_array_equal(vote(np.array([0, 0, 0, 1]), np.array([[3, 0, 1]])), [1])


def test_points_are_those_of_the_axes():
    rng = np.random.default_rng(0)
    table = rng.standard_normal((50, 30)) @ np.diag(np.r_[10.0, 8.0, np.ones(28)])
    projection = learn_projection(table, np.arange(30), False, 5)
    points = projection.points(table)
    centred = table - table.mean(axis=0)
    u, s, _ = np.linalg.svd(centred, full_matrices=False)
    np.testing.assert_allclose(np.abs(points[:, 0]), np.abs(u[:, 0] * s[0]))
    np.testing.assert_allclose(projection.points(sparse.csr_array(table)), points)
    nearest = nearest_points(points, points)
    np.testing.assert_array_equal(nearest, np.repeat(np.arange(50)[:, None], 15, axis=1))
    lengths = np.linalg.norm(with_unit_rows(sparse.csr_array(table)).toarray(), axis=1)
    np.testing.assert_allclose(lengths, 1.0)


def test_a_sparse_table_without_anything_is_one_cluster():
    X = sparse.csr_array((30, 40))
    model = AutoCluster(n_resamples=0).fit(X)
    assert model.n_clusters_ == 1
    assert (model.predict(X) == 0).all()
