"""The best candidate of each number, and what changes when another answer is taken."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from weft.auto.alternatives import Alternative
from weft.auto.by_number import of_alternatives


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


def test_answers_without_a_judge_by_hand():
    labels = np.zeros(4, dtype=int)
    given = [
        Alternative(0.0, 3, labels, "chosen"),
        Alternative(-0.2, 2, labels, "worse"),
        Alternative(-0.1, 2, labels, "better"),
        Alternative(0.5, 3, labels, "not chosen"),
    ]
    found = of_alternatives(given)
    assert [(one.n_clusters, one.method, one.quality) for one in found] == [
        (2, "better", -0.1),
        (3, "chosen", 0.0),
    ]
    assert [one.n_candidates for one in found] == [2, 2]
