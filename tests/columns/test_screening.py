"""Which columns matter: χ² against SciPy's, shadows, clumps, and what must not be kept."""

import numpy as np
import pytest
from scipy.stats import chi2_contingency, rankdata

from weft.backends import CPU
from weft.columns import screening
from weft.columns.clumps import clumping, is_clumped, mean_log_distance
from weft.columns.screening import (
    Evidence,
    bin_column,
    bin_columns,
    bins_of,
    find_dependent,
    gather,
    group_columns,
    has_two_modes,
    make_contrasts,
    screen,
)


def three_heaps(rng, n=150, d=4, apart=6.0):
    centres = apart * rng.permuted(np.arange(3)[:, None] * np.ones(d), axis=0)
    return centres[np.arange(n) % 3] + rng.normal(size=(n, d))


def test_dependence_is_the_chi_square_of_the_contingency_table():
    rng = np.random.default_rng(0)
    x = rng.integers(0, 3, 200)
    y = np.where(rng.random(200) < 0.4, x, rng.integers(0, 3, 200))
    contrasts = make_contrasts(np.column_stack([x, y]).astype(float))
    z = CPU.columns.scores(contrasts.resident, np.array([0]), np.array([1]))[0, 0]
    table = np.histogram2d(x, y, bins=3)[0]
    statistic = chi2_contingency(table, correction=False).statistic
    # Four degrees of freedom: z = (∛(χ² / 4) - (1 - s)) / √s with s = 2 / 36.
    assert z == pytest.approx((np.cbrt(statistic / 4) - 17 / 18) / np.sqrt(1 / 18), rel=1e-12)


def test_scores_are_standard_normal_where_nothing_depends():
    rng = np.random.default_rng(1)
    rows = np.column_stack([rng.normal(size=(400, 60)), rng.integers(0, 2, (400, 20))])
    contrasts = make_contrasts(rows)
    z = CPU.columns.scores(contrasts.resident, np.arange(80), np.arange(80))
    off = z[~np.eye(80, dtype=bool)]
    assert abs(off.mean()) < 0.1
    assert 0.85 < off.std() < 1.1


def test_bins_hold_ties_together():
    assert bin_column(np.array([5.0, 1.0, 5.0, 1.0]), 3).tolist() == [1, 0, 1, 0]
    zeros = np.array([0.0] * 50 + list(range(1, 51)))
    # The 50 zeros have rank 25.5, which is in the second of four bins; the first stays empty and
    # gets no number. Ranks 51 to 75 are in the third bin, 76 to 100 in the fourth.
    assert bin_column(zeros, 4).tolist() == [0] * 50 + [1] * 25 + [2] * 25


@pytest.mark.parametrize("n_bins", [3, 6, 12])
def test_many_columns_have_the_bins_of_each_alone(n_bins, monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 7))
    X[:, 1] = X[:, 1].round()  # ties, and a constant, and a gap
    X[:, 4] = 2.0
    X[3, 5] = np.nan
    monkeypatch.setattr(screening, "TILE", 3)
    expected = [bin_column(column, n_bins) for column in X.T]
    np.testing.assert_array_equal(bin_columns(X, n_bins).T, expected)


def test_noise_of_every_kind_is_dropped_and_clusters_are_kept():
    rng = np.random.default_rng(2)
    heaps = three_heaps(rng)
    noise = [
        rng.uniform(size=(150, 5)),
        rng.standard_t(2, size=(150, 5)),
        rng.lognormal(size=(150, 5)),
        rng.integers(0, 2, (150, 5)),
    ]
    kept = screen(np.hstack([heaps, *noise]), 0.05, rng).kept
    assert kept[:4].all()
    assert kept[4:].sum() == 0


def test_correlated_noise_depends_but_is_not_clumped():
    rng = np.random.default_rng(3)
    heaps = three_heaps(rng)
    factor = rng.normal(size=(150, 1))
    block = factor + 0.5 * rng.normal(size=(150, 5))
    found = screen(np.hstack([heaps, block]), 0.05, rng)
    assert found.kept.tolist() == [True] * 4 + [False] * 5
    assert found.dependent.all()
    assert found.group[4] != found.group[0]


def test_false_keeps_are_as_rare_as_asked_for():
    # 40 tables of noise at a rate of 0.25: about 10 tables keep a column before clumping is
    # asked for; more than 20 would have a chance below 1 in 2,000.
    rng = np.random.default_rng(4)
    wrong = 0
    for _ in range(40):
        contrasts = make_contrasts(rng.normal(size=(80, 8)))
        wrong += find_dependent(contrasts, 0.25, rng)[0].any()
    assert wrong <= 20


