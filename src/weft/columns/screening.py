"""Find the relevant columns: those that depend on others more than the best of their shadows does.

Clusters make columns depend on each other: one value predicts the cluster, and the cluster predicts
the other value. A noise column depends on no other. So each column's dependence on the others is
measured, and compared with shadows: copies of all columns with permuted rows, which keep each
column's distribution but break its links to the others. A column is kept if it beats the best
shadow; then the dependence is measured again against the kept columns only, until nothing changes.
The kept columns must also form clumps (see `weft.columns.clumps`), because correlated noise columns
depend on each other too.

The idea of competing with permuted copies is that of Kursa and Rudnicki, "Feature selection with
the Boruta package", JSS 2010, for supervised learning; here no labels are needed.

=========  ==================  ====================================================================
symbol     shape               meaning
=========  ==================  ====================================================================
n, d, b    ()                  rows, columns, bins of a column
C          (n, d b) or (n, d)  contrasts: sums of squared products of two columns' contrasts are
                               χ² / n (`weft.backends.reference.columns`)
z          (columns, columns)  χ² of two columns as a standard normal score
=========  ==================  ====================================================================
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.sparse.csgraph import connected_components
from scipy.stats import norm

from weft._base.arrays import Floats, Integers, Mask
from weft.backends import CPU, Backend
from weft.backends.cpu.ranks import unit_ranks
from weft.columns.clumps import is_clumped
from weft.kmeans.plain import sample
from weft.parallel.blas import one_blas_thread

USUAL_RATE = 0.05
MOST_ROWS = 1000
MOST_BINS = 6
WIDE = 3000  # more columns than this are compared by rank correlation, a tenth of the work
PARTNERS = 3  # if a column depends on only a few others, their mean z is better than the sum
MOST_REFERENCES = 150  # kept columns that the others are compared with
MOST_ROUNDS = 6
TINY = 1e-9  # evidence that any dependence passes
TILE = 500  # columns binned, or compared, at once
FIRST_SHADOWS = 3
FIRST_LEVEL = 0.95  # of the shadows, to be among the references of the second round
PAIR_LEVEL = 0.05  # for all pairs together, to be in one group
CLEAR_MODES = 0.85  # share of variance between the halves of a column that has two modes
# That share of n uniform values, as log-odds, has the mean log 3 + MODES_SHIFT / n, the deviation
# MODES_SPREAD / √n and the skewness MODES_SKEW / √n: log 3 because a cut of the uniform
# distribution explains 3 / 4 of its variance, the other numbers by simulation.
MODES_SHIFT, MODES_SPREAD, MODES_SKEW = 2.5, 1.467, 2.2


class Contrasts(NamedTuple):
    """Columns as bins or ranks, ready to be compared with each other."""

    n_rows: int
    freedom: Floats  # (d,) levels - 1; 0 for a constant column
    backend: Backend
    resident: Any  # the columns as the backend holds them


class Evidence(NamedTuple):
    """Dependence of each column on the references: over all, and on its nearest few."""

    overall: Floats
    nearest: Floats


class Screening(NamedTuple):
    """Which columns matter."""

    kept: Mask
    dependent: Mask  # beat their shadows; kept if their group is clumped too
    group: Integers  # of each dependent column; -1 for the others
    strength: Floats  # evidence over that of the best shadow; 1 and above is dependent


def screen(
    X: Floats, rate: float, rng: np.random.Generator, *, backend: Backend = CPU
) -> Screening:
    """Return the columns that matter; on pure noise, one is kept in about `rate` of all tables."""
    rows = sample(X, MOST_ROWS, rng)
    contrasts = make_contrasts(rows, backend)
    dependent, strength = find_dependent(contrasts, rate, rng)
    modal = np.array([has_two_modes(column, rate / X.shape[1]) for column in rows.T])
    group = np.full(X.shape[1], -1, dtype=np.int64)
    group[dependent] = group_columns(contrasts, dependent)
    kept = modal.copy()
    n_groups = int(group.max()) + 1
    for number in range(n_groups):
        members = group == number
        kept[members] |= is_clumped(rows[:, members], rate / (10.0 * n_groups), rng)
    return Screening(kept, dependent, group, strength)


def columns_that_matter(X: Floats, seed: int) -> Mask:
    """Return `screen`'s answer at its usual rate, from a seed."""
    with one_blas_thread():
        return screen(X, USUAL_RATE, np.random.default_rng([seed, 9])).kept


