"""Fits over blocks of rows: the same as in memory, whoever works on them and in what order."""

from __future__ import annotations

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from dask.distributed import Client, LocalCluster

import weft
from weft import EntropyKMeans, LocallyAdaptiveKMeans, ProjectedSwarm, WeightedKMeans
from weft.kmeans.blocks import Blocks, _checksum
from weft.kmeans.sampling import draw_sample

CENTERS = np.array([[0.0, 0, 0, 0], [6, 6, 0, 0], [-6, 6, 0, 0]])


def rows(n: int = 900, seed: int = 0) -> np.ndarray:
    """Three groups in two columns, one column of noise and one that is constant."""
    rng = np.random.default_rng(seed)
    X = CENTERS[rng.integers(3, size=n)] + rng.normal(size=(n, 4))
    X[:, 2] = rng.uniform(-9, 9, size=n)
    X[:, 3] = 2.5
    return X


def bits(model) -> list[bytes]:
    parts = [model.cluster_centers_, model.cluster_feature_weights_, np.asarray(model.labels_)]
    return [np.ascontiguousarray(part).tobytes() for part in parts]


@pytest.mark.parametrize("exponent", [1.2, 1.5, 2.0, 3.0])
@pytest.mark.parametrize("weights", ["cluster", "global", None])
def test_the_same_as_in_memory_from_the_same_start(exponent, weights):
    X = rows()
    options = {"distance_exponent": exponent, "weights": weights, "init": CENTERS + 0.7}
    memory = WeightedKMeans(**options).fit(X)
    lazy = WeightedKMeans(**options).fit(da.from_array(X, chunks=(130, 3)))
    np.testing.assert_allclose(lazy.cluster_centers_, memory.cluster_centers_, atol=1e-9)
    np.testing.assert_allclose(lazy.feature_weights_, memory.feature_weights_, atol=1e-9)
    np.testing.assert_array_equal(lazy.labels_.compute(), memory.labels_)
    assert lazy.inertia_ == pytest.approx(memory.inertia_, rel=1e-9)
    assert lazy.n_iter_ == memory.n_iter_


def test_missing_values_and_masses():
    X, rng = rows(), np.random.default_rng(2)
    X[rng.random(X.shape) < 0.1] = np.nan
    X[:, 0] = np.where(np.isnan(X).all(axis=1), 0.0, X[:, 0])
    mass = rng.integers(0, 3, size=len(X)).astype(float)  # some rows count nothing
    options = {"init": CENTERS + 0.7, "allow_nan": True, "distance_exponent": 1.5}
    memory = WeightedKMeans(**options).fit(X, sample_weight=mass)
    table = da.from_array(X, chunks=(130, -1))
    for given in (mass, da.from_array(mass, chunks=130)):
        lazy = WeightedKMeans(**options).fit(table, sample_weight=given)
        np.testing.assert_allclose(lazy.cluster_centers_, memory.cluster_centers_, atol=1e-9)
        np.testing.assert_array_equal(lazy.labels_.compute(), memory.labels_)


@pytest.mark.parametrize("kind", [EntropyKMeans, LocallyAdaptiveKMeans])
def test_entropy_weights(kind):
    X = rows()
    memory = kind(3, init=CENTERS + 0.7).fit(X)
    lazy = kind(3, init=CENTERS + 0.7).fit(da.from_array(X, chunks=(200, -1)))
    assert lazy.strength_ == pytest.approx(memory.strength_, rel=1e-12)
    np.testing.assert_allclose(lazy.cluster_centers_, memory.cluster_centers_, atol=1e-9)
    assert lazy.inertia_ == pytest.approx(memory.inertia_, rel=1e-9)


def test_an_empty_cluster_gets_the_dearest_row_as_in_memory():
    X = rows(300)
    X[7] = [90.0, 90.0, 0.0, 2.5]
    start = np.vstack([CENTERS, [500.0, -500.0, 0.0, 0.0], [500.0, -501.0, 0.0, 0.0]])
    memory = WeightedKMeans(init=start, weights=None).fit(X)
    lazy = WeightedKMeans(init=start, weights=None).fit(da.from_array(X, chunks=(37, -1)))
    np.testing.assert_array_equal(lazy.labels_.compute(), memory.labels_)
    np.testing.assert_allclose(lazy.cluster_centers_, memory.cluster_centers_, atol=1e-9)


