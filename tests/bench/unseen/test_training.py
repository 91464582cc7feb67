"""Training: kinds left out stay out, the same evidence gives the same file, the judge works."""

from __future__ import annotations

import numpy as np
import pytest
from bench.unseen.evidence import compute
from bench.unseen.leave_out import expected_calibration_error, report
from bench.unseen.world import make_table
from sklearn.cluster import KMeans
from sklearn.metrics import silhouette_score

from bench.unseen import exporting, rankers, training
from weft.auto import judge as judging
from weft.auto.pool import Pool, cluster_counts

pytest.importorskip("lightgbm")

KINDS = (
    "gaussians_apart", "uniform_balls", "unequal_sizes", "grid", "simplex", "background",
    "outliers", "hierarchy_coarse", "one_gaussian", "uniform_cube", "one_student", "exponential",
    "lognormal", "one_factor", "uniform_ball", "correlated_gaussian",
)  # fmt: skip


def examine(X):
    """Two k-means for several K with two measures: a stand-in for AutoCluster's own family."""
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    labels = np.array(
        [
            KMeans(k, n_init=1, init="random", random_state=start).fit_predict(X)
            for k in range(2, 9)
            for start in (0, 1)
        ]
    )
    values = np.array([[silhouette_score(X, row), np.log(row.max() + 1.0)] for row in labels])
    table_values = np.array([[values[:, 0].max(), np.log(len(X))]])
    return Pool(labels, values, np.zeros(len(labels), dtype=int), table_values)


def relative(values):
    return np.hstack([values, values - values.max(axis=0)])


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    patch = pytest.MonkeyPatch()
    folder = tmp_path_factory.mktemp("build")
    patch.setattr("bench.unseen.evidence.BUILD", folder)
    patch.setattr("bench.unseen.rankers.RANKER_TREES", 30)
    patch.setattr("bench.unseen.rankers.TOLD_TREES", 30)
    patch.setattr("bench.unseen.training.DOUBT_TREES", 30)
    patch.setattr("bench.unseen.training.GATE_TREES", 30)
    patch.setattr("bench.unseen.training.SEEDS", (1, 2))
    # A hundred candidates instead of a hundred thousand: smaller leaves.
    for settings in (rankers.RANKER, rankers.TOLD):
        patch.setitem(settings, "min_data_in_leaf", 5)
        patch.setitem(settings, "feature_fraction", 1.0)
    for settings in (training.DOUBT, training.GATE):
        patch.setitem(settings, "min_data_in_leaf", 5)
    yield [compute(kind, seed, examine) for seed in range(4) for kind in KINDS]
    patch.undo()


@pytest.fixture(scope="module")
def trained(tables):
    return training.train(tables, relative, report=lambda text: None)


def test_kinds_are_never_split_over_folds(tables):
    folds = training.folds_of_kinds(tables)
    for kind in KINDS:
        assert len({f for f, t in zip(folds, tables, strict=True) if t.kind == kind}) == 1
    assert set(folds) == set(range(training.N_FOLDS))
    for fold in range(training.N_FOLDS):
        sorts = {t.clustered for f, t in zip(folds, tables, strict=True) if f == fold}
        assert sorts == {True, False}


def test_the_same_evidence_gives_the_same_bytes(tables, trained, tmp_path):
    second = training.train(tables, relative, report=lambda text: None)
    exporting.write(tmp_path / "a.npz", trained.arrays)
    exporting.write(tmp_path / "b.npz", second.arrays)
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()
    assert (tmp_path / "a.npz").stat().st_size < 1_000_000


def test_the_trained_judge_beats_a_random_candidate(tables, trained):
    clustered = np.array([table.clustered for table in tables])
    at_random = np.array([table.aris.mean() for table in tables])
    assert trained.winners.aris[clustered].mean() > at_random[clustered].mean() + 0.1
    # The area under the curve: 0.5 is chance.
    pairs = trained.no_clusters[~clustered][:, None] > trained.no_clusters[clustered]
    assert pairs.mean() > 0.75


def test_the_judge_reads_its_file_and_judges_a_new_table(trained, tmp_path):
    exporting.write(tmp_path / "judge.npz", trained.arrays)
    judge = judging.load(tmp_path / "judge.npz")
    examined = examine(make_table("gaussians_apart", 50).X)
    verdict = judging.judge_candidates(judge, examined, relative=relative)
    assert verdict.scores[verdict.winner] == verdict.scores.max()
    assert 0.0 <= verdict.confidence <= 1.0
    assert 0.0 <= verdict.no_clusters <= 1.0
    backwards = examined._replace(
        labels=examined.labels[::-1],
        values=examined.values[::-1],
        part_of=examined.part_of[::-1],
    )
    turned = judging.judge_candidates(judge, backwards, relative=relative)
    np.testing.assert_allclose(turned.scores[::-1], verdict.scores)


def test_a_told_number_of_clusters_is_kept(trained, tmp_path):
    exporting.write(tmp_path / "judge.npz", trained.arrays)
    judge = judging.load(tmp_path / "judge.npz")
    examined = examine(make_table("gaussians_apart", 51).X)
    told = cluster_counts(examined.labels) == 3
    verdict = judging.judge_candidates(judge, examined, told, relative, told=True)
    assert told[verdict.winner]
    assert verdict.scores[verdict.winner] == verdict.scores[told].max()
    assert np.nanmean(trained.winners.told) > 0.5


def test_another_version_is_refused(trained, tmp_path):
    exporting.write(tmp_path / "judge.npz", {**trained.arrays, "version": np.array(0)})
    with pytest.raises(ValueError, match="is not a judge of version 4; train it again"):
        judging.load(tmp_path / "judge.npz")


def test_the_report_names_every_kind(tables, trained):
    text = report(tables, trained)
    for kind in KINDS:
        assert f"| {kind} |" in text
    assert "Expected calibration error" in text


def test_the_calibration_curve_rises():
    rng = np.random.default_rng(0)
    raw = rng.random(400)
    truth = rng.random(400) < raw**2
    curve_from, curve_to = training.monotone_curve(raw, truth)
    assert (np.diff(curve_from) > 0).all()
    assert (np.diff(curve_to) >= 0).all()
    assert np.interp(0.5, curve_from, curve_to) == pytest.approx(0.25, abs=0.12)


def test_calibration_error_by_hand():
    # Two of four right at a stated 0.9, and one of one at 0.5: (4 · 0.4 + 1 · 0.5) / 5 = 0.42.
    stated = np.array([0.9, 0.9, 0.9, 0.9, 0.5])
    right = np.array([True, True, False, False, True])
    assert expected_calibration_error(stated, right) == pytest.approx(0.42)


def test_few_clusterless_tables_pass_the_gate():
    # 100 lumps at 0.01, …, 1.00 and 20 single curves at 0: without the lumps' own limit the curves
    # would fill the 10 % of all that may pass.
    no_clusters = np.concatenate([np.arange(1, 101) / 100, np.zeros(20), [0.5]])
    clustered = np.arange(121) == 120
    kinds = ["one_gaussian"] * 100 + ["one_filament"] * 20 + ["grid"]
    assert training.gate_threshold(no_clusters, clustered, kinds) == 0.0
    fewer = np.concatenate([np.arange(1, 101) / 100, np.zeros(5), np.ones(15), [0.5]])
    threshold = training.gate_threshold(fewer, clustered, kinds)
    assert (fewer[:100] < threshold).mean() == pytest.approx(training.LUMP_ALARMS, abs=0.01)
    assert (fewer[:120] < threshold).mean() <= training.FALSE_ALARMS