def test_two_rounds_with_a_sample_of_the_references_are_enough(monkeypatch):
    # 30 dependent columns of 40, of which 20 are a sample: the first round has all columns and 3
    # shadows, then each of two rounds 1 / rate · 2 = 8 shadows: (1 + 3) + 2 (1 + 8) comparisons.
    monkeypatch.setattr("weft.columns.screening.MOST_REFERENCES", 20)
    rng = np.random.default_rng(10)
    rows = np.hstack([three_heaps(rng, d=30), rng.normal(size=(150, 10))])
    calls = []

    def counted(*given):
        calls.append(given)
        return gather(*given)

    monkeypatch.setattr("weft.columns.screening.gather", counted)
    kept, _ = find_dependent(make_contrasts(rows), 0.25, rng)
    assert kept[:30].all()
    assert len(calls) == 4 + 2 * 9


def test_constant_columns_and_a_single_column():
    rng = np.random.default_rng(5)
    heaps = np.hstack([three_heaps(rng), np.ones((150, 2))])
    assert screen(heaps, 0.05, rng).kept.tolist() == [True] * 4 + [False] * 2
    assert not screen(np.ones((30, 3)), 0.05, rng).kept.any()
    assert not screen(rng.normal(size=(100, 1)), 0.05, rng).kept.any()


LEVEL = 0.01


def test_two_clear_modes_are_seen_in_the_margin_alone():
    rng = np.random.default_rng(6)
    assert has_two_modes(np.concatenate([rng.normal(0, 1, 50), rng.normal(8, 1, 50)]), LEVEL)
    for column in (rng.normal(size=200), rng.uniform(size=200), rng.exponential(size=200)):
        assert not has_two_modes(column, LEVEL)
    assert not has_two_modes(rng.integers(0, 2, 200).astype(float), LEVEL)  # a coin


def _heaps(n_low, n_high):
    """Distinct values near 0 and near 100."""
    return np.concatenate([np.arange(n_low) / 100.0, 100.0 + np.arange(n_high) / 100.0])


def test_the_limits_of_two_modes_by_hand():
    # At least 20 rows.
    assert has_two_modes(_heaps(10, 10), LEVEL)
    assert not has_two_modes(_heaps(9, 10), LEVEL)
    # At least half as many distinct values as rows: 10 of 20 are enough, 9 are not.
    assert has_two_modes(np.repeat(_heaps(5, 5), 2), LEVEL)
    assert not has_two_modes(np.append(np.repeat(_heaps(5, 4), 2), [0.0, 0.0]), LEVEL)
    # Each heap has 5 rows, and from 120 rows on a twentieth of them.
    assert has_two_modes(_heaps(5, 20), LEVEL)
    assert has_two_modes(_heaps(20, 5), LEVEL)
    assert not has_two_modes(_heaps(4, 20), LEVEL)
    assert not has_two_modes(_heaps(20, 4), LEVEL)
    assert has_two_modes(_heaps(10, 190), LEVEL)
    assert not has_two_modes(_heaps(9, 191), LEVEL)


@pytest.mark.parametrize(("spread", "is_clear"), [(6.5, True), (8.5, False)])
def test_two_modes_explain_85_percent_of_the_variance(spread, is_clear):
    # Two uniform heaps of variance s² / 12 at 0 and 10 have 25 between them: the cut explains
    # 25 / (25 + s² / 12), which is 88 % for s = 6.5 and 81 % for s = 8.5.
    heap = spread * (np.arange(200) / 199.0 - 0.5)
    assert has_two_modes(np.concatenate([heap, 10.0 + heap]), LEVEL) is is_clear


@pytest.mark.parametrize(("n_rows", "n_columns"), [(20, 10), (20, 30), (40, 10)])
def test_few_uniform_rows_show_two_modes_in_at_most_the_stated_share_of_tables(n_rows, n_columns):
    rng = np.random.default_rng(8)
    level = 0.05 / n_columns
    found = sum(
        any(has_two_modes(column, level) for column in rng.uniform(size=(n_columns, n_rows)))
        for _ in range(400)
    )
    assert found <= 30  # 20 expected, deviation 4.4; with 85 % at every size about 200


def test_columns_of_a_grid_are_kept_though_independent():
    rng = np.random.default_rng(7)
    corner = rng.integers(0, 2, (200, 2)) * 9.0
    rows = np.hstack([corner + rng.normal(size=(200, 2)), rng.normal(size=(200, 4))])
    assert screen(rows, 0.05, rng).kept.tolist() == [True] * 2 + [False] * 4


def test_a_wide_table_is_compared_by_ranks(monkeypatch):
    monkeypatch.setattr("weft.columns.screening.WIDE", 10)
    rng = np.random.default_rng(8)
    rows = np.hstack([three_heaps(rng), rng.normal(size=(150, 16))])
    ranks = make_contrasts(rows).resident.values
    np.testing.assert_allclose(np.linalg.norm(ranks, axis=0), 1.0, rtol=1e-6)
    kept = screen(rows, 0.05, rng).kept
    assert kept[:4].all()
    assert not kept[4:].any()


