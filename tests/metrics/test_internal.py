"""Internal measures: solved by hand, and against their definitions on every partition."""

import itertools

import numpy as np
import pytest
import sklearn.metrics

from weft import metrics
from weft.backends.cpu import space_measures
from weft.metrics.on_spaces import combine_csc

LINE = np.array([[0.0], [1.0], [3.0], [9.0]])


def test_silhouette_by_hand():
    # Row 0: a = 1, b = mean(3, 9) = 6 -> 5/6. Row 1: a = 1, b = mean(2, 8) = 5 -> 4/5.
    # Row 2: a = 6, b = mean(3, 2) = 2.5 -> -3.5/6. Row 3: a = 6, b = mean(9, 8) = 8.5 -> 2.5/8.5.
    expected = (5 / 6 + 4 / 5 - 3.5 / 6 + 2.5 / 8.5) / 4
    assert metrics.silhouette(LINE, [0, 0, 1, 1]) == pytest.approx(expected, rel=1e-14)
    distances = np.abs(LINE - LINE.T)
    assert metrics.silhouette(distances, [0, 0, 1, 1], metric="precomputed") == pytest.approx(
        expected, rel=1e-14
    )


def test_a_singleton_has_silhouette_zero():
    # Rows 0, 1 with 2 as a cluster of its own: (3-1)/3 and (2-1)/2, and 0 for the singleton.
    assert metrics.silhouette(LINE[:3], [0, 0, 1]) == pytest.approx((2 / 3 + 1 / 2) / 3)


def test_connectedness_by_hand():
    # n = 2. Row 0: 1 (+1), 3 (-1/3). Row 1: 0 (+1), 3 at 2 (-1/2). Row 2: 1 at 2 (-1/2), 0 at 3
    # (-1/3). Row 3: 3 at 6 (+1/6), 1 at 8 (-1/8).
    expected = (1 - 1 / 3 + 1 - 1 / 2 - 1 / 2 - 1 / 3 + 1 / 6 - 1 / 8) / 4
    assert metrics.connectedness(LINE, [0, 0, 1, 1], n_neighbors=2) == pytest.approx(expected)


def test_the_cap_counts_for_equal_rows():
    # Two equal rows: 1/0 is the cap; the third is at distance 1 from its nearest, in another.
    X = np.array([[0.0], [0.0], [1.0]])
    assert metrics.connectedness(X, [0, 0, 1], n_neighbors=1, cap=10) == pytest.approx(19 / 3)


def test_sparsity_and_separation_by_hand():
    # Clusters {0, 1, 3} and {9}: the widest gap to a nearest mate is 2, and 0 for one row alone.
    assert metrics.sparsity(LINE, [0, 0, 0, 1]) == 1.0
    # {0, 1} is 2 away from 3; {3, 9} is 2 away from 1.
    assert metrics.separation(LINE, [0, 0, 1, 1]) == 2.0


def test_csc_signs():
    # The two printed forms of section 4.4.2 agree: negative as soon as one part is.
    assert combine_csc(0.5, 4.0) == 2.0
    assert combine_csc(-0.5, 4.0) == -2.0
    assert combine_csc(0.5, -4.0) == -2.0
    assert combine_csc(-0.5, -4.0) == -2.0
    assert combine_csc(0.0, 4.0) == 0.0


def test_bcr_by_hand():
    # Means 1 and 11, deviations 1 + 0.1, equal shares: the ratio is half the difference of the
    # squared z: 0 -> (10² - (1/1.1)²)/2 with z = 11/1.1 = 10, 2 -> ((9/1.1)² - (1/1.1)²)/2.
    X = np.array([[0.0], [2.0], [10.0], [12.0]])
    near = (1 / 1.1) ** 2
    expected = 2 * 0.5 * ((10.0**2 - near) + ((9 / 1.1) ** 2 - near))
    assert metrics.bcr(X, [0, 0, 1, 1]) == pytest.approx(expected, rel=1e-12)


def test_bic_by_hand():
    # One cluster {0, 2}, no noise: mean 1, sd 1; ln L = 2 (-½ ln 2π - ½); k = 2, n = 2.
    expected = 2 * (-0.5 * np.log(2 * np.pi) - 0.5) - 0.5 * 2 * np.log(2)
    assert metrics.bic([[0.0], [2.0]], [0, 0]) == pytest.approx(expected, rel=1e-12)


def _partitions(n):
    """All partitions of n rows, with any rows set aside as noise."""
    for labels in itertools.product(range(-1, 3), repeat=n):
        yield np.array(labels)


MEASURES = ["silhouette", "connectedness", "sparsity", "separation", "csc", "bcr", "bic"]


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("kind", ["plain", "duplicates", "constant"])
def test_every_partition_of_six_rows_has_a_finite_value(measure, kind):
    rng = np.random.default_rng(0)
    X = {
        "plain": rng.normal(size=(6, 2)),
        "duplicates": np.repeat(rng.normal(size=(2, 2)), 3, axis=0),
        "constant": np.ones((6, 2)),
    }[kind]
    function = getattr(metrics, measure)
    options = [{}, {"noise": "cluster"}]
    if measure in ("bcr", "bic"):
        options.append({"artificial_noise": 0.0})
    for labels in list(_partitions(6))[::31]:
        for option in options:
            assert np.isfinite(function(X, labels, **option))