def make_contrasts(rows: Floats, backend: Backend = CPU) -> Contrasts:
    """Return the bins of each column, or its centred ranks in a wide table, to be compared."""
    n, d = rows.shape
    if d > WIDE:
        ranks = unit_ranks(rows).astype(np.float32)
        freedom = (np.ptp(rows, axis=0) > 0.0).astype(float)
        resident = backend.columns.load_ranks(ranks, freedom, backend.device)
        return Contrasts(n, freedom, backend, resident)
    bins, n_bins = bins_of(rows)
    resident = backend.columns.load_bins(bins, n_bins, backend.device)
    return Contrasts(n, bins.max(axis=0).astype(float), backend, resident)


def bins_of(rows: Floats) -> tuple[npt.NDArray[np.int8], int]:
    """Return the bin of each value (n, d), and the number of bins."""
    n_bins = int(np.clip(round(math.sqrt(len(rows) / 12)), 3, MOST_BINS))
    return bin_columns(rows, n_bins).astype(np.int8, order="C"), n_bins


def bin_columns(rows: Floats, n_bins: int) -> Integers:
    """Return `bin_column` of each column; columns without equal values are ordered together."""
    n, d = rows.shape
    bins = np.empty((d, n), dtype=np.int64)
    same_for_all = bin_column(np.arange(float(n)), n_bins)  # of n different values, in order
    for first in range(0, d, TILE):
        columns = np.ascontiguousarray(rows[:, first : first + TILE].T)
        order = np.argsort(columns, axis=1)
        ordered = np.take_along_axis(columns, order, axis=1)
        differ = (ordered[:, 1:] > ordered[:, :-1]).all(axis=1)
        part = bins[first : first + TILE]
        np.put_along_axis(part, order, same_for_all[np.newaxis], axis=1)
        for column in np.flatnonzero(~differ):
            part[column] = bin_column(columns[column], n_bins)
    return bins.T


def bin_column(column: Floats, n_bins: int) -> Integers:
    """Return bins of about equal counts; ties share a bin; few distinct values keep their own."""
    distinct, order, counts = np.unique(column, return_inverse=True, return_counts=True)
    if len(distinct) > n_bins:
        ranks = np.cumsum(counts) - 0.5 * (counts - 1)  # of the distinct values, from 1
        bins = ((ranks - 0.5) * n_bins / len(column)).astype(np.int64)
        steps = np.diff(bins, prepend=bins[0]) > 0
        return np.cumsum(steps, dtype=np.int64)[order]  # an empty bin has no number
    return order.astype(np.int64)


def find_dependent(
    contrasts: Contrasts, rate: float, rng: np.random.Generator
) -> tuple[Mask, Floats]:
    """Return which columns beat all shadows, and by how much."""
    varying = contrasts.freedom > 0.0
    references = np.flatnonzero(varying)
    if len(references) < 2:
        return np.zeros(len(varying), dtype=bool), np.zeros(len(varying))
    real = gather(contrasts, references, None)
    shadows = [gather(contrasts, references, rng) for _ in range(FIRST_SHADOWS)]
    overall = np.quantile([shadow.overall for shadow in shadows], FIRST_LEVEL)
    nearest = np.quantile([shadow.nearest for shadow in shadows], FIRST_LEVEL)
    kept = varying & ((real.overall > overall) | (real.nearest > nearest))
    seen: set[bytes] = set()
    strength = np.zeros(len(varying))
    sampled = False
    # With 2 / rate sets of shadows a noise column beats them all, in either way, in `rate` / d.
    n_shadows = math.ceil(2.0 / rate)
    for _ in range(MOST_ROUNDS):
        if kept.sum() < 2:
            return np.zeros_like(kept), strength
        references = np.flatnonzero(kept)
        sampled_before, sampled = sampled, len(references) > MOST_REFERENCES
        if sampled:
            references = np.sort(rng.choice(references, MOST_REFERENCES, replace=False))
        real = gather(contrasts, references, None)
        shadows = [gather(contrasts, references, rng) for _ in range(n_shadows)]
        overall = max(max(float(shadow.overall.max()) for shadow in shadows), TINY)
        nearest = max(max(float(shadow.nearest.max()) for shadow in shadows), TINY)
        strength = np.maximum(real.overall / overall, real.nearest / nearest)
        strength[~varying] = 0.0
        before, kept = kept, strength > 1.0
        if (kept == before).all() or kept.tobytes() in seen:
            break
        if sampled and sampled_before:
            break  # another sample of the references would change `kept` only by chance
        seen.add(kept.tobytes())
    return kept, strength


