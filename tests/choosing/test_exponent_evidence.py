"""Evidence for an exponent: each score by hand, from clusterings that are given."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.metrics import adjusted_rand_score

from weft import choose_exponent
from weft.choosing import evidence
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
from weft.datasets import make_noisy_gaussians


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


class Clusters(Cuts):
    """The same with a number of clusters."""

    def __init__(self, exponent=2.0, n_clusters=3):
        super().__init__(exponent)
        self.n_clusters = n_clusters


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
    fitter.fit(X, 3)
    assert Cuts.fits[2] == (8, 3.0, 3.0, 5, None)
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
    # Ranges 4, 0 and ½: (x − mean) / 2, a constant stays 0, and (x − mean) · 4.
    found = _ranged(np.array([[0.0, 5.0, 7.0], [4.0, 5.0, 7.5], [2.0, 5.0, 7.25]]))
    np.testing.assert_allclose(found, [[-1.0, 0.0, -1.0], [1.0, 0.0, 1.0], [0.0, 0.0, 0.0]])


def test_settings_of_look_alikes(monkeypatch):
    made = []

    def make(**given):
        made.append(given)
        return make_noisy_gaussians(**given)

    monkeypatch.setattr(evidence, "make_noisy_gaussians", make)
    fitter = Fitter(Cuts(), ("exponent",), 0)
    look_alike(fitter, (30, 4), 2, np.array([0.0]), 7, np.random.default_rng(0))
    seeds = np.random.default_rng(0).integers(2**31 - 1, size=7).tolist()
    assert made == [
        {
            **{"n_samples": 30, "n_features": 4 - n_noise, "n_clusters": 2, "n_noise": n_noise},
            **{"variance": variance, "random_state": seed},
        }
        for n_noise, variance, seed in zip(
            [0, 0, 1, 1, 2, 2, 0], [0.3, 1.0, 0.3, 1.0, 0.3, 1.0, 0.3], seeds, strict=True
        )
    ]


# The choice --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("method", "n_repeats"), [("stability", 5), ("look-alike", 6)])
def test_repeats_of_each_method(monkeypatch, method, n_repeats):
    asked = []

    def score(*given):
        asked.append(given[-2])
        return np.arange(2.0)

    monkeypatch.setattr(evidence, method.replace("-", "_"), score)
    options = {"method": method, "parameter": "exponent"}
    model = Clusters()
    assert choose_exponent(model, X, GRID, **options).exponent == 3.5
    choose_exponent(model, X, GRID, **options, n_repeats=1)
    assert asked == [n_repeats, 1]


def test_a_single_clustering_of_labelled_rows():
    y = [0, 0, None, None, None, None, 1, 1]
    found = choose_exponent(Cuts(), X, GRID, y=y, parameter="exponent")
    assert [fit[0] for fit in Cuts.fits] == [4, 4]
    assert (found.exponent, found.method) == (1.5, "labels")
    assert found.scores.tolist() == [1.0, 1.0]
    two = choose_exponent(Cuts(), X[:2], [1.0], y=[0, 0], parameter="exponent")
    assert two.exponent == 1.0
    with pytest.raises(ValueError, match="2"):
        choose_exponent(Cuts(), X[:1], [1.0], y=[0], parameter="exponent")
    with pytest.raises(ValueError, match="fewer than two rows"):
        choose_exponent(Cuts(), X[:2], [1.0], y=[0, None], parameter="exponent")


def test_a_single_cluster_has_no_agreement():
    found = choose_exponent(Cuts(), X, [1.5, 3.5, 99.0], parameter="exponent", method="agreement")
    labels = [X[:, 0] > 1.5, X[:, 0] > 3.5, np.zeros(8)]
    pairs = [adjusted_rand_score(labels[i], labels[j]) for i, j in ((0, 1), (0, 2), (1, 2))]
    expected = [(pairs[0] + pairs[1]) / 2, (pairs[0] + pairs[2]) / 2, np.nan]
    np.testing.assert_allclose(found.scores, expected)
    assert list(found.evidence) == ["validity", "agreement"]
    assert np.isnan(found.evidence["validity"]).tolist() == [False, False, True]


def test_rows_of_pairs_count_from_0():
    options = {"parameter": "exponent", "method": "pairs"}
    # Cut at 1.5, rows 0 and 1 are together and rows 0 and 7 are not; at 3.5 the same.
    for given, score in (
        ({"must_link": [[0, 1]]}, [1.0, 1.0]),
        ({"cannot_link": [[1, 2]]}, [1.0, 0.0]),
        ({"must_link": [[0, 3]], "cannot_link": [[0, 7], [2, 7]]}, [0.25, 1.0]),
        ({"must_link": [], "cannot_link": [[0, 7]]}, [1.0, 1.0]),
        ({"must_link": [[0, 7]], "cannot_link": []}, [0.0, 0.0]),
    ):
        assert choose_exponent(Cuts(), X, GRID, **options, **given).scores.tolist() == score
    for given, words in (
        ({"must_link": [[0, 8]]}, "must_link names a row outside 0 … 7"),
        ({"cannot_link": [[-1, 2]]}, "cannot_link names a row outside 0 … 7"),
        ({"cannot_link": [[0.0, 2.0]]}, "cannot_link has shape"),
        ({"cannot_link": [[0, 1, 2]]}, "cannot_link has shape"),
        ({"must_link": [], "cannot_link": []}, "needs must_link or cannot_link pairs"),
    ):
        with pytest.raises(ValueError, match=words):
            choose_exponent(Cuts(), X, GRID, **options, **given)
