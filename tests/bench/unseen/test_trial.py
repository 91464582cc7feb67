"""Scoring, battery, rivals, and rows that survive being stopped."""

from __future__ import annotations

import json

import numpy as np
import pytest
from bench.unseen.rivals import available, standardised
from bench.unseen.scoring import best_ari, each_alone, number_of_clusters

from bench.unseen import battery, trial
from weft.auto.agreement import rand_index


def test_rows_without_a_cluster_are_alone():
    np.testing.assert_array_equal(each_alone([0, -1, 1, -1]), [0, 2, 1, 3])
    np.testing.assert_array_equal(each_alone([-1, -1]), [0, 1])


def test_the_best_labelling_counts_and_unscored_rows_do_not():
    references = np.array([[0, 0], [0, 1], [1, 0], [1, 1], [-1, -1]])
    assert best_ari(references, [5, 6, 5, 6, 9]) == 1.0
    assert best_ari(references[:, 0], [0, 0, 1, 1, 0]) == 1.0
    assert best_ari(references[:, 0], [0, 0, 0, 0, 1]) == 0.0
    # Outliers count as singletons: of the truth {0, 1}, {2, 3} one pair of two is found.
    assert 0.0 < best_ari([0, 0, 1, 1], [0, 0, -1, -1]) < 1.0


def test_number_of_clusters_leaves_outliers_out():
    assert number_of_clusters([-1, 3, 3, 7]) == 2


def test_rand_index_is_that_of_scikit_learn():
    from sklearn.metrics import adjusted_rand_score

    rng = np.random.default_rng(0)
    for _ in range(20):
        a, b = rng.integers(-1, 4, (2, 50))
        assert rand_index(a, b) == pytest.approx(adjusted_rand_score(a, b), abs=1e-12)