@pytest.mark.parametrize("init", ["anomalous", "k-means++", "random", "scattered"])
def test_starts_on_a_sample_find_what_starts_on_all_rows_do(init):
    X = rows(3000)
    model = WeightedKMeans(3, init=init, random_state=0).fit(da.from_array(X, chunks=(700, -1)))
    memory = WeightedKMeans(3, init=init, random_state=0).fit(X)
    assert weft.metrics.accuracy(memory.labels_, model.labels_.compute()) > 0.995
    assert model.feature_weights_[3] == 0.0  # a constant column tells nothing


def test_bits_do_not_depend_on_the_workers():
    table = da.from_array(rows(2000), chunks=(90, -1))
    model = WeightedKMeans(3, distance_exponent=1.5, init="k-means++", random_state=3)
    found = []
    for scheduler in ("synchronous", "threads"):
        with dask.config.set(scheduler=scheduler):
            found.append(bits(model.fit(table)))
    for n_workers in (1, 3):
        with (
            LocalCluster(
                n_workers=n_workers, threads_per_worker=1, processes=False, dashboard_address=":0"
            ) as cluster,
            Client(cluster),
        ):
            found.append(bits(model.fit(table)))
    assert all(one == found[0] for one in found)


def test_tol_stops_earlier():
    X = rows()
    start = X[:3]
    full = WeightedKMeans(init=start).fit(da.from_array(X, chunks=(200, -1)))
    soon = WeightedKMeans(init=start, tol=0.2).fit(da.from_array(X, chunks=(200, -1)))
    memory = WeightedKMeans(init=start, tol=0.2).fit(X)
    assert soon.n_iter_ == memory.n_iter_ < full.n_iter_


def test_dataframes_keep_their_names_and_unknown_lengths_are_counted():
    X = rows(500)
    frame = dd.from_pandas(pd.DataFrame(X, columns=list("abcd")), npartitions=4)
    frame = frame[frame["a"] < 5]  # nobody knows how many rows that leaves
    model = WeightedKMeans(init=CENTERS).fit(frame)
    assert list(model.feature_names_in_) == list("abcd")
    kept = X[X[:, 0] < 5]
    assert model.labels_.shape == (len(kept),)
    memory = WeightedKMeans(init=CENTERS).fit(kept)
    np.testing.assert_array_equal(model.predict(frame).compute(), memory.labels_)
    np.testing.assert_allclose(model.transform(frame).compute(), memory.transform(kept), atol=1e-9)


def test_labels_wait_until_they_are_asked_for():
    made = []

    def make(block_info=None):
        made.append(block_info[None]["chunk-location"][0])
        return rows(50, seed=block_info[None]["chunk-location"][0])

    table = da.map_blocks(make, chunks=((50,) * 4, (4,)), dtype=float, meta=np.empty((0, 0)))
    with dask.config.set(scheduler="synchronous"):
        model = WeightedKMeans(init=CENTERS).fit(table)
        made.clear()
        assert model.labels_.chunks == ((50,) * 4,)
        model.labels_[:50].compute()
    assert made == [0]


def test_a_model_of_a_dask_table_is_kept_with_its_labels(tmp_path):
    model = WeightedKMeans(init=CENTERS).fit(da.from_array(rows(), chunks=(200, -1)))
    model.save(tmp_path / "model.weft")
    again = weft.load(tmp_path / "model.weft")
    np.testing.assert_array_equal(again.labels_, model.labels_.compute())
    batch = rows(40, seed=9)
    np.testing.assert_array_equal(
        again.partial_fit(batch).cluster_centers_, model.partial_fit(batch).cluster_centers_
    )


