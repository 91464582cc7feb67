"""A table in blocks of rows that need not be in memory together, and one pass over them.

A block is a task of Dask that loads or generates some rows. A pass gives every
block to a function and adds the results up, neighbours first, in an order that depends only on the
number of blocks. So no bit depends on the number or the speed of the workers.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from weft._base.arrays import Floats, Labels
from weft._base.validation import import_optional
from weft.kmeans.data import Data, make_data, mass_of, nearest, own_distances
from weft.parallel.threads import one_range

T = TypeVar("T")
FOLD = 16  # results that are added up in one task


class Blocks(NamedTuple):
    """Rows and, if they count differently, their masses; one task of Dask each."""

    rows: list[Any]
    mass: list[Any] | None
    n_features: int

    def fold(
        self,
        function: Callable[..., T],
        add: Callable[[Sequence[T]], T],
        state: Any,
        *,
        idle: bool = False,
    ) -> T:
        """Return ``add`` of ``function(number, rows, mass, state)`` over the blocks.

        Rows without mass are left out, unless `idle`.
        """
        dask = import_optional("dask", "scale")
        shared = dask.delayed(state)  # once in the graph, not once per block
        call = dask.delayed(_call)
        mass: Sequence[Any] = [None] * len(self.rows) if self.mass is None else self.mass
        parts = [
            call(function, number, rows, own, shared, idle)
            for number, (rows, own) in enumerate(zip(self.rows, mass, strict=True))
        ]
        return folded(parts, add)


def folded(parts: list[Any], add: Callable[[Sequence[T]], T]) -> T:
    """Return ``add`` of the results of some tasks; their number alone determines the order."""
    dask = import_optional("dask", "scale")
    join = dask.delayed(add)
    while True:
        parts = [join(parts[i : i + FOLD]) for i in range(0, len(parts), FOLD)]
        if len(parts) == 1:
            return dask.compute(parts[0])[0]


def _call(
    function: Callable[..., T], number: int, rows: Any, mass: Any, state: Any, idle: bool
) -> T:
    table = np.ascontiguousarray(np.asarray(rows), dtype=np.float64)
    own = np.ones(len(table)) if mass is None else np.asarray(mass, dtype=np.float64).ravel()
    if len(own) != len(table):
        raise ValueError(
            f"sample_weight has {len(own)} numbers where X has {len(table)} rows, in block "
            f"{number}; give it the same chunks as X."
        )
    if mass is not None and not idle:
        table, own = table[own > 0.0], own[own > 0.0]
    return function(number, table, own, state)


class Survey(NamedTuple):
    """Results of one pass over all rows."""

    lengths: list[int]  # rows of each block
    low: Floats  # (M,)
    high: Floats
    mass: float
    seen: Floats  # (M,), mass of the observed values
    total: Floats  # (M,), their sum
    missing: bool
    infinite: bool
    blank: bool  # some row has no value at all
    negative: bool  # some mass is negative


def survey(number: int, rows: Floats, mass: Floats, state: None) -> Survey:
    """Survey one block."""
    lost = np.isnan(rows)
    counting = mass > 0.0
    used = rows[counting] if not counting.all() else rows
    with np.errstate(invalid="ignore", over="ignore"):
        seen = (mass[:, None] * ~lost).sum(axis=0)
        total = (mass[:, None] * np.where(lost, 0.0, rows)).sum(axis=0)
    return Survey(
        [len(rows)],
        np.fmin.reduce(used, axis=0, initial=np.inf),
        np.fmax.reduce(used, axis=0, initial=-np.inf),
        float(mass.sum()),
        seen,
        total,
        bool(lost.any()),
        bool(np.isinf(rows).any()),
        bool(lost.all(axis=1).any()),
        bool((mass < 0.0).any()),
    )


def add_surveys(parts: Sequence[Survey]) -> Survey:
    """Combine surveys."""
    out = parts[0]
    for part in parts[1:]:
        out = Survey(
            out.lengths + part.lengths,
            np.fmin(out.low, part.low),
            np.fmax(out.high, part.high),
            out.mass + part.mass,
            out.seen + part.seen,
            out.total + part.total,
            *(a or b for a, b in zip(out[6:], part[6:], strict=True)),
        )
    return out


def units_of(low: Floats, high: Floats) -> Floats:
    """Return powers of 2 (M,) that bring each column's range to between 1 and 2."""
    reach = high - low
    with np.errstate(divide="ignore"):
        power = np.where(reach > 0.0, -np.floor(np.log2(reach)), 0.0)
    return np.asarray(2.0 ** np.clip(power, -1000.0, 1000.0))


