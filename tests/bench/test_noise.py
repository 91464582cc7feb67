"""The noise bench's own pieces: rivals against their definitions, cells, page."""

from __future__ import annotations

import itertools
import json
import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.neighbors import kneighbors_graph

sys.path.insert(0, str(Path(__file__).parents[2]))

from bench.harness import records
from bench.noise import page, picture
from bench.noise import runs as noise
from bench.noise.filters import bumps, laplacian_score, threshold
from bench.noise.methods import ALL, Answer, Task
from bench.noise.sets import KIND_OF, KINDS, SETS, noisy, pure
from bench.noise.sparse_kmeans import between_by_feature, sparse_kmeans, weights_for


def test_between_by_feature_by_hand():
    X = np.array([[0.0, 1.0], [2.0, 1.0], [10.0, 1.0], [12.0, 1.0]])
    # means 1 and 11 around 6, two rows each: 2 * 25 + 2 * 25; the second column is constant
    np.testing.assert_allclose(between_by_feature(X, np.array([0, 0, 1, 1])), [100.0, 0.0])


def test_sparse_weights_by_hand():
    # ‖(3, 4)‖ = 5, so w = (.6, .8) with ‖w‖₁ = 1.4: allowed by 1.5, cut by 1
    np.testing.assert_allclose(weights_for(np.array([3.0, 4.0]), 1.5), [0.6, 0.8])
    np.testing.assert_allclose(weights_for(np.array([3.0, 4.0]), 1.0), [0.0, 1.0], atol=1e-9)
    # nothing between clusters: all features alike
    np.testing.assert_allclose(weights_for(np.zeros(4), 1.2), np.full(4, 0.5))


@pytest.mark.parametrize("bound", [1.05, 1.3, 1.6])
def test_sparse_weights_maximise_under_both_bounds(bound):
    rng = np.random.default_rng(0)
    angles = np.linspace(0, np.pi / 2, 400)
    polar, around = np.meshgrid(angles, angles)
    sphere = np.stack(
        [np.sin(polar) * np.cos(around), np.sin(polar) * np.sin(around), np.cos(polar)], axis=-1
    ).reshape(-1, 3)
    allowed = sphere[sphere.sum(axis=1) <= bound]
    for _ in range(5):
        a = rng.uniform(0, 5, size=3)
        weights = weights_for(a, bound)
        assert weights.sum() <= bound + 1e-9
        assert np.linalg.norm(weights) == pytest.approx(1.0)
        assert weights @ a >= (allowed @ a).max() - 1e-6
        assert weights @ a <= (allowed @ a).max() + 0.05


def test_sparse_kmeans_finds_the_best_of_all_partitions():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(8, 3))
    X[:4, 0] += 4.0
    bound = 1.3
    best = max(
        weights_for(between_by_feature(X, labels), bound) @ between_by_feature(X, labels)
        for labels in (np.array(bits) for bits in itertools.product((0, 1), repeat=8))
        if 0 < labels.sum() < 8
    )
    found = sparse_kmeans(X, 2, bound=bound)
    assert found.objective == pytest.approx(best)
    assert found.weights.sum() <= bound + 1e-9


def test_the_gap_prefers_the_real_columns():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(120, 12))
    X[:, :3] += 5.0 * (np.arange(120) % 3)[:, None]
    found = sparse_kmeans(X, 3, seed=0)
    assert found.weights[:3].min() > 3 * found.weights[3:].max()


def test_laplacian_score_is_its_formula():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 4))
    S = kneighbors_graph(X, 10).toarray()
    S = np.maximum(S, S.T)
    D = np.diag(S.sum(axis=1))
    ones = np.ones(30)
    for column, score in zip(X.T, laplacian_score(X), strict=True):
        centered = column - (column @ D @ ones) / (ones @ D @ ones) * ones
        assert score == pytest.approx((centered @ (D - S) @ centered) / (centered @ D @ centered))


def test_bumps_by_hand():
    # Two atoms of one half: whichever is the mode, the other is a step of 1/2 above a minorant
    # that starts at 0; half of it is the largest dip there is.
    assert bumps(np.array([0.0, 0.0, 1.0, 1.0])) == pytest.approx(0.25)
    # Evenly spaced: each step is 1/n above the straight line; no sample is nearer to one mode.
    assert bumps(np.arange(100.0)) == pytest.approx(0.005)
    assert bumps(np.full(5, 3.0)) == 0.0


def test_bumps_does_not_change_when_turned_round_or_scaled():
    values = np.random.default_rng(0).gamma(2.0, size=57)
    assert bumps(-values) == pytest.approx(bumps(values))
    assert bumps(3.0 * values - 7.0) == pytest.approx(bumps(values))


def test_bumps_tells_two_modes_from_one():
    rng = np.random.default_rng(0)
    one, two = rng.normal(size=400), rng.normal(size=400) + 5.0 * (np.arange(400) % 2)
    assert bumps(one) < threshold(400) < bumps(two)


