"""Which source columns of a mixed table matter.

The idea is that of `weft.columns.screening`: a column matters if it depends on others more than the
best of its shadows does, and if the columns that depend on each other are clumped. Here a column is
a source column throughout. Its shadow is the whole column with its rows permuted, never a single
level of it: the 0/1 columns of one category depend on each other by construction and would always
beat shadows that are permuted one by one. And the cloud that a group has to be tighter than is cut
into the same levels (see `weft.columns.mixed.copula`), so answers that follow one trait do not
count as clusters.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.sparse.csgraph import connected_components
from scipy.stats import norm

from weft._base.arrays import Floats, Integers, Mask
from weft.columns.mixed.clumps import is_clumped
from weft.columns.mixed.dependence import Cells, find_copies, make_cells, source_scores
from weft.columns.screening import Screening, has_two_modes
from weft.columns.source import MixedTable, SourceColumn
from weft.parallel.blas import one_blas_thread

MAX_ROWS = 1000
PARTNERS = 3  # a column may have only this many: then their mean z tells more than the sum
MAX_ROUNDS = 6
FIRST_SHADOWS = 3
FIRST_LEVEL = 0.95  # of the shadows, to be among the references of the second round
PAIR_LEVEL = 0.05  # for all pairs together, to be in one group
# The same for two groups. Pairs of columns that share a column are not independent, so their sum
# varies more than a normal deviate, and the level is low.
GROUP_LEVEL = 0.001
TINY = 1e-9


def screen(table: MixedTable, rate: float, rng: np.random.Generator) -> Screening:
    """Return the source columns that matter.

    Parameters
    ----------
    table : MixedTable
        Rows.
    rate : float
        On noise alone, a column is kept in about this share of tables.
    rng : Generator
        Draws of rows, shadows and clouds.

    Returns
    -------
    Screening
        ``kept``, ``dependent``, ``group`` and ``strength``, one entry for each source column that
        is used. A column that repeats another has the answer of that one.
    """
    if len(table.values) > MAX_ROWS:
        chosen = np.sort(rng.choice(len(table.values), MAX_ROWS, replace=False))
        table = table.take_rows(chosen)
    with one_blas_thread():
        cells = make_cells(table)
        copy_of = find_copies(table, cells)
        firsts = np.unique(copy_of)
        found = _screen_different(table.take_columns(firsts), rate, rng)
    place = np.searchsorted(firsts, copy_of)
    return Screening(
        found.kept[place], found.dependent[place], found.group[place], found.strength[place]
    )


def _screen_different(table: MixedTable, rate: float, rng: np.random.Generator) -> Screening:
    """Return the answer for columns none of which repeats another."""
    cells = make_cells(table)
    dependent, strength = find_dependent(cells, rate, rng)
    group = np.full(len(dependent), -1, dtype=np.int64)
    group[dependent] = group_sources(cells, dependent)
    level = rate / len(dependent)
    kept = np.array([_has_two_modes(table, column, level) for column in table.used], dtype=bool)
    n_groups = int(group.max(initial=-1)) + 1
    for number in range(n_groups):
        members = np.flatnonzero(group == number)
        kept[members] |= is_clumped(table.take_columns(members), rate / (10.0 * n_groups), rng)
    return Screening(kept, dependent, group, strength)


def _has_two_modes(table: MixedTable, column: SourceColumn, level: float) -> bool:
    """Return whether a source column is one column of numbers with two clear modes."""
    if column.measures != ("number",) or column.kind == "ordered":
        return False
    values = table.values[:, column.positions[0]]
    values = values[~np.isnan(values)]
    return len(values) > 0 and has_two_modes(values, level)


def find_dependent(cells: Cells, rate: float, rng: np.random.Generator) -> tuple[Mask, Floats]:
    """Return which source columns beat all shadows, and by how much."""
    n_sources = cells.n_sources
    varying = np.zeros(n_sources, dtype=bool)
    varying[cells.source[cells.codes.max(axis=0, initial=0) > 0]] = True
    strength = np.zeros(n_sources)
    if varying.sum() < 2:
        return np.zeros(n_sources, dtype=bool), strength
    n_rows = len(cells.codes)
    real = source_scores(cells)
    # Shadows do not depend on the references: one set serves all rounds. With 2 / rate sets a
    # noise column beats them all, in either way, in `rate` / columns of all tables.
    n_shadows = math.ceil(2.0 / rate)
    shadows = [source_scores(cells, rng.permutation(n_rows)) for _ in range(n_shadows)]
    first = [evidence(scores, varying) for scores in shadows[:FIRST_SHADOWS]]
    levels = np.quantile(np.array(first)[:, :, varying], FIRST_LEVEL, axis=(0, 2))
    kept = varying & (evidence(real, varying) > levels[:, np.newaxis]).any(axis=0)
    seen: set[bytes] = set()
    for _ in range(MAX_ROUNDS):
        if kept.sum() < 2:
            return np.zeros_like(kept), strength
        best = np.array([evidence(scores, kept)[:, varying].max(axis=1) for scores in shadows])
        highest = np.maximum(best.max(axis=0), TINY)
        strength = (evidence(real, kept) / highest[:, np.newaxis]).max(axis=0)
        strength[~varying] = 0.0
        before, kept = kept, strength > 1.0
        if (kept == before).all() or kept.tobytes() in seen:
            break
        seen.add(kept.tobytes())
    return kept, strength


def evidence(scores: Floats, references: Mask) -> Floats:
    """Return Σ z / √count and the mean of the largest few z over the references, (2, sources).

    A column is not its own reference.
    """
    own = references.astype(int)
    count = np.maximum(references.sum() - own, 1)
    overall = scores[:, references].sum(axis=1) / np.sqrt(count)  # its own z is 0
    apart = np.where(references, scores, -np.inf)
    np.fill_diagonal(apart, -np.inf)
    n_partners = max(min(PARTNERS, int(references.sum()) - 1), 1)
    largest = np.sort(apart, axis=1)[:, -n_partners:]
    return np.array([overall, np.where(np.isfinite(largest), largest, 0.0).mean(axis=1)])


def group_sources(cells: Cells, dependent: Mask) -> Integers:
    """Return a number per dependent column: those that depend on each other share it.

    A column that beat its shadows without a clear partner depends on many a little: it belongs to
    the largest group. Groups whose pairs of columns depend on each other when all are added up are
    one group: each pair by itself says less where rows are few or values are missing.
    """
    columns = np.flatnonzero(dependent)
    if len(columns) == 0:
        return np.zeros(0, dtype=np.int64)
    n_pairs = max(1, len(dependent) * (len(dependent) - 1) // 2)
    scores = source_scores(cells)[np.ix_(columns, columns)]
    linked = scores > norm.isf(PAIR_LEVEL / n_pairs)
    group = np.asarray(connected_components(linked, directed=False)[1])
    sizes = np.bincount(group)
    if sizes.max() > 1:
        group = np.where(sizes[group] == 1, sizes.argmax(), group)
    else:
        group = np.zeros_like(group)
    group = np.unique(group, return_inverse=True)[1].astype(np.int64)
    return _join_groups(group, scores)


def _join_groups(group: Integers, scores: Floats) -> Integers:
    """Return the groups, joined where Σ z over the pairs of columns of two groups is large."""
    member = (group[:, np.newaxis] == np.arange(group.max() + 1)).astype(np.float64)
    sizes = member.sum(axis=0)
    n_pairs = max(1, len(sizes) * (len(sizes) - 1) // 2)
    between = (member.T @ scores @ member) / np.sqrt(np.outer(sizes, sizes))
    linked = between > norm.isf(GROUP_LEVEL / n_pairs)
    joined = np.asarray(connected_components(linked, directed=False)[1])
    return np.unique(joined[group], return_inverse=True)[1].astype(np.int64)
