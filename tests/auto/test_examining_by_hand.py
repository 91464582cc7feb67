"""How tables are represented, and which candidates are likely, by hand and by definition."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import adjusted_rand_score

from weft.auto import agreement, examining
from weft.auto.agreement import Likely, best_of_told, likely_candidates, rand_indices
from weft.auto.doubt import lead
from weft.auto.examining import examine, most_clusters, share_a_unit
from weft.auto.pool import rounded
from weft.auto.representations import on_even_axes, profiles_of
from weft.columns.screening import Screening

# Examining ----------------------------------------------------------------------------------------


def examined(monkeypatch, X, scales=None, *, kept=None, rows_of=None, **options):
    """Return how each representation was made, without making it."""
    made = []
    monkeypatch.setattr(
        examining, "_represent", lambda *given: made.append(given) or given[0].shape[1]
    )
    asked = []

    def screened(name):
        def screen(X, rate, rng, **others):
            asked.append((name, rate, rng.integers(1000)))
            mask = np.ones(X.shape[1], dtype=bool) if kept is None else np.array(kept, dtype=bool)
            return Screening(mask, mask, np.zeros(len(mask), int), np.ones(len(mask)))

        return screen

    monkeypatch.setattr(examining, "screen", screened("usual"))
    monkeypatch.setattr(examining, "screen_wide", screened("wide"))
    scales = np.ones(X.shape[1]) if scales is None else scales
    rows_of = np.arange(len(X)) if rows_of is None else rows_of
    return examine(X, scales, rows_of, **options), made, asked


def test_how_tables_are_represented(monkeypatch):
    X = np.random.default_rng(0).standard_normal((20, 5))
    chosen = np.arange(0, 20, 2)
    found, made, asked = examined(monkeypatch, X, rows_of=chosen, max_clusters=7)
    assert asked == [("usual", 0.05, np.random.default_rng([0, 9]).integers(1000))]
    # The columns as they are, and on even axes; both are standardised.
    assert [given[1:] for given in made] == [(True, 32, 7, False)] * 2
    assert_array_equal(made[0][0], X[chosen])
    assert_allclose(made[1][0], on_even_axes(X[chosen]), atol=1e-9)
    assert found.representations == (5, 5)
    assert found.kept.all()
    # Three columns have no even axes, four do.
    for width, n_ways in ((3, 1), (4, 2)):
        _, made, _ = examined(monkeypatch, X[:, :width])
        assert len(made) == n_ways
    # Of columns that were not kept nothing is used; if none was, those that vary are.
    _, made, _ = examined(monkeypatch, X, kept=[0, 1, 1, 0, 1])
    assert_array_equal(made[0][0], X[:, [1, 2, 4]])
    flat = X.copy()
    flat[:, 2] = 1.0
    found, made, _ = examined(monkeypatch, flat, kept=[0] * 5)
    assert found.kept.tolist() == [True, True, False, True, True]
    # Ten rows are needed, and a column that varies.
    assert len(examined(monkeypatch, X, rows_of=np.arange(10))[1]) == 2
    assert examined(monkeypatch, X, rows_of=np.arange(9))[0].representations == ()
    assert examined(monkeypatch, np.ones((20, 2)), kept=[0, 0])[1] == []


def test_how_wide_tables_are_represented(monkeypatch):
    X = np.random.default_rng(0).standard_normal((12, 25))
    alike, unlike = np.linspace(1.0, 20.0, 25), np.geomspace(1.0, 1e4, 25)
    _, made, asked = examined(monkeypatch, X, unlike, rate=0.125)
    assert asked[0][:2] == ("wide", 0.125)
    # Columns of unlike units are standardised; profiles never are.
    assert [given[1:] for given in made] == [*((True, 12, None, False), (False, 12, None, False))]
    assert_array_equal(made[0][0], X)
    assert_array_equal(made[1][0], profiles_of(X, None))
    _, made, _ = examined(monkeypatch, X, alike)
    assert [given[1] for given in made] == [False, False]
    assert_array_equal(made[0][0], X * alike)
    assert_array_equal(made[1][0], profiles_of(X, alike))
    # Directions have no profiles. A unit that is given makes any table wide.
    _, made, _ = examined(monkeypatch, X, alike, unit_rows=True)
    assert [given[1:] for given in made] == [(False, 12, None, True)]
    _, made, asked = examined(monkeypatch, X[:, :5], alike[:5], one_unit=True)
    assert (asked[0][0], [given[1] for given in made]) == ("wide", [False, False])
    assert_array_equal(made[1][0], profiles_of(X[:, :5], alike[:5]))
    _, made, asked = examined(monkeypatch, X[:, :24], alike[:24])
    assert (asked[0][0], made[0][2]) == ("usual", 32)
    # Of kept columns only the scales count.
    kept = np.arange(25) < 6
    _, made, _ = examined(monkeypatch, X, unlike, kept=kept)
    assert_array_equal(made[0][0], X[:, :6] * unlike[:6])


@pytest.mark.parametrize(
    ("low", "high", "is_shared"), [(1.0, 29.9, True), (1.0, 30.0, False), (0.0, 0.0, False)]
)
def test_deviations_of_one_unit(low, high, is_shared):
    # The 5 % and 95 % quantiles count: of 41 columns, two on either side do not.
    middle = np.full(35, (low + high) / 2)
    assert share_a_unit(np.r_[[low] * 3, middle, [high] * 3]) is is_shared
    wild = np.r_[[low * 1e-3] * 2, low, middle, high, [high * 1e3] * 2]
    assert share_a_unit(wild) is is_shared


@pytest.mark.parametrize(
    ("told", "most", "n_rows", "expected"),
    [
        (None, None, 50, None),
        (None, 7, 50, 7),
        (20, None, 40, None),
        (21, None, 99, 21),
        (20, 5, 39, 20),
        (19, 5, 39, None),
    ],
)
def test_the_largest_number_that_is_tried(told, most, n_rows, expected):
    assert most_clusters(told, most, n_rows) == expected


# Agreement ----------------------------------------------------------------------------------------


def test_likely_candidates_by_definition():
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 3, (7, 30))
    scores = np.array([0.5, 2.0, 1.0, 2.0, -1.0, 0.0, 1.5])
    part_of = np.array([0, 1, 0, 1, 0, 1, 0])
    found = likely_candidates(scores, labels, part_of)
    assert found.places.tolist() == [6, 2, 0, 4, 1, 3, 5]
    odds = np.exp(2.0 * scores[found.places])
    assert_allclose(found.odds, odds / odds.sum())
    assert found.part_of.tolist() == [0] * 4 + [1] * 3
    own = labels[found.places]
    alike = [[adjusted_rand_score(a, b) for b in own] for a in own]
    assert_allclose(found.alike, alike, atol=1e-12)
    assert found.best() == found.places[np.argmax(np.array(alike) @ found.odds)]
    second = found.of_part(1)
    assert second.places.tolist() == [1, 3, 5]
    assert_allclose(second.odds, odds[4:] / odds[4:].sum())
    assert_allclose(second.alike, np.array(alike)[4:, 4:], atol=1e-12)
    assert second.part_of.tolist() == [1] * 3


def test_the_best_of_a_given_number_by_definition():
    for seed in range(12):
        rng = np.random.default_rng(seed)
        labels, own = rng.integers(0, 4, (6, 20)), rng.integers(0, 3, (4, 20))
        every = likely_candidates(rng.standard_normal(6), labels, np.zeros(6, dtype=int))
        told = likely_candidates(rng.standard_normal(4), own, np.zeros(4, dtype=int))
        among = told.alike @ told.odds
        with_all = rand_indices(own[told.places], labels[every.places]) @ every.odds
        expected = told.places[np.argmax(0.5 * among + 0.5 * with_all)]
        assert best_of_told(told, own, every, labels) == expected


@pytest.mark.parametrize(
    ("among", "with_all", "best"),
    [((0.9, 0.5), (0.2, 0.5), 0), ((0.5, 0.9), (0.8, 0.5), 1), ((0.9, 0.8), (0.2, 0.5), 1)],
)
def test_both_sets_of_likely_candidates_have_equal_weight(monkeypatch, among, with_all, best):
    # Sums 1.1 and 1.0, 1.3 and 1.4, 1.1 and 1.3.
    one, zero = np.ones(1), np.zeros(2, dtype=int)
    monkeypatch.setattr(
        agreement, "rand_indices", lambda labels, others: np.array(with_all)[labels[:, 0], None]
    )
    told = Likely(np.array([0, 1]), np.array([1.0, 0.0]), zero, np.array([among, among]).T)
    every = Likely(np.array([0]), one, zero[:1], one[:, None])
    labels = np.array([[0, 1], [1, 0]])
    assert best_of_told(told, labels, every, labels[:1]) == best


def test_candidates_from_an_index_of_nine_tenths_agree():
    # The second candidate agrees with others to 0.9, 0.89 and 0.95.
    labels = np.stack([np.arange(12) % k for k in (2, 3, 4, 6)])
    alike = np.eye(4)
    alike[1, [0, 2, 3]] = alike[[0, 2, 3], 1] = 0.9, 0.89, 0.95
    likely = Likely(np.array([0, 1, 2, 3]), np.full(4, 0.25), np.zeros(4, dtype=int), alike)
    scores = np.array([5.0, 4.0, 3.0, 2.0])
    found = lead(scores, labels, likely, 1)
    counts = np.log([3.0, 2.0, 4.0, 6.0])
    # It leads over the best of those that differ: the third.
    expected = [4.0, 0.5, 1.0, np.mean([0.9, 0.89, 0.95]), counts.std(), 2 / 3]
    assert_allclose(found, expected)
    # Without any that differs, the last of the others counts; a candidate alone has no others.
    alike[1, 2] = 0.9
    assert lead(scores, labels, likely, 1)[2] == 2.0
    alone = Likely(np.array([1]), np.ones(1), np.zeros(1, dtype=int), np.ones((1, 1)))
    assert lead(scores, labels, alone, 1).tolist() == [4.0, 0.0, 0.0, 1.0, 0.0, 1.0]


def test_evidence_is_rounded_to_single_precision():
    found = rounded(np.array([0.1, np.nan, np.inf, -np.inf]))
    assert found.dtype == np.float64
    assert found[0] == np.float64(np.float32(0.1)) != 0.1
    assert found[1] == 0.0
    assert found[2] == -found[3] == np.float64(np.finfo(np.float32).max)
