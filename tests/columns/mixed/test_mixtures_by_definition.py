"""Both mixtures of mixed tables: every step against its definition in loops."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from tests.columns.mixed.tables import every_kind, levels

from weft.columns.mixed import classes, dependent
from weft.columns.mixed.classes import (
    LEAST_VARIANCE,
    PRIOR_LEVELS,
    PRIOR_ROWS,
    Profile,
    fit_classes,
    fit_mixture,
    joint_likelihood,
    level_prior,
    log_level_shares,
    profile_of,
)
from weft.columns.mixed.dependent import (
    Dependents,
    dependent_likelihood,
    dependents_of,
    fit_dependent,
    number_coordinates,
)
from weft.columns.mixed.embedding import (
    coordinate_deviations,
    learn_embedding,
    place_rows,
    transform,
)
from weft.columns.source import MixedTable, SourceColumn


def small_profile(n=12, seed=0):
    """Two numbers with gaps, a category of three levels and one of two, some rows without them."""
    rng = np.random.default_rng(seed)
    numbers = rng.normal(size=(n, 2))
    has = (rng.random((n, 2)) < 0.7).astype(float)
    first, second = np.eye(3)[rng.integers(3, size=n)], np.eye(2)[rng.integers(2, size=n)]
    first[:2], second[4] = 0.0, 0.0
    numbers *= has
    category = np.array([1, 1, 1, 2, 2])
    return Profile(numbers, numbers**2, has, np.hstack([first, second]), category)


def naive_classes(profile, belongs):
    """The maximum of one round, class by class and column by column."""
    n, n_classes = belongs.shape
    q, n_levels = profile.numbers.shape[1], profile.levels.shape[1]
    shares = np.log((belongs.sum(axis=0) + 1.0) / (n + n_classes))
    m, sums, counts = (np.zeros((n_classes, q)) for _ in range(3))
    for k in range(n_classes):
        for j in range(q):
            weight = belongs[:, k] * profile.has[:, j]
            counts[k, j] = weight.sum()
            m[k, j] = (weight * profile.numbers[:, j]).sum() / counts[k, j]
            sums[k, j] = (weight * (profile.numbers[:, j] - m[k, j]) ** 2).sum()
    common = np.maximum(sums.sum(axis=0) / counts.sum(axis=0), LEAST_VARIANCE)
    v = (sums + PRIOR_ROWS * common) / (counts + PRIOR_ROWS)
    theta = np.zeros((n_classes, n_levels))
    for k in range(n_classes):
        for level in range(n_levels):
            own = profile.category == profile.category[level]
            prior = profile.levels[:, level].sum() / profile.levels[:, own].sum()
            seen = belongs[:, k] @ profile.levels
            theta[k, level] = (seen[level] + PRIOR_LEVELS * prior) / (
                seen[own].sum() + PRIOR_LEVELS
            )
    return shares, m, v, np.log(theta)


def naive_likelihood(profile, model):
    shares, m, v, log_theta = model
    out = np.tile(shares, (len(profile.numbers), 1))
    for i in range(len(out)):
        for k in range(len(shares)):
            for j in np.flatnonzero(profile.has[i]):
                away = profile.numbers[i, j] - m[k, j]
                out[i, k] -= 0.5 * (np.log(v[k, j]) + away * away / v[k, j])
            out[i, k] += profile.levels[i] @ log_theta[k]
    return out


def rounds_of(start, n_classes, maximise, likelihood, n_rounds):
    """Rounds by their definition: labels, log-likelihood per row and model."""
    belongs = np.full((len(start), n_classes), 0.1 / n_classes)
    belongs[np.arange(len(start)), start] += 0.9
    for _ in range(n_rounds):
        model = maximise(belongs)
        joint = np.exp(likelihood(model))
        belongs = joint / joint.sum(axis=1, keepdims=True)
    return belongs.argmax(axis=1), np.log(joint.sum(axis=1)).mean(), model


# The last start leaves less than a row to two of three classes.
@pytest.mark.parametrize(("n_rounds", "n_used"), [(1, 3), (3, 3), (1, 1)])
def test_rounds_of_independent_columns_are_their_definition(n_rounds, n_used):
    profile = small_profile()
    start = np.arange(12) % n_used
    found = fit_classes(profile, start, 3, max_rounds=n_rounds)
    labels, likelihood, model = rounds_of(
        start,
        3,
        lambda belongs: naive_classes(profile, belongs),
        lambda model: naive_likelihood(profile, model),
        n_rounds,
    )
    for part, expected in zip(found.model, model, strict=True):
        assert_allclose(part, expected)
    assert found.likelihood == pytest.approx(likelihood)
    assert_array_equal(found.labels, labels)
    assert found.labels.dtype == np.int64
    assert_allclose(joint_likelihood(profile, found.model), naive_likelihood(profile, model))


def test_a_column_that_hardly_varies_has_the_smallest_variance_allowed():
    profile = small_profile()
    flat = profile._replace(numbers=0.0 * profile.numbers, squares=0.0 * profile.squares)
    v = fit_classes(flat, np.arange(12) % 2, 2, max_rounds=1).model[2]
    # Nothing varies: v = 50 · 0.02 / (count + 50).
    belongs = np.full((12, 2), 0.05)
    belongs[np.arange(12), np.arange(12) % 2] += 0.9
    assert_allclose(v, PRIOR_ROWS * LEAST_VARIANCE / (belongs.T @ flat.has + PRIOR_ROWS))


def test_levels_without_rows_are_defined():
    # A level that no row has gets the least share, 1e-12; without levels there is nothing to do.
    profile = small_profile()
    levels_of = profile.levels.copy()
    levels_of[:, :2] = 0.0
    gone = profile._replace(levels=levels_of)
    assert_allclose(level_prior(gone).counts[0, :3], [0.0, 0.0, PRIOR_LEVELS])
    found = log_level_shares(gone, np.ones((12, 1)), level_prior(gone))
    assert_allclose(found[0, :3], [np.log(1e-12), np.log(1e-12), 0.0])
    none = profile._replace(levels=np.zeros((12, 0)), category=np.zeros(0, dtype=np.int64))
    assert level_prior(none).counts.shape == (1, 0)
    empty = profile._replace(levels=np.zeros((12, 5)))
    assert_array_equal(level_prior(empty).counts, np.zeros((1, 5)))


def test_rounds_stop_when_the_likelihood_hardly_grows():
    # Likelihoods -3, -2, -1.5, -1.4: a gain of 0.1 is below 0.2.
    given, seen = iter([-3.0, -2.0, -1.5, -1.4, 9.0]), []

    def joint(model):
        # Two classes of equal likelihood, whose sum is what is given.
        return np.full((3, 2), next(given) - np.log(2.0))

    def maximise(belongs):
        seen.append(belongs.copy())
        return len(seen)

    start = (np.array([0, 1, 1]), 2)
    labels, likelihood, model = fit_mixture(start, maximise, joint, 10, 0.2)
    assert (likelihood, model) == (pytest.approx(-1.4), 4)
    assert_allclose(seen[0], [[0.95, 0.05], [0.05, 0.95], [0.05, 0.95]])
    assert_allclose(seen[1], 0.5)
    assert labels.tolist() == [0, 0, 0]
    given = iter([-3.0, -2.0, -1.5])
    assert fit_mixture(start, maximise, joint, 2, 0.2)[1] == pytest.approx(-2.0)
    # Values far below those of the exponential function.
    far = fit_mixture(start, maximise, lambda model: np.array([[-4e3, -3e3]] * 3), 1, 0.2)
    assert (far[0].tolist(), far[1]) == ([1, 1, 1], -3e3)


def test_a_table_as_numbers_and_levels():
    table = every_kind(80, gaps=0.2)
    profile = profile_of(table)
    embedding = learn_embedding(table)
    placed = place_rows(embedding.blocks, table.values) / coordinate_deviations(embedding)
    is_number = number_coordinates(embedding)
    # Number, ordered, hour, and a date with two circles, but not five colours and yes or no.
    assert is_number.tolist() == [True] * 2 + [False] * 5 + [True] * 7
    expected = placed[:, is_number]
    assert_allclose(profile.numbers, np.nan_to_num(expected))
    assert_allclose(profile.squares, np.nan_to_num(expected) ** 2)
    assert_array_equal(profile.has, ~np.isnan(expected))
    for category, width in ((2, 5), (3, 2)):
        own = profile.levels[:, :5] if width == 5 else profile.levels[:, 5:]
        codes = table.values[:, category]
        assert own.shape == (80, width)
        assert_array_equal(own.sum(axis=1), ~np.isnan(codes))
        for code in range(width):
            # Each level has a column of its own.
            assert (own[codes == code].max(axis=0) == own[codes == code].min(axis=0)).all()
    assert profile.category.tolist() == [1] * 5 + [2] * 2
    half = profile.take(np.array([3, 1]))
    for part, whole in zip(half[:4], profile[:4], strict=True):
        assert_array_equal(part, whole[[3, 1]])
    assert_array_equal(half.category, profile.category)


def test_tables_of_one_kind_have_no_other_part():
    numbers = MixedTable(np.arange(6.0)[:, None], (SourceColumn("x", "number", (0,)),))
    assert profile_of(numbers).levels.shape == (6, 0)
    codes = MixedTable(
        np.array([[0.0], [1.0], [np.nan]]),
        (SourceColumn("c", "category", (0,), levels=levels(2)),),
    )
    assert profile_of(codes).numbers.shape == (3, 0)
    assert_array_equal(profile_of(codes).levels, [[1, 0], [0, 1], [0, 0]])


# Numbers that depend on each other ---------------------------------------------------------------


def rows_with_gaps(n=14, q=3, seed=1):
    """Rows of three numbers, some of which lack one or two, and one category."""
    rng = np.random.default_rng(seed)
    mix = np.array([[1.0, 0.5, 0.2], [0.0, 1.0, -0.4], [0.0, 0.0, 0.7]])
    numbers = rng.normal(size=(n, q)) @ mix
    patterns = np.array([[True, False, False], [True, False, True]])
    pattern = np.full(n, -1)
    pattern[[2, 5, 9]], pattern[[0, 6]] = 0, 1
    table = np.eye(2)[rng.integers(2, size=n)]
    empty = np.zeros((n, 0))
    profile = Profile(empty, empty, empty, table, np.zeros(2, dtype=np.int64))
    return Dependents(numbers, patterns, pattern, profile)


def naive_expectation(rows, model, k):
    """Rows with their gaps completed in class k, what remains of the covariance, and densities."""
    mean, cov = model[1][k], model[2][k]
    full, rest = rows.numbers.copy(), np.zeros((len(rows.numbers), *cov.shape))
    density = np.zeros(len(full))
    for i, which in enumerate(rows.pattern):
        lost = rows.patterns[which] if which >= 0 else np.zeros(len(mean), dtype=bool)
        has = ~lost
        own = np.linalg.inv(cov[np.ix_(has, has)])
        away = rows.numbers[i, has] - mean[has]
        density[i] = -0.5 * away @ own @ away
        density[i] -= 0.5 * np.log(np.linalg.det(cov[np.ix_(has, has)]))
        full[i, lost] = mean[lost] + cov[np.ix_(lost, has)] @ own @ away
        rest[i][np.ix_(lost, lost)] = (
            cov[np.ix_(lost, lost)] - cov[np.ix_(lost, has)] @ own @ cov[np.ix_(has, lost)]
        )
    return full, rest, density


def naive_dependent(rows, belongs, model):
    """The maximum of one round; gaps are those of the model before, if there is one."""
    n, n_classes = belongs.shape
    q = rows.numbers.shape[1]
    means, sums = np.zeros((n_classes, q)), np.zeros((n_classes, q, q))
    for k in range(n_classes):
        full, rest = rows.numbers, np.zeros((n, q, q))
        if model is not None:
            full, rest, _ = naive_expectation(rows, model, k)
        means[k] = belongs[:, k] @ full / belongs[:, k].sum()
        for i in range(n):
            away = full[i] - means[k]
            sums[k] += belongs[i, k] * (np.outer(away, away) + rest[i])
    common = sums.sum(axis=0) / n + LEAST_VARIANCE * np.eye(q)
    counts = belongs.sum(axis=0)[:, None, None]
    drawn = (sums + PRIOR_ROWS * common) / (counts + PRIOR_ROWS) + 1e-6 * np.eye(q)
    shares = np.log((belongs.sum(axis=0) + 1.0) / (n + n_classes))
    prior = PRIOR_LEVELS * rows.profile.levels.mean(axis=0)
    theta = (belongs.T @ rows.profile.levels + prior) / (belongs.sum(axis=0)[:, None] + 2.0)
    return shares, means, drawn, np.log(theta)


@pytest.mark.parametrize(("n_rounds", "n_used"), [(1, 2), (3, 2), (2, 1)])
@pytest.mark.parametrize("has_gaps", [True, False])
def test_rounds_of_dependent_numbers_are_their_definition(n_rounds, n_used, has_gaps):
    rows = rows_with_gaps()
    if not has_gaps:
        rows = rows._replace(pattern=np.full(14, -1))
    start, before = np.arange(14) % n_used, [None]

    def maximise(belongs):
        before[0] = naive_dependent(rows, belongs, before[0])
        return before[0]

    def likelihood(model):
        normal = [naive_expectation(rows, model, k)[2] for k in range(2)]
        return model[0] + rows.profile.levels @ model[3].T + np.column_stack(normal)

    labels, expected, model = rounds_of(start, 2, maximise, likelihood, n_rounds)
    found = fit_dependent(rows, start, 2, max_rounds=n_rounds)
    assert found.likelihood == pytest.approx(expected)
    assert_array_equal(found.labels, labels)
    assert_allclose(found.model.shares, model[0])
    assert_allclose(found.model.means, model[1])
    assert_allclose(found.model.covariances, model[2])
    assert_allclose(found.model.log_theta, model[3])
    for root, covariance in zip(found.model.inverse_roots, model[2], strict=True):
        assert_allclose(np.linalg.inv(root) @ np.linalg.inv(root).T, covariance)
    assert_allclose(dependent_likelihood(rows, found.model), likelihood(model))


def test_a_table_as_dependent_numbers(monkeypatch):
    table = every_kind(90, gaps=0.15)
    rows = dependents_of(table)
    embedding = learn_embedding(table)
    is_number = number_coordinates(embedding)
    points = transform(embedding, table.values, balance="directions")
    assert_array_equal(rows.numbers, points[:, is_number])
    gaps = np.isnan(place_rows(embedding.blocks, table.values)[:, is_number])
    assert_array_equal(rows.pattern >= 0, gaps.any(axis=1))
    for row in np.flatnonzero(gaps.any(axis=1)):
        assert_array_equal(rows.patterns[rows.pattern[row]], gaps[row])
    assert len(np.unique(rows.patterns, axis=0)) == len(rows.patterns)
    given = rows.profile._replace(levels=np.zeros((90, 0)))
    assert dependents_of(table, given).profile is given
    assert_array_equal(rows.profile.levels, profile_of(table).levels)
    # Fewer patterns in some of the rows, numbered again.
    some = np.flatnonzero(rows.pattern != 0)[::3]
    part = rows.take(some)
    assert len(part.patterns) == len(np.unique(rows.pattern[some][rows.pattern[some] >= 0]))
    for row, own in zip(some, part.pattern, strict=True):
        before = rows.pattern[row]
        assert (own < 0) == (before < 0)
        if own >= 0:
            assert_array_equal(part.patterns[own], rows.patterns[before])
    # Nine numbers are completed class by class up to the limit, and not beyond it.
    monkeypatch.setattr(dependent, "MAX_COMPLETED", 9)
    assert (dependents_of(table).pattern >= 0).any()
    monkeypatch.setattr(dependent, "MAX_COMPLETED", 8)
    assert (dependents_of(table).pattern == -1).all()
    # So many numbers are taken, and no more.
    monkeypatch.setattr(dependent, "MAX_NUMBERS", 9)
    assert dependents_of(table) is not None
    monkeypatch.setattr(dependent, "MAX_NUMBERS", 8)
    assert dependents_of(table) is None


def test_the_usual_numbers_of_rounds(monkeypatch):
    asked = []
    monkeypatch.setattr(classes, "fit_mixture", lambda *given: asked.append(given[3:]) or (0, 0, 0))
    monkeypatch.setattr(
        dependent, "fit_mixture", lambda *given: asked.append(given[3:]) or (0, 0, 0)
    )
    rows = rows_with_gaps()
    fit_classes(rows.profile, np.zeros(14, dtype=int), 1)
    fit_dependent(rows, np.zeros(14, dtype=int), 1)
    assert asked == [(100, 1e-5), (40, 1e-4)]
