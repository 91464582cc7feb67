"""Criteria, which the search maximises; `FeatureSwarm` takes them by name."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

from weft._base.records import with_fields
from weft._base.validation import check_choice, check_params
from weft.search.criteria.base import Criterion, FunctionCriterion
from weft.search.criteria.connectedness import Connectedness
from weft.search.criteria.csc import CSC
from weft.search.criteria.gaps import Separation, Sparsity
from weft.search.criteria.likelihood import BCR, BIC
from weft.search.criteria.robust import Robust
from weft.search.criteria.silhouette import Silhouette

CRITERIA: dict[str, type[Criterion]] = {
    "csc": CSC,
    "bcr": BCR,
    "silhouette": Silhouette,
    "connectedness": Connectedness,
    "sparsity": Sparsity,
    "separation": Separation,
    "bic": BIC,
    "robust": Robust,
}

__all__ = [
    "BCR",
    "BIC",
    "CRITERIA",
    "CSC",
    "Connectedness",
    "Criterion",
    "Robust",
    "Separation",
    "Silhouette",
    "Sparsity",
    "criterion_with",
    "make_criterion",
]


def _two_arguments(function: Any) -> Any:
    """Return the function if it can be called with columns and labels."""
    try:
        inspect.signature(function).bind(None, None)
    except TypeError as error:
        raise TypeError(
            f"criterion={function!r} cannot be called with two arguments; it gets the weighted, "
            "selected columns and the labels, and returns a number."
        ) from error
    except ValueError:  # compiled functions may have no signature
        pass
    return function


def make_criterion(criterion: Any, params: Mapping[str, Any] | None = None) -> Criterion:
    """Return the criterion of that name, the object itself, or a wrapper of a function."""
    given = isinstance(criterion, Criterion)
    if given or callable(criterion):
        if params:
            raise ValueError(
                f"criterion_params={params!r} needs the name of a criterion; set the parameters of "
                "an object on itself, and bind the parameters of a function with functools.partial."
            )
        return criterion if given else FunctionCriterion(_two_arguments(criterion))
    check_choice("criterion", criterion, CRITERIA)
    return check_params(f"criterion {criterion!r}", params, CRITERIA[criterion])


def criterion_with(criterion: Any, settings: Mapping[str, Any] | None) -> Any:
    """Return a criterion, given by name or as an object, with other settings."""
    if not settings:
        return criterion
    if isinstance(criterion, str):
        return make_criterion(criterion, settings)
    return with_fields(criterion, Criterion, settings)
