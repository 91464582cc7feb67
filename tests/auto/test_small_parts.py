"""Small parts of AutoCluster, on cases that are solved by hand."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from weft.auto import reasons as reasons_module
from weft.auto.agreement import rand_index
from weft.auto.canonical import (
    GOLDEN,
    Canonical,
    canonical_order,
    mixed,
    order_by_bits,
    rank_columns,
)
from weft.auto.pool import cluster_counts
from weft.auto.projection import vote
from weft.auto.rare import STEPS, Known, Way, _places, core_rows, count_along, has_valley, way_to
from weft.auto.reasons import _distinct, _topic
from weft.auto.resampling import RepeatedSearch

ORDER = ([4, 5, 0, 6, 1, 7, 2, 3], [2, 0, 4, 1, 3])
ORDER_BY_BITS = ([1, 5, 6, 7, 0, 4, 2, 3], [2, 4, 3, 1, 0])

# Orders -------------------------------------------------------------------------------------------


def test_numbers_are_mixed_by_splitmix64():
    # The first two numbers of splitmix64 with seed 0, which adds the golden ratio at each step.
    twice = np.array([GOLDEN], dtype=np.uint64) * np.uint64(2)
    assert int(mixed(np.array([GOLDEN], dtype=np.uint64))[0]) == 0xE220A8397B1DCDAF
    assert int(mixed(twice)[0]) == 0x6E789E6AA1B965F4


def test_equal_values_share_a_rank():
    X = np.array([[3.0, 1.0], [1.0, 1.0], [3.0, 0.0], [7.0, 1.0]])
    assert rank_columns(X).ranks.tolist() == [[1, 1], [0, 1], [1, 0], [2, 1]]


def test_the_order_is_the_same_in_all_versions():
    # Draws follow this order: another one would change the answers of all tables.
    X = ((np.arange(40) * 7) % 11).reshape(8, 5) + np.arange(5.0)
    rows, columns = canonical_order(X)
    assert (rows.tolist(), columns.tolist()) == ORDER
    rows, columns = order_by_bits(X)
    assert (rows.tolist(), columns.tolist()) == ORDER_BY_BITS


def test_columns_that_play_the_same_part_are_told_apart():
    grid = np.array([[i, j] for i in range(3) for j in range(3)], dtype=float)
    for order in (grid, grid[::-1], grid[:, ::-1]):
        rows, columns = canonical_order(order)
        np.testing.assert_array_equal(order[np.ix_(rows, columns)][:, 0], np.repeat([0, 1, 2], 3))


def test_standardised_columns_by_hand():
    # Deviation 2 around 3; a constant; a constant with the rounding errors of sums.
    X = np.array([[1.0, 5.0, 1e6], [5.0, 5.0, 1e6 + 1e-10]])
    table = Canonical(X, np.arange(2), np.arange(3))
    assert table.scales().tolist() == [2.0, 1.0, 1.0]
    np.testing.assert_array_equal(table.standardised(), [[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0]])
    # Small against 1, but not against the column itself.
    small = Canonical(1e-13 * X[:, :1], np.arange(2), np.arange(1))
    np.testing.assert_allclose(small.standardised(), [[-1.0], [1.0]])


# Comparing ----------------------------------------------------------------------------------------


def test_the_rand_index_is_scikit_learns():
    rng = np.random.default_rng(0)
    for _ in range(20):
        a, b = rng.integers(-1, 4, 30), rng.integers(-1, 3, 30)
        assert rand_index(a, b) == pytest.approx(adjusted_rand_score(a, b))
    assert rand_index(np.zeros(5, int), np.zeros(5, int)) == 1.0
    assert cluster_counts(np.array([[0, 0, 2, -1], [-1, -1, -1, -1]])).tolist() == [2, 0]


def test_votes_by_hand():
    labels = np.array([0, 0, 0, 1, 1, -1, -1])
    # Two rows in the smallest cluster: two anchors vote, and of equals the nearer one wins.
    nearest = np.array([[3, 0, 1, 2], [0, 3, 4, 4], [5, 6, 0, 0], [1, 2, 3, 4]])
    assert vote(labels, nearest).tolist() == [1, 0, -1, 0]
    # Three anchors: two far ones win against the nearest.
    three = np.array([0, 0, 0, 1, 1, 1])
    assert vote(three, np.array([[0, 3, 4], [3, 0, 1]])).tolist() == [1, 0]
    assert vote(np.array([-1, -1]), np.array([[0, 1]])).tolist() == [-1]


# Rare clusters ------------------------------------------------------------------------------------


def test_the_way_to_a_group_by_hand():
    # Cluster 0 has its centre at (0, 0), cluster 1 at (0, 8); the group's middle is (10, 0). The
    # metric doubles the first column, so that the way is 20 long.
    anchors = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 8.0]])
    known = Known(anchors, np.array([0, 0, 1]), np.array([2.0, 1.0]))
    group = np.array([[9.0, 1.0], [11.0, -1.0], [9.0, -1.0], [11.0, 1.0]])
    way = way_to(group, known)
    assert way.start.tolist() == [0.0, 0.0]
    assert way.axis.tolist() == [1.0, 0.0]
    assert way.length == 20.0
    assert way.width == 5.0  # a quarter of the way is more than the group's deviation of 2
    assert way.reach == 1.0  # all rows are at distance 1 from the line
    wide = way_to(group * [1.0, 1.0] + [[-8, 0], [8, 0], [-8, 0], [8, 0]], known)
    assert wide.width == pytest.approx(18.0)


def test_places_along_a_line():
    along, aside = _places(np.array([[3.0, 4.0], [1.0, 0.0]]), np.array([1.0, 0.0]), np.eye(2)[0])
    assert along.tolist() == [2.0, 0.0]
    assert aside.tolist() == [16.0, 0.0]


def test_counts_along_the_way_by_hand():
    # Steps of 1 on a way of 2, then 4 steps beyond its end; a row at distance 1 is near the line.
    way = Way(np.zeros(2), np.array([1.0, 0.0]), 2.0, float(STEPS), 1.0)
    rows = np.array(
        [[0.0, 0.0], [0.5, 1.0], [0.5, 1.1], [1.0, 0.0], [5.9, 0.0], [6.0, 0], [-0.1, 0]]
    )
    (counts,) = count_along(0, rows, ([way], np.array([1.0, 1.0])))
    assert counts.tolist() == [2, 1, 0, 0, 0, 1]


@pytest.mark.parametrize(
    ("on_the_way", "in_group", "answer"),
    [
        # Windows of four steps: 4 × 3 = 12 rows in the group at most.
        (0, 3, True),
        (0, 2, False),  # 8 rows are fewer than 10
        (1, 3, False),  # 12 against 4 are three times as many, but 8 more are 2 deviations (√16)
        (1, 4, True),  # 16 against 4: 12 more are 2.7 deviations
        (2, 4, False),  # 16 against 8 is twice as many, but 8 more are 1.6 deviations
        (2, 8, True),  # 32 against 8: 24 more are 3.8 deviations
        (9, 16, False),  # 64 against 36: not twice as many
        (5, 10, True),  # 40 against 20, just twice as many: 20 more are 2.6 deviations
        (6, 11, False),  # 44 against 24
    ],
)
def test_valleys_by_hand(on_the_way, in_group, answer):
    counts = np.array([50] * 4 + [on_the_way] * 8 + [in_group] * (2 * STEPS))
    assert has_valley(counts) is answer


@pytest.mark.parametrize(("group", "answer"), [([3, 2, 3, 2] * 2, True), ([3, 2, 2, 2] * 2, False)])
def test_a_group_has_at_least_ten_rows(group, answer):
    assert has_valley(np.array([50] * 4 + [0] * 8 + group)) is answer


def test_a_row_at_one_and_a_half_of_the_usual_distance_is_in_the_core():
    # The second neighbour is 2 away; the last row has its second neighbour, 38, just 3 away.
    points = np.append(np.arange(0.0, 42.0, 2.0), 41.0)[:, None]
    assert core_rows(points, np.zeros(22, dtype=int))[0].tolist() == [False, *[True] * 21]
    points[-1] = 41.1
    assert core_rows(points, np.zeros(22, dtype=int))[0].tolist() == [False, *[True] * 20, False]


def test_rows_that_lie_alone_are_not_in_the_core():
    points = np.concatenate([np.arange(20.0), [60.0]])[:, None]
    core, usual = core_rows(points, np.zeros(21, dtype=int))
    # The second neighbour is at distance 1, at the ends at 2, which is more than 1.5 times as far.
    assert core.tolist() == [False, *[True] * 18, False, False]
    assert usual == 1.0
    # A cluster of few rows is in the core as it is.
    assert core_rows(points, np.array([0] * 20 + [1]))[0][20]
    assert core_rows(points[:5], np.zeros(5, dtype=int))[0].tolist() == [False, *[True] * 3, False]
    assert core_rows(points[:4], np.zeros(4, dtype=int))[0].all()


# Words and checkpoints ----------------------------------------------------------------------------


def test_topics_of_measures():
    assert _topic("outliers") == "outliers"
    assert _topic("silhouette_mean_z") == "silhouette"
    assert _topic("silhouette_beyond_chance_rank") == "silhouette_beyond_chance"
    assert _topic("log_clusters") == "log_clusters"
    assert _topic("no such measure") == ""
    assert _distinct(["a", "b", "a", "c"])[:3] == ["a", "b", "c"]


def _search():
    return RepeatedSearch(np.array([0, 0, 1, 1]), 2, 3, lambda number: None)


ROUND = (np.array([0, 2, 3]), np.array([0, 1, -1]), np.array([True, False]))


def test_rounds_of_a_checkpoint_are_taken():
    search = _search()
    search.set_state({"repeats": [ROUND]})
    assert len(search.repeats) == 1
    # A round may have a single row, or all of them, and every row may be a cluster.
    one = (np.array([2]), np.array([0]), np.array([False, False]))
    every = (np.arange(4), np.arange(4), np.array([True, True]))
    none = (np.array([1]), np.array([-1]), np.array([True, True]))
    search.set_state({"repeats": [one, every, none]})
    assert len(search.repeats) == 3


@pytest.mark.parametrize(
    "wrong",
    [
        (np.array([0, 2, 4]), *ROUND[1:]),  # there is no row 4
        (np.array([-1, 2, 3]), *ROUND[1:]),
        (ROUND[0].astype(np.int32), *ROUND[1:]),
        (ROUND[0][:2], *ROUND[1:]),
        (ROUND[0][:, None], *ROUND[1:]),
        (np.arange(5), np.zeros(5, dtype=np.int64), ROUND[2]),  # more rows than there are
        (ROUND[0][:0], ROUND[1][:0], ROUND[2]),
        (ROUND[0], ROUND[1].astype(float), ROUND[2]),
        (ROUND[0], np.array([0, 1, -2]), ROUND[2]),
        (ROUND[0], np.array([0, 1, 3]), ROUND[2]),  # three rows have labels up to 2
        (*ROUND[:2], ROUND[2].astype(int)),
        (*ROUND[:2], np.array([True])),
    ],
)
def test_rounds_that_do_not_fit_are_refused(wrong):
    with pytest.raises(ValueError, match="do not fit this table"):
        _search().set_state({"repeats": [wrong]})


def test_numbers_of_rounds():
    search = _search()
    assert search.accepts(np.array([[0.0], [1.0], [2.0]]))
    for number in (-1.0, 3.0, 0.5):
        assert not search.accepts(np.array([[number]]))


@pytest.mark.parametrize("seed", range(4))
def test_the_order_does_not_see_the_sign_of_zero(seed):
    X = np.random.default_rng(seed).integers(-1, 2, (30, 6)).astype(float)
    negative = np.where(X == 0.0, -0.0, X)
    for order in (order_by_bits, canonical_order):
        for one, other in zip(order(X), order(negative), strict=True):
            np.testing.assert_array_equal(one, other)
        assert [sorted(places) for places in order(X)] == [list(range(30)), list(range(6))]


def test_reasons_are_those_with_a_share_of_all_credit(monkeypatch):
    # Totals 8 (of two measures), -4, 3 and 1 sum to 16: at a quarter of it, 4 is just enough.
    names = ["silhouette", "compact_mean", "silhouette_low", "split", "density_gap", "unknown"]
    credits = {
        "many": [5.0, -4.0, 3.0, 3.0, 1.0, 99.0],
        "none": [0.0] * 6,
        "against": [-5.0, 4.0, -3.0, -20.0, 0.0, 0.0],
    }
    monkeypatch.setattr(reasons_module, "relative_names", lambda _: names)
    monkeypatch.setattr(reasons_module, "LEAST_SHARE", 0.25)
    given = []
    monkeypatch.setattr(
        reasons_module,
        "contributions",
        lambda ranker, rows: given.append((ranker, rows)) or np.array([[*credits[ranker], 7.0]]),
    )

    def found(case):
        return reasons_module.reasons(SimpleNamespace(ranker=case), np.arange(3.0))

    words = reasons_module.WORDS
    assert found("many") == {"for": [words["silhouette"][0]], "against": [words["compact"][1]]}
    assert given[0][0] == "many"
    assert given[0][1].tolist() == [[0.0, 1.0, 2.0]]
    assert found("none") == {"for": [], "against": []}
    # Only shares count, also where all credits are small.
    credits["few"] = [0.01 * credit for credit in credits["many"]]
    assert found("few") == found("many")
    # The strongest first: 20, then 8 of 32; 4 is too little.
    assert found("against") == {"for": [], "against": [words["split"][1], words["silhouette"][1]]}
