"""The judge's doubt about tables that differ from those of its training."""

import numpy as np
import pytest

from weft import AutoCluster
from weft.auto.canonical import to_canonical
from weft.auto.examining import examine
from weft.auto.judge import FEW_ROWS_DOUBT, is_unfamiliar, judge_candidates, load


@pytest.mark.parametrize(
    ("shape", "expected"),
    [((29, 59), True), ((29, 58), False), ((30, 5000), False), ((12, 50), True), ((20, 4), False)],
)
def test_wide_tables_of_few_rows_are_unfamiliar(shape, expected):
    assert is_unfamiliar(*shape) is expected


def test_the_judge_doubts_unfamiliar_tables_more():
    X = np.random.default_rng(3).standard_normal((24, 120))
    X[:12, :40] += 2.0
    given = to_canonical(X)
    pool = examine(given.standardised(), given.scales(), np.arange(24)).pool()
    usual = judge_candidates(load(), pool)
    raised = judge_candidates(load(), pool, unfamiliar=True)
    odds = [np.log(each.no_clusters / (1.0 - each.no_clusters)) for each in (usual, raised)]
    assert odds[1] - odds[0] == pytest.approx(FEW_ROWS_DOUBT)
    assert (usual.winner, usual.confidence) == (raised.winner, raised.confidence)
    # The fit takes the same way: what it says of the table is the raised probability.
    model = AutoCluster(n_resamples=0).fit(X)
    if raised.no_clusters >= load().gate_threshold:
        assert model.confidence_ == raised.no_clusters
    else:
        assert model.n_clusters_ > 1
