"""scikit-learn's array API: where the tag says so, tables stay where they lie."""

from importlib.util import find_spec

import array_api_strict as xp
import numpy as np
import pytest
from sklearn import config_context
from sklearn.utils._array_api import yield_namespace_device_dtype_combinations
from sklearn.utils.estimator_checks import (
    check_array_api_input_and_values,
    check_array_api_same_namespace,
)

import weft
from weft import RangeScaler


def _is_here(namespace: str, device: str | None) -> bool:
    if find_spec(namespace.partition(".")[0]) is None or device in ("xpu", "mps"):
        return False
    if device == "cuda" or namespace == "cupy":
        import torch

        return torch.cuda.is_available()
    return True


COMBINATIONS = [each for each in yield_namespace_device_dtype_combinations() if _is_here(*each[:2])]


@pytest.mark.parametrize("combination", COMBINATIONS, ids=str)
def test_values_are_numpys(combination):
    namespace, device, dtype = combination
    check_array_api_input_and_values(
        "RangeScaler", RangeScaler(), namespace, device_name=device, dtype_name=dtype or "float64"
    )


def test_another_library_in_transform_is_refused():
    check_array_api_same_namespace("RangeScaler", RangeScaler(), "array_api_strict")


def test_missing_values_constants_and_empty_columns():
    X = np.array([[1.0, np.nan, 3.0, np.nan], [5.0, 2.0, 3.0, np.nan], [np.nan, 6.0, 3.0, np.nan]])
    expected = RangeScaler().fit(X).transform(X)
    with config_context(array_api_dispatch=True):
        model = RangeScaler().fit(xp.asarray(X))
        found = model.transform(xp.asarray(X))
        with pytest.raises(ValueError, match="must use the same namespace"):
            RangeScaler().fit(X).transform(xp.asarray(X))
    np.testing.assert_allclose(np.from_dlpack(found), expected)
    np.testing.assert_array_equal(
        [rule.half_range for rule in model.columns_],
        [rule.half_range for rule in RangeScaler().fit(X).columns_],
    )


def test_who_says_so(registry):
    # Clusterers return NumPy's arrays whatever comes in, so they must not claim it.
    claim = [n for n in registry if getattr(weft, n)().__sklearn_tags__().array_api_support]
    assert claim == ["RangeScaler"]
    assert not RangeScaler(categorical=[0]).__sklearn_tags__().array_api_support