def test_projected_swarm_polishes_on_all_rows():
    X = rows(1500)
    lazy = da.from_array(X, chunks=(400, -1))
    options = {"n_evaluations": 20, "random_state": 0}
    memory = ProjectedSwarm(3, **options).fit(X)
    model = ProjectedSwarm(3, **options).fit(lazy)
    assert model.n_samples_search_ == 1500
    assert model.fitness_ == pytest.approx(memory.fitness_, rel=1e-6)
    assert weft.metrics.accuracy(memory.labels_, model.labels_.compute()) == 1.0
    with pytest.raises(ValueError, match="metric='jaccard' does not support Dask tables"):
        ProjectedSwarm(3, metric="jaccard").fit(lazy)


@pytest.mark.parametrize(
    ("change", "options", "message"),
    [
        (lambda X: X, {"distance_exponent": 1}, "distance_exponent=1 needs medians"),
        (lambda X: da.where(X > 8, np.nan, X), {}, "X contains NaN"),
        (lambda X: da.where(X > 8, np.inf, X), {}, "X contains infinity"),
        (lambda X: da.where(X > -99, np.nan, X), {"allow_nan": True}, "no observed value"),
        (lambda X: X[:0], {}, "X has no rows"),
        (lambda X: X[:, 0], {}, "two dimensions"),
        (lambda X: X.astype(complex), {}, "not real numbers"),
        (lambda X: X[:2], {}, "n_clusters=3 needs as many samples"),
    ],
)
def test_bad_tables_get_one_sentence(change, options, message):
    table = change(da.from_array(rows(), chunks=(200, -1)))
    with pytest.raises(ValueError, match=message):
        WeightedKMeans(3, **options).fit(table)


def test_bad_masses_and_columns_get_one_sentence():
    table = da.from_array(rows(), chunks=(200, -1))
    for mass, message in [
        (np.ones(7), "one number per row"),
        (da.ones(900, chunks=300), "3 chunks where X has 5"),
        (da.ones(900, chunks=((100, 200, 200, 200, 200),)), "give it the same chunks"),
        (-da.ones(900, chunks=200), "must not be negative"),
        (da.zeros(900, chunks=200), "nor zero for every row"),
    ]:
        with pytest.raises(ValueError, match=message):
            WeightedKMeans(3).fit(table, sample_weight=mass)
    model = WeightedKMeans(3).fit(table)
    with pytest.raises(ValueError, match="3 features"):
        model.predict(table[:, :3])


def _blocks(X, size):
    return Blocks(list(da.from_array(X, chunks=(size, -1)).to_delayed().ravel()), None, X.shape[1])


def _sample(X, size, seed):
    return draw_sample(
        _blocks(X, 100),
        X.mean(axis=0),
        np.ones(X.shape[1], dtype=bool),
        exponent=2.0,
        total_mass=float(len(X)),
        seed=seed,
        size=size,
    )


def test_a_sample_stands_for_all_rows():
    X = rows(1000)
    X[0] = [300.0, 300.0, 0.0, 2.5]  # one row that is most of the scatter
    whole = _sample(X, 1000, 0)
    np.testing.assert_array_equal(whole.rows, X)
    np.testing.assert_array_equal(whole.mass, 1.0)
    samples = [_sample(X, 60, seed) for seed in range(60)]
    assert all(len(sample.rows) == 60 for sample in samples)
    assert all((sample.rows[:, 0] == 300.0).any() for sample in samples)  # seen every time
    masses = np.array([sample.mass.sum() for sample in samples])
    assert abs(masses.mean() - 1000) < 4 * masses.std() / np.sqrt(60)
    sums = np.array([sample.mass @ sample.rows[:, 0] for sample in samples])
    assert abs(sums.mean() - X[:, 0].sum()) < 4 * sums.std() / np.sqrt(60)


def test_checksums_tell_labels_apart():
    rng = np.random.default_rng(0)
    labels = rng.integers(3, size=50).astype(np.int32)
    seen = {int(_checksum(number, labels)[0]) for number in range(20)}
    for i in range(50):
        for j in range(i):
            if labels[i] != labels[j]:
                swapped = labels.copy()
                swapped[[i, j]] = labels[[j, i]]
                seen.add(int(_checksum(0, swapped)[0]))
    n_swaps = sum(labels[i] != labels[j] for i in range(50) for j in range(i))
    assert len(seen) == 20 + n_swaps