class Step(NamedTuple):
    """Input of a pass: rows are assigned by `centers` and `factors`, sums are around `trial`."""

    centers: Floats  # (K, M)
    factors: Floats  # (K, M)
    trial: Floats  # (K, M)
    units: Floats  # (M,), see `units_of`
    exponent: float
    refilled: dict[tuple[int, int], int]  # (block, row) → the empty cluster it was given to
    before: tuple[Floats, Floats] | None = None  # centres and factors to count changes from


class Sums(NamedTuple):
    """Sums over the rows of each cluster; see `power_sums` of the reference."""

    n_rows: Floats  # (K,)
    mass: Floats  # (K,)
    sizes: Floats  # (K,), of the loads
    seen: Floats  # (K, M)
    total: Floats
    slope: Floats
    curve: Floats
    check: NDArray[np.uint64]  # (1,), the same for the same labels
    changed: float  # mass of the rows that were elsewhere `before`


def block_data(rows: Floats, mass: Floats, exponent: float) -> Data:
    """Return one block ready for `nearest`, on one thread."""
    return make_data(rows, mass, exponent, one_range)


def block_labels(number: int, data: Data, step: Step) -> Labels:
    """Return the cluster of each row of a block."""
    labels = nearest(data, step.centers, step.factors)
    for (block, row), cluster in step.refilled.items():
        if block == number:
            labels[row] = cluster
    return labels


def sums(number: int, rows: Floats, mass: Floats, step: Step) -> Sums:
    """Assign the rows of one block and sum over its clusters."""
    data = block_data(rows, mass, step.exponent)
    labels = block_labels(number, data, step)
    n_clusters = len(step.centers)
    seen, total, slope, curve = data.backend.kmeans.power_sums(
        data.rows, labels, step.trial, step.units
    )
    changed = 0.0
    if step.before is not None:
        earlier = nearest(data, *step.before)
        changed = float(mass[earlier != labels].sum())
    return Sums(
        np.bincount(labels, minlength=n_clusters).astype(np.float64),
        mass_of(labels, mass, n_clusters),
        mass_of(labels, data.load, n_clusters),
        *(seen, total, slope, curve),
        _checksum(number, labels),
        changed,
    )


def add_sums(parts: Sequence[Sums]) -> Sums:
    """Add the sums, in their order."""
    out = parts[0]
    for part in parts[1:]:
        # Parts are arrays or numbers: both add.
        columns: list[Any] = [a + b for a, b in zip(out, part, strict=True)]  # type: ignore[operator]
        out = Sums(*columns)
    return out


def _checksum(number: int, labels: Labels) -> NDArray[np.uint64]:
    """Return a 64-bit checksum of the labels of a block."""
    digest = hashlib.blake2b(str(number).encode(), digest_size=8)
    digest.update(labels.data)
    # An array overflows silently; single numbers would warn.
    return np.frombuffer(digest.digest(), dtype=np.uint64)


class Costly(NamedTuple):
    """The rows with the largest costs, in falling order."""

    cost: Floats  # (t,)
    cluster: NDArray[np.int64]
    block: NDArray[np.int64]
    row: NDArray[np.int64]


def costly(number: int, rows: Floats, mass: Floats, state: tuple[Step, int]) -> Costly:
    """Return the rows of one block with the largest costs."""
    step, count = state
    data = block_data(rows, mass, step.exponent)
    labels = block_labels(number, data, step)
    cost = data.load * own_distances(data, labels, step.centers, step.factors)
    order = np.argsort(-cost, kind="stable")[:count]
    return Costly(cost[order], labels[order].astype(np.int64), np.full(len(order), number), order)


def add_costly(count: int, parts: Sequence[Costly]) -> Costly:
    """Return the rows of several blocks with the largest costs, the first on a tie."""
    columns: list[Any] = [np.concatenate(column) for column in zip(*parts, strict=True)]
    order = np.argsort(-columns[0], kind="stable")[:count]
    return Costly(*(column[order] for column in columns))
