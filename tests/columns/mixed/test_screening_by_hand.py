"""Screening of source columns step by step: given scores, limits, rows and columns that count."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import adjusted_rand_score
from tests.columns.mixed.tables import categories, every_kind, levels

from weft.columns.mixed import dependence, embed, repeats, screening
from weft.columns.mixed.dependence import Cells, find_copies, make_cells, source_scores
from weft.columns.mixed.gap_patterns import describe_gaps
from weft.columns.mixed.repeats import Repetition, find_repetition, followed_columns
from weft.columns.mixed.screening import find_dependent, screen
from weft.columns.screening import Screening
from weft.columns.source import MixedTable, SourceColumn


def cells_of(n_sources, varying=None):
    """Ten rows; columns that do not vary have all rows in cell 0."""
    codes = np.tile(np.arange(10)[:, None] % 2, n_sources)
    if varying is not None:
        codes[:, ~np.array(varying, dtype=bool)] = 0
    return Cells(np.zeros((10, 2 * n_sources), np.float32), 2, np.arange(n_sources), codes)


def scripted(monkeypatch, script):
    """Let `evidence` return given values in turn, and return the references that it is given."""
    calls, left = [], iter(script)
    monkeypatch.setattr(
        screening,
        "source_scores",
        lambda cells, rows=None: "real" if rows is None else "shadow",
    )

    def given(scores, references):
        calls.append((scores, np.flatnonzero(references).tolist()))
        return np.array(next(left), dtype=float)

    monkeypatch.setattr(screening, "evidence", given)
    monkeypatch.setattr(screening, "FIRST_SHADOWS", 1)
    return calls


def test_dependent_columns_from_given_evidence(monkeypatch):
    # Column 1 does not vary. The first shadow reaches 1 overall and 2 for the nearest; columns 0
    # and 3 are beyond one of them, columns 2 and 4 at the limits. They are the references of the
    # second round, whose four shadows (2 / 0.5) reach 2 and 8 at most; the value 99 of the column
    # that does not vary counts neither as evidence nor as a shadow.
    first = [[1.0, 99.0, 1.0, 1.0, 1.0], [2.0, 99.0, 2.0, 2.0, 2.0]]
    real = [[1.5, 999.0, 1.0, 0.0, 0.5], [0.0, 999.0, 2.0, 2.5, 1.0]]
    low = [[1.0, 99.0, 0.0, 0.0, 0.0], [1.0, 99.0, 1.0, 1.0, 1.0]]
    high = [[0.0, 99.0, 2.0, 0.0, 1.0], [0.0, 99.0, 0.0, 8.0, 0.0]]
    again = [[5.0, 999.0, 2.0, 1.0, 0.5], [4.0, 999.0, 8.0, 12.0, 1.0]]
    calls = scripted(monkeypatch, [first, real, low, high, low, low, again])
    cells = cells_of(5, [1, 0, 1, 1, 1])
    kept, strength = find_dependent(cells, 0.5, np.random.default_rng(0))
    every, two = [0, 2, 3, 4], [0, 3]
    assert calls == [("shadow", every), ("real", every)] + [("shadow", two)] * 4 + [("real", two)]
    assert kept.tolist() == [True, False, False, True, False]
    assert strength.tolist() == [2.5, 0.0, 1.0, 1.5, 0.25]


def test_any_dependence_exceeds_that_of_shadows_without_dependence(monkeypatch):
    zero, tiny = [[0.0, 0.0], [-1.0, -1.0]], [[1e-8, 1e-8], [0.0, 0.0]]
    scripted(monkeypatch, [zero, tiny, zero, tiny])
    kept, strength = find_dependent(cells_of(2), 2.0, np.random.default_rng(0))
    assert kept.all()
    assert_allclose(strength, 10.0)


def test_a_single_column_beyond_its_shadow_is_none(monkeypatch):
    low = [[1.0, 1.0, 1.0], [1.0, 1.0, 1.0]]
    scripted(monkeypatch, [low, [[2.0, 1.0, 1.0], [1.0] * 3]])
    kept, strength = find_dependent(cells_of(3), 2.0, np.random.default_rng(0))
    assert (kept.tolist(), strength.tolist()) == ([False] * 3, [0.0] * 3)
    # Two columns that vary are asked for, a single one is not.
    calls = scripted(monkeypatch, [low, [[2.0, 2.0, 0.0], [0.0] * 3], low, low])
    find_dependent(cells_of(3, [1, 1, 0]), 2.0, np.random.default_rng(0))
    assert len(calls) == 4
    calls = scripted(monkeypatch, [])
    assert not find_dependent(cells_of(3, [1, 0, 0]), 2.0, np.random.default_rng(0))[0].any()
    assert calls == []


def test_rounds_end_with_columns_that_were_there_before(monkeypatch):
    # Columns 0 and 1, then 1 and 2, then 0 and 1 again, 1 and 2 again: the fourth set was seen.
    low = [[1.0] * 3] * 2
    first, second = [[2.0, 2.0, 0.0], [0.0] * 3], [[0.0, 2.0, 2.0], [0.0] * 3]
    calls = scripted(monkeypatch, [low, first, low, second, low, first, low, second, low, first])
    kept, _ = find_dependent(cells_of(3), 2.0, np.random.default_rng(0))
    asked = [references for scores, references in calls if scores == "real"]
    assert asked == [[0, 1, 2], [0, 1], [1, 2], [0, 1]]
    assert kept.tolist() == [False, True, True]


def test_the_answer_of_copies_and_the_rows_that_are_screened(monkeypatch):
    seen = []

    def different(table, rate, rng):
        seen.append((len(table.values), [column.name for column in table.used], rate))
        return Screening(
            np.array([True, False]), np.array([True, True]), np.array([1, 0]), np.array([3.0, 2.0])
        )

    monkeypatch.setattr(screening, "_screen_different", different)
    monkeypatch.setattr(screening, "MAX_ROWS", 50)
    rng = np.random.default_rng(0)
    x, code = rng.standard_normal(60), rng.integers(3, size=60)
    columns = (
        SourceColumn("x", "number", (0,)),
        SourceColumn("twice", "number", (1,)),
        SourceColumn("c", "category", (2,), levels=levels(3)),
    )
    table = MixedTable(np.column_stack([x, 2.0 * x, code]), columns)
    found = screen(table, 0.125, np.random.default_rng(1))
    assert seen == [(50, ["x", "c"], 0.125)]
    assert found.kept.tolist() == [True, True, False]
    assert found.group.tolist() == [1, 1, 0]
    assert found.strength.tolist() == [3.0, 3.0, 2.0]
    assert found.dependent.all()
    screen(table.take_rows(np.arange(50)), 0.125, np.random.default_rng(1))
    assert seen[1][0] == 50


def test_which_columns_are_kept_given_their_evidence(monkeypatch):
    # Dependent are 0, 1, 3 and 4, in groups (0, 3) and (1, 4). The second group is clumped; column
    # 2 has two modes. With two groups and ten times as strict a level each has 0.1 / 20.
    dependent = np.array([True, True, False, True, True])
    strength, asked = np.arange(5.0), []
    monkeypatch.setattr(screening, "find_dependent", lambda cells, rate, rng: (dependent, strength))
    monkeypatch.setattr(screening, "group_sources", lambda cells, own: np.array([0, 1, 0, 1]))

    def clumped(table, level, rng):
        asked.append(([column.name for column in table.used], level))
        return table.used[0].name == "c1"

    modes = []
    monkeypatch.setattr(screening, "is_clumped", clumped)
    monkeypatch.setattr(
        screening,
        "_has_two_modes",
        lambda table, column, level: modes.append(level) or column.name == "c2",
    )
    columns = tuple(SourceColumn(f"c{j}", "category", (j,), levels=levels(3)) for j in range(5))
    values = categories(40, [3] * 5, 0).values
    found = screen(MixedTable(values, columns), 0.1, np.random.default_rng(0))
    assert asked == [(["c0", "c3"], pytest.approx(0.005)), (["c1", "c4"], pytest.approx(0.005))]
    assert modes == [pytest.approx(0.02)] * 5
    assert found.kept.tolist() == [False, True, True, False, True]
    assert found.group.tolist() == [0, 1, -1, 0, 1]
    assert found.strength is strength or found.strength.tolist() == [0.0, 1.0, 2.0, 3.0, 4.0]


def test_two_modes_are_seen_in_plain_numbers_only():
    heaps = np.r_[np.arange(30.0), 1000.0 + np.arange(30.0), np.nan]
    cases = {
        "number": (SourceColumn("x", "number", (0,)), True),
        "ordered": (SourceColumn("x", "ordered", (0,), levels=levels(1100)), False),
        "cyclic": (SourceColumn("x", "cyclic", (0,), periods=(2000.0,)), False),
    }
    for column, expected in cases.values():
        table = MixedTable(heaps[:, None], (column,))
        assert screening._has_two_modes(table, column, 0.01) is expected
    column = cases["number"][0]
    empty = MixedTable(np.full((3, 1), np.nan), (column,))
    assert not screening._has_two_modes(empty, column, 0.01)


# Cells and copies ---------------------------------------------------------------------------------


def test_cells_without_values_are_defined():
    column = SourceColumn("c", "category", (0,), levels=levels(2))
    empty = make_cells(MixedTable(np.full((5, 1), np.nan), (column,)))
    assert (empty.width, empty.codes.tolist()) == (1, [[-1]] * 5)
    assert_array_equal(empty.indicators, np.zeros((5, 1)))
    assert empty.indicators.dtype == np.float32
    assert source_scores(empty).tolist() == [[0.0]]
    none = make_cells(MixedTable(np.empty((4, 0)), ()))
    assert none.n_sources == 0


def test_cells_of_one_row_count_as_cells():
    # Counts 3 0 0 / 0 4 1: χ² is that of a table of 2 by 3 cells, 8 rows, with two degrees of
    # freedom: 8 (3² / (3 · 3) + 4² / (5 · 4) + 1² / (5 · 1) - 1) = 8.
    first, second = np.repeat([0, 1], [3, 5]), np.repeat([0, 1, 2], [3, 4, 1])
    codes = np.column_stack([first, second])
    indicators = np.zeros((8, 2, 3), dtype=np.float32)
    indicators[np.arange(8), 0, first] = indicators[np.arange(8), 1, second] = 1.0
    cells = Cells(indicators.reshape(8, 6), 3, np.array([0, 1]), codes)
    z = (np.cbrt(8.0 / 2.0) - (1.0 - 1.0 / 9.0)) * 3.0
    assert source_scores(cells)[0, 1] == pytest.approx(z)
    assert source_scores(cells)[1, 0] == pytest.approx(z)


def two_numbers(n=200, swapped=0):
    """A number and another one in the same bins, with the order of some neighbours reversed."""
    x = np.arange(float(n))
    y = x.copy()
    y[: 2 * swapped : 2], y[1 : 2 * swapped : 2] = x[1 : 2 * swapped : 2], x[: 2 * swapped : 2]
    columns = (SourceColumn("x", "number", (0,)), SourceColumn("y", "number", (1,)))
    return MixedTable(np.column_stack([x, y]), columns)


def test_numbers_that_keep_their_order_are_copies():
    for table in (two_numbers(), two_numbers(swapped=20)):
        assert find_copies(table, make_cells(table)).tolist() == [0, 0]
    # The same bins, with reversed order within each: the rank correlation is far below 0.999.
    table = two_numbers()
    codes = make_cells(table).codes[:, 0]
    for cell in np.unique(codes):
        table.values[codes == cell, 1] = table.values[codes == cell, 1][::-1].copy()
    assert find_copies(table, make_cells(table)).tolist() == [0, 1]


def test_a_number_and_its_bins_are_copies_by_cells_and_order():
    table = two_numbers()
    bins = make_cells(table).codes[:, 0].astype(float)
    column = SourceColumn("c", "category", (1,), levels=levels(int(bins.max()) + 1))
    values = np.column_stack([table.values[:, 0], bins])
    cut = MixedTable(values[::-1], (table.columns[0], column))
    # Rows of a bin are ordered as they come, here the other way round: not 0.999.
    assert find_copies(cut, make_cells(cut)).tolist() == [0, 1]
    both = MixedTable(
        np.column_stack([bins, bins]),
        (SourceColumn("d", "category", (0,), levels=levels(6)), column),
    )
    assert find_copies(both, make_cells(both)).tolist() == [0, 0]


def test_parts_of_a_date_are_not_copies():
    days = np.arange(90.0)
    date = SourceColumn("day", "date", (0, 1), periods=(0.0, 7.0), parts=("age", "week"))
    table = MixedTable(
        np.column_stack([days, days % 7.0, days]), (date, SourceColumn("x", "number", (2,)))
    )
    assert find_copies(table, make_cells(table)).tolist() == [0, 1]
    turned = table.take_columns([1, 0])
    assert find_copies(turned, make_cells(turned)).tolist() == [0, 1]


@pytest.mark.parametrize(("n_same", "is_copy"), [(392, True), (391, False)])
def test_copies_agree_in_both_directions(n_same, is_copy):
    # 392 of 400 rows are 98 %; the others have the next level.
    first = np.arange(400.0) % 4
    second = first.copy()
    second[n_same:] = (first[n_same:] + 1) % 4
    columns = tuple(SourceColumn(f"c{j}", "category", (j,), levels=levels(4)) for j in range(2))
    table = MixedTable(np.column_stack([first, second]), columns)
    assert (find_copies(table, make_cells(table))[1] == 0) == is_copy


def test_one_cell_more_is_another_column(monkeypatch):
    # Four levels in 396 rows and a fifth in four: 99 % agree, but one column is coarser.
    first = np.arange(400.0) % 4
    second = first.copy()
    second[:8] = 4.0
    columns = tuple(SourceColumn(f"c{j}", "category", (j,), levels=levels(5)) for j in range(2))
    table = MixedTable(np.column_stack([first, second]), columns)
    assert make_cells(table).width == 5
    for given in (table, table.take_columns([1, 0])):
        assert find_copies(given, make_cells(given)).tolist() == [0, 1]
    monkeypatch.setattr(dependence, "COPY", 0.999)
    assert find_copies(table, make_cells(table)).tolist() == [0, 1]


# Repetitions and gaps -----------------------------------------------------------------------------


def crossed(n=240):
    """Three categories that are independent of each other, and a number."""
    row = np.arange(n)
    codes = [row % 2, row // 2 % 3, row // 6 % 2]
    values = np.column_stack([*codes, np.random.default_rng(0).standard_normal(n)]).astype(float)
    columns = (
        SourceColumn("a", "category", (0,), levels=levels(2)),
        SourceColumn("b", "ordered", (1,), levels=levels(3)),
        SourceColumn("c", "yes/no", (2,), levels=levels(2)),
        SourceColumn("x", "number", (3,)),
    )
    return MixedTable(values, columns), codes


def test_the_columns_that_clusters_repeat(monkeypatch):
    table, (a, b, c) = crossed()
    monkeypatch.setattr(repeats, "_support", lambda labels, table, without: float(len(without)))
    assert find_repetition(b, table) == Repetition((1,), 1.0, 1.0)
    assert find_repetition(2 * b + c, table) == Repetition((1, 2), 1.0, 2.0)
    assert find_repetition(a * 2 + c, table) == Repetition((0, 2), 1.0, 2.0)
    # A product of three columns is none of two; and one column is preferred.
    assert find_repetition(6 * a + 2 * b + c, table) is None
    # 5 of 240 rows are elsewhere: the index is a little below 0.98, which is enough.
    nearly = b.copy()
    nearly[:2] = 2 - nearly[:2]
    found = find_repetition(nearly, table)
    assert found.columns == (1,)
    assert 0.95 <= found.agreement < 1.0
    far = b.copy()
    far[:20] = (far[:20] + 1) % 3
    assert find_repetition(far, table) is None
    # Only columns that agree most with the labels are multiplied.
    monkeypatch.setattr(repeats, "MAX_COLUMNS", 1)
    assert find_repetition(2 * b + c, table) is None


def test_a_product_adds_to_both_of_its_columns():
    # Labels follow column b; its product with a constant, or with itself, is no better than b.
    table, (_, b, _) = crossed()
    values = table.values.copy()
    values[:, 0] = 0.0
    values[:16, 1] = np.nan
    same = MixedTable(values, table.columns)
    labels = b.copy()
    labels[16:24] = (labels[16:24] + 1) % 3  # b agrees to 0.9
    assert find_repetition(labels, same) is None


@pytest.mark.parametrize("n", [6, 11, 40])
def test_support_by_definition(n):
    rng = np.random.default_rng(n)
    labels = np.arange(n) % 3
    values = np.column_stack([labels, rng.standard_normal((n, 2)) + labels[:, None]])
    columns = (
        SourceColumn("c", "category", (0,), levels=levels(3)),
        *(SourceColumn(f"x{j}", "number", (j,)) for j in (1, 2)),
    )
    table = MixedTable(values, columns)
    points = embed(table.take_columns([1, 2])).values
    gaps = ((points[:, None] - points) ** 2).sum(axis=2)
    np.fill_diagonal(gaps, np.inf)
    votes = []
    for row in range(n):
        nearest = np.argsort(gaps[row])[: min(10, n - 1)]
        votes.append(np.bincount(labels[nearest], minlength=3).argmax())
    assert repeats._support(labels, table, (0,)) == pytest.approx(
        adjusted_rand_score(labels, votes)
    )


def test_columns_that_no_cluster_mixes():
    table, (a, b, c) = crossed()
    assert followed_columns(4 * b + 2 * a + c, table) == (0, 2)  # not the ordered one
    assert followed_columns(a, table) == (0,)
    some = np.where(np.arange(240) < 100, -1, a)
    assert followed_columns(some, table) == (0,)
    table.values[:, 2] = np.nan
    assert followed_columns(2 * a + c, table) == (0,)
    assert followed_columns(np.full(240, -1), table) == ()


def test_the_column_whose_gaps_differ_most_is_named():
    labels = np.repeat([0, 1, 2], 100)
    values = np.random.default_rng(0).standard_normal((300, 3))
    values[:30, 0] = np.nan  # 30 % of cluster 0
    values[100:160, 1] = np.nan  # 60 % of cluster 1
    values[200:240, 2] = np.nan
    columns = tuple(SourceColumn(f"x{j}", "number", (j,)) for j in range(3))
    assert describe_gaps(labels, MixedTable(values, columns)).startswith(
        "values of column 'x1' are missing in 0% of the rows of one cluster and in 60% of another"
    )


@pytest.mark.parametrize(("n_gaps", "said"), [(21, True), (20, False)])
def test_gaps_beyond_chance_by_hand(n_gaps, said):
    # Two clusters of 40 rows: with g gaps in the first the share is g / 80 =: s, and χ² is
    # 80 (s)² / (s (1 - s)) = 80 g / (80 - g): 26.7 for 20 gaps. The level 0.001 / 200 of one of
    # 200 columns has the limit 20.8, that of 4,000 columns 26.6, of 5,000 columns 27.0.
    labels = np.repeat([0, 1], 40)
    values = np.zeros((80, 1))
    values[:n_gaps] = np.nan
    n_columns = 4600
    columns = tuple(SourceColumn(f"x{j}", "number", (j,)) for j in range(n_columns))
    whole = np.hstack([values, np.zeros((80, n_columns - 1))])
    assert bool(describe_gaps(labels, MixedTable(whole, columns))) is said


def test_every_kind_of_column_may_have_copies_in_its_table():
    table = every_kind(120)
    doubled = table.take_columns([0, 1, 2, 3, 4, 0, 1, 2, 3, 4])
    assert find_copies(doubled, make_cells(doubled)).tolist() == [0, 1, 2, 3, 4] * 2
