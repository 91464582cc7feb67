"""Samples that stand for all rows, and searches on them."""

from __future__ import annotations

import numpy as np
import pytest

from weft import FeatureSwarm
from weft.reporting.summary import summarize
from weft.search import labelling
from weft.search.labelling import _shares, representative_rows


def groups(n: int = 1200, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Four groups, apart in each of three columns, beside three columns of noise."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(4, size=n)
    X = rng.normal(size=(n, 6))
    X[:, :3] += 12.0 * np.array([[0, 1, 2], [1, 2, 3], [2, 3, 0], [3, 0, 1]])[truth]
    return X, truth


def test_a_sample_keeps_the_shares_and_the_small_group():
    X, truth = groups(6000)
    X[:12, :3] -= 60.0  # twelve rows far away
    for seed in range(5):
        chosen = representative_rows(X, 400, np.random.default_rng(seed))
        assert len(np.unique(chosen)) == len(chosen) == 400
        assert (np.diff(chosen) > 0).all()
        shares = np.bincount(truth[chosen]) / 400
        np.testing.assert_allclose(shares, np.bincount(truth) / 6000, atol=0.03)
    again = representative_rows(X, 400, np.random.default_rng(4), n_threads=3)
    np.testing.assert_array_equal(again, chosen)
    np.testing.assert_array_equal(
        representative_rows(X[:50], 60, np.random.default_rng(0)), np.arange(50)
    )


@pytest.mark.parametrize("seed", range(20))
def test_shares_add_up_and_take_no_more_than_there_is(seed):
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, 40, size=rng.integers(1, 30))
    counts[0] += 1
    least = int((counts > 0).sum())
    for size in {least, max(least, int(counts.sum()) // 2), int(counts.sum())}:
        quota = _shares(counts, size)
        assert quota.sum() == size
        assert (quota <= counts).all()
        assert (quota[counts > 0] >= 1).all()


def search(X, **options):
    settings = {"n_particles": 10, "n_generations": 6, "n_clusters": 4, "random_state": 0}
    return FeatureSwarm("linkage", **{**settings, **options}).fit(X)


def test_a_search_on_a_sample_labels_all_rows():
    X, truth = groups(2500)
    model = search(X, max_samples=300)
    assert model.n_samples_search_ == 300
    assert len(model.labels_) == 2500
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    firsts = [int(np.flatnonzero(model.labels_ == k)[0]) for k in range(model.n_clusters_)]
    assert firsts == sorted(firsts)
    pairs = {(int(a), int(b)) for a, b in zip(truth, model.labels_, strict=True)}
    assert len(pairs) == 4  # the groups, but for their names
    assert model.sample_agreement_ == 1.0
    same = search(X, max_samples=300, n_jobs=3)
    np.testing.assert_array_equal(same.labels_, model.labels_)
    np.testing.assert_array_equal(same.feature_weights_, model.feature_weights_)


def test_enough_samples_change_nothing():
    X, _ = groups(300)
    alone, sampled = search(X), search(X, max_samples=300)
    np.testing.assert_array_equal(sampled.labels_, alone.labels_)
    np.testing.assert_array_equal(sampled.feature_weights_, alone.feature_weights_)
    assert alone.n_samples_search_ == 300
    assert sampled.sample_agreement_ is None


def test_noise_stays_noise_under_dbscan():
    X, _ = groups(2000)
    X[:3, :3] += 500.0 * np.arange(1, 4)[:, None]
    model = FeatureSwarm("dbscan", max_samples=400, n_generations=3, random_state=0).fit(X)
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    assert (model.labels_ == -1).any()


def test_the_report_states_the_sample_and_how_steady_it_is():
    X, _ = groups(2500)
    model = search(X, max_samples=300)
    said = [text for text in summarize(model, X)["warnings"] if "The search ran on" in text]
    assert len(said) == 1
    assert "300 of 2,500 rows" in said[0]
    assert "in the same metric, is 1.00" in said[0]
    assert "depends on the sample" not in said[0]
    model.sample_agreement_ = 0.3
    assert any("depends on the sample" in text for text in summarize(model, X)["warnings"])
    assert not any("The search ran on" in text for text in summarize(search(X[:200]))["warnings"])


@pytest.mark.parametrize(("value", "kind"), [(1, ValueError), (2.5, TypeError), ("all", TypeError)])
def test_bad_sizes_get_one_sentence(value, kind):
    with pytest.raises(kind, match="max_samples"):
        search(groups(50)[0], max_samples=value)


def test_shares_by_hand():
    # One each leaves 2 for 5, 2 and 0 further rows: 10/7, 4/7 and 0. Whole parts 1, 0, 0; the last
    # one goes to the largest remainder, 4/7.
    assert _shares(np.array([6, 3, 1]), 5).tolist() == [2, 2, 1]
    assert _shares(np.array([6, 0, 4]), 5).tolist() == [3, 0, 2]
    assert _shares(np.array([2, 2]), 4).tolist() == [2, 2]
    assert _shares(np.array([2, 2]), 2).tolist() == [1, 1]


@pytest.mark.parametrize("size", [1, 7, 8, 15, 16, 40, 299, 300, 301])
def test_a_sample_is_drawn_by_definition(size):
    X = groups(300)[0]
    found = representative_rows(X, size, np.random.default_rng(5))
    if size >= 300:
        assert found.tolist() == list(range(300))
        return
    rng = np.random.default_rng(5)
    n_cells = max(1, size // 8)
    centers = X[np.sort(rng.choice(300, n_cells, replace=False))]
    cells = ((X[:, None] - centers) ** 2).sum(axis=2).argmin(axis=1)
    quota = _shares(np.bincount(cells, minlength=n_cells), size)
    places = rng.random(300)
    chosen = []
    for cell in range(n_cells):
        own = np.flatnonzero(cells == cell)
        chosen.extend(own[np.argsort(places[own])][: quota[cell]])
    assert found.tolist() == sorted(chosen)
    assert len(found) == size


def test_a_large_sample_has_256_cells(monkeypatch):
    drawn = []
    monkeypatch.setattr(
        labelling, "nearest", lambda data, centers, factors: drawn.append(len(centers)) or cells
    )
    X = np.arange(2100.0)[:, None]
    cells = np.zeros(2100, dtype=np.int32)
    for size in (2047, 2048, 2056):
        representative_rows(X, size, np.random.default_rng(0))
    assert drawn == [255, 256, 256]