def gather(contrasts: Contrasts, references: Integers, rng: np.random.Generator | None) -> Evidence:
    """Return how far each column depends on the references; with `rng`, each column's shadow.

    One permutation of the rows is used for all columns: it breaks the links of each to the others.
    """
    n_rows = contrasts.n_rows
    rows = np.arange(n_rows) if rng is None else rng.permutation(n_rows)
    n_partners = min(PARTNERS, len(references) - 1)
    compare = contrasts.backend.columns.dependence
    return Evidence(*compare(contrasts.resident, references, rows, n_partners))


def group_columns(contrasts: Contrasts, dependent: Mask) -> Integers:
    """Return a number per dependent column: those that depend on each other share it."""
    columns = np.flatnonzero(dependent)
    if len(columns) == 0:
        return np.zeros(0, dtype=np.int64)
    linked = np.zeros((len(columns), len(columns)), dtype=bool)
    clear = norm.isf(PAIR_LEVEL / max(1, len(dependent) * (len(dependent) - 1) // 2))
    for first in range(0, len(columns), TILE):
        tile = slice(first, first + TILE)
        z = contrasts.backend.columns.scores(contrasts.resident, columns[tile], columns)
        linked[tile] = z > clear
    return _with_singles(np.asarray(connected_components(linked, directed=False)[1]))


def _with_singles(group: Integers) -> Integers:
    """Assign columns without a clear partner to a group.

    If many columns depend on each other slightly, no single pair may be clear: a column that beat
    its shadows but is linked to no other depends on many. If most columns are like this, they form
    a group, together with the pairs among them; otherwise they join the largest group.
    """
    sizes = np.bincount(group)
    singles = sizes[group] == 1
    if singles.sum() > sizes.max():
        group = np.where(sizes[group] <= 2, group[singles][0], group)
    elif sizes.max() > 1:
        group = np.where(singles, sizes.argmax(), group)
    return np.unique(group, return_inverse=True)[1].astype(np.int64)


def has_two_modes(column: Floats, level: float) -> bool:
    """Return whether a continuous column alone has two clear modes.

    Columns of a grid of clusters can be independent of each other, but their margins show clusters.
    The best cut in two explains 64 % of the variance of a Gaussian and 75 % of a uniform column. A
    column of few uniform values passes with a probability of at most `level`.
    """
    values = np.sort(column)
    n = len(values)
    if n < 20 or len(np.unique(values)) < n // 2:
        return False  # few levels: even a coin has two modes
    sums = np.cumsum(values - values.mean())[:-1]
    left = np.arange(1, n)
    between = sums**2 * n / (left * (n - left))
    total = float(((values - values.mean()) ** 2).sum())
    cut = int(between.argmax())
    enough = min(cut + 1, n - cut - 1) >= max(5, n // 20)
    return bool(enough and total > 0.0 and between[cut] > clear_share(n, level) * total)


@cache
def clear_share(n_rows: int, level: float) -> float:
    """Return the share of variance that two clear modes explain.

    It is 85 %, or what n uniform values exceed with probability `level`, by the Cornish-Fisher
    expansion of their log-odds, if that is more.

    Examples
    --------
    >>> clear_share(1000, 0.001), round(clear_share(20, 0.001), 3)
    (0.85, 0.922)
    """
    root = math.sqrt(n_rows)
    z = float(norm.isf(level))
    beyond = z + (z * z - 1.0) / 6.0 * MODES_SKEW / root
    odds = math.exp(math.log(3.0) + MODES_SHIFT / n_rows + beyond * MODES_SPREAD / root)
    return max(CLEAR_MODES, odds / (1.0 + odds))
