"""A table made ready: order, axes, distances, neighbours, spanning trees."""

import numpy as np
import pytest
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.spatial.distance import cdist
from sklearn.datasets import make_blobs

from weft.auto.canonical import canonical_order, rank_columns
from weft.auto.kernels.distances import minimax
from weft.auto.working import (
    MIN_SAMPLES,
    _checked,
    prepare,
    principal_axes,
    standardised,
    with_unit_rows,
)


def table(n=120, d=4, seed=0):
    return np.random.default_rng(seed).standard_normal((n, d))


def test_shared_parts_are_those_of_scipy():
    X = table()
    prepared = prepare(X, 0)
    rows = standardised(X)[prepared.order]
    # columns may come in another order, which distances do not see
    expected = cdist(rows, rows)
    assert prepared.distances == pytest.approx(expected, abs=1e-12)
    np.fill_diagonal(expected, np.inf)
    assert prepared.neighbour_distances == pytest.approx(np.sort(expected, axis=1)[:, :30])
    assert (prepared.neighbours != np.arange(len(X))[:, None]).all()


@pytest.mark.parametrize("which", range(len(MIN_SAMPLES)))
def test_spanning_trees_have_the_weight_of_scipys(which):
    prepared = prepare(table(), 0)
    core = prepared.cores[which]
    reach = np.maximum(prepared.distances, np.maximum.outer(core, core))
    np.fill_diagonal(reach, 0.0)
    tree = prepared.trees[which]
    assert tree.lengths.sum() == pytest.approx(minimum_spanning_tree(reach).sum())
    assert (np.diff(tree.lengths) >= 0).all()
    assert tree.lengths == pytest.approx(reach[tree.edges[:, 0], tree.edges[:, 1]])


def test_core_distances_count_the_row_itself():
    X = np.array([[0.0], [1.0], [3.0], [6.0], [10.0], [15.0], [21.0]])
    prepared = prepare(X, 0, standardise=False)
    scale = np.abs(X - X.mean()).max()
    # the fifth row of 0, 1, 3, 6, 10 is at distance 10 from 0
    first = int(np.flatnonzero(prepared.order == 0)[0])
    assert prepared.cores[1][first] == pytest.approx(10.0 / scale)


def test_minimax_distances_by_hand():
    # a chain 0 -(1)- 1 -(5)- 2 -(2)- 3: the largest edge on the way is what counts
    edges = np.array([[0, 1], [2, 3], [1, 2]])
    out = np.empty((4, 4))
    minimax(edges, np.array([1.0, 2.0, 5.0]), out)
    assert out.tolist() == [[0, 1, 5, 5], [1, 0, 5, 5], [5, 5, 0, 2], [5, 5, 2, 0]]


@pytest.mark.parametrize("kind", ["continuous", "rounded", "binary", "wide"])
def test_any_order_of_rows_and_columns_gives_the_same_bits(kind):
    rng = np.random.default_rng(3)
    X = table(80, 6)
    if kind == "rounded":
        X = np.round(X)
    elif kind == "binary":
        X = (X > 0.3).astype(float)
    elif kind == "wide":
        X = table(40, 90)
    first = prepare(X, 0)
    for _ in range(5):
        rows, columns = rng.permutation(len(X)), rng.permutation(X.shape[1])
        other = prepare(X[np.ix_(rows, columns)], 0)
        assert other.points.tobytes() == first.points.tobytes()
        assert (X[rows][other.order] == X[first.order]).all()


def test_order_does_not_depend_on_rounding_errors_of_a_caller_who_standardised():
    rng = np.random.default_rng(4)
    X = np.round(table(90, 5), 1)
    rows = rng.permutation(90)
    first, second = standardised(X), standardised(X[rows])
    assert not np.array_equal(first[rows], second)  # else the test tests nothing
    order, columns = canonical_order(first)
    other_order, other_columns = canonical_order(second)
    assert (X[order] == X[rows][other_order]).all()
    assert (columns == other_columns).all()


@pytest.mark.parametrize("d", [2, 4])
def test_columns_that_play_the_same_part_give_the_same_bits(d):
    # A full factorial design: any permutation of columns is a permutation of rows.
    X = np.stack(np.meshgrid(*[np.arange(4.0)] * d), axis=-1).reshape(-1, d)
    rng = np.random.default_rng(0)
    first = prepare(X, 0)
    for _ in range(5):
        rows, columns = rng.permutation(len(X)), rng.permutation(d)
        other = prepare(X[np.ix_(rows, columns)], 0)
        assert other.points.tobytes() == first.points.tobytes()
        other = prepare(X[rows], 0)
        assert (X[rows][other.order] == X[first.order]).all()


def test_ranks_of_equal_values_are_equal():
    assert rank_columns(np.array([[3.0], [1.0], [3.0], [2.0]])).ranks.ravel().tolist() == [
        2,
        0,
        2,
        1,
    ]


def test_restore_undoes_the_order():
    prepared = prepare(table(), 0)
    labels = np.arange(120)[prepared.order]
    assert (prepared.restore(labels) == np.arange(120)).all()


def test_wide_tables_keep_the_axes_of_their_clusters():
    X, _ = make_blobs(90, 3, centers=4, cluster_std=0.4, random_state=0)
    rng = np.random.default_rng(0)
    wide = X @ rng.standard_normal((3, 300)) + rng.standard_normal((90, 300))
    scores = principal_axes(wide, 12)
    assert scores.shape == (90, 3)
    noise = principal_axes(rng.standard_normal((90, 300)), 12)
    assert noise.shape[1] <= 4


@pytest.mark.parametrize(
    ("X", "words"),
    [
        (np.zeros(5), "two-dimensional"),
        (np.zeros((2, 2)), "3 to"),
        (np.full((5, 2), np.nan), "NaN"),
        (np.array([[1.0, 2.0], [3.0, np.nan], [5.0, 6.0]]), "NaN"),
        (np.array([[1.0, 2.0], [3.0, 4.0], [-np.inf, 6.0]]), "infinite"),
        (np.zeros((5, 0)), "at least one column"),
        (np.zeros((2001, 1)), "sample"),
    ],
)
def test_bad_tables_get_one_sentence(X, words):
    with pytest.raises(ValueError, match=words):
        prepare(X, 0)


def test_tables_at_the_limits_are_taken():
    assert _checked(np.zeros((3, 1))).shape == (3, 1)
    assert _checked(np.zeros((2000, 1))).shape == (2000, 1)
    given = np.array([[-0.0, 1.0], [2.0, -3.0], [0.0, 4.0]])
    found = _checked(given)
    np.testing.assert_array_equal(found, given)
    assert not np.signbit(found[0, 0])  # -0.0 and 0.0 are one value
    assert np.signbit(given[0, 0])
    assert _checked([[1, 2], [3, 4], [5, 6]]).dtype == np.float64


def test_rows_of_length_1_by_hand():
    found = with_unit_rows(np.array([[3.0, 4.0], [0.0, 0.0], [0.0, -2.0], [0.3, 0.4]]))
    np.testing.assert_allclose(found, [[0.6, 0.8], [0.0, 0.0], [0.0, -1.0], [0.6, 0.8]])
