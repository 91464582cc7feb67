import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import chi2_contingency, norm
from tests.columns.mixed.tables import categories, every_kind, levels

from weft.columns.mixed import screen
from weft.columns.mixed.dependence import column_scores, find_copies, make_cells, source_scores
from weft.columns.mixed.screening import _join_groups
from weft.columns.source import MixedTable, SourceColumn


def clustered(n, seed, *, n_noise=0):
    """Three clusters in two numbers and three categories, then columns of noise."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(3, size=n)
    parts = [rng.normal(4.0 * labels, 1.0), rng.normal(-3.0 * (labels == 1), 1.0)]
    columns = [SourceColumn(f"x{j}", "number", (j,)) for j in range(2)]
    for number in range(2, 5):
        wrong = rng.random(n) < 0.2
        parts.append(np.where(wrong, rng.integers(3, size=n), (labels + number) % 3))
        columns.append(SourceColumn(f"c{number}", "category", (number,), levels=levels(3)))
    for number in range(5, 5 + n_noise):
        if number % 2:
            parts.append(rng.integers(4, size=n))
            columns.append(SourceColumn(f"n{number}", "category", (number,), levels=levels(4)))
        else:
            parts.append(rng.standard_normal(n))
            columns.append(SourceColumn(f"n{number}", "number", (number,)))
    return MixedTable(np.column_stack(parts).astype(float), tuple(columns))


def one_trait(n, seed):
    """Answers that follow one trait: columns depend on each other, and nothing is clustered."""
    rng = np.random.default_rng(seed)
    trait = rng.standard_normal(n)
    parts, columns = [], []
    for number in range(8):
        z = trait + 0.8 * rng.standard_normal(n)
        count = 2 + number % 4
        cut = np.digitize(z, np.quantile(z, np.arange(1, count) / count))
        parts.append(rng.permutation(count)[cut])
        columns.append(SourceColumn(f"q{number}", "category", (number,), levels=levels(count)))
    return MixedTable(np.column_stack(parts).astype(float), tuple(columns))


def test_score_is_that_of_the_table_of_counts():
    table = categories(400, [3, 4], 0)
    table.values[:40, 0] = np.nan
    counts = np.zeros((3, 4))
    for a, b in table.values[40:].astype(int):
        counts[a, b] += 1
    chi, p, _, _ = chi2_contingency(counts)
    z = column_scores(make_cells(table))[0, 1]
    # The cube root is an approximation to the normal score of the same p.
    assert_allclose(z, norm.isf(p), atol=0.05)
    assert_allclose((np.sqrt(2 / 54) * z + 1 - 2 / 54) ** 3 * 6, chi)


def test_scores_of_independent_columns_are_standard_normal_for_all_kinds():
    pairs = [
        source_scores(make_cells(every_kind(400, gaps=0.1, seed=s)))[:5, :5] for s in range(60)
    ]
    scores = np.array(pairs)[:, *np.triu_indices(5, 1)]
    assert abs(scores.mean()) < 0.15
    assert abs(scores.std() - 1.0) < 0.15


def test_gaps_are_not_dependence():
    # The second column is missing where the first is large: no dependence among what both have.
    rng = np.random.default_rng(0)
    values = rng.standard_normal((600, 2))
    values[values[:, 0] > 0.3, 1] = np.nan
    columns = (SourceColumn("a", "number", (0,)), SourceColumn("b", "number", (1,)))
    assert abs(column_scores(make_cells(MixedTable(values, columns)))[0, 1]) < 3.0


@pytest.mark.parametrize("seed", range(4))
def test_noise_categories_are_not_kept(seed):
    # As 0/1 columns, all of them would depend on each other.
    assert not screen(categories(500, [3] * 5, seed), 0.05, np.random.default_rng(seed)).kept.any()
    counts = list(np.random.default_rng(seed).integers(2, 13, 6))
    assert not screen(categories(500, counts, seed), 0.05, np.random.default_rng(seed)).kept.any()


def test_columns_of_clusters_are_kept_and_noise_is_not():
    found = screen(clustered(400, 0, n_noise=5), 0.05, np.random.default_rng(0))
    assert found.kept.tolist() == [True] * 5 + [False] * 5
    assert (found.strength[:5] > 1.0).all()
    assert (found.strength[5:] <= 1.0).all()


def test_one_trait_is_dependent_and_not_kept():
    for seed in range(3):
        found = screen(one_trait(400, seed), 0.05, np.random.default_rng(seed))
        assert found.dependent.sum() >= 7
        assert not found.kept.any()


def test_groups_are_joined_by_all_of_their_pairs_together():
    # Groups of 2, 3 and 1 columns. Between the first two Σ z / √6 = 6 · 2 / √6 = 4.9 is above the
    # normal quantile at 0.001 / 3, 3.4; between these and the third it is at most 3 · 1.9 / √3.
    group = np.array([0, 0, 1, 1, 1, 2])
    scores = np.full((6, 6), 9.0)
    scores[:2, 2:5] = scores[2:5, :2] = 2.0
    scores[:5, 5] = scores[5, :5] = 1.9
    np.fill_diagonal(scores, 0.0)
    assert _join_groups(group, scores).tolist() == [0, 0, 0, 0, 0, 1]
    scores[:2, 2:5] = scores[2:5, :2] = 1.3  # Σ z / √6 = 3.2
    assert _join_groups(group, scores).tolist() == [0, 0, 1, 1, 1, 2]


def test_a_copy_of_noise_is_not_a_partner():
    table = categories(300, [4, 3, 5], 1)
    copy = np.array([2.0, 0.0, 3.0, 1.0])[table.values[:, 0].astype(int)]
    columns = (*table.columns, SourceColumn("copy", "category", (3,), levels=levels(4)))
    repeated = MixedTable(np.column_stack([table.values, copy]), columns)
    assert find_copies(repeated, make_cells(repeated)).tolist() == [0, 1, 2, 0]
    assert not screen(repeated, 0.05, np.random.default_rng(0)).kept.any()


def test_a_copy_is_kept_with_what_it_repeats():
    table = clustered(300, 0)
    columns = (*table.columns, SourceColumn("in cents", "number", (5,)))
    repeated = MixedTable(np.column_stack([table.values, 100.0 * table.values[:, 0]]), columns)
    found = screen(repeated, 0.05, np.random.default_rng(0))
    assert found.kept.all()
    assert found.strength[5] == found.strength[0]


def test_a_coarser_column_is_no_copy():
    table = clustered(300, 0)
    columns = (*table.columns, SourceColumn("large", "yes/no", (5,), levels=("no", "yes")))
    large = (table.values[:, 2] > 1).astype(float)
    coarser = MixedTable(np.column_stack([table.values, large]), columns)
    assert find_copies(coarser, make_cells(coarser))[5] == 5


def test_few_columns_and_rows_are_defined():
    single = MixedTable(np.arange(9.0)[:, None], (SourceColumn("a", "number", (0,)),))
    assert screen(single, 0.05, np.random.default_rng(0)).kept.tolist() == [False]
    tiny = every_kind(6)
    assert not screen(tiny, 0.05, np.random.default_rng(0)).kept.any()
