"""Verdicts, tests and pages on rows that can be worked out by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from bench.harness import study
from bench.harness.directions import findings
from bench.harness.lines import lines_of, reason_for
from bench.harness.spread import share_of_starts
from bench.harness.summaries import t_test
from bench.harness.verdicts import Printed, compare_methods, judge, paired_runs
from scipy import stats

from bench import __main__ as main

SETTINGS = {"rounding": 0.0, "metric": "f", "exact": False}


def test_the_interval_is_welchs():
    # ours: mean 0.8, variance 0.01, n = 3; theirs: 0.5, sd 0.2, n = 4
    sample = np.array([0.7, 0.8, 0.9])
    found = judge([sample], Printed(0.5, n_runs=4, sd=0.2), **SETTINGS)
    error = math.sqrt(0.01 / 3 + 0.04 / 4)
    freedom = (0.01 / 3 + 0.01) ** 2 / ((0.01 / 3) ** 2 / 2 + 0.01**2 / 3)
    half = stats.t.ppf(0.975, freedom) * error
    assert found.low == pytest.approx(0.3 - half)
    assert found.high == pytest.approx(0.3 + half)
    theirs = stats.ttest_ind_from_stats(0.8, 0.1, 3, 0.5, 0.2, 4, equal_var=False)
    assert found.low <= 0 <= found.high
    assert theirs.pvalue >= 0.05


def test_a_printed_mean_has_the_spread_of_a_mean():
    # No spread is printed: our variance 4 over their 16 runs and our 5 runs stand in.
    sample = np.array([70.0, 72.0, 74.0, 70.0, 74.0])
    assert sample.var(ddof=1) == 4.0
    found = judge([sample], Printed(75.0, n_runs=16), **{**SETTINGS, "metric": "accuracy"})
    half = stats.t.ppf(0.975, 4) * math.sqrt(4 / 5 + 4 / 16)
    assert found.high - found.low == pytest.approx(2 * half)
    assert found.word == "worse"


def test_sets_and_starts_apart():
    # One printed set, 16 runs on it. Three quarters of our variance 4 come from the starts: the
    # set's part, 1, stays whole, the starts' part, 3, is divided by 16.
    sample = np.array([70.0, 72.0, 74.0, 70.0, 74.0])
    printed = Printed(75.0, n_runs=16, n_sets=1)
    settings = {**SETTINGS, "metric": "accuracy", "start_share": 0.75}
    found = judge([sample], printed, **settings)
    half = stats.t.ppf(0.975, 4) * math.sqrt(4 / 5 + 1 + 3 / 16)
    assert found.high - found.low == pytest.approx(2 * half)


def test_the_share_of_the_starts_by_hand():
    # Within the sets the variances are 2, 2, 8 and 8, mean 5. Means of the first kind 1 and 5:
    # variance 8, of the second 2 and 6: 8. Less 5 / 2, the starts' part of a mean of two: 5.5.
    groups = {
        ("a", 0): np.array([0.0, 2.0]),
        ("a", 1): np.array([4.0, 6.0]),
        ("b", 0): np.array([0.0, 4.0]),
        ("b", 1): np.array([4.0, 8.0]),
    }
    assert share_of_starts(groups) == pytest.approx(5 / (5 + 5.5))
    assert share_of_starts({("a", 0): np.array([1.0, 2.0])}) == 0.0  # one set tells nothing


@pytest.mark.parametrize(
    ("spread", "theirs", "word"),
    [
        (1.0, 71.0, "agrees"),
        (1.0, 90.0, "worse"),
        (30.0, 90.0, "too uncertain"),  # an interval that holds everything says nothing
        (30.0, 300.0, "worse"),  # refused all the same
    ],
)
def test_agreement_needs_an_interval_that_can_say_no(spread, theirs, word):
    sample = 70.0 + spread * np.array([-1.0, 0.0, 1.0, -1.0, 1.0])
    found = judge([sample], Printed(theirs, n_runs=20), **{**SETTINGS, "metric": "accuracy"})
    assert found.word == word


def test_a_reason_stands_only_where_it_holds():
    of = study.load("kernel-3")
    cells = {(cell.data, cell.method): cell for cell in of.cells}
    supervised = [
        key
        for key, cell in cells.items()
        if "supervised" in reason_for(of, cell, "huang", "worse") and cell.printed
    ]
    assert supervised == [("glass", "kernel MEPSO"), ("vowel", "kernel MEPSO")]
    ring = cells["synthetic 1", "kernel MEPSO"]
    assert "straight borders" in reason_for(of, ring, "huang", "worse")
    assert reason_for(of, ring, "huang", "agrees") == ""


@pytest.mark.parametrize(
    ("metric", "theirs", "word"),
    [
        ("f", 0.94, "agrees"),  # ours is 0.944: print's rounding
        ("f", 0.93, "better"),
        ("f", 0.96, "worse"),
        ("entropy", 0.96, "better"),
        ("clusters", 0.96, "differs"),
    ],
)
def test_a_method_without_chance_is_judged_to_the_digit(metric, theirs, word):
    settings = {"rounding": 0.005, "exact": True, "metric": metric}
    assert judge([np.array([0.944])], Printed(theirs, n_runs=1), **settings).word == word


def test_one_run_of_a_random_method_is_not_judged():
    assert judge([np.array([0.9])], Printed(0.5, n_runs=4), **SETTINGS).word == ""


def test_data_sets_count_alike():
    samples = [np.array([1.0, 1.0, 1.0]), np.array([0.0, 0.0])]
    found = judge(samples, Printed(0.5, n_runs=4), **SETTINGS)
    assert found.ours == 0.5
    assert found.n_runs == 5


def test_tests_of_two_methods():
    pairs = np.array([[3.0, 1.0], [4.0, 2.0], [5.0, 6.0]])
    found = compare_methods(pairs)
    assert found.difference == pytest.approx(1.0)
    # a > b in 3>1, 3>2, 4>1, 4>2, 5>1, 5>2; a < b in three: (6 - 3) / 9
    assert found.cliff == pytest.approx(1 / 3)
    assert found.p_paired == pytest.approx(stats.wilcoxon([2.0, 2.0, -1.0]).pvalue)
    theirs = stats.ttest_ind([3, 4, 5], [1, 2, 6], equal_var=False)
    assert found.p_t == pytest.approx(theirs.pvalue)
    assert found.p_unpaired == pytest.approx(stats.ranksums([3, 4, 5], [1, 2, 6]).pvalue)


@pytest.mark.filterwarnings("ignore:Precision loss")  # SciPy's word on three equal numbers
@pytest.mark.parametrize("rival", [[1.0, 2.0, 6.0], [2.5]])
def test_the_printed_t_test_is_that_of_scipy(rival):
    cell = study.Cell("set", "a", "b", "", "", {})
    mine, theirs = ([{"huang": value} for value in side] for side in ([3.0, 4.0, 5.5], rival))
    found = t_test(cell, mine, theirs).numbers
    # One run of a method without chance stands for as many as the other has.
    wanted = stats.ttest_ind([3.0, 4.0, 5.5], rival if len(rival) > 1 else 3 * rival)
    assert found["t"] == pytest.approx(wanted.statistic)
    interval = wanted.confidence_interval()
    assert (found["low"], found["high"]) == pytest.approx((interval.low, interval.high))


def test_methods_without_spread_do_not_warn(recwarn):
    same = compare_methods(np.ones((5, 2)))
    assert (same.p_paired, same.p_t, same.cliff) == (1.0, 1.0, 0.0)
    apart = compare_methods(np.column_stack([np.ones(5), np.zeros(5)]))
    assert (apart.p_t, apart.cliff) == (0.0, 1.0)
    assert not recwarn.list


def rows_of(name, method, values, data="50d 4c"):
    return [
        {"status": "ok", "data": data, "set": t, "trial": t, "method": method, "f": value}
        for t, value in enumerate(values)
    ]


def test_pairs_are_of_the_same_set_and_trial():
    rows = rows_of("x", "a", [1.0, 2.0, 3.0]) + rows_of("x", "b", [0.5, 0.5])
    assert paired_runs(rows, "f", ["a"], ["b"]).tolist() == [[1.0, 0.5], [2.0, 0.5]]
    failed = [{**row, "status": "failed"} for row in rows]
    assert paired_runs(failed, "f", ["a"], ["b"]).shape == (0, 2)


def test_directions_of_the_first_paper_on_made_up_rows():
    of = study.load("oneill-5.1")
    better, worse = [0.9] * 8, list(np.linspace(0.5, 0.6, 8))
    rows = rows_of(of, "KNN-Clus, CSC", better) + rows_of(of, "KNN-Clus, baseline", worse)
    rows += rows_of(of, "DBSCAN, BCR", better) + rows_of(of, "DBSCAN, baseline", worse)
    found = {each.says: each.word for each in findings(of, rows)}
    assert found["CSC above baseline: KNN-Clus"] == "holds"
    assert found["BCR below baseline: DBSCAN"] == "does not hold"
    assert found["CSC above baseline: AffinityProp"] == "not run"


def test_no_better_is_broken_only_by_more_than_chance():
    of = study.load("oneill-6.1")
    plain = np.linspace(0.5, 0.6, 8)

    def word(extended):
        rows = rows_of(of, "KNN-Clus, FSWE CSC", extended) + rows_of(of, "KNN-Clus, CSC", plain)
        says = "FSWE no better than FSW, KNN-Clus: CSC"
        return next(each.holds for each in findings(of, rows) if each.says == says)

    assert word(plain - 0.1)
    assert word(plain + np.array([0.1, -0.09] * 4))
    assert not word(plain + 0.1)


def test_a_line_says_why_a_number_does_not_agree():
    of = study.load("projected-1")
    data = "m=100 ρ=0.2 α=0.2"
    rows = [
        {"status": "ok", "data": data, "set": t, "trial": t, "method": method, "accuracy": value}
        for method, values in (("k-means", [70.0, 71.0, 72.0]), ("PSOVW", [80.0, 82.0, 84.0]))
        for t, value in enumerate(values)
    ]
    lines = {line.method: line for line in lines_of(of, rows) if line.data == data}
    assert lines["k-means"].word == "better"
    assert lines["k-means"].reason.startswith("k-means gets")
    assert (lines["PSOVW"].word, lines["PSOVW"].reason) == ("agrees", "")  # 82 beside 82.76
    assert lines["LAC"].word == "not run"


def test_quick_forms_run_and_hold(tmp_path, capsys):
    """A few seconds of what ``python -m bench run --quick all`` does: sets that need no files."""
    names = ["oneill-3.1", "oneill-C.1", "projected-1"]
    assert main.main(["run", "--quick", *names, "--results", str(tmp_path)]) == 0
    assert "directions hold" in capsys.readouterr().out
    assert main.main(["compare", "oneill-3.1", "--results", str(tmp_path)]) == 0
    assert "Table 3.1" in capsys.readouterr().out


def test_a_direction_whose_data_is_not_at_hand_is_no_failure(tmp_path, capsys, monkeypatch):
    monkeypatch.delenv("WEFT_DATA", raising=False)
    assert main.main(["run", "--quick", "staged-2", "--results", str(tmp_path)]) == 0
    assert "not run, its data is not available" in capsys.readouterr().out


def test_pages_are_made_from_rows(tmp_path):
    assert main.main(["pages", "staged-2", "staged-3", "--folder", str(tmp_path)]) == 0
    text = (tmp_path / "staged.md").read_text()
    assert "printed numbers that can be judged agree with ours" in text
    assert "Placebo: " in text
    assert "## What we found wrong or unstated" in text
    assert (tmp_path / "figures" / "staged-2-1.png").stat().st_size > 1000