def test_every_kind_of_noise_has_a_set():
    assert {KIND_OF[name] for name in SETS} == set(KINDS)


def test_cells_are_unique_and_balanced():
    names = [name for name in ALL if name not in ("AutoCluster", "UMAP + HDBSCAN")]
    cells = list(noise.cells(list(noise.PARTS), names))
    assert len({json.dumps(cell, sort_keys=True) for cell in cells}) == len(cells)
    counts = {
        name: sum(c["method"] == name and c["part"] == "sets" for c in cells) for name in names
    }
    ablations = {name for name in names if ALL[name].ablation}
    assert all(counts[name] == 0 for name in ablations)
    assert {counts[name] for name in names if name not in ablations} == {3 * len(SETS)}


def test_noisy_sets_are_standardised_shuffled_and_repeatable():
    X, y, real = noisy("Gaussians 10d4c", 100, "skewed", 0)
    assert X.shape[1] == 20
    assert real.sum() == 10
    np.testing.assert_allclose(X.mean(axis=0), 0.0, atol=1e-9)
    np.testing.assert_allclose(X.std(axis=0), 1.0)
    assert (np.diff(y) < 0).any()
    assert not real[:10].all()
    np.testing.assert_array_equal(X, noisy("Gaussians 10d4c", 100, "skewed", 0).X)


def test_the_blob_is_long_in_one_direction():
    for number in (2, 5, 8):
        spread = np.linalg.svd(pure("blob", number), compute_uv=False)
        assert spread[0] > 2 * spread[1]


def test_measure_by_hand():
    y = np.array([0, 0, 1, 1])
    real = np.array([True, True, False])
    row = noise.measure(y, real, Answer(np.array([3, 3, -1, -1]), np.array([True, False, True])))
    # Rows in no cluster stand alone: one of the two true pairs is found, none is wrong.
    assert row["f"] == pytest.approx(np.sqrt(0.5), abs=1e-6)
    assert 0 < row["ari"] < 1
    assert (row["k"], row["k_true"], row["kept"]) == (1, 2, 2)
    assert (row["precision"], row["recall"]) == (0.5, 0.5)
    nothing = noise.measure(y, np.zeros(3, bool), Answer(np.zeros(4, int), np.zeros(3, bool)))
    assert (nothing["k"], nothing["ari"]) == (1, 0.0)
    assert nothing["precision"] is None
    assert nothing["recall"] is None


@pytest.mark.parametrize(
    "name", ["k-means", "GMM", "spectral", "Laplacian score + k-means", "HDBSCAN", "WeightedKMeans"]
)
def test_methods_answer_for_every_row(name):
    X, y, real = noisy("Gaussians 10d4c", 100, "uniform", 0)
    answer = ALL[name].run(Task(X, 4, int(real.sum()), 0))
    assert answer.labels.shape == y.shape
    assert answer.kept is None or answer.kept.shape == real.shape


def test_the_page_is_written_from_cells(monkeypatch):
    rng = np.random.default_rng(0)
    y, real = np.arange(30) % 3, np.arange(8) < 4
    good = noise.measure(y, real, Answer(y, real))
    poor = noise.measure(y, real, Answer(rng.permutation(y), rng.permutation(real)))
    extra = {"cpu": 1.0, "seconds": 2.0, "peak_gb": 1.0, "load": 0.5}
    names = [name for name in ALL if not ALL[name].ablation]
    monkeypatch.setattr(noise, "available", lambda: ALL)
    rows = [
        {"cell": cell, **(good if cell["method"] == "AutoCluster" else poor), **extra}
        for cell in noise.cells(list(noise.PARTS), list(ALL))
    ]
    text = "\n".join(page.text(rows))
    assert all(name in text for name in names)
    assert text.count("**holds**") >= 8
    # pure sets, where y has three classes here, are not said to be empty
    assert '**does not hold**: "no clusters"' in text


def test_the_picture_is_the_same_each_time(tmp_path):
    means = {"AutoCluster": {0: 0.9, 100: 0.9}, "k-means": {0: 0.8, 100: 0.4}}
    for name in ("a.svg", "b.svg"):
        picture.draw(means, means, n_sets=2, path=tmp_path / name)
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


def test_a_page_can_be_written_from_hardly_anything():
    assert "## All sets" not in "\n".join(page.text([]))


def test_labels_are_spread_no_further_than_needed():
    places = picture.spread({"a": 0.5, "b": 0.5, "c": 0.9}, 0.1)
    assert places == pytest.approx({"a": 0.45, "b": 0.55, "c": 0.9})


def test_a_stopped_run_goes_on(tmp_path):
    path = tmp_path / "cells.jsonl"
    cells = [
        noise._cell("sets", "Gaussians 10d4c", level, "uniform", 0, "k-means") for level in (0, 100)
    ]
    records.run(path, cells[:1], noise.evaluate, report=lambda line: None)
    seen = []
    records.run(path, cells, noise.evaluate, report=seen.append)
    assert len(seen) == 1
    assert len(records.load(path)) == 2
