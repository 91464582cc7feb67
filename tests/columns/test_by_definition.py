"""Screening, clouds, weights and profiles of columns, whole outputs against definitions."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import gamma, norm, rankdata

from weft.backends import CPU
from weft.columns import clumps, screening, wide
from weft.columns.clumps import clumping, mean_log_distance, places_of
from weft.columns.profile import profile
from weft.columns.screening import (
    Screening,
    bin_column,
    clear_share,
    columns_that_matter,
    gather,
    group_columns,
    has_two_modes,
    make_contrasts,
    screen,
)
from weft.columns.weights import association, subspace_weights
from weft.columns.wide import is_wide, screen_wide

# Clouds -------------------------------------------------------------------------------------------


def clumping_by_definition(rows, rng):
    if len(rows) > clumps.MOST_ROWS:
        rows = rows[np.sort(rng.choice(len(rows), clumps.MOST_ROWS, replace=False))]
    rows = rows[:, rows.std(axis=0) > 0.0]
    rows = rows / rows.std(axis=0)
    rows = rows + 1e-6 * rng.standard_normal(rows.shape)
    n = len(rows)
    normal = norm.ppf((rankdata(rows, axis=0) - 0.5) / n)
    axes, turns = np.linalg.eigh(np.corrcoef(normal.T))
    mix = turns * np.sqrt(axes)
    ordered, found = np.sort(rows, axis=0), []
    for _ in range(10):
        places = rankdata(rng.standard_normal(rows.shape) @ mix.T, axis=0).astype(int) - 1
        found.append(mean_log_distance(np.take_along_axis(ordered, places, axis=0)))
    gap = np.mean(found) - mean_log_distance(rows)
    return gap / (np.std(found, ddof=1) * np.sqrt(1.1))


def test_clumping_by_definition(monkeypatch):
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((60, 3)) @ rng.standard_normal((3, 3)) * [1.0, 50.0, 0.1]
    rows[:, 1] = np.round(rows[:, 1], -1)
    rows = np.column_stack([rows, np.ones(60)])
    expected = clumping_by_definition(rows, np.random.default_rng(5))
    assert clumping(rows, np.random.default_rng(5)) == pytest.approx(expected)
    monkeypatch.setattr(clumps, "MOST_ROWS", 25)
    expected = clumping_by_definition(rows, np.random.default_rng(5))
    assert clumping(rows, np.random.default_rng(5)) == pytest.approx(expected)


def test_rows_of_few_levels_are_clumped_as_their_clouds_are():
    # Dust of a millionth orders equal rows, but does not move them apart.
    rng = np.random.default_rng(1)
    rows = rng.integers(0, 3, (80, 2)).astype(float)
    assert abs(clumping(rows, rng)) < 4.0
    assert places_of(np.array([[2, 0], [0, 1], [1, 2]])).tolist() == [[1, 0], [2, 1], [0, 2]]


# Screening ----------------------------------------------------------------------------------------


def test_kept_columns_from_given_parts(monkeypatch):
    # Groups (0, 3) and (1, 4), of which the second is clumped; column 2 has two modes by itself.
    X = np.random.default_rng(0).standard_normal((70, 5))
    dependent, asked, modes = np.array([1, 1, 0, 1, 1], dtype=bool), [], []
    strength = np.arange(5.0)
    monkeypatch.setattr(screening, "MOST_ROWS", 50)
    both = (dependent, strength)
    monkeypatch.setattr(screening, "find_dependent", lambda contrasts, rate, rng: both)
    monkeypatch.setattr(screening, "group_columns", lambda contrasts, own: np.array([0, 1, 0, 1]))

    def clumped(rows, level, rng):
        asked.append((rows, level))
        return len(asked) == 2

    def two_modes(column, level):
        modes.append(level)
        return len(modes) == 3

    monkeypatch.setattr(screening, "is_clumped", clumped)
    monkeypatch.setattr(screening, "has_two_modes", two_modes)
    found = screen(X, 0.1, np.random.default_rng(2))
    rows = X[np.sort(np.random.default_rng(2).choice(70, 50, replace=False))]
    assert_array_equal(asked[0][0], rows[:, [0, 3]])
    assert_array_equal(asked[1][0], rows[:, [1, 4]])
    assert [level for _, level in asked] == [pytest.approx(0.1 / 20)] * 2
    assert modes == [pytest.approx(0.02)] * 5
    assert found.kept.tolist() == [False, True, True, False, True]
    assert found.group.tolist() == [0, 1, -1, 0, 1]
    assert found.dependent is dependent
    assert found.strength is strength
    none = (np.zeros(5, dtype=bool), strength)
    monkeypatch.setattr(screening, "find_dependent", lambda contrasts, rate, rng: none)
    monkeypatch.setattr(
        screening, "group_columns", lambda contrasts, own: np.zeros(0, dtype=np.int64)
    )
    assert screen(X[:50], 0.1, np.random.default_rng(2)).group.tolist() == [-1] * 5


def test_columns_that_matter_are_screened_at_the_usual_rate(monkeypatch):
    asked = []

    def given(X, rate, rng):
        asked.append((rate, rng.integers(1000)))
        return Screening("kept", None, None, None)

    monkeypatch.setattr(screening, "screen", given)
    assert columns_that_matter(np.ones((4, 2)), 7) == "kept"
    assert asked == [(0.05, np.random.default_rng([7, 9]).integers(1000))]


def test_contrasts_of_usual_and_of_wide_tables(monkeypatch):
    rows = np.random.default_rng(0).standard_normal((30, 4))
    rows[:, 1], rows[:, 2] = 3.0, np.round(rows[:, 2])
    usual = make_contrasts(rows)
    assert usual.n_rows == 30
    levels = [len(np.unique(bin_column(column, 3))) for column in rows.T]
    assert usual.freedom.tolist() == [level - 1.0 for level in levels]
    assert usual.freedom[1] == 0.0
    monkeypatch.setattr(screening, "WIDE", 4)
    assert make_contrasts(rows).freedom.tolist() == usual.freedom.tolist()
    monkeypatch.setattr(screening, "WIDE", 3)
    assert make_contrasts(rows).freedom.tolist() == [1.0, 0.0, 1.0, 1.0]
    assert make_contrasts(1e-3 * rows).freedom.tolist() == [1.0, 0.0, 1.0, 1.0]


def test_evidence_is_that_of_the_largest_three_partners():
    rng = np.random.default_rng(1)
    rows = rng.standard_normal((60, 6)) + rng.standard_normal((60, 1))
    contrasts = make_contrasts(rows)
    every = np.arange(6)
    z = np.array(CPU.columns.scores(contrasts.resident, every, every))
    np.fill_diagonal(z, 0.0)
    for references in (every, np.array([0, 2, 5]), np.array([1, 3])):
        found = gather(contrasts, references, None)
        n_partners = min(3, len(references) - 1)
        for column in range(6):
            others = [z[column, other] for other in references if other != column]
            overall = sum(others) / np.sqrt(len(others))
            nearest = np.mean(sorted(others)[-n_partners:])
            assert found.overall[column] == pytest.approx(overall)
            assert found.nearest[column] == pytest.approx(nearest)
    # A shadow has its rows in the order of one permutation.
    shadow = gather(contrasts, every, np.random.default_rng(4))
    order = np.random.default_rng(4).permutation(60)
    both = make_contrasts(np.hstack([rows[order], rows]))
    z = np.array(CPU.columns.scores(both.resident, every, every + 6))
    np.fill_diagonal(z, 0.0)
    assert_allclose(shadow.overall, z.sum(axis=1) / np.sqrt(5.0))


def test_links_beyond_the_level_of_all_pairs(monkeypatch):
    # Five columns, of which 0, 2, 3 and 4 are dependent: ten pairs share the level of 5 %.
    class Given:
        @staticmethod
        def scores(resident, first, second):
            return resident[np.ix_(first, second)]

    clear = norm.isf(0.05 / 10)
    dependent = np.array([1, 0, 1, 1, 1], dtype=bool)
    backend = type("Backend", (), {"columns": Given})
    for score, expected in ((clear + 1e-9, [0, 0, 1, 1]), (clear - 1e-9, [0, 0, 0, 0])):
        z = np.zeros((5, 5))
        z[0, 2] = z[2, 0] = z[3, 4] = z[4, 3] = score
        contrasts = screening.Contrasts(10, np.ones(5), backend, z)
        for tile in (500, 1, 2):
            monkeypatch.setattr(screening, "TILE", tile)
            assert group_columns(contrasts, dependent).tolist() == expected
    assert group_columns(contrasts, np.zeros(5, dtype=bool)).shape == (0,)
    one = screening.Contrasts(10, np.ones(1), backend, np.zeros((1, 1)))
    assert group_columns(one, np.ones(1, dtype=bool)).tolist() == [0]


def test_groups_of_singles_at_their_limits():
    # As many singles as the largest group has: they join it. One more: they are a group.
    assert screening._with_singles(np.array([0, 0, 0, 1, 2, 3])).tolist() == [0] * 6
    more = screening._with_singles(np.array([0, 0, 0, 1, 2, 3, 4, 5, 5]))
    assert more.tolist() == [0, 0, 0, 1, 1, 1, 1, 1, 1]
    assert screening._with_singles(np.array([0])).tolist() == [0]


def two_modes_by_definition(column, level):
    n, values = len(column), np.sort(column)
    if n < 20 or len(set(values.tolist())) < n // 2:
        return False
    total = ((values - values.mean()) ** 2).sum()
    best, cut = max(
        (
            (
                left * (values[:left].mean() - values.mean()) ** 2
                + (n - left) * (values[left:].mean() - values.mean()) ** 2
            ),
            -left,
        )
        for left in range(1, n)
    )
    z, root = norm.isf(level), np.sqrt(n)
    odds = np.exp(np.log(3.0) + 2.5 / n + (z + (z * z - 1.0) / 6.0 * 2.2 / root) * 1.467 / root)
    clear = max(0.85, odds / (1.0 + odds))
    assert clear_share(n, level) == pytest.approx(clear)
    return min(-cut, n + cut) >= max(5, n // 20) and best > clear * total


def test_two_modes_by_definition():
    rng = np.random.default_rng(0)
    answers = []
    for n in (19, 20, 21, 40, 130):
        for apart in np.linspace(3.0, 7.0, 12):
            for share in (0.05, 0.2, 0.5):
                column = rng.standard_normal(n) + apart * (np.arange(n) < share * n)
                answers.append(two_modes_by_definition(column, 0.01))
                assert has_two_modes(column, 0.01) == answers[-1]
    assert 20 < sum(answers) < len(answers) - 20
    assert not has_two_modes(np.full(30, 2.0), 0.01)


# Wide tables --------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_columns", [30, 2])
def test_wide_screening_by_definition(monkeypatch, n_columns):
    monkeypatch.setattr(wide, "N_DRAWS", 50)
    rng = np.random.default_rng(0)
    X = rng.standard_normal((12, n_columns))
    X[:, :8] += 2.0 * rng.standard_normal((12, 1))
    X[:, 9:10] = 1.0
    ranks = np.zeros(X.shape)
    for column in range(n_columns):
        own = rankdata(X[:, column]) - 6.5
        ranks[:, column] = own / np.linalg.norm(own) if own.any() else 0.0
    sums = ((ranks.T @ ranks) ** 2).sum(axis=1) - (np.arange(n_columns) != 9)
    draws = np.random.default_rng(3)
    plain = np.arange(12) - 5.5
    plain /= np.linalg.norm(plain)
    drawn = draws.permuted(np.tile(plain, (50, 1)), axis=1)
    chance = ((drawn @ ranks) ** 2).sum(axis=1)
    mean, deviation = chance.mean(), chance.std()
    skew = max(((chance - mean) ** 3).mean() / deviation**3, 0.05)
    shape = 4.0 / skew**2
    level = mean + deviation * (gamma.isf(0.05 / n_columns, shape) - shape) / np.sqrt(shape)
    found = screen_wide(X, 0.05, np.random.default_rng(3))
    assert_allclose(found.strength, np.maximum(sums, 0.0) / level)
    assert_array_equal(found.kept, sums > level)
    assert 0 < found.kept.sum() < 30
    assert_array_equal(found.dependent, found.kept)
    assert_array_equal(found.group, np.where(found.kept, 0, -1))
    monkeypatch.setattr(wide, "MAX_ROWS", 8)
    rng = np.random.default_rng(3)
    some = X[np.sort(rng.choice(12, 8, replace=False))]
    assert_array_equal(
        screen_wide(X, 0.05, np.random.default_rng(3)).strength,
        screen_wide(some, 0.05, rng).strength,
    )


def test_the_level_of_chance_is_never_zero():
    # All columns are constant: nothing varies, and nothing is kept.
    found = screen_wide(np.ones((6, 20)), 0.05, np.random.default_rng(0))
    assert_array_equal(found.strength, np.zeros(20))
    assert not found.kept.any()
    assert is_wide(3, 7)
    assert not is_wide(3, 6)


# Weights and profiles -----------------------------------------------------------------------------


def association_by_definition(rows, labels):
    n, values = len(rows), []
    n_bins = min(max(n // 10, 2), 12)
    for column in rows.T:
        bins = bin_column(column, n_bins)
        r, k = len(np.unique(bins)), len(np.unique(labels))
        if r < 2 or k < 2:
            values.append(0.0)
            continue
        chi = 0.0
        for b in np.unique(bins):
            for c in np.unique(labels):
                expected = (bins == b).sum() * (labels == c).sum() / n
                chi += (((bins == b) & (labels == c)).sum() - expected) ** 2 / expected
        share = max(chi / n - (r - 1) * (k - 1) / (n - 1), 0.0)
        corrected = [size - (size - 1) ** 2 / (n - 1) for size in (r, k)]
        values.append(np.sqrt(share / (min(corrected) - 1.0)))
    values = np.array(values)
    return np.maximum(values / values.max(), 0.01) if values.max() > 0.0 else np.ones(rows.shape[1])


@pytest.mark.parametrize("n", [15, 29, 60, 119, 140])
def test_association_by_definition(n):
    rng = np.random.default_rng(n)
    labels = rng.integers(0, 4, n)
    labels[labels == 2] = 3  # there is no cluster 2
    rows = rng.standard_normal((n, 5)) + labels[:, None] * np.array([2.0, 1.0, 0.3, 0.0, 0.0])
    rows[:, 1] = np.round(rows[:, 1])
    rows[:, 2] = rows[:, 2] > 0.0
    rows[:, 4] = 1.0
    assert_allclose(association(rows, labels), association_by_definition(rows, labels))
    assert association(rows, np.zeros(n, dtype=int)).tolist() == [1.0] * 5


def test_rows_too_few_for_an_association():
    assert association(np.array([[1.0, 2.0]]), np.array([0])).tolist() == [1.0, 1.0]
    two = association(np.array([[1.0, 5.0], [2.0, 5.0]]), np.array([0, 1]))
    assert two.tolist() == [1.0, 1.0]  # by chance everything is as large


def test_profiles_by_definition():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((25, 3)) * [1.0, 9.0, 0.1] + [0.0, -50.0, 7.0]
    labels = rng.integers(-1, 3, 25)
    found = profile(X, labels)
    assert found.labels.tolist() == [-1, 0, 1, 2]
    for place, label in enumerate(found.labels):
        own, rest = X[labels == label], X[labels != label]
        assert found.sizes[place] == len(own)
        assert_allclose(found.means[place], own.mean(axis=0))
        assert_allclose(found.rest_means[place], rest.mean(axis=0))
        within = len(own) * own.var(axis=0) + len(rest) * rest.var(axis=0)
        pooled = np.sqrt(within / 23)
        assert_allclose(found.effects[place], (own.mean(axis=0) - rest.mean(axis=0)) / pooled)


def test_means_that_agree_up_to_rounding_have_no_effect():
    # The means differ by 1.5e-8, which is less than 1e-13 of a million.
    for sign in (1.0, -1.0):
        X = sign * (1e6 + np.array([[0.0], [1.0], [0.0], [1.0 + 3e-8]]))
        assert profile(X, np.array([0, 0, 1, 1])).effects.tolist() == [[0.0], [0.0]]
        X[3] += sign * 1e-6
        assert (profile(X, np.array([0, 0, 1, 1])).effects != 0.0).all()


def test_tightness_of_columns_that_do_not_vary():
    rows = np.array([[1.0, 0.0], [1.0, 4.0], [1.0, 10.0], [1.0, 14.0]])
    found = subspace_weights(rows, np.array([0, 0, 1, 1]))
    assert found.tolist() == [[0.0, 1.0], [0.0, 1.0]]
    # Wider than all rows counts as no tighter.
    wider = subspace_weights(np.array([[0.0, 0.0], [9.0, 1.0], [4.0, 8.0]]), np.array([0, 0, 1]))
    own = np.array([0.0, 1.0 - 0.25 / np.var([0.0, 1.0, 8.0])])
    assert_allclose(wider[0], own / own.sum())
