"""A swarm and a criterion of a user's own, in one file: examples/grey_wolf_dbcv.py."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from weft import FeatureSwarm
from weft.callbacks import Checkpoint
from weft.search.clusterers import CLUSTERERS
from weft.search.criteria import CRITERIA
from weft.search.swarms import SWARMS

FILE = Path(__file__).parents[2] / "examples" / "grey_wolf_dbcv.py"


@pytest.fixture(scope="module")
def example():
    spec = importlib.util.spec_from_file_location("grey_wolf_dbcv", FILE)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


def test_it_is_short_and_uses_public_names_only():
    text = FILE.read_text(encoding="utf-8")
    assert len(text.splitlines()) < 120
    assert "._" not in text.replace("._replace", "")


def test_it_finds_the_groups_and_drops_noise(example, capsys):
    model, groups = example.main()
    assert adjusted_rand_score(groups, model.labels_) == 1.0
    weights = model.feature_weights_
    assert weights[:4].sum() > 5 * weights[4:].sum()
    assert "3 clusters" in capsys.readouterr().out


def test_torch_walks_the_same_path(example, monkeypatch):
    torch = pytest.importorskip("torch", reason="the GPU path needs torch: pip install 'weft[gpu]'")
    from weft.backends import devices

    if not torch.cuda.is_available():
        monkeypatch.setattr(devices, "has_cuda", lambda: True)
        monkeypatch.setattr(devices, "GPU", "cpu:0")
    cpu, gpu = example.main()[0], example.main("cuda")[0]
    np.testing.assert_array_equal(gpu.labels_, cpu.labels_)
    np.testing.assert_allclose(gpu.feature_weights_, cpu.feature_weights_, rtol=1e-9)
    assert gpu.fitness_ == pytest.approx(cpu.fitness_, rel=1e-9)


def test_dbcv_by_hand(example):
    # Rows 0, 1, 2 and 10, 11, 12 on a line. Core distance in one dimension: the harmonic mean of
    # the distances to the mates, 4/3 at the ends and 1 in the middle. Every edge of either tree
    # weighs 4/3, and only the middle row is inside: no inner edge, so sparseness is 4/3. The
    # middles are 10 apart: (10 - 4/3) / 10 = 13/15 for both clusters.
    places = np.array([0.0, 1.0, 2.0, 10.0, 11.0, 12.0])
    apart = np.abs(np.subtract.outer(places, places))
    labels = np.repeat([0, 1], 3)
    assert example.dbcv(apart, labels, 1) == pytest.approx(13 / 15)
    # A row of noise counts among all rows.
    wider = np.pad(apart, (0, 1), constant_values=50.0)
    assert example.dbcv(wider, np.append(labels, -1), 1) == pytest.approx(6 / 7 * 13 / 15)
    assert example.dbcv(apart, np.zeros(6, dtype=int), 1) == -1.0
    assert np.isfinite(example.dbcv(np.zeros((6, 6)), labels, 1))


def test_one_move_of_the_wolves(example):
    class Halves:
        """Every draw is 1/2: A = 0 and C = 1."""

        def random(self, shape):
            return np.full(shape, 0.5)

    wolves = example.GreyWolf(10)
    places = np.array([[0.0, 1.0], [3.0, 5.0], [6.0, 0.0], [9.0, 9.0]])
    pack = wolves.tell(wolves.start(places, Halves()), np.array([1.0, 4.0, 3.0, 2.0]))
    np.testing.assert_array_equal(pack.leaders, places[[1, 2, 3]])
    assert (pack.best_fitness, pack.best_position.tolist()) == (4.0, [3.0, 5.0])
    # With A = 0 every wolf goes to the middle of the three leaders.
    moved = wolves.ask(pack, Halves())
    np.testing.assert_allclose(moved.positions, [[6.0, 14 / 3]] * 4)
    # A worse generation changes no leader.
    np.testing.assert_array_equal(wolves.tell(moved, np.zeros(4)).leaders, pack.leaders)


def test_a_search_with_both_can_be_continued(example, three_groups, tmp_path):
    def make(*callbacks):
        return FeatureSwarm(
            criterion=example.DBCV(),
            swarm=example.GreyWolf(6),
            n_particles=6,
            n_generations=6,
            patience=None,
            callbacks=list(callbacks),
            random_state=0,
        )

    def cut(generation):
        if generation.number == 4:
            raise InterruptedError

    path = tmp_path / "wolves"
    with pytest.raises(InterruptedError):
        make(Checkpoint(path, every=1), cut).fit(three_groups)
    whole, resumed = make().fit(three_groups), make().fit(three_groups, resume=path)
    np.testing.assert_array_equal(resumed.feature_weights_, whole.feature_weights_)
    np.testing.assert_array_equal(resumed.history_["best_fitness"], whole.history_["best_fitness"])


@pytest.mark.parametrize(
    ("parameter", "registry"),
    [("clusterer", CLUSTERERS), ("criterion", CRITERIA), ("swarm", SWARMS)],
)
def test_the_docstring_names_the_registry(parameter, registry):
    text = FeatureSwarm.__doc__.split(f"\n    {parameter} : {{")[1].split("}")[0]
    assert [name.strip(' "\\\n') for name in text.split(",")] == list(registry)


def test_objects_cannot_be_saved_and_say_so(example, three_groups, tmp_path):
    model = FeatureSwarm(swarm=example.GreyWolf(), n_generations=1, random_state=0)
    with pytest.raises(ValueError, match="parameter 'swarm' is a GreyWolf, which a model file"):
        model.fit(three_groups).save(tmp_path / "model.weft")
