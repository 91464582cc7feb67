"""CS with and without a Mercer kernel, and how soon a search gets there: by hand."""

from __future__ import annotations

import numpy as np
import pytest

from weft.metrics import cs, evaluations_to_reach, huang_accuracy, kernel_cs

LINE = np.array([[0.0], [2.0], [10.0], [12.0]])
HALVES = np.array([0, 0, 1, 1])


def test_cs_by_hand():
    # Widths 2 and 2; means 1 and 11, each 10 from the other: (2 + 2) / (10 + 10).
    assert cs(LINE, HALVES) == pytest.approx(0.2)
    assert cs(LINE, np.zeros(4)) == np.inf
    assert cs([[0.0], [1.0], [0.0], [1.0]], HALVES) == np.inf  # both means at 0.5


def test_kernel_cs_by_hand():
    # Linear kernel: squares, so (4 + 4) / (100 + 100), wherever the means are taken.
    for where in ("input", "feature-space"):
        assert kernel_cs(LINE, HALVES, kernel="linear", centers=where) == pytest.approx(0.04)
    # Gaussian, σ = 1: the widest pair of each cluster is 2 apart, 2(1 - e^-2); the means 1 and 11
    # are 10 apart, 2(1 - e^-50).
    expected = (1.0 - np.exp(-2.0)) / (1.0 - np.exp(-50.0))
    assert kernel_cs(LINE, HALVES, sigma=1.0) == pytest.approx(expected)


def test_the_weighted_form_is_not_won_by_a_pair():
    # Two blobs of 20, and two twins far away from both: unweighted, splitting one blob's twins off
    # beats the truth; weighted it does not.
    rng = np.random.default_rng(0)
    blobs = np.vstack([rng.normal(0.0, 1.0, (20, 2)), rng.normal(8.0, 1.0, (20, 2))])
    X = np.vstack([blobs, [[0.0, 20.0], [0.0, 20.0]]])
    truth = np.repeat([0, 1, 0], [20, 20, 2])
    merged = np.repeat([0, 0, 1], [20, 20, 2])  # both blobs one cluster, the pair the other
    apart = np.repeat([0, 1, 2], [20, 20, 2])
    plain = {name: cs(X, labels) for name, labels in (("merged", merged), ("apart", apart))}
    weighted = {
        name: kernel_cs(X, labels, kernel="linear", weighted=True)
        for name, labels in (("truth", truth), ("merged", merged), ("apart", apart))
    }
    assert plain["merged"] < 1.0
    assert weighted["apart"] < weighted["merged"]


def test_precomputed_is_the_same():
    rng = np.random.default_rng(0)
    X, labels = rng.normal(size=(20, 3)), rng.integers(3, size=20)
    gram = np.exp(-((X[:, None] - X[None]) ** 2).sum(axis=2) / (2 * 0.7**2))
    direct = kernel_cs(X, labels, sigma=0.7, centers="feature-space", weighted=True)
    given_gram = kernel_cs(
        gram, labels, kernel="precomputed", centers="feature-space", weighted=True
    )
    assert direct == pytest.approx(given_gram)
    with pytest.raises(ValueError, match=r"square matrix of inner products, got shape \(4, 1\)"):
        kernel_cs(np.ones((4, 1)), [0, 0, 1, 1], kernel="precomputed", centers="feature-space")
    with pytest.raises(ValueError, match="needs the rows themselves"):
        kernel_cs(gram, labels, kernel="precomputed")


def test_evaluations_to_reach():
    truth = [0, 0, 1, 1]
    runs = [[0, 0, 0, 1], [0, 1, 2, 2], [1, 1, 0, 0]]
    # The first has the right K and accuracy 3/4, the second the wrong K.
    assert evaluations_to_reach(truth, runs, [10, 20, 30], threshold=0.75) == 10.0
    assert evaluations_to_reach(truth, runs, [10, 20, 30], threshold=0.8) == 30.0
    assert evaluations_to_reach(truth, runs[:2], [10, 20], threshold=0.8) == np.inf
    assert huang_accuracy(truth, runs[0]) == 0.75