def test_silhouette_agrees_with_scikit_learn():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(300, 4))
    labels = rng.integers(0, 5, 300)
    assert metrics.silhouette(X, labels) == pytest.approx(
        sklearn.metrics.silhouette_score(X, labels), rel=1e-12
    )


@pytest.mark.parametrize("n_rows", [5, 128, 129, 700])
def test_silhouette_does_not_depend_on_threads(n_rows):
    rng = np.random.default_rng(n_rows)
    X = 1e3 + rng.normal(size=(n_rows, 4))
    labels = rng.integers(0, 3, n_rows)
    values = {metrics.silhouette(X, labels, n_jobs=n_jobs) for n_jobs in (1, 2, 5)}
    assert len(values) == 1
    assert values.pop() == pytest.approx(sklearn.metrics.silhouette_score(X, labels), rel=1e-9)


def test_noise_rows_are_left_out_or_are_a_cluster():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(30, 3))
    labels = rng.integers(-1, 3, 30)
    kept = labels >= 0
    assert metrics.silhouette(X, labels) == pytest.approx(
        metrics.silhouette(X[kept], labels[kept]), rel=1e-12
    )
    assert metrics.bcr(X, labels) == pytest.approx(metrics.bcr(X[kept], labels[kept]), rel=1e-12)
    assert metrics.silhouette(X, labels, noise="cluster") == pytest.approx(
        sklearn.metrics.silhouette_score(X, labels), rel=1e-12
    )


def test_wrong_arguments_are_named():
    with pytest.raises(ValueError, match="3 entries for 4 rows"):
        metrics.silhouette(LINE, [0, 0, 1])
    with pytest.raises(ValueError, match="square matrix of distances, got shape"):
        metrics.silhouette(LINE, [0, 0, 1, 1], metric="precomputed")
    with pytest.raises(ValueError, match=r"cosine.*euclidean"):
        metrics.silhouette(LINE, [0, 0, 1, 1], metric="cosine")


# Defaults and limits --------------------------------------------------------------------------


def test_five_neighbours_and_a_cap_of_ten():
    X = np.random.default_rng(3).normal(size=(12, 2))
    X[1] = X[0]  # at distance 0
    labels = np.arange(12) % 2
    for measure in (metrics.connectedness, metrics.csc):
        value = measure(X, labels)
        assert value == measure(X, labels, n_neighbors=5, cap=10.0)
        assert value != measure(X, labels, n_neighbors=6)
        assert value != measure(X, labels, cap=15.0)
        assert np.isfinite(measure(X, labels, n_neighbors=1, cap=1e-9))
        for wrong in ({"n_neighbors": 0}, {"cap": 0.0}):
            with pytest.raises(ValueError, match=next(iter(wrong))):
                measure(X, labels, **wrong)


def test_noise_added_to_deviations():
    X = np.random.default_rng(3).normal(size=(12, 2))
    labels = np.arange(12) % 2
    for measure, usual in ((metrics.bcr, 0.1), (metrics.bic, 0.0)):
        assert measure(X, labels) == measure(X, labels, artificial_noise=usual)
        assert measure(X, labels) != measure(X, labels, artificial_noise=usual + 0.05)
        with pytest.raises(ValueError, match="artificial_noise"):
            measure(X, labels, artificial_noise=-0.1)


def test_measures_of_given_distances():
    X = np.random.default_rng(4).normal(size=(15, 3))
    labels = np.arange(15) % 3
    apart = np.sqrt(((X[:, None] - X[None]) ** 2).sum(axis=2))
    for name in ("silhouette", "connectedness", "sparsity", "separation", "csc"):
        measure = getattr(metrics, name)
        assert measure(apart, labels, metric="precomputed") == pytest.approx(
            measure(X, labels), rel=1e-9
        )
    with pytest.raises(ValueError, match="noise='drop'"):
        metrics.silhouette(X, labels, noise="drop")


def test_a_table_too_large_for_one_pass_is_taken_in_blocks(monkeypatch):
    X = np.random.default_rng(5).normal(size=(20, 2))
    labels = np.arange(20) % 4
    usual = metrics.silhouette(X, labels)
    for limit in (79, 80):
        monkeypatch.setattr("weft.backends.cpu.space_measures.SUMS_AT_ONCE", limit)
        assert metrics.silhouette(X, labels) == pytest.approx(usual, rel=1e-12)


def test_csc_by_hand():
    # Silhouette and connectedness of the line, both by hand above, with two neighbours.
    s = (5 / 6 + 4 / 5 - 3.5 / 6 + 2.5 / 8.5) / 4
    c = (1 - 1 / 3 + 1 - 1 / 2 - 1 / 2 - 1 / 3 + 1 / 6 - 1 / 8) / 4
    assert metrics.csc(LINE, [0, 0, 1, 1], n_neighbors=2) == pytest.approx(s * c)


def test_the_silhouette_of_many_sums_is_taken_in_blocks(monkeypatch):
    calls = []
    symmetric = space_measures.symmetric_silhouette_samples
    monkeypatch.setattr(
        space_measures,
        "symmetric_silhouette_samples",
        lambda *given: calls.append(given[2]) or symmetric(*given),
    )
    X = np.random.default_rng(5).normal(size=(20, 2))
    for limit, n_calls in ((79, 0), (80, 1), (81, 1)):
        monkeypatch.setattr(space_measures, "SUMS_AT_ONCE", limit)
        metrics.silhouette(X, np.arange(20) % 4, n_jobs=2)
        assert calls == [2] * n_calls
        calls.clear()
