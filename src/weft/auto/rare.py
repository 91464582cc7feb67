"""Rare clusters: a few rows far from all clustered rows, found in a second pass over the table.

At most 2,000 rows are clustered. Of a cluster with one row in a thousand, two are among them, and
no method can distinguish these from outliers. So a second pass goes over all rows. Those farthest
from the clustered rows are collected, and linked if they are nearer to each other than to the
clustered rows. A group of linked rows is a cluster if fewer rows lie between it and the nearest
cluster than within it. The tail of a cluster is not such a group, because the number of rows
increases on the way to the cluster's centre.

=========  =======  ==============================================================================
symbol     shape    meaning
=========  =======  ==============================================================================
δ          (m,)     distance of a row to the nearest core row, in the metric that was learned
core       (A, d)   clustered rows with at least a hundredth of the others around them
=========  =======  ==============================================================================
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.sparse.csgraph import connected_components

from weft._base.arrays import Floats, Integers, Mask
from weft.auto.kernels.distances import pairwise
from weft.auto.rows import Rows
from weft.backends.cpu.known_rows import nearest_rows_of
from weft.backends.spaces import Solution

ISLAND = 0.01  # share of the clustered rows below which a group of them is not part of the core
LONELY = 1.5  # rows beyond this multiple of the usual distance to neighbours are not in the core
MOST_FAR = 1_500  # rows that are collected
LINK = 0.8  # of δ: rows that are nearer to each other are linked
FEWEST = 10  # rows of a rare cluster
CLEAR = 2.0  # how many times denser a rare cluster is than the way to the nearest cluster
DEVIATIONS = 2.3  # by how many deviations its number of rows exceeds that on the way
USUAL = 0.99  # quantile of distances between core rows; rows beyond it are far
STEPS = 4  # parts of a window along the way
WIDEST_WINDOW = 0.25  # of the way
MOST_ANCHORS = 60  # rows that represent a rare cluster


class Known(NamedTuple):
    """The clustered rows as they were given, and the metric."""

    anchors: Floats  # (A, d)
    labels: Integers  # (A,)
    metric: Floats  # (d,) factors of the columns


class Core(NamedTuple):
    """The clustered rows with enough rows around them, and the usual distance of rows from them."""

    known: Known
    usual: float


class Far(NamedTuple):
    """The rows that lie farthest from the core, the farthest first."""

    distance: Floats
    number: Integers  # of the row in its table
    rows: Floats


class Way(NamedTuple):
    """The line from a cluster's centre to a group, and how wide the group is."""

    start: Floats  # (q,) in units of the metric
    axis: Floats  # (q,) of length 1
    length: float  # from the centre to the group's middle
    width: float  # of a window
    reach: float  # squared distance from the line that counts as near it


class RareCluster(NamedTuple):
    """Rows of a cluster that the search did not find."""

    number: Integers
    rows: Floats
    anchors: Integers  # positions among the clustered rows that belong to it


def find_rare(table: Rows, known: Known, min_size: int = FEWEST) -> list[RareCluster]:
    """Return rare clusters, the largest first."""
    used = known.metric > 0.0
    if not used.any() or len(known.anchors) < 2 / ISLAND:
        return []
    core, usual = core_rows(known.anchors[:, used] * known.metric[used], known.labels)
    inner = known._replace(anchors=known.anchors[core], labels=known.labels[core])
    far = table.fold(far_rows, add_far, Core(inner, usual))
    groups = linked_groups(far, known.metric, max(min_size, FEWEST))
    ways = [way_to(far.rows[group], inner) for group in groups]
    if not ways:
        return []
    counts = table.fold(count_along, add_counts, (ways, known.metric))
    outside = np.flatnonzero(~core)
    found = []
    for group, count in zip(groups, counts, strict=True):
        if has_valley(count):
            rows = far.rows[group]
            same = (known.anchors[outside][:, None, used] == rows[None][:, :, used]).all(axis=2)
            own = outside[same.any(axis=1)]
            if len(own) <= 2 * ISLAND * len(known.anchors):
                found.append(RareCluster(far.number[group], rows, own))
    return found


def core_rows(points: Floats, labels: Integers) -> tuple[Mask, float]:
    """Return the clustered rows with a hundredth of all rows within a usual distance.

    Clusters of fewer rows that were already found are part of the core. The number is a distance to
    the next core row that few of them exceed.
    """
    n = len(points)
    n_others = max(2, round(ISLAND * n))
    distances = np.empty((n, n))
    pairwise(np.ascontiguousarray(points), distances)
    reach = np.partition(distances, n_others, axis=1)[:, n_others]
    core = np.ones(n, dtype=bool)
    for cluster in np.unique(labels):
        own = labels == cluster
        if own.sum() > 2 * n_others:
            core[own] = reach[own] <= LONELY * np.median(reach[own])
    np.fill_diagonal(distances, np.inf)
    nearest = distances[np.ix_(core, core)].min(axis=1, initial=np.inf)
    return core, float(np.quantile(nearest, USUAL))


