"""Tables that nobody should pass: a sample of `make bad-tables`, and the sentences."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from checks.bad_tables import KINDS, bad_table, good_table
from checks.inputs import Case, judge, make_cases
from checks.workers import judged_apart
from scipy import sparse

import weft
from weft._base.reading import check_numbers, read_array
from weft._base.validation import LARGEST, largest_for
from weft.metrics import silhouette


def test_a_sample_of_bad_tables_is_clean():
    cases = make_cases(420, 5)
    assert {case.kind for case in make_cases(5000, 0)} == set(KINDS)
    unclean = [f"{case}: {fault}" for case, fault in judged_apart(judge, cases) if fault]
    assert unclean == []


def hang(case):
    while case == "hang":
        pass
    if case == "die":
        raise SystemExit(3)
    return f"judged {case}"


def test_a_hang_and_a_dead_process_are_seen(monkeypatch):
    monkeypatch.setattr("checks.workers.SECONDS", 2.0)
    faults = [fault for _, fault in judged_apart(hang, ["a", "hang", "b", "die", "c"])]
    assert faults[0::2] == ["judged a", "judged b", "judged c"]
    assert faults[1].startswith("no answer in 2")
    assert faults[3].startswith("ended its process (3)")


def test_the_judge_sees_results_that_are_not_finite(monkeypatch):
    case = Case("WeightedKMeans", 0, "fit", "two places", 0)
    assert judge(case) == ""
    monkeypatch.setattr("checks.inputs.call", lambda case: [np.array([1.0, np.nan])])
    assert judge(case) == "a result is not finite"

    def warn_often(case):
        for number in range(30):
            warnings.warn(f"{case} {number}", stacklevel=1)
        return []

    monkeypatch.setattr("checks.inputs.call", warn_often)
    assert "30 warnings" in judge(case)


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("NaN in cells", r"X contains NaN \(missing values\), first in column"),
        ("infinity", "X contains infinity, first in column"),
        ("huge columns", "whose powers cannot be summed"),
        ("huge integer", "X holds an integer that is too large for a float64"),
        ("fractions", "X holds an integer that is too large for a float64"),
        ("complex", "Complex data not supported: pass X as real numbers."),
    ],
)
def test_the_same_sentence_everywhere(any_name, kind, words, quick):
    if any_name == "TablePreparer" and kind != "complex":
        pytest.skip("it says such things about cells")
    if any_name == "RangeScaler" and "NaN" in kind:
        pytest.skip("it lets gaps through")
    X = bad_table(kind, 3)
    if any_name == "RangeScaler" and kind == "huge columns":
        X = X * 0.0 + 1.6e308
    model = quick(any_name)
    with pytest.raises(ValueError, match=words) as caught:
        model.fit(X)
    assert "\n" not in str(caught.value)
    model.fit(good_table())
    for method in ("predict", "transform", "score"):
        if hasattr(model, method):
            with pytest.raises(ValueError, match=words):
                getattr(model, method)(X)


def test_sparse_results_are_looked_at(monkeypatch):
    case = Case("CountNormalizer", 0, "transform", "sparse", 0)
    assert judge(case) == ""
    lost = sparse.csr_array(np.array([[1.0, np.nan]]))
    monkeypatch.setattr("checks.inputs.call", lambda case: [lost])
    assert judge(case) == "a result is not finite"


def test_the_sentence_names_the_column_and_what_takes_gaps():
    X = pd.DataFrame(good_table(), columns=["age", "height", "mass", "pulse"])
    X.loc[3, "mass"] = np.nan
    with pytest.raises(ValueError, match=r"first in column 2; .* WeightedKMeans\(allow_nan=True\)"):
        weft.FeatureSwarm().fit(X.to_numpy())
    with pytest.raises(ValueError, match="first in column 'mass'"):
        read_array(X)
    labels = weft.WeightedKMeans(2, allow_nan=True).fit(X).labels_
    assert len(labels) == 24


@pytest.mark.parametrize("cells", [[1 + 2j, 2 + 1j, 3 + 0j], ["a", 2j, None]])
def test_complex_numbers_in_a_data_frame_are_no_categories(cells):
    X = pd.DataFrame({"age": [1.0, 2.0, 3.0], "wave": cells})
    for name in ("TablePreparer", "AutoCluster"):
        with pytest.raises(ValueError, match="Complex data not supported"):
            getattr(weft, name)().fit(X)


def test_functions_refuse_in_the_same_words():
    X = good_table()
    X[2, 1] = np.nan
    with pytest.raises(ValueError, match=r"X contains NaN .* first in column 1"):
        weft.choose_n_clusters(X)
    with pytest.raises(ValueError, match="X contains NaN"):
        silhouette(X, np.repeat([0, 1], 12))
    with pytest.raises(ValueError, match=r"table holds values up to 1e[+]300"):
        read_array(np.array([[1e300, 1.0]]), name="table")


def test_numbers_are_looked_at_in_blocks(monkeypatch):
    monkeypatch.setattr("weft._base.reading._BLOCK", 8)
    X = np.ones((10, 4))
    check_numbers(X)
    X[9, 2] = np.nan
    check_numbers(X, allow_nan=True)
    with pytest.raises(ValueError, match="first in column 2"):
        check_numbers(X)
    X[7, 1] = -np.inf
    with pytest.raises(ValueError, match="infinity, first in column 1"):
        check_numbers(X, allow_nan=True)
    X[7, 1] = 2.0 * LARGEST
    with pytest.raises(ValueError, match=r"values up to 2e[+]145"):
        check_numbers(X, allow_nan=True)


def test_the_bound_is_that_of_the_largest_power():
    # (1e290)^(1/p): a power of a number at the bound is 1e290, for p of 2 and more.
    assert largest_for(2.0) == LARGEST == largest_for(1.0)
    assert largest_for(5.0) == pytest.approx(1e58)
    model = weft.WeightedKMeans(2, distance_exponent=5.0)
    with pytest.raises(ValueError, match=r"values up to 1e[+]58 are allowed"):
        model.fit(good_table() * 1e60)
    assert np.isfinite(model.fit(good_table() * 1e55).cluster_centers_).all()


def test_weights_of_rows_have_a_bound():
    with pytest.raises(ValueError, match=r"sample_weight holds values up to 1e[+]300"):
        weft.WeightedKMeans(2).fit(good_table(), sample_weight=np.full(24, 1e300))
