"""Turn labels of any clustering program into an object that `summarize` accepts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from weft._base.arrays import Floats, Integers, Mask
from weft._base.reading import is_gap
from weft.answers.views import number_views, source_views
from weft.columns.source import MixedTable
from weft.reporting.apart import set_apart

LARGEST = 2**53  # larger floats are not exact
NONE_WORDS = ("", "-1", "nan", "none", "noise", "outlier", "no cluster")


class Labels(NamedTuple):
    """Cluster numbers from 0, -1 for none, and the original names of the clusters."""

    numbers: Integers
    names: dict[int, str]


def read_labels(given: Any, n_rows: int) -> Labels:
    """Return labels of any kind as numbers.

    Whole numbers that run from 0 are kept, also as text; negative ones mean "no cluster". All other
    labels are numbered in sorted order, and their text becomes the name of the cluster.
    """
    values = np.asarray(given).ravel()
    if len(values) != n_rows:
        raise ValueError(
            f"labels has {len(values)} entries but X has {n_rows} rows; give one label per row."
        )
    if values.dtype.kind in "fiub":
        numbers = np.where(np.isnan(values.astype(float)), -1, values).astype(float)
        if not ((numbers == np.round(numbers)) & (np.abs(numbers) < LARGEST)).all():
            raise ValueError(
                "labels must be whole numbers or texts, got fractions or numbers that are too "
                "large."
            )
        whole = numbers.astype(np.int64)
        known = np.unique(whole[whole >= 0])
        if len(known) == 0 or known[-1] == len(known) - 1:
            return Labels(np.maximum(whole, -1), {})
        values = np.where(whole < 0, "", whole.astype(str)).astype(object)
        order = [str(number) for number in known]
    else:
        values = np.array([_word(value) for value in values], dtype=object)
        order = sorted({word for word in values if word})
        if all(map(_is_number, order)):  # as in a file of labels: 2 comes before 10
            order.sort(key=int)
    place = {word: number for number, word in enumerate(order)}
    numbered = np.array([place.get(word, -1) for word in values], dtype=np.int64)
    if all(word == str(number) for word, number in place.items()):
        return Labels(numbered, {})
    return Labels(numbered, {number: word for word, number in place.items()})


def _is_number(word: str) -> bool:
    return word.isascii() and word.isdigit() and len(word) < 16 and str(int(word)) == word


def _word(value: Any) -> str:
    word = "" if is_gap(value) else str(value).strip()
    return "" if word.lower() in NONE_WORDS else word


class GivenClustering:
    """Labels with the attributes of a fitted model that `summarize` reads.

    Weights are measured, not learned: how well each column separates a cluster from the other rows
    (Cramér's V), 0 if not better than chance.
    """

    weights_are_measured = True

    def __init__(
        self, labels: Integers, rows: Floats, table: MixedTable | None, method: str, params: Any
    ) -> None:
        self.labels_ = labels
        self.method_name = method
        self.n_features_in_ = rows.shape[1]
        views = number_views(rows, [""] * rows.shape[1]) if table is None else source_views(table)
        values = np.column_stack([view.values for view in views])
        apart = set_apart(values, labels)
        self.source_weights, self._kept = apart.weights, apart.columns
        self.owner = np.arange(rows.shape[1])
        self._params = dict(params)

    @property
    def feature_weights_(self) -> Floats:
        """The weight of each coordinate: that of its source column."""
        return self.source_weights[self.owner]

    def get_support(self) -> Mask:
        """Return the coordinates of columns that separate at least one cluster."""
        return self._kept[self.owner]

    def get_params(self, deep: bool = True) -> Mapping[str, Any]:
        """Parameters of the clusterer, where there is one."""
        del deep
        return self._params
