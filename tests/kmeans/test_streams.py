"""Batches of rows: what is exact for means, and what a stream promises besides."""

from __future__ import annotations

import numpy as np
import pytest

from weft import EntropyKMeans, LocallyAdaptiveKMeans, ProjectedSwarm, WeightedKMeans

CENTERS = np.array([[0.0, 0.0, 0.0], [20.0, 20.0, 0.0]])


def rows(n: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    X = CENTERS[rng.integers(2, size=n)] + rng.normal(size=(n, 3))
    X[:2] = CENTERS  # both groups in every batch
    return X


def test_two_batches_by_hand():
    """Rows 0 and 2, then 1 and 4: means 1 and then 7/4; squares around it 35/4."""
    model = WeightedKMeans(1, weights=None)
    model.partial_fit([[0.0], [2.0]])
    np.testing.assert_allclose(model.cluster_centers_, [[1.0]])
    model.partial_fit([[1.0], [4.0]])
    np.testing.assert_allclose(model.cluster_centers_, [[7 / 4]])
    # (7/4)² + (1/4)² + (3/4)² + (9/4)² = (49 + 1 + 9 + 81) / 16 = 35/4
    assert model.inertia_ == pytest.approx(35 / 4)
    np.testing.assert_array_equal(model.labels_, [0, 0])


@pytest.mark.parametrize("weights", ["cluster", "global", None])
def test_groups_far_apart_come_to_the_fit_of_all_rows(weights):
    batches = [rows(60, seed) for seed in range(5)]
    stream = WeightedKMeans(2, weights=weights)
    for batch in batches:
        stream.partial_fit(batch)
    whole = WeightedKMeans(2, weights=weights).fit(np.vstack(batches))
    order = np.argsort(stream.cluster_centers_[:, 0])
    known = np.argsort(whole.cluster_centers_[:, 0])
    np.testing.assert_allclose(stream.cluster_centers_[order], whole.cluster_centers_[known])
    np.testing.assert_allclose(stream.feature_weights_, whole.feature_weights_)
    assert stream.inertia_ == pytest.approx(whole.inertia_)


@pytest.mark.parametrize("exponent", [1.5, 3.0])
def test_other_powers_come_close(exponent):
    batches = [rows(400, seed) for seed in range(8)]
    stream = WeightedKMeans(2, distance_exponent=exponent)
    for batch in batches:
        stream.partial_fit(batch)
    whole = WeightedKMeans(2, distance_exponent=exponent).fit(np.vstack(batches))
    order, known = (np.argsort(model.cluster_centers_[:, 0]) for model in (stream, whole))
    np.testing.assert_allclose(
        stream.cluster_centers_[order], whole.cluster_centers_[known], atol=0.02
    )
    np.testing.assert_allclose(stream.feature_weights_, whole.feature_weights_, atol=0.01)


@pytest.mark.parametrize("kind", [EntropyKMeans, LocallyAdaptiveKMeans])
def test_entropy_strength_keeps_pace_with_the_rows(kind):
    batches = [rows(300, seed) for seed in range(6)]
    stream = kind(2, random_state=0)
    for batch in batches:
        stream.partial_fit(batch)
    whole = kind(2, random_state=0).fit(np.vstack(batches))
    assert stream.strength_ == pytest.approx(whole.strength_, rel=0.05)
    np.testing.assert_allclose(stream.feature_weights_, whole.feature_weights_, atol=0.02)


def test_projected_swarm_goes_on_with_batches():
    batches = [rows(200, seed) for seed in range(4)]
    stream = ProjectedSwarm(2, n_evaluations=20, random_state=0)
    for batch in batches:
        stream.partial_fit(batch)
    X = np.vstack(batches)
    whole = ProjectedSwarm(2, n_evaluations=20, random_state=0).fit(X)
    order, known = (np.argsort(model.cluster_centers_[:, 0]) for model in (stream, whole))
    np.testing.assert_allclose(
        stream.cluster_centers_[order], whole.cluster_centers_[known], atol=1e-9
    )
    assert stream.fitness_ == pytest.approx(whole.fitness_, rel=1e-6)
    assert not hasattr(ProjectedSwarm(metric="jaccard"), "partial_fit")


def test_masses_missing_values_and_a_column_that_comes_alive():
    first, second = rows(80, 0), rows(80, 1)
    first[:, 2] = 1.0  # constant in the first batch
    second[5, 0] = np.nan
    mass = np.r_[np.zeros(3), np.full(77, 2.0)]
    stream = WeightedKMeans(2, allow_nan=True)
    stream.partial_fit(first)
    assert stream.feature_weights_[2] == 0.0
    stream.partial_fit(second, sample_weight=mass)
    assert stream.feature_weights_[2] > 0.0
    assert len(stream.labels_) == 80
    twice = np.vstack([first, second[3:], second[3:]])
    labels = stream.predict(twice)
    load = 3 / (3 - np.isnan(twice).sum(axis=1))  # a row with two values of three counts 3/2
    means = [np.average(twice[labels == k, 1], weights=load[labels == k]) for k in range(2)]
    np.testing.assert_allclose(stream.cluster_centers_[:, 1], means)


def test_fit_begins_anew_and_medians_are_refused():
    stream = WeightedKMeans(2).partial_fit(rows(50, 0)).partial_fit(rows(50, 1))
    alone = WeightedKMeans(2).fit(rows(70, 2))
    np.testing.assert_array_equal(stream.fit(rows(70, 2)).labels_, alone.labels_)
    assert not hasattr(stream, "_stream")
    with pytest.raises(ValueError, match="distance_exponent=1 needs medians"):
        WeightedKMeans(2, distance_exponent=1).partial_fit(rows(50, 0))
    with pytest.raises(ValueError, match="2 features"):
        WeightedKMeans(2).partial_fit(rows(50, 0)).partial_fit(rows(50, 0)[:, :2])


def test_a_row_without_mass_does_not_change_the_labels_of_a_batch():
    # Later batches are assigned to the centres before the batch, all of their rows.
    rng = np.random.default_rng(0)
    first, second = rng.normal(size=(40, 2)), 2.0 * rng.normal(size=(90, 2)) + [3.0, 1.0]
    first[20:] += 4.0
    stream = WeightedKMeans(2, init="k-means++", random_state=0).partial_fit(first)
    assigned = stream.predict(second)
    assert (stream.partial_fit(second).predict(second) != assigned).any()
    np.testing.assert_array_equal(stream.labels_, assigned)
    stream = WeightedKMeans(2, init="k-means++", random_state=0).partial_fit(first)
    more = np.vstack([second, [[2.0, 2.0]]])
    stream.partial_fit(more, sample_weight=np.r_[np.ones(90), 0.0])
    np.testing.assert_array_equal(stream.labels_[:90], assigned)
    assert stream.labels_.shape == (91,)