def far_rows(first: int, rows: Floats, core: Core) -> Far:
    """Return the rows of a part that lie farthest from the core, beyond the usual distance."""
    inner = core.known
    distance = np.sqrt(nearest_rows_of(rows, inner.anchors, Solution(inner.metric)).powered)
    beyond = np.flatnonzero(distance > core.usual)
    order = beyond[np.argsort(-distance[beyond], kind="stable")[:MOST_FAR]]
    return Far(distance[order], first + order, rows[order])


def add_far(parts: Sequence[Far]) -> Far:
    """Return the farthest rows of all parts; of equal ones, the smaller by value first."""
    distance, number, rows = (np.concatenate(each) for each in zip(*parts, strict=True))
    by_value = np.lexsort((*rows.T[::-1], -distance))[:MOST_FAR]
    return Far(distance[by_value], number[by_value], rows[by_value])


def linked_groups(far: Far, metric: Floats, smallest: int) -> list[Integers]:
    """Return groups of far rows that are nearer to each other than to the core, largest first."""
    used = metric > 0.0
    points = np.ascontiguousarray(far.rows[:, used] * metric[used])
    distances = np.empty((len(points), len(points)))
    pairwise(points, distances)
    nearer = np.minimum(far.distance[:, None], far.distance[None])
    group = connected_components(distances < LINK * nearer, directed=False)[1]
    sizes = np.bincount(group)
    large = np.flatnonzero(sizes >= smallest)
    large = large[np.argsort(-sizes[large], kind="stable")]
    return [np.flatnonzero(group == number) for number in large]


def way_to(rows: Floats, inner: Known) -> Way:
    """Return the line from the nearest cluster to a group."""
    used = inner.metric > 0.0
    middle = rows.mean(axis=0, keepdims=True)
    nearest = nearest_rows_of(middle, inner.anchors, Solution(inner.metric)).indices[0]
    own = inner.anchors[inner.labels == inner.labels[nearest]]
    factors = inner.metric[used]
    start = own[:, used].mean(axis=0) * factors
    axis = middle[0, used] * factors - start
    length = float(np.sqrt(axis @ axis))
    axis = axis / max(length, 1e-300)
    along, aside = _places(rows[:, used] * factors, start, axis)
    width = max(float(along.std()), WIDEST_WINDOW * length)
    return Way(start, axis, length, width, float(np.quantile(aside, 0.9)))


def _places(points: Floats, start: Floats, axis: Floats) -> tuple[Floats, Floats]:
    """Return how far along a line rows lie, and their squared distance from it."""
    offsets = points - start
    along = offsets @ axis
    return along, np.maximum((offsets * offsets).sum(axis=1) - along * along, 0.0)


def count_along(first: int, rows: Floats, state: tuple[list[Way], Floats]) -> list[Integers]:
    """Return how many rows near each line lie in each step of it, to beyond its end."""
    ways, metric = state
    used = metric > 0.0
    points = rows[:, used] * metric[used]
    found = []
    for way in ways:
        along, aside = _places(points, way.start, way.axis)
        step = way.width / STEPS
        n_steps = int(np.ceil(way.length / step)) + STEPS
        bins = np.floor(along[aside <= way.reach] / step)
        bins = bins[(bins >= 0) & (bins < n_steps)].astype(np.int64)
        found.append(np.bincount(bins, minlength=n_steps))
    return found


def add_counts(parts: Sequence[list[Integers]]) -> list[Integers]:
    """Add the counts of all parts."""
    return [np.sum(each, axis=0) for each in zip(*parts, strict=True)]


def has_valley(counts: Integers) -> bool:
    """Return whether a group at the end of the way is denser than the way to it.

    `counts` ends one window beyond the group's middle.
    """
    windows = np.convolve(counts, np.ones(STEPS, dtype=np.int64), "valid")
    peak = int(windows[-2 * STEPS :].max())
    place = len(windows) - 2 * STEPS + int(windows[-2 * STEPS :].argmax())
    lowest = int(windows[:place].min(initial=peak))
    beyond = peak - lowest >= DEVIATIONS * np.sqrt(peak + lowest)
    return peak >= FEWEST and peak >= CLEAR * lowest and bool(beyond)
