"""What all fitted estimators share: saving, reports, markers, prediction, selected columns."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted

from weft._base.arrays import Integers
from weft._base.docstrings import Entry
from weft.backends.devices import to_host
from weft.columns.marker_table import Markers
from weft.columns.markers import marker_columns
from weft.estimators._docstrings import complete_docstrings
from weft.estimators._fit_tasks import FitTasksMixin
from weft.estimators._guard import GuardMixin
from weft.estimators._reading import RawTableMixin, read_table
from weft.models.kinds import Kind
from weft.models.schema import Schema
from weft.reporting.schema import SUMMARY
from weft.reporting.sources import facets, plan_of
from weft.tables.cells import is_table, read_cells
from weft.tables.prepare import PREPARED
from weft.tables.schema import RECIPE


class MarkersMixin:
    """``markers(X)``, for an estimator with ``labels_``."""

    def markers(
        self: Any,
        X: Any,
        *,
        honest: bool = False,
        false_discovery_rate: float = 0.05,
        min_effect: float = 0.2,
        random_state: Any = 0,
    ) -> Markers:
        """Find the columns that separate each cluster; see :func:`weft.marker_columns`.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The rows it was fitted on.
        honest : bool, default=False
            Split each value in two parts, fit a copy of this estimator on the first part and test
            on the second. Otherwise columns are tested on the same values that gave the clusters,
            which is too optimistic.
        false_discovery_rate : float, default=0.05
            The share of each cluster's markers that may be listed by chance.
        min_effect : float, default=0.2
            Minimum difference of the means in either direction, in units of the standard deviation
            within clusters.
        random_state : int, RandomState instance or None, default=0
            Seed of the permutations and of the thinning.

        Returns
        -------
        Markers
            The markers as a table; ``to_frame()`` gives a DataFrame.
        """
        check_is_fitted(self)
        values, names = _comparable(self, X)
        if honest and names is not None:
            raise ValueError(
                "honest=True needs a table of numbers, but the model was fitted on a raw table; "
                "leave honest out, or fit on numbers."
            )
        if names is None:
            names = getattr(X, "columns", getattr(self, "feature_names_in_", None))
        return marker_columns(
            values,
            self.labels_,
            false_discovery_rate=false_discovery_rate,
            min_effect=min_effect,
            counts=bool(getattr(self, "counts", False)),
            clusterer=self if honest else None,
            feature_names=names,
            random_state=random_state,
        )


def _comparable(model: Any, X: Any) -> tuple[Any, list[str] | None]:
    """Return numbers to compare clusters by, and their names where a raw table made them."""
    plan = plan_of(model)
    prepared = getattr(X, "attrs", {}).get(PREPARED)
    if prepared is not None:
        mixed = prepared.mixed.take_rows(X.index.to_numpy())
    elif plan is not None and is_table(X):
        mixed = plan.apply(read_cells(X), table="X", place=str)[1]
    else:
        return X, None
    shown = facets(mixed)
    return shown.values, shown.names


class KeepMixin(GuardMixin):
    """Saving to one file without pickle.

    A class declares in ``_schema`` its parameters and everything that a fit leaves on an instance;
    what is not declared cannot be saved.
    """

    _schema: ClassVar[Schema]
    _paragraphs: ClassVar[dict[str, Entry]]  # of docstrings, for subclasses
    _recipe: ClassVar[Kind] = RECIPE
    _summary: ClassVar[Kind] = SUMMARY

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if cls.__module__.startswith("weft."):
            complete_docstrings(cls)

    @classmethod
    def _upgraded_params(cls, params: dict[str, Any]) -> dict[str, Any]:
        """Return the parameters of an older model file under the names that they have now."""
        return params

    def save(self, path: str | Path, *, X: Any = None) -> None:
        """Save the fitted model to a file for `weft.load`. The file contains no code.

        Parameters
        ----------
        path : str or Path
            Where to write; an existing file is replaced in one step.
        X : array-like of shape (n_samples, n_features), default=None
            The rows that the model was fitted on; the file then also holds what a report needs.
        """
        from weft.models.files import save_model

        check_is_fitted(self)
        summary = None
        if X is not None:
            from weft.reporting.summary import summarize

            summary = summarize(self, X)
        save_model(self, path, summary=summary)


class ReportMixin(MarkersMixin, FitTasksMixin, RawTableMixin, KeepMixin):
    """Raw tables, reports, a short summary in notebooks, and scikit-learn's callbacks."""

    def report(self, X: Any = None, *, path: str | Path | None = None, **options: Any) -> Any:
        """Write an HTML report of the fitted model; it needs no network.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), default=None
            The rows that the model was fitted on. Without them the report has no map, no
            silhouettes and no description of the clusters, unless the model was loaded from a file
            that holds them.
        path : str or Path, default=None
            Where to write the report, if given.
        **options : dict
            Passed to :func:`weft.reporting.summary.summarize`: ``values``, ``feature_names``,
            ``label``, ``relevant``, ``stability``.

        Returns
        -------
        Report
            ``html`` is the report, ``summary`` the data behind it, ``save(path)`` writes it; a
            notebook displays it.
        """
        from weft.reporting.page import report

        check_is_fitted(self)
        made = report(self, X, **options)
        if path is not None:
            made.save(path)
        return made

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        """Return the HTML for notebooks: scikit-learn's diagram, and the answer below it."""
        bundle: dict[str, str] = super()._repr_mimebundle_(**kwargs)
        if "text/html" in bundle:
            bundle["text/html"] = self._with_answer(bundle["text/html"])
        return bundle

    def _repr_html_inner(self) -> str:
        """The same for notebooks that ask for HTML alone, such as marimo."""
        return self._with_answer(super()._repr_html_inner())

    def _with_answer(self, diagram: str) -> str:
        if hasattr(self, "labels_"):  # fitted
            from weft.reporting.snippet import snippet

            head, mark, tail = diagram.rpartition("</body>")
            return f"{head}{snippet(self)}{mark}{tail}"
        return diagram


