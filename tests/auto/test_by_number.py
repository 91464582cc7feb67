"""The best candidate of each number, and what changes when another answer is taken."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from weft.auto.by_number import NOT_ASKED, evidence_of_sources
from weft.auto.source_family import CLASSES, KMEANS, SourceCandidate
from weft.auto.source_judge import CLUMPED, SCORE, reasons_of


@pytest.fixture(scope="module")
def model_and_rows():
    rng = np.random.default_rng(0)
    centres = np.array([[0, 0, 0], [8, 0, 0], [0, 8, 0], [1.5, 9.5, 3.0]])
    X = np.vstack([rng.normal(size=(40, 3)) + centre for centre in centres])
    X = np.column_stack([X, rng.normal(size=len(X))])
    return weft.AutoCluster(n_resamples=0, random_state=0).fit(X), X


def test_the_answer_is_the_best_of_its_number(model_and_rows):
    model, _ = model_and_rows
    numbers = [one["n_clusters"] for one in model.candidates_]
    assert numbers == sorted(set(numbers))
    own = model.candidates_[numbers.index(model.n_clusters_)]
    assert own["quality"] == 0.0
    np.testing.assert_array_equal(own["labels"], model.labels_)
    assert own["reasons"] == model.evidence_
    assert model.n_clusters_ + 1 in numbers  # "why not one more?" has an answer
    for one in model.candidates_:
        assert one["labels"].max() + 1 == one["n_clusters"]
        assert len(set(one["reasons"]["against"])) == len(one["reasons"]["against"])


def test_another_answer_is_a_whole_model(model_and_rows, tmp_path):
    model, X = model_and_rows
    second = model.with_alternative(2)
    wanted = model.alternatives_[1]
    np.testing.assert_array_equal(second.labels_, wanted["labels"])
    np.testing.assert_array_equal(second.predict(X), wanted["labels"])
    assert second.n_clusters_ == wanted["n_clusters"]
    assert second.confidence_ is None
    assert "answer 2 of" in second.verdict_
    assert (second.get_support() == model.get_support()).all()
    assert model.confidence_ is not None  # the first is as it was
    np.testing.assert_array_equal(model.with_alternative(1).labels_, model.labels_)
    second.save(tmp_path / "m.weft", X=X)
    assert weft.load(tmp_path / "m.weft").report().summary["result"]["verdict"] == second.verdict_
    with pytest.raises(ValueError, match="number=99 needs as many answers"):
        model.with_alternative(99)


def _candidate(n_clusters, way, **evidence):
    values = {"stability": 0.9, "agreement": 0.9, "gain": 1.0, "joint_gain": 1.0, "smallest": 0.06}
    labels = np.arange(12) % n_clusters
    return SourceCandidate(labels, n_clusters, way, **{**values, **evidence})


def test_mixed_tables_say_why_a_higher_score_is_not_the_answer():
    answer = _candidate(3, KMEANS)
    unstable = _candidate(2, CLASSES, stability=0.4)
    second = _candidate(2, KMEANS)
    reason = "the clusters are the values of column 'sex'"
    repeating = _candidate(4, KMEANS, ratio=0.5, behind=reason)
    lower = _candidate(5, KMEANS, behind=reason)  # the score decides: no other reason is given
    found = evidence_of_sources([answer, repeating, second, unstable, lower])
    assert [(one.n_clusters, one.method, one.n_candidates) for one in found] == [
        (2, f"{KMEANS}:2", 2),
        (3, f"{KMEANS}:3", 1),
        (4, f"{KMEANS}:4", 1),
        (5, f"{KMEANS}:5", 1),
    ]
    # All evidence but the logarithm of the number is the same; its weight is the last one.
    assert found[0].quality == pytest.approx(SCORE[-1] * np.log(2 / 3))
    assert found[1].quality == 0.0
    assert found[2].quality > 0.0 > found[3].quality
    assert [one.behind for one in found] == ["", "", reason, ""]
    (alone,) = evidence_of_sources([unstable])  # a number that the user gave
    assert alone.behind == ""
    assert alone.reasons["against"] == [
        "two halves of the rows give different clusters (adjusted Rand index 0.40)"
    ]
    late = evidence_of_sources([answer, unstable._replace(ratio=0.5)])[0]
    assert late.behind == alone.reasons["against"][0]


@pytest.mark.parametrize(
    ("evidence", "for_it", "against_it"),
    [
        ({}, 3, 0),
        ({"stability": 0.8, "agreement": 0.8, "gain": 0.3, "joint_gain": 0.0}, 3, 0),
        ({"stability": 0.79, "agreement": 0.79, "gain": 0.29, "joint_gain": 0.29}, 0, 0),
        ({"stability": 0.5, "agreement": 0.5, "gain": 0.1, "joint_gain": 0.0}, 0, 0),
        ({"stability": 0.49, "agreement": 0.49, "gain": 0.0, "joint_gain": -1.0}, 0, 3),
        ({"remaining": CLUMPED}, 3, 0),
        ({"remaining": CLUMPED + 0.1}, 3, 1),
    ],
)
def test_evidence_of_mixed_tables_in_words_has_limits(evidence, for_it, against_it):
    said = reasons_of(_candidate(3, KMEANS, **evidence))
    assert (len(said["for"]), len(said["against"])) == (for_it, against_it)


def test_a_number_that_was_not_asked_for_says_so(model_and_rows):
    _, X = model_and_rows
    model = weft.AutoCluster(2, n_resamples=0, random_state=0).fit(X)
    better = [one for one in model.candidates_ if one["quality"] > 0]
    assert better  # four clear clusters
    assert {one["behind"] for one in better} == {NOT_ASKED}
    assert all(one["behind"] == "" for one in model.candidates_ if one["quality"] <= 0)


def test_the_page_never_calls_a_better_number_nearly_as_good(model_and_rows):
    _, X = model_and_rows
    model = weft.AutoCluster(2, n_resamples=0, random_state=0).fit(X)
    report = model.report(X)
    best = max(report.summary["candidates"], key=lambda one: one["quality"])
    page = report.html
    assert f"{best['n_clusters']} clusters have a higher score ({best['quality']:.2f})" in page
    assert "nearly the same score" not in page
    for one in report.summary["alternatives"]:
        for other in report.summary["candidates"]:
            if (one["method"], one["n_clusters"]) == (other["method"], other["n_clusters"]):
                assert one["quality"] == other["quality"]  # the same number in both places
