"""FSFS against the letter of algorithm 5.1, and its two ways of looking."""

import numpy as np
import pytest

from weft.backends import CPU
from weft.methods.selection import maximal_information_compression
from weft.methods.selection.compression import centred
from weft.methods.selection.fsfs import Features, Lists, Tiles, fsfs


def by_the_letter(X, k, epsilon):
    """Algorithm 5.1 step by step, on the whole matrix, k lowered one by one."""
    index = maximal_information_compression(X)
    R = list(range(X.shape[1]))
    limit = None

    def r(i, k):
        return np.sort([index[i, j] for j in R if j != i])[k - 1]

    while True:
        values = [r(i, k) for i in R]
        kept = R[int(np.argmin(values))]
        if limit is None or epsilon == "latest":
            limit = min(values)
        others = sorted((j for j in R if j != kept), key=lambda j: (index[kept, j], j))
        R = [j for j in R if j not in others[:k]]
        k = min(k, len(R) - 1)
        if k <= 1:
            return R
        while min(r(i, k) for i in R) > limit:
            k -= 1
            if k == 1:
                return R


@pytest.mark.parametrize("epsilon", ["first", "latest"])
@pytest.mark.parametrize("k", [1, 2, 5, 11, 17])
@pytest.mark.parametrize("seed", range(4))
def test_is_the_printed_algorithm(seed, k, epsilon):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(15, 6)) @ rng.normal(size=(6, 18)) + 0.3 * rng.normal(size=(15, 18))
    found = fsfs(centred(X), k, epsilon=epsilon)
    assert np.flatnonzero(found.support).tolist() == by_the_letter(X, k, epsilon)
    assert found.discarded.sum() + found.support.sum() == 18


def test_by_hand():
    # Three copies of one feature and one apart; k = 2. Each copy has its 2nd nearest at 0, so the
    # first copy stays and the other two go; two features are left, k = 1, and that is the end.
    x, y = [-1.0, 1.0, -1.0, 1.0], [-1.0, -1.0, 1.0, 1.0]
    found = fsfs(centred(np.column_stack([x, y, x, x])), 2)
    assert found.support.tolist() == [True, True, False, False]
    assert found.discarded.tolist() == [2]
    assert found.limits.tolist() == [0.0]


def test_lists_and_tiles_see_the_same():
    rng = np.random.default_rng(5)
    features = Features(centred(rng.normal(size=(20, 60))), CPU)
    alive = np.ones(60, dtype=bool)
    lists, tiles = Lists(features, alive, 3), Tiles(features)
    for _ in range(9):  # long enough for lists to run out and be made again
        for k in (1, 3):
            np.testing.assert_allclose(lists.farthest(alive, k), tiles.farthest(alive, k))
        limit = float(np.quantile(tiles.farthest(alive, 2)[alive], 0.5))
        assert min(lists.max_within(alive, limit), 3) == min(tiles.max_within(alive, limit), 3)
        alive[rng.choice(np.flatnonzero(alive), 6, replace=False)] = False


def test_a_limit_of_ones_own_holds():
    rng = np.random.default_rng(6)
    X = np.repeat(rng.normal(size=(40, 5)), 6, axis=1) + 0.02 * rng.normal(size=(40, 30))
    found = fsfs(centred(X), 20, epsilon=0.01)
    assert (found.limits <= 0.01).all()
    assert np.unique(np.flatnonzero(found.support) // 6).tolist() == [0, 1, 2, 3, 4]
    assert found.support.sum() == 5
    assert fsfs(centred(X), 20, epsilon=0.0).support.all()
