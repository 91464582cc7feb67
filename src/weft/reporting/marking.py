"""The markers of a clustering, as far as a summary lists them."""

from __future__ import annotations

from typing import Any

import numpy as np

from weft._base.arrays import Floats, Integers
from weft.answers.rules import spread_rows
from weft.columns.markers import marker_columns
from weft.models.kinds import Choice, Fields, Integer, Kind, ListOf, Number, Text
from weft.reporting.profile import as_shares, binary_columns

MOST_LISTED = 200  # of all clusters together
MOST_CELLS = 3_000_000  # that are compared; of larger tables, a sample of the rows is used
FEWEST_LISTED, MOST_OF_A_CLUSTER = 5, 40
_NUMBER = Number(low=-1e300, high=1e300)
MARKERS: Kind = ListOf(
    Fields(
        {
            "cluster": Integer(high=2**31 - 1),
            "feature": Text(),
            "direction": Choice("higher", "lower"),
            **dict.fromkeys(("effect", "mean", "rest_mean"), _NUMBER),
            "false_discovery_rate": Number(low=0.0, high=1.0),
            "module": Integer(low=-1, high=2**53),
        }
    )
)


def list_markers(
    values: Floats, names: list[str], labels: Integers, *, counts: bool
) -> list[dict[str, Any]]:
    """Return the strongest markers of each cluster; none where there is one cluster."""
    n_clusters = len(np.unique(labels[labels >= 0]))
    if n_clusters < 2 or len(values) < 4:
        return []
    if values.size > MOST_CELLS:  # ranking every column would take longer than the fit
        rows = spread_rows(labels, max(MOST_CELLS // values.shape[1], 200))
        values, labels = values[rows], labels[rows]
    markers = marker_columns(values, labels, counts=counts, feature_names=names)
    each = int(np.clip(MOST_LISTED // n_clusters, FEWEST_LISTED, MOST_OF_A_CLUSTER))
    place = np.arange(len(markers)) - np.searchsorted(markers.clusters, markers.clusters)
    is_binary = binary_columns(values)
    listed = []
    for row, column, rank in zip(markers.rows(), markers.columns, place, strict=True):
        if rank < each:
            if is_binary[column]:
                row |= {key: float(as_shares(row[key])) for key in ("mean", "rest_mean")}
            listed.append(row)
    return listed
