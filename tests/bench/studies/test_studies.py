"""The printed tables: every file can be read, and sums printed elsewhere come out."""

from __future__ import annotations

import tomllib

import numpy as np
import pytest
from bench.harness import methods, study
from bench.harness.measures import MEASURES
from bench.harness.summaries import SUMMARIES
from bench.studies.facts import oneill

import weft

NAMES = study.names()
# Every table with numbers that can be run, and the figures that stand for tables.
TABLES = {
    "oneill": "3.1 4.1 4.2 4.3 5.1 5.2 5.3 5.4 5.5 5.6 6.1 6.2 6.3 6.4 A.1 A.2 B.1 B.2 C.1 C.2 "
    "D.1 E.1",
    "amorim": "3.1 3.3 3.4 3.6 3.8 3.10 3.11 3.12 3.13 3.14 3.15 3.16 3.17 3.18 3.19 3.20 3.21 "
    "4.1 4.2 4.3 4.4 4.5 4.6 5 A.1 A.2 A.3 A.4 B.1 B.2 B.3 B.4 B.5 B.6 B.7 B.8",
    "projected": "1 2 3 4 5 6 fig2 fig3 fig4 spread",
    "staged": "2 3",
    "kernel": "3 4 5 6",
}


def test_every_table_is_there():
    wanted = {f"{paper}-{table}" for paper, tables in TABLES.items() for table in tables.split()}
    assert set(NAMES) == wanted


@pytest.mark.parametrize("name", NAMES)
def test_a_study_can_be_read_and_run(name):
    of = study.load(name)
    assert of.title
    assert of.says
    assert of.summary in {*SUMMARIES, "t-test", "beside sets"}
    assert of.pairs or of.rows_of
    assert set(of.rows_of) <= set(NAMES)
    own = {"reached", "beta"}  # measured by the methods themselves
    assert set(of.metrics) <= set(MEASURES) | own
    known = {method for source in of.rows_of or [name] for _, method in study.load(source).pairs}
    for cell in of.cells:
        assert any(study.any_match(each, [cell.method]) for each in known), cell.method
        assert not cell.against or cell.against in known
    for each in of.directions:
        for side in (each["more"], each["less"]):
            for method in [side] if isinstance(side, str) else side:
                assert method in known, method
    small = study.load(name, quick=True)
    assert len(small.runs()) <= 30
    assert of.rows_of or small.runs()


def test_seeds_and_identities_follow_what_is_run():
    of = study.load("oneill-A.1")
    run = study.Run("50d 4c", 3, "KNN-Clus, CSC", 3)
    again = study.load("oneill-A.2")
    # The same sets in both tables, so that they can be compared; all methods start alike.
    assert of.data_seed(run) == again.data_seed(run)
    assert of.seed(run) == of.seed(run._replace(method="DBSCAN, CSC"))
    assert of.identity(run) != of.identity(run._replace(method="DBSCAN, CSC"))
    others = {of.seed(run._replace(trial=trial)) for trial in range(30)}
    assert len(others) == 30
    # The seed is the same on every machine and in every process: crc32 of the text ('a', 1).
    assert study.seed_of("a", 1) == 597968843


def test_a_method_takes_its_call_from_a_preset():
    found = study.with_preset(
        {
            "preset": "lac",
            "params": {"n_clusters": "classes", "init": "random"},
            "leave_out": ["n_init"],
            "sweep": {"parameter": "h", "values": [1.0, 0.5]},
            "trials": 1,
        }
    )
    # The preset is LocallyAdaptiveKMeans(h=1.0, init="scattered", n_init=1, max_iter=100).
    assert found["call"] == "LocallyAdaptiveKMeans"
    assert found["params"] == {"n_clusters": "classes", "init": "random", "max_iter": 100}
    assert found["trials"] == 1
    assert "preset" not in found
    assert study.with_preset({"preset": "psovw"})["params"]["patience"] == "None"
    assert study.with_preset({"preset": "gcuk", "leave_out": ["scale"]}) == {
        "call": "GeneticClustering"
    }
    # A method that chooses an exponent names the method whose exponent it is.
    learned = study.load("amorim-4.1").methods["WK-Means, learned"]
    assert learned["call"] == "choose_exponent"
    assert learned["params"] == {"n_repeats": 100, "ties": "first", "model": "wk-means"}
    with pytest.raises(ValueError, match="did you mean 'psovw'"):
        study.with_preset({"preset": "psowv"})


def test_no_study_states_a_call_of_weft_itself():
    for path in study.FOLDER.rglob("*.toml"):
        for name, spec in tomllib.loads(path.read_text()).get("methods", {}).items():
            assert not hasattr(weft, spec.get("call", "-")), f"{path.name}: {name}"


def test_sweeps_hit_their_exponents():
    steps = methods.sweep_of({"parameter": "p", "from": 1.0, "to": 5.0, "step": 0.1})
    assert len(steps) == 41
    assert steps[10] == {"p": 2.0}  # np.arange gives 2.0000000000000009 here
    assert steps[-1] == {"p": 5.0}


def mean(name, column, **chosen):
    return np.mean(study.printed(name, column, **chosen))


@pytest.mark.parametrize("kind", ["baseline", "CSC", "BCR"])
@pytest.mark.parametrize("clusterer", ["AffinityProp", "KNN-Clus", "DBSCAN", "Agglomerative"])
def test_table_5_1_is_the_mean_of_appendix_a(clusterer, kind):
    source = "oneill-A.2" if kind == "BCR" else "oneill-A.1"
    whole = study.printed("oneill-5.1", "f", method=f"{clusterer}, {kind}")[0]
    # Six numbers of two decimals: each may be 0.005 off.
    assert mean(source, "f", method=f"{clusterer}, {kind}") == pytest.approx(whole, abs=0.0056)


@pytest.mark.parametrize(("table", "appendix"), [("3.17", "A.1"), ("3.18", "A.2"), ("3.19", "A.3")])
@pytest.mark.parametrize("column", ["beta", "greedy", "max"])
def test_tables_3_17_to_3_19_are_the_means_of_appendix_a(table, appendix, column):
    for method in ("K-Means", "WK-Means", "MWK-Means", "iK-Means", "iWK-Means", "iMWK-Means"):
        whole = study.printed(f"amorim-{table}", column, method=method)
        parts = study.printed(f"amorim-{appendix}", column, method=method)
        assert bool(whole) == bool(parts)
        if whole:
            assert np.mean(parts) == pytest.approx(whole[0], abs=0.07), (method, column)


def test_a_printed_mean_of_whole_numbers():
    assert oneill.mean_of_trials(10.17, 12, 2)  # 122 / 12 = 10.1667
    assert not oneill.mean_of_trials(24.25, 30, 2)  # 727.5 / 30
    assert oneill.mean_of_trials(4.3, 4, 1)  # 17 / 4 = 4.25, rounded up