def test_groups_are_components():
    rng = np.random.default_rng(9)
    a, b = rng.normal(size=(200, 1)), rng.normal(size=(200, 1))
    rows = np.hstack(
        [a, a + 0.1 * rng.normal(size=(200, 1)), b, b + 0.1 * rng.normal(size=(200, 1))]
    )
    groups = group_columns(make_contrasts(rows), np.ones(4, dtype=bool))
    assert groups[0] == groups[1] != groups[2] == groups[3]


def test_columns_without_a_clear_partner():
    from weft.columns.screening import _with_singles

    # One large group: the single joins it. Singles and a pair alone: one group.
    assert _with_singles(np.array([0, 0, 0, 1, 2, 2])).tolist() == [0, 0, 0, 0, 1, 1]
    assert _with_singles(np.array([0, 1, 2, 3, 3, 4])).tolist() == [0] * 6
    # More singles than the block of noise is large: they stay apart from it.
    assert _with_singles(np.array([0, 0, 0, 1, 2, 3, 4])).tolist() == [0, 0, 0, 1, 1, 1, 1]


def test_one_tilted_cloud_is_not_clumped_and_heaps_are():
    rng = np.random.default_rng(10)
    cloud = rng.normal(size=(300, 3)) @ rng.normal(size=(3, 3))
    assert not is_clumped(cloud, 0.005, rng)
    assert not is_clumped(np.exp(cloud / 2), 0.005, rng)  # skewed margins are kept in the draws
    assert is_clumped(three_heaps(rng), 0.005, rng)
    assert clumping(np.ones((50, 3)), rng) == 0.0


def test_clumping_by_hand(monkeypatch):
    # Ten clouds with mean log distances 1 to 10: mean 5.5, variance 82.5 / 9; the rows have 3. A
    # new cloud would scatter around the mean of ten with √(1 + 1 / 10) times their deviation.
    distances = iter([*range(1, 11), 3.0])
    monkeypatch.setattr("weft.columns.clumps.mean_log_distance", lambda rows: next(distances))
    rng = np.random.default_rng(11)
    expected = 2.5 / np.sqrt(82.5 / 9.0 * 1.1)
    assert clumping(rng.normal(size=(30, 2)), rng) == pytest.approx(expected)


@pytest.mark.parametrize(("deviations", "answer"), [(3.24, False), (3.26, True)])
def test_clumped_beyond_students_t_of_the_clouds(monkeypatch, deviations, answer):
    # Ten clouds have nine degrees of freedom: the upper 0.5 % of Student's t begin at 3.250 (at
    # 3.355 with eight, at 3.106 with eleven).
    monkeypatch.setattr("weft.columns.clumps.clumping", lambda rows, rng: deviations)
    assert is_clumped(np.ones((20, 2)), 0.005, np.random.default_rng(0)) == answer
    assert is_clumped(np.ones((20, 1)), 0.005, np.random.default_rng(0)) is False


def test_clumping_needs_rows_and_two_columns_that_vary():
    rng = np.random.default_rng(12)
    rows = rng.normal(size=(10, 2))
    assert clumping(rows, rng) != 0.0
    assert clumping(rows[:9], rng) == 0.0
    assert clumping(np.column_stack([rows[:, 0], np.ones(10)]), rng) == 0.0


def test_the_distance_to_the_fifth_neighbour_by_hand():
    # Rows 0 to 10 on a line: the fifth neighbour of row i is at distance 5 at both ends, 4 one
    # step inside, and 3 for the seven rows between (two at 1, two at 2, the fifth at 3).
    expected = (2 * np.log(5) + 2 * np.log(4) + 7 * np.log(3)) / 11
    assert mean_log_distance(np.arange(11.0)[:, None]) == pytest.approx(expected)
    assert mean_log_distance(np.zeros((6, 1))) == pytest.approx(0.5 * np.log(1e-14))


@pytest.mark.parametrize("n_bins", [2, 3, 5])
@pytest.mark.parametrize("n_values", [3, 7, 20])
def test_bins_are_those_of_mean_ranks(n_values, n_bins):
    rng = np.random.default_rng(n_values)
    for _ in range(20):
        column = rng.integers(n_values, size=40) ** 2.0
        if len(np.unique(column)) <= n_bins:
            expected = column
        else:
            expected = np.floor((rankdata(column) - 0.5) * n_bins / 40)
        numbered = np.unique(expected, return_inverse=True)[1]
        assert bin_column(column, n_bins).tolist() == numbered.tolist()


