"""Which exponent: each kind of evidence by hand, and the choice as a whole."""

import numpy as np
import pandas as pd
import pytest
from sklearn.cluster import KMeans
from sklearn.pipeline import make_pipeline

from weft import RangeScaler, WeightedKMeans, choose_exponent
from weft.choosing import evidence
from weft.choosing.exponent import GRID, METHODS, best_of
from weft.datasets import make_noisy_gaussians
from weft.metrics import accuracy

FEW = [1.2, 2.0, 3.0]


@pytest.fixture(scope="module")
def noisy():
    data = make_noisy_gaussians(
        n_samples=120, n_features=6, n_clusters=3, n_noise=4, variance=0.1, random_state=0
    )
    return RangeScaler().fit_transform(data.data), data.target


def test_the_grid_is_the_thesis():
    assert len(GRID) == 41
    assert GRID[0] == 1.0
    assert GRID[10] == 2.0
    assert GRID[-1] == 5.0


def test_the_middle_of_the_best():
    grid = np.array([1.0, 1.5, 2.0, 2.5, 3.0])
    assert best_of(grid, np.array([0.1, 0.9, 0.9, 0.9, 0.2])) == 2.0
    assert best_of(grid, np.array([0.9, 0.9, 0.2, 0.1, 0.0])) == 1.0
    assert best_of(grid, np.array([np.nan, 0.1, np.nan, 0.2, 0.0])) == 2.5
    assert best_of(grid, np.full(5, np.nan)) == 2.0


def test_the_first_of_the_best():
    # Algorithm 4.4: "Set the value of β* to the β with the highest accuracy", β "ranging from 1.0".
    grid = np.array([1.0, 1.5, 2.0, 2.5, 3.0])
    assert best_of(grid, np.array([0.1, 0.9, 0.9, 0.9, 0.2]), "first") == 1.5
    assert best_of(grid, np.full(5, np.nan), "first") == 2.0


def test_unknown_ties_are_refused():
    with pytest.raises(ValueError, match="ties='last'"):
        choose_exponent(WeightedKMeans(2), np.eye(4), ties="last")


def test_validity_by_hand():
    # One feature 0, 2, 10, 12: T = 104, W = 2 + 2 = 4, n = 4, K = 2.
    X = np.array([[0.0], [2.0], [10.0], [12.0]])
    ratio = (4 + 104 / 4) / (104 * (1 + 1 / 4))
    expected = -0.5 * np.log(ratio) - 0.5 * 2 * 1 * np.log(4) / 4
    assert evidence.validity(X, np.array([0, 0, 1, 1])) == pytest.approx(expected)
    assert np.isnan(evidence.validity(X, np.zeros(4, dtype=int)))


def test_validity_ignores_units_constants_and_names_of_clusters():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(30, 3))
    labels = rng.integers(0, 3, 30)
    value = evidence.validity(X, labels)
    assert evidence.validity(X * [1.0, 1e6, 1e-6] + 7.0, 5 - labels) == pytest.approx(value)
    assert evidence.validity(np.column_stack([X, np.ones(30)]), labels) == pytest.approx(value)


def test_a_row_of_weight_two_is_the_row_twice():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(20, 3))
    labels = rng.integers(0, 2, 20)
    mass = np.where(np.arange(20) < 5, 2.0, 1.0)
    twice = evidence.validity(np.vstack([X, X[:5]]), np.concatenate([labels, labels[:5]]))
    assert evidence.validity(X, labels, mass) == pytest.approx(twice)


def test_pairs_by_hand():
    labelings = [np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])]
    must, cannot = np.array([[0, 1], [2, 3]]), np.array([[0, 3]])
    # First: both mates kept, the pair apart: 1. Second: none of 2, and apart: (0 + 1) / 2.
    assert evidence.by_pairs(labelings, must, cannot).tolist() == [1.0, 0.5]
    assert evidence.by_pairs(labelings, must, np.empty((0, 2), int)).tolist() == [1.0, 0.0]


def test_agreement_by_hand():
    a, b = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])  # the adjusted Rand index of a, b is -0.5
    found = evidence.agreement([a, a, b], reach=1)
    assert found.tolist() == pytest.approx([1.0, 0.25, -0.5])


@pytest.mark.parametrize("method", METHODS)
def test_every_method_chooses_from_the_grid(noisy, method):
    X, y = noisy
    known = np.where(np.arange(len(X)) % 5 == 0, y, -1)
    given = {"y": known} if method in ("labels", "all-rows") else {}
    if method == "pairs":
        given = {"must_link": [np.flatnonzero(y == 0)[:2]], "cannot_link": [[0, y.argmax()]]}
    choice = choose_exponent(
        WeightedKMeans(3), X, FEW, method=method, n_repeats=2, random_state=0, **given
    )
    assert choice.exponent in FEW
    assert choice.method == method
    assert choice.parameters == {"distance_exponent": choice.exponent}
    assert choice.scores.shape == (3,)
    assert choice.scores[np.searchsorted(FEW, choice.exponent)] == np.nanmax(choice.scores)
    again = choose_exponent(
        WeightedKMeans(3), X, FEW, method=method, n_repeats=2, random_state=0, **given
    )
    np.testing.assert_array_equal(choice.scores, again.scores)


