"""`max_samples` of the kernel methods: a search on some rows, labels for all."""

import numpy as np
import pytest

from weft import KernelKMeans, KernelSwarm
from weft.datasets import make_shapes
from weft.metrics import accuracy

MODELS = {
    "swarm": lambda **given: KernelSwarm(n_particles=12, n_generations=12, random_state=0, **given),
    "printed": lambda **given: KernelSwarm(
        "rbf",
        centers="input",
        sigma=1.1,
        max_clusters=6,
        n_particles=12,
        n_generations=12,
        random_state=0,
        **given,
    ),
    "k-means": lambda **given: KernelKMeans(
        2, kernel="diffusion", sigma=8.0, random_state=0, **given
    ),
}


@pytest.fixture(scope="module")
def moons():
    return make_shapes("moons", n_samples=1500, random_state=3)


@pytest.mark.parametrize("name", MODELS)
def test_all_rows_get_labels_as_predict_has_them(moons, name):
    model = MODELS[name](max_samples=250).fit(moons.data)
    assert model.n_samples_search_ == 250
    assert model.labels_.shape == (1500,)
    np.testing.assert_array_equal(model.predict(moons.data), model.labels_)
    # Numbers go by the first row.
    _, first = np.unique(model.labels_, return_index=True)
    assert (np.diff(first) > 0).all()
    again = MODELS[name](max_samples=250, n_jobs=2).fit(moons.data)
    np.testing.assert_array_equal(again.labels_, model.labels_)
    assert again.sample_agreement_ == model.sample_agreement_


@pytest.mark.parametrize("name", ["swarm", "k-means"])
def test_a_sample_finds_what_all_rows_show(moons, name):
    model = MODELS[name](max_samples=250).fit(moons.data)
    assert accuracy(moons.target, model.labels_) > 0.97
    assert model.sample_agreement_ > 0.9


@pytest.mark.parametrize("name", MODELS)
def test_a_sample_of_everything_is_no_sample(moons, name):
    rows = moons.data[:120]
    whole, sampled = MODELS[name]().fit(rows), MODELS[name](max_samples=500).fit(rows)
    np.testing.assert_array_equal(whole.labels_, sampled.labels_)
    assert sampled.n_samples_search_ == 120
    assert sampled.sample_agreement_ is None


@pytest.mark.parametrize("name", MODELS)
def test_a_table_too_large_for_memory_fits_as_a_sample(moons, name):
    with pytest.raises(ValueError, match="max_samples"):
        MODELS[name](max_memory="4MiB").fit(moons.data)
    model = MODELS[name](max_memory="4MiB", max_samples=200).fit(moons.data)
    assert len(model.labels_) == 1500


@pytest.mark.parametrize("value", [1, 0, "some", 2.5])
def test_sizes_that_are_none_are_refused(moons, value):
    with pytest.raises((ValueError, TypeError), match="max_samples"):
        MODELS["k-means"](max_samples=value).fit(moons.data)
