"""Calls as printed, run by the studies: which table shows each, and what its rows say."""

from __future__ import annotations

import tomllib

import numpy as np
import pytest
from bench.harness import cells, rows, study

from weft.estimators.presets import METHODS, find_method

# What no table of the five papers has a number for.
NO_TABLE = {
    "cop-kmeans": "algorithm 4.1 of the thesis is described, not run",
    "constrained-ik-means": "algorithm 4.2 of the thesis is described, not run",
}


def uses():
    """Return the presets that studies run, and what the studies change of them."""
    found: dict[str, list[tuple[str, dict]]] = {}
    for path in study.FOLDER.rglob("*.toml"):
        for name, spec in tomllib.loads(path.read_text()).get("methods", {}).items():
            params = spec.get("params", {})
            named = [spec.get("preset"), params.get("model"), params.get("select")]
            for preset in filter(None, named):
                found.setdefault(preset, []).append((name, spec))
    return found


@pytest.mark.parametrize("name", [m.name for m in METHODS if m.printed])
def test_every_printed_call_is_run_by_a_study(name):
    assert (name in uses()) != (name in NO_TABLE or name == "k-est")


def test_k_est_is_the_estimate_of_the_staged_studies():
    # The word "estimate" in a study is K_est, the median of 30 (harness/methods.py).
    assert study.load("staged-2").methods["k_est-means"]["params"]["n_clusters"] == "estimate"
    assert find_method("k-est").load().__name__ == "StagedSwarm"


def test_psovw_by_its_name_gets_the_printed_accuracies():
    # Table 1: the printed means of the twelve sets with 100 dimensions average to 86.2.
    of = study.load("projected-1")
    preset = find_method("psovw").params
    spec = of.methods["PSOVW"]["params"]
    assert {key: None if spec[key] == "None" else spec[key] for key in preset} == dict(preset)
    found: dict[str, list[float]] = {}
    for row in rows.read(of):
        if row["method"] == "PSOVW" and row["status"] == "ok":
            found.setdefault(row["data"], []).append(float(np.max(row["accuracy"])))
    assert len(found) == 12
    assert min(map(len, found.values())) >= 20
    means = [np.mean(values) for values in found.values()]
    assert np.mean(study.printed("projected-1", "accuracy", "PSOVW")) == pytest.approx(
        86.2, abs=0.1
    )
    assert np.mean(means) == pytest.approx(86.2, abs=3.0)


def test_a_kept_row_of_psovw_comes_out_anew():
    of = study.load("projected-1")
    run = study.Run("m=100 ρ=0.5 α=0.5", 0, "PSOVW", 0)
    kept = next(row for row in rows.read(of) if rows.key_of(row) == run)
    found = cells.evaluate(of.name, run, quick=False)
    assert found["accuracy"] == pytest.approx(float(np.max(kept["accuracy"])), abs=1e-4)