class PredictMixin:
    """Labels for any rows, by ``_nearest(X)``, which takes checked rows on the host."""

    def predict(self: Any, X: Any) -> Integers:
        """Assign rows to clusters, also rows that were not seen in fit; see the class for the
        rule."""
        check_is_fitted(self)
        return self._nearest(read_table(self, X, reset=False))


class ColumnsMixin(SelectorMixin):
    """scikit-learn's selector, for tables on a GPU too."""

    def transform(self, X: Any) -> Any:
        """Return the features that were kept.

        Returns
        -------
        ndarray of shape (n_samples, n_selected)
            The columns of `X` that fit has kept.
        """
        given = to_host(X)
        read_table(self, given, reset=False)  # refuses anything but a table of numbers
        kept = super().transform(given)
        if isinstance(kept, np.ndarray) and not kept.dtype.isnative:
            return kept.astype(kept.dtype.newbyteorder("="))
        return kept


class KeptFeaturesMixin:
    """Which columns a method kept: those whose ``feature_weights_`` is above 0."""

    feature_weights_: np.ndarray

    def get_support(self, indices: bool = False) -> np.ndarray:
        """Return which features were kept.

        Parameters
        ----------
        indices : bool, default=False
            Return indices instead of a mask.

        Returns
        -------
        support : ndarray
            A mask of shape (n_features,), or the positions of the kept features.
        """
        check_is_fitted(self)
        mask = self.feature_weights_ > 0.0
        return np.flatnonzero(mask) if indices else mask

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Return the names of the columns that `transform` returns.

        Parameters
        ----------
        input_features : array-like of str, default=None
            Names of the input columns, if fit has seen none.

        Returns
        -------
        names : ndarray of str
            Names of the kept features.
        """
        check_is_fitted(self)
        return _check_feature_names_in(self, input_features)[self.get_support()]
