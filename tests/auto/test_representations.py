"""Further ways to represent rows, and choices that are pooled over them."""

import numpy as np
import pytest

from weft import AutoCluster
from weft.auto.agreement import likely_candidates
from weft.auto.examining import examine
from weft.auto.pool import by_part
from weft.auto.representations import (
    FEWEST,
    MOST,
    most_telling,
    on_even_axes,
    profiles_of,
    two_heaps,
)


def test_two_heaps_by_hand():
    # Six values, heaps of three each: the means are 0 and 10, nothing varies inside the heaps.
    apart = np.array([0.0, 10.0, 0.0, 10.0, 0.0, 10.0])
    # 0 ... 5: the halves have means 1 and 4 around 2.5, so 6 * 1.5^2 = 13.5 of 17.5 lies between.
    even = np.arange(6.0)
    assert two_heaps(np.stack([apart, even, np.ones(6)], axis=1)) == pytest.approx(
        [1.0, 13.5 / 17.5, 0.0]
    )


@pytest.mark.parametrize("n", [7, 40, 101])
def test_two_heaps_are_the_best_cut_of_all(n):
    table = np.random.default_rng(n).standard_t(3, (n, 5))
    smallest = max(3, int(0.05 * n))
    for column, share in zip(table.T, two_heaps(table), strict=True):
        ordered = np.sort(column)
        cuts = [
            cut * (ordered[:cut].mean() - ordered.mean()) ** 2
            + (n - cut) * (ordered[cut:].mean() - ordered.mean()) ** 2
            for cut in range(smallest, n - smallest + 1)
        ]
        assert share == pytest.approx(max(cuts) / ((column - column.mean()) ** 2).sum())


def test_profiles_take_a_tenth_of_the_columns_within_limits():
    assert (FEWEST, MOST) == (200, 2_000)
    for columns, expected in ((50, 50), (900, FEWEST), (5_000, 500), (50_000, MOST)):
        telling = np.random.default_rng(0).random(columns)
        chosen = most_telling(telling)
        assert len(chosen) == expected
        assert (np.diff(chosen) > 0).all()
        left_out = np.delete(telling, chosen)
        assert len(left_out) == 0 or telling[chosen].min() >= left_out.max()


def test_near_profiles_are_correlated_rows():
    table = np.random.default_rng(1).standard_normal((12, 30))
    profiles = profiles_of(table, None)
    centred = table - table.mean(axis=0)
    assert profiles @ profiles.T == pytest.approx(np.corrcoef(centred))
    # Columns that share a unit count by their deviations.
    scales = np.linspace(0.5, 2.0, 30)
    assert profiles_of(table, scales) @ profiles_of(table, scales).T == pytest.approx(
        np.corrcoef(centred * scales)
    )


def test_even_axes_have_one_length_and_lose_nothing():
    rng = np.random.default_rng(2)
    table = rng.standard_normal((60, 5)) @ rng.standard_normal((5, 5))
    table = np.column_stack([table, table[:, 0]])  # a repeated column adds no axis
    axes = on_even_axes(table)
    assert axes.shape == (60, 5)
    assert axes.T @ axes == pytest.approx(np.eye(5), abs=1e-9)
    coefficients, *_ = np.linalg.lstsq(axes, table - table.mean(axis=0), rcond=None)
    assert axes @ coefficients == pytest.approx(table - table.mean(axis=0), abs=1e-8)


def test_evidence_is_set_beside_its_own_representation():
    values = np.array([[1.0], [3.0], [10.0], [40.0]])
    part_of = np.array([0, 1, 0, 1])
    beside = by_part(values, part_of, lambda own: np.hstack([own, own - own.max(axis=0)]))
    assert beside.tolist() == [[1.0, -9.0], [3.0, -37.0], [10.0, 0.0], [40.0, 0.0]]


def test_each_representation_has_its_likely_candidates():
    # 70 candidates of the first representation say one thing, 3 of the second another. Only 60 of
    # the 70 count, and the 3 win if their odds, exp(10) beside 1, outweigh them.
    halves, quarters = np.repeat([0, 1], 10), np.repeat([0, 1, 2, 3], 5)
    labels = np.stack([halves] * 70 + [quarters] * 3)
    scores = np.concatenate([np.full(70, 1.0), np.full(3, 6.0)])
    part_of = np.repeat([0, 1], [70, 3])
    assert likely_candidates(scores, labels, part_of).best() >= 70
    assert likely_candidates(np.ones(73), labels, part_of).best() < 70


@pytest.mark.parametrize(("shape", "ways"), [((60, 3), 1), ((60, 5), 2), ((30, 90), 2)])
def test_tables_with_several_columns_are_represented_twice(shape, ways):
    rng = np.random.default_rng(3)
    X = rng.standard_normal(shape) + 4.0 * rng.integers(0, 2, (shape[0], 1))
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    examined = examine(X, np.ones(shape[1]), np.arange(shape[0]))
    assert len(examined.representations) == ways
    pool = examined.pool()
    assert pool.labels.shape == (len(pool.values), shape[0])
    assert np.bincount(pool.part_of).tolist() == [
        len(way.candidates) for way in examined.representations
    ]
    for place in (0, len(pool.labels) - 1):
        prepared, candidate = examined.candidate(place)
        assert (prepared.restore(candidate.labels) == pool.labels[place]).all()
    with pytest.raises(IndexError):
        examined.candidate(len(pool.labels))


@pytest.mark.parametrize("seed", range(3))
def test_a_single_factor_of_a_wide_table_is_not_two_clusters(seed):
    # Centred and put to length 1, the rows of one factor become two opposite groups.
    rng = np.random.default_rng(seed)
    X = np.outer(rng.standard_normal(80), rng.standard_normal(400))
    X += rng.standard_normal(X.shape)
    model = AutoCluster(n_resamples=0, random_state=0).fit(X)
    assert model.n_clusters_ == 1
