"""Single rows of a report: cluster, doubt, values; typical, doubtful and odd rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from weft._base.arrays import Floats, Integers
from weft.answers.membership import Membership
from weft.answers.views import ColumnView
from weft.reporting.distributions import cell
from weft.reporting.space import sample
from weft.reporting.sureness import Sureness

N_ROWS = 20_000
N_CELLS = 120_000  # values that a page holds, so that rows can be looked up
N_TYPICAL = 3
N_LISTED = 8
N_TOP = 3  # clusters of a row whose probabilities are shown


def describe_rows(
    labels: Integers,
    measured: Sureness,
    columns: Sequence[ColumnView],
    *,
    row_numbers: Integers,
    membership: Membership | None = None,
    outlier_scores: Floats | None = None,
    alternatives: Sequence[Integers] = (),
    row_names: Sequence[str] | None = None,
) -> dict[str, Any]:
    """Return the rows as columns of one table; a random 20,000 of them if there are more.

    Parameters
    ----------
    labels : (n,)
    measured : of the same rows
    columns : the most important first; the last ones are dropped if there are too many
    row_numbers : (n,) numbers in the user's table, from 1
    membership : the most likely clusters of each row, if they are known
    outlier_scores : (n,) in [0, 1], if there are any
    alternatives : labels of other answers
    row_names : a name for each row
    """
    n, numbers = len(labels), row_numbers
    shown = sample(labels, N_ROWS)[: 2 * N_ROWS]
    kept = list(columns[: int(np.clip(N_CELLS // max(len(shown), 1), 4, 40))])
    odd = measured.odd if outlier_scores is None else np.asarray(outlier_scores, dtype=float)
    described: dict[str, Any] = {
        "n_rows": n,
        "row": numbers[shown].tolist(),
        "label": labels[shown].tolist(),
        "next": measured.next_label[shown].tolist(),
        "sure": _two_digits(measured.sure[shown]),
        "odd": _two_digits(measured.odd[shown]),
        "columns": [
            {"name": column.name, "kind": column.kind, "unit": column.unit,
             "levels": list(column.levels)}
            for column in kept
        ],
        "values": [[cell(column, value) for value in column.values[shown]] for column in kept],
        "typical": _typical(labels, measured, numbers),
        "doubtful": _doubtful(labels, measured, membership, numbers),
        "odd_rows": _most(
            odd, numbers, least=0.5 if outlier_scores is not None else 1.5, ties=measured.odd
        ),
    }  # fmt: skip
    if row_names is not None:
        described["name"] = [str(row_names[i]) for i in shown]
    if outlier_scores is not None:
        described["outlier"] = _two_digits(odd[shown])
    if membership is not None:
        described |= _top_clusters(membership, shown)
    if alternatives:
        described["alternatives"] = [other[shown].tolist() for other in alternatives]
    return described


def _typical(labels: Integers, measured: Sureness, numbers: Integers) -> list[dict[str, Any]]:
    """The rows nearest to all others of their cluster."""
    entries = []
    for label in np.unique(labels[labels != -1]):
        own = np.flatnonzero(labels == label)
        order = np.argsort(measured.to_own[own], kind="stable")[:N_TYPICAL]
        entries.append({"label": int(label), "rows": numbers[own[order]].tolist()})
    return entries


def _doubtful(
    labels: Integers, measured: Sureness, membership: Membership | None, numbers: Integers
) -> list[int]:
    """Return rows between two clusters, the most doubtful first: by probability if it is known."""
    if membership is not None:
        doubt = np.where(labels == -1, -np.inf, 1.0 - membership.probabilities[:, 0])
        least = 0.2
    else:
        doubt = np.where(np.isnan(measured.sure), -np.inf, -measured.sure)
        least = -0.1
    return _most(doubt, numbers, least=least)


def _most(
    values: Floats, numbers: Integers, *, least: float, ties: Floats | None = None
) -> list[int]:
    second = np.zeros(len(values)) if ties is None else ties
    order = np.lexsort((numbers, -second, -values))[:N_LISTED]
    return numbers[order[values[order] >= least]].tolist()


def _top_clusters(membership: Membership, shown: Integers) -> dict[str, Any]:
    chances = membership.probabilities[shown, :N_TOP]
    return {
        "clusters": membership.clusters[shown, :N_TOP].tolist(),
        "chances": [[round(min(float(v), 1.0), 3) for v in row] for row in chances],
    }


def _two_digits(values: Floats) -> list[float | None]:
    return [None if np.isnan(v) else round(float(v), 2) for v in values]