@pytest.fixture
def small_battery(tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    y = np.arange(60) % 3
    X = rng.standard_normal((60, 2)) + 12.0 * np.stack([y, y**2], axis=1)
    for folder, name in (("shapes", "fcps_easy"), ("shapes", "graves_easy"), ("tables", "plain")):
        (tmp_path / "battery" / folder).mkdir(parents=True, exist_ok=True)
        np.savez(tmp_path / "battery" / folder / f"{name}.npz", X=X, y=y[:, None])
    monkeypatch.setenv("WEFT_DATA", str(tmp_path))
    return tmp_path


def test_groups_come_from_folders_and_names(small_battery):
    groups = {name: group for name, (group, _) in battery.files().items()}
    assert groups == {"fcps_easy": "fcps", "graves_easy": "graves", "plain": "tables"}
    data = battery.load("plain")
    assert data.X.shape == (60, 2)
    assert data.cluster_counts == [3]


def test_a_missing_battery_is_named(monkeypatch, tmp_path):
    monkeypatch.setenv("WEFT_DATA", str(tmp_path))
    with pytest.raises(FileNotFoundError, match="holds no folder 'battery'"):
        battery.files()


def test_an_unknown_set_is_named(small_battery):
    with pytest.raises(ValueError, match="'iris' is not a set of the battery"):
        battery.load("iris")


@pytest.mark.parametrize("name", [n for n in available() if not n.startswith("UMAP")])
def test_rivals_find_three_clear_clusters(name, small_battery):
    data = battery.load("plain")
    labels = available()[name].run(standardised(data.X), 3, 0)
    assert len(labels) == 60
    assert best_ari(data.references, labels) > (0.5 if name == "Leiden" else 0.9)


def test_constant_columns_are_left_out():
    X = np.array([[1.0, 5.0], [2.0, 5.0], [3.0, 5.0]])
    np.testing.assert_allclose(standardised(X)[:, 0], [-1.2247449, 0.0, 1.2247449])
    assert standardised(X).shape == (3, 1)


def test_finished_runs_are_kept_and_failed_ones_are_not(small_battery, monkeypatch, capsys):
    path = small_battery / "rows.jsonl"
    calls = []

    def method(X, k, seed):
        calls.append(seed)
        if len(calls) == 2:
            raise RuntimeError("no memory")
        return {"labels": np.arange(len(X)) % 3}

    monkeypatch.setattr(trial, "methods", lambda: {"ours": method})
    failed = trial.run(["plain", "fcps_easy"], ["ours"], [0], path)
    assert failed == [("fcps_easy", "ours", 0)]
    assert "no memory" in capsys.readouterr().err
    assert [row["set"] for row in trial.load_rows(path)] == ["plain"]
    path.write_text(path.read_text() + '{"set": "cut sho')  # stopped while writing
    assert trial.run(["plain", "fcps_easy"], ["ours"], [0], path) == []
    assert len(calls) == 3
    rows = trial.load_rows(path)
    assert [row["set"] for row in rows] == ["plain", "fcps_easy"]
    assert rows[0]["ari"] == 1.0
    assert json.loads(path.read_text().splitlines()[-1])["k"] == 3


def test_means_by_group():
    rows = [
        {"group": "fcps", "method": "a", "ari": 0.5},
        {"group": "fcps", "method": "a", "ari": 1.0},
        {"group": "wide", "method": "a", "ari": 0.0},
        {"group": "wide", "method": "b", "ari": 0.25},
    ]
    assert trial.table(rows).splitlines() == [
        "| method | fcps | wide | all |",
        "| --- | --- | --- | --- |",
        "| a | 0.750 (2) | 0.000 (1) | 0.500 (3) |",
        "| b | – | 0.250 (1) | 0.250 (1) |",
    ]


def test_one_lump_copies_are_a_group(small_battery):
    names = battery.names((battery.LUMPS,))
    assert names == ["lump of fcps_easy", "lump of graves_easy", "lump of plain"]
    data = battery.load("lump of plain")
    assert data.group == "lumps"
    assert data.X.shape == (60, 2)
    assert not np.array_equal(data.X, battery.load("plain").X)
    assert data.cluster_counts == [1]


def test_claims_on_one_lump_copies():
    rows = [
        {"group": "lumps", "method": "a", "ari": 0.0, "k": 3},
        {"group": "lumps", "method": "a", "ari": 1.0, "k": 1},
        {"group": "fcps", "method": "a", "ari": 1.0, "k": 3},
    ]
    assert trial.lumps_table(rows).splitlines()[2:] == ["| a | 2 | 0.500 |"]
    assert "| a | 1.000 (1) | 1.000 (1) |" in trial.table(rows)


def test_losses_add_up_to_the_best_of_anything():
    rows = [
        {"set": "s", "group": "fcps", "method": "judge", "ari": 0.0, "ari_ungated": 0.5,
         "ari_best_candidate": 0.7},
        {"set": "s", "group": "fcps", "method": "other", "ari": 0.9},
    ]  # fmt: skip
    assert (
        trial.losses_table(rows).splitlines()[2] == "| fcps (1) | 0.000 | 0.500 | 0.200 | 0.200 |"
    )


def test_methods_that_are_told_k_are_told_that_of_each_labelling(small_battery, monkeypatch):
    path = small_battery / "battery" / "tables" / "double.npz"
    y = np.arange(60) % 6
    np.savez(path, X=np.zeros((60, 1)), y=np.stack([y, y % 3], axis=1))
    told = []

    def method(X, k, seed):
        told.append(k)
        return {"labels": np.arange(60) % 3}  # right for three clusters alone

    monkeypatch.setattr(trial, "methods", lambda: {"ours, told K": method, "ours": method})
    row = trial.evaluate("double", "ours, told K", 0)
    assert told == [3, 6]
    assert row["ari"] == 1.0
    assert row["k_true"] == [6, 3]
    assert trial.evaluate("double", "ours", 0)["ari"] == 1.0
    assert told == [3, 6, 0]
