"""Evidence of candidates and tables, whole outputs against plain definitions."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import ndtri
from sklearn.metrics import adjusted_rand_score

from weft.auto.candidates import Candidate
from weft.auto.candidates.centres import kmeans_labels
from weft.auto.candidates.trees import cuts, linkage_edges_of
from weft.auto.evidence import chance, halves, lumps, measures, table
from weft.auto.evidence.chance import Chance, calinski, chance_of, silhouette
from weft.auto.evidence.halves import alike_in_rows, clusterings_of, shown_in_halves
from weft.auto.evidence.lumps import one_lump_copies, one_lump_copy, one_lump_margin
from weft.auto.evidence.measures import (
    NAMES,
    agreement_of_families,
    log_core,
    measure,
    path_matrix,
    reach_matrix,
)
from weft.auto.evidence.second import in_second_view
from weft.auto.evidence.table import (
    MAXIMA,
    TABLE_NAMES,
    clump_evidence,
    clumping,
    dips_of,
    measure_table,
)
from weft.auto.kernels.dip import dip
from weft.auto.working import prepare


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((40, 5))
    X[:20, :3] += 5.0
    X[:9, 3:] -= 4.0
    return prepare(X, 2)


def partitions(n=40):
    halved, thirds = np.arange(n) // (n // 2), np.arange(n) % 3
    out = np.where(np.arange(n) % 7 == 0, -1, thirds)
    small = np.r_[np.zeros(n - 9, dtype=int), [1] * 4, [2] * 5]
    return [halved, thirds, out, small]


def candidates(labels, families=None):
    families = families or [("kmeans",)] * len(labels)
    return [Candidate(own, names, names) for own, names in zip(labels, families, strict=True)]


# Chance -------------------------------------------------------------------------------------------


def test_chance_is_the_mean_over_copies(monkeypatch):
    rng = np.random.default_rng(1)
    copies = [rng.standard_normal((20, 2)) for _ in range(2)]
    found = chance_of(copies, 3)
    # Up to a third of the 20 rows.
    assert found.counts.tolist() == [2, 3, 4, 5, 6]
    draws, silhouettes, indices = np.random.default_rng([3, 8]), [], []
    for points in copies:
        distances = np.sqrt(((points[:, None] - points) ** 2).sum(axis=2))
        starts = cuts(linkage_edges_of(distances, "ward"), found.counts)
        labels = [
            kmeans_labels(points, start, k, draws)
            for k, start in zip(found.counts.tolist(), starts, strict=True)
        ]
        silhouettes.append([silhouette(distances, own) for own in labels])
        indices.append([calinski(points, own) for own in labels])
    assert_allclose(found.silhouettes, np.mean(silhouettes, axis=0))
    assert_allclose(found.calinski, np.mean(indices, axis=0))
    # Of more rows, the first; of five rows, two clusters.
    monkeypatch.setattr(chance, "MAX_ROWS", 9)
    first = chance_of([copy[:9] for copy in copies], 3)
    assert_array_equal(chance_of(copies, 3).silhouettes, first.silhouettes)
    assert first.counts.tolist() == [2, 3]
    assert chance_of([copy[:5] for copy in copies], 3).counts.tolist() == [2]


def test_chance_between_two_numbers_by_hand():
    given = Chance(np.array([2, 8]), np.array([0.5, 0.25]), np.array([1.0, 3.0]))
    # log 4 is halfway from log 2 to log 8; beyond the ends nothing changes.
    numbers = np.array([2.0, 4.0, 8.0, 1.0, 99.0])
    assert_allclose(given.silhouette_at(numbers), [0.5, 0.375, 0.25, 0.5, 0.25])
    assert_allclose(given.calinski_at(numbers), [1.0, 2.0, 3.0, 1.0, 3.0])


def test_indices_of_rows_have_no_unit(rows):
    for own in partitions()[:2]:
        widths = silhouette(rows.distances, own)
        assert silhouette(1e-6 * rows.distances, own) == pytest.approx(widths)
        ratio = calinski(rows.points, own)
        assert calinski(1e-6 * rows.points, own) == pytest.approx(ratio)


def test_indices_of_rows_that_are_equal():
    # All distances 0: no width. Nothing varies within: the index is as large as numbers allow.
    assert silhouette(np.zeros((4, 4)), np.array([0, 0, 1, 1])) == 0.0
    points = np.array([[0.0], [0.0], [1.0], [1.0]])
    assert calinski(points, np.array([0, 0, 1, 1])) == pytest.approx(np.log(1.0 / 1e-300 * 2.0))
    assert calinski(np.zeros((4, 1)), np.array([0, 0, 1, 1])) == 0.0


# Halves -------------------------------------------------------------------------------------------


def test_halves_of_columns_and_rows_by_definition(rows):
    labels = np.stack(partitions())
    found = shown_in_halves(rows, labels)
    shares, agreements = [], []
    for points in rows.halves:
        counts = np.array([2, 3, 4, 5, 6, 8, 10, 13])
        rng = np.random.default_rng([2, 7])
        distances = np.sqrt(((points[:, None] - points) ** 2).sum(axis=2))
        starts = cuts(linkage_edges_of(distances, "ward"), counts)
        made = [
            kmeans_labels(points, start, k, rng)
            for k, start in zip(counts.tolist(), starts, strict=True)
        ]
        assert_array_equal(clusterings_of(points, 2), made)
        agreements.append(
            [max(adjusted_rand_score(own, other) for other in made) for own in labels]
        )
        share = []
        for own in labels:
            inside = own >= 0
            centres = np.array([points[own == k].mean(axis=0) for k in range(own.max() + 1)])
            gaps = np.sqrt(((points[:, None] - centres) ** 2).sum(axis=2))
            # Without the row itself, its own centre is n / (n - 1) times as far.
            sizes = np.bincount(own[inside])
            places = np.flatnonzero(inside)
            gaps[places, own[places]] *= (sizes / (sizes - 1.0))[own[places]]
            share.append((gaps.argmin(axis=1) == own)[inside].mean())
        shares.append(share)
    assert_allclose(found[:, 0], np.mean(shares, axis=0))
    assert_allclose(found[:, 1], np.mean(agreements, axis=0))
    draws, sums = np.random.default_rng([2, 9]), np.zeros(4)
    for _ in range(2):
        for part in np.array_split(draws.permutation(40), 2):
            part = np.sort(part)
            made = clusterings_of(np.ascontiguousarray(rows.points[part]), 2)
            sums += [max(adjusted_rand_score(own[part], other) for other in made) for own in labels]
    assert_allclose(alike_in_rows(rows, labels), sums / 4.0)


def test_halves_of_few_rows(rows):
    six = prepare(np.random.default_rng(0).standard_normal((6, 5)), 0)
    labels = np.array([[0, 0, 0, 1, 1, 1]])
    assert alike_in_rows(six, labels) != 0.0
    # Three rows in each half: two clusters.
    assert clusterings_of(six.points[:3].copy(), 0).shape == (1, 3)
    five = prepare(np.random.default_rng(0).standard_normal((5, 5)), 0)
    assert alike_in_rows(five, labels[:, :5]).tolist() == [0.0]
    assert halves.N_SPLITS == 2


# One lump -----------------------------------------------------------------------------------------


def test_margins_are_smoothed_until_they_have_one_mode():
    rng = np.random.default_rng(3)
    noise = rng.standard_normal(100)
    for apart in (0.0, 3.0, 8.0):
        values = rng.standard_normal(100) + apart * (np.arange(100) % 2)
        deviation, plain = values.std(), np.sort(values)
        for width in (0.05, 0.1, 0.2, 0.35, 0.5, 0.75, 1.0):
            plain = np.sort(values + width * deviation * noise)
            if dip(plain) * 10.0 < 0.42:
                break
        expected = (plain - plain.mean()) * deviation / plain.std()
        assert_allclose(one_lump_margin(values, noise), expected)
        assert_allclose(one_lump_margin(1e-6 * values, noise), 1e-6 * expected)
    # 30 distinct values of 100 are enough to be smoothed, 29 stay as they are.
    for n_values, is_kept in ((29, True), (30, False)):
        values = np.minimum(np.arange(100.0), n_values - 1.0)
        assert np.array_equal(one_lump_margin(values[::-1], noise), values) == is_kept
    assert one_lump_margin(np.zeros(2), np.zeros(2)).tolist() == [0.0, 0.0]


def test_a_copy_of_one_lump_by_definition(rows):
    points = rows.points
    copy = one_lump_copy(points, np.random.default_rng(5))
    n, d = points.shape
    rng = np.random.default_rng(5)
    ranks = np.argsort(np.argsort(points, axis=0), axis=0)
    scores = ndtri((ranks + 0.5) / n)
    values, vectors = np.linalg.eigh(scores.T @ scores / n)
    drawn = rng.standard_normal((n, d)) * np.sqrt(values) @ vectors.T
    noise = rng.standard_normal((n, d))
    places = np.argsort(np.argsort(drawn, axis=0), axis=0)
    for column in range(d):
        margin = one_lump_margin(points[:, column], noise[:, column])
        assert_allclose(copy[:, column], margin[places[:, column]])
    rng = np.random.default_rng([2, 4])
    found = one_lump_copies(rows)
    assert len(found) == lumps.N_COPIES == 3
    for own in found:
        assert_array_equal(own, one_lump_copy(points, rng))


def test_the_second_view_of_few_rows():
    # All other rows are neighbours, five of each: those of the first four rows share 3 · 4 of
    # 5 · 4 pairs, those of the last two 1 of 5 each.
    six = prepare(np.random.default_rng(0).standard_normal((6, 2)), 0)
    found = in_second_view(six, np.array([[0, 0, 0, 0, 1, 1]]))
    assert found[0, 2] == pytest.approx((4 * 3 + 2 * 1) / 30)
    # Ten neighbours of eleven rows are all others; of twelve they are not.
    for n in (11, 12):
        more = prepare(np.random.default_rng(0).standard_normal((n, 2)), 0)
        labels = np.r_[np.zeros(n - 2, dtype=int), [1, 1]]
        gaps = more.second.distances + np.diag(np.full(n, np.inf))
        near = np.argsort(gaps, axis=1)[:, :10]
        expected = (labels[near] == labels[:, None]).mean()
        assert in_second_view(more, labels[None])[0, 2] == pytest.approx(expected)


# Measures -----------------------------------------------------------------------------------------


def test_matrices_that_measures_share(rows):
    core = rows.cores[1]
    expected = np.maximum(rows.distances, np.maximum.outer(core, core))
    assert_allclose(reach_matrix(rows), expected, rtol=1e-6)
    assert reach_matrix(rows).dtype == np.float32
    assert_allclose(log_core(rows), np.log(core))
    # A core distance of 0 counts as a thousandth of the median of the others.
    some = rows._replace(cores=np.stack([core, np.r_[0.0, 1e-9, core[2:]], core]))
    scale = np.median(np.r_[1e-9, core[2:]])
    assert_allclose(log_core(some)[:2], np.log(1e-3 * scale))
    none = rows._replace(cores=np.zeros((3, 40)))
    assert_allclose(log_core(none), np.log(1e-3))
    small = rows._replace(cores=1e-6 * some.cores)
    assert_allclose(log_core(small)[:2], np.log(1e-9 * scale))
    paths = path_matrix(rows, 1)
    assert paths.dtype == np.float32
    assert paths.max() == pytest.approx(rows.trees[1].lengths.max())
    assert path_matrix(rows, 0).max() == pytest.approx(rows.trees[0].lengths.max())


def test_families_that_agree_by_hand(monkeypatch):
    # Indices are given. Candidate 0 is of two families, 1 of one, 2 of one that 0 also has.
    given = np.array([[1.0, 0.95, 0.2], [0.95, 1.0, 0.9], [0.2, 0.9, 1.0]])

    def rand_between(labels, others, alike, out):
        assert alike is True
        out[:] = given

    monkeypatch.setattr(measures, "rand_between", rand_between)
    labels = np.zeros((3, 4), dtype=np.int64)
    made = candidates(labels, [("kmeans", "ward"), ("genie",), ("ward",)])
    found = agreement_of_families(labels, made)
    # Best of kmeans, ward and genie: 1 1 0.95; 0.95 0.95 1; 0.2 1 0.9, which is not above 0.9.
    assert_allclose(found[:, 0], [1.0, 1.0, 1 / 3])
    assert_allclose(found[:, 1], [2.95 / 3, 2.9 / 3, 2.1 / 3])
    assert_allclose(found[:, 2], [2 / 3, 1 / 3, 1 / 3])


def test_numbers_of_clusters_and_parts_put_together(rows, monkeypatch):
    labels = np.stack(partitions())
    per = np.arange(1.0, 12.0)[:, None] + np.arange(17.0) / 100.0
    whole = np.arange(28.0).reshape(4, 7)

    def evidence(prepared, given, distinct):
        # The clusters of all candidates in their order: 2, 3, 3 and 3 of them.
        assert len(distinct.clusters) == 11
        return per, whole

    monkeypatch.setattr(measures, "_evidence_of_clusters", evidence)
    given = Chance(np.array([2, 8]), np.array([0.5, 0.25]), np.array([1.0, 3.0]))
    monkeypatch.setattr(measures, "chance_of", lambda copies, seed: given)
    names = [("kmeans",), ("ward",), ("ward",), ("genie",)]
    values = measure(rows, candidates(labels, names), ["copies"])
    assert values.shape == (4, len(NAMES))
    found = {name: values[:, place] for place, name in enumerate(NAMES)}
    sizes = [np.bincount(own[own >= 0]) for own in labels]
    firsts = [0, 2, 5, 8]
    for place, (own, first) in enumerate(zip(sizes, firsts, strict=True)):
        part = per[first : first + len(own)]
        shares = own / own.sum()
        assert found["silhouette_mean"][place] == pytest.approx(shares @ part[:, 0])
        assert found["unity_mean"][place] == pytest.approx(shares @ part[:, 16])
        assert found["silhouette_worst"][place] == part[0, 0]
        assert found["unity_best"][place] == part[-1, 16]
        assert found["smallest_share"][place] == pytest.approx(shares.min())
        assert found["largest_share"][place] == pytest.approx(shares.max())
        entropy = -(shares * np.log(shares)).sum() / np.log(len(own))
        assert found["size_entropy"][place] == pytest.approx(entropy)
        assert found["small_clusters"][place] == pytest.approx((own < 5).mean())
        assert found["outliers"][place] == pytest.approx(1.0 - own.sum() / 40)
        assert found["log_clusters"][place] == pytest.approx(np.log(len(own)))
        beyond = given.silhouette_at(np.array([len(own)]))[0]
        above = pytest.approx(shares @ part[:, 0] - beyond)
        assert found["silhouette_beyond_chance"][place] == above
        beyond = given.calinski_at(np.array([len(own)]))[0]
        assert found["calinski_beyond_chance"][place] == whole[place, 0] - beyond
    assert_array_equal(found["calinski"], whole[:, 0])
    assert_array_equal(found["reach_misplaced"], whole[:, 6])
    assert_allclose(found["log_rows"], np.log(40.0))
    assert_allclose(found["log_axes"], np.log(5.0))
    assert_allclose(found["log_columns"], np.log(5.0))
    families = agreement_of_families(labels, candidates(labels, names))
    assert_array_equal(found["votes"], families[:, 2])
    assert_array_equal(found["shown_in_halves"], shown_in_halves(rows, labels)[:, 0])
    assert_array_equal(found["alike_in_halves"], shown_in_halves(rows, labels)[:, 1])
    assert_array_equal(found["alike_in_rows"], alike_in_rows(rows, labels))
    assert_array_equal(found["second_worst"], in_second_view(rows, labels)[:, 1])
    assert measure(rows, []).shape == (0, len(NAMES))
    # A table without columns counts as one of one column.
    values = measure(rows._replace(n_columns=0), candidates(labels, names), ["copies"])
    assert_array_equal(values[:, NAMES.index("log_columns")], np.zeros(4))


# The table ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_columns", [3, 7])
def test_dips_of_columns_and_axes_by_definition(n_columns):
    # The last axes, or the columns after three axes, often have the largest dip.
    for seed in range(4):
        points = np.random.default_rng(seed).standard_normal((30, n_columns)) ** 3
        columns = points - points.mean(axis=0)
        axes = columns @ np.linalg.eigh(columns.T @ columns)[1][:, ::-1]
        dips = [dip(np.sort(view)) * np.sqrt(30) for view in [*axes.T, *columns.T]]
        expected = [max(dips), np.mean(dips), dips[0], max(dips[: min(n_columns, 5)])]
        assert_allclose(dips_of(points), expected)
    one = dip(np.sort(columns[:, 0])) * np.sqrt(30)
    assert_allclose(dips_of(points[:, :1]), [one] * 4)


def test_clumps_by_hand():
    distances = np.array([[0.0, 2.0], [2.0, 0.0]])  # 1 on average
    lengths = np.array([[0.5, 3.0], [1.5, 5.0]])
    found = clumping(distances, lengths, np.array([1.0, 3.0]))
    assert_allclose(found, np.log([1.0, 4.0, 2.0, 1.0]))
    assert_allclose(clumping(distances, 0.0 * lengths, np.zeros(2)), np.log(1e-6))
    assert np.isfinite(clumping(0.0 * distances, lengths, np.zeros(2))).all()


def test_clumps_are_compared_with_those_of_copies(rows):
    copies = one_lump_copies(rows)[:2]
    expected = []
    for points in [*copies, rows.points]:
        gaps = np.sqrt(((points[:, None] - points) ** 2).sum(axis=2))
        edges = table.spanning_tree(gaps, np.zeros(40)).lengths
        near = gaps + np.diag(np.full(40, np.inf))
        expected.append(clumping(gaps, np.sort(near, axis=1)[:, :10], edges))
    found = clump_evidence(rows, copies)
    assert_allclose(found, np.mean(expected[:2], axis=0) - expected[2], atol=1e-9)


def test_the_evidence_of_a_table_put_together(rows):
    copies = one_lump_copies(rows)
    made = candidates(partitions())
    values = measure(rows, made, copies)
    found = dict(zip(TABLE_NAMES, measure_table(rows, made, values, copies), strict=True))
    assert found["log_rows"] == pytest.approx(np.log(40.0))
    assert found["log_columns"] == found["log_axes"] == pytest.approx(np.log(5.0))
    assert found["log_candidates"] == pytest.approx(np.log(5.0))  # four of them, and one
    dips = [found[name] for name in TABLE_NAMES[3:7]]
    assert_allclose(dips, dips_of(rows.points))
    clumps = [found[name] for name in TABLE_NAMES[7:11]]
    assert_allclose(clumps, clump_evidence(rows, copies))
    for name in MAXIMA:
        assert found[f"most_{name}"] == values[:, NAMES.index(name)].max()
    # What is not given is computed.
    assert_allclose(measure_table(rows, made), list(found.values()), atol=1e-9)
    assert_allclose(measure(rows, made), values, atol=1e-9)
    none = dict(zip(TABLE_NAMES, measure_table(rows, [], None, copies), strict=True))
    assert none["log_candidates"] == none["most_calinski"] == 0.0
    empty = measure_table(rows._replace(n_columns=0), [], None, copies)
    assert empty[1] == 0.0
