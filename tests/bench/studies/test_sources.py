"""A table that sums up others counts every run once."""

from __future__ import annotations

from bench.harness import rows, study
from bench.harness.directions import rows_for


def test_a_run_that_two_tables_share_counts_once(tmp_path):
    # The baselines stand in A.1 and in A.2; 5.1 is made of both.
    for name, f in (("oneill-A.1", 0.5), ("oneill-A.2", 0.5)):
        of = study.load(name)
        run = study.Run("50d 4c", 0, "KNN-Clus, baseline", 0)
        row = {"study": name, "cell": "50d 4c | KNN-Clus, baseline", "data": run.data, "set": 0}
        row |= {"method": run.method, "trial": 0, "seed": 1, "identity": of.identity(run)}
        rows.add(of, row | {"status": "ok", "error": None, "f": f, "seconds": 1.0}, tmp_path)
    assert len(rows_for(study.load("oneill-5.1"), tmp_path)) == 1