def test_labels_are_algorithm_4_4(noisy):
    X, y = noisy
    known = np.arange(len(X)) % 5 == 0
    choice = choose_exponent(WeightedKMeans(3), X, FEW, y=np.where(known, y, -1))
    expected = [
        accuracy(y[known], WeightedKMeans(3, distance_exponent=b).fit(X[known]).labels_)
        for b in FEW
    ]
    assert choice.method == "labels"
    assert choice.scores.tolist() == expected


def test_words_none_and_nan_as_labels(noisy):
    X, y = noisy
    known = np.arange(len(X)) % 3 == 0
    number = choose_exponent(WeightedKMeans(3), X, FEW, y=np.where(known, y, -1))
    words = [f"class {c}" if k else None for c, k in zip(y, known, strict=True)]
    floats = np.where(known, y, np.nan)
    column = pd.Series(words, dtype="string")  # whose NA cannot be compared with anything
    for given in (words, floats, column):
        again = choose_exponent(WeightedKMeans(3), X, FEW, y=given)
        assert again.scores.tolist() == number.scores.tolist()


def test_the_model_is_left_alone_and_pipelines_work(noisy):
    X, _ = noisy
    model = WeightedKMeans(3, weight_exponent=2.0, init="random", random_state=5)
    choice = choose_exponent(model, X, FEW)
    assert choice.parameters == {"weight_exponent": choice.exponent}
    assert model.weight_exponent == 2.0
    assert not hasattr(model, "labels_")
    pipeline = make_pipeline(RangeScaler(), WeightedKMeans(3))
    name = "weightedkmeans__distance_exponent"
    for method in ("validity", "stability"):
        found = choose_exponent(pipeline, X, FEW, parameter=name, method=method, random_state=0)
        assert set(found.parameters) == {name}


def test_auto_is_the_unsupervised_choice(noisy):
    X, y = noisy
    choice = choose_exponent(WeightedKMeans(3, weight_exponent=2.0), X)
    auto = WeightedKMeans(3, weight_exponent="auto").fit(X)
    assert auto.weight_exponent_ == choice.exponent
    by_hand = WeightedKMeans(3, weight_exponent=choice.exponent).fit(X)
    np.testing.assert_array_equal(auto.labels_, by_hand.labels_)
    assert accuracy(y, auto.labels_) > 0.9
    assert WeightedKMeans(3, weights=None, weight_exponent="auto").fit(X).weight_exponent_ == 2.0
    assert WeightedKMeans(3, distance_exponent=1.5).fit(X).weight_exponent_ == 1.5


def test_auto_takes_missing_values(noisy):
    X = noisy[0].copy()
    X[::9, 1] = np.nan
    model = WeightedKMeans(3, weight_exponent="auto", allow_nan=True).fit(X)
    assert 1.0 <= model.weight_exponent_ <= 5.0


def test_evidence_as_table_and_picture(noisy):
    choice = choose_exponent(WeightedKMeans(3), noisy[0], FEW)
    assert [row["exponent"] for row in choice.table] == FEW
    assert [row["chosen"] for row in choice.table].count("*") == 1
    assert str(choice).startswith(f"exponent {choice.exponent:g} (by validity)")
    assert len(choice.plot().data) == 2


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"grid": [0.5]}, "grid=0.5 must be"),
        ({"grid": []}, "grid is empty"),
        ({"method": "guess"}, "method='guess' is not known"),
        ({"method": "labels"}, "needs the classes of some rows"),
        ({"y": [0, 1]}, "pass one entry per row"),
        ({"method": "pairs"}, "needs must_link or cannot_link"),
        ({"must_link": [[0, 999]]}, "names a row outside"),
        ({"must_link": [0, 1]}, "give pairs of row numbers"),
        ({"parameter": "power"}, "parameter='power' is not known"),
    ],
)
def test_bad_input_gets_a_sentence(noisy, given, words):
    with pytest.raises(ValueError, match=words):
        choose_exponent(WeightedKMeans(3), noisy[0], **({"grid": FEW} | given))


def test_models_without_exponents_are_refused(noisy):
    with pytest.raises(ValueError, match="KMeans has no weight_exponent"):
        choose_exponent(KMeans(3), noisy[0], FEW)
    with pytest.raises(ValueError, match="set n_clusters"):
        choose_exponent(WeightedKMeans(), noisy[0], FEW, method="look-alike")