def test_as_many_values_as_bins_keep_their_own():
    column = np.array([7.0, 7.0, 7.0, 7.0, 1.0, 8.0])
    assert bin_column(column, 3).tolist() == [1, 1, 1, 1, 0, 2]
    # In two bins: ranks 1, 3.5 and 6 of six are in the first, the second and the second half.
    assert bin_column(column, 2).tolist() == [1, 1, 1, 1, 0, 1]


def test_the_number_of_bins_by_hand():
    # √(n / 12), rounded, from 3 to 6: 4 for 192 rows, 5 for 300.
    for n, n_bins in ((20, 3), (108, 3), (192, 4), (300, 5), (432, 6), (5000, 6)):
        bins, found = bins_of(np.arange(2.0 * n).reshape(n, 2))
        assert (found, bins.shape, bins.dtype) == (n_bins, (n, 2), np.int8)
        assert np.unique(bins[:, 1]).tolist() == list(range(n_bins))


def _given_evidence(monkeypatch, script):
    """Let `gather` return given evidence, and return the references that it is called with."""
    calls, left = [], iter(script)

    def given(contrasts, references, rng):
        calls.append((references.tolist(), rng is None))
        overall, nearest = next(left)
        return Evidence(np.array(overall), np.array(nearest))

    monkeypatch.setattr(screening, "gather", given)
    monkeypatch.setattr(screening, "FIRST_SHADOWS", 1)
    return calls


def test_dependent_columns_by_hand(monkeypatch):
    # Column 1 is constant. In the first round the shadows reach 1 overall and 2 in the nearest:
    # columns 0 (overall) and 3 (nearest) are above, column 2 is at the limit of both. They are the
    # references of the second round, with 2 / 0.5 = 4 shadows, the best of which has 2 and 8.
    none = ([1.0] * 5, [2.0] * 5)
    shadows = [none, ([2.0, 0.0, 0.0, 0.0, 0.0], [0.0] * 5), ([0.0] * 5, [0.0] * 4 + [8.0]), none]
    script = [
        ([1.5, 9.0, 1.0, 0.0, 0.0], [0.0, 9.0, 2.0, 2.5, 0.0]),
        none,
        ([5.0, 9.0, 2.0, 1.0, 0.0], [4.0, 9.0, 8.0, 12.0, 0.0]),
        *shadows,
    ]
    calls = _given_evidence(monkeypatch, script)
    contrasts = screening.Contrasts(10, np.array([2.0, 0.0, 1.0, 1.0, 0.5]), CPU, None)
    kept, strength = find_dependent(contrasts, 0.5, np.random.default_rng(0))
    assert calls == [([0, 2, 3, 4], True), ([0, 2, 3, 4], False)] + [
        ([0, 3], number == 0) for number in range(5)
    ]
    assert kept.tolist() == [True, False, False, True, False]
    assert strength.tolist() == [2.5, 0.0, 1.0, 1.5, 0.0]


def test_fewer_than_two_dependent_columns_are_none(monkeypatch):
    none = ([1.0] * 3, [1.0] * 3)
    _given_evidence(monkeypatch, [([2.0, 0.0, 0.0], [0.0] * 3), none])
    contrasts = screening.Contrasts(10, np.ones(3), CPU, None)
    kept, strength = find_dependent(contrasts, 0.5, np.random.default_rng(0))
    assert (kept.tolist(), strength.tolist()) == ([False] * 3, [0.0] * 3)
    # Of two columns that vary the evidence is asked for; a single one has no partner.
    calls = _given_evidence(monkeypatch, [([2.0] * 3, [0.0] * 3), none] * 3)
    find_dependent(contrasts._replace(freedom=np.array([0.0, 1.0, 1.0])), 2.0, None)
    assert calls[0] == ([1, 2], True)
    calls.clear()
    kept, _ = find_dependent(contrasts._replace(freedom=np.array([0.0, 0.0, 1.0])), 0.5, None)
    assert (calls, kept.tolist()) == ([], [False] * 3)


def test_rounds_end_when_the_same_columns_come_again(monkeypatch):
    # Columns 0 and 1, then 1 and 2, then 0 and 1 again: without an end this would go on.
    low = ([1.0] * 3, [1.0] * 3)
    first, second = ([2.0, 2.0, 0.0], [0.0] * 3), ([0.0, 2.0, 2.0], [0.0] * 3)
    script = [first, low, second, low, first, low, second, low, first, low]
    calls = _given_evidence(monkeypatch, script)
    contrasts = screening.Contrasts(10, np.ones(3), CPU, None)
    kept, _ = find_dependent(contrasts, 2.0, np.random.default_rng(0))
    assert [references for references, is_real in calls if is_real] == [
        [0, 1, 2],
        [0, 1],
        [1, 2],
        [0, 1],
    ]
    assert kept.tolist() == [False, True, True]
