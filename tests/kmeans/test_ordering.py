"""The canonical order: by its definition, with rows whose keys are equal, and of ties."""

from __future__ import annotations

import numpy as np
from sklearn.metrics import adjusted_rand_score

from weft import LocallyAdaptiveKMeans
from weft.kmeans.ordering import canonical_order, starts_of_groups


def key(row, largest):
    return sum(
        x * ((v + 2) ** 0.5 % 1 + 0.5) / (largest[v] or 1.0) for v, x in enumerate(row) if x == x
    )


def test_the_order_of_rows_is_by_their_values():
    X = np.random.default_rng(5).normal(size=(20, 3)) * [1.0, 100.0, 0.01]
    X[3, 1] = np.nan
    X[:, 2] = 0.0
    order, keys = canonical_order(X)
    wanted = [key(row, np.nanmax(np.abs(X), axis=0)) for row in X]
    np.testing.assert_allclose(keys, wanted, rtol=1e-12)
    np.testing.assert_array_equal(order, np.argsort(wanted, kind="stable"))


def test_different_rows_of_the_same_key_keep_their_own_place():
    # √4 and √9 are whole numbers: columns 2 and 7 have the same multiplier, 0.5. And a missing
    # value counts as 0 in a key.
    one, other = np.zeros((2, 8))
    one[2] = other[7] = 1.0
    gap = np.where(np.arange(8) == 0, np.nan, other)
    X = np.array([one, other, gap, other, one, gap])
    order, keys = canonical_order(X)
    assert len(set(keys)) == 1
    # Equal rows are next to each other, the first of the table first.
    np.testing.assert_array_equal(np.sort(order.reshape(3, 2), axis=0), [[0, 3], [1, 4], [2, 5]])
    for turned in (X[::-1], X[[4, 2, 3, 0, 1, 5]]):
        again, _ = canonical_order(turned)
        np.testing.assert_array_equal(turned[again], X[order])
    np.testing.assert_array_equal(starts_of_groups(X, order, keys), [True, False] * 3)


def test_rows_equally_far_away_are_taken_by_their_values():
    # The rows of a lattice: many are equally far from the centre of the table.
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X = rng.integers(0, 5, size=(40, 3)).astype(float)
        turned = rng.permutation(40)
        model = LocallyAdaptiveKMeans(3)
        labels = model.fit(X).labels_
        assert adjusted_rand_score(labels[turned], model.fit(X[turned]).labels_) == 1.0
