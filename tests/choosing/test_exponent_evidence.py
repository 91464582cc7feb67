"""Evidence for an exponent: each score by hand, from clusterings that are given."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.metrics import adjusted_rand_score

from weft.choosing.evidence import (
    Fitter,
    _ranged,
    _scatter,
    agreement,
    by_all_rows,
    by_labels,
    by_pairs,
    labels_of,
    look_alike,
    over_grid,
    stability,
    validity,
)


class Cuts(BaseEstimator):
    """Rows above the exponent; notes its fits."""

    fits: list = []  # noqa: RUF012 - one list for all clones

    def __init__(self, exponent=2.0, other=2.0, random_state=None):
        self.exponent = exponent
        self.other = other
        self.random_state = random_state

    def fit(self, X, y=None, sample_weight=None):
        self.fits.append((len(X), self.exponent, self.other, self.random_state, sample_weight))
        self.labels_ = self.predict(X)
        return self

    def predict(self, X):
        return (X[:, 0] > self.exponent).astype(int)


@pytest.fixture(autouse=True)
def no_fits():
    Cuts.fits.clear()


X = np.arange(8.0)[:, None]
GRID = np.array([1.5, 3.5])


def test_fits_have_the_exponent_and_a_seed_for_each_repeat():
    fitter = Fitter(Cuts(), ("exponent", "other"), 5)
    model = fitter.fit(X, 3.5, repeat=2, sample_weight=[1.0] * 8)
    assert Cuts.fits == [(8, 3.5, 3.5, 5 + 2 * 7919, [1.0] * 8)]
    assert labels_of(model).tolist() == [0, 0, 0, 0, 1, 1, 1, 1]
    assert labels_of([None, model]).tolist() == [0, 0, 0, 0, 1, 1, 1, 1]
    Fitter(Cuts(), ("exponent",), 2**31 - 2).fit(X, 3, repeat=1)
    assert Cuts.fits[1] == (8, 3.0, 2.0, 7918, None)  # seeds stay below 2³¹ − 1
    assert over_grid(lambda exponent: 2 * exponent, GRID).tolist() == [3.0, 7.0]


def test_accuracy_on_labelled_rows():
    # Labelled rows are 1, 2, 5 and 6. Cut at 1.5: 1 | 2, 5, 6 has 3 of 4 right; at 3.5 all.
    y = np.array([-1, 0, 0, -1, -1, 1, 1, -1])
    found = by_labels(Fitter(Cuts(), ("exponent",), 0), X, y, GRID, 3)
    np.testing.assert_allclose(found, [0.75, 1.0])
    assert [fit[0] for fit in Cuts.fits] == [4] * 6
    assert [fit[3] for fit in Cuts.fits] == [0, 7919, 2 * 7919] * 2
    labelings = [(X[:, 0] > cut).astype(int) for cut in GRID]
    np.testing.assert_allclose(by_all_rows(labelings, y), [0.75, 1.0])


def test_pairs_of_both_kinds_count_the_same():
    labels = np.array([0, 0, 1, 1])
    must, cannot = np.array([[0, 1], [0, 2]]), np.array([[0, 3], [1, 2], [2, 3], [0, 1]])
    none = np.empty((0, 2), dtype=int)
    assert by_pairs([labels], must, cannot).tolist() == [0.5]
    assert by_pairs([labels], must, cannot[:2]).tolist() == [0.75]
    assert by_pairs([labels], must[:1], none).tolist() == [1.0]
    assert by_pairs([labels], none, cannot).tolist() == [0.5]


def test_validity_by_its_formula():
    # Column 0: 0, 2 | 10, 12. Within 2 + 2, in all 25 + 9 + 9 + 25 … around 6: 36 + 16 + 16 + 36.
    table = np.array([[0.0, 5.0, 1.0], [2.0, 5.0, 2.0], [10.0, 5.0, 1.0], [12.0, 5.0, 2.0]])
    labels = np.array([3, 3, 7, 7])
    ratios = [(4.0 + 104.0 / 4) / (104.0 * 1.25), (1.0 + 1.0 / 4) / (1.0 * 1.25)]
    price = 0.5 * 2 * 2 * np.log(4.0) / 4  # two clusters, two columns that vary
    assert validity(table, labels) == pytest.approx(-0.5 * np.log(ratios).sum() - price)
    assert np.isnan(validity(table, np.zeros(4, dtype=int)))
    # A row of mass 2 is two rows.
    twice = table[[0, 0, 1, 2, 3]]
    assert validity(table, labels, np.array([2.0, 1, 1, 1])) == pytest.approx(
        validity(twice, labels[[0, 0, 1, 2, 3]])
    )


def test_scatter_over_the_values_that_are_there():
    rows = np.array([[1.0, np.nan], [np.nan, np.nan], [4.0, np.nan]])
    # Mean (1 · 1 + 2 · 4) / 3 = 3, so 1 · 4 + 2 · 1.
    np.testing.assert_allclose(_scatter(rows, np.array([1.0, 5.0, 2.0])), [6.0, 0.0])


def test_agreement_with_the_nearest_exponents():
    rng = np.random.default_rng(0)
    labelings = [rng.integers(3, size=20) for _ in range(5)]
    ari = [[adjusted_rand_score(a, b) for b in labelings] for a in labelings]
    assert agreement(labelings)[0] == pytest.approx((ari[0][1] + ari[0][2]) / 2)
    assert agreement(labelings)[2] == pytest.approx(np.mean([ari[2][j] for j in (0, 1, 3, 4)]))
    assert agreement(labelings, 1)[4] == pytest.approx(ari[4][3])
    assert agreement(labelings[:1]).tolist() == [1.0]


def test_stability_is_that_of_halves():
    rng = np.random.default_rng(0)
    found = stability(Fitter(Cuts(), ("exponent",), 0), X, np.array([3.5, 99.0]), 2, rng)
    # The cut does not depend on the rows: the same labels, or a single cluster, which says nothing.
    assert found[0] == 1.0
    assert np.isnan(found[1])
    assert [fit[0] for fit in Cuts.fits] == [4] * 8
    assert [fit[3] for fit in Cuts.fits] == [0, 0, 7919, 7919] * 2


def test_look_alikes_have_the_shape_of_the_table():
    rng = np.random.default_rng(0)
    found = look_alike(Fitter(Cuts(), ("exponent",), 0), (30, 4), 2, np.array([0.0]), 3, rng)
    assert [fit[0] for fit in Cuts.fits] == [30] * 3
    assert 0.5 <= found[0] <= 1.0
    Cuts.fits.clear()
    look_alike(Fitter(Cuts(), ("exponent",), 0), (30, 4), 2, np.array([0.0]), 0, rng)
    assert len(Cuts.fits) == 1


def test_columns_in_half_ranges():
    # Ranges 4 and 0: (x − mean) / 2, and a constant stays 0.
    found = _ranged(np.array([[0.0, 5.0], [4.0, 5.0], [2.0, 5.0]]))
    np.testing.assert_allclose(found, [[-1.0, 0.0], [1.0, 0.0], [0.0, 0.0]])
